//! The claims of the documents about frames, one file per group, and their registry.
//!
//! In: what planning knows of the frames ([`CheckFrame`]) and, for claims that only execution can show, comparisons
//! handed in ([`PairingTrial`]). Out: [`ClaimFindings`] by claim id. Pure: no file, no device.

mod bound;
mod cloth;
#[cfg(test)]
mod elden_ring_tests;
mod evidence;
mod files;
mod forces;
mod grass;
mod instances;
mod judge;
mod late;
mod motion;
mod newest;
#[cfg(test)]
mod pair_tests;
mod pairs;
mod palette;
mod placement;
pub mod registry;
mod slots;
mod streams;
#[cfg(test)]
mod tiny;
#[cfg(test)]
mod tiny_pairs;

use std::collections::BTreeMap;

pub use evidence::Evidence;
pub use judge::{CheckError, judge, known};
pub use registry::{CLAIMS, Claim, ClaimKind};

use crate::abi::EventId;
use crate::capture::Frame;
use crate::finding::ClaimFindings;
use crate::plan::{DrawIndex, Plan};

/// A frame as checks see it.
#[derive(Clone, Copy)]
pub struct CheckFrame<'a> {
    /// Tables and lists, without dumps.
    pub frame: &'a Frame,
    /// The resolved draws.
    pub plan: &'a Plan,
}

/// Everything a check may look at.
pub struct CheckInput<'a> {
    /// The frames, in order.
    pub frames: Vec<CheckFrame<'a>>,
    /// Whether the frames are known to follow one another.
    pub consecutive: bool,
    /// For every frame (by name) and motion-vector draw with recorded outputs, what each pairing gave; `None` where
    /// nothing was executed.
    pub pairings: Option<BTreeMap<(String, DrawIndex), PairingTrial>>,
}

/// Which of the two of everything a motion-vector draw pairs; all `false` is the documented pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pairing {
    /// POSITION0 and POSITION1 change places.
    pub streams: bool,
    /// cbObjMatrix and cbPrevObjMatrix change places.
    pub palettes: bool,
    /// The two view-projections change places.
    pub views: bool,
}

impl Pairing {
    /// The documented pairing, then the seven others.
    pub const ALL: [Self; 8] = {
        let mut all = [Self { streams: false, palettes: false, views: false }; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Self { streams: i & 1 != 0, palettes: i & 2 != 0, views: i & 4 != 0 };
            i += 1;
        }
        all
    };
}

/// What a pairing gave for one draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingOutcome {
    /// Every recorded output is reproduced under the set's rules.
    Reproduces,
    /// Some recorded output is not.
    Differs,
    /// The outputs are bit for bit those of the documented pairing: its inputs are identical.
    Identical,
}

/// The eight pairings of one motion-vector draw, in the order of [`Pairing::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct PairingTrial {
    /// The draw command.
    pub event: EventId,
    /// Outcomes.
    pub outcomes: [PairingOutcome; 8],
}

/// Runs every check; findings by claim id.
pub fn run(input: &CheckInput<'_>) -> BTreeMap<&'static str, ClaimFindings> {
    let evidence = Evidence::of(input);
    let mut findings: BTreeMap<_, _> =
        CLAIMS.iter().filter_map(|claim| Some((claim.id, (claim.check?)(&evidence)))).collect();
    late::count_left_out(&mut findings);
    findings
}
