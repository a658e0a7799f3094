//! A grass file as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::model_json::numbers;
use super::{problems_json, write_problems};
use crate::formats::grass::{Grass, NormalSense};

/// Counts of a grass file.
struct Counts {
    children: [usize; 3],
    normals: [usize; 3],
    unit: usize,
    over_one: usize,
    none: usize,
    /// Vertices that grow each type, and the largest density of it.
    types: [(usize, f32); 6],
}

impl Counts {
    fn of(grass: &Grass) -> Self {
        let mut counts =
            Self { children: [0; 3], normals: [0; 3], unit: 0, over_one: 0, none: 0, types: [(0, 0.0); 6] };
        for volume in &grass.volumes {
            if let Some(count) = counts.children.get_mut(volume.children().count()) {
                *count += 1;
            }
        }
        for face in &grass.faces {
            let [against, none, other] = &mut counts.normals;
            match grass.normal_sense(face) {
                NormalSense::Against => *against += 1,
                NormalSense::None => *none += 1,
                NormalSense::Other => *other += 1,
            }
            let length = face.normal.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt();
            counts.unit += usize::from((length - 1.0).abs() < 0.001);
        }
        for vertex in &grass.vertices {
            let sum: f64 = vertex.densities.iter().map(|d| f64::from(*d)).sum();
            counts.over_one += usize::from(sum > 1.0 + 1e-6);
            counts.none += usize::from(vertex.densities == [0.0; 6]);
            for ((count, most), density) in counts.types.iter_mut().zip(vertex.densities) {
                *count += usize::from(density > 0.0);
                *most = most.max(density);
            }
        }
        counts
    }
}

pub(super) fn write_text(grass: &Grass, out: &mut dyn Write) -> io::Result<()> {
    let counts = Counts::of(grass);
    let [leaves, one, two] = counts.children;
    let [against, none, other] = counts.normals;
    writeln!(
        out,
        "  grass, {} volumes, {} vertices, {} faces",
        grass.volumes.len(),
        grass.vertices.len(),
        grass.faces.len()
    )?;
    writeln!(out, "  tree: {two} volumes with two children, {one} with one, {leaves} leaves")?;
    writeln!(
        out,
        "  face normals: {against} against the winding, {none} absent, {other} other; {} of unit length",
        counts.unit
    )?;
    writeln!(
        out,
        "  densities: {} vertices sum to more than one, {} have no type",
        counts.over_one, counts.none
    )?;
    for (k, (vertices, most)) in counts.types.iter().enumerate() {
        writeln!(out, "    type {k}: {vertices} vertices, up to {most}")?;
    }
    if let Some(root) = grass.boxes.first() {
        writeln!(out, "  box of the root: {:?} to {:?}", root.min, root.max)?;
    }
    write_problems(&grass.problems(), out)
}

pub(super) fn to_json(grass: &Grass) -> Value {
    let counts = Counts::of(grass);
    let [leaf, one_child, two_children] = counts.children;
    let [reversed, no_normal, other] = counts.normals;
    let volume = |(i, v): (usize, &crate::formats::grass::GrassVolume)| {
        let bounds = grass.boxes.get(i);
        json!({
            "children": v.children,
            "faces": [v.first_face, v.end_face],
            "types": v.types,
            "min": bounds.map(|b| numbers(&b.min)),
            "max": bounds.map(|b| numbers(&b.max)),
        })
    };
    json!({
        "volumes": grass.volumes.len(),
        "vertices": grass.vertices.len(),
        "faces": grass.faces.len(),
        "stats": {
            "leaf": leaf,
            "one_child": one_child,
            "two_children": two_children,
            "faces_reversed": reversed,
            "faces_no_normal": no_normal,
            "faces_other": other,
            "faces_unit": counts.unit,
            "vertices_over_one": counts.over_one,
            "vertices_none": counts.none,
        },
        "types": counts.types.iter().map(|(n, most)| json!({ "vertices": n, "most": most })).collect::<Vec<_>>(),
        "tree": grass.volumes.iter().enumerate().map(volume).collect::<Vec<_>>(),
        "problems": problems_json(&grass.problems()),
    })
}
