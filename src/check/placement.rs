//! How the far clumps of the larger grass mesh stand: spacing, density, heading, scale.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::bound::InstanceRecord;
use super::grass::{batches, position};
use super::{Claim, ClaimKind, Evidence};
use crate::finding::ClaimFindings;

/// Side of a square in which clumps are counted, in metres.
const SQUARE: f64 = 8.0;
/// Bins of the headings.
const BINS: usize = 36;
/// The 99th percentile of chi-square with 35 degrees of freedom: above it, p is less than 0.01.
const CHI_SQUARE_GREATEST: f64 = 57.342;
/// Above this |r|, the two scales count as dependent.
const CORRELATION_GREATEST: f64 = 0.1;

pub(super) const GRASS_PLACEMENT: Claim = Claim {
    id: "grass-placement",
    statement: "The clumps of the larger mesh stand on no grid: nearest neighbour 0.15-3.6 m, median 0.84; 1-83 clumps a \
                square of 8 m; heading uniform; horizontal scale 0.9-1.1 (smaller mesh 0.6-1.1), vertical scale \
                independent of it, 0.55-1.2.",
    source: "Grass definitions and pivots, \"Grass in the running game\"",
    how: "The world matrices of all batches of the mesh of most triangles, frame by frame. Neighbours on the horizontal \
          plane; squares aligned to the origin, empty ones left out; heading: the direction of the first column, \
          chi-square over 36 bins against uniform (agrees up to 57.34, p = 0.01 at 35 degrees of freedom); scales: lengths \
          of the columns, the horizontal one the mean of the first and third (agrees up to |r| 0.1 with the vertical).",
    kind: ClaimKind::Capture,
    figures: &[
        ("clumps", "clumps of the larger mesh"),
        ("nearest_least", "m, nearest neighbour"),
        ("nearest_median_least", "m, nearest neighbour, median of a frame"),
        ("nearest_median_greatest", "m, nearest neighbour, median of a frame"),
        ("nearest_greatest", "m, nearest neighbour"),
        ("square_least", "clumps of a square of 8 m that has any"),
        ("square_greatest", "clumps of a square of 8 m"),
        ("heading_chi_square_greatest", "chi-square of a frame's headings over 36 bins"),
        ("horizontal_scale_least", "length of the first or third column"),
        ("horizontal_scale_greatest", "length of the first or third column"),
        ("vertical_scale_least", "length of the second column"),
        ("vertical_scale_greatest", "length of the second column"),
        ("smaller_horizontal_scale_least", "of the other meshes: length of the first or third column"),
        ("smaller_horizontal_scale_greatest", "of the other meshes: length of the first or third column"),
        ("scale_correlation_greatest", "|r| of horizontal and vertical scale, of a frame"),
    ],
    check: Some(grass_placement),
};

fn grass_placement(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let batches = batches(frame);
        let larger = batches.iter().map(|batch| batch.triangles).max();
        let (large, small): (Vec<_>, Vec<_>) =
            batches.into_iter().partition(|batch| Some(batch.triangles) == larger);
        for clump in small.iter().flat_map(|batch| &batch.clumps) {
            let [x, _, z] = scales(clump);
            found.range(name, "smaller_horizontal_scale", x);
            found.range(name, "smaller_horizontal_scale", z);
        }
        let clumps: Vec<InstanceRecord> = large.into_iter().flat_map(|batch| batch.clumps).collect();
        if clumps.len() < 2 {
            if !clumps.is_empty() {
                found.leave_out("frames of a single clump");
            }
            continue;
        }
        found.add(name, "clumps", clumps.len() as u64);
        spacing(&mut found, name, &clumps);
        heading(&mut found, name, &clumps);
        scale(&mut found, name, &clumps);
    }
    found
}

fn spacing(found: &mut ClaimFindings, name: &str, clumps: &[InstanceRecord]) {
    let places: Vec<DVec2> = clumps.iter().map(position).map(|p| DVec2::new(p.x, p.z)).collect();
    let mut nearest = nearest(&places);
    nearest.sort_by(f64::total_cmp);
    for distance in nearest.first().into_iter().chain(nearest.last()) {
        found.range(name, "nearest", *distance);
    }
    if let Some(median) = median(&nearest) {
        found.range(name, "nearest_median", median);
    }
    let mut squares: BTreeMap<(i64, i64), u64> = BTreeMap::new();
    for place in places {
        let square = (place / SQUARE).floor();
        *squares.entry((square.x as i64, square.y as i64)).or_default() += 1;
    }
    squares.values().for_each(|count| found.count_range(name, "square", *count));
}

/// The distance of every place to the nearest other one. Places are sorted by x, so that only a strip is searched.
fn nearest(places: &[DVec2]) -> Vec<f64> {
    let mut sorted = places.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let search = |best: f64, from: DVec2, others: &mut dyn Iterator<Item = &DVec2>| {
        let mut best = best;
        for other in others {
            if (other.x - from.x).abs() > best {
                break;
            }
            best = best.min(from.distance(*other));
        }
        best
    };
    let mut out = Vec::with_capacity(sorted.len());
    for (at, place) in sorted.iter().enumerate() {
        let (before, after) = sorted.split_at(at);
        let best = search(f64::INFINITY, *place, &mut before.iter().rev());
        out.push(search(best, *place, &mut after.iter().skip(1)));
    }
    out
}

/// The middle of sorted numbers; the mean of the two middle ones where their count is even.
fn median(sorted: &[f64]) -> Option<f64> {
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}

fn heading(found: &mut ClaimFindings, name: &str, clumps: &[InstanceRecord]) {
    let mut bins = [0u64; BINS];
    for clump in clumps {
        let direction = clump.world.direction(DVec3::X);
        let turn = direction.z.atan2(direction.x).rem_euclid(TAU) / TAU;
        if let Some(bin) = bins.get_mut(((turn * BINS as f64) as usize).min(BINS - 1)) {
            *bin += 1;
        }
    }
    let expected = clumps.len() as f64 / BINS as f64;
    let chi_square: f64 = bins.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
    found.greatest(name, "heading_chi_square_greatest", chi_square);
    found.case(chi_square <= CHI_SQUARE_GREATEST, || {
        format!("frame {name}: headings are not uniform, chi-square {chi_square:.1}")
    });
}

/// Lengths of the three columns of the world matrix.
fn scales(clump: &InstanceRecord) -> [f64; 3] {
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| clump.world.direction(axis).length())
}

fn scale(found: &mut ClaimFindings, name: &str, clumps: &[InstanceRecord]) {
    let mut pairs = Vec::with_capacity(clumps.len());
    for [x, y, z] in clumps.iter().map(scales) {
        found.range(name, "horizontal_scale", x);
        found.range(name, "horizontal_scale", z);
        found.range(name, "vertical_scale", y);
        pairs.push(((x + z) / 2.0, y));
    }
    let r = correlation(&pairs).abs();
    found.greatest(name, "scale_correlation_greatest", r);
    found.case(r < CORRELATION_GREATEST, || {
        format!("frame {name}: vertical and horizontal scale go together, |r| {r:.3}")
    });
}

/// Pearson's r; 0 where a side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for p in pairs {
        xx += (p.0 - x).powi(2);
        yy += (p.1 - y).powi(2);
        xy += (p.0 - x) * (p.1 - y);
    }
    let norm: f64 = (xx * yy).sqrt();
    if norm > 0.0 { xy / norm } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_neighbour_is_found_whatever_the_order() {
        let places = [(0.0, 0.0), (5.0, 0.0), (5.0, 0.5), (0.0, 3.0), (0.1, 9.0)].map(DVec2::from);
        let mut found = nearest(&places);
        found.sort_by(f64::total_cmp);
        assert_eq!(found[..3], [0.5, 0.5, 3.0]);
        let slow =
            |p: &DVec2| places.iter().filter(|q| *q != p).map(|q| p.distance(*q)).fold(f64::MAX, f64::min);
        let mut all: Vec<_> = places.iter().map(slow).collect();
        all.sort_by(f64::total_cmp);
        assert_eq!(found, all);
    }

    #[test]
    fn a_median_is_the_middle() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), Some(3.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn correlation_is_one_of_a_line_and_zero_where_nothing_varies() {
        assert!((correlation(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[(1.0, 1.0), (1.0, 3.0)]), 0.0);
    }
}
