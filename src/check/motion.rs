//! The motion-vector program (claim `motion-program`): which stream, palette and view-projection go together.

use super::{Claim, ClaimKind, Evidence, Pairing, PairingOutcome};
use crate::abi::state::PassKind;
use crate::finding::ClaimFindings;

pub(super) const MOTION_PROGRAM: Claim = Claim {
    id: "motion-program",
    statement: "The motion-vector program skins POSITION0 with cbObjMatrix (register 5) and the first view-projection of \
                cbMatrixWVP, and POSITION1 with cbPrevObjMatrix (register 6) and the second.",
    source: "FLVER nodes and skinning, \"Skinned vertex streams at run time\"",
    how: "Every motion-vector draw with recorded outputs is executed under the eight combinations of exchanged streams, \
          palettes and view-projections: the documented one must reproduce the record and no other may. A combination \
          with the same outputs, bit for bit, has the same inputs: it cannot tell.",
    kind: ClaimKind::Replay,
    figures: &[
        ("draws", "motion-vector draws with recorded outputs"),
        ("documented", "draws that the documented combination reproduces"),
        ("others_reproduce", "draws that another combination, with other outputs, reproduces too"),
        ("told_apart", "draws for which all seven others give other outputs"),
        ("cannot_tell", "other combinations, over all draws, whose inputs are identical"),
    ],
    check: Some(program),
};

/// `motion-program`. Without trials there is nothing to look at.
fn program(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let Some(trials) = &evidence.input.pairings else { return found };
    for frame in &evidence.frames {
        let name = frame.name();
        for (index, draw) in frame.at.plan.draws() {
            let pass = frame.at.plan.pass_of(draw);
            if pass.kind != PassKind::MotionVector {
                continue;
            }
            let Some(trial) = trials.get(&(name.to_owned(), index)) else {
                found.leave_out("draws that are not replayed, or without recorded outputs");
                continue;
            };
            let [documented, others @ ..] = &trial.outcomes;
            let count = |wanted| others.iter().filter(|o| **o == wanted).count() as u64;
            let reproduced = *documented == PairingOutcome::Reproduces;
            let also = count(PairingOutcome::Reproduces);
            let same = count(PairingOutcome::Identical);
            found.add(name, "draws", 1);
            found.add(name, "documented", reproduced.into());
            found.add(name, "others_reproduce", (also > 0).into());
            found.add(name, "told_apart", (same == 0).into());
            found.add(name, "cannot_tell", same);
            if reproduced && same == others.len() as u64 {
                found.leave_out("draws whose two streams, palettes and views are identical");
                continue;
            }
            found.case(reproduced && also == 0, || {
                let place = format!("frame {name} event {} ({})", draw.event, pass.id);
                if !reproduced {
                    return format!("{place}: the documented combination does not reproduce the record");
                }
                let which: Vec<_> = Pairing::ALL
                    .iter()
                    .zip(&trial.outcomes)
                    .skip(1)
                    .filter(|(_, o)| **o == PairingOutcome::Reproduces)
                    .map(|(pairing, _)| words(*pairing))
                    .collect();
                format!("{place}: reproduced with {} exchanged too", which.join("; "))
            });
        }
    }
    found
}

fn words(pairing: Pairing) -> String {
    let parts =
        [(pairing.streams, "streams"), (pairing.palettes, "palettes"), (pairing.views, "view-projections")];
    parts.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect::<Vec<_>>().join(" and ")
}
