//! What is drawn from a model file's own buffers.

use std::collections::{BTreeMap, BTreeSet};

use super::bound::place;
use super::pairs::{all, deformed_models};
use super::{CheckFrame, CheckInput, Claim, ClaimKind};
use crate::abi::records::PositionVertex;
use crate::capture::manifest::BufferUsage;
use crate::finding::{ClaimFindings, Figure};

const SECTION: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

pub(super) const FILE_STREAMS: Claim = Claim {
    id: "file-streams",
    statement: "The other three-buffer meshes (the Sculptor c1010) are drawn from the file's three buffers.",
    source: SECTION,
    how: "Every executed draw of a mesh that has streams 0, 1 and 2 of its file as static buffers and is of no model whose \
          meshes bind pairs. A draw agrees if it binds static buffers alone.",
    kind: ClaimKind::Capture,
    figures: &[
        ("models", "different models"),
        ("meshes", "different meshes"),
        ("draws", "executed draws"),
        ("dynamic_bound", "draws that bind a buffer that is not static"),
    ],
    check: Some(file_streams),
};

pub(super) const STREAM_COPY: Claim = Claim {
    id: "stream-copy",
    statement: "The file's third vertex buffer of the deformed three-buffer meshes is a byte-for-byte copy of the first, \
                both 20 bytes a vertex.",
    source: SECTION,
    how: "Static buffers, bound or not, whose origins are streams 0 and 2 of one mesh of a model whose meshes bind pairs \
          (FC_M_0200 and BD_M_9040 always): a mesh agrees if their bytes are equal and a whole number of 20-byte \
          vertices. Each mesh counts once over all frames.",
    kind: ClaimKind::Capture,
    figures: &[("meshes", "meshes with both streams"), ("equal", "meshes whose streams are equal")],
    check: Some(stream_copy),
};

/// Static buffers by model, mesh and stream.
type Streams = BTreeMap<(String, u32), BTreeMap<u32, bytes::Bytes>>;

fn static_streams(frame: &CheckFrame<'_>) -> Streams {
    let mut streams = Streams::new();
    for buffer in &frame.frame.file().buffers {
        if let (BufferUsage::Static, Some(origin), Some(initial)) =
            (buffer.usage, &buffer.origin, buffer.initial)
        {
            let mesh = streams.entry((origin.model.clone(), origin.mesh)).or_default();
            mesh.insert(origin.stream, frame.frame.blob(&initial.blob));
        }
    }
    streams
}

fn file_streams(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let deformed = deformed_models(&all(&input.frames));
    let (mut models, mut meshes) = (BTreeSet::new(), BTreeSet::new());
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let streams = static_streams(frame);
        for draw in &frame.plan.draws {
            let Some(mesh) = draw.mesh.as_ref().filter(|m| !deformed.contains(&m.model)) else { continue };
            let held = streams.get(&(mesh.model.clone(), mesh.mesh));
            if !held.is_some_and(|s| [0, 1, 2].iter().all(|n| s.contains_key(n))) {
                continue;
            }
            let usage = |b| frame.plan.buffers.get(&b).map(|b| b.usage);
            let dynamic: Vec<_> = draw
                .streams
                .values()
                .map(|s| s.range.buffer)
                .filter(|b| usage(*b) != Some(BufferUsage::Static))
                .collect();
            models.insert(mesh.model.clone());
            meshes.insert((mesh.model.clone(), mesh.mesh));
            found.add(name, "draws", 1);
            found.add(name, "dynamic_bound", u64::from(!dynamic.is_empty()));
            found.case(dynamic.is_empty(), || format!("{}: binds buffer {}", place(frame, draw), dynamic[0]));
        }
    }
    found.set("models", Figure::Count(models.len() as u64));
    found.set("meshes", Figure::Count(meshes.len() as u64));
    found
}

fn stream_copy(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let deformed = deformed_models(&all(&input.frames));
    let mut equal: BTreeMap<(String, u32), bool> = BTreeMap::new();
    for frame in &input.frames {
        for (mesh, streams) in static_streams(frame) {
            if let (true, Some(first), Some(third)) =
                (deformed.contains(&mesh.0), streams.get(&0), streams.get(&2))
            {
                let whole = !first.is_empty() && first.len().is_multiple_of(PositionVertex::SIZE);
                let same = whole && first == third;
                equal.entry(mesh).and_modify(|so_far| *so_far &= same).or_insert(same);
            }
        }
    }
    found.set("meshes", Figure::Count(equal.len() as u64));
    found.set("equal", Figure::Count(equal.values().filter(|same| **same).count() as u64));
    for ((model, mesh), same) in equal {
        found.case(same, || format!("{model}/{mesh}: the third buffer is no copy of the first"));
    }
    found
}
