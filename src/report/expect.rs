//! `[[expect]]` tables from what was found: to be pasted into `capture.toml` and judged by a person. A tool that wrote
//! them there itself would bless its own output.

use super::Report;
use crate::finding::{ClaimVerdict, Figure, Figures};

/// A table for every claim that found figures: of all frames together, then of each frame alone where there are
/// several. Measured numbers become ranges of their first three digits.
pub fn tables(report: &Report) -> String {
    let mut out = String::from(
        "# What `replay check` found. Keep what a document or a count of your own says, and drop the rest:\n\
         # a figure that is only copied from here expects nothing.\n",
    );
    for claim in &report.claims {
        let open = matches!(claim.verdict, ClaimVerdict::NotEstablished | ClaimVerdict::NeedsExecution);
        if open || claim.findings.counted == 0 || claim.findings.figures.is_empty() {
            continue;
        }
        out += &table(&claim.id, None, &claim.findings.figures);
        if report.frames.len() > 1 {
            for (frame, figures) in claim.findings.by_frame.iter().filter(|(_, f)| !f.is_empty()) {
                out += &table(&claim.id, Some(frame), figures);
            }
        }
    }
    out
}

fn table(claim: &str, frame: Option<&str>, figures: &Figures) -> String {
    let mut out = format!("\n[[expect]]\nclaim = {}\n", quoted(claim));
    if let Some(frame) = frame {
        out += &format!("frame = {}\n", quoted(frame));
    }
    for (name, figure) in figures {
        match value(figure) {
            Some(value) => out += &format!("{} = {value}\n", key(name)),
            None => out += &format!("# {name} came out as {figure}\n"),
        }
    }
    out
}

fn value(figure: &Figure) -> Option<String> {
    match figure {
        Figure::Count(count) => Some(count.to_string()),
        Figure::Text(text) => Some(quoted(text)),
        Figure::Number(number) if !number.is_finite() => None,
        Figure::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Some(format!("{number:.1}"))
        }
        Figure::Number(number) => {
            // A step is one unit of the third digit: the range reaches outwards to whole steps.
            let step = 10f64.powi(number.abs().log10().floor() as i32 - 2);
            let (least, greatest) = ((number / step).floor() * step, (number / step).ceil() * step);
            let digits = (2 - number.abs().log10().floor() as i32).max(1) as usize;
            Some(format!("[{least:.digits$}, {greatest:.digits$}]"))
        }
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A TOML key, quoted only where it must be.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use super::super::text::samples;
    use super::*;

    #[test]
    fn tables_are_toml_and_their_ranges_hold_what_was_found() {
        let text = tables(&samples::failing());
        let parsed: toml::Table = toml::from_str(&text).unwrap();
        let first = &parsed["expect"][0];
        assert_eq!(first["claim"].as_str(), Some("pair-slot"));
        assert_eq!(first["position1_written"].as_integer(), Some(281));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn measured_numbers_become_ranges_around_them() {
        for number in [0.5123, 0.000_220_7, -12.345, 999.9, 6.8, 1.0e-9] {
            let text = value(&Figure::Number(number)).unwrap();
            let range: Vec<f64> =
                text.trim_matches(['[', ']']).split(", ").map(|n| n.parse().unwrap()).collect();
            assert!(range[0] <= number && number <= range[1], "{text} misses {number}");
            assert!(range[1] - range[0] <= number.abs() * 0.011, "{text} is wide");
        }
        assert_eq!(value(&Figure::Number(3.0)).unwrap(), "3.0");
        assert_eq!(value(&Figure::Number(f64::NAN)), None);
    }

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(key("by pass.shadow"), "\"by pass.shadow\"");
        assert_eq!(key("position1_written"), "position1_written");
    }
}
