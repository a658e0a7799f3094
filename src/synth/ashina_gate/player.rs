//! The player: a skeleton, a face of four meshes and a body of seventeen, in a walk.
//!
//! The figure is a mannequin of separate, rounded pieces; no two touch, so that no pixel's depth is a matter of luck.
//! It faces +z, stands on y = 0 and is 1.8 units high.

use glam::{DVec3, dvec3};

use super::deform::{Deformation, Motion};
use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::rng::Rng;
use crate::synth::skeleton::{Joint, JointPose, Map, skinning_maps};

/// A mesh with its deformation.
pub(crate) struct Deformed {
    /// The mesh of the file.
    pub(crate) mesh: Mesh,
    /// How it moves.
    pub(crate) deformation: Deformation,
}

/// The model of the face.
pub(crate) const FACE: &str = "FC_M_0200";
/// The model of the body.
pub(crate) const BODY: &str = "BD_M_9040";

/// The joint of the n-th skirt piece of the costume is this one plus n.
pub(crate) const SKIRT_JOINT: usize = 25;
const PELVIS: usize = 1;

const fn joint(parent: usize, x: f64, y: f64, z: f64) -> Joint {
    Joint { parent: Some(parent), at: dvec3(x, y, z) }
}

/// Joints 0..=24 are the figure's; a joint for every skirt piece follows.
const JOINTS: [Joint; 25] = [
    Joint { parent: None, at: dvec3(0.0, 0.95, 0.0) },
    joint(0, 0.0, 0.92, 0.0),        // 1 pelvis
    joint(PELVIS, 0.0, 1.05, 0.0),   // 2 spine
    joint(2, 0.0, 1.2, 0.0),         // 3 chest
    joint(3, 0.0, 1.42, 0.0),        // 4 neck
    joint(4, 0.0, 1.55, 0.0),        // 5 head
    joint(5, 0.0, 1.55, 0.05),       // 6 jaw
    joint(5, 0.0, 1.83, -0.06),      // 7 topknot
    joint(7, 0.0, 1.95, -0.11),      // 8 topknot's tip
    joint(3, 0.3, 1.3, 0.0),         // 9 left upper arm
    joint(9, 0.44, 1.03, 0.01),      // 10 left forearm
    joint(10, 0.56, 0.78, 0.085),    // 11 left hand
    joint(3, -0.3, 1.3, 0.0),        // 12 right upper arm
    joint(12, -0.44, 1.03, 0.01),    // 13 right forearm
    joint(13, -0.56, 0.78, 0.085),   // 14 right hand
    joint(PELVIS, 0.11, 0.8, 0.0),   // 15 left thigh
    joint(15, 0.145, 0.48, 0.01),    // 16 left shin
    joint(16, 0.165, 0.12, -0.02),   // 17 left foot
    joint(PELVIS, -0.11, 0.8, 0.0),  // 18 right thigh
    joint(18, -0.145, 0.48, 0.01),   // 19 right shin
    joint(19, -0.165, 0.12, -0.02),  // 20 right foot
    joint(3, 0.0, 1.3, -0.22),       // 21 cape
    joint(21, 0.0, 0.95, -0.25),     // 22 cape's middle
    joint(22, 0.0, 0.65, -0.28),     // 23 cape's hem
    joint(PELVIS, 0.4, 0.95, -0.12), // 24 sheath
];

/// The skeleton, with a joint at the top of every skirt piece.
pub(crate) fn joints(skirt: &[DVec3]) -> Vec<Joint> {
    let skirt = skirt.iter().map(|at| Joint { parent: Some(PELVIS), at: *at });
    JOINTS.into_iter().chain(skirt).collect()
}

/// The skinning maps at a moment of the walk, in frames.
pub(crate) fn pose(joints: &[Joint], frame: f64, root: Map) -> Vec<Map> {
    let swing = |turns: f64, shift: f64| turns * sin_cos(frame / 48.0 + shift).0;
    let turned = |axis: DVec3, turns: f64| JointPose { rotation: rotation(axis, turns), scale: DVec3::ONE };
    let mut pose = vec![JointPose::default(); joints.len()];
    pose[2] = turned(DVec3::Y, swing(0.012, 0.1));
    pose[3].scale = dvec3(1.0 + swing(0.004, 0.3), 1.0, 1.0 + swing(0.012, 0.3));
    pose[5] = turned(DVec3::Y, swing(0.02, 0.55));
    pose[6] = turned(DVec3::X, swing(0.006, 0.2));
    pose[7] = turned(DVec3::X, swing(0.015, 0.7));
    pose[8].scale = dvec3(1.0, 1.05, 1.0);
    for (side, [arm, forearm, hand], [thigh, shin, foot]) in
        [(0.0, [9, 10, 11], [15, 16, 17]), (0.5, [12, 13, 14], [18, 19, 20])]
    {
        pose[arm] = turned(DVec3::X, swing(0.03, side));
        pose[forearm] = turned(DVec3::X, -0.01 + swing(0.01, side));
        pose[hand].scale = DVec3::splat(1.03);
        pose[thigh] = turned(DVec3::X, swing(0.035, side + 0.5));
        pose[shin] = turned(DVec3::X, 0.02 + swing(0.018, side + 0.3));
        pose[foot] = turned(DVec3::X, swing(0.012, side + 0.6));
    }
    pose[21] = turned(DVec3::X, 0.008 + swing(0.008, 0.4));
    pose[22] = turned(DVec3::X, swing(0.012, 0.5));
    pose[23] = turned(DVec3::X, swing(0.016, 0.6));
    pose[24] = turned(DVec3::Z, swing(0.006, 0.8));
    for (n, piece) in pose.iter_mut().enumerate().skip(SKIRT_JOINT) {
        *piece = turned(DVec3::X, swing(0.008, 0.15 * n as f64));
    }
    skinning_maps(joints, &pose, root)
}

/// Where the player stands, `back` frames before a capture: walking along its own +z, which is turned by `heading`.
pub(crate) fn root(spot: DVec3, heading: f64, back: f64) -> Map {
    let turn = rotation(DVec3::Y, heading);
    Map::new(turn, spot - turn * DVec3::Z * (0.018 * back))
}

struct Piece {
    surface: Surface,
    joints: &'static [usize],
    motion: Motion,
}

fn piece(surface: Surface, joints: &'static [usize], shape: f64, step: f64) -> Piece {
    let motion = Motion { shape, step, pull: None, everywhere: 0.0, stray: None };
    Piece { surface, joints, motion }
}

/// The four meshes of the face and the seventeen of the body, in the order of their numbers.
pub(crate) fn meshes(joints: &[Joint], seed: u64) -> Vec<Deformed> {
    let mut rng = Rng::new(seed, "player");
    let parts = face().into_iter().zip((0..).map(|n| (FACE, n)));
    let parts = parts.chain(body().into_iter().zip((0..).map(|n| (BODY, n))));
    parts
        .map(|(piece, (model, number))| {
            let deformation = Deformation::new(&piece.surface, piece.motion, &mut rng);
            let mesh = Mesh::skinned(model, number, piece.surface, joints, piece.joints, || 255);
            Deformed { mesh, deformation }
        })
        .collect()
}

fn face() -> Vec<Piece> {
    let mask = Surface::sheet(12, 7, |u, v| {
        let (sin, cos) = sin_cos(-0.14 + 0.28 * u);
        dvec3(0.16 * sin, 1.5 + 0.12 * v, 0.16 * cos)
    });
    let topknot = Surface::limb(dvec3(0.0, 1.84, -0.07), dvec3(0.0, 2.04, -0.16), (0.045, 0.03), 1.0, 12, 8);
    let mut face = vec![
        piece(
            Surface::limb(dvec3(0.0, 1.49, 0.0), dvec3(0.0, 1.75, 0.0), (0.085, 0.11), 1.1, 14, 9),
            &[4, 5, 6],
            0.021,
            0.001_6,
        ),
        piece(Surface::dome(dvec3(0.0, 1.64, -0.01), 0.165, 0.19, 16, 7), &[5], 0.034, 0.000_9),
        piece(topknot, &[7, 8], 0.179_5, 0.004_1),
        piece(mask, &[5, 6], 0.012, 0.000_55),
    ];
    face[2].motion.pull = Some(dvec3(0.8, 0.0, -0.6));
    face
}

fn body() -> Vec<Piece> {
    let limb = |a: [f64; 3], b: [f64; 3], radii: (f64, f64), squash: f64, sides: usize, rings: usize| {
        Surface::limb(a.into(), b.into(), radii, squash, sides, rings)
    };
    let mirrored = |a: [f64; 3], b: [f64; 3], radii: (f64, f64), sides: usize, rings: usize| {
        [1.0, -1.0].map(|side| {
            let on = |p: [f64; 3]| [p[0] * side, p[1], p[2]];
            limb(on(a), on(b), radii, 1.0, sides, rings)
        })
    };
    let [upper_arm_l, upper_arm_r] = mirrored([0.3, 1.3, 0.0], [0.42, 1.06, 0.0], (0.055, 0.05), 12, 8);
    let [forearm_l, forearm_r] = mirrored([0.45, 1.01, 0.02], [0.55, 0.8, 0.08], (0.048, 0.04), 12, 8);
    let [glove_l, glove_r] = mirrored([0.568, 0.762, 0.092], [0.605, 0.62, 0.13], (0.04, 0.045), 12, 7);
    let [thigh_l, thigh_r] = mirrored([0.115, 0.78, 0.0], [0.14, 0.5, 0.01], (0.085, 0.075), 12, 9);
    let [shin_l, shin_r] = mirrored([0.145, 0.46, 0.01], [0.16, 0.16, -0.01], (0.065, 0.05), 12, 9);
    let [boot_l, boot_r] = mirrored([0.165, 0.075, -0.08], [0.178, 0.07, 0.17], (0.046, 0.04), 12, 8);
    let cape = Surface::sheet(9, 11, |u, v| {
        let x = 0.32 - 0.64 * u;
        dvec3(x * (1.0 + 0.15 * v), 1.32 - 0.82 * v, -0.21 - 0.09 * v + 0.25 * x * x)
    });
    let mut body = vec![
        // 24 * 16 + 2 vertices: one stray vertex of 386 leaves 99.74 % between 0.1 and 0.9.
        piece(
            limb([0.0, 1.05, 0.0], [0.0, 1.33, 0.0], (0.19, 0.2), 0.65, 24, 16),
            &[2, 3, 9, 12],
            0.026,
            0.002_4,
        ),
        piece(limb([0.0, 0.82, 0.0], [0.0, 1.0, 0.0], (0.17, 0.18), 0.68, 16, 9), &[1, 2], 0.016, 0.001_2),
        piece(upper_arm_l, &[3, 9, 10], 0.014, 0.001_9),
        piece(upper_arm_r, &[3, 12, 13], 0.013, 0.001_8),
        piece(forearm_l, &[9, 10, 11], 0.011, 0.002_9),
        piece(forearm_r, &[12, 13, 14], 0.012, 0.002_7),
        piece(glove_l, &[10, 11], 0.006, 0.003_3),
        piece(glove_r, &[13, 14], 0.007, 0.003_1),
        piece(thigh_l, &[1, 15, 16], 0.018, 0.000_8),
        piece(thigh_r, &[1, 18, 19], 0.017, 0.000_7),
        piece(shin_l, &[15, 16, 17], 0.012, 0.000_48),
        piece(shin_r, &[18, 19, 20], 0.011, 0.000_42),
        piece(boot_l, &[16, 17], 0.005, 0.000_28),
        piece(boot_r, &[19, 20], 0.004, STEP_LEAST),
        piece(Surface::ring(dvec3(0.0, 1.4, 0.0), 0.14, 0.034, 18, 8), &[3, 4], 0.008, 0.000_6),
        piece(
            limb([0.42, 0.95, -0.13], [0.68, 0.45, -0.42], (0.03, 0.024), 1.0, 10, 11),
            &[24],
            0.048,
            0.003_7,
        ),
        piece(cape, &[21, 22, 23], 0.189_5, STEP_GREATEST),
    ];
    body[0].motion.everywhere = 0.2;
    body[0].motion.stray = Some(190);
    body[15].motion.pull = Some(dvec3(0.6, 0.0, -0.8));
    body[16].motion.pull = Some(dvec3(0.0, 0.0, -1.0));
    body
}

const STEP_LEAST: f64 = super::deform::STEP.0;
const STEP_GREATEST: f64 = super::deform::STEP.1;
