//! A table of draws: one row an execution.

use serde::Serialize;

use super::filter::{FieldKind, FieldValue, Filter, Row};
use super::json::pretty;
use super::number::{counted, grouped};
use super::style::{BAD, FAINT, GOOD, NOTE, paint};
use super::table::{Cell, Table};
use crate::finding::DumpVerdict;

/// One execution of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawRow {
    /// Its frame.
    pub frame: String,
    /// The draw command.
    pub event: u64,
    /// The list that holds it: its number, and its name where it has one.
    pub list: String,
    /// Which execution of its list, from 1.
    pub execution: u32,
    /// Its pass.
    pub pass: String,
    /// The captured program's name.
    pub program: String,
    /// The mesh; empty where none is recorded.
    pub mesh: String,
    /// What the vertices make up.
    pub topology: String,
    /// Indices, or vertices of a non-indexed draw.
    pub count: u64,
    /// Instances.
    pub instances: u64,
    /// The stand-in that replayed it; empty where it was not replayed.
    pub shader: String,
    /// Why it was not replayed; empty where it was.
    pub reason: String,
    /// The verdict on its own vertex outputs. What its pass gave is the pass's.
    pub verdict: DumpVerdict,
    /// Values that differ.
    pub different: u64,
}

impl Row for DrawRow {
    const FIELDS: &'static [(&'static str, FieldKind)] = &[
        ("frame", FieldKind::Text),
        ("event", FieldKind::Number),
        ("list", FieldKind::Text),
        ("execution", FieldKind::Number),
        ("pass", FieldKind::Text),
        ("program", FieldKind::Text),
        ("mesh", FieldKind::Text),
        ("topology", FieldKind::Text),
        ("count", FieldKind::Number),
        ("instances", FieldKind::Number),
        ("shader", FieldKind::Text),
        ("reason", FieldKind::Text),
        ("replayed", FieldKind::Text),
        ("verdict", FieldKind::Text),
        ("different", FieldKind::Number),
    ];

    fn field(&self, place: usize) -> FieldValue<'_> {
        match place {
            0 => FieldValue::Text(&self.frame),
            1 => FieldValue::Number(self.event),
            2 => FieldValue::Text(&self.list),
            3 => FieldValue::Number(self.execution.into()),
            4 => FieldValue::Text(&self.pass),
            5 => FieldValue::Text(&self.program),
            6 => FieldValue::Text(&self.mesh),
            7 => FieldValue::Text(&self.topology),
            8 => FieldValue::Number(self.count),
            9 => FieldValue::Number(self.instances),
            10 => FieldValue::Text(&self.shader),
            11 => FieldValue::Text(&self.reason),
            12 => FieldValue::Text(if self.reason.is_empty() { "yes" } else { "no" }),
            13 => FieldValue::Text(verdict_name(self.verdict)),
            _ => FieldValue::Number(self.different),
        }
    }
}

/// The verdict as expressions and JSON spell it.
fn verdict_name(verdict: DumpVerdict) -> &'static str {
    match verdict {
        DumpVerdict::Match => "match",
        DumpVerdict::Differ => "differ",
        DumpVerdict::NotCompared => "not_compared",
    }
}

/// Only the rows an expression wants.
pub fn wanted(rows: Vec<DrawRow>, filter: Option<&Filter>) -> Vec<DrawRow> {
    rows.into_iter().filter(|row| filter.is_none_or(|filter| filter.matches(row))).collect()
}

/// The rows as aligned text, and how many of `all` they are.
pub fn text(rows: &[DrawRow], all: usize) -> String {
    let mut table = Table::default();
    table.headings(&[
        ("frame", false),
        ("event", true),
        ("list", false),
        ("pass", false),
        ("program", false),
        ("mesh", false),
        ("count", true),
        ("verdict", false),
    ]);
    for row in rows {
        let list =
            if row.execution > 1 { format!("{} #{}", row.list, row.execution) } else { row.list.clone() };
        let count = if row.instances == 1 {
            grouped(row.count)
        } else {
            format!("{} x {}", grouped(row.count), grouped(row.instances))
        };
        table.row(vec![
            Cell::left(&row.frame),
            Cell::right(row.event.to_string()),
            Cell::left(list),
            Cell::left(&row.pass),
            Cell::left(&row.program),
            Cell::left(&row.mesh),
            Cell::right(count),
            verdict(row),
        ]);
    }
    let summary = format!("{} of {}", grouped(rows.len() as u64), counted(all as u64, "draw"));
    format!("{}{}\n", table.render(0), paint(FAINT, summary))
}

fn verdict(row: &DrawRow) -> Cell {
    match row.verdict {
        _ if !row.reason.is_empty() => Cell::left(format!("not replayed: {}", row.reason)).styled(NOTE),
        DumpVerdict::Match => Cell::left("match").styled(GOOD),
        DumpVerdict::Differ => {
            Cell::left(format!("differ ({})", counted(row.different, "value"))).styled(BAD)
        }
        DumpVerdict::NotCompared => Cell::left("replayed, not compared").styled(FAINT),
    }
}

/// The rows as JSON.
pub fn json(rows: &[DrawRow]) -> String {
    pretty(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(event: u64, verdict: DumpVerdict, reason: &str) -> DrawRow {
        DrawRow {
            frame: "0001".into(),
            event,
            list: "3 \"bodies\"".into(),
            execution: 1 + u32::from(event == 41),
            pass: "motion_vector".into(),
            program: "FC_MotionVector_Skin".into(),
            mesh: "FC_M_0200/0".into(),
            topology: "triangle_list".into(),
            count: 3000 + event,
            instances: 1 + 314 * u64::from(event == 42),
            shader: "skinned_motion".into(),
            reason: reason.into(),
            verdict,
            different: 12 * u64::from(verdict == DumpVerdict::Differ),
        }
    }

    fn rows() -> Vec<DrawRow> {
        vec![
            row(40, DumpVerdict::Match, ""),
            row(41, DumpVerdict::Differ, ""),
            row(42, DumpVerdict::NotCompared, ""),
            row(43, DumpVerdict::NotCompared, "no stand-in for its program"),
        ]
    }

    #[test]
    fn rows_are_aligned() {
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(&rows(), 9)).to_string());
    }

    #[test]
    fn every_field_can_be_asked_for_and_the_table_of_fields_is_in_order() {
        let cases = [
            ("frame=0001", 4),
            ("event<42", 2),
            ("list~3*", 4),
            ("execution=2", 1),
            ("pass=motion_vector", 4),
            ("program~*Skin", 4),
            ("mesh=FC_M_0200/0", 4),
            ("topology=triangle_list", 4),
            ("count>=3042", 2),
            ("instances>1", 1),
            ("shader=skinned_motion", 4),
            ("reason~*stand-in*", 1),
            ("replayed=no", 1),
            ("verdict=not_compared", 2),
            ("different>0", 1),
        ];
        assert_eq!(cases.len(), DrawRow::FIELDS.len());
        for (expression, count) in cases {
            let filter = Filter::parse::<DrawRow>(expression).unwrap();
            assert_eq!(wanted(rows(), Some(&filter)).len(), count, "{expression}");
        }
        assert_eq!(wanted(rows(), None).len(), 4);
    }

    #[test]
    fn json_has_a_row_a_draw() {
        let value: serde_json::Value = serde_json::from_str(&json(&rows())).unwrap();
        assert_eq!(value.as_array().unwrap().len(), 4);
        assert_eq!((&value[1]["event"], &value[1]["verdict"]), (&41.into(), &"differ".into()));
    }
}
