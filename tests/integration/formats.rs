//! Model and grass files of an independent writer: what they hold, and which rule each broken one breaks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use replay::formats::flver::hierarchy::Hierarchy;
use replay::formats::flver::{Model, NodeBounds};
use replay::formats::grass::{Grass, NormalSense};
use replay::formats::grass_type_param::{GrassType, RowGame};
use replay::pose::{Carrier, Extents, MeshVertices, Rule, Worlds, bounds, place_dummies};
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
