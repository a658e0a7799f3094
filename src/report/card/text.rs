//! The card as text.

use super::{Buffer, Card, Content, Freshness, Range, Source};
use crate::finding::DumpVerdict;
use crate::report::number::{counted, grouped, short, wrap};
use crate::report::style::{BAD, FAINT, GOOD, HEADING, NOTE, PLAIN, paint};
use crate::report::table::{Cell, Table};
use crate::report::text::place;

/// Runs of bytes shown of a range.
const SOURCES: usize = 6;

/// The whole card.
pub(super) fn render(card: &Card) -> String {
    let mesh = card.mesh.as_ref().map_or(String::new(), |mesh| format!(", {mesh}"));
    let mut out = format!(
        "{}: {}{mesh}, {}\n",
        paint(HEADING, format!("frame {} event {}", card.frame, card.event)),
        card.pass,
        card.list
    );
    let sections = [
        program(card),
        pairs("draws", &card.geometry),
        streams(card),
        buffers(card),
        pairs("state", &card.state),
        verdicts(card),
    ];
    for section in sections.iter().filter(|section| !section.is_empty()) {
        out.push('\n');
        out += section;
    }
    out
}

fn program(card: &Card) -> String {
    let program = &card.program;
    let mut out = format!("{}\n  {}\n", paint(HEADING, "program"), program.name);
    if let Some(hash) = &program.hash {
        let encoding = program.encoding.as_ref().map_or(String::new(), |e| format!(" ({e})"));
        out += &format!("  {}\n", paint(FAINT, format!("sha-256 {hash}{encoding}")));
    }
    let mut list = |label: &str, items: &[String]| {
        for (place, item) in items.iter().enumerate() {
            let label = if place == 0 { label } else { "" };
            out += &format!("  {label:<9} {item}\n");
        }
    };
    list("inputs", &program.inputs);
    list("buffers", &program.buffers);
    if let Some(stand_in) = &card.stand_in {
        let late = if stand_in.reads_late { ", reads bytes taken late" } else { "" };
        let text = format!("{}{late}: {}", stand_in.shader, stand_in.binds.join(", "));
        out += &format!("  {} {}\n", paint(GOOD, "stand-in "), wrap(&text, 12, 12));
    }
    if let Some(why) = &card.not_replayed {
        out += &format!("  {} {}\n", paint(NOTE, "not replayed:"), wrap(why, 16, 16));
    }
    out
}

fn pairs(heading: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for (label, value) in pairs {
        table.row(vec![Cell::left(label).styled(FAINT), Cell::left(value)]);
    }
    format!("{}\n{}", paint(HEADING, heading), table.render(2))
}

fn streams(card: &Card) -> String {
    if card.streams.is_empty() && card.indices.is_none() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "vertex streams"));
    for stream in &card.streams {
        let elements = if stream.elements.is_empty() {
            "the program reads none of it".into()
        } else {
            stream.elements.join(", ")
        };
        let text = format!("stride {}: {elements}", stream.stride);
        out += &format!("  {:<8} {}\n", format!("slot {}", stream.slot), wrap(&text, 11, 11));
        out += &range(&stream.range);
    }
    if let Some(indices) = &card.indices {
        out += &format!("  {:<8} {}\n", "indices", indices.format);
        out += &range(&indices.range);
    }
    if let Some(positions) = &card.positions {
        out += &format!("  {} {}\n", paint(HEADING, "newer:"), wrap(positions, 9, 9));
    }
    out
}

fn range(range: &Range) -> String {
    let part = if range.offset == 0 && range.size == range.buffer_size {
        format!("whole, {} bytes", grouped(range.size))
    } else {
        format!(
            "{} of {} bytes from {}",
            grouped(range.size),
            grouped(range.buffer_size),
            grouped(range.offset)
        )
    };
    let text = format!(
        "buffer {} \"{}\" ({}), version {}, {part}",
        range.buffer, range.name, range.usage, range.version
    );
    let mut out = format!("           {}\n", wrap(&text, 11, 13));
    let one = range.sources.len() == 1;
    for source in range.sources.iter().take(SOURCES) {
        out += &format!("             {}\n", bytes(source, one));
    }
    if range.sources.len() > SOURCES {
        out += &format!("             and {}\n", counted((range.sources.len() - SOURCES) as u64, "more run"));
    }
    out
}

fn bytes(source: &Source, alone: bool) -> String {
    let which = if alone {
        String::new()
    } else {
        format!("bytes {} to {}: ", grouped(source.from), grouped(source.from + source.length))
    };
    let writer = &source.writer;
    let (style, text) = match source.freshness {
        Freshness::ThisFrame => (GOOD, format!("written this frame by {writer}")),
        Freshness::Before => (PLAIN, "left from before the frame".to_owned()),
        Freshness::Observed => {
            (PLAIN, format!("read by the recorder here ({writer}); who wrote them is not recorded"))
        }
        Freshness::Late => (NOTE, format!("late: {writer}")),
        Freshness::Unknown => (BAD, format!("unknown: {writer}")),
    };
    format!("{which}{}", paint(style, text))
}

fn buffers(card: &Card) -> String {
    if card.buffers.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(HEADING, "constants and resources"));
    for buffer in &card.buffers {
        out += &heading(buffer);
        out += &range(&buffer.range);
        for content in &buffer.contents {
            out += &contents(content);
        }
    }
    out
}

fn heading(buffer: &Buffer) -> String {
    let name = if buffer.name.is_empty() { "(no name)" } else { &buffer.name };
    let bound = grouped(buffer.range.size);
    let size = match (buffer.declared, buffer.element) {
        (Some(declared), _) if declared == buffer.range.size => format!("{bound} bytes, as declared"),
        (Some(declared), _) => format!("{bound} bytes bound, {} declared", grouped(declared)),
        (None, Some(element)) => format!("{bound} bytes bound, elements of {element}"),
        (None, None) => format!("{bound} bytes bound, no size declared"),
    };
    format!("  {:<8} {}: {size}\n", buffer.register, paint(HEADING, name))
}

fn contents(content: &Content) -> String {
    match content {
        Content::Matrix { label, rows, translation } => {
            let mut table = Table::default();
            for row in rows {
                let mut cells = vec![Cell::left("")];
                for (column, value) in row.iter().enumerate() {
                    if column == 3 && *translation {
                        cells.push(Cell::left("| t"));
                    }
                    cells.push(Cell::right(short(super::shortest(*value))));
                }
                table.row(cells);
            }
            format!("             {label}\n{}", table.render(13))
        }
        Content::Value { label, text } => {
            format!("             {label} = {}\n", wrap(text, 16 + label.len(), 17))
        }
        Content::Remark(text) => format!("             {}\n", paint(FAINT, wrap(text, 13, 15))),
    }
}

fn verdicts(card: &Card) -> String {
    let mut out = format!("{}\n", paint(HEADING, "compared"));
    if card.verdicts.is_empty() {
        out += &format!("  {}\n", paint(NOTE, "nothing is recorded of this draw alone"));
    }
    for dump in &card.verdicts {
        let counts = format!(
            "{} of {} values equal, {} tolerated, {} different",
            grouped(dump.equal),
            grouped(dump.compared),
            grouped(dump.admitted()),
            grouped(dump.different)
        );
        let (style, verdict, text) = match dump.verdict {
            DumpVerdict::Match => (GOOD, "match", counts),
            DumpVerdict::Differ => (BAD, "differ", dump.reason.clone().unwrap_or(counts)),
            DumpVerdict::NotCompared => (NOTE, "not compared", dump.reason.clone().unwrap_or_default()),
        };
        out += &format!("  {}  {} {}\n", dump.name, paint(style, verdict), wrap(&text, 24, 11));
        if !dump.rule.is_empty() {
            out += &format!("           {}\n", paint(FAINT, wrap(&dump.rule, 11, 11)));
        }
        if !dump.worst.is_empty() {
            let which =
                if dump.different > 0 { "worst places" } else { "largest differences, all within the rule" };
            out += &format!("  {}\n", paint(HEADING, which));
        }
        for difference in &dump.worst {
            out += &place(difference);
        }
    }
    out
}
