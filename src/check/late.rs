//! What was taken late, and what that leaves out (claim `late-contents`).

use std::collections::BTreeMap;

use super::streams::LATE;
use super::{Claim, ClaimKind, Evidence};
use crate::capture::manifest::{Content, Taken};
use crate::finding::{ClaimFindings, Figure};

pub(super) const LATE_CONTENTS: Claim = Claim {
    id: "late-contents",
    statement: "Contents that the recorder marks as taken later than the frame's start are left out of every comparison.",
    source: "FLVER nodes and skinning, \"Skinned vertex streams at run time\"",
    how: "The buffers whose initial contents are marked late are counted, and the comparisons of the other claims that \
          leave something out for it.",
    kind: ClaimKind::Capture,
    figures: &[
        ("contents", "initial contents of buffers and attachments"),
        ("late", "of them taken late"),
        ("pairs_left_out", "pairs that pair-newest leaves out for late contents"),
        ("comparisons_left_out", "comparisons of other claims that late contents leave out"),
    ],
    check: Some(contents),
};

/// `late-contents`, but for what the other checks left out.
fn contents(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        let file = frame.at.frame.file();
        let buffers =
            file.buffers.iter().filter_map(|b| Some((format!("buffer {} ({})", b.id, b.name), b.initial?)));
        let images = file.passes.iter().flat_map(|pass| {
            let targets = pass.targets.iter().filter_map(|t| Some((&t.name, t.initial?)));
            targets.map(|(name, content)| (format!("target {name} of {}", pass.id), content))
        });
        let depths = file.passes.iter().filter_map(|pass| {
            let content = pass.depth.as_ref()?.initial?;
            Some((format!("depth of {}", pass.id), content))
        });
        for (what, content) in buffers.chain(images).chain(depths) {
            count(&mut found, frame.name(), &what, content);
        }
    }
    found
}

fn count(found: &mut ClaimFindings, frame: &str, what: &str, content: Content) {
    let late = content.taken == Taken::Late;
    found.add(frame, "contents", 1);
    found.add(frame, "late", late.into());
    found.case(true, String::new);
    if late {
        found.notes.push(format!("frame {frame}: {what} was taken late"));
    }
}

/// Adds up what all checks left out for it.
pub(super) fn count_left_out(findings: &mut BTreeMap<&'static str, ClaimFindings>) {
    let left_out = |f: &ClaimFindings| f.left_out.get(LATE).copied().unwrap_or(0);
    let pairs = findings.get("pair-newest").map_or(0, left_out);
    let all = findings.values().map(left_out).sum();
    if let Some(late) = findings.get_mut("late-contents").filter(|f| f.counted > 0) {
        late.set("pairs_left_out", Figure::Count(pairs));
        late.set("comparisons_left_out", Figure::Count(all));
    }
}
