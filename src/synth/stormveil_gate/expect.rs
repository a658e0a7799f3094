//! The figures of the documents that the set must show, as `[[expect]]` tables.
//!
//! These are the documents' figures, written down by hand; what a check finds is computed from the frames.

use crate::capture::manifest::Expectation;

/// The tables.
pub(crate) fn expectations() -> Vec<Expectation> {
    vec![]
}
