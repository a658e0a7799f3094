//! Claims about where the members of a pair are bound and when they are written: the lists that write them, the order
//! that each draw and each list binds them in, their roles from frame to frame.

use std::collections::{BTreeMap, BTreeSet};

use super::bound::place;
use super::files::is_deformed;
use super::pairs::{Pair, Placed, Written};
use super::streams::Slice;
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::abi::InputSlot;
use crate::abi::records::PositionVertex;
use crate::abi::state::PassKind;
use crate::capture::manifest::{BufferUsage, ListKind, MeshRef};
use crate::finding::{ClaimFindings, Figure};
use crate::plan::dump::instance_name;
use crate::plan::{Draw, InstanceIndex, WriteKind};

const SOURCE: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

pub(super) const PAIR_WRITTEN: Claim = Claim {
    id: "pair-written",
    statement: "A deformed mesh draws with slots 0 and 2 replaced by two dynamic buffers of 20 bytes a vertex. Each frame \
                writes exactly one of the two, whole, by map-discard on a deferred context that runs before any draw.",
    source: SOURCE,
    how: "Every pair of every frame: its usage, stride and slots from the draws that bind it; its writes, their list and \
          their place before the first draw from the frame's commands.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs, counted in each frame"),
        ("as_stated", "pairs to which all of the statement applies"),
        ("one_written", "pairs of which exactly one member is written"),
        ("none_written", "pairs of which no member is written"),
        ("both_written", "pairs of which both members are written"),
        ("dynamic", "pairs of two dynamic buffers of 20 bytes a vertex at slots 0 and 2"),
        ("by_map_discard", "pairs that only a map-discard writes, once"),
        ("on_deferred_list", "pairs that only deferred lists write"),
        ("before_draws", "pairs that are written before the frame's first draw only"),
    ],
    check: Some(written),
};

pub(super) const PAIR_SLOT: Claim = Claim {
    id: "pair-slot",
    statement: "In the shadow, G-buffer and motion-vector passes most draws of the face and body meshes bind the buffer \
                the frame has just written at POSITION1: 282 of 315 in five frames, and the motion-vector pass in all 105. \
                The exceptions are the G-buffer pass of 12 body meshes in one frame and the shadow pass of all 21 in another.",
    source: SOURCE,
    how: "Executed draws of FC_M_0200 and BD_M_9040 in those passes that bind a pair: at which semantic the written \
          member is.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws that bind a pair"),
        ("position1_written", "draws with the written member at POSITION1"),
        ("position0_written", "draws with the written member at POSITION0"),
        ("unwritten", "draws of a pair of which no member is written"),
        ("both_written", "draws of a pair of which both members are written"),
        ("commands", "draw commands; a list may be executed more than once"),
        ("meshes", "different meshes drawn"),
        ("shadow_draws", "draws of the shadow passes"),
        ("shadow_position1_written", "of them with the written member at POSITION1"),
        ("shadow_position0_written", "of them with the written member at POSITION0"),
        ("gbuffer_draws", "draws of the G-buffer passes"),
        ("gbuffer_position1_written", "of them with the written member at POSITION1"),
        ("gbuffer_position0_written", "of them with the written member at POSITION0"),
        ("motion_vector_draws", "draws of the motion-vector passes"),
        ("motion_vector_position1_written", "of them with the written member at POSITION1"),
        ("motion_vector_position0_written", "of them with the written member at POSITION0"),
    ],
    check: Some(slot),
};

pub(super) const PAIR_SLOT_BY_LIST: Claim = Claim {
    id: "pair-slot-by-list",
    statement: "Which slot the written buffer is bound to varies with the command list: of 24 recorded list instances of \
                one frame 18 bind it at POSITION1 and 6 at POSITION0.",
    source: SOURCE,
    how: "Every execution of a deferred list that draws with a pair: where all of its draws with a written pair have \
          the written member.",
    kind: ClaimKind::Capture,
    figures: &[
        ("instances", "executions of deferred lists that hold draws with a pair"),
        ("position1", "instances that bind the written member at POSITION1 only"),
        ("position0", "instances that bind the written member at POSITION0 only"),
        ("mixed", "instances that bind it at both"),
        ("unwritten", "instances whose pairs have no single written member"),
    ],
    check: Some(slot_by_list),
};

pub(super) const PAIR_ROLE_ALTERNATES: Claim = Claim {
    id: "pair-role-alternates",
    statement: "Whether the two buffers change roles every frame, or one stays current until something else flips them, \
                needs two consecutive frames of one object.",
    source: SOURCE,
    how: "Only in a set that says its frames follow one another: for every pair that two neighbouring frames have and \
          write one member of, whether the written member changes.",
    kind: ClaimKind::Unknown,
    figures: &[
        ("steps", "pairs with one written member in two neighbouring frames"),
        ("alternating", "of them with another member written in the second frame"),
    ],
    check: Some(role_alternates),
};

/// Where the written buffer was, by frame and pass.
type Row = BTreeMap<(String, PassKind), BTreeSet<Placed>>;

/// `pair-written`.
fn written(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        for pair in &frame.pairs.pairs {
            let written = pair.written();
            let writes: Vec<_> = pair.members.iter().flat_map(|m| &m.writes).collect();
            let in_part = pair.members.iter().any(|m| m.in_part);
            let dynamic = pair.members.iter().all(|m| m.usage == BufferUsage::Dynamic)
                && pair.members[0].slice.stride as usize == PositionVertex::SIZE
                && pair.slots.iter().eq(&[InputSlot(0), InputSlot(2)]);
            let discard = writes.len() == 1 && !in_part && writes[0].kind == WriteKind::MapDiscard;
            let deferred = !writes.is_empty() && writes.iter().all(|w| is_deferred(frame.at, w.instance));
            let early = !writes.is_empty() && writes.iter().all(|w| w.command < frame.pairs.first_draw);
            let one = matches!(written, Written::One(_));
            let stated = one && dynamic && discard && deferred && early;
            for (name, holds) in [
                ("pairs", true),
                ("as_stated", stated),
                ("one_written", one),
                ("none_written", written == Written::Neither),
                ("both_written", written == Written::Both),
                ("dynamic", dynamic),
                ("by_map_discard", discard),
                ("on_deferred_list", deferred),
                ("before_draws", early),
            ] {
                found.add(frame.name(), name, holds.into());
            }
            found.case(stated, || {
                let by: Vec<_> =
                    writes.iter().map(|w| format!("{} of event {}", w.kind.name(), w.event)).collect();
                let by = if by.is_empty() { "nothing".into() } else { by.join(", ") };
                format!("frame {}: {} is written by {by}", frame.name(), pair.name())
            });
        }
    }
    found
}

fn is_deferred(at: CheckFrame<'_>, instance: InstanceIndex) -> bool {
    at.plan.instances.get(instance.0).is_some_and(|i| i.kind == ListKind::Deferred)
}

/// The kinds of pass that `pair-slot` is about, in the order of a frame.
const PASSES: [PassKind; 3] = [PassKind::Shadow, PassKind::Gbuffer, PassKind::MotionVector];

/// `pair-slot`.
fn slot(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut table = BindingTable::default();
    for frame in &evidence.frames {
        let (at, name) = (frame.at, frame.name());
        let looked_at =
            |draw: &Draw| is_deformed(draw.mesh.as_ref()) && PASSES.contains(&at.plan.pass_of(draw).kind);
        let bound: BTreeSet<_> = frame.pairs.draws.iter().map(|d| d.draw).collect();
        for (index, draw) in at.plan.draws() {
            if looked_at(draw) && !bound.contains(&index) {
                found.leave_out("draws that bind no pair");
            }
        }
        let mut commands = BTreeSet::new();
        for (index, _, placed) in frame.pairs.with_written(Pair::written) {
            let draw = &at.plan.draws[index.0];
            let Some(mesh) = draw.mesh.as_ref().filter(|_| looked_at(draw)) else { continue };
            let pass = at.plan.pass_of(draw).kind;
            for (figure, holds) in [
                ("draws", true),
                ("position1_written", placed == Placed::Position1),
                ("position0_written", placed == Placed::Position0),
            ] {
                found.add(name, figure, holds.into());
                found.add(name, &format!("{}_{figure}", pass.name()), holds.into());
            }
            found.add(name, "unwritten", (placed == Placed::Unwritten).into());
            found.add(name, "both_written", (placed == Placed::Both).into());
            found.case(placed == Placed::Position1, || {
                let what = match placed {
                    Placed::Position0 => "the written buffer is at POSITION0",
                    Placed::Position1 => "the written buffer is at POSITION1",
                    Placed::Unwritten => "the frame writes neither buffer of the pair",
                    Placed::Both => "the frame writes both buffers of the pair",
                };
                format!("{}: {what}", place(&at, draw))
            });
            commands.insert(draw.event);
            table.add(mesh, name, pass, placed);
        }
        if !commands.is_empty() {
            found.add(name, "commands", commands.len() as u64);
            found.set_in(name, "meshes", Figure::Count(table.meshes(Some(name))));
        }
    }
    if found.counted > 0 {
        found.set("meshes", Figure::Count(table.meshes(None)));
        found.notes = table.lines();
    }
    found
}

/// The binding order of every mesh, by frame and kind of pass.
#[derive(Default)]
struct BindingTable {
    frames: BTreeSet<String>,
    rows: BTreeMap<(String, u32), Row>,
}

impl BindingTable {
    fn add(&mut self, mesh: &MeshRef, frame: &str, pass: PassKind, placed: Placed) {
        self.frames.insert(frame.to_owned());
        let row = self.rows.entry((mesh.model.clone(), mesh.mesh)).or_default();
        row.entry((frame.to_owned(), pass)).or_default().insert(placed);
    }

    /// Meshes drawn in a frame, or in any.
    fn meshes(&self, frame: Option<&str>) -> u64 {
        let drawn = |row: &&BTreeMap<(String, PassKind), _>| {
            frame.is_none_or(|frame| row.keys().any(|(in_frame, _)| in_frame == frame))
        };
        self.rows.values().filter(drawn).count() as u64
    }

    /// A line a mesh; in each frame's column the passes in the order of a frame.
    fn lines(&self) -> Vec<String> {
        let letter = |placed: Option<&BTreeSet<Placed>>| match placed {
            None => '.',
            Some(all) if all.len() > 1 => '*',
            Some(all) if all.contains(&Placed::Position1) => '1',
            Some(all) if all.contains(&Placed::Position0) => '0',
            Some(_) => '-',
        };
        let line = |first: String, cells: &mut dyn Iterator<Item = String>| {
            let cells: String = cells.map(|cell| format!("  {cell:<5}")).collect();
            format!("{first:<16}{cells}").trim_end().to_owned()
        };
        let key = "binding order in shadow, G-buffer and motion-vector pass: 1 = the written buffer is POSITION1, \
                   0 = POSITION0, * = both, - = neither or both written, . = not drawn";
        let mut lines = vec![key.to_owned(), line("written at".into(), &mut self.frames.iter().cloned())];
        for ((model, mesh), row) in &self.rows {
            let cell = |frame: &String| {
                let letters = PASSES.map(|pass| letter(row.get(&(frame.clone(), pass))).to_string());
                letters.join(" ")
            };
            lines.push(line(format!("{model}/{mesh}"), &mut self.frames.iter().map(cell)));
        }
        lines
    }
}

/// `pair-slot-by-list`.
fn slot_by_list(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        let mut lists: BTreeMap<InstanceIndex, BTreeSet<Placed>> = BTreeMap::new();
        for (index, _, placed) in frame.pairs.with_written(Pair::written) {
            let draw = &frame.at.plan.draws[index.0];
            if is_deferred(frame.at, draw.instance) {
                lists.entry(draw.instance).or_default().insert(placed);
            }
        }
        for (instance, placed) in lists {
            let kind = match (placed.contains(&Placed::Position0), placed.contains(&Placed::Position1)) {
                (true, true) => "mixed",
                (true, false) => "position0",
                (false, true) => "position1",
                (false, false) => "unwritten",
            };
            for name in ["position1", "position0", "mixed", "unwritten"] {
                found.add(frame.name(), name, (name == kind).into());
            }
            found.add(frame.name(), "instances", 1);
            found.case(matches!(kind, "position0" | "position1"), || {
                let list = instance_name(&frame.at.plan.instances[instance.0]);
                format!("frame {} {list}: {kind}", frame.name())
            });
        }
    }
    found
}

/// `pair-role-alternates`.
fn role_alternates(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    if !evidence.input.consecutive {
        return found;
    }
    for (before, after) in evidence.frames.iter().zip(evidence.frames.iter().skip(1)) {
        let known: BTreeMap<_, _> = before.pairs.pairs.iter().map(|p| (identity(p), p)).collect();
        for pair in &after.pairs.pairs {
            let Some(earlier) = known.get(&identity(pair)) else {
                found.leave_out("pairs that the frame before does not have");
                continue;
            };
            let (Written::One(was), Written::One(is)) = (earlier.written(), pair.written()) else {
                found.leave_out("pairs without one written member in both frames");
                continue;
            };
            found.add(after.name(), "steps", 1);
            found.add(after.name(), "alternating", (was != is).into());
            found.case(was != is, || {
                let buffer = pair.members[is].slice.buffer;
                format!("frame {}: {}: buffer {buffer} is written again", after.name(), pair.name())
            });
        }
    }
    found
}

/// What makes a pair of one frame that of another: the mesh, the ranges.
fn identity(pair: &Pair) -> (Option<(&str, u32)>, [Slice; 2]) {
    let mesh = pair.mesh.as_ref().map(|m| (m.model.as_str(), m.mesh));
    (mesh, pair.members.each_ref().map(|m| m.slice))
}
