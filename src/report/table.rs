//! Aligned columns. Widths are those of what is seen, before colour.

use anstyle::Style;

use super::style::{HEADING, PLAIN, paint};

/// A cell.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    text: String,
    style: Style,
    right: bool,
}

impl Cell {
    /// Text, from the left.
    pub(super) fn left(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: PLAIN, right: false }
    }

    /// A number, from the right.
    pub(super) fn right(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: PLAIN, right: true }
    }

    /// The same cell in a style.
    pub(super) fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

/// Rows of cells, two spaces apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Adds a row of headings; a heading stands over its column's numbers where `right` says so.
    pub(super) fn headings(&mut self, names: &[(&str, bool)]) {
        let cell =
            |(name, right): &(&str, bool)| Cell { text: (*name).into(), style: HEADING, right: *right };
        self.rows.push(names.iter().map(cell).collect());
    }

    /// The rows as lines that begin with `indent` spaces; nothing trails.
    pub(super) fn render(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let last = row.iter().rposition(|cell| !cell.text.is_empty());
            let mut line = " ".repeat(indent);
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let Some(last) = last.filter(|last| column <= *last) else { break };
                let pad = " ".repeat(width - cell.text.chars().count());
                let text = paint(cell.style, &cell.text);
                match (cell.right, column == last) {
                    (true, _) => line += &(pad + &text),
                    (false, true) => line += &text,
                    (false, false) => line += &(text + &pad),
                }
                if column < last {
                    line += "  ";
                }
            }
            out += line.trim_end();
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::GOOD;
    use super::*;

    #[test]
    fn columns_align_whatever_the_colour() {
        let mut table = Table::default();
        table.headings(&[("name", false), ("count", true), ("", false)]);
        table.row(vec![Cell::left("shadow").styled(GOOD), Cell::right("1,204"), Cell::left("")]);
        table.row(vec![Cell::left("g"), Cell::right("7"), Cell::left("why")]);
        let seen = anstream::adapter::strip_str(&table.render(2)).to_string();
        assert_eq!(seen, "  name    count\n  shadow  1,204\n  g           7  why\n");
    }

    #[test]
    fn an_empty_table_is_no_lines() {
        assert_eq!(Table::default().render(4), "");
    }
}
