//! The claims this tool knows: what each says, where it stands, how it is checked, and the names of its figures.

use super::{
    Evidence, cloth, files, forces, grass, instances, late, motion, newest, palette, placement, slots,
};
use crate::finding::ClaimFindings;

/// Where a claim can be settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// From the commands and bytes of a frame.
    Capture,
    /// Only by executing draws and comparing with the record.
    Replay,
    /// The documents do not establish it.
    Unknown,
}

/// A claim of the documents.
pub struct Claim {
    /// Its id.
    pub id: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// The document and section it stands in.
    pub source: &'static str,
    /// How this tool checks it.
    pub how: &'static str,
    /// Where it can be settled.
    pub kind: ClaimKind,
    /// Figure names, each with what it counts or measures and in which unit.
    pub figures: &'static [(&'static str, &'static str)],
    /// The check; `None` where nothing checks it yet or the documents do not establish it.
    pub check: Option<Check>,
}

/// A check of one claim: what all frames together show.
pub type Check = fn(&Evidence<'_>) -> ClaimFindings;

/// Every claim about frames.
pub const CLAIMS: &[Claim] = &[
    slots::PAIR_WRITTEN,
    slots::PAIR_SLOT,
    slots::PAIR_SLOT_BY_LIST,
    newest::PAIR_NEWEST,
    newest::PAIR_DELTA,
    files::OBJECT_SINGLE,
    files::FILE_STREAMS,
    files::STREAM_COPY,
    late::LATE_CONTENTS,
    motion::MOTION_PROGRAM,
    slots::PAIR_ROLE_ALTERNATES,
    cloth::CLOTH_SLOT,
    cloth::CLOTH_DELTA,
    palette::PALETTE_EXTENT,
    palette::AFFINE_RECORD,
    instances::INSTANCE_RECORD,
    grass::GRASS_DRAWS,
    grass::GRASS_BATCHES,
    placement::GRASS_PLACEMENT,
    grass::GRASS_FORCE_INDEX,
    forces::FORCE_RECORD,
    forces::FORCE_CENSUS,
    forces::FORCE_CLOCK,
    forces::FORCE_SHARED_WORD,
    forces::FORCE_NEAR_EYE,
    FORCE_INDEX_MEANING,
    GRASS_MOTION,
    GRASS_ROW_OF_CLUMP,
    grass::GRASS_PLACED,
    instances::INSTANCE_INDEX_IDENTITY,
    GRASS_NEAR,
];

/// A claim that the documents leave open.
const fn open(id: &'static str, statement: &'static str, source: &'static str, how: &'static str) -> Claim {
    Claim { id, statement, source, how, kind: ClaimKind::Unknown, figures: &[], check: None }
}

const FORCE_INDEX_MEANING: Claim = open(
    "force-index-meaning",
    "That forceIndex is a start into g_InstanceIndexBuffer which names records of g_forceParam is a reading of the names.",
    "Grass definitions and pivots, \"How grass moves\"",
    "Nothing checks it: at the frame's start the index buffer is an identity table and does not show it.",
);

const GRASS_MOTION: Claim = open(
    "grass-motion",
    "How a program turns the force words into a blade's motion is not known.",
    "Grass definitions and pivots, \"How grass moves\"",
    "Nothing checks it: the stand-in for far grass applies world matrix and fade, and invents no motion.",
);

const GRASS_ROW_OF_CLUMP: Claim = open(
    "grass-row-of-clump",
    "Which GrassTypeParam row, or which vertex density, made a clump is not known.",
    "Grass definitions and pivots, \"Grass in the running game\"",
    "Nothing checks it: it needs the part's configuration, its .grass file and a frame in which both are loaded.",
);

const GRASS_NEAR: Claim = open(
    "grass-near",
    "How near grass (the placed models) moves, the rule and seed of placement, and that the order of rows is that of the \
     densities are not known.",
    "Grass definitions and pivots, \"How grass moves\"",
    "Nothing checks it.",
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_claim_can_be_looked_up_and_read() {
        let ids: BTreeSet<_> = CLAIMS.iter().map(|c| c.id).collect();
        assert_eq!(ids.len(), CLAIMS.len(), "an id is there twice");
        for claim in CLAIMS {
            assert!(claim.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", claim.id);
            assert!([claim.statement, claim.source, claim.how].iter().all(|t| !t.is_empty()), "{}", claim.id);
            let names: BTreeSet<_> = claim.figures.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), claim.figures.len(), "a figure of {} is there twice", claim.id);
        }
    }

    #[test]
    fn what_is_not_established_is_not_checked_but_for_what_some_sets_can_settle() {
        for claim in CLAIMS {
            let checkable = claim.kind != ClaimKind::Unknown || claim.id == "pair-role-alternates";
            assert_eq!(claim.check.is_some(), checkable, "{}", claim.id);
            assert_eq!(claim.figures.is_empty(), !checkable, "{}", claim.id);
        }
    }
}
