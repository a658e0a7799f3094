//! The table of draws, and how one of them is found by what a reader calls it.

use std::collections::BTreeMap;

use super::topology_name;
use crate::abi::ListId;
use crate::finding::DumpVerdict;
use crate::plan::{DrawIndex, ListInstance, Plan};
use crate::report::draws::DrawRow;
use crate::report::{DumpOwner, Report};

/// A row for every executed draw of the plans, in order, with what `report` says of it.
pub fn rows<'a>(plans: impl IntoIterator<Item = &'a Plan>, report: &Report) -> Vec<DrawRow> {
    let mut verdicts = BTreeMap::new();
    for dump in &report.dumps {
        if let DumpOwner::Draw { event, execution, .. } = &dump.owner {
            verdicts.insert((dump.frame.as_str(), *event, *execution), (dump.verdict, dump.different));
        }
    }
    let not_replayed: BTreeMap<(&str, u64), &str> = report
        .frames
        .iter()
        .flat_map(|f| f.not_replayed.iter().map(|(event, why)| ((f.name.as_str(), *event), why.as_str())))
        .collect();
    let row = |plan: &Plan, draw: &crate::plan::Draw| {
        let instance = plan.instance_of(draw);
        let key = (plan.frame.as_str(), draw.event.0, instance.ordinal);
        let (verdict, different) = verdicts.get(&key).copied().unwrap_or((DumpVerdict::NotCompared, 0));
        let planned = draw.replay.as_ref().err().map(ToString::to_string);
        // What the executor could not carry out is only in the report.
        let reported = || not_replayed.get(&(plan.frame.as_str(), draw.event.0)).map(|why| (*why).to_owned());
        let reason = planned.or_else(reported).unwrap_or_default();
        DrawRow {
            frame: plan.frame.clone(),
            event: draw.event.0,
            list: list_name(instance),
            execution: instance.ordinal + 1,
            pass: plan.pass_of(draw).id.0.clone(),
            program: draw.program_name.clone(),
            mesh: draw.mesh.as_ref().map(ToString::to_string).unwrap_or_default(),
            topology: topology_name(draw.topology),
            count: draw.count.into(),
            instances: draw.instance_count.into(),
            shader: match &draw.replay {
                Ok(binding) if reason.is_empty() => binding.shader.clone(),
                _ => String::new(),
            },
            reason,
            verdict,
            different,
        }
    };
    plans.into_iter().flat_map(|plan| plan.draws.iter().map(move |draw| row(plan, draw))).collect()
}

/// A list in a column: `immediate`, or its number and name.
fn list_name(instance: &ListInstance) -> String {
    match &instance.name {
        _ if instance.list == ListId::IMMEDIATE => "immediate".into(),
        Some(name) => format!("{} {name}", instance.list),
        None => instance.list.to_string(),
    }
}

/// A draw among the plans of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The place of its plan.
    pub frame: usize,
    /// Its first execution there.
    pub draw: DrawIndex,
}

/// Why a draw was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookUpError {
    /// No frame has it.
    #[error("no frame looked at ({frames}) has a draw with event {event}")]
    None {
        /// The event asked for.
        event: u64,
        /// Frames, joined.
        frames: String,
    },
    /// Several frames have it.
    #[error("event {event} is a draw of the frames {frames}; say which with --frame, or as FRAME:{event}")]
    Several {
        /// The event asked for.
        event: u64,
        /// Frames, joined.
        frames: String,
    },
}

/// The draw of that event: events are unique in a frame only, so that several frames may have it.
///
/// # Errors
/// No frame has it, or several do.
pub fn find<'a>(plans: impl IntoIterator<Item = &'a Plan>, event: u64) -> Result<Found, LookUpError> {
    let mut looked_at = Vec::new();
    let mut found = Vec::new();
    for (frame, plan) in plans.into_iter().enumerate() {
        looked_at.push(plan.frame.as_str());
        if let Some((draw, _)) = plan.draws().find(|(_, draw)| draw.event.0 == event) {
            found.push((plan.frame.as_str(), Found { frame, draw }));
        }
    }
    match found.as_slice() {
        [] => Err(LookUpError::None { event, frames: looked_at.join(", ") }),
        [(_, only)] => Ok(*only),
        several => {
            let frames: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            Err(LookUpError::Several { event, frames: frames.join(", ") })
        }
    }
}
