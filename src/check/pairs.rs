//! Pairs of position buffers: two different ranges of dynamic or default buffers that one draw binds at POSITION0 and
//! POSITION1, with the same stride and as many vertices.
//!
//! A dynamic buffer that one mesh alone draws from is a member as a whole, from the stream's offset on: the CPU replaces
//! it whole. Any other may be a pool: the member is then the range of vertices that the frame's draws of the mesh fetch.
//! A member is *written* when one map-discard, write or copy of the frame covers its range. What an observation adds is
//! no write.

use std::collections::{BTreeMap, BTreeSet};

use super::CheckFrame;
use super::streams::{Element, Slice, element};
use crate::abi::{BufferId, EventId, InputSlot, Semantic};
use crate::capture::manifest::{BufferUsage, MeshRef};
use crate::plan::{Command, DrawIndex, InstanceIndex, VertexOrder, WriteKind, Writer};

/// A pair, and the draws that bind it with the place of each one's first member.
type DrawnPair = (Pair, Vec<(DrawIndex, usize)>);

/// The pairs of a frame.
#[derive(Debug, Default)]
pub(super) struct FramePairs {
    /// In the order of their members' ranges.
    pub(super) pairs: Vec<Pair>,
    /// Every executed draw that binds one, in execution order.
    pub(super) draws: Vec<PairDraw>,
    /// The place of the frame's first draw in the plan's commands.
    pub(super) first_draw: usize,
}

/// Two ranges that draws bind at POSITION0 and POSITION1.
#[derive(Debug)]
pub(super) struct Pair {
    /// The mesh that the first draw names.
    pub(super) mesh: Option<MeshRef>,
    /// Ordered by buffer and offset.
    pub(super) members: [Member; 2],
    /// The slots its draws bind the members to.
    pub(super) slots: BTreeSet<InputSlot>,
}

/// One range of a pair.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) slice: Slice,
    pub(super) element: Element,
    pub(super) usage: BufferUsage,
    /// Writes that cover the range.
    pub(super) writes: Vec<Write>,
    /// Some write covers a part of the range only.
    pub(super) in_part: bool,
}

/// A write that covers a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// Its place in the plan's commands.
    pub(super) command: usize,
    pub(super) event: EventId,
    pub(super) kind: WriteKind,
    /// The execution of its list.
    pub(super) instance: InstanceIndex,
    /// What a copy reads.
    pub(super) source: Option<BufferId>,
}

/// A draw of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairDraw {
    pub(super) draw: DrawIndex,
    /// The place of the pair.
    pub(super) pair: usize,
    /// Which member is at POSITION0; the other is at POSITION1.
    pub(super) position0: usize,
}

/// Which members of a pair a frame writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Neither,
    /// This member alone.
    One(usize),
    Both,
}

impl Pair {
    /// Which members are written.
    pub(super) fn written(&self) -> Written {
        self.written_by(|_| true)
    }

    /// Which members are written by one of the writes meant.
    pub(super) fn written_by(&self, meant: impl Fn(&Write) -> bool) -> Written {
        match self.members.each_ref().map(|m| m.writes.iter().any(&meant)) {
            [false, false] => Written::Neither,
            [true, true] => Written::Both,
            [first, _] => Written::One(usize::from(!first)),
        }
    }

    /// The pair in words.
    pub(super) fn name(&self) -> String {
        let mesh = self.mesh.as_ref().map_or_else(|| "no mesh".into(), MeshRef::to_string);
        let [a, b] = self.members.each_ref().map(|m| match m.slice.offset {
            0 => m.slice.buffer.to_string(),
            offset => format!("{}+{offset}", m.slice.buffer),
        });
        format!("{mesh} (buffers {a} and {b}, {} vertices)", self.members[0].slice.count)
    }
}

/// A stream as bound: buffer and offset.
type Bound = (BufferId, u64);

/// What draws bind as one pair: the mesh, both streams in order, the stride.
type Key = (Option<(String, u32)>, [Bound; 2], u32);

/// What the draws of a key have in common.
struct Group {
    mesh: Option<MeshRef>,
    elements: [Element; 2],
    slots: BTreeSet<InputSlot>,
    /// Least and greatest fetched vertex.
    vertices: (u64, u64),
    draws: Vec<(DrawIndex, usize)>,
}

impl FramePairs {
    /// Finds the pairs of a frame.
    pub(super) fn of(at: CheckFrame<'_>) -> Self {
        let groups = groups(at);
        let mut users: BTreeMap<BufferId, BTreeSet<&Key>> = BTreeMap::new();
        for key in groups.keys() {
            for (buffer, _) in key.1 {
                users.entry(buffer).or_default().insert(key);
            }
        }
        let alone = |buffer: &BufferId| users.get(buffer).is_some_and(|keys| keys.len() == 1);
        let mut found: BTreeMap<[Slice; 2], DrawnPair> = BTreeMap::new();
        for (key, group) in &groups {
            let Some(slices) = slices(at, key, group, &alone) else { continue };
            let (pair, draws) = found.entry(slices).or_insert_with(|| (pair(at, group, slices), Vec::new()));
            pair.slots.extend(&group.slots);
            draws.extend(&group.draws);
        }
        let mut this = Self { first_draw: first_draw(at), ..Self::default() };
        for (pair, draws) in found.into_values() {
            let place = this.pairs.len();
            this.draws.extend(draws.into_iter().map(|(draw, position0)| PairDraw {
                draw,
                pair: place,
                position0,
            }));
            this.pairs.push(pair);
        }
        this.draws.sort_by_key(|d| d.draw);
        this.find_writes(at);
        this
    }

    /// The draws of pairs with the pair and the place of the draw's written member: 0 at POSITION0, 1 at POSITION1.
    pub(super) fn with_written(
        &self,
        written: impl Fn(&Pair) -> Written,
    ) -> impl Iterator<Item = (DrawIndex, &Pair, Placed)> {
        self.draws.iter().map(move |d| {
            let pair = &self.pairs[d.pair];
            let placed = match written(pair) {
                Written::Neither => Placed::Unwritten,
                Written::Both => Placed::Both,
                Written::One(member) if member == d.position0 => Placed::Position0,
                Written::One(_) => Placed::Position1,
            };
            (d.draw, pair, placed)
        })
    }

    fn find_writes(&mut self, at: CheckFrame<'_>) {
        let mut members: BTreeMap<BufferId, Vec<&mut Member>> = BTreeMap::new();
        for member in self.pairs.iter_mut().flat_map(|p| &mut p.members) {
            members.entry(member.slice.buffer).or_default().push(member);
        }
        for (command, step) in at.plan.commands.iter().enumerate() {
            let Some((buffer, from, to, write)) = write_of(at, command, step) else { continue };
            for member in members.get_mut(&buffer).into_iter().flatten() {
                if from <= member.slice.offset && member.slice.end() <= to {
                    member.writes.push(write);
                } else if from < member.slice.end() && member.slice.offset < to {
                    member.in_part = true;
                }
            }
        }
    }
}

/// Where a draw has the written member of its pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placed {
    Position0,
    Position1,
    Unwritten,
    Both,
}

/// Draws that bind two non-static streams of one stride, by what they bind.
fn groups(at: CheckFrame<'_>) -> BTreeMap<Key, Group> {
    let semantics = [0, 1].map(|index| Semantic::new("POSITION", index));
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    for (index, draw) in at.plan.draws() {
        let [Some(e0), Some(e1)] = semantics.each_ref().map(|s| element(at, draw, s)) else { continue };
        let [Some(s0), Some(s1)] = [e0, e1].map(|e| draw.streams.get(&e.slot)) else { continue };
        let bound = [s0, s1].map(|s| (s.range.buffer, s.range.offset));
        let written_kind = |buffer: BufferId| {
            let usage = at.plan.buffers.get(&buffer).map(|b| b.usage);
            matches!(usage, Some(BufferUsage::Dynamic | BufferUsage::Default))
        };
        if s0.stride != s1.stride
            || s0.stride == 0
            || bound[0] == bound[1]
            || !bound.iter().all(|(b, _)| written_kind(*b))
        {
            continue;
        }
        let Some((least, greatest)) = VertexOrder::of(draw).range() else { continue };
        let vertices = [least, greatest].map(|v| u64::try_from(v).unwrap_or(0));
        let position0 = usize::from(bound[1] < bound[0]);
        let ordered = |pair: [Element; 2]| if position0 == 1 { [pair[1], pair[0]] } else { pair };
        let mesh = draw.mesh.as_ref().map(|m| (m.model.clone(), m.mesh));
        let key = (mesh, if position0 == 1 { [bound[1], bound[0]] } else { bound }, s0.stride);
        let group = groups.entry(key).or_insert_with(|| Group {
            mesh: draw.mesh.clone(),
            elements: ordered([e0, e1]),
            slots: BTreeSet::new(),
            vertices: (vertices[0], vertices[1]),
            draws: Vec::new(),
        });
        group.slots.extend([e0.slot, e1.slot]);
        group.vertices = (group.vertices.0.min(vertices[0]), group.vertices.1.max(vertices[1]));
        group.draws.push((index, position0));
    }
    groups
}

/// The ranges of a key's streams; `None` where they hold different numbers of vertices.
fn slices(
    at: CheckFrame<'_>,
    (_, bound, stride): &Key,
    group: &Group,
    alone: &impl Fn(&BufferId) -> bool,
) -> Option<[Slice; 2]> {
    let planned = |(buffer, _): &Bound| at.plan.buffers.get(buffer);
    let dynamic = |b: &Bound| planned(b).is_some_and(|p| p.usage == BufferUsage::Dynamic);
    let whole = bound[0].0 != bound[1].0 && bound.iter().all(|b| alone(&b.0) && dynamic(b));
    let (first, last) = group.vertices;
    let slice = |bound: &Bound| {
        let held = planned(bound)?.size.saturating_sub(bound.1) / u64::from(*stride);
        let (first, end) = if whole { (0, held) } else { (first, held.min(last + 1)) };
        let offset = bound.1 + first * u64::from(*stride);
        Some(Slice { buffer: bound.0, offset, stride: *stride, count: end.saturating_sub(first) })
    };
    let slices = [slice(&bound[0])?, slice(&bound[1])?];
    (slices[0].count == slices[1].count && slices[0].count > 0).then_some(slices)
}

fn pair(at: CheckFrame<'_>, group: &Group, slices: [Slice; 2]) -> Pair {
    let member = |place: usize| Member {
        slice: slices[place],
        element: group.elements[place],
        usage: at.plan.buffers.get(&slices[place].buffer).map_or(BufferUsage::Static, |b| b.usage),
        writes: Vec::new(),
        in_part: false,
    };
    Pair { mesh: group.mesh.clone(), members: [member(0), member(1)], slots: BTreeSet::new() }
}

/// The range a step of the plan writes, unless it is what the frame starts with or what was only observed.
pub(super) fn write_of(
    at: CheckFrame<'_>,
    command: usize,
    step: &Command,
) -> Option<(BufferId, u64, u64, Write)> {
    let by = |writer: &Writer| match *writer {
        Writer::Command { kind: WriteKind::Observe, .. } | Writer::Initial(_) => None,
        Writer::Command { event, instance, kind } => {
            Some(Write { command, event, kind, instance, source: None })
        }
    };
    match step {
        Command::Discard { buffer, writer, .. } => {
            Some((*buffer, 0, at.plan.buffers.get(buffer)?.size, by(writer)?))
        }
        Command::Write { buffer, writer, offset, bytes, .. } => {
            Some((*buffer, *offset, offset + bytes.len() as u64, by(writer)?))
        }
        Command::Copy { event, instance, src, dst, dst_offset, size, .. } => {
            let write = Write {
                command,
                event: *event,
                kind: WriteKind::Copy,
                instance: *instance,
                source: Some(*src),
            };
            Some((*dst, *dst_offset, dst_offset + size, write))
        }
        Command::BeginPass(_) | Command::Draw(_) => None,
    }
}

/// The place of the frame's first draw in the plan's commands; their number where nothing is drawn.
pub(super) fn first_draw(at: CheckFrame<'_>) -> usize {
    let commands = &at.plan.commands;
    commands.iter().position(|c| matches!(c, Command::Draw(_))).unwrap_or(commands.len())
}
