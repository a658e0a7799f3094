//! Writes capture sets. A set appears when it is complete, or not at all.
//!
//! In: blobs, frames and `capture.toml`. Out: a folder, the same bytes for the same input: blobs are named by their
//! contents, keys have a fixed order, and nothing of the time or the machine is written.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::blob::hash_of;
use super::error::Fault;
use super::manifest::{BlobHash, CaptureFile, FrameFile};
use super::read::MANIFEST;
use super::validate::manifest::is_inside;
use super::{CaptureError, CaptureSet, spell};

/// Sets are written once and read for years: close to the most that zstd offers.
const LEVEL: i32 = 19;

/// A set being written: it grows in a temporary folder beside its place and is moved there by [`finish`](Self::finish).
/// Dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct SetWriter {
    dest: PathBuf,
    /// Removed on drop, with whatever is still in it.
    _temp: TempDir,
    root: PathBuf,
    blobs: BTreeSet<BlobHash>,
    frames: BTreeSet<String>,
}

impl SetWriter {
    /// Begins a set that will appear at `dest`.
    ///
    /// # Errors
    /// `dest` exists and is not an empty folder, or its parent cannot be written.
    pub fn new(dest: &Path) -> Result<Self, CaptureError> {
        let parent = match dest.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        vacant(dest)?;
        // The set itself is a folder of that folder, made with the permissions of any other.
        let temp = tempfile::Builder::new()
            .prefix(".replay-set-")
            .tempdir_in(parent)
            .map_err(CaptureError::io(parent))?;
        let root = temp.path().join("set");
        for folder in [root.clone(), root.join("blobs"), root.join("frames")] {
            fs::create_dir(&folder).map_err(CaptureError::io(&folder))?;
        }
        let (blobs, frames) = (BTreeSet::new(), BTreeSet::new());
        Ok(Self { dest: dest.to_path_buf(), _temp: temp, root, blobs, frames })
    }

    /// Adds bytes, once for equal bytes; compressed where that saves a tenth or more.
    ///
    /// # Errors
    /// The file system said no.
    pub fn blob(&mut self, bytes: &[u8]) -> Result<BlobHash, CaptureError> {
        let hash = hash_of(bytes);
        if self.blobs.insert(hash) {
            let name = format!("blobs/{hash}.bin");
            let packed =
                zstd::bulk::compress(bytes, LEVEL).map_err(CaptureError::io(&self.dest.join(&name)))?;
            if packed.len() as u64 * 10 <= bytes.len() as u64 * 9 {
                self.write(&format!("{name}.zst"), &packed)?;
            } else {
                self.write(&name, bytes)?;
            }
        }
        Ok(hash)
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// `name` is no name for a folder or was given before, or the file system said no.
    pub fn frame(&mut self, name: &str, file: &FrameFile) -> Result<(), CaptureError> {
        let fault = |expected| {
            Err(Fault::new("a frame's name", format!("`{name}`"), expected).of(&self.dest.join("frames")))
        };
        if !is_inside(name) || name.contains('/') || name.starts_with('.') {
            return fault("the name of a folder, without a dot at its start");
        }
        if !self.frames.insert(name.to_owned()) {
            return fault("each name once");
        }
        let path = format!("frames/{name}/frame.json");
        let text = spell::frame(file).map_err(CaptureError::io(&self.dest.join(&path)))?;
        self.write(&path, text.as_bytes())
    }

    /// Adds a text file to the set, such as `README.md` or `shaders/own.vert.hlsl`.
    ///
    /// # Errors
    /// `name` is no path inside the set, or one of a file that is there; or the file system said no.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), CaptureError> {
        let first = name.split('/').next().unwrap_or_default();
        if !is_inside(name) || [MANIFEST, "frames", "blobs"].contains(&first) {
            let expected = "a path inside the set, beside capture.toml, frames and blobs";
            return Err(Fault::new("a text's name", format!("`{name}`"), expected).of(&self.dest));
        }
        self.write(name, text.as_bytes())
    }

    /// Writes `capture.toml`, checks the whole set by reading it, and moves it to its place.
    ///
    /// # Errors
    /// The file system said no, or the set is faulty.
    pub fn finish(self, manifest: &CaptureFile) -> Result<(), CaptureError> {
        let text = toml::to_string(manifest)
            .map_err(|error| CaptureError::io(&self.dest.join(MANIFEST))(io::Error::other(error)))?;
        self.write(MANIFEST, text.as_bytes())?;
        self.read_back().map_err(|error| {
            error.in_file(|file| match file.strip_prefix(&self.root) {
                Ok(inside) => self.dest.join(inside),
                Err(_) => file,
            })
        })?;
        vacant(&self.dest)?;
        match fs::remove_dir(&self.dest) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(CaptureError::io(&self.dest)(error)),
        }
        fs::rename(&self.root, &self.dest).map_err(CaptureError::io(&self.dest))
    }

    fn read_back(&self) -> Result<(), CaptureError> {
        let set = CaptureSet::open(&self.root)?;
        set.frames().iter().try_for_each(|frame| set.load(frame).map(drop))
    }

    /// Writes a new file of the set.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), CaptureError> {
        let path = self.root.join(name);
        let shown = self.dest.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(CaptureError::io(&shown))?;
        }
        let mut file = fs::File::create_new(&path).map_err(CaptureError::io(&shown))?;
        io::Write::write_all(&mut file, bytes).map_err(CaptureError::io(&shown))
    }
}

/// A set never overwrites anything: its place is free or an empty folder.
fn vacant(dest: &Path) -> Result<(), CaptureError> {
    let metadata = match fs::symlink_metadata(dest) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(CaptureError::io(dest)(error)),
    };
    let found = if !metadata.is_dir() {
        "something that is no folder"
    } else if fs::read_dir(dest).map_err(CaptureError::io(dest))?.next().is_some() {
        "a folder that is not empty"
    } else {
        return Ok(());
    };
    Err(Fault::new("the place of the new set", found, "nothing, or an empty folder").of(dest))
}
