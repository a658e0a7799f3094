//! A copy of a capture set in which a test changes one thing.

use std::fs;
use std::path::{Path, PathBuf};

use replay::capture::manifest::{BlobHash, Command, Draw, FrameFile};
use sha2::{Digest, Sha256};

/// A copied set; it goes when the value does.
pub(crate) struct Edited {
    folder: tempfile::TempDir,
    name: String,
}

impl Edited {
    /// Copies a set.
    pub(crate) fn copy_of(set: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = set.file_name().unwrap().to_str().unwrap().to_owned();
        copy_tree(set, &folder.path().join(&name));
        Self { folder, name }
    }

    /// The copy's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn frame_path(&self, frame: &str) -> PathBuf {
        self.root().join("frames").join(frame).join("frame.json")
    }

    /// A frame as it stands, dumps included.
    pub(crate) fn frame(&self, frame: &str) -> FrameFile {
        serde_json::from_str(&fs::read_to_string(self.frame_path(frame)).unwrap()).unwrap()
    }

    /// Changes a frame.
    pub(crate) fn edit(&self, frame: &str, change: impl FnOnce(&mut FrameFile, &Self)) {
        let mut file = self.frame(frame);
        let before = file.clone();
        change(&mut file, self);
        assert!(file != before, "the edit of frame {frame} changed nothing");
        fs::write(self.frame_path(frame), serde_json::to_string(&file).unwrap()).unwrap();
    }

    /// The bytes of a blob.
    pub(crate) fn blob(&self, hash: &BlobHash) -> Vec<u8> {
        let path = self.root().join("blobs").join(format!("{hash}.bin"));
        match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(_) => zstd::decode_all(fs::File::open(path.with_extension("bin.zst")).unwrap()).unwrap(),
        }
    }

    /// Adds bytes as a blob under their right name.
    pub(crate) fn add_blob(&self, bytes: &[u8]) -> BlobHash {
        let hash = BlobHash(Sha256::digest(bytes).into());
        fs::write(self.root().join("blobs").join(format!("{hash}.bin")), bytes).unwrap();
        hash
    }

    /// A changed copy of a blob.
    pub(crate) fn changed(&self, hash: &BlobHash, change: impl FnOnce(&mut Vec<u8>)) -> BlobHash {
        let mut bytes = self.blob(hash);
        change(&mut bytes);
        self.add_blob(&bytes)
    }
}

/// Every draw command of a frame, with the place of its list and its own.
pub(crate) fn draws(file: &FrameFile) -> impl Iterator<Item = (usize, usize, &Draw)> {
    file.lists.iter().enumerate().flat_map(|(l, list)| {
        list.commands.iter().enumerate().filter_map(move |(c, command)| match command {
            Command::Draw(draw) => Some((l, c, draw.as_ref())),
            _ => None,
        })
    })
}

/// The first draw that is `wanted`, to be changed.
pub(crate) fn draw_mut(file: &mut FrameFile, wanted: impl Fn(&Draw) -> bool) -> &mut Draw {
    let draws = file.lists.iter_mut().flat_map(|l| &mut l.commands).filter_map(|command| match command {
        Command::Draw(draw) => Some(draw.as_mut()),
        _ => None,
    });
    draws.into_iter().find(|draw| wanted(draw)).expect("the set has such a draw")
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
