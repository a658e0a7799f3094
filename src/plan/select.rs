//! Narrows a plan to the draws an analyst asked for.

use std::collections::BTreeSet;

use super::{NotReplayed, Plan};
use crate::abi::{EventId, PassId};

/// Which draws to replay. An empty set selects all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Passes.
    pub passes: BTreeSet<PassId>,
    /// Draw commands of the frame.
    pub events: BTreeSet<EventId>,
}

/// Marks every draw outside the selection as not replayed. Its inputs stay resolved; the buffers' story is unchanged.
pub fn select(plan: &mut Plan, selection: &Selection) {
    for draw in &mut plan.draws {
        let pass = &plan.passes[draw.pass.0].id;
        let wanted = (selection.passes.is_empty() || selection.passes.contains(pass))
            && (selection.events.is_empty() || selection.events.contains(&draw.event));
        if !wanted {
            draw.replay = Err(NotReplayed::NotSelected);
        }
    }
}
