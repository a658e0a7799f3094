//! Runs the checks and holds their figures against what the set expects.

use super::pairing::Trials;
use super::{RunError, RunFrame};
use crate::capture::CaptureSet;
use crate::capture::manifest::{CaptureFile, Expectation};
use crate::check::{self, CheckFrame, CheckInput, Claim, ClaimKind};
use crate::finding::{ClaimFindings, ClaimVerdict};
use crate::report::ClaimReport;

/// Whether every expectation names a claim and a frame that exist.
///
/// # Errors
/// One does not.
pub(super) fn known(manifest: &CaptureFile, frames: &[String]) -> Result<(), RunError> {
    Ok(check::known(&manifest.expectations, frames)?)
}

/// Every claim with its verdict. Without `trials` those that only execution can show are not judged; with `judge` false
/// none is.
///
/// # Errors
/// An expectation names a figure that its claim has not.
pub(super) fn judged(
    set: &CaptureSet,
    frames: &[RunFrame],
    trials: Option<Trials>,
    judge: bool,
) -> Result<Vec<ClaimReport>, RunError> {
    let executed = trials.is_some();
    let input = CheckInput {
        frames: frames.iter().map(|f| CheckFrame { frame: &f.loaded.frame, plan: &f.plan }).collect(),
        consecutive: set.manifest().consecutive,
        pairings: trials,
    };
    let mut findings = check::run(&input);
    check::CLAIMS
        .iter()
        .map(|claim| {
            let found = findings.remove(claim.id).unwrap_or_default();
            let expectations: Vec<&Expectation> =
                set.manifest().expectations.iter().filter(|e| judge && e.claim == claim.id).collect();
            report(claim, found, &expectations, executed)
        })
        .collect()
}

fn report(
    claim: &Claim,
    findings: ClaimFindings,
    expectations: &[&Expectation],
    executed: bool,
) -> Result<ClaimReport, RunError> {
    let (verdict, expected) = if claim.kind == ClaimKind::Replay && !executed {
        (ClaimVerdict::NeedsExecution, Vec::new())
    } else {
        check::judge(claim, &findings, expectations)?
    };
    Ok(ClaimReport { id: claim.id.into(), statement: claim.statement.into(), verdict, findings, expected })
}
