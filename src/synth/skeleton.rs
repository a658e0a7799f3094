//! Skeletons, their poses and the palettes that come of them.

use glam::{DMat3, DVec3};

use crate::abi::records::Affine;

/// A joint of a skeleton; parents come before their children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// The joint it hangs on.
    pub(crate) parent: Option<usize>,
    /// Where it is in model bind space. Bind poses have no rotation.
    pub(crate) at: DVec3,
}

/// How a joint is turned and stretched in a pose, about its own place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointPose {
    /// Rotation.
    pub(crate) rotation: DMat3,
    /// Scale, before the rotation; children inherit it.
    pub(crate) scale: DVec3,
}

impl Default for JointPose {
    fn default() -> Self {
        Self { rotation: DMat3::IDENTITY, scale: DVec3::ONE }
    }
}

/// An affine map: `linear * p + shift`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    /// The 3 x 3 part.
    pub(crate) linear: DMat3,
    /// The translation.
    pub(crate) shift: DVec3,
}

impl Map {
    /// The map of a rotation and a place.
    pub(crate) fn new(linear: DMat3, shift: DVec3) -> Self {
        Self { linear, shift }
    }

    /// The image of a point.
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.linear * p + self.shift
    }

    /// First `inner`, then this.
    fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.point(inner.shift) }
    }

    /// First a shift, then this.
    pub(crate) fn after_shift(&self, shift: DVec3) -> Self {
        Self { linear: self.linear, shift: self.point(shift) }
    }

    /// The record of a buffer.
    pub(crate) fn affine(&self) -> Affine {
        Affine::from_parts(self.linear, self.shift)
    }
}

/// The maps from bind space to the posed world, one a joint: world matrix of the joint times its inverse bind matrix.
pub(crate) fn skinning_maps(joints: &[Joint], pose: &[JointPose], root: Map) -> Vec<Map> {
    let mut worlds: Vec<Map> = Vec::with_capacity(joints.len());
    for (joint, posed) in joints.iter().zip(pose) {
        let (parent, offset) = match joint.parent {
            Some(parent) => (worlds[parent], joint.at - joints[parent].at),
            None => (root, joint.at),
        };
        let local = Map::new(posed.rotation * DMat3::from_diagonal(posed.scale), offset);
        worlds.push(parent.after(&local));
    }
    worlds.iter().zip(joints).map(|(world, joint)| world.after_shift(-joint.at)).collect()
}

/// A palette of 256 records; those past the skeleton are the identity.
pub(crate) fn palette(maps: &[Map]) -> Vec<Affine> {
    let mut palette: Vec<_> = maps.iter().map(Map::affine).collect();
    palette.resize(Affine::PALETTE, Affine::IDENTITY);
    palette
}

/// Indices and weights of a vertex, as bytes: the nearer a joint, the heavier, and the weights sum to `sum` of 255.
pub(crate) fn influences(p: DVec3, joints: &[Joint], candidates: &[usize], sum: u8) -> ([u8; 4], [u8; 4]) {
    let mut near: Vec<(f64, usize)> = candidates
        .iter()
        .map(|j| {
            let square = p.distance_squared(joints[*j].at) + 1e-3;
            (1.0 / (square * square), *j)
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.truncate(4);
    let total: f64 = near.iter().map(|(w, _)| w).sum();
    let (mut indices, mut weights) = ([0; 4], [0; 4]);
    let mut left = sum;
    for (k, (weight, joint)) in near.iter().enumerate().rev() {
        // The heaviest takes what rounding down leaves over.
        let byte = if k == 0 { left } else { ((weight / total * f64::from(sum)) as u8).min(left) };
        left -= byte;
        indices[k] = *joint as u8;
        weights[k] = byte;
    }
    (indices, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::angle::rotation;

    const ARM: [Joint; 2] =
        [Joint { parent: None, at: DVec3::Y }, Joint { parent: Some(0), at: DVec3::new(1.0, 1.0, 0.0) }];

    #[test]
    fn the_bind_pose_moves_nothing_but_by_the_root() {
        let maps = skinning_maps(&ARM, &[JointPose::default(); 2], Map::new(DMat3::IDENTITY, DVec3::Z));
        for map in maps {
            assert_eq!(map.point(DVec3::new(3.0, 4.0, 5.0)), DVec3::new(3.0, 4.0, 6.0));
        }
    }

    #[test]
    fn a_joint_turns_its_children_about_itself() {
        let turn = JointPose { rotation: rotation(DVec3::Z, 0.25), ..JointPose::default() };
        let maps = skinning_maps(&ARM, &[turn, JointPose::default()], Map::new(DMat3::IDENTITY, DVec3::ZERO));
        assert!(maps[1].point(ARM[1].at).distance(DVec3::new(0.0, 2.0, 0.0)) < 1e-12);
    }

    #[test]
    fn weights_sum_to_what_is_asked() {
        for sum in [252, 253, 255] {
            for i in 0..50 {
                let p = DVec3::new(f64::from(i) / 25.0 - 0.5, 1.2, 0.1);
                let (indices, weights) = influences(p, &ARM, &[0, 1], sum);
                assert_eq!(weights.iter().map(|w| u32::from(*w)).sum::<u32>(), u32::from(sum));
                assert!(weights[0] >= weights[1] && indices[0] != indices[1]);
            }
        }
    }
}
