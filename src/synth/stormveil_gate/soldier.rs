//! The soldier c3000: skinned from its file's buffers, with palettes that the frame copies from the upload ring.

use glam::{DVec3, dvec3};

use super::scene::{Moment, place};
use crate::abi::records::{Affine, write_all};
use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::skeleton::{Joint, JointPose, Map, palette, skinning_maps};

/// The model's name.
pub(crate) const SOLDIER: &str = "c3000";
/// Nodes of the model (claim `palette-empty`).
const NODES: usize = 368;
/// The largest joint that a vertex uses with a nonzero weight (claim `palette-empty`).
const LARGEST: usize = 101;
/// The middle of the head.
const HEAD: DVec3 = dvec3(0.0, 1.66, 0.0);

/// The skeleton: joints wind about the body's axis, each a child of one before it.
pub(crate) fn joints() -> Vec<Joint> {
    (0..NODES)
        .map(|i| {
            let (sin, cos) = sin_cos(i as f64 * 0.381_966);
            let height = (i as f64 * 0.618_034).fract();
            let at = if i == LARGEST { HEAD } else { dvec3(0.3 * cos, 1.85 * height, 0.2 * sin) };
            Joint { parent: (i > 0).then(|| (i - 1) / 3), at }
        })
        .collect()
}

/// The meshes: skirt, chest, head and arms, none of which touch.
pub(crate) fn meshes(joints: &[Joint]) -> Vec<Mesh> {
    let limb = |a: [f64; 3], b: [f64; 3], radii, squash| {
        Surface::limb(DVec3::from_array(a), DVec3::from_array(b), radii, squash, 11, 8)
    };
    let surfaces = [
        limb([0.0, 0.04, 0.0], [0.0, 0.84, 0.0], (0.34, 0.22), 0.8),
        limb([0.0, 0.92, 0.0], [0.0, 1.42, 0.0], (0.2, 0.25), 0.7),
        limb([0.0, 1.5, 0.0], [0.0, 1.82, 0.0], (0.11, 0.12), 0.95),
        limb([0.46, 1.38, 0.0], [0.62, 0.78, 0.14], (0.075, 0.055), 1.0),
        limb([-0.46, 1.38, 0.0], [-0.58, 0.8, 0.2], (0.075, 0.055), 1.0),
    ];
    let mesh = |(surface, number): (Surface, u32)| {
        let (middle, _) = surface.extent();
        let mut near: Vec<usize> = (0..LARGEST).collect();
        near.sort_by(|a, b| {
            let distance = |j: usize| middle.distance_squared(joints[j].at);
            distance(*a).total_cmp(&distance(*b)).then(a.cmp(b))
        });
        near.truncate(12);
        if number == 2 {
            near.push(LARGEST);
        }
        Mesh::skinned(SOLDIER, number, surface, joints, &near, || 255)
    };
    surfaces.into_iter().zip(0..).map(mesh).collect()
}

/// The palette `back` frames before a moment: the first 256 joints.
pub(crate) fn palette_at(joints: &[Joint], moment: &Moment, back: f64) -> Vec<u8> {
    let frame = f64::from(moment.clock) - back;
    let pose: Vec<_> = (0..joints.len())
        .map(|i| {
            let turn = sin_cos(frame / 70.0 + i as f64 * 0.017).0;
            let stretch = 1.0 + 0.003 * sin_cos(frame / 80.0 + i as f64 * 0.03).0;
            JointPose { rotation: rotation(DVec3::X, 0.002 * turn), scale: dvec3(1.0, stretch, 1.0) }
        })
        .collect();
    let stride = 0.003 * sin_cos(frame / 40.0).0;
    let stand = Map::new(rotation(DVec3::Y, 0.86 + stride), place(8.6, 0.2 + 2.0 * stride, -2.5));
    let mut palette = palette(&skinning_maps(joints, &pose, stand));
    palette.truncate(Affine::PALETTE);
    write_all(&palette)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::mesh::SKIN_STRIDE;

    #[test]
    fn the_largest_joint_in_use_is_the_documents() {
        let joints = joints();
        let meshes = meshes(&joints);
        let vertices = meshes.iter().flat_map(|m| m.second.chunks_exact(SKIN_STRIDE as usize));
        let used = vertices.flat_map(|v| (0..4).filter(|k| v[4 + k] > 0).map(|k| usize::from(v[k])));
        assert_eq!((joints.len(), used.max()), (NODES, Some(LARGEST)));
    }
}
