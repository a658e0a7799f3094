use super::samples::{failing, matching, nothing_compared};
use super::*;
use crate::report::number::WIDTH;

fn seen(report: &Report, timings: bool) -> String {
    anstream::adapter::strip_str(&render(report, TextOptions { timings })).to_string()
}

#[test]
fn a_matching_report_reads_from_coverage_to_verdict() {
    insta::assert_snapshot!(seen(&matching(), false));
}

#[test]
fn a_failing_report_says_what_and_where() {
    insta::assert_snapshot!(seen(&failing(), true));
}

#[test]
fn a_report_of_nothing_says_so() {
    insta::assert_snapshot!(seen(&nothing_compared(), false));
}

#[test]
fn the_first_line_is_the_coverage_and_the_last_the_verdict() {
    for report in [matching(), failing(), nothing_compared()] {
        let text = seen(&report, false);
        let (first, last) = (text.lines().next().unwrap(), text.lines().last().unwrap());
        assert!(first.starts_with(&format!("{}: ", report.capture)), "{first}");
        let verdict = ["match: ", "differ: ", "nothing compared: "].iter().find(|v| last.starts_with(**v));
        assert!(verdict.is_some(), "{last}");
    }
    assert!(seen(&matching(), false).starts_with(
        "ashina_gate: compared 1,726 of 1,728 draws, 14 of 15 programs; inputs checked for 3,190 observations\n"
    ));
}

#[test]
fn lines_fit_but_for_places_rules_and_the_verdict() {
    for report in [matching(), failing(), nothing_compared()] {
        for line in seen(&report, true).lines() {
            let free =
                line.starts_with("  frame ") || line.starts_with("differ: ") || line.contains(": compared ");
            assert!(free || line.chars().count() <= WIDTH, "{} characters: {line}", line.chars().count());
            assert_eq!(line, line.trim_end(), "nothing trails");
        }
    }
}

#[test]
fn colours_mean_good_bad_and_of_note() {
    let text = render(&failing(), TextOptions::default());
    assert!(text.contains("\u{1b}[1m\u{1b}[31mdiffer\u{1b}[0m"), "{text:?}");
    let text = render(&matching(), TextOptions::default());
    assert!(text.contains("\u{1b}[32mmatch\u{1b}[0m: "), "{text:?}");
}

#[test]
fn coverage_that_is_not_reached_is_said_even_where_all_matches() {
    let mut report = matching();
    (report.required_coverage, report.verdict) = (Some((100.0, false)), RunVerdict::Differ);
    let text = seen(&report, false);
    let last = text.lines().last().unwrap();
    assert_eq!(last, "differ: coverage 99.8 % is less than the 100 % required");
}
