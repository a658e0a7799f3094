//! What was compared, under which rules, and what differs.

use std::collections::BTreeMap;

use super::super::number::{counted, grouped, plain, short, wrap};
use super::super::style::{BAD, FAINT, GOOD, HEADING, PLAIN, paint};
use super::super::table::{Cell, Table};
use super::super::{DumpOwner, DumpReport, Report};
use super::{KINDS, kind_name};
use crate::finding::{Difference, DumpKind, DumpVerdict};

/// Differing dumps that are listed.
const DUMPS: usize = 20;
/// Worst places that are shown.
const PLACES: usize = 10;

/// Counts by kind of dump.
pub(super) fn summary(report: &Report) -> String {
    if report.dumps.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    table.headings(&[
        ("compared", false),
        ("dumps", true),
        ("match", true),
        ("differ", true),
        ("values", true),
        ("equal", true),
        ("tolerated", true),
        ("different", true),
    ]);
    for kind in KINDS {
        let of_kind: Vec<&DumpReport> = report.dumps.iter().filter(|d| d.kind() == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let with = |verdict| of_kind.iter().filter(|d| d.verdict == verdict).count() as u64;
        let sum = |of: fn(&DumpReport) -> u64| of_kind.iter().map(|d| of(d)).sum::<u64>();
        let (matching, differing) = (with(DumpVerdict::Match), with(DumpVerdict::Differ));
        let different = sum(|d| d.different);
        table.row(vec![
            Cell::left(format!("  {}", kind_name(kind))),
            Cell::right(grouped(matching + differing)),
            Cell::right(grouped(matching)).styled(if matching > 0 { GOOD } else { PLAIN }),
            Cell::right(grouped(differing)).styled(if differing > 0 { BAD } else { PLAIN }),
            Cell::right(grouped(sum(|d| d.compared))),
            Cell::right(grouped(sum(|d| d.equal))),
            Cell::right(grouped(sum(DumpReport::admitted))),
            Cell::right(grouped(different)).styled(if different > 0 { BAD } else { PLAIN }),
        ]);
    }
    table.render(0)
}

/// What a rule was applied to and what it admitted.
#[derive(Default)]
struct Use {
    dumps: u64,
    different: u64,
    admitted: BTreeMap<String, u64>,
    max_abs: f64,
    max_ulp: u64,
}

/// Each rule in force, with what it admitted.
pub(super) fn rules(report: &Report) -> String {
    let mut uses: BTreeMap<(DumpKind, &str), Use> = BTreeMap::new();
    for dump in report.dumps.iter().filter(|d| d.compared > 0 && !d.rule.is_empty()) {
        let used = uses.entry((dump.kind(), dump.rule.as_str())).or_default();
        used.dumps += 1;
        used.different += dump.different;
        used.max_abs = used.max_abs.max(dump.max_abs);
        used.max_ulp = used.max_ulp.max(dump.max_ulp);
        for (by, count) in &dump.tolerated {
            *used.admitted.entry(by.clone()).or_insert(0) += count;
        }
    }
    if uses.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "rules"));
    for ((kind, rule), used) in uses {
        out += &super::entry(kind_name(kind), 14, &by_rule(rule));
        let admitted: Vec<String> = used
            .admitted
            .iter()
            .filter(|(_, n)| **n > 0)
            .map(|(by, n)| format!("{} by {by}", grouped(*n)))
            .collect();
        let admitted = match (admitted.is_empty(), used.different) {
            (true, 0) => "every value equal".to_owned(),
            (true, _) => "admitted nothing".to_owned(),
            (false, _) => format!("admitted {}", admitted.join(", ")),
        };
        let largest = match (used.max_abs, used.max_ulp) {
            (0.0, _) => String::new(),
            (abs, 0) => format!("; largest difference {}", short(abs)),
            (abs, ulp) => format!("; largest difference {}, most {} ulp", short(abs), grouped(ulp)),
        };
        let text = format!("in {}: {admitted}{largest}", counted(used.dumps, "dump"));
        out += &format!("{:18}{}\n", "", paint(FAINT, wrap(&text, 18, 18)));
    }
    out
}

/// Rules of several fields, `A: rule; B: rule`, with the fields of one rule together: `A, B: rule`.
fn by_rule(text: &str) -> String {
    let Some(parts) = text.split("; ").map(|part| part.split_once(": ")).collect::<Option<Vec<_>>>() else {
        return text.to_owned();
    };
    let mut rules: Vec<(&str, Vec<&str>)> = Vec::new();
    for (field, rule) in parts {
        match rules.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, fields)) => fields.push(field),
            None => rules.push((rule, vec![field])),
        }
    }
    rules.iter().map(|(rule, fields)| format!("{}: {rule}", fields.join(", "))).collect::<Vec<_>>().join("; ")
}

/// The dumps that differ, then the worst places of all of them.
pub(super) fn differences(report: &Report) -> String {
    let differing: Vec<&DumpReport> =
        report.dumps.iter().filter(|d| d.verdict == DumpVerdict::Differ).collect();
    if differing.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "what differs"));
    let mut table = Table::default();
    for dump in differing.iter().take(DUMPS) {
        table.row(vec![Cell::left(subject(dump)), Cell::left(extent(dump)).styled(BAD)]);
    }
    out += &table.render(2);
    if differing.len() > DUMPS {
        out += &format!("  and {} more\n", counted((differing.len() - DUMPS) as u64, "dump"));
    }
    let mut worst: Vec<&Difference> =
        differing.iter().flat_map(|d| &d.worst).filter(|difference| difference.differs).collect();
    if worst.is_empty() {
        return out;
    }
    // Stable: places of one size stay in the order of the dumps. An infinite distance is a NaN or infinity on one side.
    worst.sort_by(|a, b| b.abs.total_cmp(&a.abs));
    out += &format!("\n{}\n", paint(HEADING, "worst places"));
    for difference in worst.iter().take(PLACES) {
        out += &place(difference);
    }
    let total: u64 = differing.iter().map(|d| d.different).sum();
    let shown = worst.len().min(PLACES) as u64;
    if total > shown {
        out += &format!("  and {} more values; --csv FILE writes them all\n", grouped(total - shown));
    }
    out
}

fn subject(dump: &DumpReport) -> String {
    match &dump.owner {
        DumpOwner::Draw { event, execution, pass, mesh } => {
            let mesh = mesh.as_ref().map_or(String::new(), |mesh| format!(", {mesh}"));
            let execution =
                if *execution == 0 { String::new() } else { format!(", execution {}", execution + 1) };
            format!("frame {} event {event} ({pass}{mesh}{execution}) {}", dump.frame, dump.name)
        }
        DumpOwner::Pass(pass) => format!("frame {} {pass} {}", dump.frame, dump.name),
        DumpOwner::Buffer(id, name) => format!("frame {} buffer {id} \"{name}\" {}", dump.frame, dump.name),
    }
}

fn extent(dump: &DumpReport) -> String {
    if let Some(reason) = &dump.reason {
        return reason.clone();
    }
    let mut text = format!("{} of {} values", grouped(dump.different), grouped(dump.compared));
    if dump.nonfinite_one_side > 0 {
        text += &format!(", {} not finite on one side", grouped(dump.nonfinite_one_side));
    }
    text
}

/// A place and both its values.
pub(in crate::report) fn place(difference: &Difference) -> String {
    let Difference { recorded, replayed, abs, rel, ulp, .. } = difference;
    let ulp = ulp.map_or(String::new(), |ulp| format!("   {} ulp", grouped(ulp)));
    let style = if difference.differs { BAD } else { FAINT };
    format!(
        "  {}\n      {}\n",
        difference.place,
        paint(
            style,
            format!(
                "recorded {}   replayed {}   abs {}   rel {}{ulp}",
                plain(*recorded),
                plain(*replayed),
                short(*abs),
                short(*rel)
            )
        )
    )
}
