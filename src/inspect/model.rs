//! A model as text, and what is posed of it for text and JSON alike.

use std::collections::BTreeMap;
use std::io::{self, Write};

use glam::DVec3;

use super::{InspectOptions, write_problems};
use crate::formats::flver::hierarchy::{Hierarchy, index};
use crate::formats::flver::{FaceSet, Member, MeshBox, Model, NodeBounds, SkeletonKind};
use crate::pose::{Carrier, Extents, MeshVertices, Rule, Worlds, bounds, mesh_box_error, place_dummies};

/// Which sections are shown.
#[derive(Clone, Copy)]
pub(super) struct Sections {
    pub(super) nodes: bool,
    pub(super) meshes: bool,
    pub(super) dummies: bool,
}

impl Sections {
    /// Those asked for; all where none is.
    pub(super) fn of(options: &InspectOptions) -> Self {
        let none = !(options.nodes || options.meshes || options.dummies);
        Self {
            nodes: none || options.nodes,
            meshes: none || options.meshes,
            dummies: none || options.dummies,
        }
    }
}

/// What is posed of a model.
pub(super) struct Posed {
    hierarchy: Hierarchy,
    pub(super) worlds: Worlds,
    pub(super) bounds: Vec<(Rule, Extents, f64)>,
}

impl Posed {
    pub(super) fn of(model: &Model) -> Self {
        let hierarchy = Hierarchy::of(&model.nodes);
        let worlds = Worlds::of(&model.nodes, &hierarchy);
        let header = &model.header;
        let one = |rule| {
            let extents = bounds(model, &worlds, rule);
            (rule, extents, extents.error(header.min, header.max))
        };
        let bounds = Rule::ALL.map(one).to_vec();
        Self { hierarchy, worlds, bounds }
    }
}

/// A vector with as many digits as help.
fn vector(v: impl Into<[f64; 3]>) -> String {
    let [x, y, z] = v.into().map(|c| (c * 1e6).round() / 1e6 + 0.0);
    format!("({x}, {y}, {z})")
}

fn vector32(v: [f32; 3]) -> String {
    let [x, y, z] = v;
    format!("({x}, {y}, {z})")
}

pub(super) fn write_text(model: &Model, options: &InspectOptions, out: &mut dyn Write) -> io::Result<()> {
    let posed = Posed::of(model);
    let sections = Sections::of(options);
    head(model, &posed, out)?;
    if sections.nodes {
        nodes(model, &posed, out)?;
    }
    if sections.meshes {
        meshes(model, &posed, out)?;
    }
    if sections.dummies {
        dummies(model, &posed, out)?;
    }
    write_problems(&model.problems(), out)
}

fn head(model: &Model, posed: &Posed, out: &mut dyn Write) -> io::Result<()> {
    let header = &model.header;
    let order = if model.endian() == binrw::Endian::Big { "big" } else { "little" };
    let text = if header.unicode != 0 { "UTF-16" } else { "Shift-JIS" };
    let kind = if header.is_speed_tree() { ", SpeedTree" } else { "" };
    writeln!(
        out,
        "  FLVER {:#x}, {order}-endian, {text} strings, {} bytes{kind}",
        header.version,
        model.file_len()
    )?;
    writeln!(
        out,
        "  {} nodes, {} meshes, {} materials, {} textures, {} face sets, {} vertex buffers, {} layouts, {} dummies",
        model.nodes.len(),
        model.meshes.len(),
        model.materials.len(),
        model.textures.len(),
        model.face_sets.len(),
        model.buffers.len(),
        model.layouts.len(),
        model.dummies.len()
    )?;
    if model.skeletons.is_some() {
        let len = |kind| model.skeleton(kind).unwrap_or_default().len();
        writeln!(out, "  skeletons: base {}, all {}", len(SkeletonKind::Base), len(SkeletonKind::All))?;
    }
    writeln!(
        out,
        "  triangles: {} without motion blur, {} in all (stored)",
        header.true_faces, header.total_faces
    )?;
    writeln!(out, "  bounds, stored:          {} to {}", vector32(header.min), vector32(header.max))?;
    for (rule, extents, error) in &posed.bounds {
        if extents.points == 0 {
            writeln!(out, "  bounds, {:<16} no vertices", format!("{}:", rule.name()))?;
            continue;
        }
        let verdict = if *error <= Extents::TOLERANCE { "reproduced" } else { "not reproduced" };
        writeln!(
            out,
            "  bounds, {:<16} {} to {}, off by {:.4} % of the diagonal: {verdict}",
            format!("{}:", rule.name()),
            vector(extents.min),
            vector(extents.max),
            100.0 * error
        )?;
        if extents.unplaced > 0 {
            writeln!(out, "    {} vertices are no numbers or have no place", extents.unplaced)?;
        }
    }
    Ok(())
}

fn nodes(model: &Model, posed: &Posed, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  nodes")?;
    let mut shown = vec![false; model.nodes.len()];
    let roots = model.nodes.iter().enumerate().filter(|(_, node)| node.parent == -1).map(|(i, _)| i);
    // Depth first, children in index order, with an explicit stack: a chain may be as long as the table.
    let mut stack: Vec<(usize, usize)> = roots.map(|root| (root, 0)).collect();
    stack.reverse();
    while let Some((i, depth)) = stack.pop() {
        if shown.get(i).copied().unwrap_or(true) {
            continue;
        }
        node(model, posed, i, depth, out)?;
        if let Some(mark) = shown.get_mut(i) {
            *mark = true;
        }
        let children = posed.hierarchy.children.get(i).into_iter().flatten();
        stack.extend(children.rev().map(|child| (*child as usize, depth + 1)));
    }
    for i in (0..model.nodes.len()).filter(|i| !shown.get(*i).copied().unwrap_or(true)).collect::<Vec<_>>() {
        writeln!(out, "    not under a root:")?;
        node(model, posed, i, 0, out)?;
    }
    Ok(())
}

fn node(model: &Model, posed: &Posed, i: usize, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(node) = model.nodes.get(i) else { return Ok(()) };
    let indent = "  ".repeat(depth.min(40));
    write!(out, "    {indent}{i} \"{}\"", model.node_name(i))?;
    if node.flags != 0 {
        write!(out, " flags {:#x}", node.flags)?;
    }
    if node.is_scaled() {
        write!(out, " scale {}", vector32(node.scale))?;
    }
    match node.bounds() {
        NodeBounds::Box => write!(out, " box {} to {}", vector32(node.min), vector32(node.max))?,
        NodeBounds::Sentinel => {}
        NodeBounds::Neither => write!(out, " bounds neither box nor sentinel")?,
    }
    match posed.worlds.world(i, Rule::Full) {
        Some(world) => write!(out, " at {}", vector(world.translation))?,
        None => write!(out, " without a world")?,
    }
    match posed.worlds.world(i, Rule::Importer) {
        Some(world) if posed.worlds.has_scaled_ancestor(i) => {
            writeln!(out, ", importer's rule {}", vector(world.translation))
        }
        _ => writeln!(out),
    }
}

/// `position0 type 0x2 at 0`, with pivots named.
fn member_text(member: &Member) -> String {
    let pivot = if member.is_pivot() { " (pivot: half floats or scaled shorts, not settled)" } else { "" };
    if member.size == 0 {
        return format!("{}{} type {:#04x} without bytes", member.semantic, member.index, member.kind);
    }
    format!("{}{} type {:#04x} at {}{pivot}", member.semantic, member.index, member.kind, member.offset)
}

/// Whether a material's definition is of one of the families the documents name for Sekiro's pivots.
fn pivot_family(definition: &str) -> Option<&'static str> {
    let lower = definition.to_ascii_lowercase();
    ["Translucency_Pivot", "Pivot_Parent", "snake_Pivot"]
        .into_iter()
        .find(|family| lower.contains(&family.to_ascii_lowercase()))
}

/// What carries the vertices of a mesh, in words with counts.
pub(super) fn carriers(vertices: &MeshVertices<'_>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for vertex in (0..vertices.len()).filter_map(|i| vertices.get(i)) {
        let word = match vertex.carrier {
            Carrier::BindSpace => "bind space".to_owned(),
            Carrier::Node(node, source) => format!("node {node} by {}", source.name()),
            Carrier::AsStored => "as stored (the game's rule is not established)".to_owned(),
        };
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn meshes(model: &Model, posed: &Posed, out: &mut dyn Write) -> io::Result<()> {
    for (i, mesh) in model.meshes.iter().enumerate() {
        let kind = if mesh.is_dynamic() { "dynamic" } else { "static" };
        let material = usize::try_from(mesh.material).ok().and_then(|m| model.materials.get(m));
        let name = material.and_then(|m| model.text(m.name_offset).ok()).unwrap_or_else(|| "?".into());
        let definition = material.and_then(|m| model.text(m.definition_offset).ok()).unwrap_or_default();
        let palette = model.palette(i).map(|palette| palette.len()).unwrap_or_default();
        writeln!(
            out,
            "  mesh {i}: {kind}, {} vertices, node {}, palette of {palette}, material {} \"{name}\" {definition}",
            model.vertex_count(i),
            mesh.node,
            mesh.material
        )?;
        if let Some(family) = pivot_family(&definition) {
            writeln!(out, "    pivots: material family {family}")?;
        }
        for stream in model.streams(i) {
            let members: Vec<_> = stream.layout.members.iter().map(member_text).collect();
            writeln!(
                out,
                "    slot {}: buffer {}, {} vertices of {} bytes: {}",
                stream.record.slot,
                stream.buffer,
                stream.len(),
                stream.stride(),
                members.join(", ")
            )?;
        }
        for set in model.mesh_face_sets(i).into_iter().flat_map(|sets| sets.iter()) {
            let found = usize::try_from(set).ok().and_then(|s| Some((s, model.face_sets.get(s)?)));
            match found {
                Some((number, set)) => face_set(model, i, number, set, out)?,
                None => writeln!(out, "    face set {set} is not there")?,
            }
        }
        if let Some(vertices) = MeshVertices::of(model, i) {
            for (word, count) in carriers(&vertices) {
                writeln!(out, "    {count} vertices in {word}")?;
            }
        }
        if let Ok(Some(stored)) = model.mesh_box(i) {
            let error = box_error(model, posed, i, &stored);
            writeln!(
                out,
                "    {}: its faces are within {error:.3e} of the posed vertices",
                box_text(&stored)
            )?;
        }
    }
    Ok(())
}

fn face_set(model: &Model, mesh: usize, number: usize, set: &FaceSet, out: &mut dyn Write) -> io::Result<()> {
    let kind = if set.strip != 0 { "strip" } else { "list" };
    let bits = set.bits(model.header.index_bits);
    let mut flags = Vec::new();
    for (flag, name) in [
        (FaceSet::LOD1, "LOD 1"),
        (FaceSet::LOD2, "LOD 2"),
        (FaceSet::LOD_EX, "LOD ex"),
        (FaceSet::MOTION_BLUR, "motion blur"),
    ] {
        if set.flags & flag != 0 {
            flags.push(name);
        }
    }
    let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
    let count = model.triangles(number, model.vertex_count(mesh)).map(Iterator::count).unwrap_or_default();
    writeln!(
        out,
        "    face set {number}: {kind} of {} {bits}-bit indices, {count} triangles{flags}",
        set.index_count
    )
}

pub(super) fn box_error(model: &Model, posed: &Posed, mesh: usize, stored: &MeshBox) -> f64 {
    let Some(vertices) = MeshVertices::of(model, mesh) else { return f64::INFINITY };
    let points: Vec<DVec3> =
        (0..vertices.len()).filter_map(|i| vertices.get(i)?.posed(&posed.worlds, Rule::Full)).collect();
    mesh_box_error(stored, points.into_iter())
}

pub(super) fn box_text(stored: &MeshBox) -> String {
    match stored {
        MeshBox::Corners { min, max } => format!("box {} to {}", vector32(*min), vector32(*max)),
        MeshBox::Oriented { half, angles, centre } => format!(
            "box of half extents {}, angles {}, centre {}",
            vector32(*half),
            vector32(*angles),
            vector32(*centre)
        ),
    }
}

fn dummies(model: &Model, posed: &Posed, out: &mut dyn Write) -> io::Result<()> {
    for (i, (dummy, placed)) in model.dummies.iter().zip(place_dummies(model, &posed.worlds)).enumerate() {
        let [a, r, g, b] = dummy.argb(model.version());
        write!(
            out,
            "  dummy {i}: reference {}, parent {}, attach {}, argb {a} {r} {g} {b}, flag 0x2E {}",
            dummy.reference_id, dummy.parent, dummy.attach, dummy.flag_2e
        )?;
        let Some(placed) = placed else {
            writeln!(out, ", without a place: its parent has no world")?;
            continue;
        };
        writeln!(out, ", at {}", vector(placed.full))?;
        writeln!(out, "    forward {}, upward {}", vector(placed.forward), vector(placed.upward))?;
        let parent = index(dummy.parent);
        if parent.is_some_and(|parent| posed.worlds.has_scaled_ancestor(parent)) {
            writeln!(
                out,
                "    importer's rule: {} with the parent's own scale, {} without",
                vector(placed.importer),
                vector(placed.importer_unscaled)
            )?;
        }
    }
    Ok(())
}
