//! What `inspect` shows: figures of the independent writer, exports that keep what is odd, pivots without a verdict.

use std::fs;
use std::path::Path;

use binrw::Endian;
use half::f16;
use replay::formats::flver::Model;
use replay::formats::flver::vertex_buffer::MemberRecord;
use replay::formats::flver::write::Parts;
use replay::formats::{bnd4, dcx};
use replay::inspect::{self, Format, InspectError, InspectOptions};
use replay::synth::models::{Kind, Random, build_model};
use serde_json::Value;

fn show(options: &InspectOptions) -> Result<String, InspectError> {
    let mut out = Vec::new();
    inspect::run(options, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn options(path: &Path) -> InspectOptions {
    InspectOptions { files: vec![path.to_str().unwrap().to_owned()], ..InspectOptions::default() }
}

fn json(options: InspectOptions) -> Value {
    serde_json::from_str(&show(&InspectOptions { format: Format::Json, ..options }).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// A model written to a folder.
fn saved(folder: &Path, name: &str, parts: &Parts) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, parts.write()).unwrap();
    path
}

fn parts(kind: Kind) -> Parts {
    Model::read(build_model(kind, &mut Random::new(11)).finish()).unwrap().to_parts().unwrap()
}

#[test]
fn json_of_the_sample_model_has_the_expected_worlds_dummies_and_bounds() {
    let Some(folder) = crate::formats::samples() else { return };
    let expected: Value =
        serde_json::from_slice(&fs::read(folder.join("synthetic.flver.expected.json")).unwrap()).unwrap();
    let shown = json(options(&folder.join("synthetic.flver")));
    let near = |found: &Value, expected: &Value, what: &str| {
        let (found, expected) = (numbers(found), numbers(expected));
        assert_eq!(found.len(), expected.len(), "{what}");
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 4e-6), "{what}");
    };
    for (i, node) in shown["nodes"].as_array().unwrap().iter().enumerate() {
        near(&node["world"], &expected["world"][i], "world");
        near(&node["importer_world"], &expected["importer_world"][i], "importer world");
    }
    for (i, dummy) in shown["dummies"].as_array().unwrap().iter().enumerate() {
        near(&dummy["placed"]["full_product"], &expected["dummies_world"][i], "dummy");
    }
    let full = &shown["bounds"]["posed"]["full_product"];
    near(&full["min"], &expected["bounds"][0], "least corner");
    near(&full["max"], &expected["bounds"][1], "greatest corner");
    assert_eq!(full["reproduced"], true);
    assert_eq!(shown["bounds"]["posed"]["importer_rule"]["reproduced"], false);
    assert_eq!(shown["problems"], Value::Array(Vec::new()));
}

#[test]
fn json_of_the_sample_grass_has_the_expected_figures() {
    let Some(folder) = crate::formats::samples() else { return };
    let expected: Value =
        serde_json::from_slice(&fs::read(folder.join("synthetic.grass.expected.json")).unwrap()).unwrap();
    let shown = json(options(&folder.join("synthetic.grass")));
    for key in ["volumes", "vertices", "faces", "stats"] {
        assert_eq!(shown[key], expected[key], "{key}");
    }
    let row = json(options(&folder.join("synthetic_grasstype_er.bin")));
    assert_eq!(row["rows"][0]["names"]["model0"], "AEG210_001");
    assert_eq!(row["rows"][0]["names"]["model1"], Value::Null);
    assert_eq!(row["rows"][0]["base_density"], 0.8);
}

#[test]
fn text_has_both_rules_and_only_the_sections_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "a.flver", &parts(Kind::ScaledObject));
    let all = show(&options(&path)).unwrap();
    for line in
        ["full product:", "importer's rule:", "not reproduced", "  nodes\n", "mesh 0: static", "dummy 0:"]
    {
        assert!(all.contains(line), "{line:?} not in\n{all}");
    }
    let dummies = show(&InspectOptions { dummies: true, ..options(&path) }).unwrap();
    assert!(dummies.contains("dummy 0:") && !dummies.contains("mesh 0") && !dummies.contains("  nodes\n"));
}

#[test]
fn a_vertex_that_is_no_number_survives_every_export() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = parts(Kind::Object);
    // A NaN with a payload of its own, and a negative zero.
    let payload = 0x7FC0_1234u32;
    parts.buffers[0].1[..4].copy_from_slice(&payload.to_le_bytes());
    parts.buffers[0].1[4..8].copy_from_slice(&(-0.0f32).to_le_bytes());
    let path = saved(folder.path(), "a.flver", &parts);
    let csv = show(&InspectOptions { vertices: Some(0), ..options(&path) }).unwrap();
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let column = rows.headers().unwrap().iter().position(|name| name == "slot0_position0.x").unwrap();
    let first = rows.records().next().unwrap().unwrap();
    assert_eq!((&first[column], &first[column + 1]), ("NaN", "-0"));

    let npy = folder.path().join("a.npy");
    show(&InspectOptions { vertices: Some(0), npy: Some(npy.clone()), ..options(&path) }).unwrap();
    let bytes = fs::read(npy).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(data % 64, 0);
    let header = std::str::from_utf8(&bytes[10..data]).unwrap();
    assert!(
        header.starts_with("{'descr': [('posed', '<f8', (3,)), ('slot0_position0', '<f4', (3,)), "),
        "{header}"
    );
    assert!(header.ends_with("}\n") || header.trim_end().ends_with('}'));
    // The posed position takes 24 bytes; the stored one follows bit for bit.
    assert_eq!(bytes[data + 24..data + 28], payload.to_le_bytes());

    let obj = folder.path().join("a.obj");
    show(&InspectOptions { obj: Some(obj.clone()), ..options(&path) }).unwrap();
    let text = fs::read_to_string(obj).unwrap();
    assert!(text.lines().any(|line| line == "v NaN NaN NaN"), "{text}");
    let vertices = text.lines().filter(|line| line.starts_with("v ")).count();
    let most = text.lines().filter_map(|line| line.strip_prefix("f ")).flat_map(str::split_whitespace);
    assert_eq!(most.map(|i| i.parse::<usize>().unwrap()).max(), Some(vertices));
    let shown = json(options(&path));
    assert_eq!(shown["bounds"]["posed"]["full_product"]["reproduced"], false);
    assert_eq!(shown["bounds"]["posed"]["full_product"]["unplaced"], 1);
}

#[test]
fn a_restart_value_begins_a_strip_anew_in_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = parts(Kind::Object);
    let indices: Vec<u8> = [0u16, 1, 2, 3, 0xFFFF, 4, 5, 6].iter().flat_map(|i| i.to_le_bytes()).collect();
    let (set, bytes) = &mut parts.face_sets[0];
    (set.strip, set.index_count, set.index_bytes) = (1, 8, 16);
    *bytes = indices;
    parts.meshes.truncate(1);
    let path = saved(folder.path(), "a.flver", &parts);
    let obj = folder.path().join("a.obj");
    show(&InspectOptions { obj: Some(obj.clone()), ..options(&path) }).unwrap();
    let text = fs::read_to_string(obj).unwrap();
    let faces: Vec<_> = text.lines().filter(|line| line.starts_with("f ")).collect();
    assert_eq!(faces, ["f 1 2 3", "f 4 3 2", "f 5 6 7"]);
}

#[test]
fn a_pivot_is_shown_raw_and_in_both_readings() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = parts(Kind::Object);
    // A pivot in place of the last member of the first layout (four bytes of coordinates).
    let record = MemberRecord { stream: 0, offset: 24, kind: 0x2E, semantic: 5, index: 1 };
    let members = &mut parts.layouts[0];
    assert_eq!(members.pop().unwrap().offset, 24);
    members.push(record);
    let pivot = [1.5f32, -2.0, 0.25, 1.0].map(f16::from_f32);
    let raw: Vec<u8> = pivot.iter().flat_map(|h| h.to_le_bytes()).collect();
    let (buffer, bytes) = &mut parts.buffers[0];
    *bytes = bytes.chunks(28).flat_map(|vertex| [&vertex[..24], &raw].concat()).collect();
    (buffer.vertex_size, buffer.byte_length) = (32, bytes.len() as i32);
    let path = saved(folder.path(), "a.flver", &parts);
    let text = show(&InspectOptions { meshes: true, ..options(&path) }).unwrap();
    assert!(
        text.contains("uv1 type 0x2e at 24 (pivot: half floats or scaled shorts, not settled)"),
        "{text}"
    );
    let csv = show(&InspectOptions { vertices: Some(0), ..options(&path) }).unwrap();
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let names = rows.headers().unwrap().clone();
    let row = rows.records().next().unwrap().unwrap();
    let at = |name: &str| {
        row[names.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"))].to_owned()
    };
    assert_eq!([at("slot0_uv1_pivot_as_half.x"), at("slot0_uv1_pivot_as_half.y")], ["1.5", "-2"]);
    let short = f32::from(i16::from_le_bytes([raw[0], raw[1]])) / 2048.0;
    assert_eq!(at("slot0_uv1_pivot_as_scaled_short.x"), short.to_string());
    assert_eq!(at("slot0_uv1_pivot_raw.1"), raw[1].to_string());
    // Posed as a position: where the vertex's node takes it.
    let model = Model::read(parts.write()).unwrap();
    let hierarchy = replay::formats::flver::hierarchy::Hierarchy::of(&model.nodes);
    let worlds = replay::pose::Worlds::of(&model.nodes, &hierarchy);
    let world = worlds.world(1, replay::pose::Rule::Full).unwrap();
    let expected = world.transform_point3(glam::DVec3::new(1.5, -2.0, 0.25));
    assert_eq!(at("slot0_uv1_pivot_as_half_posed.x"), expected.x.to_string());
    assert_eq!(model.endian(), Endian::Little);
}

#[test]
fn a_member_of_a_packed_binder_is_shown_by_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = parts(Kind::MapPiece).write();
    let path = folder.path().join("a.mapbnd.dcx");
    fs::write(&path, dcx::pack_deflate(&bnd4::write(&[(200, "N:\\x\\m10.flver", &bytes)]))).unwrap();
    let binder = show(&options(&path)).unwrap_err();
    assert!(binder.to_string().contains("a.mapbnd.dcx!m10.flver (it has 1)"), "{binder}");
    let mut options = options(&path);
    options.files[0].push_str("!m10.flver");
    assert!(show(&options).unwrap().contains("static"));
}

#[test]
fn what_cannot_be_shown_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "a.flver", &parts(Kind::Object));
    let cases = [
        (InspectOptions { vertices: Some(9), ..options(&path) }, "has no mesh 9, only 2"),
        (options(&folder.path().join("none.flver")), "could not read"),
        (
            InspectOptions {
                obj: Some("x.obj".into()),
                files: vec!["a".into(), "b".into()],
                ..InspectOptions::default()
            },
            "one input, and 2",
        ),
    ];
    for (options, text) in cases {
        let error = show(&options).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let other = folder.path().join("x.bin");
    fs::write(&other, [1; 300]).unwrap();
    assert!(show(&options(&other)).unwrap_err().to_string().contains("--as"));
    let row = show(&InspectOptions { kind: Some(inspect::Kind::GrassType), ..options(&other) }).unwrap();
    assert!(row.contains("24 bytes after the known fields"), "{row}");
}
