//! Vertex data as the captured input layout reads it: where an input lies, what its vertices hold at a moment of the
//! frame.

use bytes::Bytes;
use glam::DVec3;

use super::CheckFrame;
use crate::abi::{BufferId, Format, InputSlot, Semantic};
use crate::capture::manifest::Taken;
use crate::plan::{Draw, PieceSource};

/// Left out because the contents were taken later than their name says (claim `late-contents`).
pub(super) const LATE: &str = "contents taken late";
/// Left out because the contents are not recorded, or work that is not replayed wrote them.
pub(super) const UNKNOWN: &str = "contents not known";
/// Left out because positions are in a format that is not read.
const FORMAT: &str = "positions in a format that is not executed";

/// A per-vertex input: its slot, its place in a vertex, its format (`None`: one that is not executed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) slot: InputSlot,
    pub(super) offset: u32,
    pub(super) format: Option<Format>,
}

/// The per-vertex input of that semantic in the captured layout. Where the capture lost its name, what `capture.toml`
/// calls it counts, as far as the stand-in reads it.
pub(super) fn element(at: CheckFrame<'_>, draw: &Draw, semantic: &Semantic) -> Option<Element> {
    let program = at.frame.program(draw.program)?;
    let named = program.inputs.iter().find(|i| {
        !i.per_instance && i.index == semantic.index && i.semantic.eq_ignore_ascii_case(&semantic.name)
    });
    if let Some(i) = named {
        return Some(Element { slot: i.slot, offset: i.offset, format: i.format.executable() });
    }
    let binding = draw.replay.as_ref().ok()?;
    let bound = binding.inputs.iter().find(|i| i.need.semantic == *semantic && i.step_rate.is_none())?;
    Some(Element { slot: bound.slot, offset: bound.offset, format: Some(bound.format) })
}

/// Vertices in a row of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slice {
    pub(super) buffer: BufferId,
    /// The first vertex's first byte.
    pub(super) offset: u64,
    pub(super) stride: u32,
    /// Vertices.
    pub(super) count: u64,
}

impl Slice {
    /// The byte after the last vertex.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.count.saturating_mul(self.stride.into()))
    }
}

/// When a buffer is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the frame's first command.
    Start,
    /// After its last.
    End,
}

/// The bytes `from..to` of a buffer.
///
/// # Errors
/// Why they are left out of comparisons.
pub(super) fn bytes(
    at: CheckFrame<'_>,
    buffer: BufferId,
    (from, to): (u64, u64),
    moment: Moment,
) -> Result<Bytes, &'static str> {
    match moment {
        Moment::Start => {
            let initial = at.frame.buffer(buffer).and_then(|b| b.initial).ok_or(UNKNOWN)?;
            if initial.taken == Taken::Late {
                return Err(LATE);
            }
            part(&at.frame.blob(&initial.blob), from, to).ok_or(UNKNOWN)
        }
        Moment::End => {
            let planned = at.plan.buffers.get(&buffer).ok_or(UNKNOWN)?;
            let mut out = Vec::new();
            let mut start = 0;
            for piece in &planned.end {
                let end = start + piece.len;
                if end > from && start < to {
                    let PieceSource::Known { bytes, late, .. } = &piece.source else { return Err(UNKNOWN) };
                    if *late {
                        return Err(LATE);
                    }
                    let range = (from.max(start) - start, to.min(end) - start);
                    let found = part(bytes, range.0, range.1).ok_or(UNKNOWN)?;
                    if start <= from && to <= end {
                        return Ok(found);
                    }
                    out.extend_from_slice(&found);
                }
                start = end;
            }
            if out.len() as u64 == to.saturating_sub(from) { Ok(out.into()) } else { Err(UNKNOWN) }
        }
    }
}

fn part(bytes: &Bytes, from: u64, to: u64) -> Option<Bytes> {
    let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
    (from <= to && to <= bytes.len()).then(|| bytes.slice(from..to))
}

/// The positions of a slice.
///
/// # Errors
/// Why they are left out of comparisons.
pub(super) fn positions(
    at: CheckFrame<'_>,
    slice: &Slice,
    element: &Element,
    moment: Moment,
) -> Result<Vec<DVec3>, &'static str> {
    let format = element.format.ok_or(FORMAT)?;
    let bytes = bytes(at, slice.buffer, (slice.offset, slice.end()), moment)?;
    Ok(decoded(&bytes, slice.stride, element.offset, format))
}

/// Positions of vertices in a row; what lies past the end reads as zero, as in a fetch.
pub(super) fn decoded(bytes: &[u8], stride: u32, offset: u32, format: Format) -> Vec<DVec3> {
    let vertex = |vertex: &[u8]| {
        let [x, y, z, _] = format.decode(vertex.get(offset as usize..).unwrap_or_default());
        DVec3::new(x, y, z)
    };
    bytes.chunks_exact(stride.max(1) as usize).map(vertex).collect()
}

/// The greatest distance between vertices of the same number; a NaN makes it infinite.
pub(super) fn greatest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let distance = |(a, b): (&DVec3, &DVec3)| {
        let d = a.distance(*b);
        if d.is_nan() { f64::INFINITY } else { d }
    };
    a.iter().zip(b).map(distance).fold(0.0, f64::max)
}

/// The least distance between vertices of the same number; NaNs are passed over.
pub(super) fn least_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(f64::INFINITY, f64::min)
}
