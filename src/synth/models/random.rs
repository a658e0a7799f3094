//! What a population draws from the generator of this crate's synthesis.

use crate::synth::rng::Rng;

/// A stream of numbers, the same for a seed on every machine.
#[derive(Clone, Debug)]
pub struct Random(Rng);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Rng::new(seed, "models"))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.below(end) }
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0.range(low.into(), high.into()) as f32
    }

    /// Whether one in `n` comes up.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Three numbers from `low` to `high`.
    pub fn vector(&mut self, low: f32, high: f32) -> [f32; 3] {
        [self.between(low, high), self.between(low, high), self.between(low, high)]
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
