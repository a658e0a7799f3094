//! Clipping in homogeneous space.
//!
//! Direct3D's volume is `-w <= x, y <= w` and `0 <= z <= w`. Depth is clipped here exactly. Of x and y only what lies
//! absurdly far outside the viewport is (a guard band), so that window positions stay exact integers; the viewport's
//! own sides are cut by the pixels the rasteriser visits, which is the same picture and keeps shared edges exact.

use glam::DVec4;

use super::shaders::MOST_ATTRIBUTES;

/// A corner of a triangle or of what is left of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    pub(super) clip: DVec4,
    pub(super) attributes: [f64; MOST_ATTRIBUTES],
}

/// A half space: a corner is inside where the dot product is not negative.
pub(super) type Plane = DVec4;

/// Near and far: `z >= 0` and `z <= w`. Together they leave nothing with `w < 0`.
pub(super) const DEPTH: [Plane; 2] = [DVec4::new(0.0, 0.0, 1.0, 0.0), DVec4::new(0.0, 0.0, -1.0, 1.0)];

/// Three corners and one more for each of at most six planes.
const MOST: usize = 9;

/// A convex polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    corners: [Corner; MOST],
    len: usize,
}

impl Polygon {
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.len) {
            *place = corner;
            self.len += 1;
        }
    }

    const EMPTY: Self =
        Self { corners: [Corner { clip: DVec4::ZERO, attributes: [0.0; MOST_ATTRIBUTES] }; MOST], len: 0 };
}

/// What of a triangle lies inside all planes (at most six); fewer than three corners is nothing. A position that is
/// no number, or infinite, leaves nothing.
pub(super) fn clip(triangle: &[Corner; 3], planes: &[Plane; 6]) -> Polygon {
    let mut polygon = Polygon::EMPTY;
    if triangle.iter().any(|c| !c.clip.is_finite()) {
        return polygon;
    }
    triangle.iter().for_each(|c| polygon.push(*c));
    for plane in planes {
        if polygon.corners().iter().all(|c| plane.dot(c.clip) >= 0.0) {
            continue;
        }
        let mut kept = Polygon::EMPTY;
        for (i, &b) in polygon.corners().iter().enumerate() {
            let a = polygon.corners[(i + polygon.len - 1) % polygon.len];
            let (da, db) = (plane.dot(a.clip), plane.dot(b.clip));
            match (da >= 0.0, db >= 0.0) {
                (true, true) => kept.push(b),
                (true, false) => kept.push(cut(&a, &b, da, db)),
                (false, true) => {
                    kept.push(cut(&b, &a, db, da));
                    kept.push(b);
                }
                (false, false) => {}
            }
        }
        polygon = kept;
    }
    polygon
}

/// Where the edge from a corner inside to one outside meets the plane. Always computed from the inside, so that two
/// triangles that share the edge get the same corner.
fn cut(inside: &Corner, outside: &Corner, d_inside: f64, d_outside: f64) -> Corner {
    let t = d_inside / (d_inside - d_outside);
    let mut corner = Corner { clip: inside.clip.lerp(outside.clip, t), ..*inside };
    for (to, from) in corner.attributes.iter_mut().zip(outside.attributes) {
        *to += (from - *to) * t;
    }
    corner
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Plane; 6] = [
        DEPTH[0],
        DEPTH[1],
        DVec4::new(1.0, 0.0, 0.0, 4.0),
        DVec4::new(-1.0, 0.0, 0.0, 4.0),
        DVec4::new(0.0, 1.0, 0.0, 4.0),
        DVec4::new(0.0, -1.0, 0.0, 4.0),
    ];

    fn corner(x: f64, y: f64, z: f64, w: f64) -> Corner {
        let mut attributes = [0.0; MOST_ATTRIBUTES];
        attributes[0] = x;
        Corner { clip: DVec4::new(x, y, z, w), attributes }
    }

    fn clipped(corners: [[f64; 4]; 3]) -> Vec<Corner> {
        let triangle = corners.map(|[x, y, z, w]| corner(x, y, z, w));
        clip(&triangle, &ALL).corners().to_vec()
    }

    #[test]
    fn a_triangle_inside_stays_as_it_is() {
        let inside = clipped([[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]]);
        assert_eq!(inside.len(), 3);
        assert_eq!(inside[1].clip, DVec4::new(1.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn corners_behind_the_eye_are_cut_off_at_the_near_plane() {
        // One corner behind: a quad; two: a smaller triangle. Nothing left has w <= 0.
        let one = clipped([[-1.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, -1.5, -1.0]]);
        assert_eq!(one.len(), 4);
        let two = clipped([[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, -1.5, -1.0], [0.0, 1.0, -1.5, -1.0]]);
        assert_eq!(two.len(), 3);
        for c in one.iter().chain(&two) {
            assert!(c.clip.w > 0.0 && c.clip.z >= 0.0 && c.clip.z <= c.clip.w, "{c:?}");
            assert!((c.attributes[0] - c.clip.x).abs() < 1e-15, "attributes are cut like positions: {c:?}");
        }
        assert_eq!(two[0].clip, DVec4::new(0.0, 0.25, 0.0, 0.5));
        assert!(clipped([[0.0, 0.0, -1.0, -1.0], [1.0, 0.0, -1.0, -1.0], [0.0, 1.0, -2.0, -1.0]]).is_empty());
    }

    #[test]
    fn what_lies_beyond_the_far_plane_is_cut_off() {
        let c = clipped([[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 1.0], [1.0, 0.0, 2.0, 1.0]]);
        assert_eq!(c.len(), 3);
        assert!(c.iter().all(|c| c.clip.z <= 1.0));
    }

    #[test]
    fn two_triangles_get_the_same_corner_on_a_shared_edge() {
        let (a, b) = ([0.1, 0.7, 0.3, 1.0], [0.9, -0.3, -0.11, 0.7]);
        let first = clipped([a, b, [0.5, 0.5, 0.5, 1.0]]);
        let second = clipped([b, a, [-0.5, -0.5, 0.5, 1.0]]);
        let shared = first.iter().filter(|c| second.iter().any(|d| d.clip == c.clip)).count();
        assert_eq!(shared, 2);
    }

    #[test]
    fn a_position_that_is_no_number_drops_the_triangle() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(clipped([[bad, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]]).is_empty());
            assert!(clipped([[0.0, 0.0, 0.5, bad], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]]).is_empty());
        }
    }

    #[test]
    fn a_triangle_across_every_plane_keeps_all_its_corners() {
        let c = clipped([[-90.0, -80.0, -3.0, 1.0], [90.0, -70.0, 0.5, 1.0], [3.0, 90.0, 4.0, 1.0]]);
        assert!((3..=9).contains(&c.len()));
        assert!(c.iter().all(|c| ALL.iter().all(|p| p.dot(c.clip) >= -1e-9)));
    }
}
