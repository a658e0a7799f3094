//! Where the far clumps of grass stand, and how each is turned and stretched.
//!
//! Places are random, denser towards the middle of a patch. The documents' figures of one frame are bounds and a median:
//! places are drawn until they keep the bounds, and the patch is widened or narrowed until the median is theirs. No
//! figure goes anywhere but into the places.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::scene::{EYE, FORWARD, RIGHT};
use crate::synth::angle::sin_cos;
use crate::synth::rng::Rng;

/// A clump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clump {
    pub(crate) at: DVec3,
    /// Turns about the vertical.
    pub(crate) heading: f64,
    /// Horizontal scale.
    pub(crate) across: f64,
    /// Vertical scale.
    pub(crate) up: f64,
}

/// The clumps of one draw.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// Metres from the eye, nearest and farthest.
    pub(crate) band: (f64, f64),
    pub(crate) larger: bool,
    pub(crate) clumps: Vec<Clump>,
    /// forceNum and forceIndex of every instance.
    pub(crate) force: (u32, u32),
}

/// Nearest and farthest metre from the eye, clumps, forceNum and forceIndex of a batch.
type Plan = ((f64, f64), usize, (u32, u32));

/// The batches of the larger mesh.
const LARGER: [Plan; 3] =
    [((61.0, 91.0), 315, (2, 1283)), ((91.0, 108.0), 290, (2, 1283)), ((105.0, 129.0), 220, (2, 1283))];
/// Of the smaller mesh.
const SMALLER: [Plan; 2] = [((142.0, 164.0), 236, (1, 5)), ((175.0, 210.0), 160, (1, 1))];

/// Side of the squares in which clumps are counted.
const SQUARE: f64 = 8.0;
/// The least and greatest corner of the square with most clumps: on the grid, before the eye, within the second band.
const CORE: (DVec2, DVec2) = (DVec2::new(56.0, -72.0), DVec2::new(64.0, -64.0));
/// Clumps in it; every other square has fewer.
const MOST: usize = 83;
/// Nearest neighbours in metres: the two nearest clumps, the loneliest one, and the median.
const NEAREST: f64 = 0.152;
const CLOSEST: f64 = 0.153;
const LONELIEST: (f64, f64) = (3.5, 3.59);
const MEDIAN: f64 = 0.84;
/// How near the median has to come.
const NEAR_ENOUGH: f64 = 0.004;
/// All but the loneliest clump have another nearer than this.
const COMPANY: f64 = 2.9;
/// Clumps of a batch that stand at the ends of its band.
const ENDS: usize = 2;
/// Bins of the headings, and the chi-square below which they count as even: p is above 0.05.
const BINS: usize = 36;
const EVEN: f64 = 49.8;
/// Below this |r| the two scales count as independent.
const INDEPENDENT: f64 = 0.08;

/// The five batches of a seed.
pub(crate) fn batches(seed: u64) -> Vec<Batch> {
    let places = places(seed);
    let looks = looks(&mut Rng::new(seed, "clump looks"), places.iter().map(Vec::len).sum());
    let mut looks = looks.into_iter();
    let mut batches = Vec::new();
    for (places, (band, _, force)) in places.into_iter().zip(LARGER) {
        let clumps =
            places.into_iter().zip(&mut looks).map(|(p, look)| Clump { at: on_ground(p), ..look }).collect();
        batches.push(Batch { band, larger: true, clumps, force });
    }
    let mut rng = Rng::new(seed, "small clumps");
    for (band, count, force) in SMALLER {
        let clump = |n: usize| {
            let far = distance(&mut rng, band, n);
            let aside = rng.range(-0.3, 0.3) * far;
            let (heading, across, up) = (rng.unit(), rng.range(0.6, 1.1), rng.range(0.55, 1.2));
            Clump { at: on_ground(before_eye(far, aside)), heading, across, up }
        };
        batches.push(Batch { band, larger: false, clumps: (0..count).map(clump).collect(), force });
    }
    batches
}

/// The ground is a little uneven and five metres below the eye.
fn on_ground(p: DVec2) -> DVec3 {
    let height = 3.6 + 0.4 * sin_cos(p.x / 61.0).0 * sin_cos(p.y / 47.0).0;
    DVec3::new(p.x, height, p.y)
}

/// The place at a distance from the eye in the horizontal plane, and that far to the right of its axis.
fn before_eye(far: f64, aside: f64) -> DVec2 {
    let place = EYE + FORWARD * (far * far - aside * aside).sqrt() + RIGHT * aside;
    DVec2::new(place.x, place.z)
}

/// A distance of the band. The first clump is at its near end, the second at its far one.
fn distance(rng: &mut Rng, (near, far): (f64, f64), n: usize) -> f64 {
    match n {
        0 => near + rng.range(0.02, 0.15),
        1 => far - rng.range(0.15, 0.3),
        _ => rng.range(near + 0.15, far - 0.3),
    }
}

/// Headings and scales of as many clumps: drawn until no direction is preferred and the scales do not go together.
fn looks(rng: &mut Rng, count: usize) -> Vec<Clump> {
    loop {
        let look = |_| {
            let (heading, across, up) = (rng.unit(), rng.range(0.9, 1.1), rng.range(0.55, 1.2));
            Clump { at: DVec3::ZERO, heading, across, up }
        };
        let looks: Vec<_> = (0..count).map(look).collect();
        if unevenness(&looks) < EVEN && correlation(&looks).abs() < INDEPENDENT {
            return looks;
        }
    }
}

/// Chi-square of the headings over the bins.
fn unevenness(looks: &[Clump]) -> f64 {
    let mut bins = [0.0; BINS];
    looks.iter().for_each(|l| bins[(l.heading * BINS as f64) as usize % BINS] += 1.0);
    let even = looks.len() as f64 / BINS as f64;
    bins.iter().map(|n: &f64| (n - even) * (n - even) / even).sum()
}

/// Pearson's r of the two scales.
fn correlation(looks: &[Clump]) -> f64 {
    let count = looks.len() as f64;
    let mean = looks.iter().fold(DVec2::ZERO, |sum, l| sum + DVec2::new(l.across, l.up)) / count;
    let (mut squares, mut product) = (DVec2::ZERO, 0.0);
    for look in looks {
        let d = DVec2::new(look.across, look.up) - mean;
        squares += d * d;
        product += d.x * d.y;
    }
    product / (squares.x * squares.y).sqrt()
}

/// Places of the three batches of the larger mesh.
fn places(seed: u64) -> Vec<Vec<DVec2>> {
    let (mut width, mut attempt) = (24.0, 0);
    loop {
        // The same numbers for several widths, so that one leads to the next.
        let mut rng = Rng::new(seed, &format!("clump places {}", attempt / 8));
        attempt += 1;
        let Some(patch) = Patch::scatter(&mut rng, width) else { continue };
        let mut nearest = patch.nearest();
        nearest.sort_by(f64::total_cmp);
        let median = nearest[nearest.len() / 2];
        let sparsest = patch.squares.values().map(Vec::len).min();
        if (median - MEDIAN).abs() < NEAR_ENOUGH && sparsest == Some(1) {
            return patch.batches();
        }
        width = (width * MEDIAN / median).clamp(12.0, 40.0);
    }
}

/// A clump's place, its batch and its number in it.
#[derive(Clone, Copy, Debug)]
struct Placed {
    batch: usize,
    n: usize,
    p: DVec2,
}

/// Places, found again by square.
#[derive(Default)]
struct Patch {
    places: Vec<Placed>,
    squares: BTreeMap<(i64, i64), Vec<usize>>,
}

fn square(p: DVec2) -> (i64, i64) {
    ((p.x / SQUARE).floor() as i64, (p.y / SQUARE).floor() as i64)
}

impl Patch {
    /// Places in a patch of that half width; nothing if they do not fit.
    fn scatter(rng: &mut Rng, width: f64) -> Option<Self> {
        let mut patch = Self::default();
        patch.fill_core(rng)?;
        for (batch, (_, count, _)) in LARGER.into_iter().enumerate() {
            // The loneliest clump of all is of the last batch.
            let count = count - usize::from(batch == LARGER.len() - 1);
            let there = patch.places.iter().filter(|c| c.batch == batch).count();
            for n in 0..count - there {
                let p = patch.free_place(rng, batch, n, width, f64::INFINITY)?;
                patch.push(Placed { batch, n, p });
            }
        }
        patch.gather(rng, width)?;
        patch.add_loneliest(rng, width)?;
        Some(patch)
    }

    fn fill_core(&mut self, rng: &mut Rng) -> Option<()> {
        let (least, greatest) = CORE;
        let batch = 1;
        let mut draw = || DVec2::new(rng.range(least.x, greatest.x), rng.range(least.y, greatest.y));
        for _ in 0..100 * MOST {
            let n = self.places.len();
            let p = match n {
                MOST => return Some(()),
                0 => draw() / 2.0 + (least + greatest) / 4.0,
                // The two nearest clumps of all.
                1 => self.places[0].p + DVec2::new(0.6, 0.8) * NEAREST,
                _ => draw(),
            };
            if n == 1 || self.clearance(p) > CLOSEST {
                self.push(Placed { batch, n: n + ENDS, p });
            }
        }
        None
    }

    /// A random place of a batch's band, rarer away from the middle of the patch, that is free and has a clump nearer than
    /// `reach`.
    fn free_place(&self, rng: &mut Rng, batch: usize, n: usize, width: f64, reach: f64) -> Option<DVec2> {
        for _ in 0..20_000 {
            let (far, aside) = (distance(rng, LARGER[batch].0, n), rng.range(-width, width));
            let (across, along) = (aside / width, (far - 97.0) / 36.0);
            let share = (1.0 - across * across) * (1.0 - across * across) * (1.0 - 0.75 * along * along);
            let p = before_eye(far, aside);
            if rng.unit() < share && self.held(p) + 1 < MOST {
                let clearance = self.clearance(p);
                if clearance > CLOSEST && clearance < reach {
                    return Some(p);
                }
            }
        }
        None
    }

    /// Gives clumps that stand alone another place, until none does.
    fn gather(&mut self, rng: &mut Rng, width: f64) -> Option<()> {
        for _ in 0..20 {
            let nearest = self.nearest();
            let alone: Vec<_> = (0..nearest.len()).filter(|i| nearest[*i] > COMPANY).collect();
            if alone.is_empty() {
                return Some(());
            }
            for i in alone {
                let Placed { batch, n, p } = self.places[i];
                self.squares.entry(square(p)).or_default().retain(|other| *other != i);
                let p = self.free_place(rng, batch, n, width, COMPANY)?;
                self.squares.entry(square(p)).or_default().push(i);
                self.places[i].p = p;
            }
            self.squares.retain(|_, held| !held.is_empty());
        }
        None
    }

    fn add_loneliest(&mut self, rng: &mut Rng, width: f64) -> Option<()> {
        let last = LARGER.len() - 1;
        for _ in 0..20_000 {
            let p = before_eye(rng.range(108.5, 128.5), rng.range(-1.3, 1.3) * width);
            if (LONELIEST.0 + 0.01..LONELIEST.1 - 0.01).contains(&self.clearance(p)) {
                self.push(Placed { batch: last, n: LARGER[last].1, p });
                return Some(());
            }
        }
        None
    }

    fn push(&mut self, placed: Placed) {
        self.squares.entry(square(placed.p)).or_default().push(self.places.len());
        self.places.push(placed);
    }

    /// Clumps in the square of a place; those of the core are all there.
    fn held(&self, p: DVec2) -> usize {
        self.squares.get(&square(p)).map_or(0, Vec::len)
    }

    /// Distance to the nearest clump, as far as squares about the place tell.
    fn clearance(&self, p: DVec2) -> f64 {
        self.around(p).map(|(_, q)| p.distance(q)).fold(SQUARE, f64::min)
    }

    fn around(&self, p: DVec2) -> impl Iterator<Item = (usize, DVec2)> {
        let (x, y) = square(p);
        let squares = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        squares.filter_map(|s| self.squares.get(&s)).flatten().map(|i| (*i, self.places[*i].p))
    }

    /// The distance of every clump to the nearest other one.
    fn nearest(&self) -> Vec<f64> {
        let of = |(i, Placed { p, .. }): (usize, &Placed)| {
            let others = self.around(*p).filter(|(other, _)| *other != i);
            others.map(|(_, q)| p.distance(q)).fold(SQUARE, f64::min)
        };
        self.places.iter().enumerate().map(of).collect()
    }

    fn batches(self) -> Vec<Vec<DVec2>> {
        let mut batches = vec![vec![]; LARGER.len()];
        self.places.into_iter().for_each(|c| batches[c.batch].push(c.p));
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_one_square_within_the_second_band() {
        let (least, greatest) = CORE;
        assert_eq!(square(least), square(greatest - DVec2::splat(1e-9)));
        let eye = DVec2::new(EYE.x, EYE.z);
        for corner in [least, greatest, DVec2::new(least.x, greatest.y), DVec2::new(greatest.x, least.y)] {
            assert!((91.2..107.7).contains(&corner.distance(eye)), "{}", corner.distance(eye));
        }
    }

    #[test]
    fn places_are_found_for_many_seeds() {
        for seed in 0..4 {
            let counts: Vec<_> = places(seed).iter().map(Vec::len).collect();
            assert_eq!(counts, [315, 290, 220], "seed {seed}");
        }
    }
}
