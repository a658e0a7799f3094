//! What a comparison or a check finds: verdicts, places and figures. A mismatch is a value here, never an error.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpKind {
    /// Outputs of the vertex stage.
    PostVs,
    /// A colour attachment.
    Target,
    /// A depth attachment.
    Depth,
    /// A buffer's contents at the frame's end.
    Buffer,
}

/// The verdict on one dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpVerdict {
    /// Something was compared and nothing differs.
    Match,
    /// Something differs.
    Differ,
    /// Nothing was compared; the reason stands beside it.
    NotCompared,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// The set expects figures, and they came out.
    Holds,
    /// The set expects figures, and others came out.
    Fails,
    /// Nobody expects figures: these were found.
    Observed,
    /// The set has no case of it. Where figures are expected this fails the run.
    NothingToCheck,
    /// The documents do not establish it.
    NotEstablished,
    /// Only executing draws can show it, and this command executes none.
    NeedsExecution,
}

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Something was compared, nothing differs, no input check and no expected claim failed.
    Match,
    /// Something differs or fails.
    Differ,
    /// Nothing was compared.
    NothingCompared,
}

/// One element that differs (or is among the worst that were tolerated).
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, in domain words: `frame 0003 event 41 (motion_vector, BD_M_9040/4) vertex 17 CURRENT_CLIP.x`.
    pub place: String,
    /// The recorded value.
    pub recorded: f64,
    /// The replayed value.
    pub replayed: f64,
    /// |recorded - replayed|; infinite where only one is a number.
    pub abs: f64,
    /// `abs` against the larger magnitude of what the rule refers to.
    pub rel: f64,
    /// Distance in units of the last place of the element's own format; `None` where it has none.
    pub ulp: Option<u64>,
    /// Whether no rule admits it.
    pub differs: bool,
}

/// A figure of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A count.
    Count(u64),
    /// A measured number.
    Number(f64),
    /// A word.
    Text(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::Number(n) if *n != 0.0 && n.abs() < 1e-3 => write!(f, "{n:.3e}"),
            Self::Number(n) => write!(f, "{}", (n * 1e6).round() / 1e6),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Figures by name.
pub type Figures = BTreeMap<String, Figure>;

/// What a check of one claim found over a set of frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimFindings {
    /// Cases looked at.
    pub counted: u64,
    /// Cases that agree with the statement.
    pub agree: u64,
    /// Cases left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Figures of all frames together.
    pub figures: Figures,
    /// Figures of each frame alone, by frame name.
    pub by_frame: BTreeMap<String, Figures>,
    /// The first cases that do not agree, by name.
    pub counterexamples: Vec<String>,
    /// More of interest to a reader, line by line: the binding-order table, the pairs.
    pub notes: Vec<String>,
}
