//! Model and grass files of an independent writer: what they hold, and which rule each broken one breaks.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use binrw::Endian;
use glam::DVec3;
use proptest::prelude::*;
use replay::formats::Record;
use replay::formats::flver::hierarchy::Hierarchy;
use replay::formats::flver::vertex_buffer::{LayoutRecord, MemberRecord};
use replay::formats::flver::{
    Dummy, FaceSet, Header, Material, Mesh, Model, Node, NodeBounds, SkeletonEntry, SkeletonSet, Texture,
    Version, VertexBuffer,
};
use replay::formats::grass::{
    Grass, GrassBox, GrassFace, GrassHeader, GrassVertex, GrassVolume, NormalSense,
};
use replay::formats::grass_type_param::{GrassType, GrassTypeRow, RowGame};
use replay::inspect::VertexTable;
use replay::pose::{Carrier, Extents, MeshVertices, Rule, Worlds, bounds, place_dummies};
use replay::synth::models::{Kind, Random, build_grass, build_model};
use serde_json::Value;

/// The folder of samples; `None` (with a line that says so) where it is not there.
pub(crate) fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/models"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no samples of model files beside the crate");
    None
}

fn model(name: &str) -> Option<Model> {
    Some(Model::read(fs::read(samples()?.join(name)).unwrap()).unwrap())
}

fn json(name: &str) -> Option<Value> {
    Some(serde_json::from_slice(&fs::read(samples()?.join(name)).unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "{what} number {i}: {a} and not {b}");
    }
}

#[test]
fn worlds_vertices_dummies_and_bounds_are_those_of_the_independent_writer() {
    let (Some(model), Some(expected)) = (model("synthetic.flver"), json("synthetic.flver.expected.json"))
    else {
        return;
    };
    let worlds = Worlds::of(&model.nodes, &Hierarchy::of(&model.nodes));
    // The writer's matrices are for row vectors: its rows are our columns, its last row our translation.
    for (rule, key) in [(Rule::Full, "world"), (Rule::Importer, "importer_world")] {
        for (i, matrix) in expected[key].as_array().unwrap().iter().enumerate() {
            let world = worlds.world(i, rule).unwrap();
            let columns = glam::DMat4::from(*world).to_cols_array();
            assert_near(&columns, &numbers(matrix), 2e-6, &format!("{key} of node {i}"));
        }
    }
    for (mesh, points) in expected["posed"].as_array().unwrap().iter().enumerate() {
        let vertices = MeshVertices::of(&model, mesh).unwrap();
        let posed: Vec<f64> = (0..vertices.len())
            .flat_map(|i| vertices.get(i).unwrap().posed(&worlds, Rule::Full).unwrap().to_array())
            .collect();
        assert_near(&posed, &numbers(points), 4e-6, &format!("posed vertices of mesh {mesh}"));
    }
    let dummies: Vec<f64> =
        place_dummies(&model, &worlds).iter().flat_map(|dummy| dummy.unwrap().full.to_array()).collect();
    assert_near(&dummies, &numbers(&expected["dummies_world"]), 2e-6, "dummies");
    let full = bounds(&model, &worlds, Rule::Full);
    assert_near(
        &[full.min.to_array(), full.max.to_array()].concat(),
        &numbers(&expected["bounds"]),
        4e-6,
        "bounds",
    );
    assert!(full.error(model.header.min, model.header.max) < Extents::TOLERANCE);
    let importer = bounds(&model, &worlds, Rule::Importer);
    assert!((0.27..0.28).contains(&importer.error(model.header.min, model.header.max)));
    assert_eq!(model.problems(), []);
}

#[test]
fn the_sample_model_holds_what_its_tables_say() {
    let Some(model) = model("synthetic.flver") else { return };
    let names: Vec<_> = (0..3).map(|i| model.node_name(i).into_owned()).collect();
    assert!(names.iter().all(|name| !name.is_empty() && name != "?"), "{names:?}");
    let buffers: Vec<_> = model.streams(1).iter().map(|s| (s.record.slot, s.stride(), s.len())).collect();
    assert_eq!(buffers, [(0, 20, 42), (1, 20, 42), (2, 20, 42)]);
    assert_eq!(model.streams(1)[0].bytes, model.streams(1)[2].bytes);
    let palette: Vec<_> = model.palette(3).unwrap().iter().collect();
    assert_eq!(palette, [2, 3, 0]);
    let sources: BTreeMap<_, usize> = (0..4).fold(BTreeMap::new(), |mut counts, mesh| {
        let vertices = MeshVertices::of(&model, mesh).unwrap();
        for i in 0..vertices.len() {
            let carrier = match vertices.get(i).unwrap().carrier {
                Carrier::BindSpace => "bind space",
                Carrier::Node(_, source) => source.name(),
                Carrier::AsStored => "as stored",
            };
            *counts.entry(carrier).or_default() += 1;
        }
        counts
    });
    assert_eq!(sources, BTreeMap::from([("bind space", 51), ("mesh node", 16), ("normal W", 30)]));
    // The strip of mesh 1: its triangles are all and its total is the header's.
    let triangles: usize =
        (0..model.face_sets.len()).map(|set| model.triangles(set, 42).unwrap().count()).sum();
    assert_eq!(triangles, model.header.total_faces as usize);
    let sentinels = model.nodes.iter().filter(|node| node.bounds() == NodeBounds::Sentinel).count();
    assert!(sentinels > 0);
}

#[test]
fn broken_files_are_refused_or_reported_by_the_rule_they_break() {
    let Some(folder) = samples() else { return };
    // The rules of the list, in this reader's words where they differ.
    let words = |rule: &str| -> Vec<String> {
        match rule {
            "flag above the low four bits" => vec![rule.into()],
            "density above one" => vec!["density outside 0 to 1".into()],
            other => vec![other.into()],
        }
    };
    for (file, entry) in json("broken.json").unwrap().as_object().unwrap() {
        let rule = entry["rule"].as_str().unwrap();
        let bytes = fs::read(folder.join(file)).unwrap();
        let found: Vec<String> = if file.ends_with(".grass") {
            match Grass::read(&bytes) {
                Ok(grass) => grass.problems().iter().map(|problem| problem.rule.to_owned()).collect(),
                Err(error) => vec![error.rule().to_owned()],
            }
        } else {
            match Model::read(bytes) {
                Ok(model) => model.problems().iter().map(|problem| problem.rule.to_owned()).collect(),
                Err(error) => vec![error.rule().to_owned()],
            }
        };
        assert!(words(rule).iter().any(|rule| found.contains(rule)), "{file}: {rule} not among {found:?}");
    }
}

#[test]
fn the_sample_grass_gives_the_expected_figures_and_comes_back_byte_for_byte() {
    let (Some(folder), Some(expected)) = (samples(), json("synthetic.grass.expected.json")) else { return };
    let bytes = fs::read(folder.join("synthetic.grass")).unwrap();
    let grass = Grass::read(&bytes).unwrap();
    assert_eq!(grass.write(), bytes);
    let count = |key: &str| expected[key].as_u64().unwrap() as usize;
    let stat = |key: &str| expected["stats"][key].as_u64().unwrap() as usize;
    assert_eq!(grass.volumes.len(), count("volumes"));
    assert_eq!(grass.vertices.len(), count("vertices"));
    assert_eq!(grass.faces.len(), count("faces"));
    let children = |n: usize| grass.volumes.iter().filter(|v| v.children().count() == n).count();
    assert_eq!(
        [children(0), children(1), children(2)],
        [stat("leaf"), stat("one_child"), stat("two_children")]
    );
    let sense = |sense| grass.faces.iter().filter(|face| grass.normal_sense(face) == sense).count();
    assert_eq!(sense(NormalSense::Against), stat("faces_reversed"));
    assert_eq!(sense(NormalSense::None), stat("faces_no_normal"));
    let over = |v: &&replay::formats::grass::GrassVertex| v.densities.iter().sum::<f32>() > 1.0;
    assert_eq!(grass.vertices.iter().filter(over).count(), stat("vertices_over_one"));
    let none = |v: &&replay::formats::grass::GrassVertex| v.densities == [0.0; 6];
    assert_eq!(grass.vertices.iter().filter(none).count(), stat("vertices_none"));
    assert_eq!(grass.problems(), []);
}

#[test]
fn the_sample_row_names_its_resources() {
    let Some(folder) = samples() else { return };
    let bytes = fs::read(folder.join("synthetic_grasstype_er.bin")).unwrap();
    let row = GrassType::read(&bytes, RowGame::EldenRing).unwrap();
    let names: Vec<_> =
        row.names().into_iter().map(|(field, name)| (field, name.unwrap_or_default())).collect();
    assert_eq!(
        names,
        [
            ("model0", "AEG210_001".to_owned()),
            ("flat_texture", "AAT_grass_flat".to_owned()),
            ("billboard_texture", "AAT_grass_billboard".to_owned()),
            ("simple_model", "AEG210_901".to_owned()),
            ("model1", String::new()),
        ]
    );
    assert_eq!((row.row.lod_range, row.row.base_density), (2, 0.8));
    assert_eq!(row.write(), bytes);
}

#[test]
fn a_model_laid_out_by_another_writer_comes_back_byte_for_byte() {
    let Some(folder) = samples() else { return };
    let bytes = fs::read(folder.join("synthetic.flver")).unwrap();
    let written = Model::read(bytes.clone()).unwrap().to_parts().unwrap().write();
    let first = bytes.iter().zip(&written).position(|(a, b)| a != b);
    assert_eq!((written.len(), first), (bytes.len(), None));
}

#[test]
fn every_prefix_of_a_file_is_an_error() {
    let Some(folder) = samples() else { return };
    let model = fs::read(folder.join("synthetic.flver")).unwrap();
    for len in 0..model.len() {
        assert!(Model::read(model[..len].to_vec()).is_err(), "model of {len} bytes");
    }
    let grass = fs::read(folder.join("synthetic.grass")).unwrap();
    for len in 0..grass.len() {
        assert!(Grass::read(&grass[..len]).is_err(), "grass of {len} bytes");
    }
}

/// A node of the pouch: scale and height of its parent's space alone matter.
fn pouch_nodes(pouch_scale: f32) -> Vec<Node> {
    let node = |parent, scale| Node {
        translation: [0.0; 3],
        name_offset: 0,
        rotation: [0.0; 3],
        parent,
        first_child: if parent == -1 { 1 } else { -1 },
        scale: [scale; 3],
        next_sibling: -1,
        previous_sibling: -1,
        min: [Node::SENTINEL_MIN; 3],
        flags: 0,
        max: [Node::SENTINEL_MAX; 3],
        reserved: [0; 52],
    };
    vec![node(-1, 1.25), node(0, pouch_scale)]
}

#[test]
fn the_pouch_of_o005380_and_its_siblings_stands_as_the_document_tells() {
    let height =
        |worlds: &Worlds, rule, y: f64| worlds.world(1, rule).unwrap().transform_point3(DVec3::Y * y).y;
    let unscaled =
        |worlds: &Worlds, y: f64| worlds.importer_unscaled(1).unwrap().transform_point3(DVec3::Y * y).y;
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 6e-4, "{found} and not {expected}");
    // 0.8 under 1.25: the pouch is itself again.
    let nodes = pouch_nodes(0.8);
    let worlds = Worlds::of(&nodes, &Hierarchy::of(&nodes));
    near(height(&worlds, Rule::Full, 0.357), 0.357);
    near(height(&worlds, Rule::Full, 0.266), 0.266);
    near(height(&worlds, Rule::Full, 0.766), 0.766);
    // The parent's own scale only: the pouch shrinks while the points stay put.
    near(height(&worlds, Rule::Importer, 0.357), 0.2856);
    near(unscaled(&worlds, 0.266), 0.266);
    near(unscaled(&worlds, 0.766), 0.766);
    // 0.64 under 1.25, with the pouch of those objects (0.331 m before its node's scale).
    let nodes = pouch_nodes(0.64);
    let worlds = Worlds::of(&nodes, &Hierarchy::of(&nodes));
    near(height(&worlds, Rule::Full, 0.266), 0.213);
    near(height(&worlds, Rule::Full, 0.766), 0.613);
    near(height(&worlds, Rule::Full, 0.3313), 0.265);
    near(height(&worlds, Rule::Importer, 0.3313), 0.212);
    near(unscaled(&worlds, 0.266), 0.266);
    assert!(
        unscaled(&worlds, 0.266) > height(&worlds, Rule::Importer, 0.3313),
        "the point is above the pouch"
    );
}

/// Bytes of which each tells its place.
fn counting(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 256) as u8).collect()
}

/// Reads a record in both byte orders and writes it again; gives the little-endian one.
fn both_ways<T: Record + PartialEq + std::fmt::Debug>(bytes: &[u8], size: usize) -> T {
    assert_eq!((T::SIZE, bytes.len()), (size, size));
    let mut little = None;
    for endian in [Endian::Big, Endian::Little] {
        let record = T::read_options(&mut Cursor::new(bytes), endian, ()).unwrap();
        let mut out = Cursor::new(Vec::new());
        record.write_options(&mut out, endian, ()).unwrap();
        assert_eq!(out.into_inner(), bytes, "{endian:?}");
        assert!(T::read_options(&mut Cursor::new(&bytes[..size - 1]), endian, ()).is_err());
        little = Some(record);
    }
    little.unwrap()
}

fn f32s<const N: usize>(bytes: &[u8], at: usize) -> [u32; N] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[at + 4 * i..at + 4 * i + 4].try_into().unwrap()))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn i16_at(bytes: &[u8], at: usize) -> i16 {
    i16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

#[test]
fn every_field_of_the_documented_records_stands_at_its_offset() {
    let bits = |v: [f32; 3]| v.map(f32::to_bits);
    let bytes = counting(128);
    let node: Node = both_ways(&bytes, 128);
    assert_eq!(bits(node.translation), f32s(&bytes, 0x00));
    assert_eq!(node.name_offset, u32_at(&bytes, 0x0C));
    assert_eq!(bits(node.rotation), f32s(&bytes, 0x10));
    assert_eq!([node.parent, node.first_child], [0x1C, 0x1E].map(|at| i16_at(&bytes, at)));
    assert_eq!(bits(node.scale), f32s(&bytes, 0x20));
    assert_eq!([node.next_sibling, node.previous_sibling], [0x2C, 0x2E].map(|at| i16_at(&bytes, at)));
    assert_eq!(bits(node.min), f32s(&bytes, 0x30));
    assert_eq!(node.flags, u32_at(&bytes, 0x3C));
    assert_eq!(bits(node.max), f32s(&bytes, 0x40));
    assert_eq!(node.reserved, bytes[0x4C..]);

    let bytes = counting(64);
    let dummy: Dummy = both_ways(&bytes, 64);
    assert_eq!(bits(dummy.position), f32s(&bytes, 0x00));
    assert_eq!(dummy.argb(Version(0x2001A)), bytes[0x0C..0x10]);
    let [a, r, g, b] = dummy.argb(Version(0x20010));
    assert_eq!([b, g, r, a], bytes[0x0C..0x10]);
    assert_eq!(bits(dummy.forward), f32s(&bytes, 0x10));
    assert_eq!([dummy.reference_id, dummy.parent], [0x1C, 0x1E].map(|at| i16_at(&bytes, at)));
    assert_eq!(bits(dummy.upward), f32s(&bytes, 0x20));
    assert_eq!(dummy.attach, i16_at(&bytes, 0x2C));
    assert_eq!([dummy.flag_2e, dummy.use_upward], [bytes[0x2E], bytes[0x2F]]);
    assert_eq!([dummy.unknown_30 as u32, dummy.unknown_34 as u32], f32s(&bytes, 0x30));
    assert_eq!(dummy.reserved, bytes[0x38..]);

    let bytes = counting(32);
    let set: SkeletonSet = both_ways(&bytes, 32);
    assert_eq!([set.base_count, set.all_count], [0, 2].map(|at| i16_at(&bytes, at)));
    assert_eq!([set.base_offset, set.all_offset], f32s(&bytes, 4));
    assert_eq!(set.reserved, bytes[0x0C..]);
    let bytes = counting(16);
    let entry: SkeletonEntry = both_ways(&bytes, 16);
    let links = [entry.parent, entry.first_child, entry.next_sibling, entry.previous_sibling];
    assert_eq!(links, [0, 2, 4, 6].map(|at| i16_at(&bytes, at)));
    assert_eq!([entry.node as u32, entry.reserved], f32s(&bytes, 8));

    let bytes = counting(120);
    let header: Header = both_ways(&bytes, 120);
    // Offsets of the documents count the eight bytes of the signature.
    assert_eq!(header.version, u32_at(&bytes, 0x08 - 8));
    assert_eq!(bits(header.min), f32s(&bytes, 40 - 8));
    assert_eq!(bits(header.max), f32s(&bytes, 52 - 8));
    assert_eq!(header.index_bits, bytes[0x48 - 8]);
    assert_eq!(header.textures as u32, u32_at(&bytes, 0x58 - 8));
    assert_eq!(header.unknown_68[1], i16_at(&bytes, 0x6A - 8));
}

#[test]
fn the_other_records_have_their_sizes() {
    both_ways::<Material>(&counting(32), 32);
    both_ways::<Texture>(&counting(32), 32);
    both_ways::<Mesh>(&counting(48), 48);
    both_ways::<FaceSet>(&counting(32), 32);
    both_ways::<VertexBuffer>(&counting(32), 32);
    both_ways::<LayoutRecord>(&counting(16), 16);
    both_ways::<MemberRecord>(&counting(20), 20);
    both_ways::<GrassHeader>(&counting(40), 40);
    let bytes = counting(20);
    let volume: GrassVolume = both_ways(&bytes, 20);
    let [a, b] = volume.children;
    assert_eq!([a, b, volume.first_face, volume.end_face, volume.types], f32s(&bytes, 0));
    let bytes = counting(36);
    let vertex: GrassVertex = both_ways(&bytes, 36);
    assert_eq!(vertex.position.map(f32::to_bits), f32s(&bytes, 0));
    assert_eq!(vertex.densities.map(f32::to_bits), f32s(&bytes, 12));
    let bytes = counting(24);
    let face: GrassFace = both_ways(&bytes, 24);
    assert_eq!(face.normal.map(f32::to_bits), f32s(&bytes, 0));
    assert_eq!(face.vertices, f32s(&bytes, 12));
    let bounds: GrassBox = both_ways(&bytes, 24);
    assert_eq!(bounds.max.map(f32::to_bits), f32s(&bytes, 12));
    both_ways::<GrassTypeRow>(&counting(244), 244);
}

#[test]
fn big_endian_models_read_as_little_endian_ones_do() {
    let mut parts =
        Model::read(build_model(Kind::Character, &mut Random::new(5)).finish()).unwrap().to_parts().unwrap();
    // GX lists, vertices and indices are bytes to the parts: leave them out, and turn the tables round.
    parts.endian = Endian::Big;
    parts.materials.iter_mut().for_each(|material| material.gx.clear());
    for (record, bytes) in &mut parts.buffers {
        (record.vertex_count, record.byte_length) = (0, 0);
        bytes.clear();
    }
    for (record, bytes) in &mut parts.face_sets {
        (record.index_count, record.index_bytes) = (0, 0);
        bytes.clear();
    }
    let bytes = parts.write();
    let model = Model::read(bytes.clone()).unwrap();
    assert_eq!(model.node_name(1), "node_1");
    assert_eq!(model.problems(), []);
    assert!(model.to_parts().unwrap().write() == bytes);
}

proptest! {
    #[test]
    fn any_node_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 128)) {
        both_ways_bits::<Node>(&bytes);
        both_ways_bits::<Dummy>(&bytes[..64]);
        both_ways_bits::<SkeletonSet>(&bytes[..32]);
        both_ways_bits::<SkeletonEntry>(&bytes[..16]);
        both_ways_bits::<GrassVertex>(&bytes[..36]);
        both_ways_bits::<GrassFace>(&bytes[..24]);
    }

    #[test]
    fn any_row_comes_back(bytes in proptest::collection::vec(any::<u8>(), 276..400)) {
        prop_assert_eq!(GrassType::read(&bytes, RowGame::EldenRing).unwrap().write(), bytes.clone());
        prop_assert_eq!(GrassType::read(&bytes, RowGame::Sekiro).unwrap().write(), bytes);
    }

    #[test]
    fn any_built_file_comes_back(seed in any::<u64>(), kind in 0..Kind::ALL.len()) {
        let bytes = build_model(Kind::ALL[kind], &mut Random::new(seed)).finish();
        let model = Model::read(bytes.clone()).unwrap();
        prop_assert_eq!(model.to_parts().unwrap().write(), bytes);
        let grass = build_grass(&mut Random::new(seed));
        prop_assert_eq!(Grass::read(&grass.write()).unwrap(), grass);
    }

    #[test]
    fn any_bytes_are_an_error_or_a_value(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Model::read(bytes.clone());
        let _ = Grass::read(&bytes);
        let _ = replay::formats::dcx::unpack(&bytes);
        let _ = replay::formats::bnd4::entries(&bytes);
        let mut headed = b"FLVER\0L\0\x1A\0\x02\0".to_vec();
        headed.extend(bytes);
        let _ = Model::read(headed);
    }
}

fn both_ways_bits<T: Record>(bytes: &[u8]) {
    for endian in [Endian::Big, Endian::Little] {
        let record = T::read_options(&mut Cursor::new(bytes), endian, ()).unwrap();
        let mut out = Cursor::new(Vec::new());
        record.write_options(&mut out, endian, ()).unwrap();
        assert_eq!(out.into_inner(), bytes);
    }
}

#[test]
fn what_other_readers_stumbled_over_reads_or_is_named() {
    let built =
        || Model::read(build_model(Kind::Object, &mut Random::new(9)).finish()).unwrap().to_parts().unwrap();
    // A header byte that one reader takes for a constant.
    let mut odd = built();
    odd.header.unknown_4b = 1;
    assert_eq!(Model::read(odd.write()).unwrap().header.unknown_4b, 1);
    // A SpeedTree model: its mark in the header, and a member without bytes.
    let mut tree = built();
    tree.header.unknown_68[1] = i16::MIN;
    let stream = i32::from_le_bytes(0x8000_0001_u32.to_le_bytes());
    tree.layouts[0].insert(1, MemberRecord { stream, offset: 999, kind: 0x03, semantic: 5, index: 3 });
    let model = Model::read(tree.write()).unwrap();
    assert!(model.header.is_speed_tree() && model.layout(0).unwrap().members[1].size == 0);
    let findings = replay::survey::check_bytes("tree.flver".into(), tree.write().into(), 3);
    let bounds = &findings.claims["world-full-product"];
    assert_eq!((bounds.cases, bounds.left_out.values().sum::<u64>()), (0, 1));
    // A layout index past the table, an unknown member type, an index size of 8 without its flag.
    let mut past = built();
    past.buffers[0].0.layout = 99;
    assert_eq!(Model::read(past.write()).unwrap_err().rule(), "reference out of range");
    let mut unknown = built();
    unknown.layouts[0][2].kind = 0x77;
    let error = Model::read(unknown.write()).unwrap_err().to_string();
    assert!(error.contains("unknown type 0x77 (semantic 6)") && error.contains("at 0x"), "{error}");
    let mut edge = built();
    edge.face_sets[0].0.index_bits = 8;
    assert_eq!(Model::read(edge.write()).unwrap_err().rule(), "edge-compressed face set");
    // A shared vertex buffer is allowed, and told.
    let mut shared = built();
    shared.meshes[1].buffers = shared.meshes[0].buffers.clone();
    let problems = Model::read(shared.write()).unwrap().problems();
    assert!(problems.iter().any(|problem| problem.rule == "vertex buffer of two meshes"), "{problems:?}");
    // Static meshes by bone indices, and left as stored where nothing names a node.
    let mut stored = built();
    stored.meshes[1].record.node = -1;
    let model = Model::read(stored.write()).unwrap();
    let vertices = MeshVertices::of(&model, 1).unwrap();
    assert_eq!(vertices.get(0).unwrap().carrier, Carrier::AsStored);
    let findings = replay::survey::check_bytes("a.flver".into(), stored.write().into(), 3);
    assert_eq!(findings.claims["static-bone"].left_out.values().sum::<u64>(), vertices.len() as u64);
}

/// Everything that looks at a model or a grass file.
fn look_at(name: &str, bytes: Vec<u8>, show: bool) {
    let copy = bytes::Bytes::from(bytes);
    replay::survey::check_bytes(name.to_owned(), copy.clone(), 3);
    if name.ends_with(".grass") {
        if let Ok(grass) = Grass::read(&copy) {
            grass.problems();
        }
        return;
    }
    let Ok(model) = Model::read(copy) else { return };
    model.problems();
    (0..model.materials.len()).for_each(|i| drop(model.gx_list(i)));
    if show {
        let _ = model.to_parts().map(|parts| parts.write());
        for table in (0..model.meshes.len()).filter_map(|mesh| VertexTable::of(&model, mesh)) {
            table.write_csv(&mut std::io::sink()).unwrap();
            table.write_npy(&mut std::io::sink()).unwrap();
        }
    }
}

/// The most address space this process has had, in bytes; `None` where the system does not say.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Runs in a process of its own (see the next test): other tests' memory must not count.
#[test]
#[ignore = "run by flipped_bytes_neither_panic_nor_hang_nor_take_memory"]
fn flipped_bytes_in_this_process() {
    let Some(folder) = samples() else { return };
    let files =
        ["synthetic.flver", "synthetic.grass"].map(|name| (name, fs::read(folder.join(name)).unwrap()));
    for (name, bytes) in &files {
        look_at(name, bytes.clone(), true);
    }
    let before = peak();
    for (name, bytes) in &files {
        for i in 0..bytes.len() {
            for mask in [0xFF, 0x80, 0x01] {
                let mut flipped = bytes.clone();
                flipped[i] ^= mask;
                look_at(name, flipped, mask == 0xFF);
            }
        }
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        let most = 4 * 9248 + (16 << 20);
        assert!(after - before <= most, "{} bytes more than before", after - before);
    }
}

#[test]
fn flipped_bytes_neither_panic_nor_hang_nor_take_memory() {
    let arguments = ["--exact", "formats::flipped_bytes_in_this_process", "--ignored", "--test-threads=1"];
    let run = std::process::Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}
