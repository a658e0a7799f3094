//! A frame of a few kilobytes in which every Elden Ring claim has a case and holds, for tests to change one thing of.

use std::f64::consts::TAU;

use bytes::Bytes;
use glam::{DMat3, DVec3};
use serde_json::{Value, json};

use crate::abi::records::{Affine, Force, Instance, write_all};
use crate::capture::LoadedFrame;
use crate::capture::manifest::BlobHash;
use crate::check::{CheckFrame, CheckInput};
use crate::finding::ClaimFindings;
use crate::plan::{Plan, StandIns, Swaps, lower};

/// Clumps of the batch of the larger mesh.
pub(super) const LARGER: usize = 72;
/// Clumps of the batch of the smaller mesh.
pub(super) const SMALLER: usize = 8;

/// What a frame is made of.
#[derive(Clone)]
pub(super) struct Tiny {
    pub(super) name: &'static str,
    /// Records of the larger mesh's batch, then of the smaller's.
    pub(super) instances: Vec<Instance>,
    pub(super) forces: Vec<Force>,
    /// Bound as g_InstanceIndexBuffer.
    pub(super) index_table: Vec<u32>,
    /// The frame file; blobs are named by the number of their buffer.
    pub(super) file: Value,
    /// Skinning: indices and weights of one vertex.
    pub(super) skin: [u8; 8],
    pub(super) palette: Vec<Affine>,
}

/// The name of a blob.
pub(super) fn blob(n: u8) -> String {
    BlobHash([n; 32]).to_string()
}

fn clump(distance: f64, n: usize, count: usize, scale: (f64, f64), force: (u32, u32)) -> Instance {
    let turn = DMat3::from_rotation_y(-TAU * (n as f64 + 0.5) / count as f64);
    let (sin, cos) = (0.7 * n as f64).sin_cos();
    let place = DVec3::new(distance * cos, 3.0, distance * sin);
    let linear = turn * DMat3::from_diagonal(DVec3::new(scale.0, scale.1, scale.0));
    Instance {
        world: Affine::from_parts(linear, place),
        fade_alpha: 1.0,
        force_num: force.0,
        force_index: force.1,
        pad: 0,
        palette: [[0.0; 4]; 9],
    }
}

fn force(n: f32, wind_z: f32, word: f32) -> Force {
    Force {
        system: [1, 1, 0, 0],
        pos_and_square_force: [n, 2.0 * n, -n, word],
        dir_and_sine_force: [1.0, 0.0, 0.0, word],
        wind: [1.0, 120.0 + n, wind_z, 0.1],
        gust: [1.0, 1.0, 1.0, 0.0],
        gust_time: [3.0, 5.0, 10.0, 60.0],
    }
}

impl Tiny {
    pub(super) fn new() -> Self {
        let scale = |n: usize| if n.is_multiple_of(2) { 0.9 } else { 1.1 };
        let height = |n: usize| if (n / 2).is_multiple_of(2) { 0.55 } else { 1.2 };
        let larger =
            (0..LARGER).map(|n| clump(61.0 + n as f64 * 0.25, n, LARGER, (scale(n), height(n)), (2, 1283)));
        let smaller = (0..SMALLER).map(|n| clump(142.0 + n as f64, n, SMALLER, (0.6, 1.0), (1, 5)));
        let mut forces: Vec<_> = (1..=6u8).map(|n| force(n.into(), 169.8, 12.7)).collect();
        forces.push(force(2.0, 0.99, 12.1));
        let mut near_eye = force(9.0, 100.0, 7.3);
        near_eye.gust_time[0] = 2.0;
        forces.push(near_eye);
        Self {
            name: "0001",
            instances: larger.chain(smaller).collect(),
            forces,
            index_table: (0..16).collect(),
            file: file(),
            skin: [101, 0, 0, 0, 255, 0, 0, 0],
            palette: vec![Affine::IDENTITY; Affine::PALETTE],
        }
    }

    /// The command of that event.
    pub(super) fn command(&mut self, event: u64) -> &mut Value {
        let commands = self.file["lists"][0]["commands"].as_array_mut().unwrap();
        commands.iter_mut().find(|c| c["event"] == event).unwrap()
    }

    fn load(&self) -> (LoadedFrame, Plan) {
        let views: [f32; 32] = std::array::from_fn(|i| f32::from(u8::from([0, 5, 10, 14].contains(&i))));
        let mut force_bytes = write_all(&self.forces);
        force_bytes.resize(Force::COUNT * Force::SIZE, 0);
        let indices: Vec<u8> = (0..1000u16).flat_map(|i| (i % 3).to_le_bytes()).collect();
        let blobs = [
            force_bytes,
            write_all(&self.instances),
            views.iter().flat_map(|v| v.to_le_bytes()).collect(),
            indices,
            self.skin.repeat(3),
            write_all(&self.palette),
            self.index_table.iter().flat_map(|v| v.to_le_bytes()).collect(),
            vec![0; 60],
        ];
        let named = (1u8..).map(|n| BlobHash([n; 32])).zip(blobs.map(Bytes::from));
        let file = serde_json::from_value(self.file.clone()).unwrap();
        let loaded = LoadedFrame::part(self.name.into(), file, named.collect());
        let plan = lower(&loaded.frame, &StandIns::new(), Swaps::default());
        (loaded, plan)
    }
}

/// Checks frames and hands back the findings of a claim.
pub(super) fn check(frames: &[Tiny], claim: &str) -> ClaimFindings {
    let loaded: Vec<_> = frames.iter().map(Tiny::load).collect();
    let input = CheckInput {
        frames: loaded.iter().map(|(l, plan)| CheckFrame { frame: &l.frame, plan }).collect(),
        consecutive: false,
        pairings: None,
    };
    super::run(&input).remove(claim).unwrap()
}

fn buffer(id: u64, usage: &str, size: usize, contents: Option<u8>) -> Value {
    let mut entry = json!({"id": id, "name": format!("buffer {id}"), "size": size, "usage": usage});
    if let Some(n) = contents {
        entry["initial"] = json!({"blob": blob(n), "taken": "frame_start"});
    }
    entry
}

fn draw(event: u64, program: u64, count: u64, instances: usize) -> Value {
    json!({"op": "draw", "event": event, "pass": "gbuffer", "program": program, "topology": "triangle_list",
        "index": {"buffer": 4, "format": "u16", "offset": 0}, "index_count": count, "first_index": 0, "base_vertex": 0,
        "instance_count": instances, "first_instance": 0,
        "streams": [{"slot": 0, "buffer": 8, "offset": 0, "stride": 20}], "constants": [], "resources": []})
}

fn file() -> Value {
    let size = Instance::SIZE * (LARGER + SMALLER);
    let forces = Force::COUNT * Force::SIZE;
    let position =
        json!({"semantic": "POSITION", "index": 0, "format": "r32g32b32_float", "slot": 0, "offset": 0});
    let record = json!([
        {"name": "world", "offset": 0, "type": "float3x4"},
        {"name": "fadeAlpha", "offset": 48, "type": "float"},
        {"name": "forceNum", "offset": 52, "type": "uint"},
        {"name": "forceIndex", "offset": 56, "type": "uint"},
        {"name": "palette", "offset": 64, "type": "float4", "count": 9}]);
    let far = |event, count, first: usize, instances: usize| {
        let mut draw = draw(event, 1, count, instances);
        draw["constants"] = json!([
            {"register": 0, "buffer": 3, "offset": 0, "size": 128},
            {"register": 4, "buffer": 2, "offset": first * Instance::SIZE, "size": instances * Instance::SIZE}]);
        draw["resources"] = json!([{"register": 3, "buffer": 11, "offset": 0, "size": forces}]);
        draw
    };
    let mut indexed = draw(14, 4, 3, 1);
    indexed["resources"] = json!([{"register": 25, "buffer": 7, "offset": 0, "size": 64}]);
    let mut skinned = draw(13, 2, 3, 1);
    skinned["mesh"] = json!({"model": "c3000", "mesh": 0});
    skinned["streams"] = json!([{"slot": 0, "buffer": 8, "offset": 0, "stride": 20},
        {"slot": 1, "buffer": 5, "offset": 0, "stride": 8}]);
    skinned["constants"] = json!([{"register": 5, "buffer": 6, "offset": 0, "size": 12288}]);
    json!({
        "values": {"speedtree_time": 100.0},
        "buffers": [
            buffer(1, "upload", forces, None), buffer(2, "upload", size, None), buffer(3, "dynamic", 128, Some(3)),
            buffer(4, "static", 2000, Some(4)), buffer(5, "static", 24, Some(5)), buffer(6, "default", 12288, Some(6)),
            buffer(7, "static", 64, Some(7)), buffer(8, "static", 60, Some(8)), buffer(11, "default", forces, None)],
        "programs": [
            {"id": 1, "name": "Grass2_LOD1_GBuf", "inputs": [position], "constants": [
                {"name": "cbMatrixWVP", "register": 0, "size": 128},
                {"name": "cbInstanceData", "register": 4, "size": 65520, "fields": record}],
             "resources": [{"name": "g_forceParam", "register": 3, "stride": 96}]},
            {"id": 2, "name": "C_Skin", "inputs": [position,
                {"semantic": "BLENDINDICES", "index": 0, "format": "r8g8b8a8_uint", "slot": 1, "offset": 0},
                {"semantic": "BLENDWEIGHT", "index": 0, "format": "r8g8b8a8_unorm", "slot": 1, "offset": 4}],
             "constants": [{"name": "cbObjMatrix", "register": 5, "size": 96}]},
            {"id": 3, "name": "AEG210 Grass_GBuf", "inputs": [position]},
            {"id": 4, "name": "Indexed", "inputs": [position],
             "resources": [{"name": "g_InstanceIndexBuffer", "register": 25}]}],
        "passes": [{"id": "gbuffer", "kind": "gbuffer", "width": 8, "height": 8, "viewport": [0, 0, 8, 8, 0, 1]}],
        "lists": [{"id": 0, "kind": "immediate", "commands": [
            {"op": "write", "event": 1, "buffer": 1, "offset": 0, "blob": blob(1)},
            {"op": "copy", "event": 2, "src": 1, "src_offset": 0, "dst": 11, "dst_offset": 0, "size": forces},
            {"op": "write", "event": 3, "buffer": 2, "offset": 0, "blob": blob(2)},
            far(10, 42, 0, LARGER), far(11, 12, LARGER, SMALLER), draw(12, 3, 534, 1), skinned, indexed]}]
    })
}
