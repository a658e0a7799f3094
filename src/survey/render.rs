//! How a survey is shown: a text table with sentences, JSON of the whole, and rows a file and claim for other tools.

use std::fmt::Write as _;
use std::io;

use serde_json::{Map, Value, json};

use super::claims::{CLAIMS, SurveyClaim, grouped};
use super::documented::DOCUMENTED;
use super::run::{FileFindings, Summary};
use super::tally::{FigureTally, Tally};
use crate::finding::ClaimVerdict;

fn word(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Holds => "holds",
        ClaimVerdict::Fails => "FAILS",
        ClaimVerdict::Observed => "observed",
        ClaimVerdict::NothingToCheck => "nothing to check",
        ClaimVerdict::NotEstablished => "not established",
        ClaimVerdict::NeedsExecution => "needs execution",
    }
}

/// The survey as text: counts, then for each claim its sentence, the documented figures beside those found, what was left
/// out and the first exceptions.
pub fn render_text(summary: &Summary) -> String {
    let mut out = String::new();
    let share =
        summary.partition.map(|p| format!(" (share {} of {})", p.number, p.count)).unwrap_or_default();
    let _ = writeln!(
        out,
        "{} models, {} grass files, {} that could not be read{share}\n",
        grouped(summary.models),
        grouped(summary.grass),
        grouped(summary.unread)
    );
    let _ = writeln!(
        out,
        "{:<20} {:>11} {:>11} {:>10} {:>9}  verdict",
        "claim", "cases", "agree", "exceptions", "left out"
    );
    for claim in CLAIMS {
        let tally = summary.tally(claim.id);
        let _ = writeln!(
            out,
            "{:<20} {:>11} {:>11} {:>10} {:>9}  {}",
            claim.id,
            grouped(tally.cases),
            grouped(tally.agree),
            grouped(tally.exceptions()),
            grouped(tally.left_out.values().sum()),
            word(summary.verdict(claim))
        );
    }
    for claim in CLAIMS {
        let tally = summary.tally(claim.id);
        if tally.cases > 0 || !tally.left_out.is_empty() {
            claim_text(&mut out, claim, &tally, summary);
        }
    }
    out
}

fn claim_text(out: &mut String, claim: &SurveyClaim, tally: &Tally, summary: &Summary) {
    let _ = writeln!(out, "\n{} ({})", claim.id, word(summary.verdict(claim)));
    let _ = writeln!(out, "  {}", (claim.sentence)(tally, summary));
    for (reason, cases) in &tally.left_out {
        let _ = writeln!(out, "  left out: {} {reason}", grouped(*cases));
    }
    if let Some(game) = summary.game {
        for documented in DOCUMENTED.iter().filter(|documented| documented.claim == claim.id) {
            let Some(expected) = documented.of(game) else { continue };
            let found = tally.figure(documented.figure).unwrap_or_default();
            let mark = match documented.is_met(game, tally) {
                Some(true) => "as documented",
                _ if summary.partition.is_some() => "a share",
                _ => "DIFFERS",
            };
            let figure = documented.figure;
            let _ = writeln!(out, "  {}: {figure} {}, found {found}: {mark}", game.name(), grouped(expected));
        }
    }
    for name in &tally.named {
        let _ = writeln!(out, "  exception: {name}");
    }
    let more = tally.exceptions().saturating_sub(tally.named.len() as u64);
    if more > 0 && !tally.named.is_empty() {
        let _ = writeln!(out, "  and {} more", grouped(more));
    }
}

fn figures(tally: &Tally) -> Map<String, Value> {
    let value = |figure: &FigureTally| match figure {
        FigureTally::Sum(sum) => json!(sum),
        FigureTally::Most(most) => json!(most),
    };
    tally.figures.iter().map(|(name, figure)| (name.clone().into_owned(), value(figure))).collect()
}

/// The survey as one JSON object.
pub fn render_json(summary: &Summary) -> Value {
    let claims: Vec<Value> = CLAIMS
        .iter()
        .map(|claim| {
            let tally = summary.tally(claim.id);
            let documented: Map<String, Value> = DOCUMENTED
                .iter()
                .filter(|documented| documented.claim == claim.id)
                .filter_map(|d| Some((d.figure.to_owned(), json!(d.of(summary.game?)?))))
                .collect();
            json!({
                "claim": claim.id,
                "statement": claim.statement,
                "case": claim.cases,
                "verdict": summary.verdict(claim),
                "cases": tally.cases,
                "agree": tally.agree,
                "exceptions": tally.exceptions(),
                "named": tally.named,
                "left_out": tally.left_out,
                "figures": figures(&tally),
                "documented": documented,
                "sentence": if tally.cases > 0 { json!((claim.sentence)(&tally, summary)) } else { Value::Null },
            })
        })
        .collect();
    json!({
        "models": summary.models,
        "grass": summary.grass,
        "unread": summary.unread,
        "game": summary.game.map(super::Game::name),
        "partition": summary.partition.map(|p| format!("{}/{}", p.number, p.count)),
        "claims": claims,
    })
}

/// The rows of a file, one a claim, each a line of JSON.
pub fn jsonl_rows(file: &FileFindings, to: &mut dyn io::Write) -> io::Result<()> {
    for (claim, tally) in &file.claims {
        let row = json!({
            "file": file.address,
            "kind": file.kind.name(),
            "claim": claim,
            "cases": tally.cases,
            "agree": tally.agree,
            "exceptions": tally.exceptions(),
            "named": tally.named,
            "left_out": tally.left_out,
            "figures": figures(tally),
        });
        writeln!(to, "{row}")?;
    }
    Ok(())
}

/// The rows of files as CSV, a header first.
pub struct CsvRows<W: io::Write>(csv::Writer<W>);

impl<W: io::Write> CsvRows<W> {
    /// Writes the header.
    pub fn new(to: W) -> csv::Result<Self> {
        let mut writer = csv::Writer::from_writer(to);
        writer.write_record([
            "file",
            "kind",
            "claim",
            "cases",
            "agree",
            "exceptions",
            "left_out",
            "first_exception",
            "figures",
        ])?;
        Ok(Self(writer))
    }

    /// Writes the rows of a file, one a claim.
    pub fn rows(&mut self, file: &FileFindings) -> csv::Result<()> {
        for (claim, tally) in &file.claims {
            let first = tally.named.first().map(String::as_str).unwrap_or_default();
            let figures: Vec<_> =
                figures(tally).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            let numbers = [tally.cases, tally.agree, tally.exceptions(), tally.left_out.values().sum()]
                .map(|n| n.to_string());
            let [cases, agree, exceptions, left_out] = numbers;
            self.0.write_record([
                &file.address,
                file.kind.name(),
                claim,
                &cases,
                &agree,
                &exceptions,
                &left_out,
                first,
                &figures.join("; "),
            ])?;
        }
        Ok(())
    }

    /// Writes out what waits.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}
