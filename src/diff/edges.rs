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
                let [[_, y0], [_, y1]] = edge;
                if !edge.iter().flatten().all(|v| v.is_finite()) {
                    continue;
                }
                // Row by row of tiles, only the columns that the edge crosses there: a long edge goes into as many
                // tiles as it is long, not into all of the rectangle around it.
                for row in tile(y0.min(y1) - REACH, height)..=tile(y0.max(y1) + REACH, height) {
                    let top = row as f64 * TILE - REACH;
                    let Some((least, greatest)) = span(&edge, top, top + TILE + 2.0 * REACH) else {
                        continue;
                    };
                    for column in tile(least - REACH, width)..=tile(greatest + REACH, width) {
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

/// The least and greatest x of a segment between two heights; `None` where it does not come there.
fn span([[x0, y0], [x1, y1]]: &[[f64; 2]; 2], top: f64, bottom: f64) -> Option<(f64, f64)> {
    if y0.max(*y1) < top || y0.min(*y1) > bottom {
        return None;
    }
    let at = |y: f64| if y1 == y0 { *x0 } else { x0 + (x1 - x0) * ((y - y0) / (y1 - y0)).clamp(0.0, 1.0) };
    let (a, b) = if y1 == y0 { (*x0, *x1) } else { (at(top), at(bottom)) };
    Some((a.min(b), a.max(b)))
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
    fn a_long_edge_goes_into_the_tiles_it_crosses_and_misses_none() {
        let triangles = [[[-50.0, 3.0], [1700.0, 990.0], [1690.0, 1000.0]]];
        let map = EdgeMap::new(&triangles, 1600, 1000);
        assert!(map.tiles.values().map(Vec::len).sum::<usize>() < 1000, "not 100 x 63 tiles an edge");
        let [a, b, c] = triangles[0];
        for (x, y) in (0..1600).flat_map(|x| (0..1000).step_by(7).map(move |y| (x, y))) {
            let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
            let nearest =
                [[a, b], [b, c], [c, a]].iter().map(|e| distance(e, px, py)).fold(f64::MAX, f64::min);
            assert_eq!(map.distance(x, y).is_finite(), nearest <= 1.0, "{x} {y}");
        }
    }

    #[test]
    fn a_triangle_far_outside_costs_and_finds_nothing() {
        let map = EdgeMap::new(&[[[1e12, 1e12], [2e12, 1e12], [f64::NAN, 0.0]]], 100, 100);
        assert!(map.distance(5, 5).is_infinite());
    }
}
