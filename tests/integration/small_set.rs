//! A small valid set for tests that break one thing.

use std::fs;
use std::path::PathBuf;

use replay::capture::CaptureSet;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A small valid set in a temporary folder, written without the crate's own writer: one frame with every kind of
/// command, an indexed draw with a dump, two passes that share a depth buffer.
pub(crate) struct SmallSet {
    _temp: TempDir,
    /// The set's folder.
    pub(crate) root: PathBuf,
}

impl SmallSet {
    /// Writes the set.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("small");
        fs::create_dir_all(root.join("frames/0001")).unwrap();
        fs::create_dir_all(root.join("blobs")).unwrap();
        let set = Self { _temp: temp, root };
        fs::write(set.root.join("capture.toml"), MANIFEST).unwrap();
        let frame = small_frame(&mut |bytes| set.blob(bytes));
        set.write_frame(&frame);
        set
    }

    /// Adds a raw blob; its name.
    pub(crate) fn blob(&self, bytes: &[u8]) -> String {
        let name = blob_name(bytes);
        fs::write(self.blob_path(&name), bytes).unwrap();
        name
    }

    /// Where the raw blob of that name is.
    pub(crate) fn blob_path(&self, name: &str) -> PathBuf {
        self.root.join(format!("blobs/{name}.bin"))
    }

    /// Where the frame is.
    pub(crate) fn frame_path(&self) -> PathBuf {
        self.root.join("frames/0001/frame.json")
    }

    /// The frame as it is.
    pub(crate) fn frame(&self) -> Value {
        serde_json::from_slice(&fs::read(self.frame_path()).unwrap()).unwrap()
    }

    /// Writes the frame.
    pub(crate) fn write_frame(&self, frame: &Value) {
        fs::write(self.frame_path(), serde_json::to_string_pretty(frame).unwrap()).unwrap();
    }

    /// Sets what a JSON pointer names; a key that is not there is added.
    pub(crate) fn set(&self, pointer: &str, value: Value) {
        let mut frame = self.frame();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match frame.pointer_mut(parent).unwrap() {
            Value::Object(object) => drop(object.insert(key.to_owned(), value)),
            Value::Array(array) => match key.parse::<usize>() {
                Ok(index) => array[index] = value,
                Err(_) => array.push(value),
            },
            other => panic!("{pointer} is in {other}"),
        }
        self.write_frame(&frame);
    }

    /// Removes what a JSON pointer names.
    pub(crate) fn remove(&self, pointer: &str) {
        let mut frame = self.frame();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match frame.pointer_mut(parent).unwrap() {
            Value::Object(object) => drop(object.remove(key).unwrap()),
            Value::Array(array) => drop(array.remove(key.parse().unwrap())),
            other => panic!("{pointer} is in {other}"),
        }
        self.write_frame(&frame);
    }

    /// Replaces a text of `capture.toml` that occurs once.
    pub(crate) fn edit_manifest(&self, from: &str, to: &str) {
        assert_eq!(MANIFEST.matches(from).count(), 1, "{from}");
        fs::write(self.root.join("capture.toml"), MANIFEST.replacen(from, to, 1)).unwrap();
    }

    /// Opens the set and loads every frame.
    pub(crate) fn load(&self) -> Result<(), replay::capture::CaptureError> {
        let set = CaptureSet::open(&self.root)?;
        set.frames().iter().try_for_each(|frame| set.load(frame).map(drop))
    }

    /// The message of the fault that the set has, with paths from its folder on.
    pub(crate) fn fault(&self) -> String {
        let message = self.load().expect_err("a fault").to_string();
        message.replace(&format!("{}/", self.root.display()), "")
    }
}

/// The name bytes have as a blob.
pub(crate) fn blob_name(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// `capture.toml` of the small set.
pub(crate) const MANIFEST: &str = r#"format = "replay-capture/1"
title = "small"
game = "sekiro"

[source]
kind = "synthetic"

[[program]]
name = "*Rigid*"
shader = "rigid_gbuffer"
constants = { b0 = "cbMatrixWVP" }
inputs = { v0 = "POSITION0" }

[[tolerance]]
dump = "target"
name = "normal"
abs = 0.5
rel = 0.25
outliers = 0.001

[[expect]]
claim = "pair-slot"
frame = "0001"
draws = 2
share = [0.25, 0.5]
"#;

/// The frame of the small set; `blob` takes bytes and gives their name.
fn small_frame(blob: &mut impl FnMut(&[u8]) -> String) -> Value {
    let mut content =
        |len: usize, fill: u8, taken: &str| json!({"blob": blob(&vec![fill; len]), "taken": taken});
    let name = |content: &Value| content["blob"].clone();
    let vertices = content(60, 1, "frame_start");
    let indices = content(6, 0, "frame_start");
    let upload = content(256, 2, "frame_start");
    let final_ = content(60, 3, "frame_end");
    let normal = content(32, 4, "frame_end");
    let depth = content(32, 5, "frame_end");
    let post_vs = content(48, 6, "frame_end");
    let discard = name(&content(60, 7, "late"));
    let write = name(&content(64, 8, "late"));
    let observed = name(&content(16, 9, "late"));
    let code = name(&content(10, 10, "late"));
    let position =
        json!({"semantic": "POSITION", "index": 0, "format": "r32g32b32_float", "slot": 0, "offset": 0});
    let range = |register: u32, buffer: u64, size: u64| json!({"register": register, "buffer": buffer, "offset": 0, "size": size});
    json!({
        "label": "frame 1",
        "values": {"speedtree_time": 91.43},
        "buffers": [
            {"id": 1, "name": "mesh", "size": 60, "usage": "static", "initial": vertices,
             "origin": {"model": "FC_M_0200", "mesh": 0, "stream": 0}},
            {"id": 2, "name": "dynamic", "size": 60, "usage": "dynamic", "final": final_},
            {"id": 3, "name": "indices", "size": 6, "usage": "static", "initial": indices},
            {"id": 4, "name": "constants", "size": 256, "usage": "default", "gpu_written": true},
            {"id": 5, "name": "ring", "size": 256, "usage": "upload", "initial": upload},
        ],
        "programs": [{
            "id": 1, "name": "Obj_Rigid", "hash": code, "encoding": "dxbc", "code": code,
            "stage_outputs": [{"semantic": "SV_Position", "index": 0, "format": "r32g32b32a32_float"}],
            "inputs": [position, {"semantic": "NORMAL", "index": 0, "format": "r8g8b8a8_unorm", "slot": 0, "offset": 12}],
            "constants": [{"name": "cbMatrixWVP", "register": 0, "size": 128,
                           "fields": [{"name": "rows", "offset": 0, "type": "float4", "count": 8}]}],
            "resources": [{"name": "g_forceParam", "register": 3, "stride": 96,
                           "fields": [{"name": "force", "offset": 0, "type": "struct", "stride": 96,
                                       "fields": [{"name": "wind", "offset": 48, "type": "float4"}]}]}],
        }],
        "passes": [
            {"id": "gbuffer", "kind": "gbuffer", "width": 4, "height": 2, "viewport": [0, 0, 4, 2, 0, 1],
             "targets": [{"name": "normal", "format": "r8g8b8a8_snorm", "clear": [0, 0, 0, 0], "recorded": normal}],
             "depth": {"format": "d32_float", "clear": 1.0, "compare": "less_equal", "recorded": depth}},
            {"id": "motion", "kind": "motion_vector", "width": 4, "height": 2, "viewport": [0, 0, 4, 2, 0, 1],
             "targets": [], "depth": {"shared_with": "gbuffer"}},
        ],
        "lists": [
            {"id": 0, "kind": "immediate", "commands": [
                {"op": "map_discard", "event": 1, "buffer": 2, "blob": discard},
                {"op": "write", "event": 2, "buffer": 5, "offset": 64, "blob": write},
                {"op": "copy", "event": 3, "src": 5, "src_offset": 0, "dst": 4, "dst_offset": 64, "size": 128},
                {"op": "execute", "event": 4, "list": 1},
                {"op": "execute", "event": 5, "list": 1},
                {"op": "opaque", "event": 20, "kind": "dispatch", "writes": [{"buffer": 4, "offset": 0, "size": 16}]},
                {"op": "observe", "event": 21, "buffer": 4, "offset": 0, "blob": observed},
            ]},
            {"id": 1, "kind": "deferred", "name": "list 1", "commands": [
                {"op": "draw", "event": 10, "pass": "gbuffer", "program": 1, "topology": "triangle_list",
                 "index": {"buffer": 3, "format": "u16"}, "index_count": 3, "base_vertex": -1,
                 "streams": [{"slot": 0, "buffer": 1, "stride": 20}],
                 "constants": [range(0, 4, 128)], "resources": [range(3, 5, 96)],
                 "state": {"cull": "back", "color_write": "rgb", "scissor": [0, 0, 4, 2],
                           "blend": {"color": ["one", "zero", "add"], "alpha": ["one", "zero", "add"]}},
                 "recorded": {"post_vs": {"blob": name(&post_vs), "taken": "frame_end", "order": "vertex",
                     "first_vertex": 0, "vertex_count": 3,
                     "layout": [{"semantic": "SV_Position", "index": 0, "format": "r32g32b32a32_float"}]}}},
                {"op": "draw", "event": 11, "pass": "motion", "program": 1, "topology": "triangle_strip",
                 "vertex_count": 3, "streams": [{"slot": 0, "buffer": 2, "stride": 20}],
                 "unsupported": ["geometry shader"]},
            ]},
        ],
    })
}
