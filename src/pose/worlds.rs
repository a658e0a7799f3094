//! Node worlds under both rules.

use glam::{DAffine3, DQuat, DVec3};

use crate::formats::flver::Node;
use crate::formats::flver::hierarchy::{Hierarchy, index};

/// How a node's world comes from its parent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The full affine product: a scale reaches everything below.
    Full,
    /// The community importer's: translation is the parent's plus the parent's rotation, free of scale, of the local
    /// one, and a node's own scale reaches only what it carries.
    Importer,
}

impl Rule {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Full, Self::Importer];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full product",
            Self::Importer => "importer's rule",
        }
    }
}

fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

/// The rotation of a node: about X, then Z, then Y.
fn rotation(node: &Node) -> DQuat {
    let [x, y, z] = node.rotation.map(f64::from);
    DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x)
}

/// A node's local map: in row-vector notation Scale * RotationX * RotationZ * RotationY * Translation (claim
/// `local-transform`).
pub fn local(node: &Node) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(vector(node.scale), rotation(node), vector(node.translation))
}

/// World maps of every node under both rules; `None` at and below a broken parent link.
#[derive(Clone, Debug)]
pub struct Worlds {
    full: Vec<Option<DAffine3>>,
    importer: Vec<Option<DAffine3>>,
    importer_unscaled: Vec<Option<DAffine3>>,
    scaled_ancestor: Vec<bool>,
}

impl Worlds {
    /// Composes the worlds of `nodes`.
    pub fn of(nodes: &[Node], hierarchy: &Hierarchy) -> Self {
        let none = vec![None; nodes.len()];
        let mut worlds = Self {
            full: none.clone(),
            importer: none.clone(),
            importer_unscaled: none,
            scaled_ancestor: vec![false; nodes.len()],
        };
        for i in hierarchy.order.iter().map(|i| *i as usize) {
            if let Some(node) = nodes.get(i) {
                worlds.place(nodes, i, node);
            }
        }
        worlds
    }

    fn place(&mut self, nodes: &[Node], i: usize, node: &Node) {
        let parent = index(node.parent);
        let up = |maps: &[Option<DAffine3>]| match parent {
            Some(parent) => maps.get(parent).copied().flatten(),
            None => Some(DAffine3::IDENTITY),
        };
        let full = up(&self.full).map(|parent| parent * local(node));
        // Without scale the importer's frame is a rotation and a translation, so that composing it is his rule.
        let frame = DAffine3::from_rotation_translation(rotation(node), vector(node.translation));
        let unscaled = up(&self.importer_unscaled).map(|parent| parent * frame);
        let carried = unscaled.map(|frame| frame * DAffine3::from_scale(vector(node.scale)));
        let scaled_ancestor = parent.is_some_and(|parent| {
            nodes.get(parent).is_some_and(Node::is_scaled)
                || self.scaled_ancestor.get(parent).copied().unwrap_or(false)
        });
        for (maps, map) in
            [(&mut self.full, full), (&mut self.importer, carried), (&mut self.importer_unscaled, unscaled)]
        {
            if let Some(place) = maps.get_mut(i) {
                *place = map;
            }
        }
        if let Some(place) = self.scaled_ancestor.get_mut(i) {
            *place = scaled_ancestor;
        }
    }

    /// A node's world under a rule: what it carries goes through this.
    pub fn world(&self, node: usize, rule: Rule) -> Option<&DAffine3> {
        let maps = match rule {
            Rule::Full => &self.full,
            Rule::Importer => &self.importer,
        };
        maps.get(node)?.as_ref()
    }

    /// A node's world under the importer's rule without the node's own scale: the documents read this rule both ways for
    /// dummies.
    pub fn importer_unscaled(&self, node: usize) -> Option<&DAffine3> {
        self.importer_unscaled.get(node)?.as_ref()
    }

    /// Whether a strict ancestor is scaled, so that the two rules differ.
    pub fn has_scaled_ancestor(&self, node: usize) -> bool {
        self.scaled_ancestor.get(node).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn node(parent: i16, translation: [f32; 3], rotation: [f32; 3], scale: [f32; 3]) -> Node {
        Node {
            translation,
            name_offset: 0,
            rotation,
            parent,
            first_child: -1,
            scale,
            next_sibling: -1,
            previous_sibling: -1,
            min: [0.0; 3],
            flags: 0,
            max: [0.0; 3],
            reserved: [0; 52],
        }
    }

    fn worlds(nodes: &[Node]) -> Worlds {
        Worlds::of(nodes, &Hierarchy::of(nodes))
    }

    #[test]
    fn the_local_map_scales_then_turns_about_x_z_y_then_moves() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let map = local(&node(-1, [10.0, 0.0, 0.0], [quarter, quarter, quarter], [2.0, 1.0, 1.0]));
        // (1, 0, 0) scaled to (2, 0, 0); X leaves it, Z takes it to (0, 2, 0), Y leaves it.
        let p = map.transform_point3(DVec3::X);
        assert!((p - DVec3::new(10.0, 2.0, 0.0)).length() < 1e-6, "{p}");
        // (0, 1, 0): X takes it to (0, 0, 1), Z leaves it, Y takes it to (1, 0, 0).
        let p = map.transform_point3(DVec3::Y);
        assert!((p - DVec3::new(11.0, 0.0, 0.0)).length() < 1e-6, "{p}");
    }

    #[test]
    fn the_rules_differ_below_a_scaled_ancestor_only() {
        let nodes = [node(-1, [0.0; 3], [0.0; 3], [1.25; 3]), node(0, [0.0, 1.0, 0.0], [0.0; 3], [0.8; 3])];
        let worlds = worlds(&nodes);
        let at = |i, rule| worlds.world(i, rule).unwrap().transform_point3(DVec3::Y);
        assert_eq!(at(0, Rule::Full), at(0, Rule::Importer));
        assert!((at(1, Rule::Full).y - 2.25).abs() < 1e-6);
        assert!((at(1, Rule::Importer).y - 1.8).abs() < 1e-6);
        assert!(!worlds.has_scaled_ancestor(0) && worlds.has_scaled_ancestor(1));
    }

    #[test]
    fn nodes_at_and_below_a_broken_link_have_no_world() {
        let nodes = [
            node(1, [0.0; 3], [0.0; 3], [1.0; 3]),
            node(0, [0.0; 3], [0.0; 3], [1.0; 3]),
            node(1, [0.0; 3], [0.0; 3], [1.0; 3]),
            node(99, [0.0; 3], [0.0; 3], [1.0; 3]),
            node(-1, [0.0; 3], [0.0; 3], [0.0, 1.0, 1.0]),
        ];
        let worlds = worlds(&nodes);
        let placed: Vec<bool> = (0..5).map(|i| worlds.world(i, Rule::Full).is_some()).collect();
        assert_eq!(placed, [false, false, false, false, true]);
    }
}
