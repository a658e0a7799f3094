//! The report of a run as a value, and its renderings. It does not know what produced it.

pub mod csv;
pub mod json;
pub mod text;

use std::collections::BTreeMap;

use crate::finding::{ClaimFindings, ClaimVerdict, Difference, DumpVerdict, RunVerdict};

/// Everything a run found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The set's folder name.
    pub capture: String,
    /// The set's title.
    pub title: String,
    /// What replayed it; `None` where nothing was executed (`replay check`).
    pub executor: Option<ExecutorReport>,
    /// Frames, in order.
    pub frames: Vec<FrameReport>,
    /// How much of the set was compared.
    pub coverage: Coverage,
    /// Dumps, in the order of the frames: draws, then passes, then buffers.
    pub dumps: Vec<DumpReport>,
    /// Claims, in the registry's order.
    pub claims: Vec<ClaimReport>,
    /// Remarks on how far this run can be trusted: determinism only, swaps in force, expectations not judged.
    pub notices: Vec<String>,
    /// Result hashes with the number of repeats that gave each (`--repeat`).
    pub repeats: Vec<(String, u32)>,
    /// The coverage asked for, and whether it was reached (`--require-coverage`).
    pub required_coverage: Option<(f64, bool)>,
    /// Where the time went, step by step, in seconds (`--timings`).
    pub timings: Vec<(String, f64)>,
    /// The verdict.
    pub verdict: RunVerdict,
}

/// What replayed a set.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutorReport {
    /// `reference` or `vulkan`.
    pub kind: String,
    /// Device name.
    pub device: String,
    /// Driver name and version.
    pub driver: String,
}

/// A frame's counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Name.
    pub name: String,
    /// Executed draws.
    pub draws: u64,
    /// Of which replayed.
    pub replayed: u64,
    /// The others, with the reason.
    pub not_replayed: Vec<(u64, String)>,
    /// Observations.
    pub inputs: InputsReport,
    /// Fetches past a stream, odd strides and the like, counted and worded.
    pub warnings: Vec<String>,
}

/// Observations of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputsReport {
    /// Held against known bytes.
    pub checked: u64,
    /// Of which equal.
    pub equal: u64,
    /// Of which different, each with its place.
    pub different: Vec<String>,
    /// Adopted: unknown before.
    pub unknown: u64,
}

/// How much of a set was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Executed draws of the selected frames.
    pub draws: u64,
    /// Of which at least one dump of its own, or of its pass, was compared.
    pub compared: u64,
    /// Programs of those draws.
    pub programs: u64,
    /// Programs of the compared draws.
    pub programs_compared: u64,
}

/// What a dump belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DumpOwner {
    /// A draw: event, and the ordinal of its list's execution (0 for the first).
    Draw {
        /// The draw command.
        event: u64,
        /// Which execution of its list.
        execution: u32,
    },
    /// A pass.
    Pass(String),
    /// A buffer: id and name.
    Buffer(u64, String),
}

/// One compared dump.
#[derive(Clone, Debug)]
pub struct DumpReport {
    /// The frame.
    pub frame: String,
    /// What it belongs to.
    pub owner: DumpOwner,
    /// `post_vs`, a target's name, `depth`, `final`.
    pub name: String,
    /// The verdict.
    pub verdict: DumpVerdict,
    /// Why it was not compared.
    pub reason: Option<String>,
    /// The rules in force, in words: `abs 2e-6, rel 2e-6 (capture.toml)`.
    pub rule: String,
    /// Elements compared.
    pub compared: u64,
    /// Equal.
    pub equal: u64,
    /// Admitted, in words by what: `abs`, `rel`, `ulp`, `outliers`.
    pub tolerated: BTreeMap<String, u64>,
    /// Admitted by nothing.
    pub different: u64,
    /// NaN or infinity on one side only.
    pub nonfinite_one_side: u64,
    /// Left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Largest difference.
    pub max_abs: f64,
    /// Largest relative difference.
    pub max_rel: f64,
    /// Largest distance in units of the last place.
    pub max_ulp: u64,
    /// Worst places.
    pub worst: Vec<Difference>,
}

/// One claim.
#[derive(Clone, Debug)]
pub struct ClaimReport {
    /// Id.
    pub id: String,
    /// What it says.
    pub statement: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// What was found.
    pub findings: ClaimFindings,
    /// What the set expects, in words, each with whether it came out: `position1_written = 282`.
    pub expected: Vec<(String, bool)>,
}
impl Report {
    /// STUB
    pub fn new(capture: &str, title: &str) -> Self {
        Self {
            capture: capture.into(),
            title: title.into(),
            executor: None,
            frames: vec![],
            coverage: Coverage::default(),
            dumps: vec![],
            claims: vec![],
            notices: vec![],
            repeats: vec![],
            required_coverage: None,
            timings: vec![],
            verdict: RunVerdict::NothingCompared,
        }
    }
}
impl ClaimReport {
    /// STUB
    pub fn fails_for_want_of_cases(&self) -> bool {
        false
    }
}
