//! Six pairs of 57 vertices: the pieces of a skirt, whose two members are 6.8 units apart.
//!
//! The documents give the size and the distance and no more. *Assumed* here: the two members hold the piece in frames
//! of reference that lie 6.8 units from each other, as a simulation's would that had been moved, and each is drawn with
//! the palette of its own frame of reference.

use glam::{DVec3, dvec3};

use super::player::SKIRT_JOINT;
use crate::synth::angle::sin_cos;
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::rng::Rng;
use crate::synth::skeleton::Joint;

/// The model's name; the documents do not say what these buffers belong to.
pub(crate) const COSTUME: &str = "AM_M_9040";
/// Where the second member's frame of reference lies in the first's: 6.8 units away.
pub(crate) const APART: DVec3 = dvec3(4.08, 0.0, -5.44);

/// Directions of the pieces about the waist, in turns from straight ahead.
const AROUND: [f64; 6] = [-0.245, -0.15, -0.055, 0.055, 0.15, 0.245];

/// The tops of the pieces, where their joints are.
pub(crate) fn tops() -> [DVec3; 6] {
    AROUND.map(|turns| {
        let (sin, cos) = sin_cos(turns);
        dvec3(0.3 * sin, 0.82, 0.3 * cos)
    })
}

/// The pieces.
pub(crate) fn meshes(joints: &[Joint]) -> Vec<Mesh> {
    let piece = |(n, turns): (usize, f64)| {
        let surface = Surface::sheet(3, 19, |u, v| {
            let (sin, cos) = sin_cos(turns + 0.026 * (1.0 - 2.0 * u));
            let radius = 0.3 + 0.05 * v;
            dvec3(radius * sin, 0.82 - 0.3 * v, radius * cos)
        });
        Mesh::skinned(COSTUME, n as u32, surface, joints, &[SKIRT_JOINT + n], || 255)
    };
    AROUND.into_iter().enumerate().map(piece).collect()
}

/// The piece `back` frames before a capture, in the first member's frame of reference: it flutters towards its hem.
pub(crate) fn state(mesh: &Mesh, clock: f64, back: f64, rng: &mut Rng) -> Vec<DVec3> {
    let phase = rng.unit();
    let points = mesh.surface.points.iter().zip(mesh.surface.normals());
    points
        .map(|(p, normal)| {
            let fall = (0.82 - p.y) / 0.3;
            let wave = sin_cos((clock - back) / 40.0 + 0.4 * fall + phase).0;
            *p + normal * (0.012 * fall * fall * wave)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_57_vertices_and_the_frames_of_reference_are_6_8_apart() {
        let joints = super::super::player::joints(&tops());
        let meshes = meshes(&joints);
        assert_eq!(meshes.len(), 6);
        assert!(meshes.iter().all(|m| m.surface.points.len() == 57));
        assert!((APART.length() - 6.8).abs() < 1e-12);
    }
}
