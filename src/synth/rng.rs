//! A small generator of numbers that is the same on every machine.
//!
//! SplitMix64 (Steele, Lea and Flood, 2014): integer arithmetic alone, so that a set's seed fixes every bit of it.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of a seed and a topic: topics of one seed do not disturb each other, so that adding a number to one
    /// part of a set leaves the others as they are.
    pub(crate) fn new(seed: u64, topic: &str) -> Self {
        let mut rng = Self { state: seed };
        for byte in topic.bytes() {
            rng.state = rng.next_u64() ^ u64::from(byte);
        }
        rng
    }

    /// The next 64 bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number of 0..1, one of 2^53 evenly spaced ones.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of `least..greatest`.
    pub(crate) fn range(&mut self, least: f64, greatest: f64) -> f64 {
        least + (greatest - least) * self.unit()
    }

    /// A whole number below `end`, which is small: the bias of the remainder is nowhere near showing.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        let mut rng = Rng { state: 1_234_567 };
        let first: Vec<_> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn topics_and_seeds_part_the_streams() {
        let first = |seed, topic| Rng::new(seed, topic).next_u64();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
    }

    #[test]
    fn units_stay_below_one() {
        let mut rng = Rng::new(7, "units");
        assert!((0..10_000).map(|_| rng.unit()).all(|u| (0.0..1.0).contains(&u)));
    }
}
