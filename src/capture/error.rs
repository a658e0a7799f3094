//! The faults of a capture set.

use std::path::PathBuf;

/// A fault of a capture set: file, place, what was found, what was expected.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CaptureError {
    /// The file system said no.
    #[error("{file}: {source}", file = file.display())]
    Io { file: PathBuf, source: std::io::Error },
    /// A file is not what it should be.
    #[error("{file}: {place}: found {found}; expected {expected}", file = file.display())]
    Bad {
        file: PathBuf,
        /// JSON path, line and column, or byte offset.
        place: String,
        found: String,
        expected: String,
    },
}
