//! Contents that a recorder took later than it says.

use super::pairs::all;
use super::{CheckInput, Claim, ClaimKind};
use crate::capture::manifest::Taken;
use crate::finding::ClaimFindings;

pub(super) const LATE_CONTENTS: Claim = Claim {
    id: "late-contents",
    statement: "Contents marked as taken later than the frame's start are left out of every comparison of contents, and \
                counted as left out.",
    source: "FLVER nodes and skinning, \"Skinned vertex streams at run time\" (the fifth captured frame)",
    how: "Counts buffers whose contents at the frame's start are marked late, and the pairs that pair-newest leaves out \
          for it. Outputs computed from late bytes are compared as usual.",
    kind: ClaimKind::Capture,
    figures: &[
        ("late", "buffers whose contents at the frame's start were taken late"),
        ("pairs_left_out", "pairs of which one member is written and the contents of a member are late"),
    ],
    check: Some(late_contents),
};

fn late_contents(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        let late = |id| {
            let initial = frame.frame.buffer(id).and_then(|b| b.initial);
            initial.is_some_and(|content| content.taken == Taken::Late)
        };
        let count = frame.frame.file().buffers.iter().filter(|b| late(b.id)).count() as u64;
        let left_out = |p: &&super::pairs::Pair| {
            p.written_member().is_some() && p.members.iter().any(|m| late(m.buffer))
        };
        let left_out = pairs.pairs.values().filter(left_out).count() as u64;
        found.add(name, "late", count);
        found.add(name, "pairs_left_out", left_out);
        found.counted += count;
        found.agree += count;
    }
    found
}
