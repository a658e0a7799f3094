//! The cloths: sheets that hang from their model's origin, in the states that a frame knows of each.
//!
//! A pair of buffers holds two states of a cloth at the frame's start, one and two frames old; the frame copies the
//! newest over the older.

use glam::{DMat3, DVec3, dvec3};

use super::scene::{Moment, place, rng};
use crate::abi::records::Affine;
use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::skeleton::Map;

/// How far a copied slice is from what it replaces: at most, and in the mean (claim `cloth-delta`).
const FARTHEST: f64 = 0.002_19;
const MEAN: f64 = 0.000_4;

/// A cloth and where it hangs.
pub(crate) struct Cloth {
    pub(crate) mesh: Mesh,
    pub(crate) shape: Shape,
}

/// What tells cloths apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    model: &'static str,
    number: u32,
    /// Vertices across and down.
    grid: (usize, usize),
    /// Metres.
    size: (f64, f64),
    /// Metres before the eye, to its right, above it: the middle of the upper hem.
    hung: (f64, f64, f64),
    /// Turns about the vertical.
    heading: f64,
    /// Its positions are slices of the two pools, not buffers of their own.
    pub(crate) pooled: bool,
    pub(crate) casts_shadow: bool,
}

const CLOAK: &str = "AM_M_1200";

/// The cloths that every frame draws, then the banner that hangs still.
const SHAPES: [Shape; 8] = [
    shape(CLOAK, 0, (6, 8), (0.6, 0.85), (4.6, -1.35, -0.42), 0.03).pooled(),
    shape(CLOAK, 1, (5, 9), (0.5, 0.95), (4.9, -0.55, -0.4), -0.02).pooled(),
    shape(CLOAK, 2, (7, 6), (0.62, 0.7), (5.3, 0.75, -0.45), 0.015).pooled().without_shadow(),
    shape("LG_M_0300", 0, (6, 7), (0.7, 0.8), (5.9, 1.75, -0.55), -0.04),
    shape("AEG001_100", 0, (5, 9), (1.2, 2.3), (9.6, -4.3, 2.2), 0.05),
    shape("AEG001_101", 0, (6, 8), (1.3, 2.1), (10.3, -2.1, 2.5), -0.03),
    shape("AEG001_102", 0, (5, 8), (1.1, 2.2), (10.8, 4.6, 2.7), -0.05).without_shadow(),
    shape("AEG001_110", 0, (6, 7), (1.2, 1.9), (11.5, 2.2, 2.9), 0.02),
];

const fn shape(
    model: &'static str,
    number: u32,
    grid: (usize, usize),
    size: (f64, f64),
    hung: (f64, f64, f64),
    heading: f64,
) -> Shape {
    Shape { model, number, grid, size, hung, heading, pooled: false, casts_shadow: true }
}

impl Shape {
    const fn pooled(self) -> Self {
        Self { pooled: true, ..self }
    }

    const fn without_shadow(self) -> Self {
        Self { casts_shadow: false, ..self }
    }
}

/// Every cloth; the last is the banner that hangs still.
pub(crate) fn cloths() -> Vec<Cloth> {
    let cloth = |shape: Shape| {
        let (columns, rows) = shape.grid;
        let (width, height) = shape.size;
        // Folds that deepen downwards.
        let fold =
            |u: f64, v: f64| 0.05 * width * (0.3 + v) * sin_cos(0.9 * u + 0.1 * f64::from(shape.number)).0;
        let at = |u: f64, v: f64| dvec3((0.5 - u) * width, -v * height, fold(u, v));
        Cloth { mesh: Mesh::rigid(shape.model, shape.number, Surface::sheet(columns, rows, at)), shape }
    };
    SHAPES.into_iter().map(cloth).collect()
}

/// The states of a cloth that a frame knows.
pub(crate) struct States {
    /// Two frames old: what the copy replaces.
    pub(crate) older: Vec<u8>,
    /// One frame old.
    pub(crate) newer: Vec<u8>,
    /// What the copy brings.
    pub(crate) copied: Vec<u8>,
}

impl Cloth {
    /// How the cloth hangs in a frame and hung before it.
    pub(crate) fn states(&self, seed: u64, moment: &Moment) -> States {
        let Shape { model, number, size, .. } = self.shape;
        let mut rng = rng(seed, moment, &format!("cloth {model} {number}"));
        let (wind, gust) = (rng.unit(), rng.range(0.6, 1.0));
        let points = &self.mesh.surface.points;
        let fall = |p: &DVec3| -p.y / size.1;
        let blown: Vec<DVec3> = points
            .iter()
            .map(|p| {
                let swell = sin_cos(wind + 0.3 * p.x / size.0 + 0.35 * fall(p)).0;
                *p + dvec3(0.06 * swell, 0.02 * swell * fall(p), 0.16 * gust * swell)
                    * (fall(p) * fall(p) * size.1)
            })
            .collect();
        let way = dvec3(rng.range(-0.5, 0.5), rng.range(-0.2, 0.2), rng.range(0.6, 1.0)).normalize();
        let farthest = if moment.clock.is_multiple_of(5) && number == 0 {
            FARTHEST
        } else {
            rng.range(0.001_7, FARTHEST)
        };
        let lengths = self.lengths(farthest, rng.range(0.9, 1.1) * MEAN);
        let part = rng.range(0.45, 0.59);
        let back = |share: f64| {
            let moved = blown.iter().zip(&lengths).map(|(p, length)| *p - way * (length * share));
            self.mesh.moved(moved.collect())
        };
        States { older: back(1.0), newer: back(1.0 - part), copied: back(0.0) }
    }

    /// How far each vertex moves in two frames: nothing at the upper hem, `farthest` at a lower corner, `mean` in the
    /// mean.
    fn lengths(&self, farthest: f64, mean: f64) -> Vec<f64> {
        let (width, height) = self.shape.size;
        let loose = |p: &DVec3| (-p.y / height) * (0.7 + 0.3 * (0.5 - p.x / width));
        let square = |s: f64| s * s;
        // Of a slow and a steep rise towards the corner the mixture that has the mean.
        let rises: Vec<(f64, f64)> = self
            .mesh
            .surface
            .points
            .iter()
            .map(|p| (square(loose(p)), square(square(square(square(loose(p)))))))
            .collect();
        let count = rises.len() as f64;
        let slow = rises.iter().map(|r| r.0).sum::<f64>() / count;
        let steep = rises.iter().map(|r| r.1).sum::<f64>() / count;
        let share = (mean / farthest - steep) / (slow - steep);
        rises.iter().map(|(slow, steep)| farthest * (share * slow + (1.0 - share) * steep)).collect()
    }

    /// Where the cloth hangs, `back` frames before the moment.
    pub(crate) fn world(&self, moment: &Moment, back: f64) -> Affine {
        let (before, right, above) = self.shape.hung;
        let sway = 0.004 * sin_cos((f64::from(moment.clock) - back) / 75.0 + before).0;
        // Sheets are in x and y; their backs are towards the eye.
        let facing = rotation(DVec3::Y, FACING + self.shape.heading + sway);
        let scale = DMat3::from_diagonal(dvec3(0.97, 1.0, 0.95));
        Map::new(facing * scale, place(before, right, above)).affine()
    }
}

/// Turns about the vertical that take z to the eye's forward direction, as nearly as matters.
const FACING: f64 = 0.3976;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::stormveil_gate::scene::{FORWARD, MOMENTS};

    #[test]
    fn cloths_face_the_eye() {
        assert!((rotation(DVec3::Y, FACING) * DVec3::Z).distance(FORWARD) < 1e-3);
    }

    #[test]
    fn mixtures_are_between_their_parts() {
        for cloth in cloths() {
            for (farthest, mean) in [(0.001_7, 0.9 * MEAN), (FARTHEST, 0.9 * MEAN), (0.001_7, 1.1 * MEAN)] {
                let lengths = cloth.lengths(farthest, mean);
                let found = lengths.iter().sum::<f64>() / lengths.len() as f64;
                assert!((found - mean).abs() < 1e-12);
                assert!(lengths.iter().all(|l| (-1e-12..=farthest + 1e-12).contains(l)), "{lengths:?}");
            }
        }
    }

    #[test]
    fn nineteen_draws_a_frame() {
        let cloths = cloths();
        let draws = |c: &Cloth| 2 + u32::from(c.shape.casts_shadow);
        assert_eq!(cloths[..7].iter().map(draws).sum::<u32>(), 19);
        let still = MOMENTS.iter().filter(|m| m.still_banner).count() as u32;
        assert_eq!(still * draws(&cloths[7]), 9);
    }
}
