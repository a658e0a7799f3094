//! How the deformed meshes move: a slow change of shape against the file, and fast small movements from frame to frame.
//!
//! Three consecutive states of a mesh meet in a frame: what the buffer about to be written still holds (`start`), what
//! its partner holds (`other`), and what the frame writes (`written`). Vertices move along two directions at right
//! angles, each at a pace of its own. `other` divides the way of each from `start` to `written` at a fraction that this
//! file draws from 0.455..0.585; as the two ways are at right angles, the fraction measured along the vertex's whole
//! way lies between the two.

use glam::DVec3;

use crate::synth::geometry::{Surface, frame, hill};
use crate::synth::rng::Rng;

/// Least and greatest distance, over a mesh's vertices, between the two members of its pair. The documents give 0.0002
/// to 0.0053; these stay inside after rounding to f32.
pub(crate) const STEP: (f64, f64) = (0.000_205, 0.005_25);

/// How far and how fast a mesh deforms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The greatest distance between the file's vertices and the deformed ones.
    pub(crate) shape: f64,
    /// The greatest distance a vertex covers between two frames.
    pub(crate) step: f64,
    /// The direction all vertices are pulled in; `None`: each along its normal.
    pub(crate) pull: Option<DVec3>,
    /// Share of the movement that reaches every vertex; the rest is local.
    pub(crate) everywhere: f64,
    /// A vertex that goes its own way, out of time with the others.
    pub(crate) stray: Option<usize>,
}

/// The moving parts of a mesh's deformation.
#[derive(Clone, Debug)]
pub(crate) struct Deformation {
    rest: Vec<DVec3>,
    shape: Vec<DVec3>,
    modes: [Vec<DVec3>; 2],
    motion: Motion,
}

/// Vertex positions of a mesh in four consecutive states.
#[derive(Clone, Debug)]
pub(crate) struct States {
    /// The written buffer's contents at the frame's start.
    pub(crate) start: Vec<DVec3>,
    /// The other buffer's.
    pub(crate) other: Vec<DVec3>,
    /// What the frame writes.
    pub(crate) written: Vec<DVec3>,
    /// What the next frame will write: the other buffer's contents when they are copied late.
    pub(crate) next: Vec<DVec3>,
}

impl Deformation {
    /// Lays out where a surface moves and how.
    pub(crate) fn new(surface: &Surface, motion: Motion, rng: &mut Rng) -> Self {
        let (middle, reach) = surface.extent();
        let mut spot = || surface.points[rng.below(surface.points.len())];
        let [shape_at, first_at, second_at] = [spot(), spot(), spot()];
        // The hill of a shape pulled one way stands at the end of the mesh that lies that way.
        let shape_at = motion.pull.map_or(shape_at, |pull| middle + pull * reach);
        let local = |p: DVec3, at: DVec3| {
            let weight = motion.everywhere + (1.0 - motion.everywhere) * hill(p, at, 1.3 * reach);
            // Movements below the grain of f32 would be noise, not movement.
            if weight < 0.05 { 0.0 } else { weight }
        };
        let normals = surface.normals();
        let along: Vec<_> = normals.iter().map(|n| motion.pull.unwrap_or(*n)).collect();
        let hills: Vec<_> = surface.points.iter().map(|p| hill(*p, shape_at, 2.2 * reach)).collect();
        let highest = hills.iter().copied().fold(0.0, f64::max);
        let shape = along.iter().zip(&hills).map(|(d, h)| *d * (h / highest * motion.shape)).collect();
        let mode = |at: DVec3, across: bool| {
            let directed = surface.points.iter().zip(&along);
            directed.map(|(p, d)| (if across { frame(*d).0 } else { *d }) * local(*p, at)).collect()
        };
        let modes = [mode(first_at, false), mode(second_at, true)];
        Self { rest: surface.points.clone(), shape, modes, motion }
    }

    /// The four states about one captured frame. `expression` scales the slow change of shape, 0..=1.
    pub(crate) fn states(&self, expression: f64, rng: &mut Rng) -> States {
        // Fast meshes slow down and slow ones speed up, so that both steps stay within the documented range.
        let (least, greatest) = match self.motion.step {
            s if s > 0.003_5 => (0.456, 0.497),
            s if s < 0.000_3 => (0.503, 0.585),
            _ => (0.456, 0.585),
        };
        let fractions = [rng.range(least, greatest), rng.range(least, greatest)];
        let shares = [rng.range(0.6, 1.0), rng.range(0.6, 1.0)];
        let longest = (0..self.rest.len())
            .map(|v| (self.modes[0][v] * shares[0] + self.modes[1][v] * shares[1]).length())
            .fold(0.0, f64::max);
        let speeds = shares.map(|share| share * self.motion.step / longest);
        // Positions along each way in units of its last step: 0 is what the frame writes.
        let state = |at: &dyn Fn(usize, usize) -> f64| -> Vec<DVec3> {
            let place = |v: usize| {
                let moved = (0..2).map(|m| self.modes[m][v] * (speeds[m] * at(m, v))).sum::<DVec3>();
                self.rest[v] + self.shape[v] * expression + moved
            };
            (0..self.rest.len()).map(place).collect()
        };
        let fraction = |m: usize, v: usize| if self.motion.stray == Some(v) { -0.4 } else { fractions[m] };
        States {
            start: state(&|m, v| -1.0 / (1.0 - fraction(m, v))),
            other: state(&|_, _| -1.0),
            written: state(&|_, _| 0.0),
            next: state(&|_, _| 0.9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_member_lies_between_the_start_and_what_is_written() {
        let surface = Surface::limb(DVec3::ZERO, DVec3::Y, (0.2, 0.2), 1.0, 12, 10);
        let motion = Motion { shape: 0.1, step: 0.002, pull: None, everywhere: 0.2, stray: Some(7) };
        let mut rng = Rng::new(3, "test");
        let states = Deformation::new(&surface, motion, &mut rng).states(1.0, &mut rng);
        for v in 0..surface.points.len() {
            let way = states.written[v] - states.start[v];
            let fraction = (states.other[v] - states.start[v]).dot(way) / way.length_squared();
            assert_eq!((0.45..=0.59).contains(&fraction), v != 7, "vertex {v}: {fraction}");
        }
        let greatest =
            |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!((greatest(&states.written, &states.other) - 0.002).abs() < 1e-12);
        assert!((greatest(&states.written, &surface.points) - 0.1).abs() < 1e-12);
    }
}
