//! Writes capture sets. A set appears when it is complete, or not at all.

use std::path::Path;

use super::CaptureError;
use super::manifest::{BlobHash, CaptureFile, FrameFile};

/// A set being written: it grows in a temporary folder beside its place and is moved there by [`finish`](Self::finish).
#[derive(Debug)]
pub struct SetWriter {}

impl SetWriter {
    /// Begins a set that will appear at `dest`.
    ///
    /// # Errors
    /// `dest` exists and is not an empty folder, or its parent cannot be written.
    pub fn new(dest: &Path) -> Result<Self, CaptureError> {
        let _ = dest;
        todo!()
    }

    /// Adds bytes, once for equal bytes; compressed where that saves something.
    ///
    /// # Errors
    /// The file system said no.
    pub fn blob(&mut self, bytes: &[u8]) -> Result<BlobHash, CaptureError> {
        let _ = bytes;
        todo!()
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// The file system said no.
    pub fn frame(&mut self, name: &str, file: &FrameFile) -> Result<(), CaptureError> {
        let _ = (name, file);
        todo!()
    }

    /// Adds a text file beside `capture.toml`, such as `README.md`.
    ///
    /// # Errors
    /// The file system said no.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), CaptureError> {
        let _ = (name, text);
        todo!()
    }

    /// Writes `capture.toml`, checks the whole set by reading it, and moves it to its place.
    ///
    /// # Errors
    /// The file system said no, or the set is faulty.
    pub fn finish(self, manifest: &CaptureFile) -> Result<(), CaptureError> {
        let _ = manifest;
        todo!()
    }
}
