//! Typed comparison of what was recorded with what was replayed. Pure: bytes, a layout and a rule in, counts and
//! places out.

mod compare;
pub mod edges;
mod element;
mod image;
pub mod locate;
pub mod rule;

use crate::abi::Format;
use crate::finding::Difference;

pub use compare::{Request, SizeMismatch, compare, count};
pub use image::{ImageRequest, ImageSizeMismatch, compare_image};
pub use rule::{Rule, RuleSource, Rules, ToleranceEntry};

/// Bytes a recorder wrote down.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a>(pub &'a [u8]);

/// Bytes an executor produced.
#[derive(Clone, Copy, Debug)]
pub struct Replayed<'a>(pub &'a [u8]);

/// One field of a record.
#[derive(Clone, Debug)]
pub struct FieldLayout {
    /// Name in places: a semantic, a channel set, a record's field.
    pub name: String,
    /// How its bits are read.
    pub format: Format,
    /// Byte offset in the record.
    pub offset: usize,
    /// The rule for its components.
    pub rule: Rule,
    /// `rel` refers to the largest component of the field, not to the component alone (clip-space positions).
    pub vector_relative: bool,
}

/// A record: what repeats in a dump.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Fields; bytes that no field covers are compared with nothing and counted as padding.
    pub fields: Vec<FieldLayout>,
    /// Bytes from one record to the next.
    pub stride: usize,
}

impl Layout {
    /// Bytes of a record that no field covers.
    pub fn padding(&self) -> usize {
        let mut spans: Vec<_> =
            self.fields.iter().map(|f| (f.offset, f.offset.saturating_add(f.format.size()))).collect();
        spans.sort_unstable();
        let (mut at, mut padding) = (0, 0);
        for (start, end) in spans {
            padding += start.min(self.stride).saturating_sub(at);
            at = at.max(end);
        }
        padding + self.stride.saturating_sub(at)
    }
}

/// Counts of a comparison. `compared = equal + tolerated + different`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Elements (components) looked at.
    pub compared: u64,
    /// Equal bits, or +0 and -0 under a rule that is not exact.
    pub equal: u64,
    /// Admitted, by what admitted them.
    pub tolerated: Tolerated,
    /// Admitted by nothing.
    pub different: u64,
    /// NaN or infinity on one side only, or infinities of other sign: all of them are `different`.
    pub nonfinite_one_side: u64,
    /// NaN on both sides with other bits: all of them are `different`.
    pub nan_both: u64,
    /// Elements left out, by reason.
    pub left_out: std::collections::BTreeMap<String, u64>,
    /// Largest |recorded - replayed| over all finite elements.
    pub max_abs: f64,
    /// Largest relative difference over all finite elements.
    pub max_rel: f64,
    /// Largest distance in units of the last place.
    pub max_ulp: u64,
    /// The worst elements, worst first; those that differ before those that were tolerated.
    pub worst: Vec<Difference>,
    /// How many elements lie at 0, 1, 2-3, 4-7, ... units of the last place.
    pub ulp_histogram: Vec<u64>,
}

/// Elements admitted, by what admitted them first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerated {
    /// `abs`.
    pub abs: u64,
    /// `rel`.
    pub rel: u64,
    /// `ulp`.
    pub ulp: u64,
    /// Covered pixels beside a triangle's edge.
    pub outliers: u64,
}

impl Tolerated {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.abs + self.rel + self.ulp + self.outliers
    }
}
