//! Where clip space lands on the screen.

use glam::DVec4;

use super::clip::{Corner, DEPTH, Plane};
use super::shaders::MOST_ATTRIBUTES;

/// Sub-pixel steps of a pixel: eight bits.
pub(super) const STEPS: i64 = 256;
/// Farthest window coordinate, in pixels, that a clipped corner may have: 2^21 pixels are 2^29 steps, so that edge
/// functions, sums of two products of differences, stay below 2^62.
const FARTHEST: f64 = (1 << 21) as f64;
/// Farthest side of a viewport, in pixels (`D3D11_VIEWPORT_BOUNDS_MAX` and 1). Nothing is drawn in another.
const FARTHEST_SIDE: f64 = 32_768.0;

/// A rectangle of pixels, its right and bottom side outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) right: i64,
    pub(super) bottom: i64,
}

impl Rect {
    pub(super) const EMPTY: Self = Self { left: 0, top: 0, right: 0, bottom: 0 };

    pub(super) fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

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
    /// What is clipped to: depth, and the guard band.
    pub(super) planes: [Plane; 6],
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
        let sides = [x, y, x + width, y + height];
        let possible = width >= 0.0 && height >= 0.0 && sides.iter().all(|s| s.abs() <= FARTHEST_SIDE);
        // The first pixel whose centre is not before a coordinate.
        let [left, top, right, bottom] = sides.map(|at| (at - 0.5).ceil() as i64);
        Self {
            half,
            centre,
            near,
            far,
            planes: [near_plane, far_plane, side(0, 1.0), side(0, -1.0), side(1, 1.0), side(1, -1.0)],
            pixels: if possible { Rect { left, top, right, bottom } } else { Rect::EMPTY },
        }
    }

    /// Where a corner with `w > 0` lies on the screen.
    pub(super) fn project(&self, corner: &Corner) -> Projected {
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
pub(super) struct Projected {
    /// In pixels from the top left.
    pub(super) position: [f64; 2],
    /// The same, rounded to 1/256 pixel, in such steps.
    pub(super) snapped: [i64; 2],
    /// Inside the viewport's range.
    pub(super) depth: f64,
    /// 1 / w, which is linear on the screen.
    pub(super) inverse_w: f64,
    /// Vertex outputs, as the corner has them.
    pub(super) attributes: [f64; MOST_ATTRIBUTES],
}
