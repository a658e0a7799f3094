//! Small sets of one frame, written to a temporary folder as any capture set is, for what a real recording seldom holds.

use std::fs;

use replay::plan::{Plan, Swaps};
use replay::run::{self, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::small_set::blob_name;

/// Two identity view-projections: a position is its own clip-space position, with w = 1.
const IDENTITY: [f32; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// A set being put together. Buffer 1 holds two identity view-projections, buffer 2 a palette of one identity.
pub(crate) struct OddSet {
    folder: TempDir,
    buffers: Vec<Value>,
    programs: Vec<Value>,
    passes: Vec<Value>,
    lists: Vec<Value>,
    rules: String,
    event: u64,
}

impl OddSet {
    /// A set with the buffers [`VIEWS`] and [`PALETTE`], and no draw.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("frames/0001")).unwrap();
        fs::create_dir_all(folder.path().join("blobs")).unwrap();
        let lists = vec![json!({"id": 0, "kind": "immediate", "commands": []})];
        let mut set = Self {
            folder,
            buffers: vec![],
            programs: vec![],
            passes: vec![],
            lists,
            rules: String::new(),
            event: 0,
        };
        assert_eq!(set.buffer("default", &floats(&[IDENTITY, IDENTITY].concat())), VIEWS);
        assert_eq!(set.buffer("default", &affine([0.0; 3])), PALETTE);
        set
    }

    /// A set with one pass `p` of 16 x 16 pixels, a snorm target `normal` and depth, both cleared.
    pub(crate) fn with_pass() -> Self {
        let mut set = Self::new();
        set.pass("p", json!({}));
        set
    }

    /// Adds a blob.
    pub(crate) fn blob(&self, bytes: &[u8]) -> String {
        let name = blob_name(bytes);
        fs::write(self.folder.path().join(format!("blobs/{name}.bin")), bytes).unwrap();
        name
    }

    /// Adds a buffer that holds bytes at the frame's start.
    pub(crate) fn buffer(&mut self, usage: &str, bytes: &[u8]) -> u64 {
        let id = self.unknown(usage, bytes.len());
        let content = json!({"blob": self.blob(bytes), "taken": "frame_start"});
        self.buffers.last_mut().unwrap()["initial"] = content;
        id
    }

    /// Adds a buffer of which nobody knows the contents.
    pub(crate) fn unknown(&mut self, usage: &str, size: usize) -> u64 {
        let id = self.buffers.len() as u64 + 1;
        self.buffers.push(json!({"id": id, "name": format!("buffer {id}"), "size": size, "usage": usage}));
        id
    }

    /// Adds a pass: the one of [`with_pass`](Self::with_pass) with other keys.
    pub(crate) fn pass(&mut self, id: &str, other: Value) {
        let pass = json!({
            "id": id, "kind": "gbuffer", "width": 16, "height": 16, "viewport": [0, 0, 16, 16, 0, 1],
            "targets": [{"name": "normal", "format": "r8g8b8a8_snorm", "clear": [0, 0, 0, 0]}],
            "depth": {"format": "d32_float", "clear": 1.0, "compare": "less_equal"},
        });
        self.passes.push(with(pass, other));
    }

    /// Adds a program that a shader stands in for.
    pub(crate) fn program(&mut self, shader: &str, inputs: Value, other: Value) -> u64 {
        let id = self.programs.len() as u64 + 1;
        let program = json!({
            "id": id, "name": format!("program {id}"), "inputs": inputs,
            "constants": [constant("cbMatrixWVP", 0, 128), constant("cbObjMatrix", 5, 96)],
        });
        self.programs.push(with(program, other));
        self.rules += &format!("[[program]]\nname = \"program {id}\"\nshader = \"{shader}\"\n");
        id
    }

    /// Adds `rigid_gbuffer` with POSITION and NORMAL in one stream of 24 bytes at slot 0.
    pub(crate) fn rigid(&mut self) -> u64 {
        let inputs = json!([
            input("POSITION", 0, "r32g32b32_float", 0, 0),
            input("NORMAL", 0, "r32g32b32_float", 0, 12)
        ]);
        self.program("rigid_gbuffer", inputs, json!({}))
    }

    fn numbered(&mut self, mut command: Value) -> Value {
        self.event += 1;
        command["event"] = self.event.into();
        command
    }

    /// Appends a command to the immediate list.
    pub(crate) fn command(&mut self, command: Value) {
        let command = self.numbered(command);
        self.lists[0]["commands"].as_array_mut().unwrap().push(command);
    }

    /// Appends a map-discard.
    pub(crate) fn discard(&mut self, buffer: u64, bytes: &[u8]) {
        let blob = self.blob(bytes);
        self.command(json!({"op": "map_discard", "buffer": buffer, "blob": blob}));
    }

    /// Appends a partial write.
    pub(crate) fn write(&mut self, buffer: u64, offset: usize, bytes: &[u8]) {
        let blob = self.blob(bytes);
        self.command(json!({"op": "write", "buffer": buffer, "offset": offset, "blob": blob}));
    }

    /// Appends a copy: source and its offset, destination and its offset, bytes.
    pub(crate) fn copy(
        &mut self,
        (src, src_offset): (u64, usize),
        (dst, dst_offset): (u64, usize),
        size: usize,
    ) {
        self.command(json!({"op": "copy", "src": src, "src_offset": src_offset, "dst": dst,
                            "dst_offset": dst_offset, "size": size}));
    }

    /// Appends a draw, see [`draw`].
    pub(crate) fn draw(&mut self, program: u64, stream: u64, other: Value) {
        self.command(draw(program, stream, other));
    }

    /// Adds a deferred list.
    pub(crate) fn deferred(&mut self, commands: Vec<Value>) -> u64 {
        let id = self.lists.len() as u64;
        let commands: Vec<_> = commands.into_iter().map(|c| self.numbered(c)).collect();
        self.lists.push(json!({"id": id, "kind": "deferred", "commands": commands}));
        id
    }

    /// Writes the set, reads it back and plans it.
    pub(crate) fn plan(&self, swaps: Swaps) -> Plan {
        let root = self.folder.path();
        let head = "format = \"replay-capture/1\"\ntitle = \"odd\"\ngame = \"sekiro\"\n[source]\nkind = \"synthetic\"\n";
        fs::write(root.join("capture.toml"), format!("{head}{}", self.rules)).unwrap();
        let frame = json!({"buffers": self.buffers, "programs": self.programs, "passes": self.passes,
                           "lists": self.lists});
        fs::write(root.join("frames/0001/frame.json"), frame.to_string()).unwrap();
        let options = Options { swaps, ..Options::default() };
        let mut frames = run::plan(root, &options).unwrap();
        let plan = frames.remove(0).plan;
        for draw in &plan.draws {
            assert!(draw.replay.is_ok(), "event {}: {:?}", draw.event, draw.replay);
        }
        plan
    }
}

/// The buffer of two identity view-projections.
pub(crate) const VIEWS: u64 = 1;
/// The buffer of one identity.
pub(crate) const PALETTE: u64 = 2;

/// A draw of three vertices from slot 0 (stride 24) in the pass `p`, with [`VIEWS`] at b0 and [`PALETTE`] at b5;
/// `other` replaces or adds keys, and null removes one.
pub(crate) fn draw(program: u64, stream: u64, other: Value) -> Value {
    let draw = json!({
        "op": "draw", "pass": "p", "program": program, "topology": "triangle_list", "vertex_count": 3,
        "streams": [{"slot": 0, "buffer": stream, "stride": 24}],
        "constants": [range(0, VIEWS, 0, 128), range(5, PALETTE, 0, 48)],
    });
    with(draw, other)
}

/// An object with other keys; null removes one.
pub(crate) fn with(mut object: Value, other: Value) -> Value {
    for (key, value) in other.as_object().unwrap() {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(key);
        } else {
            object[key] = value.clone();
        }
    }
    object
}

/// A bound range.
pub(crate) fn range(register: u32, buffer: u64, offset: usize, size: usize) -> Value {
    json!({"register": register, "buffer": buffer, "offset": offset, "size": size})
}

/// An element of an input layout.
pub(crate) fn input(semantic: &str, index: u32, format: &str, slot: u32, offset: u32) -> Value {
    json!({"semantic": semantic, "index": index, "format": format, "slot": slot, "offset": offset})
}

/// A constant buffer without declared fields.
pub(crate) fn constant(name: &str, register: u32, size: usize) -> Value {
    json!({"name": name, "register": register, "size": size})
}

/// Numbers as a buffer holds them.
pub(crate) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// As [`floats`].
pub(crate) fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// As [`floats`].
pub(crate) fn shorts(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A translation, 48 bytes.
pub(crate) fn affine([x, y, z]: [f32; 3]) -> Vec<u8> {
    floats(&[1., 0., 0., x, 0., 1., 0., y, 0., 0., 1., z])
}

/// Vertices of position and normal (24 bytes).
pub(crate) fn vertices(list: &[([f32; 3], [f32; 3])]) -> Vec<u8> {
    floats(&list.iter().flat_map(|(p, n)| [*p, *n].concat()).collect::<Vec<_>>())
}

/// Three vertices around the whole screen at a depth, clockwise, with one normal.
pub(crate) fn cover(z: f32, normal: [f32; 3]) -> Vec<u8> {
    vertices(&[([-1., 1., z], normal), ([3., 1., z], normal), ([-1., -3., z], normal)])
}
