//! Claims about cloth: which member of a pair a GPU copy writes, where draws bind it, how far it moves.

use glam::DVec3;

use super::bound::place;
use super::pairs::{Pair, Placed, Written};
use super::streams::{Moment, greatest_distance, positions};
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::capture::manifest::BufferUsage;
use crate::finding::{ClaimFindings, Figure};
use crate::plan::WriteKind;

const SOURCE: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

pub(super) const CLOTH_SLOT: Claim = Claim {
    id: "cloth-slot",
    statement: "Cloth draws bind a pair of which the frame copied new positions into one, from the upload ring, by a GPU \
                buffer copy: in ten frames all 190 bind the copied buffer at POSITION0, and 9 further draws use a pair that \
                no copy touched.",
    source: SOURCE,
    how: "Executed draws that bind a pair which the CPU does not write: which member a copy of the frame covers, where \
          the copy reads from, at which semantic the member is.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws that bind a pair with one copied member"),
        ("position0_copied", "of them with the copied member at POSITION0"),
        ("position1_copied", "of them with the copied member at POSITION1"),
        ("from_upload", "of them whose copy reads an upload buffer"),
        ("untouched", "further draws of a pair that no copy touched"),
        ("both_copied", "further draws of a pair with both members copied"),
    ],
    check: Some(slot),
};

pub(super) const CLOTH_DELTA: Claim = Claim {
    id: "cloth-delta",
    statement: "The copied slice differs from both buffers' contents at the frame's start by at most 0.0022 units, by 0.0004 \
                in the mean against the older one: what the frame writes is the newer.",
    source: SOURCE,
    how: "Distances between equal vertices of the copied slice and of both members' contents at the frame's start; the \
          older contents are those that the copy replaces.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs with one copied member, counted in each frame"),
        ("greatest", "greatest distance to either contents, model units"),
        ("greatest_older", "greatest distance to the contents replaced, model units"),
        ("greatest_newer", "greatest distance to the other member's contents, model units"),
        ("mean_older", "mean distance to the contents replaced over all vertices, model units"),
        ("mean_older_least", "least such mean of a pair, model units"),
        ("mean_older_greatest", "greatest such mean of a pair, model units"),
        ("newest", "pairs with a greater mean distance to the contents replaced than to the other member's"),
    ],
    check: Some(delta),
};

/// Which members copies write.
fn copied(pair: &Pair) -> Written {
    pair.written_by(|w| w.kind == WriteKind::Copy)
}

/// Whether the CPU writes a member, which makes the pair no cloth.
fn is_cpu_written(pair: &Pair) -> bool {
    pair.written_by(|w| w.kind != WriteKind::Copy) != Written::Neither
}

/// Whether every copy into the pair reads an upload buffer.
fn is_from_upload(at: CheckFrame<'_>, pair: &Pair) -> bool {
    let mut sources = pair.members.iter().flat_map(|m| &m.writes).filter_map(|w| w.source);
    sources.all(|source| at.plan.buffers.get(&source).is_some_and(|b| b.usage == BufferUsage::Upload))
}

/// `cloth-slot`.
fn slot(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        let (at, name) = (frame.at, frame.name());
        for (index, pair, placed) in frame.pairs.with_written(copied) {
            if is_cpu_written(pair) {
                found.leave_out("draws of a pair that the CPU writes");
                continue;
            }
            let one = matches!(placed, Placed::Position0 | Placed::Position1);
            let upload = one && is_from_upload(at, pair);
            for (figure, holds) in [
                ("draws", one),
                ("position0_copied", placed == Placed::Position0),
                ("position1_copied", placed == Placed::Position1),
                ("from_upload", upload),
                ("untouched", placed == Placed::Unwritten),
                ("both_copied", placed == Placed::Both),
            ] {
                found.add(name, figure, holds.into());
            }
            if placed == Placed::Unwritten {
                continue;
            }
            found.case(placed == Placed::Position0 && upload, || {
                let what = match (placed, upload) {
                    (Placed::Both, _) => "both members are copied",
                    (Placed::Position1, _) => "the copied member is at POSITION1",
                    _ => "the copy does not read an upload buffer",
                };
                format!("{}: {what}", place(&at, &at.plan.draws[index.0]))
            });
        }
    }
    found
}

/// How far a copied slice is from what was there at the frame's start.
struct Delta {
    /// Sum over the vertices of the distances to the contents replaced.
    older_sum: f64,
    older_greatest: f64,
    newer_sum: f64,
    newer_greatest: f64,
    vertices: u64,
}

/// `cloth-delta`.
fn delta(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut all = Mean::default();
    for frame in &evidence.frames {
        let name = frame.name();
        let mut of_frame = Mean::default();
        for pair in frame.pairs.pairs.iter().filter(|p| !is_cpu_written(p)) {
            let Written::One(written) = copied(pair) else { continue };
            let delta = match delta_of(frame.at, pair, written) {
                Ok(delta) => delta,
                Err(reason) => {
                    found.leave_out(reason);
                    continue;
                }
            };
            let newest = delta.older_sum > delta.newer_sum;
            found.add(name, "pairs", 1);
            found.add(name, "newest", newest.into());
            found.greatest(name, "greatest_older", delta.older_greatest);
            found.greatest(name, "greatest_newer", delta.newer_greatest);
            found.greatest(name, "greatest", delta.older_greatest.max(delta.newer_greatest));
            found.range(name, "mean_older", delta.older_sum / delta.vertices as f64);
            of_frame.add(&delta);
            all.add(&delta);
            found.case(newest, || {
                format!(
                    "frame {name}: {}: the contents replaced are no further away than the other's",
                    pair.name()
                )
            });
        }
        if let Some(mean) = of_frame.value() {
            found.set_in(name, "mean_older", Figure::Number(mean));
        }
    }
    if let Some(mean) = all.value() {
        found.set("mean_older", Figure::Number(mean));
    }
    found
}

/// A mean over the vertices of several slices.
#[derive(Default)]
struct Mean {
    sum: f64,
    vertices: u64,
}

impl Mean {
    fn add(&mut self, delta: &Delta) {
        self.sum += delta.older_sum;
        self.vertices += delta.vertices;
    }

    fn value(&self) -> Option<f64> {
        (self.vertices > 0).then(|| self.sum / self.vertices as f64)
    }
}

fn delta_of(at: CheckFrame<'_>, pair: &Pair, written: usize) -> Result<Delta, &'static str> {
    let [member, other] = [&pair.members[written], &pair.members[1 - written]];
    let now = positions(at, &member.slice, &member.element, Moment::End)?;
    let older = positions(at, &member.slice, &member.element, Moment::Start)?;
    let newer = positions(at, &other.slice, &other.element, Moment::Start)?;
    let sum = |b: &[DVec3]| now.iter().zip(b).map(|(a, b)| a.distance(*b)).sum();
    Ok(Delta {
        older_sum: sum(&older),
        older_greatest: greatest_distance(&now, &older),
        newer_sum: sum(&newer),
        newer_greatest: greatest_distance(&now, &newer),
        vertices: now.len() as u64,
    })
}
