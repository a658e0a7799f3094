//! Procedural surfaces: smooth, of well-shaped triangles, and the same on every machine.
//!
//! Every surface is a grid of rows and columns, closed into itself or open, with at most a pole at either end. Triangles
//! turn right-handed about the outward normal.

use glam::DVec3;

use super::angle::sin_cos;

/// A surface in model space.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// The vertices: the grid row by row, then the poles.
    pub(crate) points: Vec<DVec3>,
    /// The triangles.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// One band of vertices between each two rows, for strips; a pole's fan is not in it.
    bands: Vec<Vec<u32>>,
    poles: usize,
}

impl Surface {
    /// A grid of `columns x rows` vertices; `at(u, v)` places them, both in 0..=1. `around` joins the last column to the
    /// first, `along` the last row to the first.
    fn grid(columns: usize, rows: usize, around: bool, along: bool, at: impl Fn(f64, f64) -> DVec3) -> Self {
        let fraction =
            |i: usize, n: usize, closed: bool| i as f64 / if closed { n as f64 } else { (n - 1) as f64 };
        let points = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (column, row)))
            .map(|(column, row)| at(fraction(column, columns, around), fraction(row, rows, along)))
            .collect();
        let vertex = |column: usize, row: usize| (row % rows * columns + column % columns) as u32;
        let steps = |n: usize, closed: bool| if closed { n } else { n - 1 };
        let (mut triangles, mut bands) = (Vec::new(), Vec::new());
        for row in 0..steps(rows, along) {
            for column in 0..steps(columns, around) {
                let [a, b] = [vertex(column, row), vertex(column + 1, row)];
                let [c, d] = [vertex(column, row + 1), vertex(column + 1, row + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
            let columns = 0..=steps(columns, around);
            bands.push(columns.flat_map(|column| [vertex(column, row + 1), vertex(column, row)]).collect());
        }
        Self { points, triangles, bands, poles: 0 }
    }

    fn pole(&mut self, at: DVec3, rim: std::ops::Range<u32>, outward: bool) {
        let pole = self.points.len() as u32;
        self.points.push(at);
        self.poles += 1;
        for i in rim.clone() {
            let next = if i + 1 == rim.end { rim.start } else { i + 1 };
            self.triangles.push(if outward { [i, next, pole] } else { [next, i, pole] });
        }
    }

    /// A rounded body from `a` to `b` with a radius at each end; `squash` is its depth over its width.
    pub(crate) fn limb(
        a: DVec3,
        b: DVec3,
        radii: (f64, f64),
        squash: f64,
        sides: usize,
        rings: usize,
    ) -> Self {
        let axis = b - a;
        let (across, deep) = frame(axis.normalize());
        let ring = |u: f64, height: f64| {
            let (sin, cos) = sin_cos(u);
            // A superellipse of degree four: a barrel whose ends are round without a crease.
            let bulge = (1.0 - height * height * height * height).sqrt();
            let radius = bulge * (radii.0 + (radii.1 - radii.0) * (height + 1.0) / 2.0);
            a + axis * ((height + 1.0) / 2.0) + (across * cos + deep * (sin * squash)) * radius
        };
        // Rows are denser towards the ends, where the profile turns.
        let height = |v: f64| {
            let s = (v * (rings - 1) as f64 + 1.0) / (rings + 1) as f64;
            -sin_cos(s / 2.0).1
        };
        let mut surface = Self::grid(sides, rings, true, false, |u, v| ring(u, height(v)));
        let last = ((rings - 1) * sides) as u32;
        surface.pole(a, 0..sides as u32, false);
        surface.pole(b, last..last + sides as u32, true);
        surface
    }

    /// A torus about a vertical axis.
    pub(crate) fn ring(centre: DVec3, major: f64, minor: f64, around: usize, across: usize) -> Self {
        Self::grid(around, across, true, true, |u, v| {
            let ((sin, cos), (high, wide)) = (sin_cos(u), sin_cos(v));
            let radius = major + minor * wide;
            centre + DVec3::new(radius * cos, minor * high, -radius * sin)
        })
    }

    /// A cap of a sphere about the upward axis, from `reach` turns off it to the pole.
    pub(crate) fn dome(centre: DVec3, radius: f64, reach: f64, sides: usize, rings: usize) -> Self {
        let mut surface = Self::grid(sides, rings, true, false, |u, v| {
            let (sin, cos) = sin_cos(u);
            let (wide, high) = sin_cos(reach * (1.0 - v * (rings - 1) as f64 / rings as f64));
            centre + DVec3::new(wide * cos, high, -wide * sin) * radius
        });
        let last = ((rings - 1) * sides) as u32;
        surface.pole(centre + DVec3::Y * radius, last..last + sides as u32, true);
        surface
    }

    /// An open sheet of `columns x rows` vertices; `at(u, v)` places them.
    pub(crate) fn sheet(columns: usize, rows: usize, at: impl Fn(f64, f64) -> DVec3) -> Self {
        Self::grid(columns, rows, false, false, at)
    }

    /// Triangles in no order, which no strip can hold.
    pub(crate) fn soup(points: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { points, triangles, bands: vec![], poles: 0 }
    }

    /// The bands as one strip with restarts; `None` where that would miss triangles.
    pub(crate) fn strip(&self, restart: u32) -> Option<Vec<u32>> {
        (self.poles == 0 && !self.bands.is_empty()).then(|| self.bands.join(&restart))
    }

    /// The surface's points moved, its triangles kept.
    pub(crate) fn with_points(&self, points: Vec<DVec3>) -> Self {
        Self { points, ..self.clone() }
    }

    /// Unit normals: each vertex's triangles' weighed by area.
    pub(crate) fn normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.points[i as usize]);
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|i| normals[*i as usize] += normal);
        }
        normals.into_iter().map(DVec3::normalize_or_zero).collect()
    }

    /// The middle of the box about the points, and half its diagonal.
    pub(crate) fn extent(&self) -> (DVec3, f64) {
        let least = self.points.iter().fold(DVec3::INFINITY, |m, p| m.min(*p));
        let greatest = self.points.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
        ((least + greatest) / 2.0, least.distance(greatest) / 2.0)
    }
}

/// Two unit vectors across a unit axis, the first as near to x as can be; with the axis they are right-handed.
pub(crate) fn frame(axis: DVec3) -> (DVec3, DVec3) {
    let near = if axis.x.abs() < 0.9 { DVec3::X } else { DVec3::Z };
    let across = (near - axis * near.dot(axis)).normalize();
    (across, axis.cross(across))
}

/// A smooth hill: 1 at the centre, 0 from `radius` on.
pub(crate) fn hill(p: DVec3, centre: DVec3, radius: f64) -> f64 {
    let s = (1.0 - p.distance_squared(centre) / (radius * radius)).max(0.0);
    s * s * s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Vec<(&'static str, Surface, bool)> {
        let sheet = |u: f64, v: f64| DVec3::new(u, v, 0.1 * u * v);
        vec![
            ("limb", Surface::limb(DVec3::ZERO, DVec3::Y, (0.2, 0.1), 0.6, 12, 9), true),
            ("ring", Surface::ring(DVec3::Y, 0.3, 0.1, 14, 8), true),
            ("dome", Surface::dome(DVec3::Y, 0.3, 0.2, 12, 6), false),
            ("sheet", Surface::sheet(3, 19, sheet), false),
        ]
    }

    /// Sum of signed tetrahedron volumes: the enclosed volume where the triangles of a closed surface face outward.
    fn volume(surface: &Surface) -> f64 {
        let corners = surface.triangles.iter().map(|t| t.map(|i| surface.points[i as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn closed_surfaces_have_every_edge_twice_and_face_outward() {
        for (name, surface, closed) in shapes() {
            let edges = surface.triangles.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
            let directed: std::collections::BTreeSet<_> = edges.clone().collect();
            assert_eq!(directed.len(), edges.count(), "{name}: an edge runs twice the same way");
            if closed {
                assert!(directed.iter().all(|(a, b)| directed.contains(&(*b, *a))), "{name} is open");
                assert!(volume(&surface) > 0.0, "{name} is inside out");
            }
        }
    }

    #[test]
    fn every_vertex_is_used_and_no_triangle_is_a_sliver() {
        for (name, surface, _) in shapes() {
            let mut used = vec![false; surface.points.len()];
            for triangle in &surface.triangles {
                triangle.iter().for_each(|i| used[*i as usize] = true);
                let [a, b, c] = triangle.map(|i| surface.points[i as usize]);
                let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
                let height = (b - a).cross(c - a).length() / longest;
                assert!(height / longest > 0.05, "{name}: {triangle:?}");
            }
            assert!(used.iter().all(|u| *u), "{name}");
        }
    }

    #[test]
    fn a_strip_holds_the_triangles_of_the_list() {
        let (_, surface, _) = &shapes()[3];
        let strip = surface.strip(0xFFFF).unwrap();
        let mut triangles = Vec::new();
        for band in strip.split(|i| *i == 0xFFFF) {
            for (n, t) in band.windows(3).enumerate() {
                triangles.push(if n % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
        let turned = |t: &[u32; 3]| {
            let least = (0..3).min_by_key(|i| t[*i]).unwrap();
            [t[least], t[(least + 1) % 3], t[(least + 2) % 3]]
        };
        let sorted = |list: &[[u32; 3]]| list.iter().map(turned).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(sorted(&triangles), sorted(&surface.triangles));
        assert!(shapes()[0].1.strip(0xFFFF).is_none(), "a limb's poles are fans");
    }

    #[test]
    fn normals_of_a_limb_point_away_from_its_axis() {
        let (_, limb, _) = &shapes()[0];
        let outward = limb.normals().iter().zip(&limb.points).take(12 * 9).all(|(n, p)| {
            let away = DVec3::new(p.x, 0.0, p.z);
            n.dot(away) > 0.0
        });
        assert!(outward);
    }
}
