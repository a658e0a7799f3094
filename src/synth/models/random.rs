//! Numbers that look random and are the same for a seed on every machine (SplitMix64).

/// A generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.bits() % end as u64) as usize }
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.bits() >> 40) as f32 / (1u64 << 24) as f32;
        low + (high - low) * unit
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
