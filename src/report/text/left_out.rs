//! What was left out, with the reasons, so that nothing is passed over in silence.

use std::collections::BTreeMap;

use super::super::Report;
use super::super::number::{counted, first_few, grouped, wrap};
use super::super::style::{HEADING, paint};
use super::kind_name;
use crate::finding::{DumpKind, DumpVerdict};

/// Names shown of what was left out for one reason.
const NAMES: usize = 4;

/// Everything left out, by reason.
pub(super) fn section(report: &Report) -> String {
    let mut lines = Vec::new();
    draws(report, &mut lines);
    dumps(report, &mut lines);
    values(report, &mut lines);
    inputs(report, &mut lines);
    claims(report, &mut lines);
    if lines.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "left out"));
    for line in lines {
        out += &format!("  {}\n", wrap(&line, 2, 4));
    }
    out
}

fn draws(report: &Report, lines: &mut Vec<String>) {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // A run that executes nothing leaves no draw out.
    let executed = report.executor.is_some();
    for frame in report.frames.iter().filter(|_| executed) {
        for (event, reason) in &frame.not_replayed {
            reasons.entry(reason).or_default().push(format!("{}:{event}", frame.name));
        }
    }
    for (reason, events) in reasons {
        let count = counted(events.len() as u64, "draw");
        lines.push(format!("{count} not replayed: {reason} ({})", first_few(&events, NAMES)));
    }
}

fn dumps(report: &Report, lines: &mut Vec<String>) {
    let mut reasons: BTreeMap<(DumpKind, &str), (u64, Vec<String>)> = BTreeMap::new();
    for dump in report.dumps.iter().filter(|d| d.verdict == DumpVerdict::NotCompared) {
        let reason = dump.reason.as_deref().unwrap_or("no reason given");
        let (count, frames) = reasons.entry((dump.kind(), reason)).or_default();
        *count += 1;
        if frames.last() != Some(&dump.frame) {
            frames.push(dump.frame.clone());
        }
    }
    for ((kind, reason), (count, frames)) in reasons {
        let which = if frames.len() == 1 { "frame" } else { "frames" };
        lines.push(format!(
            "{} of {} not compared: {reason} ({which} {})",
            counted(count, "dump"),
            kind_name(kind),
            first_few(&frames, NAMES)
        ));
    }
}

fn values(report: &Report, lines: &mut Vec<String>) {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for dump in report.dumps.iter().filter(|d| d.verdict != DumpVerdict::NotCompared) {
        for (reason, count) in &dump.left_out {
            *reasons.entry(reason).or_insert(0) += count;
        }
    }
    lines.extend(reasons.iter().map(|(reason, count)| format!("{} {reason}", grouped(*count))));
}

fn inputs(report: &Report, lines: &mut Vec<String>) {
    let sum =
        |of: fn(&super::super::InputsReport) -> u64| report.frames.iter().map(|f| of(&f.inputs)).sum::<u64>();
    let (unknown, late) = (sum(|i| i.unknown), sum(|i| i.late));
    if unknown > 0 {
        let count = counted(unknown, "observation");
        lines.push(format!("{count} adopted without a check: the bytes were unknown before"));
    }
    if late > 0 {
        let count = counted(late, "observation");
        lines.push(format!("{count} adopted without a check: the bytes before had been taken late"));
    }
}

fn claims(report: &Report, lines: &mut Vec<String>) {
    for claim in &report.claims {
        for (reason, count) in &claim.findings.left_out {
            lines.push(format!("{}: {} {reason}", claim.id, grouped(*count)));
        }
    }
}
