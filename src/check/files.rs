//! Claims about meshes that draw from the file's own streams, or from one buffer written each frame; and the file's
//! streams themselves, which are static buffers with an origin.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::streams::{
    Element, LATE, Moment, Slice, UNKNOWN, bytes, element, greatest_distance, least_distance, positions,
};
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::abi::records::PositionVertex;
use crate::abi::{BufferId, Semantic};
use crate::capture::manifest::{BufferUsage, MeshRef, StreamOrigin};
use crate::finding::{ClaimFindings, Figure};
use crate::plan::{Draw, DrawIndex};

/// The player's face.
pub(super) const FACE: &str = "FC_M_0200";
/// The player's body.
pub(super) const BODY: &str = "BD_M_9040";
/// The objects with one written buffer.
const OBJECTS: [&str; 3] = ["o113100", "o113110", "o113120"];
/// The Sculptor, which draws from the file's buffers.
const SCULPTOR: &str = "c1010";

const SOURCE: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

/// No static buffer has its origin in the mesh's first stream.
const NO_FILE: &str = "the file's stream is not in the frame";

pub(super) const OBJECT_SINGLE: Claim = Claim {
    id: "object-single",
    statement: "The objects o113100, o113110 and o113120 have their first buffer replaced by one buffer that is written \
                each frame, and move by up to 3 units from the stored positions.",
    source: SOURCE,
    how: "Draws of those objects: the buffer at POSITION0 is dynamic, the same for all draws of the mesh in the frame and \
          written in it; its positions at the frame's end against the static buffer whose origin is stream 0 of the mesh.",
    kind: ClaimKind::Capture,
    figures: &[
        ("objects", "different objects drawn"),
        ("frames", "frames that draw one"),
        ("draws", "executed draws of them"),
        ("buffers", "buffers they draw positions from, counted in each frame"),
        ("single", "meshes, counted in each frame, that draw from one dynamic buffer written in the frame"),
        ("move_least", "least of the meshes' greatest distances from the file's stream, model units"),
        ("move_greatest", "greatest of them, model units"),
        ("move_vertex_least", "least distance of any vertex from the file's stream, model units"),
    ],
    check: Some(single),
};

pub(super) const FILE_STREAMS: Claim = Claim {
    id: "file-streams",
    statement: "The other three-buffer meshes (the Sculptor, c1010) are drawn from the file's own three buffers.",
    source: SOURCE,
    how: "Draws of c1010, and of every other mesh with three vertex streams that is neither one of the named deformed \
          meshes nor bound to a pair: the usage of their vertex buffers.",
    kind: ClaimKind::Capture,
    figures: &[
        ("models", "different models drawn"),
        ("meshes", "different meshes drawn"),
        ("draws", "executed draws of them"),
        ("dynamic_bound", "draws that bind a buffer which is not static"),
    ],
    check: Some(file_streams),
};

pub(super) const STREAM_COPY: Claim = Claim {
    id: "stream-copy",
    statement: "In the file of a deformed mesh the third vertex buffer is a byte-for-byte copy of the first, both with 20 \
                bytes a vertex.",
    source: SOURCE,
    how: "Every mesh of which two static buffers have their origin in streams 0 and 2: their bytes at the frame's start; \
          their stride where a draw binds them, else whether 20 divides their size.",
    kind: ClaimKind::Capture,
    figures: &[
        ("meshes", "different meshes with both buffers"),
        ("equal", "of them with equal bytes and a stride of 20"),
        ("face_and_body_meshes", "of the meshes those of FC_M_0200 and BD_M_9040"),
        ("face_and_body_equal", "of them with equal bytes and a stride of 20"),
    ],
    check: Some(stream_copy),
};

/// Whether the documents name the mesh as deformed.
pub(super) fn is_deformed(mesh: Option<&MeshRef>) -> bool {
    mesh.is_some_and(|m| m.model == FACE || m.model == BODY)
}

/// The static buffers of a frame by their origin's mesh and stream.
fn file_streams_of(at: CheckFrame<'_>) -> impl Iterator<Item = (&StreamOrigin, BufferId, u64)> {
    at.frame.file().buffers.iter().filter_map(|b| {
        let origin = b.origin.as_ref().filter(|_| b.usage == BufferUsage::Static)?;
        Some((origin, b.id, b.size))
    })
}

/// The positions that the file stores for a mesh, read as the streams in its place are.
///
/// # Errors
/// Why there are none to compare with.
pub(super) fn file_positions(
    at: CheckFrame<'_>,
    mesh: &MeshRef,
    stride: u32,
    element: &Element,
) -> Result<Vec<DVec3>, &'static str> {
    let first = |o: &StreamOrigin| o.model == mesh.model && o.mesh == mesh.mesh && o.stream == 0;
    let (_, buffer, size) = file_streams_of(at).find(|(o, _, _)| first(o)).ok_or(NO_FILE)?;
    let count = size / u64::from(stride.max(1));
    positions(at, &Slice { buffer, offset: 0, stride, count }, element, Moment::Start)
}

/// One mesh of an object in one frame.
struct Single {
    mesh: MeshRef,
    slice: Slice,
    element: Element,
    buffers: BTreeSet<BufferId>,
    paired: bool,
}

/// `object-single`.
fn single(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut objects = BTreeSet::new();
    let position = Semantic::new("POSITION", 0);
    for frame in &evidence.frames {
        let (at, name) = (frame.at, frame.name());
        let paired: BTreeSet<DrawIndex> = frame.pairs.draws.iter().map(|d| d.draw).collect();
        let mut meshes: BTreeMap<(String, u32), Single> = BTreeMap::new();
        for (index, draw) in at.plan.draws() {
            let Some(mesh) = draw.mesh.as_ref().filter(|m| OBJECTS.contains(&m.model.as_str())) else {
                continue;
            };
            found.add(name, "draws", 1);
            let Some(first) = element(at, draw, &position) else { continue };
            let Some(stream) = draw.streams.get(&first.slot) else { continue };
            let range = &stream.range;
            let single = meshes.entry((mesh.model.clone(), mesh.mesh)).or_insert_with(|| Single {
                mesh: mesh.clone(),
                slice: Slice {
                    buffer: range.buffer,
                    offset: range.offset,
                    stride: stream.stride,
                    count: range.size / u64::from(stream.stride.max(1)),
                },
                element: first,
                buffers: BTreeSet::new(),
                paired: false,
            });
            single.buffers.insert(range.buffer);
            single.paired |= paired.contains(&index);
        }
        if !meshes.is_empty() {
            found.add(name, "frames", 1);
            let drawn: BTreeSet<_> = meshes.keys().map(|(model, _)| model.clone()).collect();
            found.set_in(name, "objects", Figure::Count(drawn.len() as u64));
            objects.extend(drawn);
        }
        for single in meshes.values() {
            let as_stated = !single.paired && single.buffers.len() == 1 && is_written(at, &single.slice);
            found.add(name, "buffers", single.buffers.len() as u64);
            found.add(name, "single", as_stated.into());
            found.case(as_stated, || {
                format!("frame {name}: {} does not draw from one buffer written in the frame", single.mesh)
            });
            if as_stated {
                displace(&mut found, at, single);
            }
        }
    }
    if !objects.is_empty() {
        found.set("objects", Figure::Count(objects.len() as u64));
    }
    found
}

/// Whether the slice's buffer is dynamic and a write of the frame covers the slice.
fn is_written(at: CheckFrame<'_>, slice: &Slice) -> bool {
    let dynamic = at.plan.buffers.get(&slice.buffer).is_some_and(|b| b.usage == BufferUsage::Dynamic);
    dynamic
        && at.plan.commands.iter().enumerate().any(|(place, step)| {
            super::pairs::write_of(at, place, step).is_some_and(|(buffer, from, to, _)| {
                buffer == slice.buffer && from <= slice.offset && slice.end() <= to
            })
        })
}

fn displace(found: &mut ClaimFindings, at: CheckFrame<'_>, single: &Single) {
    let Single { mesh, slice, element, .. } = single;
    let moved = positions(at, slice, element, Moment::End);
    let file = file_positions(at, mesh, slice.stride, element);
    match (moved, file) {
        (Err(LATE), _) | (_, Err(LATE)) => found.leave_out(LATE),
        (Ok(moved), Ok(file)) if moved.len() == file.len() => {
            let distance = greatest_distance(&moved, &file);
            found.range(&at.plan.frame, "move", distance);
            found.least(&at.plan.frame, "move_vertex_least", least_distance(&moved, &file));
            found.notes.push(format!("frame {}: {mesh} moves by up to {distance:.4} units", at.plan.frame));
        }
        (Ok(_), Ok(_)) => found.leave_out("the file's stream has another number of vertices"),
        (Err(reason), _) | (_, Err(reason)) => found.leave_out(reason),
    }
}

/// `file-streams`.
fn file_streams(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut meshes = BTreeSet::new();
    for frame in &evidence.frames {
        let (at, name) = (frame.at, frame.name());
        let paired: BTreeSet<DrawIndex> = frame.pairs.draws.iter().map(|d| d.draw).collect();
        let mut drawn = BTreeSet::new();
        for (index, draw) in at.plan.draws() {
            let Some(mesh) = &draw.mesh else { continue };
            let named = [FACE, BODY].iter().chain(&OBJECTS).any(|name| mesh.model == *name);
            let other = draw.streams.len() >= 3 && !named && !paired.contains(&index);
            if !other && mesh.model != SCULPTOR {
                continue;
            }
            drawn.insert((mesh.model.clone(), mesh.mesh));
            let moving = not_static(at, draw);
            found.add(name, "draws", 1);
            found.add(name, "dynamic_bound", moving.is_some().into());
            found.case(moving.is_none(), || {
                let pass = &at.plan.pass_of(draw).id;
                let buffer = moving.map_or(0, |b| b.0);
                format!(
                    "frame {name} event {} ({pass}, {mesh}) binds buffer {buffer}, which is not static",
                    draw.event
                )
            });
        }
        if !drawn.is_empty() {
            drawn_figures(&drawn).into_iter().for_each(|(figure, n)| found.set_in(name, figure, n));
            meshes.extend(drawn);
        }
    }
    if !meshes.is_empty() {
        drawn_figures(&meshes).into_iter().for_each(|(figure, n)| found.set(figure, n));
    }
    found
}

fn drawn_figures(meshes: &BTreeSet<(String, u32)>) -> [(&'static str, Figure); 2] {
    let models: BTreeSet<_> = meshes.iter().map(|(model, _)| model).collect();
    [("models", Figure::Count(models.len() as u64)), ("meshes", Figure::Count(meshes.len() as u64))]
}

/// The first vertex buffer of a draw that is not static.
fn not_static(at: CheckFrame<'_>, draw: &Draw) -> Option<BufferId> {
    let usage = |buffer: BufferId| at.plan.buffers.get(&buffer).map(|b| b.usage);
    draw.streams.values().map(|s| s.range.buffer).find(|b| usage(*b) != Some(BufferUsage::Static))
}

/// `stream-copy`.
fn stream_copy(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    // Whether the copies of a mesh are equal in all frames that hold them.
    let mut all: BTreeMap<(String, u32), bool> = BTreeMap::new();
    for frame in &evidence.frames {
        let (at, name) = (frame.at, frame.name());
        let strides = strides(at);
        let mut streams: BTreeMap<(String, u32), BTreeMap<u32, (BufferId, u64)>> = BTreeMap::new();
        for (origin, buffer, size) in file_streams_of(at) {
            let mesh = streams.entry((origin.model.clone(), origin.mesh)).or_default();
            mesh.entry(origin.stream).or_insert((buffer, size));
        }
        let mut in_frame: BTreeMap<(String, u32), bool> = BTreeMap::new();
        for (mesh, streams) in streams {
            let (Some(first), Some(third)) = (streams.get(&0), streams.get(&2)) else { continue };
            let contents = [first, third].map(|(buffer, size)| bytes(at, *buffer, (0, *size), Moment::Start));
            let [Ok(a), Ok(b)] = &contents else {
                let late = contents.iter().any(|c| matches!(c, Err(LATE)));
                found.leave_out(if late { LATE } else { UNKNOWN });
                continue;
            };
            let twenty = [first, third].iter().all(|(buffer, size)| match strides.get(buffer) {
                Some(bound) => bound.iter().eq(&[PositionVertex::SIZE as u32]),
                None => size.is_multiple_of(PositionVertex::SIZE as u64),
            });
            in_frame.insert(mesh, a == b && twenty);
        }
        for (figure, count) in copies(&in_frame).into_iter().filter(|_| !in_frame.is_empty()) {
            found.set_in(name, figure, Figure::Count(count));
        }
        for (mesh, equal) in in_frame {
            *all.entry(mesh).or_insert(true) &= equal;
        }
    }
    for (figure, count) in copies(&all).into_iter().filter(|_| !all.is_empty()) {
        found.set(figure, Figure::Count(count));
    }
    for ((model, mesh), equal) in all {
        found.case(equal, || {
            format!("{model}/{mesh}: stream 2 is no copy of stream 0 with 20 bytes a vertex")
        });
    }
    found
}

fn copies(meshes: &BTreeMap<(String, u32), bool>) -> [(&'static str, u64); 4] {
    let count = |deformed: bool, equal: bool| {
        let meant = |((model, _), is_equal): &(&(String, u32), &bool)| {
            (!deformed || model == FACE || model == BODY) && (!equal || **is_equal)
        };
        meshes.iter().filter(meant).count() as u64
    };
    [
        ("meshes", count(false, false)),
        ("equal", count(false, true)),
        ("face_and_body_meshes", count(true, false)),
        ("face_and_body_equal", count(true, true)),
    ]
}

/// The strides that draws bind each buffer with.
fn strides(at: CheckFrame<'_>) -> BTreeMap<BufferId, BTreeSet<u32>> {
    let mut strides: BTreeMap<BufferId, BTreeSet<u32>> = BTreeMap::new();
    for stream in at.plan.draws.iter().flat_map(|d| d.streams.values()) {
        strides.entry(stream.range.buffer).or_default().insert(stream.stride);
    }
    strides
}
