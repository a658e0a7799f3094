//! Holds findings against what a set expects of them.
//!
//! In: a claim, its findings, the `[[expect]]` tables that name it. Out: a verdict, and every expectation in words with
//! whether it is met. A set that expects what does not exist is an error, found before any work is done ([`known`]).

use super::registry::{CLAIMS, Claim, ClaimKind};
use crate::capture::manifest::{Expectation, Expected};
use crate::finding::{ClaimFindings, ClaimVerdict, Figure};

/// A plain number and a measured one count as equal up to this share of the greater: the digits a report prints and a
/// person copies. Counts are compared exactly.
const RELATIVE: f64 = 1e-9;

/// An expectation that names what is not there. The text fits behind a file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// No claim has that id.
    #[error("[[expect]]: found claim `{claim}`; expected one of {known}")]
    UnknownClaim {
        /// As given.
        claim: String,
        /// What there is.
        known: String,
    },
    /// The set has no frame of that name.
    #[error("[[expect]] of claim `{claim}`: found frame `{frame}`; expected one of {known}")]
    UnknownFrame {
        /// The claim.
        claim: String,
        /// As given.
        frame: String,
        /// What there is.
        known: String,
    },
    /// The claim has no figure of that name.
    #[error("[[expect]] of claim `{claim}`: found figure `{figure}`; expected one of {known}")]
    UnknownFigure {
        /// The claim.
        claim: String,
        /// As given.
        figure: String,
        /// What there is.
        known: String,
    },
}

/// Whether every expectation names a claim, figures of that claim, and a frame of the set.
///
/// # Errors
/// The first that does not.
pub fn known(expectations: &[Expectation], frames: &[String]) -> Result<(), CheckError> {
    for expectation in expectations {
        let Some(claim) = CLAIMS.iter().find(|c| c.id == expectation.claim) else {
            let ids: Vec<_> = CLAIMS.iter().map(|c| c.id).collect();
            return Err(CheckError::UnknownClaim { claim: expectation.claim.clone(), known: ids.join(", ") });
        };
        if let Some(frame) = expectation.frame.as_ref().filter(|f| !frames.contains(f)) {
            return Err(CheckError::UnknownFrame {
                claim: claim.id.into(),
                frame: frame.clone(),
                known: frames.join(", "),
            });
        }
        known_figures(claim, expectation)?;
    }
    Ok(())
}

fn known_figures(claim: &Claim, expectation: &Expectation) -> Result<(), CheckError> {
    let unknown = expectation.figures.keys().find(|name| claim.figures.iter().all(|(f, _)| f != name));
    let Some(figure) = unknown else { return Ok(()) };
    let names: Vec<_> = claim.figures.iter().map(|(name, _)| *name).collect();
    let known = if names.is_empty() { "none: the claim has no figures".into() } else { names.join(", ") };
    Err(CheckError::UnknownFigure { claim: claim.id.into(), figure: figure.clone(), known })
}

/// The verdict on a claim, and each expected figure in words with whether it came out.
///
/// - An expectation without figures asks that every case agrees.
/// - A figure that the findings lack, of all frames or of the one named, is not met.
/// - With expectations but without a case there is nothing to check, and nothing is met.
/// - A claim that the documents do not establish stays so, unless a check finds cases in this set
///   (`pair-role-alternates` in consecutive frames).
///
/// # Errors
/// An expectation names a figure that the claim has not.
pub fn judge(
    claim: &Claim,
    findings: &ClaimFindings,
    expectations: &[&Expectation],
) -> Result<(ClaimVerdict, Vec<(String, bool)>), CheckError> {
    expectations.iter().try_for_each(|e| known_figures(claim, e))?;
    let nothing = findings.counted == 0;
    if claim.kind == ClaimKind::Unknown && (claim.check.is_none() || nothing && expectations.is_empty()) {
        return Ok((ClaimVerdict::NotEstablished, Vec::new()));
    }
    let words: Vec<_> = expectations.iter().flat_map(|e| expected(findings, e)).collect();
    if nothing {
        let words = words.into_iter().map(|(text, _)| (text, false)).collect();
        return Ok((ClaimVerdict::NothingToCheck, words));
    }
    let verdict = match (expectations.is_empty(), words.iter().all(|(_, met)| *met)) {
        (true, _) => ClaimVerdict::Observed,
        (false, true) => ClaimVerdict::Holds,
        (false, false) => ClaimVerdict::Fails,
    };
    Ok((verdict, words))
}

fn expected(findings: &ClaimFindings, expectation: &Expectation) -> Vec<(String, bool)> {
    let place = expectation.frame.as_ref().map_or(String::new(), |frame| format!("frame {frame}: "));
    if expectation.figures.is_empty() {
        let text = format!("every case agrees: {} of {} do", findings.agree, findings.counted);
        return vec![(text, findings.agree == findings.counted)];
    }
    let figures = match &expectation.frame {
        Some(frame) => findings.by_frame.get(frame),
        None => Some(&findings.figures),
    };
    let words = |(name, expected): (&String, &Expected)| {
        let found = figures.and_then(|f| f.get(name));
        let met = found.is_some_and(|found| meets(found, expected));
        let found = found.map_or_else(|| "nothing".into(), Figure::to_string);
        (format!("{place}{name}: expected {expected}, found {found}"), met)
    };
    expectation.figures.iter().map(words).collect()
}

/// Whether a figure is what was expected. A count is compared exactly, a measured number with a plain one within
/// [`RELATIVE`]; the ends of a range belong to it. A NaN meets nothing.
fn meets(found: &Figure, expected: &Expected) -> bool {
    match (found, expected) {
        (Figure::Count(n), Expected::Number(e)) => *n as f64 == *e,
        (Figure::Count(n), Expected::Range([least, greatest])) => (*least..=*greatest).contains(&(*n as f64)),
        (Figure::Number(v), Expected::Number(e)) => (v - e).abs() <= RELATIVE * v.abs().max(e.abs()),
        (Figure::Number(v), Expected::Range([least, greatest])) => (*least..=*greatest).contains(v),
        (Figure::Text(text), Expected::Text(e)) => text == e,
        (Figure::Text(_), Expected::Number(_) | Expected::Range(_))
        | (Figure::Count(_) | Figure::Number(_), Expected::Text(_)) => false,
    }
}
