//! Triangles to pixels.
//!
//! Positions are snapped to 1/256 pixel and covered pixels found with exact integer edge functions and the top-left
//! rule (Direct3D 11.3 functional specification, 3.4.1): two triangles that share an edge cover each pixel of it
//! once. Depth and attributes are interpolated from the positions before snapping.

use super::clip::{Corner, DEPTH, Plane, clip};
use super::shaders::MOST_ATTRIBUTES;
use crate::abi::state::{Cull, Front};
use glam::DVec4;

/// Sub-pixel steps of a pixel: eight bits.
const STEPS: i64 = 256;
/// Farthest window coordinate, in pixels, that a clipped corner may have: 2^21 pixels are 2^29 steps, so that edge
/// functions, sums of two products of differences, stay below 2^62.
const FARTHEST: f64 = (1 << 21) as f64;

/// A rectangle of pixels, its right and bottom side outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) right: i64,
    pub(super) bottom: i64,
}

impl Rect {
    pub(super) fn intersection(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

/// Where clip space goes: x, y, width, height in pixels from the top left, least and greatest depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewport {
    half: [f64; 2],
    centre: [f64; 2],
    /// Least depth.
    pub(super) near: f64,
    /// Greatest depth.
    pub(super) far: f64,
    planes: [Plane; 6],
    /// Pixels whose centres lie inside.
    pub(super) pixels: Rect,
}

impl Viewport {
    pub(super) fn new(viewport: [f32; 6]) -> Self {
        let [x, y, width, height, near, far] = viewport.map(f64::from);
        let half = [width / 2.0, height / 2.0];
        let centre = [x + half[0], y + half[1]];
        let side = |axis: usize, sign: f64| {
            let mut plane = [0.0, 0.0, 0.0, FARTHEST + sign * centre[axis]];
            plane[axis] = sign * if axis == 1 { -half[axis] } else { half[axis] };
            DVec4::from_array(plane)
        };
        let [near_plane, far_plane] = DEPTH;
        // The first pixel whose centre is not left of a coordinate. Casts saturate, and turn NaN into 0.
        let pixel = |at: f64| (at - 0.5).ceil().clamp(-FARTHEST, FARTHEST) as i64;
        Self {
            half,
            centre,
            near,
            far,
            planes: [near_plane, far_plane, side(0, 1.0), side(0, -1.0), side(1, 1.0), side(1, -1.0)],
            pixels: Rect {
                left: pixel(x),
                top: pixel(y),
                right: pixel(x + width),
                bottom: pixel(y + height),
            },
        }
    }

    fn project(&self, corner: &Corner) -> Projected {
        let [x, y, z, w] = corner.clip.to_array();
        let position = [self.centre[0] + x / w * self.half[0], self.centre[1] - y / w * self.half[1]];
        Projected {
            position,
            snapped: position.map(|p| (p * STEPS as f64).round() as i64),
            depth: self.near + z / w * (self.far - self.near),
            inverse_w: 1.0 / w,
            attributes: corner.attributes,
        }
    }
}

/// A corner on the screen.
#[derive(Clone, Copy, Debug)]
struct Projected {
    position: [f64; 2],
    snapped: [i64; 2],
    depth: f64,
    inverse_w: f64,
    attributes: [f64; MOST_ATTRIBUTES],
}

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
        if area.left >= area.right {
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
