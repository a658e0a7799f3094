//! One row for each way a set's files can say something wrong, with the message a person gets.

use serde_json::{Value, json};

use crate::small_set::{SmallSet, blob_name};

/// A message with its file spelled out; the rows shorten the two files they edit.
fn spelled(message: &str) -> String {
    match message.split_once(": ") {
        Some(("F", rest)) => format!("frames/0001/frame.json: {rest}"),
        Some(("C", rest)) => format!("capture.toml: {rest}"),
        _ => message.to_owned(),
    }
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
fn every_fault_of_a_frame_says_where_what_and_what_instead() {
    for (edit, expected) in frame_faults() {
        assert_eq!(frame_fault(&edit), spelled(expected));
    }
}

#[test]
fn every_fault_of_the_manifest_says_where_what_and_what_instead() {
    for (from, to, expected) in MANIFEST_FAULTS {
        let small = SmallSet::new();
        small.edit_manifest(from, to);
        assert_eq!(small.fault(), spelled(expected), "{to}");
    }
}

/// A text of `capture.toml`, what replaces it, and the fault.
const MANIFEST_FAULTS: &[(&str, &str, &str)] = &[
    (
        "replay-capture/1",
        "replay-capture/2",
        "C: format: found `replay-capture/2`; expected `replay-capture/1`",
    ),
    ("title = \"small\"", "title = 3", "C: title (line 2, column 9): found integer `3`; expected a string"),
    ("title = \"small\"", "", "C: line 1, column 1: found no key `title`; expected that key"),
    (
        "title = \"small\"",
        "title = \"small",
        r#"C: line 2, column 15: found a fault of syntax (invalid basic string, expected `"`); expected TOML"#,
    ),
    (
        "title = \"small\"",
        "title = \"small\"\ntitle = \"again\"",
        "C: line 3, column 1: found a fault of syntax (duplicate key); expected TOML",
    ),
    (
        "title = \"small\"",
        "titel = \"small\"",
        "C: titel (line 2, column 1): found the unknown key `titel`; expected one of `format`, `title`, `game`, `consecutive`, `source`, `program`, `tolerance`, `expect`, `extra`",
    ),
    (
        "\"sekiro\"",
        "\"bloodborne\"",
        "C: game (line 3, column 8): found `bloodborne`; expected `sekiro` or `elden-ring`",
    ),
    (
        "\"synthetic\"",
        "\"guess\"",
        "C: source.kind (line 6, column 8): found `guess`; expected `synthetic` or `renderdoc`",
    ),
    (
        "[source]",
        "[sauce]",
        "C: sauce (line 5, column 2): found the unknown key `sauce`; expected one of `format`, `title`, `game`, `consecutive`, `source`, `program`, `tolerance`, `expect`, `extra`",
    ),
    ("name = \"*Rigid*\"\n", "", "C: program[0]: found neither `name` nor `hash`; expected one of the two"),
    (
        "name = \"*Rigid*\"\n",
        "hash = \"abc\"\n",
        "C: program[0].hash (line 9, column 8): found `abc`, which is no blob name; expected the 64 lower-case hex digits of a SHA-256",
    ),
    (
        "*Rigid*",
        "[",
        "C: program[0].name: found `[` (unclosed character class; missing ']'); expected a glob",
    ),
    (
        "shader = \"rigid_gbuffer\"",
        "shaders = \"rigid_gbuffer\"",
        "C: program[0].shaders (line 10, column 1): found the unknown key `shaders`; expected one of `name`, `hash`, `shader`, `outputs`, `targets`, `constants`, `inputs`, `extra`",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"../rigid.spv\"",
        "C: program[0].shader: found `../rigid.spv`; expected a relative path inside the set, its steps parted by `/`",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"shaders/../../rigid.spv\"",
        "C: program[0].shader: found `shaders/../../rigid.spv`; expected a relative path inside the set, its steps parted by `/`",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"/etc/rigid.spv\"",
        "C: program[0].shader: found `/etc/rigid.spv`; expected a relative path inside the set, its steps parted by `/`",
    ),
    (
        "\"rigid_gbuffer\"",
        "'C:\\rigid.spv'",
        r#"C: program[0].shader: found `C:\rigid.spv`; expected a relative path inside the set, its steps parted by `/`"#,
    ),
    (
        "\"rigid_gbuffer\"",
        "'..\\rigid.spv'",
        r#"C: program[0].shader: found `..\rigid.spv`; expected a relative path inside the set, its steps parted by `/`"#,
    ),
    (
        "\"rigid_gbuffer\"",
        "\"https://example.org/rigid.spv\"",
        "C: program[0].shader: found `https://example.org/rigid.spv`; expected a relative path inside the set, its steps parted by `/`",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"not_there.spv\"",
        "C: program[0].shader: found `not_there.spv`, which is not there; expected a shader's file inside the set",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"some/shader\"",
        "C: program[0].shader: found `some/shader`; expected the name of a shader, `captured`, or a path inside the set to .hlsl or .spv",
    ),
    (
        "\"rigid_gbuffer\"",
        "\"\"",
        "C: program[0].shader: found ``; expected the name of a shader, `captured`, or a path inside the set to .hlsl or .spv",
    ),
    (
        "b0 = ",
        "u0 = ",
        "C: program[0].constants: found the key `u0`; expected a register such as `b5` or `t3`",
    ),
    ("b0 = \"cbMatrixWVP\"", "b0 = \"\"", "C: program[0].constants.b0: found no name; expected a name"),
    ("v0 = ", "x0 = ", "C: program[0].inputs: found the key `x0`; expected an input register such as `v0`"),
    ("v0 = ", "v-0 = ", "C: program[0].inputs: found the key `v-0`; expected an input register such as `v0`"),
    (
        "dump = \"target\"",
        "dump = \"image\"",
        "C: tolerance[0].dump (line 15, column 8): found `image`; expected one of `post_vs`, `target`, `depth`, `buffer`",
    ),
    (
        "name = \"normal\"",
        "name = \"{normal\"",
        "C: tolerance[0].name: found `{normal` (unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)); expected a glob",
    ),
    ("abs = 0.5", "abs = nan", "C: tolerance[0].abs: found NaN; expected a finite number, 0 or more"),
    ("abs = 0.5", "abs = -0.5", "C: tolerance[0].abs: found -0.5; expected a finite number, 0 or more"),
    ("abs = 0.5", "abs = inf", "C: tolerance[0].abs: found inf; expected a finite number, 0 or more"),
    (
        "abs = 0.5",
        "abz = 0.5",
        "C: tolerance[0].abz (line 17, column 1): found the unknown key `abz`; expected one of `dump`, `name`, `abs`, `rel`, `ulp`, `outliers`, `extra`",
    ),
    ("rel = 0.25", "rel = nan", "C: tolerance[0].rel: found NaN; expected a finite number, 0 or more"),
    (
        "rel = 0.25",
        "ulp = -1",
        "C: tolerance[0].ulp (line 18, column 7): found integer `-1`; expected an integer, 0 or more",
    ),
    (
        "outliers = 0.001",
        "outliers = 1.5",
        "C: tolerance[0].outliers: found 1.5; expected a share within 0 to 1",
    ),
    (
        "outliers = 0.001",
        "outliers = nan",
        "C: tolerance[0].outliers: found NaN; expected a share within 0 to 1",
    ),
    (
        "claim = \"pair-slot\"\n",
        "",
        "C: expect[0] (line 21, column 1): found no key `claim`; expected that key",
    ),
    ("frame = \"0001\"", "frame = \"0002\"", "C: expect[0].frame: found `0002`; expected one of 0001"),
    ("draws = 2", "draws = nan", "C: expect[0].draws: found NaN; expected a finite number"),
    (
        "draws = 2",
        "draws = [1, 2, 3]",
        "C: expect[0] (line 21, column 1): found `draws = [1, 2, 3]`; expected a number, a text or a range [least, greatest]",
    ),
    (
        "draws = 2",
        "draws = true",
        "C: expect[0] (line 21, column 1): found `draws = true`; expected a number, a text or a range [least, greatest]",
    ),
    (
        "[0.25, 0.5]",
        "[0.5, 0.25]",
        "C: expect[0].share: found [0.5, 0.25]; expected a range whose least value comes first",
    ),
];

/// An edit of the frame, and its fault.
fn frame_faults() -> Vec<(Edit, &'static str)> {
    vec![
        // Shapes: what serde refuses.
        (
            set("/surprise", json!(1)),
            "F: surprise (line 343, column 12): found the unknown key `surprise`; expected one of `label`, `values`, `buffers`, `programs`, `passes`, `lists`, `extra`",
        ),
        (
            set("/buffers/0/surprise", json!(1)),
            "F: buffers[0].surprise (line 16, column 16): found the unknown key `surprise`; expected one of `id`, `name`, `size`, `usage`, `initial`, `final`, `origin`, `gpu_written`, `extra`",
        ),
        (
            set("/buffers/0/usage", json!("odd")),
            "F: buffers[0].usage (line 16, column 20): found `odd`; expected one of `static`, `dynamic`, `default`, `upload`",
        ),
        (
            set("/buffers/0/size", json!("60")),
            r#"F: buffers[0].size (line 15, column 18): found string "60"; expected an integer, 0 or more"#,
        ),
        (
            set("/buffers/0/size", json!(-60)),
            "F: buffers[0].size (line 15, column 17): found integer `-60`; expected an integer, 0 or more",
        ),
        (
            set("/buffers/0/size", json!(60.5)),
            "F: buffers[0].size (line 15, column 18): found floating point `60.5`; expected an integer, 0 or more",
        ),
        (
            set("/buffers/0/initial/blob", json!("../../etc/passwd")),
            "F: buffers[0].initial.blob (line 6, column 34): found `../../etc/passwd`, which is no blob name; expected the 64 lower-case hex digits of a SHA-256",
        ),
        (
            set("/buffers/0/initial/blob", json!("ABC")),
            "F: buffers[0].initial.blob (line 6, column 21): found `ABC`, which is no blob name; expected the 64 lower-case hex digits of a SHA-256",
        ),
        (
            set("/buffers/0/initial/taken", json!("later")),
            "F: buffers[0].initial.taken (line 7, column 24): found `later`; expected one of `frame_start`, `frame_end`, `late`",
        ),
        (
            Edit::Remove("/buffers/0/name"),
            "F: buffers[0] (line 16, column 5): found no key `name`; expected that key",
        ),
        (Edit::Remove("/lists"), "F: line 188, column 1: found no key `lists`; expected that key"),
        (
            set("/passes/0/kind", json!("main")),
            "F: passes[0].kind (line 228, column 20): found `main`; expected one of `shadow`, `gbuffer`, `motion_vector`, `other`",
        ),
        (
            set("/passes/0/targets/0/format", json!("r8g8b8a8_snorn")),
            "F: passes[0].targets[0].format (line 237, column 36): found `r8g8b8a8_snorn`, which is no DXGI format; expected a DXGI name in lower case such as `r32g32b32_float`",
        ),
        (
            Edit::Remove("/passes/0/targets/0/clear"),
            "F: passes[0].targets[0] (line 237, column 9): found no key `clear`; expected that key",
        ),
        (
            set("/passes/0/viewport", json!([0, 0, 4, 2, 0])),
            "F: passes[0].viewport (line 251, column 7): found the length 5; expected an array of length 6",
        ),
        (
            set("/passes/0/depth/compare", json!("lesser")),
            "F: passes[0].depth.compare (line 219, column 27): found `lesser`; expected one of `never`, `less`, `equal`, `less_equal`, `greater`, `not_equal`, `greater_equal`, `always`",
        ),
        (
            set("/lists/0/commands/0/op", json!("draw_indexed")),
            "F: lists[0].commands[0].op (line 64, column 30): found `draw_indexed`; expected one of `map_discard`, `write`, `copy`, `execute`, `draw`, `opaque`, `observe`",
        ),
        (
            Edit::Remove("/lists/0/commands/0/op"),
            "F: lists[0].commands[0] (line 64, column 9): found no key `op`; expected that key",
        ),
        (
            set("/lists/0/commands/1/size", json!(3)),
            "F: lists[0].commands[1].size (line 74, column 8): found the unknown key `size`; expected one of `event`, `buffer`, `offset`, `blob`, `extra`",
        ),
        (
            set("/lists/1/commands/0/surprise", json!(3)),
            "F: lists[1].commands[0].surprise (line 192, column 8): found the unknown key `surprise`; expected one of `event`, `pass`, `program`, `mesh`, `topology`, `index`, `index_count`, `first_index`, `base_vertex`, `vertex_count`, `first_vertex`, `instance_count`, `first_instance`, `streams`, `constants`, `resources`, `state`, `unsupported`, `recorded`, `extra`",
        ),
        (
            set("/lists/1/commands/0/streams/0/surprise", json!(3)),
            "F: lists[1].commands[0].streams[0].surprise (line 192, column 8): found the unknown key `surprise`; expected one of `slot`, `buffer`, `offset`, `stride`, `extra`",
        ),
        (
            set("/lists/1/commands/0/streams/0/stride", json!(-20)),
            "F: lists[1].commands[0].streams[0].stride (line 191, column 8): found integer `-20`; expected an integer, 0 to 4294967295",
        ),
        (
            set("/lists/1/commands/0/topology", json!("triangle_fan")),
            "F: lists[1].commands[0].topology (line 191, column 8): found `triangle_fan`; expected one of `point_list`, `line_list`, `line_strip`, `triangle_list`, `triangle_strip`, `line_list_adj`, `line_strip_adj`, `triangle_list_adj`, `triangle_strip_adj`, `patch_list`",
        ),
        (
            set("/lists/1/commands/0/state/cull", json!("both")),
            "F: lists[1].commands[0].state.cull (line 191, column 8): found `both`; expected one of `none`, `front`, `back`",
        ),
        (
            set("/lists/1/commands/0/state/blend/color", json!(["one", "zero"])),
            "F: lists[1].commands[0].state.blend.color (line 190, column 8): found the length 2; expected two factors and an operation",
        ),
        (
            set("/lists/1/commands/0/state/blend/factor", json!(1)),
            "F: lists[1].commands[0].state.blend.factor (line 192, column 8): found the unknown key `factor`; expected one of `color`, `alpha`, `extra`",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/order", json!("vertices")),
            "F: lists[1].commands[0].recorded.post_vs.order (line 191, column 8): found `vertices`; expected `vertex` or `index`",
        ),
        (
            Edit::Remove("/lists/1/commands/0/program"),
            "F: lists[1].commands[0] (line 190, column 8): found no key `program`; expected that key",
        ),
        // Ids.
        (
            set("/buffers/1/id", json!(1)),
            "F: buffers[1].id: found 1 again; expected an id unique in the table",
        ),
        (
            set("/programs/-", json!({"id": 1, "name": "", "inputs": []})),
            "F: programs[1].id: found 1 again; expected an id unique in the table",
        ),
        (
            set("/passes/1/id", json!("gbuffer")),
            "F: passes[1].id: found `gbuffer` again; expected an id unique in the frame",
        ),
        (set("/lists/1/id", json!(0)), "F: lists[1].id: found 0 again; expected an id unique in the frame"),
        (
            set("/lists/0/id", json!(7)),
            "F: lists[0].kind: found `immediate`; expected `deferred` for every list but 0",
        ),
        (
            set("/lists/0/kind", json!("deferred")),
            "F: lists[0].kind: found `deferred`; expected `immediate` for list 0",
        ),
        (
            set("/lists/1/kind", json!("immediate")),
            "F: lists[1].kind: found `immediate`; expected `deferred` for every list but 0",
        ),
        (set("/lists", json!([])), "F: lists: found no list 0; expected the immediate list, id 0"),
        (
            set("/lists/0/commands/0/buffer", json!(99)),
            "F: lists[0].commands[0].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/0/commands/1/buffer", json!(99)),
            "F: lists[0].commands[1].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/0/commands/2/src", json!(99)),
            "F: lists[0].commands[2].src: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/0/commands/2/dst", json!(99)),
            "F: lists[0].commands[2].dst: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/0/commands/3/list", json!(99)),
            "F: lists[0].commands[3].list: found 99; expected the id of a deferred list of this frame",
        ),
        (
            set("/lists/0/commands/3/list", json!(0)),
            "F: lists[0].commands[3].list: found 0; expected the id of a deferred list of this frame",
        ),
        (
            set("/lists/0/commands/5/writes/0/buffer", json!(99)),
            "F: lists[0].commands[5].writes[0].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/0/commands/6/buffer", json!(99)),
            "F: lists[0].commands[6].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/1/commands/0/pass", json!("shadow")),
            "F: lists[1].commands[0].pass: found `shadow`; expected the id of a pass of this frame",
        ),
        (
            set("/lists/1/commands/0/program", json!(99)),
            "F: lists[1].commands[0].program: found 99; expected the id of a program of this frame",
        ),
        (
            set("/lists/1/commands/0/index/buffer", json!(99)),
            "F: lists[1].commands[0].index.buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/1/commands/0/streams/0/buffer", json!(99)),
            "F: lists[1].commands[0].streams[0].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/1/commands/0/constants/0/buffer", json!(99)),
            "F: lists[1].commands[0].constants[0].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/lists/1/commands/0/resources/0/buffer", json!(99)),
            "F: lists[1].commands[0].resources[0].buffer: found 99; expected the id of a buffer of this frame",
        ),
        (
            set("/passes/1/depth/shared_with", json!("shadow")),
            "F: passes[1].depth.shared_with: found `shadow`; expected the id of a pass of this frame",
        ),
        // Events.
        (
            set("/lists/0/commands/1/event", json!(1)),
            "F: lists[0].commands[1].event: found 1; expected more than 1, the event before in its list",
        ),
        (
            set("/lists/1/commands/1/event", json!(20)),
            "F: lists[1].commands[1].event: found 20 again; expected an event unique in the frame",
        ),
        // Ranges and sums.
        (
            set("/buffers/0/size", json!(4_294_967_297_u64)),
            "F: buffers[0].size: found 4294967297 bytes; expected at most 4294967296 bytes (4 GiB)",
        ),
        (
            set("/lists/0/commands/1/offset", json!(257)),
            "F: lists[0].commands[1]: found offset 257 and size 0; expected a range within the 256 bytes of buffer 5",
        ),
        (
            set("/lists/0/commands/1/offset", json!(250)),
            "blobs/225eba79de1b87885554c16b2aac6b3bf873b62082a79f1a73420e01bc440ca3.bin: named by frames/0001/frame.json: lists[0].commands[1].blob: found more than 6 bytes; expected at most 6 bytes (buffer 5 from offset 250 on)",
        ),
        (
            set("/lists/0/commands/2/src_offset", json!(129)),
            "F: lists[0].commands[2]: found offset 129 and size 128; expected a range within the 256 bytes of buffer 5",
        ),
        (
            set("/lists/0/commands/2/dst_offset", json!(129)),
            "F: lists[0].commands[2]: found offset 129 and size 128; expected a range within the 256 bytes of buffer 4",
        ),
        (
            set("/lists/0/commands/2/size", json!(u64::MAX)),
            "F: lists[0].commands[2]: found offset 0 and size 18446744073709551615; expected a range within the 256 bytes of buffer 5",
        ),
        (
            set("/lists/0/commands/2/dst", json!(5)),
            "F: lists[0].commands[2]: found bytes 0..128 copied to 64..192 of buffer 5; expected ranges that do not overlap",
        ),
        (
            set("/lists/0/commands/5/writes/0/size", json!(257)),
            "F: lists[0].commands[5].writes[0]: found offset 0 and size 257; expected a range within the 256 bytes of buffer 4",
        ),
        (
            set("/lists/0/commands/5/writes/0/offset", json!(u64::MAX)),
            "F: lists[0].commands[5].writes[0]: found offset 18446744073709551615 and size 16; expected a range within the 256 bytes of buffer 4",
        ),
        (
            set("/lists/0/commands/6/offset", json!(241)),
            "blobs/06232b08dabb5a4fdb466598179349c845b0dc3436324794e270257b4e0fdbce.bin: named by frames/0001/frame.json: lists[0].commands[6].blob: found more than 15 bytes; expected at most 15 bytes (buffer 4 from offset 241 on)",
        ),
        (
            set("/lists/1/commands/0/index/offset", json!(7)),
            "F: lists[1].commands[0].index: found offset 7 and size 0; expected a range within the 6 bytes of buffer 3",
        ),
        (
            set("/lists/1/commands/0/streams/0/offset", json!(61)),
            "F: lists[1].commands[0].streams[0]: found offset 61 and size 0; expected a range within the 60 bytes of buffer 1",
        ),
        (
            set("/lists/1/commands/0/constants/0/size", json!(257)),
            "F: lists[1].commands[0].constants[0]: found offset 0 and size 257; expected a range within the 256 bytes of buffer 4",
        ),
        (
            set("/lists/1/commands/0/resources/0/offset", json!(u64::MAX)),
            "F: lists[1].commands[0].resources[0]: found offset 18446744073709551615 and size 96; expected a range within the 256 bytes of buffer 5",
        ),
        // Lists.
        (
            set("/lists/1/commands/-", json!({"op": "execute", "event": 12, "list": 1})),
            "F: lists[1].commands[2].list: found a list that executes itself (1 > 1); expected no circle",
        ),
        // Draws.
        (
            Edit::Remove("/lists/1/commands/0/index_count"),
            "F: lists[1].commands[0]: found an `index` without `index_count`; expected both or neither",
        ),
        (
            Edit::Remove("/lists/1/commands/0/index"),
            "F: lists[1].commands[0].index_count: found the key in a draw without `index`; expected no such key",
        ),
        (
            set("/lists/1/commands/0/vertex_count", json!(3)),
            "F: lists[1].commands[0].vertex_count: found the key in an indexed draw; expected no such key",
        ),
        (
            set("/lists/1/commands/0/first_vertex", json!(3)),
            "F: lists[1].commands[0].first_vertex: found the key in an indexed draw; expected no such key",
        ),
        (
            set("/lists/1/commands/1/first_index", json!(3)),
            "F: lists[1].commands[1].first_index: found the key in a draw without `index`; expected no such key",
        ),
        (
            set("/lists/1/commands/1/base_vertex", json!(3)),
            "F: lists[1].commands[1].base_vertex: found the key in a draw without `index`; expected no such key",
        ),
        (
            set("/lists/1/commands/1/instance_count", json!(100_000_000)),
            "F: lists[1].commands[1]: found 3 vertices in 100000000 instances; expected at most 268435456 vertices in all",
        ),
        (
            set("/lists/1/commands/0/streams/-", json!({"slot": 0, "buffer": 2, "stride": 20})),
            "F: lists[1].commands[0].streams[1].slot: found 0 again; expected each slot once",
        ),
        (
            set("/lists/1/commands/0/streams/0/slot", json!(32)),
            "F: lists[1].commands[0].streams[0].slot: found 32; expected an input slot below 32",
        ),
        (
            set("/lists/1/commands/0/constants/-", json!({"register": 0, "buffer": 4, "size": 16})),
            "F: lists[1].commands[0].constants[1].register: found b0 again; expected each register once",
        ),
        (
            set("/lists/1/commands/0/resources/-", json!({"register": 3, "buffer": 5, "size": 96})),
            "F: lists[1].commands[0].resources[1].register: found t3 again; expected each register once",
        ),
        (
            set("/lists/1/commands/0/state/color_write", json!("rgx")),
            "F: lists[1].commands[0].state.color_write: found `rgx`; expected letters of `rgba`, each at most once",
        ),
        (
            set("/lists/1/commands/0/state/color_write", json!("rr")),
            "F: lists[1].commands[0].state.color_write: found `rr`; expected letters of `rgba`, each at most once",
        ),
        (
            set("/lists/1/commands/0/state/scissor", json!([0, 0, -1, 2])),
            "F: lists[1].commands[0].state.scissor: found [0, 0, -1, 2]; expected x, y and no negative size, with edges of 32 bits",
        ),
        (
            set("/lists/1/commands/0/state/scissor", json!([1, 0, i64::MAX, 2])),
            "F: lists[1].commands[0].state.scissor: found [1, 0, 9223372036854775807, 2]; expected x, y and no negative size, with edges of 32 bits",
        ),
        // Dumps of draws.
        (
            Edit::Remove("/lists/1/commands/0/recorded/post_vs/vertex_count"),
            "F: lists[1].commands[0].recorded.post_vs: found `vertex` order without its range; expected `first_vertex` and `vertex_count`",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/vertex_count", json!(4)),
            "blobs/16f35d5a72dc0c8381e6c8703f632bb7e00409659884231760023999d98745a9.bin: named by frames/0001/frame.json: lists[1].commands[0].recorded.post_vs.blob: found 48 bytes; expected 64 bytes (4 records of 16 bytes)",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/vertex_count", json!(u64::MAX)),
            "F: lists[1].commands[0].recorded.post_vs: found 18446744073709551615 vertices from 0 on, 1 instances; expected at most 268435456 vertices in all",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/first_vertex", json!(i64::MAX)),
            "F: lists[1].commands[0].recorded.post_vs: found 3 vertices from 9223372036854775807 on, 1 instances; expected at most 268435456 vertices in all",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/taken", json!("frame_start")),
            "F: lists[1].commands[0].recorded.post_vs.taken: found `frame_start`; expected `frame_end` or `late`",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/layout", json!([])),
            "F: lists[1].commands[0].recorded.post_vs.layout: found no element; expected the elements of a record",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/layout/0/semantic", json!("")),
            "F: lists[1].commands[0].recorded.post_vs.layout[0].semantic: found no name; expected the name of a semantic",
        ),
        (
            set("/lists/1/commands/0/recorded/post_vs/layout/0/format", json!("r32g32b32_float")),
            "blobs/16f35d5a72dc0c8381e6c8703f632bb7e00409659884231760023999d98745a9.bin: named by frames/0001/frame.json: lists[1].commands[0].recorded.post_vs.blob: found more than 36 bytes; expected 36 bytes (3 records of 12 bytes)",
        ),
        (
            set(
                "/lists/1/commands/0/recorded/post_vs/layout/-",
                json!({"semantic": "sv_position", "index": 0, "format": "r32_float"}),
            ),
            "F: lists[1].commands[0].recorded.post_vs.layout[1]: found the semantic SV_POSITION0 again; expected each semantic once",
        ),
        // Passes.
        (set("/passes/0/width", json!(0)), "F: passes[0].width: found 0 pixels; expected 1 to 16384 pixels"),
        (
            set("/passes/0/height", json!(16_385)),
            "F: passes[0].height: found 16385 pixels; expected 1 to 16384 pixels",
        ),
        (
            set("/passes/0/height", json!(3)),
            "F: passes[1].depth.shared_with: found `gbuffer` of 4 by 3 pixels; expected a pass of 4 by 2 pixels",
        ),
        (
            set("/passes/0/viewport/2", json!(1e39)),
            "F: passes[0].viewport[2] (line 248, column 13): found a fault of syntax (number out of range); expected JSON",
        ),
        (
            set("/passes/0/viewport/2", json!(-1)),
            "F: passes[0].viewport: found [0.0, 0.0, -1.0, 2.0, 0.0, 1.0]; expected an area of no negative size within -32768 to 32767",
        ),
        (
            set("/passes/0/viewport/0", json!(40_000)),
            "F: passes[0].viewport: found [40000.0, 0.0, 4.0, 2.0, 0.0, 1.0]; expected an area of no negative size within -32768 to 32767",
        ),
        (
            set("/passes/0/viewport/5", json!(2)),
            "F: passes[0].viewport: found [0.0, 0.0, 4.0, 2.0, 0.0, 2.0]; expected depths within 0 to 1",
        ),
        (
            set("/passes/0/targets/-", json!({"name": "normal", "format": "r32_float", "clear": null})),
            "F: passes[0].targets[1].name: found `normal` again; expected a name unique in the pass",
        ),
        (
            set("/passes/0/targets/0/recorded/taken", json!("frame_start")),
            "F: passes[0].targets[0].recorded.taken: found `frame_start`; expected `frame_end` or `late`",
        ),
        (
            set("/passes/0/depth/clear", json!(1.5)),
            "F: passes[0].depth.clear: found 1.5; expected a depth within 0 to 1",
        ),
        (
            Edit::Remove("/passes/0/depth/format"),
            "F: passes[0].depth: found neither `format` nor `shared_with`; expected one of them",
        ),
        (
            set("/passes/0/depth/initial", json!({"blob": blob_name(&[5; 32]), "taken": "frame_end"})),
            "F: passes[0].depth.initial.taken: found `frame_end`; expected `frame_start` or `late`",
        ),
        (
            set("/passes/1/depth/shared_with", json!("motion")),
            "F: passes[1].depth.shared_with: found `motion`; expected another pass",
        ),
        (
            set("/passes/0/depth", json!({"shared_with": "motion"})),
            "F: passes[0].depth.shared_with: found `motion`; expected a pass with a depth buffer of its own",
        ),
        (
            set("/passes/1/width", json!(8)),
            "F: passes[1].depth.shared_with: found `gbuffer` of 4 by 2 pixels; expected a pass of 8 by 2 pixels",
        ),
        (
            set("/passes/1/depth/format", json!("d16_unorm")),
            "F: passes[1].depth.format: found d16_unorm; expected d32_float, that of `gbuffer`",
        ),
        // Tables.
        (
            set("/buffers/1/final/taken", json!("frame_start")),
            "F: buffers[1].final.taken: found `frame_start`; expected `frame_end` or `late`",
        ),
        (
            set("/buffers/0/initial/taken", json!("frame_end")),
            "F: buffers[0].initial.taken: found `frame_end`; expected `frame_start` or `late`",
        ),
        (
            set("/buffers/0/size", json!(61)),
            "blobs/5e4084eff2f37d637e6502bf9472b0029755bbd130ebb52c8c33bb8148c31fd2.bin: named by frames/0001/frame.json: buffers[0].initial: found 60 bytes; expected 61 bytes (the size of buffer 1)",
        ),
        (
            set("/programs/0/hash", json!(blob_name(b"other"))),
            "F: programs[0].code: found the blob 5c210454b1facc1e317a759f6059324f793841eb23d1f549179b64d1584c55f8; expected that of `hash`, d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa",
        ),
        (
            set(
                "/programs/0/inputs/1",
                json!({"semantic": "position", "index": 0, "format": "r32_float", "slot": 0, "offset": 0}),
            ),
            "F: programs[0].inputs[1]: found the semantic POSITION0 again; expected each semantic once",
        ),
        (
            set("/programs/0/inputs/0/slot", json!(32)),
            "F: programs[0].inputs[0].slot: found 32; expected an input slot below 32",
        ),
        (
            set("/programs/0/inputs/0/step_rate", json!(1)),
            "F: programs[0].inputs[0].step_rate: found a step rate; expected one only with `per_instance`",
        ),
        (
            set("/programs/0/constants/-", json!({"name": "again", "register": 0, "size": 16})),
            "F: programs[0].constants[1].register: found b0 again; expected each register once",
        ),
        (
            set("/programs/0/constants/0/fields/0/count", json!(0)),
            "F: programs[0].constants[0].fields[0].count: found 0; expected at least 1",
        ),
        (
            set("/programs/0/constants/0/fields/0/count", json!(u64::MAX)),
            "F: programs[0].constants[0].fields[0]: found offset 0, 18446744073709551615 elements; expected a field that ends below 4 GiB",
        ),
        (
            set(
                "/programs/0/constants/0/fields/0/fields",
                json!([{"name": "x", "offset": 0, "type": "float"}]),
            ),
            r#"F: programs[0].constants[0].fields[0].fields: found fields of no struct; expected `"type": "struct"`"#,
        ),
        (
            Edit::Remove("/programs/0/resources/0/fields/0/stride"),
            "F: programs[0].resources[0].fields[0]: found a struct without `stride`; expected the bytes from one element to the next",
        ),
        (
            set("/programs/0/resources/0/fields/0/fields/0/offset", json!(u64::MAX)),
            "F: programs[0].resources[0].fields[0].fields[0]: found offset 18446744073709551615, 1 elements; expected a field that ends below 4 GiB",
        ),
    ]
}
