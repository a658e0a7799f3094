//! Writing capture sets: what is written is read back, twice the same, completely or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use replay::capture::manifest::{CaptureFile, FrameFile};
use replay::capture::{CaptureSet, SetWriter};

use crate::small_set::{MANIFEST, SmallSet};
use crate::support::sample;

/// The frame of a set as its file says.
fn frame_file(root: &Path, frame: &str) -> FrameFile {
    serde_json::from_slice(&fs::read(root.join("frames").join(frame).join("frame.json")).unwrap()).unwrap()
}

/// The raw bytes of every blob of a set.
fn blobs(root: &Path) -> Vec<Vec<u8>> {
    let paths = fs::read_dir(root.join("blobs")).unwrap().map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            if path.extension().is_some_and(|e| e == "zst") {
                zstd::stream::decode_all(bytes.as_slice()).unwrap()
            } else {
                bytes
            }
        })
        .collect()
}

/// Every file below a folder, by its path.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Reads a set and writes it anew.
fn rewrite(from: &Path, to: &Path) {
    let set = CaptureSet::open(from).unwrap();
    let mut writer = SetWriter::new(to).unwrap();
    for bytes in blobs(from) {
        writer.blob(&bytes).unwrap();
    }
    for frame in set.frames() {
        writer.frame(frame, &frame_file(from, frame)).unwrap();
    }
    writer.text("README.md", "what it is\n").unwrap();
    writer.finish(set.manifest()).unwrap();
}

#[test]
fn what_is_written_is_read_back_and_always_the_same() {
    let small = SmallSet::new();
    small.set("/extra", serde_json::json!({"z": 1, "a": [1.5, 0.1, 1e300]}));
    small.set("/values/third", serde_json::json!(1.0 / 3.0));
    let temp = tempfile::tempdir().unwrap();
    let mut roots = vec![small.root.clone()];
    roots.extend(sample("gate/sekiro_1/set"));
    for (index, root) in roots.iter().enumerate() {
        let [first, second] = ["first", "second"].map(|name| temp.path().join(format!("{name}{index}")));
        rewrite(root, &first);
        // The second comes from the first: nothing is lost on the way.
        rewrite(&first, &second);
        assert!(tree(&first) == tree(&second));
        let (from, to) = (CaptureSet::open(root).unwrap(), CaptureSet::open(&first).unwrap());
        assert_eq!(from.manifest(), to.manifest());
        assert_eq!(from.frames(), to.frames());
        for frame in from.frames() {
            assert_eq!(frame_file(root, frame), frame_file(&first, frame));
        }
    }
    // Nothing else is left beside the sets.
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), roots.len() * 2);
}

#[test]
fn a_frame_is_a_line_a_command() {
    let small = SmallSet::new();
    let temp = tempfile::tempdir().unwrap();
    let to = temp.path().join("set");
    rewrite(&small.root, &to);
    let text = fs::read_to_string(to.join("frames/0001/frame.json")).unwrap();
    let line = "   {\"op\": \"execute\", \"event\": 4, \"list\": 1},";
    assert!(text.lines().any(|l| l == line), "{text}");
    assert_eq!(text.lines().filter(|l| l.trim_start().starts_with("{\"op\"")).count(), 9);
}

#[test]
fn blobs_are_compressed_where_it_pays() {
    let temp = tempfile::tempdir().unwrap();
    let to = temp.path().join("set");
    let mut writer = SetWriter::new(&to).unwrap();
    let noise: Vec<u8> =
        (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 ^ (i >> 3) as u8).collect();
    let flat = writer.blob(&[7; 4096]).unwrap();
    assert_eq!(writer.blob(&[7; 4096]).unwrap(), flat);
    let empty = writer.blob(b"").unwrap();
    let few = writer.blob(&noise[..16]).unwrap();
    let file: CaptureFile = toml::from_str(MANIFEST).unwrap();
    let small = SmallSet::new();
    for bytes in blobs(&small.root) {
        writer.blob(&bytes).unwrap();
    }
    writer.frame("0001", &frame_file(&small.root, "0001")).unwrap();
    writer.finish(&file).unwrap();
    assert!(to.join(format!("blobs/{flat}.bin.zst")).is_file());
    assert!(to.join(format!("blobs/{empty}.bin")).is_file());
    assert!(to.join(format!("blobs/{few}.bin")).is_file());
}

#[test]
fn a_faulty_or_forsaken_set_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let to = temp.path().join("set");
    let small = SmallSet::new();
    let file: CaptureFile = toml::from_str(MANIFEST).unwrap();
    let count = || fs::read_dir(temp.path()).unwrap().count();

    let mut writer = SetWriter::new(&to).unwrap();
    writer.blob(&[1; 60]).unwrap();
    assert_eq!(count(), 1);
    drop(writer);
    assert_eq!(count(), 0);

    // A blob is missing: the message names the place the set was to have.
    let mut writer = SetWriter::new(&to).unwrap();
    writer.frame("0001", &frame_file(&small.root, "0001")).unwrap();
    let message = writer.finish(&file).unwrap_err().to_string();
    assert!(message.starts_with(&to.join("blobs").display().to_string()), "{message}");
    assert_eq!(count(), 0);

    // A number that JSON does not have.
    let mut writer = SetWriter::new(&to).unwrap();
    let mut frame = frame_file(&small.root, "0001");
    frame.values.insert("nan".into(), f64::NAN);
    writer.frame("0001", &frame).unwrap();
    let message = writer.finish(&file).unwrap_err().to_string();
    assert!(message.contains("frame.json: values.nan"), "{message}");
    assert_eq!(count(), 0);
}

#[test]
fn nothing_is_overwritten_and_names_stay_inside() {
    let temp = tempfile::tempdir().unwrap();
    let to = temp.path().join("set");
    fs::create_dir(&to).unwrap();
    fs::write(to.join("mine.txt"), b"").unwrap();
    let message = SetWriter::new(&to).unwrap_err().to_string();
    assert!(message.ends_with("found a folder that is not empty; expected nothing, or an empty folder"));
    let message = SetWriter::new(&to.join("mine.txt")).unwrap_err().to_string();
    assert!(message.ends_with("found something that is no folder; expected nothing, or an empty folder"));
    assert!(SetWriter::new(&temp.path().join("no/such/parent")).is_err());

    let small = SmallSet::new();
    let empty = temp.path().join("empty");
    fs::create_dir(&empty).unwrap();
    rewrite(&small.root, &empty);
    assert!(CaptureSet::open(&empty).is_ok());

    let mut writer = SetWriter::new(&temp.path().join("names")).unwrap();
    let frame = frame_file(&small.root, "0001");
    for name in ["", ".", "..", "../x", "a/b", "/a", "a\\b", "c:", ".hidden", "a\0"] {
        assert!(writer.frame(name, &frame).is_err(), "{name:?}");
    }
    for name in ["", "../x", "/x", "a/../../x", "capture.toml", "blobs/x", "frames/x"] {
        assert!(writer.text(name, "").is_err(), "{name:?}");
    }
    writer.frame("a", &frame).unwrap();
    assert!(writer.frame("a", &frame).is_err());
    writer.text("shaders/own.frag.hlsl", "").unwrap();
    assert!(writer.text("shaders/own.frag.hlsl", "").is_err());
}
