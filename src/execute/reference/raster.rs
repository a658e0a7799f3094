//! Triangles to pixels.
//!
//! Positions are snapped to 1/256 pixel and covered pixels found with exact integer edge functions and the top-left
//! rule (Direct3D 11.3 functional specification, 3.4.1): two triangles that share an edge cover each pixel of it
//! once. Depth and attributes are interpolated from the positions before snapping: recordings of a GPU program on
//! lavapipe agree with that about ten times closer in depth than with interpolation from snapped ones.

use super::clip::{Corner, clip};
use super::shaders::MOST_ATTRIBUTES;
use super::viewport::{Projected, Rect, STEPS, Viewport};
use crate::abi::state::{Cull, Front};

/// A covered pixel.
pub(super) struct Fragment<'t> {
    pub(super) x: usize,
    pub(super) y: usize,
    /// In f32, as the test and the image take it, and inside the viewport's range.
    pub(super) depth: f32,
    triangle: &'t Triangle,
    share: [f64; 2],
}

impl Fragment<'_> {
    /// The vertex outputs at the pixel's centre, interpolated with perspective.
    pub(super) fn attributes(&self) -> [f64; MOST_ATTRIBUTES] {
        let corners = &self.triangle.corners;
        let [second, third] = self.share;
        let shares = [1.0 - second - third, second, third];
        let weights = [0, 1, 2].map(|i| shares[i] * corners[i].inverse_w);
        let sum: f64 = weights.iter().sum();
        std::array::from_fn(|a| (0..3).map(|i| weights[i] * corners[i].attributes[a]).sum::<f64>() / sum)
    }
}

/// Which faces are drawn, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rasteriser {
    pub(super) viewport: Viewport,
    /// Pixels that may be drawn to: the image, the viewport and the scissor together.
    pub(super) bounds: Rect,
    pub(super) cull: Cull,
    pub(super) front: Front,
}

impl Rasteriser {
    /// Hands every covered pixel of a triangle to `shade`, row by row.
    pub(super) fn draw(&self, triangle: &[Corner; 3], shade: &mut impl FnMut(&Fragment)) {
        let polygon = clip(triangle, &self.viewport.planes);
        let [first, rest @ ..] = polygon.corners() else { return };
        let first = self.viewport.project(first);
        for pair in rest.windows(2) {
            let [b, c] = [0, 1].map(|i| self.viewport.project(&pair[i]));
            if let Some(triangle) = Triangle::new([first, b, c], self.cull, self.front) {
                self.scan(&triangle, shade);
            }
        }
    }

    fn scan(&self, triangle: &Triangle, shade: &mut impl FnMut(&Fragment)) {
        let area = self.bounds.intersection(triangle.pixels());
        if area.is_empty() {
            return;
        }
        for y in area.top..area.bottom {
            let mut edges = triangle.edges_at(area.left, y);
            for x in area.left..area.right {
                // No edge function is negative exactly where none has its sign bit set.
                if edges[0] | edges[1] | edges[2] >= 0 {
                    let share = triangle.share(x, y);
                    let depth = triangle.depth(share) as f32;
                    let (near, far) = (self.viewport.near as f32, self.viewport.far as f32);
                    let depth = depth.max(near.min(far)).min(far.max(near));
                    shade(&Fragment { x: x as usize, y: y as usize, depth, triangle, share });
                }
                for (edge, step) in edges.iter_mut().zip(triangle.steps) {
                    *edge += step;
                }
            }
        }
    }
}

/// A triangle on the screen, clockwise.
struct Triangle {
    corners: [Projected; 3],
    /// What each edge function grows by from one pixel to the next on its right.
    steps: [i64; 3],
    /// Twice the area spanned by the positions that are interpolated from.
    area: f64,
}

impl Triangle {
    /// `None` for a triangle without area, for a culled one, and where a corner lies in the eye itself.
    fn new(mut corners: [Projected; 3], cull: Cull, front: Front) -> Option<Self> {
        let [a, b, c] = corners.map(|c| c.snapped);
        // With y downwards a positive area is clockwise.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let is_front = (area > 0) == (front == Front::Cw);
        let culled = match cull {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        };
        if area == 0 || culled {
            return None;
        }
        if area < 0 {
            corners.swap(1, 2);
        }
        let exact = twice_area(&corners);
        if !exact.is_finite() {
            return None;
        }
        // A sliver's area before snapping can be anything, also none: then the snapped positions must do.
        let snapped_area = area.unsigned_abs() as f64 / (STEPS * STEPS) as f64;
        if exact <= 0.5 * snapped_area {
            for corner in &mut corners {
                corner.position = corner.snapped.map(|s| s as f64 / STEPS as f64);
            }
        }
        let area = twice_area(&corners);
        let mut triangle = Self { corners, steps: [0; 3], area };
        triangle.steps = [0, 1, 2].map(|i| {
            let (from, to) = triangle.edge(i);
            (from[1] - to[1]) * STEPS
        });
        Some(triangle)
    }

    /// The ends of the edge opposite to a corner.
    fn edge(&self, opposite: usize) -> ([i64; 2], [i64; 2]) {
        (self.corners[(opposite + 1) % 3].snapped, self.corners[(opposite + 2) % 3].snapped)
    }

    /// Pixels whose centres can lie inside.
    fn pixels(&self) -> Rect {
        let axis = |i: usize| {
            let [a, b, c] = [0, 1, 2].map(|corner: usize| self.corners[corner].snapped[i]);
            (a.min(b).min(c), a.max(b).max(c))
        };
        let ((left, right), (top, bottom)) = (axis(0), axis(1));
        // The first pixel whose centre is not before a step, and the first whose centre is after one.
        let from = |step: i64| (step + STEPS / 2 - 1).div_euclid(STEPS);
        let to = |step: i64| (step - STEPS / 2).div_euclid(STEPS) + 1;
        Rect { left: from(left), top: from(top), right: to(right), bottom: to(bottom) }
    }

    /// The edge functions at a pixel's centre; none is negative exactly where the pixel is covered.
    fn edges_at(&self, x: i64, y: i64) -> [i64; 3] {
        let centre = [x * STEPS + STEPS / 2, y * STEPS + STEPS / 2];
        [0, 1, 2].map(|i| {
            let (from, to) = self.edge(i);
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            // Clockwise, an upward edge is a left one, and a level one that goes right is a top one.
            let owns_its_pixels = dy < 0 || (dy == 0 && dx > 0);
            dx * (centre[1] - from[1]) - dy * (centre[0] - from[0]) - i64::from(!owns_its_pixels)
        })
    }

    /// Shares of the second and third corner at a pixel's centre; a centre just outside the unsnapped triangle
    /// has one below 0.
    fn share(&self, x: i64, y: i64) -> [f64; 2] {
        let [a, b, c] = self.corners.each_ref().map(|c| c.position);
        let (px, py) = (x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]);
        [
            (px * (c[1] - a[1]) - py * (c[0] - a[0])) / self.area,
            (py * (b[0] - a[0]) - px * (b[1] - a[1])) / self.area,
        ]
    }

    fn depth(&self, [second, third]: [f64; 2]) -> f64 {
        let [a, b, c] = self.corners.each_ref().map(|c| c.depth);
        a + second * (b - a) + third * (c - a)
    }
}

fn twice_area(corners: &[Projected; 3]) -> f64 {
    let [a, b, c] = corners.each_ref().map(|c| c.position);
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec4;

    const SIZE: i64 = 16;

    fn rasteriser(viewport: [f32; 6]) -> Rasteriser {
        let viewport = Viewport::new(viewport);
        let image = Rect { left: 0, top: 0, right: SIZE, bottom: SIZE };
        let bounds = image.intersection(viewport.pixels);
        Rasteriser { viewport, bounds, cull: Cull::None, front: Front::Cw }
    }

    fn whole() -> Rasteriser {
        rasteriser([0.0, 0.0, SIZE as f32, SIZE as f32, 0.0, 1.0])
    }

    /// A corner at a pixel position of the whole image, with the given w and depth, and its x as an attribute.
    fn at(x: f64, y: f64, w: f64, depth: f64) -> Corner {
        let half = SIZE as f64 / 2.0;
        let clip = DVec4::new((x / half - 1.0) * w, (1.0 - y / half) * w, depth * w, w);
        let mut attributes = [0.0; MOST_ATTRIBUTES];
        attributes[0] = x;
        Corner { clip, attributes }
    }

    fn flat(points: [[f64; 2]; 3]) -> [Corner; 3] {
        points.map(|[x, y]| at(x, y, 1.0, 0.5))
    }

    /// How often each pixel is covered.
    fn coverage(rasteriser: &Rasteriser, triangles: &[[Corner; 3]]) -> Vec<u32> {
        let mut counts = vec![0; (SIZE * SIZE) as usize];
        for triangle in triangles {
            rasteriser.draw(triangle, &mut |f| counts[f.y * SIZE as usize + f.x] += 1);
        }
        counts
    }

    fn covered(rasteriser: &Rasteriser, triangle: [Corner; 3]) -> Vec<(usize, usize)> {
        let mut pixels = Vec::new();
        rasteriser.draw(&triangle, &mut |f| pixels.push((f.x, f.y)));
        pixels
    }

    #[test]
    fn a_pixel_on_an_edge_belongs_to_the_triangle_below_or_right_of_it() {
        // Corners on pixel centres: the top and left sides cover their pixels, the right and bottom ones do not.
        let upper = flat([[1.5, 1.5], [4.5, 1.5], [1.5, 4.5]]);
        assert_eq!(covered(&whole(), upper), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)]);
        let lower = flat([[4.5, 1.5], [4.5, 4.5], [1.5, 4.5]]);
        assert_eq!(covered(&whole(), lower), [(3, 2), (2, 3), (3, 3)].map(|(x, y)| (x, y)));
    }

    #[test]
    fn a_fan_covers_every_pixel_of_its_outline_once_whatever_the_winding() {
        let centre = [7.5, 8.5];
        let rim: Vec<[f64; 2]> = (0..23)
            .map(|i| {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 23.0).sin_cos();
                [8.0 + 40.0 * cos, 8.0 + 40.0 * sin]
            })
            .collect();
        let fan: Vec<_> = (0..rim.len())
            .map(|i| {
                let (a, b) = (rim[i], rim[(i + 1) % rim.len()]);
                flat(if i % 2 == 0 { [centre, a, b] } else { [b, a, centre] })
            })
            .collect();
        assert!(coverage(&whole(), &fan).iter().all(|n| *n == 1));
        // A fan with a triangle missing has a gap.
        assert!(coverage(&whole(), &fan[1..]).contains(&0));
    }

    #[test]
    fn sides_shared_at_odd_positions_are_covered_once() {
        let grid = |i: i64| -1.37 + 2.113 * i as f64;
        let mut triangles = Vec::new();
        for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)]
                .map(|(i, j)| [grid(i) + 0.1 * j as f64, grid(j)]);
            triangles.extend([flat([a, b, c]), flat([d, c, b])]);
        }
        let counts = coverage(&whole(), &triangles);
        assert!(counts.iter().all(|n| *n <= 1));
        assert!(
            counts[(3 * SIZE) as usize..(14 * SIZE) as usize]
                .chunks(SIZE as usize)
                .all(|r| r[1..].iter().all(|n| *n == 1))
        );
    }

    #[test]
    fn culling_goes_by_the_winding_on_the_screen() {
        let clockwise = flat([[2.0, 2.0], [9.0, 2.0], [2.0, 9.0]]);
        for (cull, front, drawn) in [
            (Cull::None, Front::Cw, true),
            (Cull::Back, Front::Cw, true),
            (Cull::Front, Front::Cw, false),
            (Cull::Back, Front::Ccw, false),
            (Cull::Front, Front::Ccw, true),
        ] {
            let rasteriser = Rasteriser { cull, front, ..whole() };
            let [a, b, c] = clockwise;
            assert_eq!(!covered(&rasteriser, [a, b, c]).is_empty(), drawn, "{cull:?} {front:?}");
            let turned = !covered(&rasteriser, [a, c, b]).is_empty();
            assert_eq!(turned, !drawn || cull == Cull::None, "{cull:?} {front:?} turned");
        }
    }

    #[test]
    fn attributes_are_interpolated_with_perspective_and_depth_without() {
        // A floor: w grows from 1 at the top to 4 at the bottom of the triangle.
        let triangle = [at(0.0, 0.0, 1.0, 0.0), at(16.0, 0.0, 1.0, 0.0), at(0.0, 16.0, 4.0, 0.8)];
        let mut corners = triangle;
        for (corner, value) in corners.iter_mut().zip([0.0, 0.0, 1.0]) {
            corner.attributes[1] = value;
        }
        let mut seen = 0;
        whole().draw(&corners, &mut |f| {
            let t = (f.y as f64 + 0.5) / 16.0;
            let expected = (t / 4.0) / ((1.0 - t) + t / 4.0);
            assert!((f.attributes()[1] - expected).abs() < 1e-12, "row {}", f.y);
            assert!((f64::from(f.depth) - 0.8 * t).abs() < 1e-7);
            seen += 1;
        });
        assert_eq!(seen, 120);
    }

    #[test]
    fn the_viewport_moves_scales_and_bounds() {
        let full = [
            DVec4::new(-1.0, 1.0, 0.0, 1.0),
            DVec4::new(3.0, 1.0, 1.0, 1.0),
            DVec4::new(-1.0, -3.0, 1.0, 1.0),
        ]
        .map(|clip| Corner { clip, attributes: [0.0; MOST_ATTRIBUTES] });
        let rasteriser = rasteriser([4.0, 2.0, 8.0, 6.0, 0.25, 0.5]);
        let mut pixels = Vec::new();
        rasteriser.draw(&full, &mut |f| {
            pixels.push((f.x, f.y));
            assert!((0.25..=0.5).contains(&f.depth));
        });
        assert_eq!(pixels.len(), 48);
        assert_eq!((pixels[0], pixels[47]), ((4, 2), (11, 7)));
        for nothing in [
            [0.0, 0.0, -8.0, 8.0, 0.0, 1.0],
            [f32::NAN, 0.0, 8.0, 8.0, 0.0, 1.0],
            [0.0, 0.0, 1e30, 8.0, 0.0, 1.0],
        ] {
            assert!(Viewport::new(nothing).pixels.is_empty());
        }
    }

    #[test]
    fn only_pixels_within_bounds_are_drawn() {
        let scissor = Rect { left: 3, top: 4, right: 6, bottom: 5 };
        let rasteriser = Rasteriser { bounds: scissor, ..whole() };
        let triangle = flat([[-99.0, -99.0], [199.0, -99.0], [-99.0, 199.0]]);
        assert_eq!(covered(&rasteriser, triangle), [(3, 4), (4, 4), (5, 4)]);
    }

    #[test]
    fn a_triangle_through_the_eye_covers_what_lies_before_it() {
        // The ground from the eye to the horizon: one corner behind. It must cover the lower half and nothing above.
        let corner = |x: f64, y: f64, z: f64, w: f64| Corner {
            clip: DVec4::new(x, y, z, w),
            attributes: [0.0; MOST_ATTRIBUTES],
        };
        let ground = [
            corner(-1e6, -1.0, 999.0, 1000.0),
            corner(1e6, -1.0, 999.0, 1000.0),
            corner(0.0, -1.0, -1001.0, -1000.0),
        ];
        let rows: std::collections::BTreeSet<_> =
            covered(&whole(), ground).into_iter().map(|(_, y)| y).collect();
        assert_eq!(rows, (8..16).collect());
    }

    #[test]
    fn triangles_without_area_or_with_positions_that_are_no_numbers_cover_nothing() {
        for triangle in [
            flat([[1.0, 1.0], [5.0, 5.0], [9.0, 9.0]]),
            flat([[1.0, 1.0], [1.0, 1.0], [9.0, 3.0]]),
            flat([[f64::NAN, 1.0], [9.0, 1.0], [1.0, 9.0]]),
            [Corner::default(); 3],
        ] {
            assert!(covered(&whole(), triangle).is_empty());
        }
    }

    #[test]
    fn a_sliver_that_only_snapping_gives_an_area_has_depths_between_its_corners() {
        let sliver = [at(0.0, 0.5, 1.0, 0.2), at(16.0, 0.5, 1.0, 0.2), at(8.0, 0.5 + 0.0021, 1.0, 0.9)];
        whole().draw(&sliver, &mut |f| assert!((0.199..=0.901).contains(&f.depth), "{}", f.depth));
        assert!(!covered(&whole(), sliver).is_empty());
    }
}
