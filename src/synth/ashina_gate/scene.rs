//! What a frame shows and when: the meshes of the set, and the five moments that were captured.

use glam::dvec3;

use super::player::{Deformed, pose, root};
use super::{costume, objects, player, sculptor};
use crate::abi::records::{Affine, ViewProjections, write_all};
use crate::synth::camera::View;
use crate::synth::mesh::Mesh;
use crate::synth::rng::Rng;
use crate::synth::skeleton::{Joint, Map, palette};

/// Pixels of the picture.
pub(crate) const PICTURE: (u32, u32) = (320, 180);
/// Pixels of the shadow map.
pub(crate) const SHADOW_MAP: (u32, u32) = (192, 192);

/// One captured frame: when it is, and what is peculiar about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The frame's folder.
    pub(crate) name: &'static str,
    /// The running number of the game's frame; its parity says which member of a pair is written.
    pub(crate) clock: u32,
    /// How far the slow changes of shape have gone, 0..=1.
    pub(crate) expression: f64,
    /// The pass whose command lists bind the pairs the other way round.
    pub(crate) exception: Option<Exception>,
    /// The contents of the buffers not written in the frame were copied late.
    pub(crate) late: bool,
    /// The Sculptor is in sight.
    pub(crate) sculptor: bool,
}

/// Which draws bind the written buffer at POSITION0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exception {
    /// The G-buffer pass of twelve body meshes.
    GbufferOfTwelve,
    /// The shadow pass of all meshes.
    Shadow,
}

const fn moment(name: &'static str, clock: u32, expression: f64) -> Moment {
    Moment { name, clock, expression, exception: None, late: false, sculptor: false }
}

/// The captured frames. They lie 131 frames apart: no two follow one another.
pub(crate) const MOMENTS: [Moment; 5] = [
    moment("0001", 240, 0.9),
    Moment { sculptor: true, ..moment("0002", 371, 1.0) },
    Moment { exception: Some(Exception::GbufferOfTwelve), ..moment("0003", 502, 0.84) },
    Moment { exception: Some(Exception::Shadow), ..moment("0004", 633, 0.95) },
    Moment { late: true, ..moment("0005", 764, 0.91) },
];

/// Everything that is in the model files.
pub(crate) struct Scene {
    /// The player's skeleton.
    pub(crate) joints: Vec<Joint>,
    /// Four of the face, then seventeen of the body.
    pub(crate) player: Vec<Deformed>,
    /// The costume.
    pub(crate) costume: Vec<Mesh>,
    /// The Sculptor's skeleton.
    pub(crate) sculptor_joints: Vec<Joint>,
    /// The Sculptor.
    pub(crate) sculptor: Vec<Mesh>,
    /// The cloths.
    pub(crate) cloths: Vec<Mesh>,
    /// The floor.
    pub(crate) floor: Mesh,
    /// The gate.
    pub(crate) gate: Mesh,
    seed: u64,
}

impl Scene {
    /// The scene of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let joints = player::joints(&costume::tops());
        let sculptor_joints = sculptor::joints();
        Self {
            player: player::meshes(&joints, seed),
            costume: costume::meshes(&joints),
            sculptor: sculptor::meshes(&sculptor_joints, seed),
            cloths: objects::cloths(),
            floor: objects::floor(),
            gate: objects::gate(),
            joints,
            sculptor_joints,
            seed,
        }
    }

    /// A stream of numbers for a topic of one moment.
    pub(crate) fn rng(&self, moment: &Moment, topic: &str) -> Rng {
        Rng::new(self.seed, &format!("{topic} {}", moment.name))
    }

    /// The player's skinning maps `back` frames before the moment's.
    fn player_maps(&self, moment: &Moment, back: f64) -> Vec<Map> {
        let mut rng = self.rng(moment, "spot");
        let spot = dvec3(rng.range(-0.08, 0.08), 0.0, rng.range(-0.06, 0.06));
        let heading = rng.range(-0.02, 0.05);
        pose(&self.joints, f64::from(moment.clock) - back, root(spot, heading, back))
    }

    /// This frame's palette, then the last one's.
    pub(crate) fn player_palettes(&self, moment: &Moment) -> Vec<u8> {
        both(|back| palette(&self.player_maps(moment, back)))
    }

    /// Four palettes of the costume: this frame's for the first and for the second member's frame of reference, then the
    /// last frame's.
    pub(crate) fn costume_palettes(&self, moment: &Moment) -> Vec<u8> {
        both(|back| {
            let maps = self.player_maps(moment, back);
            let moved: Vec<_> = maps.iter().map(|m| m.after_shift(-costume::APART)).collect();
            [palette(&maps), palette(&moved)].concat()
        })
    }

    /// This frame's palette, then the last one's.
    pub(crate) fn sculptor_palettes(&self, moment: &Moment) -> Vec<u8> {
        both(|back| palette(&sculptor::pose(&self.sculptor_joints, f64::from(moment.clock) - back)))
    }

    /// The eye's view-projections.
    pub(crate) fn eye(&self, moment: &Moment) -> Vec<u8> {
        let aspect = f64::from(PICTURE.0) / f64::from(PICTURE.1);
        views(|back| {
            let mut rng = self.rng(moment, "eye");
            let eye = dvec3(rng.range(-1.7, -0.9), rng.range(1.4, 1.7), rng.range(3.1, 3.5));
            let drift = dvec3(0.021, 0.004, -0.013);
            let target = dvec3(rng.range(-0.2, 0.1), rng.range(0.98, 1.08), -0.3);
            let view = View { eye: eye - drift * back, target: target - dvec3(-0.006, 0.003, 0.0) * back };
            view.perspective(2.2, aspect, 0.1, 60.0)
        })
    }

    /// The light's view-projections.
    pub(crate) fn light(&self, moment: &Moment) -> Vec<u8> {
        views(|back| {
            let mut rng = self.rng(moment, "light");
            let eye = dvec3(rng.range(1.2, 2.0) + 0.002 * back, 9.0, rng.range(8.0, 9.0));
            View { eye, target: dvec3(-0.4, 1.5, -2.4) }.parallel(3.4, 2.9, 30.0)
        })
    }
}

/// The records of this frame and of the last one.
fn both(at: impl Fn(f64) -> Vec<Affine>) -> Vec<u8> {
    write_all(&[at(0.0), at(1.0)].concat())
}

fn views(at: impl Fn(f64) -> [[f32; 4]; 4]) -> Vec<u8> {
    write_all(&[ViewProjections { current: at(0.0), previous: at(1.0) }])
}
