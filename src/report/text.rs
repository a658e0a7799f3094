//! The report as text, made for reading: how much was compared, what held, what differs and where, what was left out.
//!
//! The first line says the coverage and the last one the verdict, so that `head -1` and `tail -1` answer the two
//! questions a reader has first. Colours are escape sequences, always.

mod claims;
mod compared;
mod left_out;
#[cfg(test)]
pub(in crate::report) mod samples;

pub(super) use compared::place;

use super::number::{WIDTH, counted, first_few, grouped, seconds, wrap};
use super::style::{BAD, FAINT, GOOD, HEADING, NOTE, paint};
use super::table::{Cell, Table};
use super::{Coverage, FrameReport, Report};
use crate::finding::{DumpKind, DumpVerdict, RunVerdict};

/// What a reader asks of the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Every step's time, not only the three longest.
    pub timings: bool,
}

/// The whole report.
pub fn render(report: &Report, options: TextOptions) -> String {
    let mut out = header(report);
    let sections = [
        frames(report),
        compared::summary(report),
        compared::rules(report),
        compared::differences(report),
        claims::table(report),
        claims::notes(report),
        left_out::section(report),
        repeats(report),
        timings(report, options),
    ];
    for section in sections.iter().filter(|section| !section.is_empty()) {
        out.push('\n');
        out += section;
    }
    out.push('\n');
    out += &verdict(report);
    out
}

/// How much was compared, in one line.
fn coverage_line(report: &Report) -> String {
    let Coverage { draws, compared, programs, programs_compared } = report.coverage;
    let observed: u64 = report.frames.iter().map(|f| f.inputs.checked).sum();
    let inputs = match observed {
        0 => "no inputs were observed".to_owned(),
        1 => "inputs checked for 1 observation".to_owned(),
        many => format!("inputs checked for {} observations", grouped(many)),
    };
    if report.executor.is_none() {
        let (checked, of) =
            (report.claims.iter().filter(|c| c.findings.counted > 0).count(), report.claims.len());
        return format!(
            "nothing executed; checked {checked} of {} on {}; {inputs}",
            counted(of as u64, "claim"),
            counted(draws, "draw")
        );
    }
    format!(
        "compared {} of {}, {} of {}; {inputs}",
        grouped(compared),
        counted(draws, "draw"),
        grouped(programs_compared),
        counted(programs, "program")
    )
}

fn header(report: &Report) -> String {
    let name = paint(HEADING, &report.capture);
    let mut out = format!("{name}: {}\n", coverage_line(report));
    if !report.title.is_empty() {
        out += &format!("{}\n", report.title);
    }
    if let Some(executor) = &report.executor {
        let kind = match executor.kind.as_str() {
            "vulkan" => "Vulkan",
            "reference" => "the reference executor",
            other => other,
        };
        out += &paint(
            FAINT,
            wrap(&format!("replayed by {kind}: {}, {}", executor.device, executor.driver), 0, 2),
        );
        out.push('\n');
    }
    for notice in &report.notices {
        out += &format!("{} {}\n", paint(NOTE, "note:"), wrap(notice, 6, 6));
    }
    out
}

fn frames(report: &Report) -> String {
    if report.frames.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "frames"));
    let mut table = Table::default();
    for frame in &report.frames {
        let mut cells = vec![Cell::left(&frame.name), Cell::right(counted(frame.draws, "draw"))];
        if report.executor.is_some() {
            let style = if frame.replayed == frame.draws { super::style::PLAIN } else { NOTE };
            cells.push(Cell::right(format!("{} replayed", grouped(frame.replayed))).styled(style));
        }
        cells.push(inputs(frame));
        cells.push(dumps(report, frame));
        table.row(cells);
    }
    out += &table.render(2);
    for frame in &report.frames {
        for different in &frame.inputs.different {
            let text = wrap(&format!("frame {} {different}", frame.name), 20, 6);
            out += &format!("  {} {text}\n", paint(BAD, "input disagrees:"));
        }
    }
    for frame in &report.frames {
        for warning in &frame.warnings {
            let text = wrap(&format!("frame {}: {warning}", frame.name), 11, 6);
            out += &format!("  {} {text}\n", paint(NOTE, "warning:"));
        }
    }
    out
}

fn inputs(frame: &FrameReport) -> Cell {
    let inputs = &frame.inputs;
    let mut parts = Vec::new();
    if inputs.checked > 0 {
        parts.push(format!("{} of {} inputs equal", grouped(inputs.equal), grouped(inputs.checked)));
    }
    if inputs.unknown > 0 {
        parts.push(format!("{} adopted", grouped(inputs.unknown)));
    }
    let style = if inputs.different.is_empty() { super::style::PLAIN } else { BAD };
    Cell::left(parts.join(", ")).styled(style)
}

fn dumps(report: &Report, frame: &FrameReport) -> Cell {
    let count = |verdict| {
        report.dumps.iter().filter(|d| d.frame == frame.name && d.verdict == verdict).count() as u64
    };
    match (count(DumpVerdict::Match), count(DumpVerdict::Differ)) {
        (0, 0) => Cell::left(""),
        (matching, 0) => Cell::left(format!("{} match", counted(matching, "dump"))).styled(GOOD),
        (matching, differing) => {
            Cell::left(format!("{} of {} differ", grouped(differing), counted(matching + differing, "dump")))
                .styled(BAD)
        }
    }
}

fn repeats(report: &Report) -> String {
    let total: u32 = report.repeats.iter().map(|(_, count)| count).sum();
    if total < 2 {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "repeats"));
    let distinct = report.repeats.len();
    for (hash, count) in &report.repeats {
        let times = counted(u64::from(*count), "time");
        let style = if distinct == 1 { GOOD } else { BAD };
        out += &format!("  {}  {hash}\n", paint(style, format!("{times:>8}")));
    }
    out
}

fn timings(report: &Report, options: TextOptions) -> String {
    let total: f64 = report.timings.iter().map(|(_, seconds)| seconds).sum();
    if report.timings.is_empty() {
        return String::new();
    }
    if options.timings {
        let mut table = Table::default();
        for (step, spent) in &report.timings {
            let share = if total > 0.0 { 100.0 * spent / total } else { 0.0 };
            table.row(vec![
                Cell::left(step),
                Cell::right(seconds(*spent)),
                Cell::right(format!("{share:.0} %")),
            ]);
        }
        let replayed: u64 = report.frames.iter().map(|f| f.replayed).sum();
        let mut last = vec![Cell::left("all"), Cell::right(seconds(total))];
        if total > 0.0 && report.executor.is_some() {
            last.push(Cell::right(format!("{:.0} draws/s", replayed as f64 / total)));
        }
        table.row(last);
        return format!("{}\n{}", paint(HEADING, "time spent"), table.render(2));
    }
    let mut longest: Vec<_> = report.timings.iter().collect();
    longest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let steps: Vec<String> =
        longest.iter().take(3).map(|(step, spent)| format!("{step} {}", seconds(*spent))).collect();
    format!("{}\n", paint(FAINT, format!("took {}: {}", seconds(total), first_few(&steps, 3))))
}

fn verdict(report: &Report) -> String {
    let text = match report.verdict {
        RunVerdict::Match => paint(GOOD, "match") + ": " + &what_held(report),
        RunVerdict::Differ => paint(BAD, "differ") + ": " + &what_failed(report),
        RunVerdict::NothingCompared => paint(NOTE, "nothing compared") + ": " + &why_nothing(report),
    };
    format!("{}\n", wrap_painted(&text))
}

/// The verdict line keeps to one line, so that `tail -1` shows all of it.
fn wrap_painted(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn what_held(report: &Report) -> String {
    let matching = report.dumps.iter().filter(|d| d.verdict == DumpVerdict::Match).count() as u64;
    let held = report.claims.iter().filter(|c| !c.expected.is_empty()).count() as u64;
    let mut parts = Vec::new();
    if matching > 0 {
        parts.push(format!("{} compared, nothing differs", counted(matching, "dump")));
    }
    parts.push(match held {
        0 => "no claim is expected".to_owned(),
        1 => "the one expected claim holds".to_owned(),
        all => format!("all {all} expected claims hold"),
    });
    parts.join("; ")
}

fn what_failed(report: &Report) -> String {
    let differing = report.dumps.iter().filter(|d| d.verdict == DumpVerdict::Differ).count() as u64;
    let inputs: u64 = report.frames.iter().map(|f| f.inputs.different.len() as u64).sum();
    let claims: Vec<String> = report.claims.iter().filter(|c| c.fails()).map(|c| c.id.clone()).collect();
    let mut parts = Vec::new();
    if differing > 0 {
        let all = report.dumps.iter().filter(|d| d.verdict != DumpVerdict::NotCompared).count() as u64;
        parts.push(format!("{} of {} dumps differ", grouped(differing), grouped(all)));
    }
    if inputs > 0 {
        parts.push(format!("{} not what the plan says", counted(inputs, "observed input")));
    }
    if !claims.is_empty() {
        parts.push(format!(
            "{} ({})",
            counted(claims.len() as u64, "claim") + " fail",
            first_few(&claims, 4)
        ));
    }
    if let Some((least, false)) = report.required_coverage {
        // Rounded down: 99.97 % is not 100 %.
        let reached = (report.coverage.percent() * 10.0).floor() / 10.0;
        parts.push(format!("coverage {reached:.1} % is less than the {least} % required"));
    }
    if report.repeats.len() > 1 {
        parts.push("repeats gave different results".into());
    }
    parts.join("; ")
}

fn why_nothing(report: &Report) -> String {
    if report.executor.is_none() {
        return "no claim has a case in what was looked at".into();
    }
    if report.coverage.draws == 0 {
        return "no frame that was looked at has a draw".into();
    }
    if report.dumps.is_empty() {
        return "the set holds no dump of what was replayed".into();
    }
    "what was left out stands above, with the reasons".into()
}

/// What a kind of dump is called in a heading.
fn kind_name(kind: DumpKind) -> &'static str {
    match kind {
        DumpKind::PostVs => "vertex outputs",
        DumpKind::Target => "targets",
        DumpKind::Depth => "depth",
        DumpKind::Buffer => "buffers",
    }
}

/// The kinds, in the order of a report.
const KINDS: [DumpKind; 4] = [DumpKind::PostVs, DumpKind::Target, DumpKind::Depth, DumpKind::Buffer];

/// A line of `label` and wrapped text, indented by two.
fn entry(label: &str, width: usize, text: &str) -> String {
    let indent = (2 + width + 2).min(WIDTH / 2);
    format!("  {label:<width$}  {}\n", wrap(text, indent, indent))
}

#[cfg(test)]
mod tests;
