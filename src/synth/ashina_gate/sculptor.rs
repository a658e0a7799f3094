//! The Sculptor c1010: skinned, and drawn from the three vertex buffers of its file, which nothing writes.

use glam::{DVec3, dvec3};

use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::rng::Rng;
use crate::synth::skeleton::{Joint, JointPose, Map, skinning_maps};

/// The model's name.
pub(crate) const SCULPTOR: &str = "c1010";
/// The highest joint that a vertex uses with a nonzero weight (seed document, "Rigid and dynamic data").
const HIGHEST: usize = 109;
/// Share of the vertices whose weights sum to 252 or 253 of 255: the documents' 31,544 of 140,330.
const SHORT_SUMS: f64 = 31_544.0 / 140_330.0;

/// A column of joints that winds up from the floor; the palette is longer than the joints in use.
pub(crate) fn joints() -> Vec<Joint> {
    (0..112)
        .map(|i| {
            let (sin, cos) = sin_cos(i as f64 * 0.29);
            let at = dvec3(0.18 * cos, i as f64 * 0.01, 0.18 * sin);
            Joint { parent: (i > 0).then(|| (i - 1) / 3), at }
        })
        .collect()
}

/// The meshes: a robe, a head, a sleeve, and a string of beads.
pub(crate) fn meshes(joints: &[Joint], seed: u64) -> Vec<Mesh> {
    let mut rng = Rng::new(seed, "sculptor");
    let robe = Surface::limb(dvec3(0.0, 0.03, 0.0), dvec3(0.0, 0.74, 0.0), (0.4, 0.22), 0.9, 16, 12);
    let head = Surface::limb(dvec3(0.0, 0.83, 0.03), dvec3(0.0, 1.08, 0.05), (0.11, 0.1), 1.1, 14, 9);
    let sleeve = Surface::limb(dvec3(0.42, 0.6, 0.1), dvec3(0.52, 0.3, 0.36), (0.07, 0.05), 1.0, 12, 9);
    let beads = Surface::ring(dvec3(0.0, 0.79, 0.02), 0.16, 0.02, 18, 8);
    [robe, head, sleeve, beads]
        .into_iter()
        .zip(0..)
        .map(|(surface, number)| {
            let (middle, _) = surface.extent();
            let mut near: Vec<usize> = (0..HIGHEST).collect();
            near.sort_by(|a, b| {
                let distance = |j: usize| middle.distance_squared(joints[j].at);
                distance(*a).total_cmp(&distance(*b)).then(a.cmp(b))
            });
            near.truncate(10);
            if number == 1 {
                near.push(HIGHEST);
            }
            let mut sum = || match rng.unit() {
                u if u < SHORT_SUMS / 2.0 => 252,
                u if u < SHORT_SUMS => 253,
                _ => 255,
            };
            Mesh::skinned(SCULPTOR, number, surface, joints, &near, &mut sum)
        })
        .collect()
}

/// The skinning maps at a moment, in frames: it sits beside the gate and breathes.
pub(crate) fn pose(joints: &[Joint], frame: f64) -> Vec<Map> {
    let pose: Vec<_> = (0..joints.len())
        .map(|i| {
            let turn = sin_cos(frame / 60.0 + i as f64 * 0.013).0;
            let stretch = 1.0 + 0.004 * sin_cos(frame / 75.0 + i as f64 * 0.02).0;
            JointPose { rotation: rotation(DVec3::X, 0.004 * turn), scale: dvec3(1.0, stretch, 1.0) }
        })
        .collect();
    let seat = Map::new(rotation(DVec3::Y, 0.11), dvec3(-1.35, 0.0, -0.9));
    skinning_maps(joints, &pose, seat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::mesh::SKIN_STRIDE;

    #[test]
    fn weights_and_joints_are_those_of_the_documents() {
        let joints = joints();
        let (mut short, mut all, mut highest) = (0.0, 0.0, 0);
        for mesh in meshes(&joints, 1) {
            for vertex in mesh.second.chunks_exact(SKIN_STRIDE as usize) {
                let sum: u32 = vertex[4..8].iter().map(|w| u32::from(*w)).sum();
                assert!([252, 253, 255].contains(&sum));
                short += f64::from(u8::from(sum < 255));
                all += 1.0;
                let used = vertex[..4].iter().zip(&vertex[4..8]).filter(|(_, w)| **w > 0);
                highest = used.map(|(j, _)| *j).max().unwrap_or(0).max(highest);
            }
        }
        assert!((short / all - SHORT_SUMS).abs() < 0.03, "{short} of {all}");
        assert_eq!(usize::from(highest), HIGHEST);
    }
}
