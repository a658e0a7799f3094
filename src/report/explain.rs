//! What a claim says, where it stands, how it is checked and what its figures are called.

use serde::Serialize;

use super::json::pretty;
use super::number::wrap;
use super::style::{FAINT, HEADING, paint};
use super::table::{Cell, Table};

/// A claim, for a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation<'a> {
    /// Id.
    pub id: &'a str,
    /// What it says.
    pub statement: &'a str,
    /// The document and section it stands in.
    pub source: &'a str,
    /// How it is checked.
    pub how: &'a str,
    /// What can settle it: `the capture`, `a replay`, `nothing yet`.
    pub settled_by: &'a str,
    /// Figure names, each with what it counts or measures.
    pub figures: &'a [(&'a str, &'a str)],
}

impl Explanation<'_> {
    /// The claim in full.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", paint(HEADING, self.id));
        for (label, text) in [
            ("says", self.statement),
            ("source", self.source),
            ("settled by", self.settled_by),
            ("checked", self.how),
        ] {
            if !text.is_empty() {
                out += &format!("  {label:<10}  {}\n", wrap(text, 14, 14));
            }
        }
        if !self.figures.is_empty() {
            out += &format!("\n{}\n", paint(HEADING, "figures, as `[[expect]]` in capture.toml names them"));
            let width = self.figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            for (name, meaning) in self.figures {
                out += &format!("  {name:<width$}  {}\n", wrap(meaning, width + 4, width + 4));
            }
        }
        out
    }
}

/// All claims, a line each.
pub fn list(claims: &[Explanation<'_>]) -> String {
    let mut table = Table::default();
    for claim in claims {
        table.row(vec![
            Cell::left(claim.id).styled(HEADING),
            Cell::left(claim.settled_by).styled(FAINT),
            Cell::left(first_clause(claim.statement, 62)),
        ]);
    }
    table.render(0)
}

/// All claims as JSON.
pub fn json(claims: &[Explanation<'_>]) -> String {
    pretty(&claims)
}

/// As much of a statement as fits, cut at a space.
fn first_clause(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most - 3).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}...", cut.get(..end).unwrap_or(&cut).trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: Explanation<'_> = Explanation {
        id: "pair-slot",
        statement: "which slot the written buffer is bound to, over 21 meshes in three passes and five frames",
        source: "Sekiro document, \"Skinned vertex streams at run time\"",
        how: "counts executed draws by the slot that holds the buffer the frame wrote",
        settled_by: "the capture",
        figures: &[
            ("draws", "executed draws"),
            ("position1_written", "of which the written one is at POSITION1"),
        ],
    };

    #[test]
    fn a_claim_is_told_in_full() {
        insta::assert_snapshot!(anstream::adapter::strip_str(&CLAIM.text()).to_string());
    }

    #[test]
    fn a_list_has_a_line_a_claim_that_fits() {
        let text = anstream::adapter::strip_str(&list(&[CLAIM])).to_string();
        assert_eq!(
            text,
            "pair-slot  the capture  which slot the written buffer is bound to, over 21 meshes...\n"
        );
        assert_eq!(first_clause("short", 62), "short");
    }
}
