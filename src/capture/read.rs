//! Opens capture sets.

use std::path::{Path, PathBuf};

use super::manifest::CaptureFile;
use super::{CaptureError, LoadedFrame};

/// An opened capture set. Frames are loaded one at a time.
#[derive(Debug)]
pub struct CaptureSet {
    root: PathBuf,
    manifest: CaptureFile,
    frames: Vec<String>,
}

impl CaptureSet {
    /// Reads and checks `capture.toml` and lists the frames.
    ///
    /// # Errors
    /// Any fault of the set that can be seen without loading a frame.
    pub fn open(root: &Path) -> Result<Self, CaptureError> {
        let _ = root;
        todo!()
    }

    /// The set's folder name.
    pub fn name(&self) -> String {
        self.root.file_name().unwrap_or(self.root.as_os_str()).to_string_lossy().into_owned()
    }

    /// The set's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `capture.toml`.
    pub fn manifest(&self) -> &CaptureFile {
        &self.manifest
    }

    /// Frame names, in order.
    pub fn frames(&self) -> &[String] {
        &self.frames
    }

    /// Reads, checks and parts one frame; every blob it names is there, of the right length and the right hash.
    ///
    /// # Errors
    /// Any fault of the frame or its blobs.
    pub fn load(&self, frame: &str) -> Result<LoadedFrame, CaptureError> {
        let _ = frame;
        todo!()
    }
}
