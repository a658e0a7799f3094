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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn claim(id: &str) -> &'static Claim {
        CLAIMS.iter().find(|c| c.id == id).unwrap()
    }

    fn expect(claim: &str, frame: Option<&str>, figures: &[(&str, Expected)]) -> Expectation {
        let figures =
            figures.iter().map(|(name, e)| (name.to_string(), e.clone())).collect::<BTreeMap<_, _>>();
        Expectation { claim: claim.into(), frame: frame.map(Into::into), figures }
    }

    /// 3 draws, of which 2 agree, in two frames.
    fn findings() -> ClaimFindings {
        let mut found = ClaimFindings::default();
        for (frame, n) in [("1", 1), ("2", 2)] {
            found.add(frame, "draws", n);
        }
        for agrees in [true, true, false] {
            found.case(agrees, String::new);
        }
        found
    }

    #[test]
    fn figures_are_held_against_expectations() {
        let nan = f64::NAN;
        let rows = [
            (Figure::Count(282), Expected::Number(282.0), true),
            (Figure::Count(281), Expected::Number(282.0), false),
            (Figure::Count(282), Expected::Number(282.1), false),
            (Figure::Count(3), Expected::Range([3.0, 4.0]), true),
            (Figure::Count(5), Expected::Range([3.0, 4.0]), false),
            (Figure::Number(0.1 + 0.2), Expected::Number(0.3), true),
            (Figure::Number(0.300_001), Expected::Number(0.3), false),
            (Figure::Number(0.45), Expected::Range([0.45, 0.59]), true),
            (Figure::Number(0.449_999), Expected::Range([0.45, 0.59]), false),
            (Figure::Number(0.0), Expected::Number(0.0), true),
            (Figure::Number(nan), Expected::Number(nan), false),
            (Figure::Number(nan), Expected::Range([0.0, 1.0]), false),
            (Figure::Number(f64::INFINITY), Expected::Range([0.0, 1.0]), false),
            (Figure::Text("1/5".into()), Expected::Text("1/5".into()), true),
            (Figure::Text("1/5".into()), Expected::Text("1/1".into()), false),
            (Figure::Text("5".into()), Expected::Number(5.0), false),
            (Figure::Count(5), Expected::Text("5".into()), false),
        ];
        for (found, expected, met) in rows {
            assert_eq!(meets(&found, &expected), met, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn verdicts_follow_the_expectations() {
        let draws = |frame, n: f64| expect("pair-slot", frame, &[("draws", Expected::Number(n))]);
        let rows = [
            (vec![], ClaimVerdict::Observed),
            (vec![draws(None, 3.0)], ClaimVerdict::Holds),
            (vec![draws(None, 4.0)], ClaimVerdict::Fails),
            (vec![draws(Some("2"), 2.0), draws(None, 3.0)], ClaimVerdict::Holds),
            (vec![draws(Some("2"), 3.0), draws(None, 3.0)], ClaimVerdict::Fails),
            (vec![draws(Some("3"), 0.0)], ClaimVerdict::Fails),
            (vec![expect("pair-slot", None, &[("unwritten", Expected::Number(0.0))])], ClaimVerdict::Fails),
            (vec![expect("pair-slot", None, &[])], ClaimVerdict::Fails),
        ];
        for (expectations, verdict) in rows {
            let expectations: Vec<_> = expectations.iter().collect();
            let (found, words) = judge(claim("pair-slot"), &findings(), &expectations).unwrap();
            assert_eq!(found, verdict, "{words:?}");
        }
        let failed = draws(Some("2"), 3.0);
        let (_, words) = judge(claim("pair-slot"), &findings(), &[&failed]).unwrap();
        assert_eq!(words, [("frame 2: draws: expected 3, found 2".to_owned(), false)]);
    }

    #[test]
    fn without_cases_nothing_is_met() {
        let none = ClaimFindings::default();
        let expected = expect("pair-slot", None, &[("draws", Expected::Number(0.0))]);
        let (verdict, words) = judge(claim("pair-slot"), &none, &[&expected]).unwrap();
        assert_eq!((verdict, words[0].1), (ClaimVerdict::NothingToCheck, false));
        assert_eq!(judge(claim("pair-slot"), &none, &[]).unwrap().0, ClaimVerdict::NothingToCheck);
    }

    #[test]
    fn what_is_not_established_stays_so() {
        let verdict = |id, found: &ClaimFindings| judge(claim(id), found, &[]).unwrap().0;
        assert_eq!(verdict("grass-motion", &ClaimFindings::default()), ClaimVerdict::NotEstablished);
        assert_eq!(verdict("pair-role-alternates", &ClaimFindings::default()), ClaimVerdict::NotEstablished);
        assert_eq!(verdict("pair-role-alternates", &findings()), ClaimVerdict::Observed);
        let expected = expect("pair-role-alternates", None, &[("steps", Expected::Number(28.0))]);
        let judged = judge(claim("pair-role-alternates"), &ClaimFindings::default(), &[&expected]).unwrap();
        assert_eq!(judged.0, ClaimVerdict::NothingToCheck);
    }

    #[test]
    fn an_expectation_of_what_is_not_there_is_refused() {
        let frames = ["0001".to_owned()];
        let rows = [
            (expect("pair-slots", None, &[]), "found claim `pair-slots`; expected one of pair-written, "),
            (expect("pair-slot", Some("0002"), &[]), "found frame `0002`; expected one of 0001"),
            (
                expect("pair-slot", None, &[("drws", Expected::Number(1.0))]),
                "of claim `pair-slot`: found figure `drws`; expected one of draws, position1_written",
            ),
            (
                expect("grass-motion", None, &[("draws", Expected::Number(1.0))]),
                "expected one of none: the claim has no figures",
            ),
        ];
        for (expectation, part) in rows {
            let error = known(&[expectation], &frames).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let good = expect("pair-slot", Some("0001"), &[("draws", Expected::Number(1.0))]);
        assert_eq!(known(&[good], &frames), Ok(()));
        let wrong = expect("pair-slot", None, &[("drws", Expected::Number(1.0))]);
        assert!(judge(claim("pair-slot"), &findings(), &[&wrong]).is_err());
    }
}
