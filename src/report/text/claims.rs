//! The claims: verdict, figures, what was expected, what does not agree.

use anstyle::Style;

use super::super::number::{WIDTH, figure, first_few, grouped, wrap};
use super::super::style::{BAD, FAINT, GOOD, HEADING, NOTE, paint};
use super::super::{ClaimReport, Report};
use crate::finding::{ClaimVerdict, Figures};

/// Cases against a claim that are shown where it fails; where it does not, one is enough to go on.
const COUNTEREXAMPLES: usize = 5;
/// Where what is said of a claim begins.
const COLUMN: usize = 13;

/// The claims that were looked at, then those that were not, in a line a reason.
pub(super) fn table(report: &Report) -> String {
    if report.claims.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "claims"));
    for claim in report.claims.iter().filter(|c| is_told(c)) {
        out += &told(claim);
    }
    let blocks = [
        (ClaimVerdict::NothingToCheck, "no case of it in what was looked at"),
        (ClaimVerdict::NeedsExecution, "only executing the draws can show it"),
        (ClaimVerdict::NotEstablished, "not established by the documents; nothing is assumed of it"),
    ];
    for (verdict, why) in blocks {
        let ids: Vec<String> = report
            .claims
            .iter()
            .filter(|c| c.verdict == verdict && !is_told(c))
            .map(|c| c.id.clone())
            .collect();
        if !ids.is_empty() {
            let text = wrap(&format!("{why}: {}", first_few(&ids, usize::MAX)), 2, 4);
            out += &format!("  {}\n", paint(FAINT, text));
        }
    }
    out
}

/// Whether a claim has something to tell, or fails.
fn is_told(claim: &ClaimReport) -> bool {
    match claim.verdict {
        ClaimVerdict::Holds | ClaimVerdict::Fails | ClaimVerdict::Observed => true,
        ClaimVerdict::NothingToCheck => claim.fails(),
        ClaimVerdict::NotEstablished => claim.findings.counted > 0 || !claim.findings.figures.is_empty(),
        ClaimVerdict::NeedsExecution => false,
    }
}

fn word(verdict: ClaimVerdict) -> (&'static str, Style) {
    match verdict {
        ClaimVerdict::Holds => ("holds", GOOD),
        ClaimVerdict::Fails => ("fails", BAD),
        ClaimVerdict::Observed => ("observed", NOTE),
        ClaimVerdict::NothingToCheck => ("no case", BAD),
        ClaimVerdict::NotEstablished => ("open", NOTE),
        ClaimVerdict::NeedsExecution => ("needs run", NOTE),
    }
}

fn told(claim: &ClaimReport) -> String {
    let (verdict, style) = word(claim.verdict);
    let findings = &claim.findings;
    let verdict = paint(style, format!("{verdict:<9}"));
    let mut out = format!("  {verdict}  {}", paint(HEADING, &claim.id));
    if findings.counted > 0 {
        out += &format!("  {} of {} agree", grouped(findings.agree), grouped(findings.counted));
    } else {
        out += "  no case in what was looked at";
    }
    out.push('\n');
    let mut say = |text: String, style| {
        out += &format!("{:COLUMN$}{}\n", "", paint(style, wrap(&text, COLUMN, COLUMN)));
    };
    say(claim.statement.clone(), FAINT);
    if !findings.figures.is_empty() {
        say(figures(&findings.figures), super::super::style::PLAIN);
    }
    let (met, missed): (Vec<_>, Vec<_>) = claim.expected.iter().partition(|(_, holds)| *holds);
    if !met.is_empty() {
        let all = if missed.is_empty() { "as expected" } else { "as expected in part" };
        let met: Vec<String> = met.iter().map(|(text, _)| text.clone()).collect();
        say(format!("{all}: {}", met.join("; ")), GOOD);
    }
    if !missed.is_empty() {
        let missed: Vec<String> = missed.iter().map(|(text, _)| text.clone()).collect();
        say(format!("not as expected: {}", missed.join("; ")), BAD);
    }
    // Where the claim holds, its figures count its exceptions; one is shown to go on.
    let (most, what) = if claim.fails() { (COUNTEREXAMPLES, "against it") } else { (1, "an exception") };
    for example in findings.counterexamples.iter().take(most) {
        say(format!("{what}: {example}"), super::super::style::PLAIN);
    }
    out
}

fn figures(figures: &Figures) -> String {
    figures.iter().map(|(name, value)| format!("{name} {}", figure(value))).collect::<Vec<_>>().join(", ")
}

/// What checks noted line by line: the binding order of every pass, the pairs.
pub(super) fn notes(report: &Report) -> String {
    let mut out = String::new();
    for claim in report.claims.iter().filter(|c| !c.findings.notes.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        out += &format!("{}\n", paint(HEADING, format!("{} in detail", claim.id)));
        for note in &claim.findings.notes {
            // Two spaces together are a table's, whose columns must stay.
            let prose = note.chars().count() + 2 > WIDTH && !note.trim().contains("  ");
            let note = if prose { wrap(note, 2, 4) } else { note.trim_end().to_owned() };
            out += &format!("  {note}\n");
        }
    }
    out
}
