//! The figures of the documents that the set must show, as `[[expect]]` tables.
//!
//! These are the documents' figures, written down by hand; what a check finds is computed from the frames.

use crate::capture::manifest::{Expectation, Expected};

/// The tables.
pub(crate) fn expectations() -> Vec<Expectation> {
    vec![
        expect(
            "pair-slot",
            None,
            &[("draws", 315.0), ("position1_written", 282.0), ("position0_written", 33.0)],
        ),
        expect(
            "pair-slot",
            Some("0003"),
            &[("draws", 63.0), ("position1_written", 51.0), ("position0_written", 12.0)],
        ),
        expect(
            "pair-slot",
            Some("0004"),
            &[("draws", 63.0), ("position1_written", 42.0), ("position0_written", 21.0)],
        ),
        expect("pair-slot-by-list", Some("0003"), &[("position1", 18.0), ("position0", 6.0), ("mixed", 0.0)]),
    ]
}

fn expect(claim: &str, frame: Option<&str>, figures: &[(&str, f64)]) -> Expectation {
    let figures = figures.iter().map(|(name, value)| ((*name).to_owned(), Expected::Number(*value)));
    Expectation { claim: claim.to_owned(), frame: frame.map(str::to_owned), figures: figures.collect() }
}
