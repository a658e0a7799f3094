//! Reading capture sets: the real ones, and one row for each way a set can be wrong.

use std::fs;

use replay::capture::CaptureSet;
use serde_json::{Value, json};

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

/// Sets one place of the frame.
fn set(pointer: &'static str, value: Value) -> Edit {
    Edit::Set(pointer, value)
}

enum Edit {
    Set(&'static str, Value),
    Remove(&'static str),
}

/// The fault that one edit of the frame makes.
fn frame_fault(edit: &Edit) -> String {
    let small = SmallSet::new();
    match edit {
        Edit::Set(pointer, value) => small.set(pointer, value.clone()),
        Edit::Remove(pointer) => small.remove(pointer),
    }
    small.fault()
}

#[test]
fn print_rows() {
    let rows = rows();
    for (edit, _) in &rows {
        println!("ROW {}", frame_fault(edit));
    }
    for (from, to, _) in manifest_rows() {
        let small = SmallSet::new();
        small.edit_manifest(from, to);
        println!("MAN {}", small.fault());
    }
}

fn manifest_rows() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("replay-capture/1", "replay-capture/2", "@"),
        ("title = \"small\"", "title = 3", "@"),
        ("title = \"small\"", "", "@"),
        ("title = \"small\"", "title = \"small", "@"),
        ("title = \"small\"", "title = \"small\"\ntitle = \"again\"", "@"),
        ("title = \"small\"", "titel = \"small\"", "@"),
        ("\"sekiro\"", "\"bloodborne\"", "@"),
        ("\"synthetic\"", "\"guess\"", "@"),
        ("[source]", "[sauce]", "@"),
        ("name = \"*Rigid*\"\n", "", "@"),
        ("name = \"*Rigid*\"\n", "hash = \"abc\"\n", "@"),
        ("*Rigid*", "[", "@"),
        ("shader = \"rigid_gbuffer\"", "shaders = \"rigid_gbuffer\"", "@"),
        ("\"rigid_gbuffer\"", "\"../rigid.spv\"", "@"),
        ("\"rigid_gbuffer\"", "\"shaders/../../rigid.spv\"", "@"),
        ("\"rigid_gbuffer\"", "\"/etc/rigid.spv\"", "@"),
        ("\"rigid_gbuffer\"", "'C:\\rigid.spv'", "@"),
        ("\"rigid_gbuffer\"", "'..\\rigid.spv'", "@"),
        ("\"rigid_gbuffer\"", "\"https://example.org/rigid.spv\"", "@"),
        ("\"rigid_gbuffer\"", "\"not_there.spv\"", "@"),
        ("\"rigid_gbuffer\"", "\"some/shader\"", "@"),
        ("\"rigid_gbuffer\"", "\"\"", "@"),
        ("b0 = ", "u0 = ", "@"),
        ("b0 = \"cbMatrixWVP\"", "b0 = \"\"", "@"),
        ("v0 = ", "x0 = ", "@"),
        ("v0 = ", "v-0 = ", "@"),
        ("dump = \"target\"", "dump = \"image\"", "@"),
        ("name = \"normal\"", "name = \"{normal\"", "@"),
        ("abs = 0.5", "abs = nan", "@"),
        ("abs = 0.5", "abs = -0.5", "@"),
        ("abs = 0.5", "abs = inf", "@"),
        ("abs = 0.5", "abz = 0.5", "@"),
        ("rel = 0.25", "rel = nan", "@"),
        ("rel = 0.25", "ulp = -1", "@"),
        ("outliers = 0.001", "outliers = 1.5", "@"),
        ("outliers = 0.001", "outliers = nan", "@"),
        ("claim = \"pair-slot\"\n", "", "@"),
        ("frame = \"0001\"", "frame = \"0002\"", "@"),
        ("draws = 2", "draws = nan", "@"),
        ("draws = 2", "draws = [1, 2, 3]", "@"),
        ("draws = 2", "draws = true", "@"),
        ("[0.25, 0.5]", "[0.5, 0.25]", "@"),
    ]
}

fn rows() -> Vec<(Edit, &'static str)> {
    const DRAW: &str = "";
    let _ = DRAW;
    vec![
        // Shapes: what serde refuses.
        (set("/surprise", json!(1)), "@"),
        (set("/buffers/0/surprise", json!(1)), "@"),
        (set("/buffers/0/usage", json!("odd")), "@"),
        (set("/buffers/0/size", json!("60")), "@"),
        (set("/buffers/0/size", json!(-60)), "@"),
        (set("/buffers/0/size", json!(60.5)), "@"),
        (set("/buffers/0/initial/blob", json!("../../etc/passwd")), "@"),
        (set("/buffers/0/initial/blob", json!("ABC")), "@"),
        (set("/buffers/0/initial/taken", json!("later")), "@"),
        (Edit::Remove("/buffers/0/name"), "@"),
        (Edit::Remove("/lists"), "@"),
        (set("/passes/0/kind", json!("main")), "@"),
        (set("/passes/0/targets/0/format", json!("r8g8b8a8_snorn")), "@"),
        (Edit::Remove("/passes/0/targets/0/clear"), "@"),
        (set("/passes/0/viewport", json!([0, 0, 4, 2, 0])), "@"),
        (set("/passes/0/depth/compare", json!("lesser")), "@"),
        (set("/lists/0/commands/0/op", json!("draw_indexed")), "@"),
        (Edit::Remove("/lists/0/commands/0/op"), "@"),
        (set("/lists/0/commands/1/size", json!(3)), "@"),
        (set("/lists/1/commands/0/surprise", json!(3)), "@"),
        (set("/lists/1/commands/0/streams/0/surprise", json!(3)), "@"),
        (set("/lists/1/commands/0/streams/0/stride", json!(-20)), "@"),
        (set("/lists/1/commands/0/topology", json!("triangle_fan")), "@"),
        (set("/lists/1/commands/0/state/cull", json!("both")), "@"),
        (set("/lists/1/commands/0/state/blend/color", json!(["one", "zero"])), "@"),
        (set("/lists/1/commands/0/state/blend/factor", json!(1)), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/order", json!("vertices")), "@"),
        (Edit::Remove("/lists/1/commands/0/program"), "@"),
        // Ids.
        (set("/buffers/1/id", json!(1)), "@"),
        (set("/programs/-", json!({"id": 1, "name": "", "inputs": []})), "@"),
        (set("/passes/1/id", json!("gbuffer")), "@"),
        (set("/lists/1/id", json!(0)), "@"),
        (set("/lists/0/id", json!(7)), "@"),
        (set("/lists/0/kind", json!("deferred")), "@"),
        (set("/lists/1/kind", json!("immediate")), "@"),
        (set("/lists", json!([])), "@"),
        (set("/lists/0/commands/0/buffer", json!(99)), "@"),
        (set("/lists/0/commands/1/buffer", json!(99)), "@"),
        (set("/lists/0/commands/2/src", json!(99)), "@"),
        (set("/lists/0/commands/2/dst", json!(99)), "@"),
        (set("/lists/0/commands/3/list", json!(99)), "@"),
        (set("/lists/0/commands/3/list", json!(0)), "@"),
        (set("/lists/0/commands/5/writes/0/buffer", json!(99)), "@"),
        (set("/lists/0/commands/6/buffer", json!(99)), "@"),
        (set("/lists/1/commands/0/pass", json!("shadow")), "@"),
        (set("/lists/1/commands/0/program", json!(99)), "@"),
        (set("/lists/1/commands/0/index/buffer", json!(99)), "@"),
        (set("/lists/1/commands/0/streams/0/buffer", json!(99)), "@"),
        (set("/lists/1/commands/0/constants/0/buffer", json!(99)), "@"),
        (set("/lists/1/commands/0/resources/0/buffer", json!(99)), "@"),
        (set("/passes/1/depth/shared_with", json!("shadow")), "@"),
        // Events.
        (set("/lists/0/commands/1/event", json!(1)), "@"),
        (set("/lists/1/commands/1/event", json!(20)), "@"),
        // Ranges and sums.
        (set("/buffers/0/size", json!(4_294_967_297_u64)), "@"),
        (set("/lists/0/commands/1/offset", json!(257)), "@"),
        (set("/lists/0/commands/1/offset", json!(250)), "@"),
        (set("/lists/0/commands/2/src_offset", json!(129)), "@"),
        (set("/lists/0/commands/2/dst_offset", json!(129)), "@"),
        (set("/lists/0/commands/2/size", json!(u64::MAX)), "@"),
        (set("/lists/0/commands/2/dst", json!(5)), "@"),
        (set("/lists/0/commands/5/writes/0/size", json!(257)), "@"),
        (set("/lists/0/commands/5/writes/0/offset", json!(u64::MAX)), "@"),
        (set("/lists/0/commands/6/offset", json!(241)), "@"),
        (set("/lists/1/commands/0/index/offset", json!(7)), "@"),
        (set("/lists/1/commands/0/streams/0/offset", json!(61)), "@"),
        (set("/lists/1/commands/0/constants/0/size", json!(257)), "@"),
        (set("/lists/1/commands/0/resources/0/offset", json!(u64::MAX)), "@"),
        // Lists.
        (set("/lists/1/commands/-", json!({"op": "execute", "event": 12, "list": 1})), "@"),
        // Draws.
        (Edit::Remove("/lists/1/commands/0/index_count"), "@"),
        (Edit::Remove("/lists/1/commands/0/index"), "@"),
        (set("/lists/1/commands/0/vertex_count", json!(3)), "@"),
        (set("/lists/1/commands/0/first_vertex", json!(3)), "@"),
        (set("/lists/1/commands/1/first_index", json!(3)), "@"),
        (set("/lists/1/commands/1/base_vertex", json!(3)), "@"),
        (set("/lists/1/commands/1/instance_count", json!(100_000_000)), "@"),
        (set("/lists/1/commands/0/streams/-", json!({"slot": 0, "buffer": 2, "stride": 20})), "@"),
        (set("/lists/1/commands/0/streams/0/slot", json!(32)), "@"),
        (set("/lists/1/commands/0/constants/-", json!({"register": 0, "buffer": 4, "size": 16})), "@"),
        (set("/lists/1/commands/0/resources/-", json!({"register": 3, "buffer": 5, "size": 96})), "@"),
        (set("/lists/1/commands/0/state/color_write", json!("rgx")), "@"),
        (set("/lists/1/commands/0/state/color_write", json!("rr")), "@"),
        (set("/lists/1/commands/0/state/scissor", json!([0, 0, -1, 2])), "@"),
        (set("/lists/1/commands/0/state/scissor", json!([1, 0, i64::MAX, 2])), "@"),
        // Dumps of draws.
        (Edit::Remove("/lists/1/commands/0/recorded/post_vs/vertex_count"), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/vertex_count", json!(4)), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/vertex_count", json!(u64::MAX)), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/first_vertex", json!(i64::MAX)), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/taken", json!("frame_start")), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/layout", json!([])), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/layout/0/semantic", json!("")), "@"),
        (set("/lists/1/commands/0/recorded/post_vs/layout/0/format", json!("r32g32b32_float")), "@"),
        (
            set(
                "/lists/1/commands/0/recorded/post_vs/layout/-",
                json!({"semantic": "sv_position", "index": 0, "format": "r32_float"}),
            ),
            "@",
        ),
        // Passes.
        (set("/passes/0/width", json!(0)), "@"),
        (set("/passes/0/height", json!(16_385)), "@"),
        (set("/passes/0/height", json!(3)), "@"),
        (set("/passes/0/viewport/2", json!(1e39)), "@"),
        (set("/passes/0/viewport/2", json!(-1)), "@"),
        (set("/passes/0/viewport/0", json!(40_000)), "@"),
        (set("/passes/0/viewport/5", json!(2)), "@"),
        (set("/passes/0/targets/-", json!({"name": "normal", "format": "r32_float", "clear": null})), "@"),
        (set("/passes/0/targets/0/recorded/taken", json!("frame_start")), "@"),
        (set("/passes/0/depth/clear", json!(1.5)), "@"),
        (Edit::Remove("/passes/0/depth/format"), "@"),
        (set("/passes/0/depth/initial", json!({"blob": blob_name(&[5; 32]), "taken": "frame_end"})), "@"),
        (set("/passes/1/depth/shared_with", json!("motion")), "@"),
        (set("/passes/0/depth", json!({"shared_with": "motion"})), "@"),
        (set("/passes/1/width", json!(8)), "@"),
        (set("/passes/1/depth/format", json!("d16_unorm")), "@"),
        // Tables.
        (set("/buffers/1/final/taken", json!("frame_start")), "@"),
        (set("/buffers/0/initial/taken", json!("frame_end")), "@"),
        (set("/buffers/0/size", json!(61)), "@"),
        (set("/programs/0/hash", json!(blob_name(b"other"))), "@"),
        (
            set(
                "/programs/0/inputs/1",
                json!({"semantic": "position", "index": 0, "format": "r32_float", "slot": 0, "offset": 0}),
            ),
            "@",
        ),
        (set("/programs/0/inputs/0/slot", json!(32)), "@"),
        (set("/programs/0/inputs/0/step_rate", json!(1)), "@"),
        (set("/programs/0/constants/-", json!({"name": "again", "register": 0, "size": 16})), "@"),
        (set("/programs/0/constants/0/fields/0/count", json!(0)), "@"),
        (set("/programs/0/constants/0/fields/0/count", json!(u64::MAX)), "@"),
        (
            set(
                "/programs/0/constants/0/fields/0/fields",
                json!([{"name": "x", "offset": 0, "type": "float"}]),
            ),
            "@",
        ),
        (Edit::Remove("/programs/0/resources/0/fields/0/stride"), "@"),
        (set("/programs/0/resources/0/fields/0/fields/0/offset", json!(u64::MAX)), "@"),
    ]
}
