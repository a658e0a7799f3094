//! How the motion-vector program pairs streams, palettes and views.

use super::{CheckInput, Claim, ClaimKind, Pairing, PairingOutcome};
use crate::finding::ClaimFindings;

pub(super) const MOTION_PROGRAM: Claim = Claim {
    id: "motion-program",
    statement: "The motion-vector program skins POSITION0 with cbObjMatrix (register 5) and the first view-projection of \
                cbMatrixWVP, POSITION1 with cbPrevObjMatrix (register 6) and the second.",
    source: "FLVER nodes and skinning, \"Skinned vertex streams at run time\" (the DXBC of that program)",
    how: "Every replayed motion-vector draw with recorded outputs is run with this pairing and with the seven others that \
          exchange streams, palettes or views. A draw agrees if this pairing reproduces everything recorded and no other \
          does. Another pairing whose outputs are bit for bit the same has identical inputs: it cannot be told apart.",
    kind: ClaimKind::Replay,
    figures: &[
        ("draws", "executed draws tried"),
        ("documented", "draws that the documented pairing reproduces"),
        ("others_reproduce", "draws that another pairing, with other outputs, reproduces too"),
        ("told_apart", "draws for which all seven others give other outputs"),
        ("cannot_tell", "other pairings, over all draws, whose inputs are identical"),
    ],
    check: Some(motion_program),
};

fn motion_program(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for ((frame, _), trial) in input.pairings.iter().flatten() {
        let [documented, others @ ..] = &trial.outcomes;
        let is = |outcome| move |o: &&PairingOutcome| **o == outcome;
        let reproduces = *documented == PairingOutcome::Reproduces;
        let others_reproduce = others.iter().filter(is(PairingOutcome::Reproduces)).count();
        let cannot_tell = others.iter().filter(is(PairingOutcome::Identical)).count();
        found.add(frame, "draws", 1);
        found.add(frame, "documented", u64::from(reproduces));
        found.add(frame, "others_reproduce", u64::from(others_reproduce > 0));
        found.add(frame, "told_apart", u64::from(cannot_tell == 0));
        found.add(frame, "cannot_tell", cannot_tell as u64);
        found.case(reproduces && others_reproduce == 0, || {
            let also: Vec<_> = Pairing::ALL
                .iter()
                .zip(&trial.outcomes)
                .skip(1)
                .filter(|(_, outcome)| **outcome == PairingOutcome::Reproduces)
                .map(|(pairing, _)| words(*pairing))
                .collect();
            let documented = if reproduces { "reproduces" } else { "does not reproduce" };
            let also = if also.is_empty() {
                "no other does".to_owned()
            } else {
                format!("so does {}", also.join("; "))
            };
            format!(
                "frame {frame} event {}: the documented pairing {documented} the record, {also}",
                trial.event
            )
        });
    }
    found
}

fn words(pairing: Pairing) -> String {
    let named = [(pairing.streams, "streams"), (pairing.palettes, "palettes"), (pairing.views, "views")];
    let exchanged: Vec<_> = named.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect();
    format!("{} exchanged", exchanged.join(", "))
}
