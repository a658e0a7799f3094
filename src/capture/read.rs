//! Opens capture sets.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::blob::{BlobStore, is_absent, open_regular};
use super::error::Fault;
use super::manifest::CaptureFile;
use super::{CaptureError, LoadedFrame, parse, validate};

/// The name of the hand-editable file.
pub(super) const MANIFEST: &str = "capture.toml";
/// The greatest `capture.toml`: 16 MiB. It is written by hand.
const MANIFEST_MOST: u64 = 16 << 20;
/// The greatest `frame.json`: 1 GiB, some million draws.
const FRAME_MOST: u64 = 1 << 30;

/// An opened capture set. Frames are loaded one at a time.
#[derive(Debug)]
pub struct CaptureSet {
    root: PathBuf,
    manifest: CaptureFile,
    frames: Vec<String>,
    blobs: BlobStore,
}

impl CaptureSet {
    /// Reads and checks `capture.toml` and lists the frames.
    ///
    /// # Errors
    /// Any fault of the set that can be seen without loading a frame.
    pub fn open(root: &Path) -> Result<Self, CaptureError> {
        if !fs::metadata(root).map_err(CaptureError::io(root))?.is_dir() {
            return Err(Fault::new("the set itself", "a file", "a folder that holds capture.toml").of(root));
        }
        let path = root.join(MANIFEST);
        let text = String::from_utf8(read_whole(&path, MANIFEST_MOST)?).map_err(|error| {
            let place = format!("byte {}", error.utf8_error().valid_up_to());
            Fault::new(place, "what is not UTF-8", "TOML").of(&path)
        })?;
        let manifest = parse::capture_file(&text).map_err(|fault| fault.of(&path))?;
        validate::manifest::check(&manifest).map_err(|fault| fault.of(&path))?;
        let frames = list_frames(root)?;
        validate::manifest::check_frames(&manifest, &frames).map_err(|fault| fault.of(&path))?;
        for (index, rule) in manifest.programs.iter().enumerate() {
            if let Some(shader) = rule.shader_path() {
                check_shader(root, shader, index)?;
            }
        }
        let blobs = root.join("blobs");
        if !is_plain_folder(&blobs)? {
            return Err(Fault::new("the folder", "no such folder", "the set's blobs").of(&blobs));
        }
        Ok(Self { root: root.to_path_buf(), manifest, frames, blobs: BlobStore::new(blobs) })
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
        let folder = self.root.join("frames");
        if !self.frames.iter().any(|name| name == frame) {
            let expected = format!("one of {}", self.frames.join(", "));
            return Err(Fault::new("the frame asked for", format!("`{frame}`"), expected).of(&folder));
        }
        let path = folder.join(frame).join("frame.json");
        let file = parse::frame_file(&read_whole(&path, FRAME_MOST)?).map_err(|fault| fault.of(&path))?;
        let uses = validate::check(&file).map_err(|fault| fault.of(&path))?;
        let blobs = self.blobs.load(&format!("frames/{frame}/frame.json"), &uses)?;
        Ok(LoadedFrame::part(frame.to_owned(), file, blobs))
    }
}

/// Reads a file of at most `most` bytes.
fn read_whole(path: &Path, most: u64) -> Result<Vec<u8>, CaptureError> {
    let Some(file) = open_regular(path)? else {
        return Err(Fault::new("the file itself", "no such file", "a file").of(path));
    };
    let mut bytes = Vec::new();
    File::take(file, most + 1).read_to_end(&mut bytes).map_err(CaptureError::io(path))?;
    if bytes.len() as u64 > most {
        let found = format!("more than {most} bytes");
        return Err(Fault::new("the file itself", found, format!("at most {most} bytes")).of(path));
    }
    Ok(bytes)
}

/// Whether a folder is there; anything else of that name, a link to a folder too, is a fault.
fn is_plain_folder(path: &Path) -> Result<bool, CaptureError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(metadata) => {
            let found = if metadata.is_symlink() { "a symbolic link" } else { "a file" };
            Err(Fault::new("the folder", found, "a folder").of(path))
        }
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(CaptureError::io(path)(error)),
    }
}

/// The frames' names, sorted bytewise. Names that start with a dot are the file manager's and left out.
fn list_frames(root: &Path) -> Result<Vec<String>, CaptureError> {
    let folder = root.join("frames");
    let none =
        || Fault::new("the folder", "no frame", "at least one folder that holds frame.json").of(&folder);
    if !is_plain_folder(&folder)? {
        return Err(none());
    }
    let mut frames = Vec::new();
    for entry in fs::read_dir(&folder).map_err(CaptureError::io(&folder))? {
        let entry = entry.map_err(CaptureError::io(&folder))?;
        let path = entry.path();
        let name = entry.file_name().into_string().map_err(|name| {
            let found = format!("`{}`", name.to_string_lossy());
            Fault::new("a frame's name", found, "a name in UTF-8").of(&folder)
        })?;
        if name.starts_with('.') {
            continue;
        }
        is_plain_folder(&path)?;
        let file = path.join("frame.json");
        if fs::symlink_metadata(&file).is_err_and(|error| is_absent(&error)) {
            return Err(Fault::new("the file itself", "no such file", "a frame").of(&file));
        }
        frames.push(name);
    }
    frames.sort_unstable();
    if frames.is_empty() { Err(none()) } else { Ok(frames) }
}

/// A shader inside the set must be there, and no link may lead out of the set.
fn check_shader(root: &Path, shader: &str, index: usize) -> Result<(), CaptureError> {
    let fault = |found: &str| {
        let found = format!("`{shader}`, which is {found}");
        Fault::new(format!("program[{index}].shader"), found, "a shader's file inside the set")
            .of(&root.join(MANIFEST))
    };
    let mut path = root.to_path_buf();
    let mut steps = shader.split('/').peekable();
    while let Some(step) = steps.next() {
        path.push(step);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Err(fault("not there")),
            Err(error) => return Err(CaptureError::io(&path)(error)),
        };
        let right = if steps.peek().is_some() { metadata.is_dir() } else { metadata.is_file() };
        if !right {
            return Err(fault("no regular file, or lies behind a link"));
        }
    }
    Ok(())
}
