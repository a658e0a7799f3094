//! Frames of a few hundred bytes in which every claim about position buffers has a case and holds, for tests to change
//! one thing of.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{CheckFrame, CheckInput, PairingOutcome, PairingTrial, run};
use crate::abi::EventId;
use crate::capture::LoadedFrame;
use crate::capture::manifest::BlobHash;
use crate::finding::ClaimFindings;
use crate::plan::{DrawIndex, Plan, StandIns, Swaps, lower};

/// Vertices of every mesh.
pub(super) const VERTICES: usize = 4;
/// Bytes of a position buffer.
pub(super) const SIZE: usize = VERTICES * 20;

/// What a frame is made of.
#[derive(Clone)]
pub(super) struct PairFrame {
    pub(super) name: &'static str,
    /// The frame file; blobs are named by a number.
    pub(super) file: Value,
    /// The blobs.
    pub(super) blobs: BTreeMap<u8, Vec<u8>>,
}

/// The name of a blob.
pub(super) fn blob(n: u8) -> String {
    BlobHash([n; 32]).to_string()
}

/// A position stream: the file's vertices, each moved by `by` along x and by a little of its own.
fn stream(by: f32) -> Vec<u8> {
    let vertex = |n: usize| {
        let place = [n as f32 + by, by * 0.01 * n as f32, 0.0];
        place.iter().flat_map(|v| v.to_le_bytes()).chain([0u8; 8]).collect::<Vec<u8>>()
    };
    (0..VERTICES).flat_map(vertex).collect()
}

fn draw(event: u64, pass: &str, model: &str, buffers: [u64; 3]) -> Value {
    let streams: Vec<_> = buffers
        .iter()
        .enumerate()
        .map(|(slot, buffer)| json!({"slot": slot, "buffer": buffer, "stride": if slot == 1 { 8 } else { 20 }}))
        .collect();
    json!({"op": "draw", "event": event, "pass": pass, "program": 1, "mesh": {"model": model, "mesh": 0},
        "topology": "triangle_strip", "vertex_count": VERTICES, "streams": streams})
}

fn buffer(id: u64, usage: &str, contents: u8, origin: Option<(&str, u32)>) -> Value {
    let mut entry = json!({"id": id, "name": format!("buffer {id}"), "size": SIZE, "usage": usage,
        "initial": {"blob": blob(contents), "taken": "frame_start"}});
    if let Some((model, stream)) = origin {
        entry["origin"] = json!({"model": model, "mesh": 0, "stream": stream});
    }
    entry
}

fn input(semantic: &str, index: u32, slot: u32) -> Value {
    json!({"semantic": semantic, "index": index, "format": "r32g32b32_float", "slot": slot, "offset": 0})
}

fn pass(id: &str) -> Value {
    json!({"id": id, "kind": id, "width": 4, "height": 4, "viewport": [0, 0, 4, 4, 0, 1]})
}

impl PairFrame {
    /// A face whose buffer 2 is written, a pair whose members are far apart, an object with one buffer, the Sculptor.
    pub(super) fn sekiro() -> Self {
        let blobs = [
            (1, stream(0.0)),  // the file's
            (2, stream(0.10)), // written a frame ago
            (3, stream(0.08)), // two frames ago: to be replaced
            (4, stream(0.12)), // written now
            (5, stream(9.0)),
            (6, stream(2.5)),
            (7, vec![0; SIZE]),
        ];
        let discard = |event: u64, buffer: u64, contents: u8| json!({"op": "map_discard", "event": event, "buffer": buffer, "blob": blob(contents)});
        let mut objects = draw(15, "gbuffer", "o113100", [10, 3, 11]);
        objects["program"] = json!(2);
        let file = json!({
            "buffers": [
                buffer(1, "dynamic", 2, Some(("FC_M_0200", 0))), buffer(2, "dynamic", 3, Some(("FC_M_0200", 2))),
                buffer(3, "static", 7, None),
                buffer(4, "static", 1, Some(("FC_M_0200", 0))), buffer(5, "static", 1, Some(("FC_M_0200", 2))),
                buffer(7, "dynamic", 5, None), buffer(8, "dynamic", 3, None),
                buffer(10, "dynamic", 3, None), buffer(11, "static", 1, Some(("o113100", 0))),
                buffer(12, "static", 1, Some(("c1010", 0))), buffer(13, "static", 1, Some(("c1010", 2)))],
            "programs": [
                {"id": 1, "name": "Skin", "inputs": [input("POSITION", 0, 0), input("COLOR", 0, 1),
                    input("POSITION", 1, 2)]},
                {"id": 2, "name": "Rigid", "inputs": [input("POSITION", 0, 0)]}],
            "passes": [pass("shadow"), pass("gbuffer"), pass("motion_vector")],
            "lists": [
                {"id": 0, "kind": "immediate", "commands": [
                    {"op": "execute", "event": 20, "list": 1}, {"op": "execute", "event": 21, "list": 2}]},
                {"id": 1, "kind": "deferred", "name": "deform", "commands": [
                    discard(1, 2, 4), discard(2, 8, 4), discard(3, 10, 6)]},
                {"id": 2, "kind": "deferred", "name": "draws", "commands": [
                    draw(11, "shadow", "FC_M_0200", [1, 3, 2]), draw(12, "gbuffer", "FC_M_0200", [1, 3, 2]),
                    draw(13, "motion_vector", "FC_M_0200", [1, 3, 2]), draw(14, "gbuffer", "skirt", [7, 3, 8]),
                    objects, draw(16, "gbuffer", "c1010", [12, 3, 13])]}]
        });
        Self { name: "0001", file, blobs: blobs.into() }
    }

    /// Cloth of which a copy from an upload buffer writes buffer 2, and a pair that nothing touches.
    pub(super) fn cloth() -> Self {
        let blobs = [(2, stream(0.100)), (3, stream(0.099)), (4, stream(0.101)), (7, vec![0; SIZE])];
        let file = json!({
            "buffers": [
                buffer(1, "default", 2, None), buffer(2, "default", 3, None), buffer(3, "static", 7, None),
                buffer(7, "default", 2, None), buffer(8, "default", 3, None), buffer(9, "upload", 7, None)],
            "programs": [{"id": 1, "name": "Cloth", "inputs": [input("POSITION", 0, 0), input("POSITION", 1, 2)]}],
            "passes": [pass("gbuffer")],
            "lists": [{"id": 0, "kind": "immediate", "commands": [
                {"op": "write", "event": 1, "buffer": 9, "offset": 0, "blob": blob(4)},
                {"op": "copy", "event": 2, "src": 9, "src_offset": 0, "dst": 2, "dst_offset": 0, "size": SIZE},
                draw(11, "gbuffer", "cape", [2, 3, 1]), draw(12, "gbuffer", "flag", [7, 3, 8])]}]
        });
        Self { name: "0001", file, blobs: blobs.into() }
    }

    /// The command of that event.
    pub(super) fn command(&mut self, event: u64) -> &mut Value {
        let lists = self.file["lists"].as_array_mut().unwrap().iter_mut();
        let commands = lists.flat_map(|l| l["commands"].as_array_mut().unwrap());
        commands.into_iter().find(|c| c["event"] == event).unwrap()
    }

    /// The buffer of that id.
    pub(super) fn buffer(&mut self, id: u64) -> &mut Value {
        let buffers = self.file["buffers"].as_array_mut().unwrap();
        buffers.iter_mut().find(|b| b["id"] == id).unwrap()
    }

    /// The commands of a list.
    pub(super) fn commands(&mut self, list: usize) -> &mut Vec<Value> {
        self.file["lists"][list]["commands"].as_array_mut().unwrap()
    }

    /// Sets the x of a vertex of a blob.
    pub(super) fn set_x(&mut self, n: u8, vertex: usize, x: f32) {
        let bytes = self.blobs.get_mut(&n).unwrap();
        bytes[vertex * 20..vertex * 20 + 4].copy_from_slice(&x.to_le_bytes());
    }

    /// Exchanges what a draw has at slots 0 and 2.
    pub(super) fn swap(&mut self, event: u64) {
        let streams = &mut self.command(event)["streams"];
        let (a, b) = (streams[0]["buffer"].clone(), streams[2]["buffer"].clone());
        streams[0]["buffer"] = b;
        streams[2]["buffer"] = a;
    }

    fn load(&self) -> (LoadedFrame, Plan) {
        let blobs = self.blobs.iter().map(|(n, bytes)| (BlobHash([*n; 32]), Bytes::from(bytes.clone())));
        let file = serde_json::from_value(self.file.clone()).unwrap();
        let loaded = LoadedFrame::part(self.name.into(), file, blobs.collect());
        let plan = lower(&loaded.frame, &StandIns::new(), Swaps::default());
        (loaded, plan)
    }
}

/// Checks frames and hands back the findings of a claim; `trial` is what every motion-vector draw gave.
pub(super) fn check(
    frames: &[PairFrame],
    consecutive: bool,
    trial: Option<[PairingOutcome; 8]>,
    claim: &str,
) -> ClaimFindings {
    let loaded: Vec<_> = frames.iter().map(PairFrame::load).collect();
    let pairings = trial.map(|outcomes| {
        let of_frame = |(l, plan): &(LoadedFrame, Plan)| {
            let name = l.frame.name.clone();
            let motion = plan.draws.iter().position(|d| d.event == EventId(13))?;
            Some(((name, DrawIndex(motion)), PairingTrial { event: EventId(13), outcomes }))
        };
        loaded.iter().filter_map(of_frame).collect()
    });
    let input = CheckInput {
        frames: loaded.iter().map(|(l, plan)| CheckFrame { frame: &l.frame, plan }).collect(),
        consecutive,
        pairings,
    };
    run(&input).remove(claim).unwrap()
}
