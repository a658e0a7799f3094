//! The claims this tool knows: what each says, where it stands, how it is checked, and the names of its figures.

use super::CheckInput;
use crate::finding::ClaimFindings;

/// Where a claim can be settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// From the commands and bytes of a frame.
    Capture,
    /// Only by executing draws and comparing with the record.
    Replay,
    /// The documents do not establish it.
    Unknown,
}

/// A claim of the documents.
pub struct Claim {
    /// Its id.
    pub id: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// The document and section it stands in.
    pub source: &'static str,
    /// How this tool checks it.
    pub how: &'static str,
    /// Where it can be settled.
    pub kind: ClaimKind,
    /// Figure names, each with what it counts or measures and in which unit.
    pub figures: &'static [(&'static str, &'static str)],
    /// The check; `None` where nothing checks it yet or the documents do not establish it.
    pub check: Option<fn(&CheckInput<'_>) -> ClaimFindings>,
}

/// Every claim about frames.
pub const CLAIMS: &[Claim] = &[];
