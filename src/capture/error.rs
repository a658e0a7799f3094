//! The faults of a capture set.

use std::path::{Path, PathBuf};

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

impl CaptureError {
    /// For `map_err` on what the file system answers about `file`.
    pub(super) fn io(file: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let file = file.to_path_buf();
        move |source| Self::Io { file, source }
    }

    /// The same fault, said of the file's other name.
    pub(super) fn in_file(self, rename: impl FnOnce(PathBuf) -> PathBuf) -> Self {
        match self {
            Self::Io { file, source } => Self::Io { file: rename(file), source },
            Self::Bad { file, place, found, expected } => {
                Self::Bad { file: rename(file), place, found, expected }
            }
        }
    }
}

/// A fault before it is known which file holds it.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    /// JSON path, or line and column.
    pub(super) place: String,
    /// What is there.
    pub(super) found: String,
    /// What should be.
    pub(super) expected: String,
}

impl Fault {
    pub(super) fn new(
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self { place: place.into(), found: found.into(), expected: expected.into() }
    }

    /// The fault as one of `file`.
    pub(super) fn of(self, file: &Path) -> CaptureError {
        let Self { place, found, expected } = self;
        CaptureError::Bad { file: file.to_path_buf(), place, found, expected }
    }
}
