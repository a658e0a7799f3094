//! How much of a set was compared: draws of which a dump of their own, or one of their pass, was compared.

use std::collections::BTreeSet;

use super::RunFrame;
use crate::finding::DumpVerdict;
use crate::report::{Coverage, DumpOwner, DumpReport};

/// Counts draws and programs. Programs are told apart by name, since their numbers are a frame's own.
pub(super) fn coverage(frames: &[RunFrame], dumps: &[DumpReport]) -> Coverage {
    let mut compared_draws: BTreeSet<(&str, u64, u32)> = BTreeSet::new();
    let mut compared_passes: BTreeSet<(&str, &str)> = BTreeSet::new();
    for dump in dumps.iter().filter(|d| d.verdict != DumpVerdict::NotCompared) {
        match &dump.owner {
            DumpOwner::Draw { event, execution } => {
                compared_draws.insert((&dump.frame, *event, *execution));
            }
            DumpOwner::Pass(pass) => {
                compared_passes.insert((&dump.frame, pass));
            }
            DumpOwner::Buffer(..) => {}
        }
    }
    let mut coverage = Coverage::default();
    let (mut programs, mut programs_compared) = (BTreeSet::new(), BTreeSet::new());
    for RunFrame { plan, .. } in frames {
        for draw in &plan.draws {
            let own = (plan.frame.as_str(), draw.event.0, plan.instance_of(draw).ordinal);
            let pass = (plan.frame.as_str(), plan.pass_of(draw).id.0.as_str());
            coverage.draws += 1;
            programs.insert(draw.program_name.as_str());
            if compared_draws.contains(&own) || compared_passes.contains(&pass) {
                coverage.compared += 1;
                programs_compared.insert(draw.program_name.as_str());
            }
        }
    }
    coverage.programs = programs.len() as u64;
    coverage.programs_compared = programs_compared.len() as u64;
    coverage
}

impl Coverage {
    /// Compared draws in percent; 0 where there is none.
    pub fn percent(&self) -> f64 {
        if self.draws == 0 { 0.0 } else { 100.0 * self.compared as f64 / self.draws as f64 }
    }
}
