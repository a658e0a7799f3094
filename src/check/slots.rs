//! Which slot the written buffer of a pair is bound to, and how it is written.

use std::collections::{BTreeMap, BTreeSet};

use super::bound::place;
use super::pairs::{BODY, Bound, FACE, Pairs, all};
use super::{CheckInput, Claim, ClaimKind};
use crate::abi::state::PassKind;
use crate::capture::manifest::{BufferUsage, ListKind};
use crate::finding::ClaimFindings;
use crate::plan::dump::instance_name;
use crate::plan::{Draw, InstanceIndex, WriteKind};

const SECTION: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

pub(super) const PAIR_WRITTEN: Claim = Claim {
    id: "pair-written",
    statement: "A deformed three-buffer mesh draws with slots 0 and 2 replaced by two dynamic buffers; each frame writes \
                exactly one of the two, whole, by map-discard on a deferred context that runs before any draw.",
    source: SECTION,
    how: "Every pair of dynamic buffers that a draw binds at POSITION0 and POSITION1, once a frame: which members the \
          frame's map-discards, writes and copies cover. A pair agrees if exactly one member is written, once, by a \
          map-discard on a deferred list that is executed before the frame's first draw.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs of dynamic buffers, counted in each frame"),
        ("one_written", "pairs of which the frame writes exactly one member"),
        ("both_written", "pairs of which it writes both"),
        ("none_written", "pairs of which it writes none"),
        ("by_map_discard", "of those with one written member, written once and by map-discard"),
        ("on_deferred_list", "of those with one written member, written on a deferred list"),
        ("before_draws", "of those with one written member, written before the frame's first draw"),
    ],
    check: Some(pair_written),
};

pub(super) const PAIR_SLOT: Claim = Claim {
    id: "pair-slot",
    statement: "In 282 of the 315 draws of the 21 face and body meshes in the shadow, G-buffer and motion-vector passes of \
                five frames the buffer the frame has just written is bound at POSITION1, in the motion-vector pass \
                always; the exceptions are the G-buffer pass of 12 body meshes in one frame and the shadow pass of all \
                21 in another.",
    source: SECTION,
    how: "Every executed draw of FC_M_0200 and BD_M_9040 in passes of these three kinds that binds a pair: the slot of \
          the member that the frame writes. A draw agrees if it is POSITION1.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws"),
        ("position1_written", "draws with the written buffer at POSITION1"),
        ("position0_written", "draws with the written buffer at POSITION0"),
        ("unwritten", "draws whose pair the frame does not write, or writes both members of"),
        ("commands", "draw commands; fewer than draws where a list is executed several times"),
        ("meshes", "different meshes"),
        ("shadow_draws", "draws in shadow passes"),
        ("shadow_position1_written", "of those, with the written buffer at POSITION1"),
        ("shadow_position0_written", "of those, with the written buffer at POSITION0"),
        ("gbuffer_draws", "draws in G-buffer passes"),
        ("gbuffer_position1_written", "of those, with the written buffer at POSITION1"),
        ("gbuffer_position0_written", "of those, with the written buffer at POSITION0"),
        ("motion_vector_draws", "draws in motion-vector passes"),
        ("motion_vector_position1_written", "of those, with the written buffer at POSITION1"),
        ("motion_vector_position0_written", "of those, with the written buffer at POSITION0"),
    ],
    check: Some(pair_slot),
};

pub(super) const PAIR_SLOT_BY_LIST: Claim = Claim {
    id: "pair-slot-by-list",
    statement: "In the 24 recorded list instances of one frame, 18 bind the written buffer as the previous-frame stream \
                (POSITION1) and 6 as the current one.",
    source: SECTION,
    how: "Every execution of a deferred list that holds draws of pairs of which the frame writes one member: the slot of \
          that member in all its draws.",
    kind: ClaimKind::Capture,
    figures: &[
        ("instances", "executions of lists with such draws"),
        ("position1", "executions that bind the written buffer at POSITION1 in every draw"),
        ("position0", "executions that bind it at POSITION0 in every draw"),
        ("mixed", "executions that do both"),
    ],
    check: Some(pair_slot_by_list),
};

pub(super) const PAIR_ROLE_ALTERNATES: Claim = Claim {
    id: "pair-role-alternates",
    statement: "That the roles of a pair alternate every frame is not established: it needs two consecutive frames of the \
                same object.",
    source: SECTION,
    how: "Only where the set says that its frames follow one another: every pair of two neighbouring frames, told by mesh \
          and buffers, agrees if the later frame writes the other member.",
    kind: ClaimKind::Unknown,
    figures: &[
        ("steps", "pairs found in two neighbouring frames, one member written in each"),
        ("alternating", "steps at which the other member is written"),
    ],
    check: Some(pair_role_alternates),
};

fn pair_written(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        for pair in pairs.pairs.values() {
            let usage = |b| frame.plan.buffers.get(&b).map(|b| b.usage);
            if pair.members.iter().any(|m| usage(m.buffer) != Some(BufferUsage::Dynamic)) {
                continue;
            }
            found.add(name, "pairs", 1);
            let Some(written) = pair.written_member() else {
                let both = pair.written == [true, true];
                found.add(name, if both { "both_written" } else { "none_written" }, 1);
                found.case(false, || {
                    let how = if both { "both members are" } else { "no member is" };
                    format!("frame {name} {}: {how} written", pair.mesh)
                });
                continue;
            };
            let writes = pairs.writes_of(pair, written);
            let discard = writes.len() == 1 && writes.iter().all(|w| w.kind == WriteKind::MapDiscard);
            let deferred = writes.iter().all(|w| w.deferred);
            let before = writes.iter().all(|w| w.before_draws);
            found.add(name, "one_written", 1);
            for (figure, holds) in
                [("by_map_discard", discard), ("on_deferred_list", deferred), ("before_draws", before)]
            {
                found.add(name, figure, u64::from(holds));
            }
            found.case(discard && deferred && before, || {
                let mut why = Vec::new();
                why.extend((!discard).then(|| format!("{} writes, not one map-discard", writes.len())));
                why.extend((!deferred).then(|| "not on a deferred list".to_owned()));
                why.extend((!before).then(|| "not before the first draw".to_owned()));
                format!("frame {name} {} buffer {}: {}", pair.mesh, written.buffer, why.join(", "))
            });
        }
    }
    found
}

/// A mesh of the documents' player in a pass the claim is about.
fn counts(draw: &Draw, kind: PassKind) -> bool {
    draw.mesh.as_ref().is_some_and(|m| m.model == FACE || m.model == BODY)
        && matches!(kind, PassKind::Shadow | PassKind::Gbuffer | PassKind::MotionVector)
}

fn pair_slot(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut table = Table::default();
    let mut meshes = BTreeSet::new();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        let mut commands = BTreeSet::new();
        let mut here = BTreeSet::new();
        for draw in &frame.plan.draws {
            let kind = frame.plan.pass_of(draw).kind;
            if !counts(draw, kind) {
                continue;
            }
            let Some((pair, bound)) = pairs.bound(draw) else {
                found.leave_out("draws that bind no pair");
                continue;
            };
            let pass = kind.name();
            let figure = match bound {
                Bound::Position1 => "position1_written",
                Bound::Position0 => "position0_written",
                Bound::Neither => "unwritten",
            };
            found.add(name, "draws", 1);
            found.add(name, &format!("{pass}_draws"), 1);
            for slot in ["position1_written", "position0_written", "unwritten"] {
                found.add(name, slot, u64::from(slot == figure));
                if slot != "unwritten" {
                    found.add(name, &format!("{pass}_{slot}"), u64::from(slot == figure));
                }
            }
            found.case(bound == Bound::Position1, || {
                let written = pair.written_member().map(|m| m.buffer.to_string());
                let written = written.unwrap_or_else(|| "neither or both".to_owned());
                format!("{}: the written buffer ({written}) is at {figure}", place(frame, draw))
            });
            commands.insert(draw.event);
            here.insert(pair.mesh.clone());
            table.add(&pair.mesh, name, kind, bound);
        }
        found.add(name, "commands", commands.len() as u64);
        found.set_in(name, "meshes", crate::finding::Figure::Count(here.len() as u64));
        meshes.extend(here);
    }
    found.set("meshes", crate::finding::Figure::Count(meshes.len() as u64));
    if found.counted > 0 {
        found.notes = table.lines();
    }
    found
}

/// The binding order of every mesh, pass and frame.
#[derive(Default)]
struct Table {
    frames: BTreeSet<String>,
    cells: BTreeMap<String, BTreeMap<(String, PassKind), BTreeSet<char>>>,
}

impl Table {
    fn add(&mut self, mesh: &str, frame: &str, pass: PassKind, bound: Bound) {
        let letter = match bound {
            Bound::Position1 => '1',
            Bound::Position0 => '0',
            Bound::Neither => '-',
        };
        self.frames.insert(frame.to_owned());
        let row = self.cells.entry(mesh_key(mesh)).or_default();
        row.entry((frame.to_owned(), pass)).or_default().insert(letter);
    }

    /// A line a mesh; in each frame's column the shadow, G-buffer and motion-vector pass.
    fn lines(&self) -> Vec<String> {
        const PASSES: [PassKind; 3] = [PassKind::Shadow, PassKind::Gbuffer, PassKind::MotionVector];
        let width = self.frames.iter().map(String::len).max().unwrap_or(0).max(5);
        let mut header = format!("{:<16}", "written at");
        for frame in &self.frames {
            header.push_str(&format!("  {frame:<width$}"));
        }
        let mut lines = vec![
            "binding order: 1 = the written buffer is POSITION1, 0 = POSITION0, * = both, - = unwritten, . = not drawn; \
             shadow, G-buffer, motion vector"
                .to_owned(),
            header.trim_end().to_owned(),
        ];
        for (mesh, row) in &self.cells {
            let mut line = format!("{:<16}", unpadded(mesh));
            for frame in &self.frames {
                let cell = |pass| match row.get(&(frame.clone(), pass)) {
                    None => '.',
                    Some(found) if found.len() > 1 => '*',
                    Some(found) => found.first().copied().unwrap_or('.'),
                };
                let cells: Vec<String> = PASSES.map(|p| cell(p).to_string()).to_vec();
                line.push_str(&format!("  {:<width$}", cells.join(" ")));
            }
            lines.push(line.trim_end().to_owned());
        }
        lines
    }
}

/// A mesh's name that sorts by its number: `BD_M_9040/00004`.
fn mesh_key(mesh: &str) -> String {
    match mesh.rsplit_once('/') {
        Some((model, number)) => format!("{model}/{number:0>5}"),
        None => mesh.to_owned(),
    }
}

/// The name as it is written elsewhere.
fn unpadded(key: &str) -> String {
    match key.trim_end().rsplit_once('/') {
        Some((model, number)) => {
            let number = number.trim_start_matches('0');
            format!("{model}/{}", if number.is_empty() { "0" } else { number })
        }
        None => key.to_owned(),
    }
}

fn pair_slot_by_list(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        let mut instances: BTreeMap<InstanceIndex, BTreeSet<bool>> = BTreeMap::new();
        for draw in &frame.plan.draws {
            let deferred = frame.plan.instance_of(draw).kind == ListKind::Deferred;
            match pairs.bound(draw) {
                Some((_, bound @ (Bound::Position1 | Bound::Position0))) if deferred => {
                    instances.entry(draw.instance).or_default().insert(bound == Bound::Position1);
                }
                _ => {}
            }
        }
        for (instance, slots) in instances {
            let slots: Vec<_> = slots.into_iter().collect();
            let figure = match slots.as_slice() {
                [true] => "position1",
                [false] => "position0",
                _ => "mixed",
            };
            found.add(name, "instances", 1);
            for one in ["position1", "position0", "mixed"] {
                found.add(name, one, u64::from(one == figure));
            }
            found.case(figure == "position1", || {
                let list = frame.plan.instances.get(instance.0).map(instance_name).unwrap_or_default();
                format!("frame {name} {list}: {figure}")
            });
        }
    }
    found
}

fn pair_role_alternates(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    if !input.consecutive {
        return found;
    }
    let pairs: Vec<Pairs<'_>> = all(&input.frames);
    for (before, after) in pairs.iter().zip(pairs.iter().skip(1)) {
        for (key, pair) in &after.pairs {
            let earlier = before.pairs.get(key).filter(|p| p.mesh == pair.mesh);
            let written = earlier.and_then(|p| Some((p.written_member()?, pair.written_member()?)));
            let Some((then, now)) = written else { continue };
            let frame = after.frame_name();
            found.add(frame, "steps", 1);
            found.add(frame, "alternating", u64::from(then != now));
            found.case(then != now, || {
                format!("frame {frame} {}: buffer {} is written again", pair.mesh, now.buffer)
            });
        }
    }
    found
}
