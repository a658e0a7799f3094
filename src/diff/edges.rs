//! Where triangle edges run on the screen: a pixel beside one may flip when rounding moves the edge.

use std::collections::BTreeMap;

/// A triangle in pixels, origin top-left.
pub type ScreenTriangle = [[f64; 2]; 3];

/// Side of a bucket in pixels.
const TILE: f64 = 16.0;
/// Edges further than this are of no interest.
const REACH: f64 = 1.0;

/// Edges by the tiles of the screen they come near.
pub struct EdgeMap {
    tiles: BTreeMap<(i64, i64), Vec<[[f64; 2]; 2]>>,
}

impl EdgeMap {
    /// Sorts the edges of triangles into an image of the given size; what lies outside it is dropped.
    pub fn new(triangles: &[ScreenTriangle], width: u32, height: u32) -> Self {
        let mut tiles: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let tile = |v: f64, limit: u32| (v.clamp(0.0, f64::from(limit)) / TILE) as i64;
        for [a, b, c] in triangles {
            for edge in [[*a, *b], [*b, *c], [*c, *a]] {
                let [[x0, y0], [x1, y1]] = edge;
                if !edge.iter().flatten().all(|v| v.is_finite()) {
                    continue;
                }
                let columns = tile(x0.min(x1) - REACH, width)..=tile(x0.max(x1) + REACH, width);
                let rows = tile(y0.min(y1) - REACH, height)..=tile(y0.max(y1) + REACH, height);
                for column in columns {
                    for row in rows.clone() {
                        tiles.entry((column, row)).or_default().push(edge);
                    }
                }
            }
        }
        Self { tiles }
    }

    /// Distance from a pixel's centre to the nearest edge; infinite where none is within one pixel.
    pub fn distance(&self, x: usize, y: usize) -> f64 {
        let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
        let edges = self.tiles.get(&((px / TILE) as i64, (py / TILE) as i64));
        let nearest =
            edges.into_iter().flatten().map(|edge| distance(edge, px, py)).fold(f64::INFINITY, f64::min);
        if nearest <= REACH { nearest } else { f64::INFINITY }
    }
}

/// Distance from a point to a segment.
fn distance([[x0, y0], [x1, y1]]: &[[f64; 2]; 2], px: f64, py: f64) -> f64 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { (((px - x0) * dx + (py - y0) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (px - x0 - t * dx).hypot(py - y0 - t * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pixels_beside_an_edge_are_near_one() {
        let map = EdgeMap::new(&[[[10.0, 10.0], [60.0, 10.0], [10.0, 60.0]]], 100, 100);
        assert_eq!(map.distance(30, 10), 0.5);
        assert_eq!(map.distance(30, 9), 0.5);
        assert!(map.distance(30, 12).is_infinite());
        assert!(map.distance(20, 20).is_infinite());
        assert!(map.distance(34, 35) < 1.0);
        assert!(map.distance(90, 90).is_infinite());
    }

    #[test]
    fn a_triangle_far_outside_costs_and_finds_nothing() {
        let map = EdgeMap::new(&[[[1e12, 1e12], [2e12, 1e12], [f64::NAN, 0.0]]], 100, 100);
        assert!(map.distance(5, 5).is_infinite());
    }
}
