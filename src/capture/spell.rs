//! How `frame.json` is spelled: one line for each entry of a table and each command, keys in the format's order, so
//! that equal frames are equal files and a changed draw is a changed line.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

use super::manifest::{FrameFile, ListEntry};

/// One line, with a space after each colon and comma.
struct OneLine;

impl Formatter for OneLine {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

fn line(value: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, OneLine))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// An array with an entry a line, indented by `depth` spaces.
fn table<T>(entries: &[T], depth: usize, spell: impl Fn(&T) -> io::Result<String>) -> io::Result<String> {
    let lines = entries.iter().map(|entry| Ok(format!("\n{:depth$}{}", "", spell(entry)?)));
    Ok(format!("[{}]", lines.collect::<io::Result<Vec<_>>>()?.join(",")))
}

fn list(list: &ListEntry) -> io::Result<String> {
    let ListEntry { id, kind, name, commands, extra } = list;
    let mut text = format!("{{\"id\": {id}, \"kind\": {}", line(kind)?);
    if let Some(name) = name {
        text.push_str(&format!(", \"name\": {}", line(name)?));
    }
    text.push_str(&format!(", \"commands\": {}", table(commands, 3, line)?));
    if let Some(extra) = extra {
        text.push_str(&format!(",\n   \"extra\": {}", line(extra)?));
    }
    text.push('}');
    Ok(text)
}

/// The text of a frame file.
pub(super) fn frame(file: &FrameFile) -> io::Result<String> {
    let FrameFile { label, values, buffers, programs, passes, lists, extra } = file;
    let mut keys = Vec::new();
    if let Some(label) = label {
        keys.push(format!("\"label\": {}", line(label)?));
    }
    if !values.is_empty() {
        keys.push(format!("\"values\": {}", line(values)?));
    }
    keys.push(format!("\"buffers\": {}", table(buffers, 2, line)?));
    keys.push(format!("\"programs\": {}", table(programs, 2, line)?));
    keys.push(format!("\"passes\": {}", table(passes, 2, line)?));
    keys.push(format!("\"lists\": {}", table(lists, 2, list)?));
    if let Some(extra) = extra {
        keys.push(format!("\"extra\": {}", line(extra)?));
    }
    Ok(format!("{{{}}}\n", keys.join(",\n ")))
}
