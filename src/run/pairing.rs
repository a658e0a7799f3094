//! Tries the eight pairings of streams, palettes and views on every motion-vector draw with recorded outputs
//! (claim `motion-program`).
//!
//! Each pairing is a plan of its own, vertex stage only, carried out by the executor of the run.

use std::collections::{BTreeMap, BTreeSet};

use super::RunError;
use super::compare::post_vs_matches;
use crate::abi::state::PassKind;
use crate::capture::LoadedFrame;
use crate::check::{Pairing, PairingOutcome, PairingTrial};
use crate::diff::Rules;
use crate::execute::{Executor, Outputs};
use crate::plan::{self, DrawIndex, NotReplayed, Plan, StandIns, Swaps};

/// Trials by frame and draw.
pub(super) type Trials = BTreeMap<(String, DrawIndex), PairingTrial>;

/// Tries all pairings on the frame's motion-vector draws. `plan` is the documented one; draws it does not replay, or
/// without recorded outputs, are left out.
///
/// # Errors
/// The executor could not do the work.
pub(super) fn try_pairings(
    loaded: &LoadedFrame,
    stand_ins: &StandIns,
    plan: &Plan,
    rules: &Rules,
    executor: &mut dyn Executor,
) -> Result<Trials, RunError> {
    let wanted: BTreeSet<DrawIndex> = plan
        .draws()
        .filter(|(_, draw)| {
            plan.pass_of(draw).kind == PassKind::MotionVector
                && draw.replay.is_ok()
                && loaded.dumps.post_vs.contains_key(&draw.event)
        })
        .map(|(index, _)| index)
        .collect();
    if wanted.is_empty() {
        return Ok(Trials::new());
    }
    let mut outcomes: BTreeMap<DrawIndex, Vec<PairingOutcome>> = BTreeMap::new();
    let mut documented: Option<Outputs> = None;
    for pairing in Pairing::ALL {
        let swaps = Swaps { streams: pairing.streams, palettes: pairing.palettes, views: pairing.views };
        let mut variant = plan::lower(&loaded.frame, stand_ins, swaps);
        variant.vertex_stage_only = true;
        for (index, draw) in variant.draws.iter_mut().enumerate() {
            if !wanted.contains(&DrawIndex(index)) {
                draw.replay = Err(NotReplayed::NotSelected);
            }
        }
        let outputs = executor.execute(&variant)?;
        for index in &wanted {
            let outcome = outcome(loaded, stand_ins, &variant, *index, &outputs, documented.as_ref(), rules);
            outcomes.entry(*index).or_default().push(outcome);
        }
        documented.get_or_insert(outputs);
    }
    let trial = |(index, outcomes): (DrawIndex, Vec<PairingOutcome>)| {
        let event = plan.draws[index.0].event;
        let outcomes = <[PairingOutcome; 8]>::try_from(outcomes).ok()?;
        Some(((plan.frame.clone(), index), PairingTrial { event, outcomes }))
    };
    Ok(outcomes.into_iter().filter_map(trial).collect())
}

fn outcome(
    loaded: &LoadedFrame,
    stand_ins: &StandIns,
    variant: &Plan,
    index: DrawIndex,
    outputs: &Outputs,
    documented: Option<&Outputs>,
    rules: &Rules,
) -> PairingOutcome {
    let Some(produced) = outputs.post_vs.get(&index) else { return PairingOutcome::Differs };
    if let Some(first) = documented.and_then(|d| d.post_vs.get(&index))
        && same_bits(&first.data, &produced.data)
    {
        return PairingOutcome::Identical;
    }
    let matches = post_vs_matches(loaded, stand_ins, variant, index, produced, rules);
    if matches { PairingOutcome::Reproduces } else { PairingOutcome::Differs }
}

fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
