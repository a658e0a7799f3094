//! JSON and TOML to the types of `manifest`, and what serde says of a fault to place, found and expected.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

use super::error::Fault;
use super::manifest::{CaptureFile, Copy, Draw, Execute, FrameFile, MapDiscard, Observe, Opaque, Write};

/// Reads `frame.json`.
pub(super) fn frame_file(bytes: &[u8]) -> Result<FrameFile, Fault> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let file = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let steps: Vec<&Segment> = error.path().iter().collect();
        let inner = error.inner();
        let mut place = spelled(error.path());
        let mut message = inner.to_string();
        // serde reads a command whole before it knows which kind it is, and forgets the places within.
        if inner.is_data()
            && let [
                Segment::Map { key },
                Segment::Seq { index: list },
                Segment::Map { .. },
                Segment::Seq { index },
            ] = steps.as_slice()
            && key == "lists"
            && let Some((within, what)) = command_fault(bytes, *list, *index)
        {
            message = what;
            if within != "." {
                place = format!("{place}.{within}");
            }
        }
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        let place = at_line(&place, inner.line(), inner.column());
        if inner.is_data() { of_message(place, message) } else { of_syntax(place, message, "JSON") }
    })?;
    json.end().map_err(|error| {
        let place = at_line(".", error.line(), error.column());
        Fault::new(place, "more after the end of the object", "one JSON object")
    })?;
    Ok(file)
}

/// The place and the message of a fault within a command, by reading that command again for what its `op` says.
fn command_fault(bytes: &[u8], list: usize, index: usize) -> Option<(String, String)> {
    fn fault<T: DeserializeOwned>(value: serde_json::Value) -> Option<(String, String)> {
        let error = serde_path_to_error::deserialize::<_, T>(value).err()?;
        Some((spelled(error.path()), error.inner().to_string()))
    }
    let file: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let mut command = file.get("lists")?.get(list)?.get("commands")?.get(index)?.clone();
    let op = command.as_object_mut()?.remove("op")?;
    match op.as_str()? {
        "map_discard" => fault::<MapDiscard>(command),
        "write" => fault::<Write>(command),
        "copy" => fault::<Copy>(command),
        "execute" => fault::<Execute>(command),
        "draw" => fault::<Draw>(command),
        "opaque" => fault::<Opaque>(command),
        "observe" => fault::<Observe>(command),
        _ => None,
    }
}

/// Reads `capture.toml`.
pub(super) fn capture_file(text: &str) -> Result<CaptureFile, Fault> {
    let place = |path: &str, error: &toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        at_line(path, line, column)
    };
    let toml = toml::Deserializer::parse(text)
        .map_err(|error| of_syntax(place(".", &error), error.message(), "TOML"))?;
    serde_path_to_error::deserialize(toml)
        .map_err(|error| of_message(place(&spelled(error.path()), error.inner()), error.inner().message()))
}

/// A path without the steps that serde's buffering hides.
fn spelled(path: &Path) -> String {
    let text = path.to_string();
    text.trim_end_matches(".?").replace(".?[", "[").to_owned()
}

fn at_line(path: &str, line: usize, column: usize) -> String {
    match path {
        "." | "?" => format!("line {line}, column {column}"),
        _ => format!("{path} (line {line}, column {column})"),
    }
}

fn of_syntax(place: String, message: &str, language: &str) -> Fault {
    let found = match message.strip_prefix("EOF while parsing ") {
        Some(what) => format!("the end of the file within {what}"),
        None => format!("a fault of syntax ({})", message.trim().replace('\n', ", ")),
    };
    Fault::new(place, found, language)
}

/// What serde says, as what was found and what was expected.
fn of_message(place: String, message: &str) -> Fault {
    let message = message.trim();
    if let Some(field) = message.strip_prefix("missing field ") {
        return Fault::new(place, format!("no key {field}"), "that key");
    }
    if let Some(field) = message.strip_prefix("duplicate field ") {
        return Fault::new(place, format!("the key {field} twice"), "it once");
    }
    // The texts of this project's own names; serde's may quote the file, so that theirs are split from the end.
    if let Some((found, expected)) = message.split_once("; expected ") {
        return Fault::new(place, found.replacen(" is no ", ", which is no ", 1), expected);
    }
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return Fault::new(place, message, "a value of the format");
    };
    let kinds = [
        ("unknown field ", "the unknown key "),
        ("unknown variant ", ""),
        ("invalid type: ", ""),
        ("invalid value: ", ""),
        ("invalid length ", "the length "),
    ];
    let found = kinds
        .iter()
        .find_map(|(prefix, instead)| Some(format!("{instead}{}", found.strip_prefix(prefix)?)))
        .unwrap_or_else(|| found.to_owned());
    Fault::new(place, found, in_words(expected))
}

/// Rust's names of what was expected, in words of the format.
fn in_words(expected: &str) -> &str {
    match expected {
        "u64" => "an integer, 0 or more",
        "u32" => "an integer, 0 to 4294967295",
        "i64" => "an integer",
        "i32" => "an integer of 32 bits",
        "f32" | "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a sequence" => "an array",
        _ if expected.starts_with("tuple struct BlendEquation") => "two factors and an operation",
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged enum ") => {
            "an object"
        }
        _ if expected.starts_with("enum ") || expected == "variant identifier" => "a name",
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_says_becomes_found_and_expected() {
        let cases = [
            ("missing field `op`", "no key `op`", "that key"),
            ("duplicate field `id`", "the key `id` twice", "it once"),
            ("unknown field `a`, expected `b` or `c`", "the unknown key `a`", "`b` or `c`"),
            ("unknown field `a, expected b`, expected `c`", "the unknown key `a, expected b`", "`c`"),
            ("invalid type: string \"x\", expected u64", "string \"x\"", "an integer, 0 or more"),
            ("invalid type: null, expected struct Draw", "null", "an object"),
            ("`x` is no DXGI format; expected a name", "`x`, which is no DXGI format", "a name"),
            ("something new", "something new", "a value of the format"),
        ];
        for (message, found, expected) in cases {
            assert_eq!(of_message("p".into(), message), Fault::new("p", found, expected));
        }
    }
}
