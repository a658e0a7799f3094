//! The main flow: open -> plan -> execute -> diff, check -> report.

use std::path::PathBuf;

use crate::plan::Swaps;

/// Which executor carries out the plan.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The first Vulkan device, or the reference executor with a notice where there is none.
    #[default]
    Auto,
    /// The reference executor.
    Reference,
    /// The Vulkan device of that index in `replay devices`.
    Index(usize),
    /// The only Vulkan device whose name contains this, whatever the case.
    Name(String),
}

/// What a run is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Frames, or all.
    pub frames: Vec<String>,
    /// Passes, or all.
    pub passes: Vec<String>,
    /// Draws by frame and event, or all.
    pub draws: Vec<(String, u64)>,
    /// The executor.
    pub device: DeviceChoice,
    /// Hypotheses.
    pub swaps: Swaps,
    /// Replays of every frame; 1 without `--repeat`.
    pub repeat: u32,
    /// Least share of draws that must be compared, in percent.
    pub require_coverage: Option<f64>,
    /// Folder for what was produced.
    pub dump: Option<PathBuf>,
    /// File for every difference.
    pub csv: Option<PathBuf>,
}
