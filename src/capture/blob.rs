//! Blobs: content-addressed bytes, memory-mapped or decompressed, always hash-checked.
//!
//! In: the blobs a frame names, each with the place that names it and the length that place implies. Out: their
//! bytes. A length from a file is only ever a bound: memory grows with the bytes that are really there.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::CaptureError;
use super::error::Fault;
use super::manifest::BlobHash;

/// Files from this length on are mapped. Below it a copy is cheaper than a mapping, of which a process has few
/// (65,530 on Linux).
const MAP_FROM: u64 = 16 * 1024;

/// The length that a use of a blob implies.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Length {
    /// So many bytes.
    Exactly {
        /// The length.
        bytes: u64,
        /// Why, for the reader of a fault.
        why: String,
    },
    /// No more than so many bytes.
    AtMost {
        /// The greatest length.
        bytes: u64,
        /// Why, for the reader of a fault.
        why: String,
    },
    /// Whole groups of so many bytes, at most `most` in all. A group is not 0 bytes.
    Groups {
        /// Bytes of a group.
        group: u64,
        /// The greatest length.
        most: u64,
        /// Why, for the reader of a fault.
        why: String,
    },
}

impl Length {
    /// The greatest length that is right.
    fn most(&self) -> u64 {
        match *self {
            Self::Exactly { bytes, .. } | Self::AtMost { bytes, .. } => bytes,
            Self::Groups { most, .. } => most,
        }
    }

    fn admits(&self, len: u64) -> bool {
        match *self {
            Self::Exactly { bytes, .. } => len == bytes,
            Self::AtMost { bytes, .. } => len <= bytes,
            Self::Groups { group, most, .. } => len <= most && len.is_multiple_of(group),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly { bytes, why } => write!(f, "{bytes} bytes ({why})"),
            Self::AtMost { bytes, why } => write!(f, "at most {bytes} bytes ({why})"),
            Self::Groups { group, most, why } => {
                write!(f, "a multiple of {group} bytes, at most {most} ({why})")
            }
        }
    }
}

/// A place of a frame file that names a blob.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlobUse {
    pub(super) hash: BlobHash,
    /// JSON path.
    pub(super) place: String,
    pub(super) length: Length,
}

/// The blobs of a set.
#[derive(Debug)]
pub(super) struct BlobStore {
    folder: PathBuf,
    /// The blobs of the frame loaded last: frames that follow one another share most of theirs. No more than one
    /// frame's blobs are held, whatever the number of frames.
    last: Mutex<HashMap<BlobHash, Bytes>>,
}

/// What reading up to a bound gives.
enum Contents {
    Whole(Bytes),
    TooLong,
}

impl BlobStore {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, last: Mutex::default() }
    }

    /// Reads and checks every blob that `frame_file` uses, many at a time.
    ///
    /// # Errors
    /// The first fault in the order of `uses`.
    pub(super) fn load(
        &self,
        frame_file: &str,
        uses: &[BlobUse],
    ) -> Result<BTreeMap<BlobHash, Bytes>, CaptureError> {
        let mut places: HashMap<BlobHash, usize> = HashMap::new();
        let mut groups: Vec<(BlobHash, Vec<&BlobUse>)> = Vec::new();
        for one in uses {
            let place = *places.entry(one.hash).or_insert_with(|| {
                groups.push((one.hash, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, group)) = groups.get_mut(place) {
                group.push(one);
            }
        }
        let known = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            last.retain(|hash, _| places.contains_key(hash));
            last.clone()
        };
        let read: Vec<Result<(BlobHash, Bytes), CaptureError>> = groups
            .par_iter()
            .map(|(hash, uses)| Ok((*hash, self.one(*hash, uses, known.get(hash), frame_file)?)))
            .collect();
        let blobs: BTreeMap<_, _> = read.into_iter().collect::<Result<_, _>>()?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = blobs.iter().map(|(hash, bytes)| (*hash, bytes.clone())).collect();
        Ok(blobs)
    }

    /// Reads one blob and holds it against all of its uses.
    fn one(
        &self,
        hash: BlobHash,
        uses: &[&BlobUse],
        known: Option<&Bytes>,
        frame_file: &str,
    ) -> Result<Bytes, CaptureError> {
        let Some(strictest) = uses.iter().min_by_key(|u| u.length.most()) else { return Ok(Bytes::new()) };
        let most = strictest.length.most();
        let named = |one: &BlobUse| format!("named by {frame_file}: {}", one.place);
        let raw = self.folder.join(format!("{hash}.bin"));
        let packed = self.folder.join(format!("{hash}.bin.zst"));
        let (path, contents) = if let Some(bytes) = known {
            (raw, Contents::Whole(bytes.clone()))
        } else if let Some(file) = open_regular(&raw)? {
            let contents = read_raw(&file, most).map_err(CaptureError::io(&raw))?;
            (raw, contents)
        } else if let Some(file) = open_regular(&packed)? {
            let contents = unpack(file, most).map_err(|error| {
                Fault::new(named(strictest), format!("what zstd does not read ({error})"), "zstd frames")
                    .of(&packed)
            })?;
            (packed, contents)
        } else {
            let found = "no such file, nor one that ends in .bin.zst";
            return Err(Fault::new(named(strictest), found, "the bytes of the blob").of(&raw));
        };
        let bytes = match contents {
            Contents::Whole(bytes) => bytes,
            Contents::TooLong => {
                let found = format!("more than {most} bytes");
                return Err(Fault::new(named(strictest), found, strictest.length.to_string()).of(&path));
            }
        };
        if let Some(wrong) = uses.iter().find(|u| !u.length.admits(bytes.len() as u64)) {
            let found = format!("{} bytes", bytes.len());
            return Err(Fault::new(named(wrong), found, wrong.length.to_string()).of(&path));
        }
        if known.is_none() {
            let sum = hash_of(&bytes);
            if sum != hash {
                let found = format!("bytes whose SHA-256 is {sum}");
                return Err(Fault::new(named(strictest), found, "those the file is named after").of(&path));
            }
        }
        Ok(bytes)
    }
}

/// The name bytes have as a blob.
pub(super) fn hash_of(bytes: &[u8]) -> BlobHash {
    BlobHash(Sha256::digest(bytes).into())
}

/// Opens a file for reading; `None` where there is none. Anything but a regular file is refused before it is opened:
/// opening a pipe waits for a writer, and a link may leave the set.
pub(super) fn open_regular(path: &Path) -> Result<Option<File>, CaptureError> {
    let refuse = |kind: std::fs::FileType| {
        let found = match kind {
            kind if kind.is_symlink() => "a symbolic link",
            kind if kind.is_dir() => "a folder",
            _ => "a pipe, a socket or a device",
        };
        Fault::new("the file itself", found, "a regular file").of(path)
    };
    let kind = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(CaptureError::io(path)(error)),
    };
    if !kind.is_file() {
        return Err(refuse(kind));
    }
    let file = File::open(path).map_err(CaptureError::io(path))?;
    let kind = file.metadata().map_err(CaptureError::io(path))?.file_type();
    if kind.is_file() { Ok(Some(file)) } else { Err(refuse(kind)) }
}

/// Whether the error says that nothing has that name.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read_raw(file: &File, most: u64) -> io::Result<Contents> {
    let len = file.metadata()?.len();
    if len > most {
        return Ok(Contents::TooLong);
    }
    if len >= MAP_FROM
        && let Some(bytes) = map(file, len)
    {
        return Ok(Contents::Whole(bytes));
    }
    read_to(file, most)
}

/// Maps a file that is `len` bytes long; `None` where the system does not (too many mappings, an odd file system).
#[allow(unsafe_code)]
fn map(file: &File, len: u64) -> Option<Bytes> {
    let options = memmap2::MmapOptions::new().len(usize::try_from(len).ok()?).to_owned();
    // SAFETY: the mapping is private and read-only, so that nothing in this process changes it, and `len` is the
    // length the open file has. The one risk left is documented: another process that changes or cuts the file while
    // the set is read (a cut raises SIGBUS). Capture sets are not edited during a run.
    let map = unsafe { options.map_copy_read_only(file) }.ok()?;
    Some(Bytes::from_owner(map))
}

fn unpack(file: File, most: u64) -> io::Result<Contents> {
    // The decoder keeps zstd's own limit of 128 MiB on the window a file may ask for.
    read_to(zstd::stream::read::Decoder::new(file)?, most)
}

/// Reads to the end, or to one byte past `most`.
fn read_to(source: impl Read, most: u64) -> io::Result<Contents> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Ok(Contents::TooLong);
    }
    bytes.shrink_to_fit();
    Ok(Contents::Whole(bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(hash: BlobHash, bytes: u64) -> BlobUse {
        BlobUse { hash, place: "p".into(), length: Length::Exactly { bytes, why: "w".into() } }
    }

    #[test]
    fn a_length_admits_what_it_says() {
        let why = String::new;
        let groups = Length::Groups { group: 16, most: 48, why: why() };
        let admitted = |length: &Length| (0..=64).filter(|n| length.admits(*n)).collect::<Vec<_>>();
        assert_eq!(admitted(&groups), [0, 16, 32, 48]);
        assert_eq!(admitted(&Length::Exactly { bytes: 3, why: why() }), [3]);
        assert_eq!(admitted(&Length::AtMost { bytes: 2, why: why() }), [0, 1, 2]);
    }

    #[test]
    fn no_more_than_one_frames_blobs_are_kept() {
        let temp = tempfile::tempdir().unwrap();
        let store = BlobStore::new(temp.path().to_path_buf());
        // Read into memory, and mapped.
        let blobs = [vec![1u8; 10], vec![2; MAP_FROM as usize + 1], vec![3; 20]];
        let uses: Vec<_> = blobs.iter().map(|b| exactly(hash_of(b), b.len() as u64)).collect();
        for (one, bytes) in uses.iter().zip(&blobs) {
            std::fs::write(temp.path().join(format!("{}.bin", one.hash)), bytes).unwrap();
        }
        let read = store.load("f", &uses[..2]).unwrap();
        assert!(blobs[..2].iter().all(|b| read[&hash_of(b)] == b));
        // The second blob is shared and not read again; the first is let go.
        std::fs::remove_file(temp.path().join(format!("{}.bin", uses[1].hash))).unwrap();
        let again = store.load("f", &uses[1..]).unwrap();
        assert_eq!(again[&uses[1].hash].as_ptr(), read[&uses[1].hash].as_ptr());
        assert_eq!(store.last.lock().unwrap().keys().filter(|h| **h == uses[0].hash).count(), 0);
        // What is kept still has to be as long as each use says.
        assert!(store.load("f", &[exactly(uses[1].hash, 5)]).is_err());
    }

    #[test]
    fn a_blob_used_twice_answers_to_both_uses() {
        let temp = tempfile::tempdir().unwrap();
        let store = BlobStore::new(temp.path().to_path_buf());
        let hash = hash_of(&[1; 10]);
        std::fs::write(temp.path().join(format!("{hash}.bin")), [1; 10]).unwrap();
        let mut longer = exactly(hash, 11);
        longer.place = "q".into();
        let message = store.load("f", &[exactly(hash, 10), longer]).unwrap_err().to_string();
        assert!(message.ends_with("named by f: q: found 10 bytes; expected 11 bytes (w)"), "{message}");
    }
}
