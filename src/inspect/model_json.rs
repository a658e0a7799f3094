//! A model as JSON.

use glam::DVec3;
use serde_json::{Value, json};

use super::model::{Posed, Sections, box_error, box_text, carriers};
use super::{InspectOptions, problems_json};
use crate::formats::flver::{Member, Model, NodeBounds, SkeletonKind, VertexSemantic};
use crate::pose::{Extents, MeshVertices, Rule, place_dummies};

/// JSON has no NaN: it goes by as the text `NaN`, and infinities as `inf` and `-inf`.
pub(super) fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

pub(super) fn numbers(values: &[f32]) -> Value {
    // Through the shortest text, so that 0.1 does not become 0.10000000149.
    values.iter().map(|v| number(v.to_string().parse().unwrap_or(f64::NAN))).collect()
}

fn doubles(v: DVec3) -> Value {
    v.to_array().iter().map(|v| number(*v)).collect()
}

pub(super) fn to_json(model: &Model, options: &InspectOptions) -> Value {
    let posed = Posed::of(model);
    let sections = Sections::of(options);
    let header = &model.header;
    let bounds: serde_json::Map<String, Value> = posed
        .bounds
        .iter()
        .map(|(rule, extents, error)| {
            let value = json!({
                "min": doubles(extents.min),
                "max": doubles(extents.max),
                "error": number(*error),
                "reproduced": *error <= Extents::TOLERANCE,
                "unplaced": extents.unplaced,
            });
            (if *rule == Rule::Full { "full_product" } else { "importer_rule" }.to_owned(), value)
        })
        .collect();
    let mut value = json!({
        "version": header.version,
        "big_endian": model.endian() == binrw::Endian::Big,
        "speed_tree": header.is_speed_tree(),
        "counts": {
            "nodes": model.nodes.len(),
            "meshes": model.meshes.len(),
            "materials": model.materials.len(),
            "textures": model.textures.len(),
            "face_sets": model.face_sets.len(),
            "vertex_buffers": model.buffers.len(),
            "layouts": model.layouts.len(),
            "dummies": model.dummies.len(),
        },
        "faces": { "without_motion_blur": header.true_faces, "all": header.total_faces },
        "bounds": { "stored": { "min": numbers(&header.min), "max": numbers(&header.max) }, "posed": bounds },
        "problems": problems_json(&model.problems()),
    });
    let Some(object) = value.as_object_mut() else { return value };
    if sections.nodes {
        object.insert("nodes".into(), nodes_json(model, &posed));
        object.insert("skeletons".into(), skeletons_json(model));
    }
    if sections.meshes {
        object
            .insert("meshes".into(), (0..model.meshes.len()).map(|i| mesh_json(model, &posed, i)).collect());
        object.insert("materials".into(), materials_json(model));
    }
    if sections.dummies {
        object.insert("dummies".into(), dummies_json(model, &posed));
    }
    value
}

/// A world as the documents write it: four rows for row vectors, the last the translation.
fn rows(world: Option<&glam::DAffine3>) -> Value {
    let Some(world) = world else { return Value::Null };
    let matrix = glam::DMat4::from(*world).to_cols_array_2d();
    matrix.iter().map(|row| row.iter().map(|v| number(*v)).collect::<Value>()).collect()
}

fn nodes_json(model: &Model, posed: &Posed) -> Value {
    let one = |(i, node): (usize, &crate::formats::flver::Node)| {
        json!({
            "name": model.node_name(i),
            "parent": node.parent,
            "first_child": node.first_child,
            "next_sibling": node.next_sibling,
            "previous_sibling": node.previous_sibling,
            "translation": numbers(&node.translation),
            "rotation": numbers(&node.rotation),
            "scale": numbers(&node.scale),
            "flags": node.flags,
            "bounds": match node.bounds() {
                NodeBounds::Box => json!({ "min": numbers(&node.min), "max": numbers(&node.max) }),
                NodeBounds::Sentinel => json!("sentinel"),
                NodeBounds::Neither => json!("neither"),
            },
            "scaled_ancestor": posed.worlds.has_scaled_ancestor(i),
            "world": rows(posed.worlds.world(i, Rule::Full)),
            "importer_world": rows(posed.worlds.world(i, Rule::Importer)),
        })
    };
    model.nodes.iter().enumerate().map(one).collect()
}

fn skeletons_json(model: &Model) -> Value {
    let list = |kind| -> Value {
        let entries = model.skeleton(kind).unwrap_or_default();
        let one = |e: &crate::formats::flver::SkeletonEntry| {
            json!({
                "parent": e.parent, "first_child": e.first_child, "next_sibling": e.next_sibling,
                "previous_sibling": e.previous_sibling, "node": e.node,
            })
        };
        entries.iter().map(one).collect()
    };
    json!({ "base": list(SkeletonKind::Base), "all": list(SkeletonKind::All) })
}

fn materials_json(model: &Model) -> Value {
    let text = |offset| model.text(offset).map_or(Value::Null, Value::from);
    let one = |m: &crate::formats::flver::Material| {
        json!({
            "name": text(m.name_offset),
            "definition": text(m.definition_offset),
            "first_texture": m.first_texture,
            "textures": m.texture_count,
        })
    };
    model.materials.iter().map(one).collect()
}

fn mesh_json(model: &Model, posed: &Posed, i: usize) -> Value {
    let Some(mesh) = model.meshes.get(i) else { return Value::Null };
    let streams: Vec<Value> = model
        .streams(i)
        .iter()
        .map(|stream| {
            let member = |m: &Member| {
                json!({
                    "semantic": m.semantic.to_string(), "index": m.index, "type": m.kind, "offset": m.offset,
                    "bytes": m.size, "stream": m.stream, "pivot": m.is_pivot(),
                })
            };
            json!({
                "slot": stream.record.slot,
                "buffer": stream.buffer,
                "stride": stream.stride(),
                "vertices": stream.len(),
                "members": stream.layout.members.iter().map(member).collect::<Vec<_>>(),
            })
        })
        .collect();
    let vertices = MeshVertices::of(model, i);
    let stored = model.mesh_box(i).ok().flatten();
    let has_position = model.streams(i).iter().any(|s| s.layout.member(VertexSemantic::Position).is_some());
    json!({
        "dynamic": mesh.is_dynamic(),
        "node": mesh.node,
        "material": mesh.material,
        "vertices": model.vertex_count(i),
        "positions": has_position,
        "palette": model.palette(i).into_iter().flat_map(|p| p.iter()).collect::<Vec<_>>(),
        "face_sets": model.mesh_face_sets(i).into_iter().flat_map(|p| p.iter()).collect::<Vec<_>>(),
        "streams": streams,
        "carriers": vertices.map(|vertices| carriers(&vertices)),
        "box": stored.map(|stored| json!({
            "text": box_text(&stored),
            "error": number(box_error(model, posed, i, &stored)),
        })),
    })
}

fn dummies_json(model: &Model, posed: &Posed) -> Value {
    let placed = place_dummies(model, &posed.worlds);
    let one = |(d, placed): (&crate::formats::flver::Dummy, &Option<crate::pose::PlacedDummy>)| {
        json!({
            "reference": d.reference_id,
            "parent": d.parent,
            "attach": d.attach,
            "argb": d.argb(model.version()),
            "flag_2e": d.flag_2e,
            "use_upward": d.use_upward,
            "unknown_30": d.unknown_30,
            "unknown_34": d.unknown_34,
            "position": numbers(&d.position),
            "placed": placed.map(|p| json!({
                "full_product": doubles(p.full),
                "importer_rule_with_own_scale": doubles(p.importer),
                "importer_rule_without_own_scale": doubles(p.importer_unscaled),
                "forward": doubles(p.forward),
                "upward": doubles(p.upward),
            })),
        })
    };
    model.dummies.iter().zip(&placed).map(one).collect()
}
