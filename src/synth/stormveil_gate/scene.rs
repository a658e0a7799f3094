//! When and from where the frames look: the ten moments that were captured, the eye, the light, places before the eye.

use glam::{DVec3, dvec3};

use super::forces::Wind;
use crate::abi::records::{ViewProjections, write_all};
use crate::synth::camera::View;
use crate::synth::rng::Rng;

/// Pixels of the picture.
pub(crate) const PICTURE: (u32, u32) = (320, 180);
/// Pixels of the shadow map.
pub(crate) const SHADOW_MAP: (u32, u32) = (192, 192);
/// Where the eye is, a little behind and above the place of the force record near it.
pub(crate) const EYE: DVec3 = dvec3(1.9, 8.9, 12.4);
/// Where it looks, level.
pub(crate) const FORWARD: DVec3 = dvec3(0.6, 0.0, -0.8);
/// The eye's right hand.
pub(crate) const RIGHT: DVec3 = dvec3(-0.8, 0.0, -0.6);
/// Cotangent of half the vertical angle.
const FOCAL: f64 = 3.0;

/// One captured frame: when it is, and what is peculiar about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The frame's folder.
    pub(crate) name: &'static str,
    /// The running number of the game's frame; its parity says into which member of a pair positions are copied.
    pub(crate) clock: u32,
    /// The force table, in five frames.
    pub(crate) wind: Option<Wind>,
    /// The banner that no copy touches is in sight.
    pub(crate) still_banner: bool,
    /// The soldier c3000 is in sight.
    pub(crate) soldier: bool,
    /// The far grass is in sight, and several placed grass models instead of one.
    pub(crate) far_grass: bool,
}

const fn moment(name: &'static str, clock: u32, wind: Option<Wind>) -> Moment {
    Moment { name, clock, wind, still_banner: false, soldier: false, far_grass: false }
}

/// The frames with the documents' wind clocks, and the frame clocks that were read with them.
const WINDS: [Wind; 5] = [
    Wind { clock: 155.07, speedtree_time: 91.43, extras: 2, near_eye: false },
    Wind { clock: 161.50, speedtree_time: 95.22, extras: 1, near_eye: true },
    Wind { clock: 167.91, speedtree_time: 98.91, extras: 3, near_eye: false },
    Wind { clock: 169.35, speedtree_time: 99.77, extras: 2, near_eye: false },
    Wind { clock: 169.80, speedtree_time: 100.01, extras: 2, near_eye: true },
];

/// The captured frames. No two follow one another.
pub(crate) const MOMENTS: [Moment; 10] = [
    moment("0001", 2743, Some(WINDS[0])),
    Moment { still_banner: true, ..moment("0002", 2857, Some(WINDS[1])) },
    Moment { far_grass: true, ..moment("0003", 2968, Some(WINDS[2])) },
    Moment { soldier: true, ..moment("0004", 2994, Some(WINDS[3])) },
    moment("0005", 3001, Some(WINDS[4])),
    Moment { still_banner: true, ..moment("0006", 3312, None) },
    Moment { soldier: true, ..moment("0007", 3499, None) },
    moment("0008", 3560, None),
    Moment { still_banner: true, ..moment("0009", 3815, None) },
    moment("0010", 4076, None),
];

/// A stream of numbers for a topic of one moment.
pub(crate) fn rng(seed: u64, moment: &Moment, topic: &str) -> Rng {
    Rng::new(seed, &format!("{topic} {}", moment.name))
}

/// A place by metres before the eye, to its right, and above it.
pub(crate) fn place(before: f64, right: f64, above: f64) -> DVec3 {
    EYE + FORWARD * before + RIGHT * right + DVec3::Y * above
}

/// The eye's view-projections: this frame's and the last one's.
pub(crate) fn eye(seed: u64, moment: &Moment) -> Vec<u8> {
    let mut rng = rng(seed, moment, "eye");
    // Distances of the far grass are told from the eye, so it stands still there.
    let sway = if moment.far_grass { 0.0 } else { 0.06 };
    let shift = dvec3(rng.range(-sway, sway), rng.range(-sway, sway), rng.range(-sway, sway));
    let aspect = f64::from(PICTURE.0) / f64::from(PICTURE.1);
    views(|back| {
        let eye = EYE + shift - dvec3(0.012, 0.003, -0.009) * back;
        let target = eye + FORWARD - dvec3(-0.001, 0.0006, 0.0008) * back;
        View { eye, target }.perspective(FOCAL, aspect, 0.5, 400.0)
    })
}

/// The light's view-projections: it stands behind the eye and above, so that no cloth is seen edge on.
pub(crate) fn light(seed: u64, moment: &Moment) -> Vec<u8> {
    let mut rng = rng(seed, moment, "light");
    let side = rng.range(-1.0, 1.0);
    views(|back| {
        let eye = place(-6.0, side + 0.002 * back, 11.0);
        View { eye, target: place(8.0, 0.0, -0.4) }.parallel(6.2, 5.4, 40.0)
    })
}

fn views(at: impl Fn(f64) -> [[f32; 4]; 4]) -> Vec<u8> {
    write_all(&[ViewProjections { current: at(0.0), previous: at(1.0) }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_are_unit_and_right_is_the_eye_s_right() {
        assert!((FORWARD.length() - 1.0).abs() < 1e-15);
        assert!(DVec3::Y.cross(FORWARD).distance(RIGHT) < 1e-15);
    }
}
