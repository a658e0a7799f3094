//! The pairs of position buffers that draws bind, which of them a frame writes, and how.
//!
//! A pair is two different ranges of dynamic or default buffers bound by one draw at POSITION0 and POSITION1 with the
//! same stride. Both are fetched through the same indices, so that they have as many vertices. A pool's slice is a range
//! of its own; a static buffer is no member. This file finds pairs; it knows no claim.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::CheckFrame;
use crate::abi::{BufferId, Format, InputSlot, Semantic};
use crate::capture::manifest::{BufferUsage, ListKind, StreamOrigin, Taken};
use crate::plan::{Command, Draw, Piece, PieceSource, VertexOrder, WriteKind, Writer};

/// The face mesh of the documents' player.
pub(super) const FACE: &str = "FC_M_0200";
/// The body mesh of the documents' player.
pub(super) const BODY: &str = "BD_M_9040";

/// A stream of positions as a draw binds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stream {
    pub(super) buffer: BufferId,
    /// Where vertex 0 starts.
    pub(super) offset: u64,
    pub(super) stride: u32,
}

/// Where the captured layout has a position, and how it is stored.
#[derive(Clone, Copy, Debug)]
struct Element {
    slot: InputSlot,
    offset: u32,
    format: Format,
}

/// POSITION`index` of a draw's program, read through the names `capture.toml` gives where the draw is replayed.
fn element(frame: &CheckFrame<'_>, draw: &Draw, index: u32) -> Option<Element> {
    let wanted = Semantic::new("POSITION", index);
    let program = frame.frame.program(draw.program)?;
    let declared = program.inputs.iter().find(|i| Semantic::new(i.semantic.as_str(), i.index) == wanted);
    let declared = declared.and_then(|i| {
        let format = i.format.executable()?;
        Some(Element { slot: i.slot, offset: i.offset, format })
    });
    declared.or_else(|| {
        let bound = draw.replay.as_ref().ok()?.inputs.iter().find(|i| i.need.semantic == wanted)?;
        Some(Element { slot: bound.slot, offset: bound.offset, format: bound.format })
    })
}

/// The stream a draw reads POSITION`index` from.
pub(super) fn stream(frame: &CheckFrame<'_>, draw: &Draw, index: u32) -> Option<Stream> {
    let bound = draw.streams.get(&element(frame, draw, index)?.slot)?;
    Some(Stream { buffer: bound.range.buffer, offset: bound.range.offset, stride: bound.stride })
}

/// A pair of a frame, with the draws that bind it.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The members, in the order of their buffers.
    pub(super) members: [Stream; 2],
    /// Least and greatest vertex that any draw fetches.
    pub(super) vertices: (i64, i64),
    /// The mesh of its first draw, in words.
    pub(super) mesh: String,
    /// The model of its first draw.
    pub(super) model: String,
    pub(super) mesh_number: u32,
    /// Which members the frame writes.
    pub(super) written: [bool; 2],
    element_offset: u32,
    format: Format,
}

/// Which member of a pair is bound where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The written member is at POSITION1.
    Position1,
    /// The written member is at POSITION0.
    Position0,
    /// The frame writes neither member, or both.
    Neither,
}

/// The pairs of a frame, by their members, and what a frame writes.
pub(super) struct Pairs<'a> {
    frame: CheckFrame<'a>,
    writes: BTreeMap<BufferId, Vec<Written>>,
    pub(super) pairs: BTreeMap<[Stream; 2], Pair>,
}

/// A write of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    start: u64,
    end: u64,
    pub(super) kind: WriteKind,
    /// On a deferred list.
    pub(super) deferred: bool,
    /// Before any draw.
    pub(super) before_draws: bool,
}

impl<'a> Pairs<'a> {
    /// Finds the pairs of a frame.
    pub(super) fn of(frame: CheckFrame<'a>) -> Self {
        let mut pairs = Self { frame, writes: writes(&frame), pairs: BTreeMap::new() };
        for draw in &frame.plan.draws {
            pairs.take(draw);
        }
        for pair in pairs.pairs.values_mut() {
            let range = |stream: &Stream| byte_range(*stream, pair.vertices);
            pair.written = pair.members.each_ref().map(|m| covered(&pairs.writes, m.buffer, range(m)));
        }
        pairs
    }

    /// The frame's name.
    pub(super) fn frame_name(&self) -> &'a str {
        self.frame.plan.frame.as_str()
    }

    fn take(&mut self, draw: &Draw) {
        let Some((key, at)) = self.key(draw) else { return };
        let Some((least, greatest)) = VertexOrder::of(draw).range() else { return };
        let mesh = draw.mesh.as_ref();
        let pair = self.pairs.entry(key).or_insert_with(|| Pair {
            members: key,
            vertices: (least, greatest),
            mesh: mesh.map_or_else(|| "a mesh without a name".to_owned(), ToString::to_string),
            model: mesh.map_or_else(String::new, |m| m.model.clone()),
            mesh_number: mesh.map_or(0, |m| m.mesh),
            written: [false; 2],
            element_offset: at.offset,
            format: at.format,
        });
        pair.vertices = (pair.vertices.0.min(least), pair.vertices.1.max(greatest));
    }

    /// The members a draw binds, in the order of their buffers.
    fn key(&self, draw: &Draw) -> Option<([Stream; 2], Element)> {
        let at = element(&self.frame, draw, 0)?;
        let (a, b) = (stream(&self.frame, draw, 0)?, stream(&self.frame, draw, 1)?);
        let member = |stream: Stream| {
            let usage = self.frame.plan.buffers.get(&stream.buffer).map(|b| b.usage);
            matches!(usage, Some(BufferUsage::Dynamic | BufferUsage::Default))
        };
        let pair = a != b && a.stride == b.stride && member(a) && member(b);
        pair.then_some((if a < b { [a, b] } else { [b, a] }, at))
    }

    /// The pair a draw binds, and where the written member is.
    pub(super) fn bound(&self, draw: &Draw) -> Option<(&Pair, Bound)> {
        let pair = self.pairs.get(&self.key(draw)?.0)?;
        let first = stream(&self.frame, draw, 0)?;
        let bound = match pair.written_member() {
            Some(written) if written == first => Bound::Position0,
            Some(_) => Bound::Position1,
            None => Bound::Neither,
        };
        Some((pair, bound))
    }

    /// The frame's writes that touch a member.
    pub(super) fn writes_of(&self, pair: &Pair, member: Stream) -> Vec<Written> {
        let (start, end) = byte_range(member, pair.vertices);
        let touching = |w: &&Written| w.start < end && w.end > start;
        self.writes.get(&member.buffer).into_iter().flatten().filter(touching).copied().collect()
    }

    /// Positions of a member's vertices at the frame's start; the error says why they are not known.
    pub(super) fn at_start(&self, pair: &Pair, member: Stream) -> Result<Vec<DVec3>, &'static str> {
        let initial = self.frame.frame.buffer(member.buffer).and_then(|b| b.initial);
        let initial = initial.ok_or("no contents at the frame's start")?;
        if initial.taken == Taken::Late {
            return Err("contents taken late");
        }
        let bytes = self.frame.frame.blob(&initial.blob);
        pair.positions(&bytes, member, 0).ok_or("contents shorter than the draws read")
    }

    /// Positions of a member's vertices at the frame's end.
    pub(super) fn at_end(&self, pair: &Pair, member: Stream) -> Result<Vec<DVec3>, &'static str> {
        let (start, end) = byte_range(member, pair.vertices);
        let planned = self.frame.plan.buffers.get(&member.buffer).ok_or("no such buffer")?;
        let bytes = known_bytes(&planned.end, start, end)?;
        pair.positions(&bytes, member, start).ok_or("contents shorter than the draws read")
    }

    /// Positions of the model file's stream a pair replaces: of a static buffer whose origin is that mesh's stream 0,
    /// bound or not.
    pub(super) fn of_file(&self, pair: &Pair) -> Option<Vec<DVec3>> {
        let origin = pair.members.iter().find_map(|m| self.frame.frame.buffer(m.buffer)?.origin.clone());
        let (model, mesh) = origin.map_or((pair.model.clone(), pair.mesh_number), |o| (o.model, o.mesh));
        let bytes = file_stream(&self.frame, &model, mesh, 0)?;
        let stride = pair.members[0].stride;
        let (least, greatest) = pair.vertices;
        positions(&bytes, 0, stride, pair.element_offset, pair.format, least, greatest)
    }
}

impl Pair {
    /// The member the frame writes, if it writes exactly one.
    pub(super) fn written_member(&self) -> Option<Stream> {
        match self.written {
            [true, false] => Some(self.members[0]),
            [false, true] => Some(self.members[1]),
            _ => None,
        }
    }

    /// The other member.
    pub(super) fn partner(&self, member: Stream) -> Stream {
        if member == self.members[0] { self.members[1] } else { self.members[0] }
    }

    /// `bytes` start at byte `base` of the buffer.
    fn positions(&self, bytes: &[u8], member: Stream, base: u64) -> Option<Vec<DVec3>> {
        let (least, greatest) = self.vertices;
        let offset = i64::try_from(member.offset).ok()? - i64::try_from(base).ok()?;
        positions(bytes, offset, member.stride, self.element_offset, self.format, least, greatest)
    }
}

/// Positions of vertices `least..=greatest` of a stream whose vertex 0 starts at `offset` of `bytes`.
fn positions(
    bytes: &[u8],
    offset: i64,
    stride: u32,
    element: u32,
    format: Format,
    least: i64,
    greatest: i64,
) -> Option<Vec<DVec3>> {
    let position = |vertex: i64| {
        let at = offset.checked_add(vertex.checked_mul(stride.into())?)?.checked_add(element.into())?;
        let at = usize::try_from(at).ok()?;
        let [x, y, z, _] = format.decode(bytes.get(at..at.checked_add(format.size())?)?);
        Some(DVec3::new(x, y, z))
    };
    // As many as there are bytes for, so that no index drives the allocation.
    if greatest - least > bytes.len() as i64 {
        return None;
    }
    (least..=greatest).map(position).collect()
}

/// The bytes of a static buffer that holds a model file's stream.
pub(super) fn file_stream(
    frame: &CheckFrame<'_>,
    model: &str,
    mesh: u32,
    stream: u32,
) -> Option<bytes::Bytes> {
    let is = |o: &StreamOrigin| o.model == model && o.mesh == mesh && o.stream == stream;
    let held = frame.frame.file().buffers.iter().find(|b| {
        b.usage == BufferUsage::Static && b.origin.as_ref().is_some_and(is) && b.initial.is_some()
    })?;
    Some(frame.frame.blob(&held.initial?.blob))
}

/// The bytes a stream's vertices occupy.
fn byte_range(stream: Stream, (least, greatest): (i64, i64)) -> (u64, u64) {
    let at = |vertex: i64| {
        let vertex = u64::try_from(vertex).unwrap_or(0);
        stream.offset.saturating_add(vertex.saturating_mul(stream.stride.into()))
    };
    (at(least), at(greatest.saturating_add(1)))
}

fn known_bytes(pieces: &[Piece], start: u64, end: u64) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let mut at = 0;
    for piece in pieces {
        let next = at + piece.len;
        let (from, to) = (start.max(at), end.min(next));
        if from < to {
            match &piece.source {
                PieceSource::Known { late: true, .. } => return Err("contents taken late"),
                PieceSource::Known { bytes, .. } => {
                    let part = (from - at) as usize..(to - at) as usize;
                    out.extend_from_slice(bytes.get(part).unwrap_or_default());
                }
                PieceSource::Unknown(_) => return Err("contents not known"),
            }
        }
        at = next;
    }
    Ok(out)
}

/// Everything a frame writes, by buffer. Observations are no writes of the game.
fn writes(frame: &CheckFrame<'_>) -> BTreeMap<BufferId, Vec<Written>> {
    let mut writes: BTreeMap<BufferId, Vec<Written>> = BTreeMap::new();
    let mut before_draws = true;
    let mut add = |buffer, start, len: u64, writer: &Writer, before_draws| {
        if let Writer::Command { kind, instance, .. } = writer
            && *kind != WriteKind::Observe
        {
            let deferred = frame.plan.instances.get(instance.0).is_some_and(|i| i.kind == ListKind::Deferred);
            let written = Written { start, end: start + len, kind: *kind, deferred, before_draws };
            writes.entry(buffer).or_default().push(written);
        }
    };
    for command in &frame.plan.commands {
        match command {
            Command::Discard { buffer, writer, bytes, .. } => {
                add(*buffer, 0, bytes.len() as u64, writer, before_draws);
            }
            Command::Write { buffer, writer, offset, bytes, .. } => {
                add(*buffer, *offset, bytes.len() as u64, writer, before_draws);
            }
            Command::Copy { dst, dst_offset, size, event, instance, .. } => {
                let writer = Writer::Command { event: *event, instance: *instance, kind: WriteKind::Copy };
                add(*dst, *dst_offset, *size, &writer, before_draws);
            }
            Command::BeginPass(_) => {}
            Command::Draw(_) => before_draws = false,
        }
    }
    writes
}

/// Whether the frame's writes cover a range.
fn covered(writes: &BTreeMap<BufferId, Vec<Written>>, buffer: BufferId, (start, end): (u64, u64)) -> bool {
    let mut spans: Vec<_> = writes.get(&buffer).into_iter().flatten().map(|w| (w.start, w.end)).collect();
    spans.sort_unstable();
    let reach =
        spans.into_iter().fold(start, |reach, (from, to)| if from <= reach { reach.max(to) } else { reach });
    start < end && reach >= end
}

/// The models whose meshes any draw binds as pairs, and the documents' two.
pub(super) fn deformed_models(pairs: &[Pairs<'_>]) -> BTreeSet<String> {
    let bound = pairs.iter().flat_map(|p| p.pairs.values()).map(|p| p.model.clone());
    bound.chain([FACE.to_owned(), BODY.to_owned()]).filter(|m| !m.is_empty()).collect()
}

/// The pairs of every frame.
pub(super) fn all<'a>(frames: &[CheckFrame<'a>]) -> Vec<Pairs<'a>> {
    frames.iter().map(|frame| Pairs::of(*frame)).collect()
}
