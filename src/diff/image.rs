//! Images against images: pixels as records, with an allowance for pixels that flip beside an edge.
//!
//! A rasteriser decides at a pixel's centre which triangle covers it. Rounding a vertex by a few parts in 10^8 can move
//! an edge across that centre, and the pixel then shows another surface altogether. The format's `outliers` is the
//! share of covered pixels that may miss so, each within one pixel of a triangle's edge. This project asks more, since
//! the pixels of a small mesh are few and all lie near edges, and a mesh missing from one image must be found: an
//! outlier must also look like a moved edge. Either an edge passes within 1/16 pixel of its centre (eight times what
//! rounding and 8-bit sub-pixel snapping can move one), or each side's value lies among the other side's values in the
//! 3 x 3 pixels around it, channel by channel, as it does when an edge moves by one pixel.

use super::compare::{Found, Worst};
use super::edges::{EdgeMap, ScreenTriangle};
use super::element::{Outcome, judge};
use super::locate::PixelPlace;
use super::{Comparison, Recorded, Replayed, Rule};
use crate::abi::{Format, PassId};
use crate::finding::Difference;

/// An edge this near to a pixel's centre explains a miss by itself.
const NEAR: f64 = 1.0 / 16.0;

/// What an image comparison is asked.
pub struct ImageRequest<'a> {
    /// The frame, for places.
    pub frame: &'a str,
    /// The pass, for places.
    pub pass: &'a PassId,
    /// The attachment, for places.
    pub name: &'a str,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Format of both sides.
    pub format: Format,
    /// What the pass cleared the attachment to; without it every pixel counts as covered.
    pub clear: Option<[f64; 4]>,
    /// The rule.
    pub rule: &'a Rule,
    /// The triangles of the pass on the screen; asked for only where pixels miss.
    pub triangles: &'a dyn Fn() -> Vec<ScreenTriangle>,
    /// How many of the worst places to keep.
    pub keep_worst: usize,
}

/// Both sides must hold exactly `width * height` pixels of the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("recorded {recorded} bytes, replayed {replayed}; the image has {expected}")]
pub struct ImageSizeMismatch {
    /// Bytes.
    pub recorded: usize,
    /// Bytes.
    pub replayed: usize,
    /// Bytes.
    pub expected: u64,
}

/// Compares two images. Each difference also goes to `sink`, in order.
///
/// # Errors
/// A side is not of the image's size: nothing is then compared.
pub fn compare_image(
    recorded: Recorded<'_>,
    replayed: Replayed<'_>,
    request: &ImageRequest<'_>,
    sink: &mut dyn FnMut(Difference),
) -> Result<Comparison, ImageSizeMismatch> {
    let size = request.format.size();
    let expected = u64::from(request.width) * u64::from(request.height) * size as u64;
    if recorded.0.len() as u64 != expected || replayed.0.len() as u64 != expected {
        return Err(ImageSizeMismatch { recorded: recorded.0.len(), replayed: replayed.0.len(), expected });
    }
    let images = Images { recorded: recorded.0, replayed: replayed.0, request };
    Ok(images.compare(sink))
}

struct Images<'a> {
    recorded: &'a [u8],
    replayed: &'a [u8],
    request: &'a ImageRequest<'a>,
}

impl Images<'_> {
    fn compare(&self, sink: &mut dyn FnMut(Difference)) -> Comparison {
        let format = self.request.format;
        let components = format.components() as u64;
        let mut comparison = Comparison::default();
        let mut worst = Worst::new(self.request.keep_worst);
        let mut missing: Vec<usize> = Vec::new();
        let mut covered = 0u64;
        let clear = self.request.clear.map(|color| {
            let mut bytes = Vec::new();
            format.encode(color, &mut bytes);
            bytes
        });
        let pixels = self.recorded.chunks_exact(format.size()).zip(self.replayed.chunks_exact(format.size()));
        for (pixel, (a, b)) in pixels.enumerate() {
            covered += u64::from(clear.as_deref().is_none_or(|clear| a != clear || b != clear));
            if a == b {
                comparison.compared += components;
                comparison.equal += components;
                comparison.count_ulp(Some(0), components);
                continue;
            }
            if self.judge(pixel).any(|found| matches!(found.judged.outcome, Outcome::Different(_))) {
                missing.push(pixel);
                continue;
            }
            for found in self.judge(pixel) {
                comparison.count(&found.judged);
                if found.judged.abs > 0.0 {
                    worst.offer(found);
                }
            }
        }
        let admitted = self.admitted(&missing, covered);
        for pixel in missing {
            let outlier = admitted.contains(&pixel);
            for found in self.judge(pixel) {
                let differs = matches!(found.judged.outcome, Outcome::Different(_));
                if outlier && differs {
                    // Not ranked among the largest differences: its size says nothing about precision.
                    comparison.compared += 1;
                    comparison.tolerated.outliers += 1;
                    continue;
                }
                comparison.count(&found.judged);
                if differs {
                    sink(found.as_difference(self.place(&found), self.request.name));
                    worst.offer(found);
                }
            }
        }
        comparison.worst = worst
            .kept
            .iter()
            .map(|found| found.as_difference(self.place(found), self.request.name))
            .collect();
        comparison
    }

    fn texel(side: &[u8], size: usize, pixel: usize) -> &[u8] {
        side.get(pixel * size..(pixel + 1) * size).unwrap_or_default()
    }

    fn judge(&self, pixel: usize) -> impl Iterator<Item = Found> + '_ {
        let format = self.request.format;
        let a = Self::texel(self.recorded, format.size(), pixel);
        let b = Self::texel(self.replayed, format.size(), pixel);
        (0..format.components()).map(move |component| Found {
            record: pixel,
            field: 0,
            component,
            judged: judge(format, a, b, component, self.request.rule, None),
        })
    }

    fn place(&self, found: &Found) -> String {
        let width = self.request.width as usize;
        PixelPlace {
            frame: self.request.frame,
            pass: self.request.pass,
            name: self.request.name,
            x: found.record % width,
            y: found.record / width,
            channel: (self.request.format.components() > 1).then_some(found.component),
        }
        .to_string()
    }

    /// The missing pixels that count as outliers: all that look like a moved edge, if they are few enough; else none.
    fn admitted(&self, missing: &[usize], covered: u64) -> std::collections::BTreeSet<usize> {
        let allowed = (self.request.rule.outliers * covered as f64).floor() as usize;
        if allowed == 0 || missing.is_empty() {
            return Default::default();
        }
        let edges = EdgeMap::new(&(self.request.triangles)(), self.request.width, self.request.height);
        let explained: std::collections::BTreeSet<usize> =
            missing.iter().copied().filter(|pixel| self.moved_edge(&edges, *pixel)).collect();
        if explained.len() > allowed { Default::default() } else { explained }
    }

    fn moved_edge(&self, edges: &EdgeMap, pixel: usize) -> bool {
        let width = self.request.width as usize;
        let distance = edges.distance(pixel % width, pixel / width);
        let numbers =
            self.judge(pixel).all(|f| f.judged.recorded.is_finite() && f.judged.replayed.is_finite());
        numbers
            && distance.is_finite()
            && (distance <= NEAR
                || (self.occurs_around(self.recorded, self.replayed, pixel)
                    && self.occurs_around(self.replayed, self.recorded, pixel)))
    }

    /// Whether the value of `one` at a pixel lies, channel by channel, among the values of `other` around it.
    fn occurs_around(&self, one: &[u8], other: &[u8], pixel: usize) -> bool {
        let (width, height) = (self.request.width as usize, self.request.height as usize);
        let format = self.request.format;
        let (x, y) = (pixel % width, pixel / width);
        (0..format.components()).all(|component| {
            let value = format.component(Self::texel(one, format.size(), pixel), component);
            let around = (y.saturating_sub(1)..(y + 2).min(height))
                .flat_map(|row| {
                    (x.saturating_sub(1)..(x + 2).min(width)).map(move |column| row * width + column)
                })
                .map(|p| format.component(Self::texel(other, format.size(), p), component))
                .filter(|v| v.is_finite());
            let (least, greatest) =
                around.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), v| (l.min(v), g.max(v)));
            let slack = self.request.rule.abs.max(self.request.rule.rel * value.abs());
            least - slack <= value && value <= greatest + slack
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::RuleSource;

    const SIDE: u32 = 40;

    fn image(pixels: impl Fn(usize, usize) -> f32) -> Vec<u8> {
        let side = SIDE as usize;
        (0..side * side).flat_map(|p| pixels(p % side, p / side).to_le_bytes()).collect()
    }

    fn run(recorded: &[u8], replayed: &[u8], triangles: &[ScreenTriangle]) -> Comparison {
        let rule = Rule { abs: 1e-6, rel: 0.0, ulp: 0, outliers: 0.02, source: RuleSource::Default("test") };
        let pass = PassId("gbuffer".into());
        let request = ImageRequest {
            frame: "0001",
            pass: &pass,
            name: "depth",
            width: SIDE,
            height: SIDE,
            format: Format::D32Float,
            clear: Some([1.0, 0.0, 0.0, 0.0]),
            rule: &rule,
            triangles: &|| triangles.to_vec(),
            keep_worst: 3,
        };
        compare_image(Recorded(recorded), Replayed(replayed), &request, &mut |_| {}).unwrap()
    }

    /// A square of two triangles from 5 to `right`, at depth 0.5 on a background of 1.
    fn square(right: usize) -> (Vec<u8>, Vec<ScreenTriangle>) {
        let inside = |v: usize, to: usize| (5..to).contains(&v);
        let pixels = image(|x, y| if inside(x, right) && inside(y, 35) { 0.5 } else { 1.0 });
        let r = right as f64;
        let triangles = vec![[[5.0, 5.0], [r, 5.0], [5.0, 35.0]], [[r, 5.0], [r, 35.0], [5.0, 35.0]]];
        (pixels, triangles)
    }

    #[test]
    fn a_pixel_that_an_edge_moved_across_is_admitted() {
        let (recorded, triangles) = square(35);
        let mut replayed = recorded.clone();
        let pixel = (20 * SIDE as usize + 34) * 4;
        replayed[pixel..pixel + 4].copy_from_slice(&1f32.to_le_bytes());
        let found = run(&recorded, &replayed, &triangles);
        assert_eq!((found.different, found.tolerated.outliers), (0, 1));
    }

    #[test]
    fn a_pixel_away_from_every_edge_is_not() {
        let (recorded, triangles) = square(35);
        let mut replayed = recorded.clone();
        let pixel = (15 * SIDE as usize + 15) * 4;
        replayed[pixel..pixel + 4].copy_from_slice(&1f32.to_le_bytes());
        let found = run(&recorded, &replayed, &triangles);
        assert_eq!((found.different, found.tolerated.outliers), (1, 0));
        assert_eq!(found.worst[0].place, "frame 0001 gbuffer depth x 15 y 15");
    }

    #[test]
    fn a_value_that_neither_side_has_around_is_not() {
        let (recorded, triangles) = square(35);
        let mut replayed = recorded.clone();
        let pixel = (20 * SIDE as usize + 34) * 4;
        replayed[pixel..pixel + 4].copy_from_slice(&0.2f32.to_le_bytes());
        assert_eq!(run(&recorded, &replayed, &triangles).different, 1);
        replayed[pixel..pixel + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let found = run(&recorded, &replayed, &triangles);
        assert_eq!((found.different, found.nonfinite_one_side), (1, 1), "a NaN is never an outlier");
    }

    #[test]
    fn a_small_mesh_missing_from_one_image_is_found_though_its_pixels_are_few_and_near_edges() {
        let (recorded, mut triangles) = square(35);
        let mut replayed = recorded.clone();
        for (x, y) in [(1, 1), (2, 1), (1, 2)] {
            let pixel = (y * SIDE as usize + x) * 4;
            replayed[pixel..pixel + 4].copy_from_slice(&0.3f32.to_le_bytes());
        }
        triangles.push([[0.7, 0.7], [3.2, 0.7], [0.7, 3.2]]);
        assert!(run(&recorded, &replayed, &triangles).different > 0);
    }

    #[test]
    fn neither_a_mesh_of_one_pixel_nor_a_sliver_may_be_missing() {
        for (pixels, triangle) in [
            (vec![(1, 1)], [[0.8, 1.0], [2.1, 1.1], [1.4, 2.2]]),
            ((10..22).map(|x| (x, 2)).collect(), [[9.6, 2.2], [22.4, 2.2], [22.4, 2.8]]),
        ] {
            let (recorded, mut triangles) = square(35);
            triangles.push(triangle);
            let mut replayed = recorded.clone();
            for (x, y) in pixels {
                let pixel = (y * SIDE as usize + x) * 4;
                replayed[pixel..pixel + 4].copy_from_slice(&0.3f32.to_le_bytes());
            }
            assert!(run(&recorded, &replayed, &triangles).different > 0, "{triangle:?}");
            assert!(run(&replayed, &recorded, &triangles).different > 0, "{triangle:?}, the other way round");
        }
    }

    #[test]
    fn more_misses_than_the_share_allows_are_all_differences() {
        let (recorded, triangles) = square(35);
        let (replayed, _) = square(34);
        let found = run(&recorded, &replayed, &triangles);
        assert_eq!((found.different, found.tolerated.outliers), (30, 0));
    }

    #[test]
    fn an_image_of_another_height_is_an_error() {
        let (recorded, _) = square(35);
        let pass = PassId("p".into());
        let rule = Rule { abs: 9.0, rel: 9.0, ulp: 9, outliers: 1.0, source: RuleSource::Default("test") };
        let request = ImageRequest {
            frame: "",
            pass: &pass,
            name: "",
            width: SIDE,
            height: SIDE,
            format: Format::D32Float,
            clear: None,
            rule: &rule,
            triangles: &Vec::new,
            keep_worst: 1,
        };
        let short = &recorded[..recorded.len() - SIDE as usize * 4];
        for (a, b) in [(recorded.as_slice(), short), (short, recorded.as_slice()), (short, short)] {
            assert!(compare_image(Recorded(a), Replayed(b), &request, &mut |_| {}).is_err());
        }
    }
}
