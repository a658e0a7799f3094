//! Writes synthetic capture sets with known truth: frames laid out as the documents say the games lay them out, with
//! procedural meshes, and dumps computed by the float64 reference.
//!
//! In: a seed and a place. Out: a capture set, the same bit for bit from the same seed on every machine. Statistics that
//! claims state are properties of what is generated here; no figure is written into a frame. This module knows no Vulkan
//! and no comparison.

mod angle;
mod ashina_gate;
mod builder;
mod camera;
mod geometry;
mod mesh;
pub mod models;
mod record;
mod rng;
mod skeleton;
mod stormveil_gate;

use std::path::Path;

pub use ashina_gate::ashina_gate;
pub use stormveil_gate::stormveil_gate;

use crate::capture::CaptureError;
use crate::execute::ExecuteError;
use crate::plan::NotReplayed;

/// The sets this module can write, by the name the command line gives them.
pub const NAMES: &[&str] = &["ashina-gate", "stormveil-gate"];

/// Why a set could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    /// No set has that name.
    #[error("there is no synthetic set `{0}`; expected one of {names}", names = NAMES.join(", "))]
    UnknownName(String),
    /// The set could not be stored.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The reference could not compute a frame's dumps.
    #[error("frame {frame}: the reference could not compute the dumps: {source}")]
    Execute {
        /// The frame.
        frame: String,
        /// What the reference said.
        source: ExecuteError,
    },
    /// A draw of the set has no stand-in or lacks what its stand-in needs.
    #[error("frame {frame}, event {event}: not replayed: {reason}")]
    NotReplayed {
        /// The frame.
        frame: String,
        /// The draw.
        event: u64,
        /// Why.
        reason: NotReplayed,
    },
    /// A fault of this module: the frame it laid out is not what it meant.
    #[error("frame {frame}: {what}")]
    Layout {
        /// The frame.
        frame: String,
        /// What is wrong.
        what: String,
    },
}

/// Writes the set of that name to `dest`, which must not hold anything yet.
///
/// # Errors
/// See [`SynthError`].
pub fn write(name: &str, seed: u64, dest: &Path) -> Result<(), SynthError> {
    match name {
        "ashina-gate" => ashina_gate(seed, dest),
        "stormveil-gate" => stormveil_gate(seed, dest),
        _ => Err(SynthError::UnknownName(name.to_owned())),
    }
}
