//! Extents of posed vertices, and how far the stored ones are from them.

use glam::{DMat3, DVec3};

use super::vertices::MeshVertices;
use super::worlds::{Rule, Worlds};
use crate::formats::flver::{MeshBox, Model};

/// Least and greatest corner of points, and how many were no numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extents {
    /// Least corner; +infinity before the first point.
    pub min: DVec3,
    /// Greatest corner; -infinity before the first point.
    pub max: DVec3,
    /// Points.
    pub points: u64,
    /// Points with a component that is not finite, and points whose node has no world: not in the corners.
    pub unplaced: u64,
}

impl Default for Extents {
    fn default() -> Self {
        Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY, points: 0, unplaced: 0 }
    }
}

impl Extents {
    /// Takes in a point.
    pub fn add(&mut self, point: Option<DVec3>) {
        match point.filter(|p| p.is_finite()) {
            Some(point) => {
                self.min = self.min.min(point);
                self.max = self.max.max(point);
                self.points += 1;
            }
            None => self.unplaced += 1,
        }
    }

    /// The worst of the six differences to stored corners over the stored diagonal; infinite where a vertex could not
    /// be placed or the stored corners are no numbers. Two equal points make 0.
    pub fn error(&self, min: [f32; 3], max: [f32; 3]) -> f64 {
        let (min, max) = (DVec3::from(min.map(f64::from)), DVec3::from(max.map(f64::from)));
        let worst = (self.min - min).abs().max_element().max((self.max - max).abs().max_element());
        if self.unplaced > 0 || self.points == 0 || !(min.is_finite() && max.is_finite()) || worst.is_nan() {
            f64::INFINITY
        } else if worst == 0.0 {
            0.0
        } else {
            worst / (max - min).length()
        }
    }

    /// The share of the diagonal within which extents count as reproduced: 0.1 %.
    pub const TOLERANCE: f64 = 0.001;
}

/// The extents of all posed vertices of a model under a rule.
pub fn bounds(model: &Model, worlds: &Worlds, rule: Rule) -> Extents {
    let mut extents = Extents::default();
    for mesh in 0..model.meshes.len() {
        let Some(vertices) = MeshVertices::of(model, mesh) else { continue };
        for vertex in (0..vertices.len()).filter_map(|i| vertices.get(i)) {
            extents.add(vertex.posed(worlds, rule));
        }
    }
    extents
}

/// How far a mesh's stored box is from its posed vertices: the worst difference of a face to the outermost vertex, in
/// units of the model. The oriented box of 0x2001A is read as half extents, angles (Z, then X, then Y) and centre.
pub fn mesh_box_error(stored: &MeshBox, points: impl Iterator<Item = DVec3>) -> f64 {
    let mut extents = Extents::default();
    match *stored {
        MeshBox::Corners { min, max } => {
            points.for_each(|point| extents.add(Some(point)));
            difference(&extents, DVec3::from(min.map(f64::from)), DVec3::from(max.map(f64::from)))
        }
        MeshBox::Oriented { half, angles, centre } => {
            let [x, y, z] = angles.map(f64::from);
            let turn = DMat3::from_rotation_y(y) * DMat3::from_rotation_x(x) * DMat3::from_rotation_z(z);
            let centre = DVec3::from(centre.map(f64::from));
            let half = DVec3::from(half.map(f64::from));
            points.for_each(|point| extents.add(Some(turn.transpose() * (point - centre))));
            difference(&extents, -half, half)
        }
    }
}

fn difference(extents: &Extents, min: DVec3, max: DVec3) -> f64 {
    if extents.points == 0 || extents.unplaced > 0 {
        return f64::INFINITY;
    }
    (extents.min - min).abs().max_element().max((extents.max - max).abs().max_element())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(points: &[[f64; 3]]) -> Extents {
        let mut extents = Extents::default();
        points.iter().for_each(|p| extents.add(Some(DVec3::from(*p))));
        extents
    }

    #[test]
    fn the_error_is_the_worst_component_over_the_diagonal() {
        let e = extents(&[[0.0; 3], [3.0, 4.0, 0.0]]);
        assert_eq!(e.error([0.0; 3], [3.0, 4.0, 0.0]), 0.0);
        assert!((e.error([0.0; 3], [3.0, 4.0, 0.5]) - 0.5 / 25.25f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_point_that_is_no_number_is_never_reproduced() {
        let mut e = extents(&[[0.0; 3]]);
        e.add(Some(DVec3::new(f64::NAN, 0.0, 0.0)));
        assert_eq!(e.error([0.0; 3], [0.0; 3]), f64::INFINITY);
        assert_eq!(extents(&[]).error([0.0; 3], [0.0; 3]), f64::INFINITY);
        assert_eq!(extents(&[[1.0; 3]]).error([1.0; 3], [1.0; 3]), 0.0);
        assert_eq!(extents(&[[1.0; 3]]).error([f32::NAN; 3], [1.0; 3]), f64::INFINITY);
    }

    #[test]
    fn an_oriented_box_turns_z_then_x_then_y() {
        let half = [1.0f32, 2.0, 3.0];
        let (angles, centre) = ([0.3f32, -0.7, 1.1], [5.0f32, 6.0, 7.0]);
        let stored = MeshBox::Oriented { half, angles, centre };
        let [x, y, z] = angles.map(f64::from);
        let corners = (0..8).map(|i| {
            let sign = |bit: i32| if i & bit == 0 { -1.0 } else { 1.0 };
            let p = DVec3::new(sign(1), 2.0 * sign(2), 3.0 * sign(4));
            let turned = DMat3::from_rotation_z(z) * p;
            let turned = DMat3::from_rotation_y(y) * (DMat3::from_rotation_x(x) * turned);
            turned + DVec3::new(5.0, 6.0, 7.0)
        });
        assert!(mesh_box_error(&stored, corners.clone()) < 1e-6);
        let other = MeshBox::Oriented { half, angles: [0.3, 1.1, -0.7], centre };
        assert!(mesh_box_error(&other, corners) > 0.1);
    }
}
