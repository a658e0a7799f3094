//! Recorded commands -> [`Plan`].

use super::{Plan, StandIns};
use crate::capture::Frame;

/// What an analyst exchanges to try a hypothesis; all `false` is the documented pairing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Swaps {
    /// POSITION0 and POSITION1.
    pub streams: bool,
    /// cbObjMatrix and cbPrevObjMatrix.
    pub palettes: bool,
    /// The two view-projections of cbMatrixWVP.
    pub views: bool,
}

/// Resolves a checked frame.
pub fn lower(frame: &Frame, stand_ins: &StandIns, swaps: Swaps) -> Plan {
    let _ = (frame, stand_ins, swaps);
    todo!()
}
