//! Tries the eight pairings of streams, palettes and views on every motion-vector draw with recorded outputs
//! (claim `motion-program`).
//!
//! A draw's eight variants stand side by side in one plan, vertex stage only, which the executor of the run carries out
//! once: the frame's buffers go through their story a single time.

use std::collections::BTreeMap;

use super::RunError;
use super::compare::post_vs_matches;
use crate::abi::state::PassKind;
use crate::capture::LoadedFrame;
use crate::check::{Pairing, PairingOutcome, PairingTrial};
use crate::diff::Rules;
use crate::execute::extent::{Extent, MOST_RECORDS};
use crate::execute::{Executor, Outputs};
use crate::plan::{self, Command, DrawIndex, NotReplayed, Plan, StandIns, Swaps};

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
    let wanted: Vec<DrawIndex> = plan
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
    let variants: Vec<Plan> = Pairing::ALL
        .iter()
        .map(|p| {
            let swaps = Swaps { streams: p.streams, palettes: p.palettes, views: p.views };
            plan::lower(&loaded.frame, stand_ins, swaps)
        })
        .collect();
    let mut trials = Trials::new();
    for some in portions(plan, &wanted) {
        let (abreast, places) = abreast(plan, &variants, &some);
        let outputs = executor.execute(&abreast)?;
        for (index, places) in some.iter().zip(places) {
            let outcomes = outcomes(loaded, stand_ins, &abreast, &places, &outputs, rules);
            if let Some(outcomes) = outcomes {
                let event = plan.draws[index.0].event;
                trials.insert((plan.frame.clone(), *index), PairingTrial { event, outcomes });
            }
        }
    }
    Ok(trials)
}

/// Parts the draws so that eight of each stay well below an executor's limit.
fn portions(plan: &Plan, wanted: &[DrawIndex]) -> Vec<Vec<DrawIndex>> {
    let most = MOST_RECORDS / 2 / Pairing::ALL.len() as u64;
    let mut portions: Vec<Vec<DrawIndex>> = Vec::new();
    let mut room = 0;
    for index in wanted {
        let records = Extent::of(&plan.draws[index.0], &mut MOST_RECORDS.clone())
            .map_or(0, |extent| u64::from(extent.vertices) * u64::from(extent.instances));
        match portions.last_mut() {
            Some(portion) if records <= room => portion.push(*index),
            _ => {
                portions.push(vec![*index]);
                room = most;
            }
        }
        room = room.saturating_sub(records);
    }
    portions
}

/// The plan with all variants of the wanted draws in place of each, and nothing else drawn; with it, for each wanted
/// draw, the places of its variants.
fn abreast(plan: &Plan, variants: &[Plan], wanted: &[DrawIndex]) -> (Plan, Vec<Vec<DrawIndex>>) {
    let mut all = plan.clone();
    all.vertex_stage_only = true;
    for draw in &mut all.draws {
        draw.replay = Err(NotReplayed::NotSelected);
    }
    let mut of: BTreeMap<DrawIndex, Vec<DrawIndex>> = BTreeMap::new();
    for index in wanted {
        for variant in variants {
            of.entry(*index).or_default().push(DrawIndex(all.draws.len()));
            all.draws.push(variant.draws[index.0].clone());
        }
    }
    let stands_for = |command: Command| match command {
        Command::Draw(index) => match of.get(&index) {
            Some(places) => places.iter().copied().map(Command::Draw).collect(),
            None => Vec::new(),
        },
        other => vec![other],
    };
    all.commands = std::mem::take(&mut all.commands).into_iter().flat_map(stands_for).collect();
    let places = wanted.iter().map(|index| of.get(index).cloned().unwrap_or_default()).collect();
    (all, places)
}

/// The outcomes of a draw's variants; `None` where the executor did not carry all of them out.
fn outcomes(
    loaded: &LoadedFrame,
    stand_ins: &StandIns,
    abreast: &Plan,
    places: &[DrawIndex],
    outputs: &Outputs,
    rules: &Rules,
) -> Option<[PairingOutcome; 8]> {
    let produced: Vec<_> = places.iter().map(|place| outputs.post_vs.get(place)).collect::<Option<_>>()?;
    let documented = *produced.first()?;
    let outcome = |(number, (place, produced)): (usize, (&DrawIndex, &&crate::execute::PostVs))| {
        if number > 0 && same_bits(&documented.data, &produced.data) {
            return PairingOutcome::Identical;
        }
        let matches = post_vs_matches(loaded, stand_ins, abreast, *place, produced, rules);
        if matches { PairingOutcome::Reproduces } else { PairingOutcome::Differs }
    };
    let outcomes: Vec<_> = places.iter().zip(&produced).enumerate().map(outcome).collect();
    outcomes.try_into().ok()
}

fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
