//! Why a file could not be read, and what is odd in one that could.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

/// Why bytes are refused. Fits after "could not read FILE: ".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The signature is another.
    #[error("not a {format} file: it starts with {found}")]
    Magic {
        /// What was expected.
        format: &'static str,
        /// The first bytes, escaped.
        found: String,
    },
    /// A version nobody has described.
    #[error("unknown {format} version {version:#x}")]
    Version {
        /// The format.
        format: &'static str,
        /// The version found.
        version: u32,
    },
    /// FLVER0, which shares the signature only.
    #[error("version {version:#x} is FLVER0, another format with the same signature")]
    Flver0 {
        /// The version found.
        version: u32,
    },
    /// A header word that is a constant of the format.
    #[error("{field} at {offset:#x} is {found}, and {expected} in every file of the format")]
    Constant {
        /// The field.
        field: &'static str,
        /// Its place in the file.
        offset: u64,
        /// What it must be.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// A count below zero, or one beyond what the format can mean.
    #[error("{what} at {offset:#x}: a count of {count}")]
    Count {
        /// What is counted.
        what: String,
        /// The place of the table or list.
        offset: u64,
        /// The count.
        count: i64,
    },
    /// The data block begins past the end of the file.
    #[error("data begins at {offset:#x}, past the end of a file of {len} bytes")]
    DataPastEnd {
        /// Where it would begin.
        offset: u64,
        /// Bytes there are.
        len: u64,
    },
    /// Something ends past the end of the file.
    #[error("{what} at {offset:#x} takes {needed} bytes, and the file ends at {len:#x}")]
    Truncated {
        /// What.
        what: String,
        /// Where it begins.
        offset: u64,
        /// Bytes it takes.
        needed: u64,
        /// Bytes there are.
        len: u64,
    },
    /// Bytes after the last table of a format whose tables fill the file.
    #[error("the tables take {needed} bytes, and the file has {len}")]
    LeftOver {
        /// Bytes of the tables.
        needed: u64,
        /// Bytes there are.
        len: u64,
    },
    /// PlayStation 3 Edge geometry.
    #[error("{what} at {offset:#x} is edge-compressed (PlayStation 3 Edge geometry), which is not supported")]
    EdgeCompressed {
        /// `face set 3`, `vertex buffer 0`, `layout 1 member 2`.
        what: String,
        /// The place of its record.
        offset: u64,
    },
    /// Indices of a width nobody stores.
    #[error("face set {index} at {offset:#x}: indices of {bits} bits")]
    IndexSize {
        /// Which.
        index: usize,
        /// The place of its record.
        offset: u64,
        /// The width.
        bits: i32,
    },
    /// A vertex member of a type whose size is not known.
    #[error("layout {layout} member {member} at {offset:#x}: unknown type {kind:#x} (semantic {semantic})")]
    MemberType {
        /// Which layout.
        layout: usize,
        /// Which member of it.
        member: usize,
        /// The place of its record.
        offset: u64,
        /// The type.
        kind: u32,
        /// The semantic.
        semantic: u32,
    },
    /// A vertex member that does not begin where the one before it ends.
    #[error(
        "layout {layout} member {member} at {offset:#x}: begins at byte {found} of the vertex, and the members before it end at {expected}"
    )]
    MemberOffset {
        /// Which layout.
        layout: usize,
        /// Which member of it.
        member: usize,
        /// The place of its record.
        offset: u64,
        /// The offset found.
        found: i64,
        /// The sum of the sizes before it.
        expected: u64,
    },
    /// The layout of a buffer and its vertex size disagree.
    #[error(
        "vertex buffer {buffer} at {offset:#x}: vertices of {found} bytes, and layout {layout} describes {expected}"
    )]
    VertexSize {
        /// Which buffer.
        buffer: usize,
        /// The place of its record.
        offset: u64,
        /// Its layout.
        layout: i32,
        /// The vertex size of the record.
        found: i32,
        /// The size of the layout.
        expected: u64,
    },
    /// A number that names something that is not there, where nothing could be read without it.
    #[error("{what} at {offset:#x} names {target} {index}, of {count}")]
    Reference {
        /// Who names it.
        what: String,
        /// The place of its record.
        offset: u64,
        /// What it names.
        target: &'static str,
        /// The number.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A container whose codec is not known, or whose stream is broken.
    #[error("DCX of kind {kind}: {reason}")]
    Compression {
        /// The kind's four bytes, escaped.
        kind: String,
        /// Why.
        reason: String,
    },
    /// A string without its end.
    #[error("the string at {offset:#x} has no end")]
    Text {
        /// Where it begins.
        offset: u64,
    },
    /// A binder holds no such member.
    #[error("no member {name}; it has {members}")]
    Member {
        /// What was asked for.
        name: String,
        /// What there is, shortened.
        members: String,
    },
    /// A parameter row too short for its fields.
    #[error("a row of {len} bytes, and the fields of {game} need {needed}")]
    Row {
        /// The game whose row it should be.
        game: &'static str,
        /// Bytes there are.
        len: usize,
        /// Bytes needed.
        needed: usize,
    },
}

impl FormatError {
    /// The rule that the file breaks, in a few words that stay the same whatever the numbers.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Magic { .. } => "magic",
            Self::Version { .. } => "unknown version",
            Self::Flver0 { .. } => "FLVER0 version",
            Self::Constant { field, .. } => field,
            Self::Count { .. } => "count",
            Self::DataPastEnd { .. } => "data past the end",
            Self::Truncated { .. } => "truncated",
            Self::LeftOver { .. } => "bytes left over",
            Self::EdgeCompressed { what, .. } if what.starts_with("face set") => "edge-compressed face set",
            Self::EdgeCompressed { .. } => "edge-compressed vertex buffer",
            Self::IndexSize { .. } => "index size",
            Self::MemberType { .. } => "unknown member type",
            Self::MemberOffset { .. } => "member offset",
            Self::VertexSize { .. } => "vertex size not the layout size",
            Self::Reference { .. } => "reference out of range",
            Self::Compression { .. } => "compression",
            Self::Text { .. } => "string without end",
            Self::Member { .. } => "no such member",
            Self::Row { .. } => "row too short",
        }
    }

    pub(crate) fn magic(format: &'static str, bytes: &[u8]) -> Self {
        let found = bytes.get(..4.min(bytes.len())).unwrap_or_default();
        let found =
            if found.is_empty() { "nothing".to_owned() } else { format!("\"{}\"", found.escape_ascii()) };
        Self::Magic { format, found }
    }
}

/// Something that breaks a rule of a format in a file that can be read all the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The rule, in words that stay the same whatever the numbers.
    pub rule: &'static str,
    /// Where: `node 3`, `volume 1`.
    pub place: String,
    /// What is there.
    pub text: String,
}

impl Problem {
    pub(crate) fn new(rule: &'static str, place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { rule, place: place.into(), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.place, self.text, self.rule)
    }
}

/// Problems as they are found: of each rule only the first are told one by one, and the rest as a count, so that a file of
/// nothing but faults does not cost many times its size.
#[derive(Default)]
pub(crate) struct Problems {
    told: Vec<Problem>,
    found: BTreeMap<&'static str, usize>,
}

impl Problems {
    const TOLD: usize = 32;

    pub(crate) fn add(
        &mut self,
        rule: &'static str,
        place: impl FnOnce() -> String,
        text: impl FnOnce() -> String,
    ) {
        let found = self.found.entry(rule).or_default();
        *found += 1;
        if *found <= Self::TOLD {
            self.told.push(Problem::new(rule, place(), text()));
        }
    }

    pub(crate) fn told(mut self) -> Vec<Problem> {
        for (rule, found) in self.found {
            if let Some(more) = found.checked_sub(Self::TOLD).filter(|more| *more > 0) {
                self.told.push(Problem::new(rule, "elsewhere", format!("{more} more")));
            }
        }
        self.told
    }
}
