//! Cloth in Elden Ring: pairs of buffers of which a frame copies new positions into one.

use super::bound::place;
use super::newest::{differences, greatest_distance};
use super::pairs::{Bound, all};
use super::{CheckInput, Claim, ClaimKind};
use crate::capture::manifest::BufferUsage;
use crate::finding::ClaimFindings;
use crate::plan::WriteKind;

const SECTION: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\" (Elden Ring)";

pub(super) const CLOTH_SLOT: Claim = Claim {
    id: "cloth-slot",
    statement: "In ten captured frames 190 cloth draws bind a pair of which the frame copied new positions into one buffer, \
                from the upload ring, with a GPU buffer copy; all 190 bind the copied buffer at POSITION0, and 9 further \
                draws use a pair no copy touched.",
    source: SECTION,
    how: "Every executed draw that binds a pair of default buffers: whether the frame copied into one member, from an \
          upload buffer, and which slot that member is bound to. A draw of such a pair agrees if it is POSITION0; draws \
          of untouched pairs are counted apart.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws of pairs with one copied member"),
        ("position0_copied", "of those, with the copied buffer at POSITION0"),
        ("position1_copied", "of those, with the copied buffer at POSITION1"),
        ("untouched", "executed draws of pairs that no copy of the frame touches"),
        ("from_upload", "draws of the first figure whose member was written by copies alone"),
    ],
    check: Some(cloth_slot),
};

pub(super) const CLOTH_DELTA: Claim = Claim {
    id: "cloth-delta",
    statement: "The copied slice differs from the two buffers' contents at the frame's start by at most 0.0022 units (mean \
                0.0004 against the older), so that the stream written in the frame is the newer one.",
    source: SECTION,
    how: "Every pair of default buffers with one copied member, once a frame: distances of the copied positions from both \
          members' positions at the frame's start, at every vertex the draws fetch. The older member is the one that is \
          copied into. Late contents are left out.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs with one copied member, with known contents"),
        ("greatest", "greatest distance from either member's contents at the frame's start, in units"),
        ("mean_older_least", "least, over the pairs, of the mean distance from the older contents, in units"),
        ("mean_older_greatest", "greatest such mean, in units"),
    ],
    check: Some(cloth_delta),
};

fn cloth_slot(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        for draw in &frame.plan.draws {
            let Some((pair, bound)) = pairs.bound(draw) else { continue };
            let usage = |b| frame.plan.buffers.get(&b).map(|b| b.usage);
            if pair.members.iter().any(|m| usage(m.buffer) != Some(BufferUsage::Default)) {
                continue;
            }
            let copies = |w: &super::pairs::Written| w.kind == WriteKind::Copy;
            match bound {
                Bound::Neither => found.add(name, "untouched", 1),
                Bound::Position0 | Bound::Position1 => {
                    let at_0 = bound == Bound::Position0;
                    let written = pair.written_member();
                    let copied = written.is_some_and(|m| pairs.writes_of(pair, m).iter().all(copies));
                    found.add(name, "draws", 1);
                    found.add(name, "position0_copied", u64::from(at_0));
                    found.add(name, "position1_copied", u64::from(!at_0));
                    found.add(name, "from_upload", u64::from(copied));
                    found.add(name, "untouched", 0);
                    found.case(at_0 && copied, || {
                        let slot = if at_0 { "POSITION0, but not by copies alone" } else { "POSITION1" };
                        format!("{}: the copied buffer is at {slot}", place(frame, draw))
                    });
                }
            }
        }
    }
    found
}

fn cloth_delta(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        for pair in pairs.pairs.values().filter(|p| p.written_member().is_some()) {
            let usage = |b| frame.plan.buffers.get(&b).map(|b| b.usage);
            if pair.members.iter().any(|m| usage(m.buffer) != Some(BufferUsage::Default)) {
                continue;
            }
            let [older, copied, newer] = match differences(&pairs, pair) {
                Ok(contents) => contents,
                Err(why) => {
                    found.leave_out(&format!("pairs with {why}"));
                    continue;
                }
            };
            let greatest = greatest_distance(&copied, &older).max(greatest_distance(&copied, &newer));
            let distances = copied.iter().zip(&older).map(|(a, b)| a.distance(*b));
            let mean = distances.sum::<f64>() / copied.len().max(1) as f64;
            found.add(name, "pairs", 1);
            found.greatest(name, "greatest", greatest);
            found.range(name, "mean_older", mean);
            found.case(greatest.is_finite() && mean > 0.0, || {
                format!("frame {name} {}: the copied positions are those that were there", pair.mesh)
            });
        }
    }
    found
}
