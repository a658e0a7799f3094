//! The report as JSON, format `replay-report/1`: for programs that read it.
//!
//! Key names and their order are fixed; keys may be added, none is renamed or dropped within `replay-report/1`. JSON
//! has no NaN and no infinity: such numbers are the strings `"NaN"`, `"inf"` and `"-inf"`. What is not there is left
//! out or `null`: `executor` is `null` where nothing was executed. `dumps[].event` stands with `pass`, `mesh` and, from
//! a list's second execution on, `execution`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::{ClaimReport, Coverage, DumpOwner, DumpReport, FrameReport, Report};
use crate::finding::{ClaimVerdict, Difference, DumpVerdict, Figure, Figures, RunVerdict};

/// What a reader asks of the JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonOptions {
    /// Where the time went. Without it equal runs give equal bytes.
    pub timings: bool,
}

/// The whole report, indented, with a line's end.
pub fn render(report: &Report, options: JsonOptions) -> String {
    pretty(&Document::of(report, options))
}

/// A value as indented JSON, with a line's end.
pub(super) fn pretty(value: &impl Serialize) -> String {
    // Strings, numbers and maps by text: nothing here can fail to serialise.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// A number; a string where JSON has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&super::number::plain(self.0))
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    capture: &'a str,
    executor: Option<Executor<'a>>,
    frames: Vec<Frame<'a>>,
    coverage: CoverageCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_coverage: Option<RequiredCoverage>,
    dumps: Vec<Dump<'a>>,
    claims: Vec<Claim<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repeats: Vec<Repeat<'a>>,
    notices: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Vec<Step<'a>>>,
    verdict: RunVerdict,
}

#[derive(Serialize)]
struct Executor<'a> {
    kind: &'a str,
    device: &'a str,
    driver: &'a str,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    draws: u64,
    replayed: u64,
    not_replayed: Vec<NotReplayed<'a>>,
    inputs: Inputs<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

#[derive(Serialize)]
struct NotReplayed<'a> {
    event: u64,
    reason: &'a str,
}

#[derive(Serialize)]
struct Inputs<'a> {
    checked: u64,
    equal: u64,
    different: u64,
    unknown: u64,
    late: u64,
    /// Where observations disagree.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    differences: &'a [String],
}

#[derive(Serialize)]
struct CoverageCounts {
    draws: u64,
    compared: u64,
    programs: u64,
    programs_compared: u64,
}

#[derive(Serialize)]
struct RequiredCoverage {
    percent: Number,
    reached: bool,
}

#[derive(Serialize)]
struct Dump<'a> {
    frame: &'a str,
    #[serde(flatten)]
    owner: Owner<'a>,
    name: &'a str,
    verdict: DumpVerdict,
    reason: Option<&'a str>,
    rule: &'a str,
    compared: u64,
    equal: u64,
    /// Elements by what admitted them.
    tolerated: &'a BTreeMap<String, u64>,
    different: u64,
    nonfinite_one_side: u64,
    left_out: &'a BTreeMap<String, u64>,
    max_abs: Number,
    max_rel: Number,
    max_ulp: u64,
    worst: Vec<Place<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Owner<'a> {
    Draw {
        event: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        execution: Option<u32>,
        pass: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<&'a str>,
    },
    Pass {
        pass: &'a str,
    },
    Buffer {
        buffer: u64,
        buffer_name: &'a str,
    },
}

/// A place and both its values.
#[derive(Serialize)]
pub(super) struct Place<'a> {
    place: &'a str,
    recorded: Number,
    replayed: Number,
    abs: Number,
    rel: Number,
    ulp: Option<u64>,
}

#[derive(Serialize)]
struct Claim<'a> {
    id: &'a str,
    verdict: ClaimVerdict,
    counted: u64,
    agree: u64,
    left_out: &'a BTreeMap<String, u64>,
    figures: BTreeMap<&'a str, Value<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    figures_by_frame: BTreeMap<&'a str, BTreeMap<&'a str, Value<'a>>>,
    expected: Vec<Expected<'a>>,
    counterexamples: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
struct Expected<'a> {
    figure: &'a str,
    holds: bool,
}

/// A figure of a claim.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Count(u64),
    Number(Number),
    Text(&'a str),
}

#[derive(Serialize)]
struct Repeat<'a> {
    hash: &'a str,
    times: u32,
}

#[derive(Serialize)]
struct Step<'a> {
    step: &'a str,
    seconds: Number,
}

impl<'a> Document<'a> {
    fn of(report: &'a Report, options: JsonOptions) -> Self {
        let Coverage { draws, compared, programs, programs_compared } = report.coverage;
        let repeated = report.repeats.iter().map(|(_, times)| times).sum::<u32>() > 1;
        let timings = || report.timings.iter().map(|(step, s)| Step { step, seconds: Number(*s) }).collect();
        Self {
            format: "replay-report/1",
            capture: &report.capture,
            executor: report.executor.as_ref().map(|e| Executor {
                kind: &e.kind,
                device: &e.device,
                driver: &e.driver,
            }),
            frames: report.frames.iter().map(Frame::of).collect(),
            coverage: CoverageCounts { draws, compared, programs, programs_compared },
            required_coverage: report
                .required_coverage
                .map(|(percent, reached)| RequiredCoverage { percent: Number(percent), reached }),
            dumps: report.dumps.iter().map(Dump::of).collect(),
            claims: report.claims.iter().map(Claim::of).collect(),
            repeats: report
                .repeats
                .iter()
                .filter(|_| repeated)
                .map(|(hash, times)| Repeat { hash, times: *times })
                .collect(),
            notices: &report.notices,
            timings: options.timings.then(timings),
            verdict: report.verdict,
        }
    }
}

impl<'a> Frame<'a> {
    fn of(frame: &'a FrameReport) -> Self {
        let inputs = &frame.inputs;
        Self {
            name: &frame.name,
            draws: frame.draws,
            replayed: frame.replayed,
            not_replayed: frame
                .not_replayed
                .iter()
                .map(|(event, reason)| NotReplayed { event: *event, reason })
                .collect(),
            inputs: Inputs {
                checked: inputs.checked,
                equal: inputs.equal,
                different: inputs.different.len() as u64,
                unknown: inputs.unknown,
                late: inputs.late,
                differences: &inputs.different,
            },
            warnings: &frame.warnings,
        }
    }
}

impl<'a> Dump<'a> {
    fn of(dump: &'a DumpReport) -> Self {
        Self {
            frame: &dump.frame,
            owner: Owner::of(&dump.owner),
            name: &dump.name,
            verdict: dump.verdict,
            reason: dump.reason.as_deref(),
            rule: &dump.rule,
            compared: dump.compared,
            equal: dump.equal,
            tolerated: &dump.tolerated,
            different: dump.different,
            nonfinite_one_side: dump.nonfinite_one_side,
            left_out: &dump.left_out,
            max_abs: Number(dump.max_abs),
            max_rel: Number(dump.max_rel),
            max_ulp: dump.max_ulp,
            worst: dump.worst.iter().map(Place::of).collect(),
        }
    }
}

impl<'a> Owner<'a> {
    fn of(owner: &'a DumpOwner) -> Self {
        match owner {
            DumpOwner::Draw { event, execution, pass, mesh } => Self::Draw {
                event: *event,
                execution: (*execution > 0).then_some(execution + 1),
                pass,
                mesh: mesh.as_deref(),
            },
            DumpOwner::Pass(pass) => Self::Pass { pass },
            DumpOwner::Buffer(id, name) => Self::Buffer { buffer: *id, buffer_name: name },
        }
    }
}

impl<'a> Place<'a> {
    pub(super) fn of(difference: &'a Difference) -> Self {
        Self {
            place: &difference.place,
            recorded: Number(difference.recorded),
            replayed: Number(difference.replayed),
            abs: Number(difference.abs),
            rel: Number(difference.rel),
            ulp: difference.ulp,
        }
    }
}

impl<'a> Claim<'a> {
    fn of(claim: &'a ClaimReport) -> Self {
        let found = &claim.findings;
        Self {
            id: &claim.id,
            verdict: claim.verdict,
            counted: found.counted,
            agree: found.agree,
            left_out: &found.left_out,
            figures: values(&found.figures),
            figures_by_frame: found.by_frame.iter().map(|(frame, f)| (frame.as_str(), values(f))).collect(),
            expected: claim
                .expected
                .iter()
                .map(|(figure, holds)| Expected { figure, holds: *holds })
                .collect(),
            counterexamples: &found.counterexamples,
            notes: &found.notes,
        }
    }
}

fn values(figures: &Figures) -> BTreeMap<&str, Value<'_>> {
    let value = |figure| match figure {
        &Figure::Count(count) => Value::Count(count),
        &Figure::Number(number) => Value::Number(Number(number)),
        Figure::Text(text) => Value::Text(text),
    };
    figures.iter().map(|(name, figure)| (name.as_str(), value(figure))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::text::samples;
    use super::*;

    #[test]
    fn a_failing_report_is_whole_and_in_order() {
        insta::assert_snapshot!(render(&samples::failing(), JsonOptions::default()));
    }

    #[test]
    fn a_report_without_execution_has_no_executor() {
        let text = render(&samples::nothing_compared(), JsonOptions { timings: true });
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(value["executor"].is_null());
        assert_eq!(value["verdict"], "nothing_compared");
        assert!(value["timings"].is_array());
    }

    #[test]
    fn numbers_that_json_has_not_are_words() {
        let numbers = [1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0].map(Number);
        assert_eq!(serde_json::to_string(&numbers).unwrap(), r#"[1.5,"NaN","inf","-inf",-0.0]"#);
    }
}
