//! Reading and writing capture sets: the real ones, files that are not what they should be, cut and flipped bytes.

use std::fs;

use replay::capture::manifest::Expected;
use replay::capture::{CaptureError, CaptureSet};

use serde_json::json;

use crate::small_set::{MANIFEST, SmallSet, blob_name};
use crate::support::sample;

#[test]
fn recorded_sets_load() {
    for (name, frames) in [("gate/sekiro_1/set", 5), ("gate/elden_1/set", 3)] {
        let Some(root) = sample(name) else { continue };
        let set = CaptureSet::open(&root).unwrap();
        assert_eq!(set.frames().len(), frames);
        for frame in set.frames() {
            let loaded = set.load(frame).unwrap();
            assert!(loaded.frame.draws().count() > 20);
            assert!(!loaded.dumps.post_vs.is_empty());
            assert_eq!(loaded.dumps.depths.len(), 3);
        }
    }
}

#[test]
fn the_small_set_is_right() {
    SmallSet::new().load().unwrap();
}

#[test]
fn what_the_format_allows_is_read() {
    let small = SmallSet::new();
    // `extra` in every object, formats that are carried, a keep instead of a clear, an empty write.
    let mut frame = small.frame();
    fn sprinkle(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(object) => {
                object.values_mut().for_each(sprinkle);
                object.insert("extra".into(), json!({"anything": [1, null, "x"]}));
            }
            serde_json::Value::Array(array) => array.iter_mut().for_each(sprinkle),
            _ => {}
        }
    }
    sprinkle(&mut frame);
    small.write_frame(&frame);
    small.set("/passes/0/targets/0/clear", json!(null));
    small.set("/passes/0/targets/0/format", json!("bc7_unorm"));
    small.set("/lists/0/commands/1/blob", json!(small.blob(b"")));
    small.load().unwrap();

    // A name with dots is a name; a step of dots is none.
    std::fs::create_dir(small.root.join("own..shaders")).unwrap();
    std::fs::write(small.root.join("own..shaders/A..B.spv"), b"").unwrap();
    small.edit_manifest(
        "\"rigid_gbuffer\"",
        "\"own..shaders/A..B.spv\"\nextra = 1\ntargets = { extra = 3, \"RT 5\" = \"normal\" }",
    );
    small.load().unwrap();
    small.edit_manifest("draws = 2", "draws = 2\nextra = { by = \"hand\" }");
    let set = CaptureSet::open(&small.root).unwrap();
    let figures = &set.manifest().expectations[0].figures;
    assert_eq!(figures.len(), 2);
    assert_eq!(figures["share"], Expected::Range([0.25, 0.5]));
}

#[test]
fn strips_may_record_fewer_indices_than_they_have() {
    let small = SmallSet::new();
    let draw = "/lists/1/commands/0";
    small.set(&format!("{draw}/topology"), json!("triangle_strip"));
    small.set(&format!("{draw}/recorded/post_vs/order"), json!("index"));
    small.set(&format!("{draw}/recorded/post_vs/blob"), json!(small.blob(&[1; 32])));
    small.load().unwrap();
    small.set(&format!("{draw}/recorded/post_vs/blob"), json!(small.blob(&[1; 33])));
    let fault = small.fault();
    let expected =
        "found 33 bytes; expected a multiple of 16 bytes, at most 48 (1 instances of records of 16 bytes)";
    assert!(fault.ends_with(expected), "{fault}");
    // In a list every index has its record.
    small.set(&format!("{draw}/topology"), json!("triangle_list"));
    small.set(&format!("{draw}/recorded/post_vs/blob"), json!(small.blob(&[1; 32])));
    assert!(small.fault().ends_with("found 32 bytes; expected 48 bytes (3 records of 16 bytes)"));
}

/// The first blob the small frame names: the 60 bytes of buffer 1.
fn vertices(small: &SmallSet) -> std::path::PathBuf {
    small.blob_path(&blob_name(&[1; 60]))
}

#[test]
fn files_that_are_not_there_are_named() {
    let cases: [(&str, &str); 5] = [
        ("capture.toml", "capture.toml: the file itself: found no such file; expected a file"),
        ("blobs", "blobs: the folder: found no such folder; expected the set's blobs"),
        ("frames", "frames: the folder: found no frame; expected at least one folder that holds frame.json"),
        (
            "frames/0001",
            "frames: the folder: found no frame; expected at least one folder that holds frame.json",
        ),
        (
            "frames/0001/frame.json",
            "frames/0001/frame.json: the file itself: found no such file; expected a frame",
        ),
    ];
    for (path, expected) in cases {
        let small = SmallSet::new();
        let path = small.root.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        assert_eq!(small.fault(), expected);
    }
    let small = SmallSet::new();
    fs::remove_file(vertices(&small)).unwrap();
    let name = blob_name(&[1; 60]);
    let expected = format!(
        "blobs/{name}.bin: named by frames/0001/frame.json: buffers[0].initial: found no such file, nor one that \
         ends in .bin.zst; expected the bytes of the blob"
    );
    assert_eq!(small.fault(), expected);
    assert!(matches!(
        CaptureSet::open(&small.root.join("nowhere")),
        Err(CaptureError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound
    ));
    let file = small.root.join("capture.toml");
    let message = CaptureSet::open(&file).unwrap_err().to_string();
    assert!(message.ends_with("the set itself: found a file; expected a folder that holds capture.toml"));
}

#[test]
fn a_blob_has_its_name_and_its_length() {
    let small = SmallSet::new();
    let path = vertices(&small);
    let name = blob_name(&[1; 60]);
    let named = format!("blobs/{name}.bin: named by frames/0001/frame.json: buffers[0].initial");
    fs::write(&path, [2; 60]).unwrap();
    let found = format!("found bytes whose SHA-256 is {}", blob_name(&[2; 60]));
    assert_eq!(small.fault(), format!("{named}: {found}; expected those the file is named after"));
    fs::write(&path, [1; 59]).unwrap();
    let expected = "expected 60 bytes (the size of buffer 1)";
    assert_eq!(small.fault(), format!("{named}: found 59 bytes; {expected}"));
    fs::write(&path, [1; 61]).unwrap();
    assert_eq!(small.fault(), format!("{named}: found more than 60 bytes; {expected}"));
}

/// Replaces the raw blob by a compressed one; its path.
fn compress(small: &SmallSet, bytes: &[u8]) -> std::path::PathBuf {
    let raw = vertices(small);
    let packed = raw.with_extension("bin.zst");
    fs::remove_file(raw).unwrap();
    fs::write(&packed, zstd::bulk::compress(bytes, 19).unwrap()).unwrap();
    packed
}

#[test]
fn compressed_blobs_are_read_and_bounded() {
    let small = SmallSet::new();
    let packed = compress(&small, &[1; 60]);
    small.load().unwrap();
    let name = blob_name(&[1; 60]);
    let named = format!("blobs/{name}.bin.zst: named by frames/0001/frame.json: buffers[0].initial");
    // A bomb: 256 MiB in a few kilobytes. Reading stops one byte past the length the buffer has.
    fs::write(&packed, zstd::bulk::compress(&vec![0; 256 << 20], 1).unwrap()).unwrap();
    let expected = "found more than 60 bytes; expected 60 bytes (the size of buffer 1)";
    assert_eq!(small.fault(), format!("{named}: {expected}"));
    fs::write(&packed, b"no zstd").unwrap();
    let fault = small.fault();
    assert!(fault.starts_with(&format!("{named}: found what zstd does not read (")), "{fault}");
    // Where both are there the raw one is read, and checked.
    fs::write(vertices(&small), [1; 60]).unwrap();
    small.load().unwrap();
}

#[test]
fn every_flipped_byte_of_a_blob_is_found() {
    let small = SmallSet::new();
    for path in fs::read_dir(small.root.join("blobs")).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (place % 8);
            fs::write(&path, flipped).unwrap();
            let fault = small.fault();
            assert!(fault.contains("found bytes whose SHA-256 is"), "byte {place}: {fault}");
        }
        fs::write(&path, bytes).unwrap();
    }
    // zstd has bits that mean nothing: such a flip leaves the bytes as they were, any other is found.
    let packed = compress(&small, &[1; 60]);
    let bytes = fs::read(&packed).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&packed, &flipped).unwrap();
        let same = zstd::stream::decode_all(flipped.as_slice()).is_ok_and(|raw| raw == [1; 60]);
        assert_eq!(small.load().is_ok(), same, "bit {bit}");
    }
}

#[test]
fn every_cut_and_every_flipped_byte_of_a_frame_is_a_fault_or_a_value() {
    let small = SmallSet::new();
    let text = serde_json::to_vec(&small.frame()).unwrap();
    let set = CaptureSet::open(&small.root).unwrap();
    for len in 0..text.len() {
        fs::write(small.frame_path(), &text[..len]).unwrap();
        assert!(set.load("0001").is_err(), "{len} bytes");
    }
    let mut values = 0;
    // Two bits a byte: one that moves from byte to byte, and the highest, which is never ASCII.
    for bit in (0..text.len()).flat_map(|place| [place * 8 + place % 7, place * 8 + 7]) {
        let mut flipped = text.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(small.frame_path(), &flipped).unwrap();
        values += usize::from(set.load("0001").is_ok());
    }
    assert!((1..text.len() * 2).contains(&values), "{values}");
}

#[test]
fn every_cut_and_every_flipped_bit_of_the_manifest_is_a_fault_or_a_value() {
    let small = SmallSet::new();
    let path = small.root.join("capture.toml");
    // TOML has no closing bracket: a text cut between two tables is a text. Cut within the last required key it is
    // not, so that the set that is cut here has its source last.
    let text =
        "format = \"replay-capture/1\"\ntitle = \"small\"\ngame = \"sekiro\"\n[source]\nkind = \"synthetic\"";
    fs::write(&path, text).unwrap();
    small.load().unwrap();
    for len in 0..text.len() {
        fs::write(&path, &text[..len]).unwrap();
        assert!(CaptureSet::open(&small.root).is_err(), "{len} bytes");
    }
    for len in 0..MANIFEST.len() {
        fs::write(&path, &MANIFEST[..len]).unwrap();
        drop(CaptureSet::open(&small.root));
    }
    for bit in 0..MANIFEST.len() * 8 {
        let mut flipped = MANIFEST.as_bytes().to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        drop(CaptureSet::open(&small.root));
    }
    fs::write(&path, b"format = \"\xFF\"").unwrap();
    assert_eq!(small.fault(), "capture.toml: byte 10: found what is not UTF-8; expected TOML");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_are_no_files_of_a_set() {
    use std::os::unix::fs::symlink;

    let regular = |kind: &str| format!("the file itself: found {kind}; expected a regular file");
    let places = ["capture.toml", "frames/0001/frame.json", "blob"];
    for place in places {
        let replace = |with: &dyn Fn(&std::path::Path)| {
            let small = SmallSet::new();
            let path = if place == "blob" { vertices(&small) } else { small.root.join(place) };
            let aside = small.root.join("aside");
            fs::rename(&path, aside).unwrap();
            with(&path);
            small.fault()
        };
        let link = replace(&|path| symlink(path.ancestors().nth(2).unwrap().join("aside"), path).unwrap());
        assert!(link.ends_with(&regular("a symbolic link")), "{link}");
        let folder = replace(&|path| fs::create_dir(path).unwrap());
        assert!(folder.ends_with(&regular("a folder")), "{folder}");
        // Opening a pipe would wait for ever.
        let pipe = replace(&|path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        });
        assert!(pipe.ends_with(&regular("a pipe, a socket or a device")), "{pipe}");
    }
    for folder in ["blobs", "frames", "frames/0001"] {
        let small = SmallSet::new();
        let path = small.root.join(folder);
        fs::rename(&path, small.root.join("aside")).unwrap();
        symlink(small.root.join("aside"), &path).unwrap();
        assert_eq!(small.fault(), format!("{folder}: the folder: found a symbolic link; expected a folder"));
    }
}

#[test]
fn frames_are_folders_in_bytewise_order() {
    let small = SmallSet::new();
    for name in ["a", "B", "0010"] {
        fs::create_dir(small.root.join("frames").join(name)).unwrap();
        fs::copy(small.frame_path(), small.root.join("frames").join(name).join("frame.json")).unwrap();
    }
    fs::write(small.root.join("frames/.DS_Store"), b"").unwrap();
    let set = CaptureSet::open(&small.root).unwrap();
    assert_eq!(set.frames(), ["0001", "0010", "B", "a"]);
    let message = set.load("../0001").unwrap_err().to_string();
    assert!(
        message.ends_with("the frame asked for: found `../0001`; expected one of 0001, 0010, B, a"),
        "{message}"
    );
    fs::write(small.root.join("frames/notes.txt"), b"").unwrap();
    assert_eq!(small.fault(), "frames/notes.txt: the folder: found a file; expected a folder");
}

#[test]
fn texts_that_are_deep_long_or_doubled_are_faults() {
    let small = SmallSet::new();
    let text = fs::read_to_string(small.frame_path()).unwrap();
    let cases = [
        (String::new(), "line 1, column 0: found the end of the file within a value; expected JSON"),
        (format!("{text} {{}}"), ": found more after the end of the object; expected one JSON object"),
        (
            text.replacen("\"label\"", &format!("\"extra\": {}, \"label\"", "[".repeat(100_000)), 1),
            "found a fault of syntax (recursion limit exceeded); expected JSON",
        ),
        (
            text.replacen("\"label\"", "\"label\": \"twice\", \"label\"", 1),
            "found the key `label` twice; expected it once",
        ),
        (
            text.replacen("\"speedtree_time\"", "\"speedtree_time\": 1, \"speedtree_time\"", 1),
            "found the key `speedtree_time` twice; expected it once",
        ),
        ("3".into(), "found integer `3`; expected an object"),
    ];
    for (text, expected) in cases {
        fs::write(small.frame_path(), text).unwrap();
        let fault = small.fault();
        assert!(fault.contains(expected), "{fault}");
    }
}

/// `execute` commands of one list.
fn executes(list: usize, targets: &[usize]) -> serde_json::Value {
    let commands: Vec<_> = targets
        .iter()
        .enumerate()
        .map(|(i, target)| json!({"op": "execute", "event": list * 10 + i + 1, "list": target}))
        .collect();
    json!({"id": list, "kind": if list == 0 { "immediate" } else { "deferred" }, "commands": commands})
}

#[test]
fn lists_that_execute_each_other_end() {
    let small = SmallSet::new();
    let load = |lists: Vec<serde_json::Value>| {
        small.set("/lists", json!(lists));
        small.load().map_err(|_| small.fault())
    };
    // A long chain, which must not use up the stack.
    let chain = |len: usize| (0..len).map(|i| executes(i, if i + 1 < len { &[0; 1] } else { &[] })).collect();
    let mut long: Vec<serde_json::Value> = chain(20_000);
    for (i, list) in long.iter_mut().enumerate().take(19_999) {
        list["commands"][0]["list"] = json!(i + 1);
    }
    load(long).unwrap();
    // A circle of three that list 0 does not reach is a circle all the same.
    let circle = vec![executes(0, &[]), executes(1, &[2]), executes(2, &[3]), executes(3, &[1])];
    assert_eq!(
        load(circle).unwrap_err(),
        "frames/0001/frame.json: lists[3].commands[0].list: found a list that executes itself (1 > 2 > 3 > 1); \
         expected no circle"
    );
    // Each list executes the next twice: 2 to the 24th commands and more.
    let bomb =
        (0..26).map(|i| if i < 25 { executes(i, &[i + 1, i + 1]) } else { executes(i, &[]) }).collect();
    assert_eq!(
        load(bomb).unwrap_err(),
        "frames/0001/frame.json: lists: found 67108862 commands; expected at most 10000000 commands with every \
         execute replaced by what it runs"
    );
}
