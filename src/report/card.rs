//! The card of one draw: its program, everything it binds with who wrote the bytes, its constants decoded, its verdict.

mod text;

use serde::Serialize;

use super::DumpReport;
use super::json::{Number, Place, pretty};
use crate::finding::DumpVerdict;

/// A draw, laid open.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// Frame.
    pub frame: String,
    /// The draw command.
    pub event: u64,
    /// The execution of its list, in words: `list 3 "bodies"`.
    pub list: String,
    /// Which execution of the list, from 1.
    pub execution: u32,
    /// Pass, with its kind: `motion_vector`.
    pub pass: String,
    /// Mesh, where recorded.
    pub mesh: Option<String>,
    /// What the captured program declares.
    pub program: Program,
    /// The shader that stands in for it.
    pub stand_in: Option<StandIn>,
    /// Why the draw is not replayed.
    pub not_replayed: Option<String>,
    /// What is drawn: label and value, in the order of reading.
    pub geometry: Vec<(String, String)>,
    /// Vertex streams, by slot.
    pub streams: Vec<Stream>,
    /// The index buffer.
    pub indices: Option<Indices>,
    /// Which of POSITION0 and POSITION1 holds the newer bytes, in words.
    pub positions: Option<String>,
    /// Constant buffers and resources, by register.
    pub buffers: Vec<Buffer>,
    /// Fixed-function state: label and value.
    pub state: Vec<(String, String)>,
    /// What was compared of it.
    #[serde(serialize_with = "dump_verdicts")]
    pub verdicts: Vec<DumpReport>,
}

/// A captured program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Its number in the frame.
    pub id: u64,
    /// Name.
    pub name: String,
    /// SHA-256 of its bytecode.
    pub hash: Option<String>,
    /// What the bytecode is.
    pub encoding: Option<String>,
    /// Declared inputs: `POSITION0 r32g32b32_float, slot 0 + 0`.
    pub inputs: Vec<String>,
    /// Declared constant buffers and resources: `b5 cbObjMatrix, 288 bytes`.
    pub buffers: Vec<String>,
}

/// A shader of this project, tied to what the draw binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandIn {
    /// Name.
    pub shader: String,
    /// Where it finds each input and buffer: `POSITION0 at slot 0 + 0`, `cbObjMatrix at b5`.
    pub binds: Vec<String>,
    /// Something it reads rests on bytes taken late.
    pub reads_late: bool,
}

/// How new bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// A command of this frame wrote them.
    ThisFrame,
    /// They were there when the frame began.
    Before,
    /// A recorder read them here; who wrote them is not recorded.
    Observed,
    /// They rest on contents taken later than the frame's start.
    Late,
    /// Nobody knows them.
    Unknown,
}

/// A run of bytes with one history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// First byte, in the bound range.
    pub from: u64,
    /// Bytes.
    pub length: u64,
    /// How new they are.
    pub freshness: Freshness,
    /// Who wrote them, in words.
    pub writer: String,
}

/// A bound range of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Range {
    /// Buffer number.
    pub buffer: u64,
    /// Buffer name.
    pub name: String,
    /// `static`, `dynamic`, `default`, `upload`.
    pub usage: String,
    /// Version of the buffer at the draw.
    pub version: u32,
    /// Bytes from the buffer's start.
    pub offset: u64,
    /// Bound bytes.
    pub size: u64,
    /// Bytes of the buffer.
    pub buffer_size: u64,
    /// The draw's own bytes, run by run.
    pub sources: Vec<Source>,
}

/// A vertex stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stream {
    /// Input slot.
    pub slot: u32,
    /// What the program reads from it: `POSITION0 r32g32b32_float + 0`.
    pub elements: Vec<String>,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// The bytes.
    pub range: Range,
}

/// An index buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Indices {
    /// `u16` or `u32`.
    pub format: String,
    /// The bytes.
    pub range: Range,
}

/// A constant buffer or resource.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Buffer {
    /// Register: `b5`.
    pub register: String,
    /// Name, where one is known.
    pub name: String,
    /// Bytes that the program declares of a constant buffer; `None` where it declares none.
    pub declared: Option<u64>,
    /// Bytes of a resource's element, where declared.
    pub element: Option<u64>,
    /// The bytes.
    pub range: Range,
    /// What they say.
    pub contents: Vec<Content>,
}

/// Decoded contents of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Rows of four in memory order. With `translation` the fourth column moves, and the others turn and scale.
    Matrix {
        /// What it is.
        label: String,
        /// The rows.
        #[serde(serialize_with = "matrix_rows")]
        rows: Vec<[f32; 4]>,
        /// Whether the fourth column is a translation.
        translation: bool,
    },
    /// A named value.
    Value {
        /// What it is.
        label: String,
        /// The value in words.
        text: String,
    },
    /// A remark.
    Remark(String),
}

impl Card {
    /// As text.
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// As JSON.
    pub fn json(&self) -> String {
        pretty(self)
    }
}

fn matrix_rows<S: serde::Serializer>(rows: &[[f32; 4]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(|row| row.map(|v| Number(shortest(v)))))
}

/// The float64 whose shortest digits are those of the f32: 0.1 and not 0.10000000149.
fn shortest(value: f32) -> f64 {
    if value.is_finite() { value.to_string().parse().unwrap_or(f64::from(value)) } else { value.into() }
}

fn dump_verdicts<S: serde::Serializer>(verdicts: &[DumpReport], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Verdict<'a> {
        name: &'a str,
        verdict: DumpVerdict,
        reason: Option<&'a str>,
        rule: &'a str,
        compared: u64,
        equal: u64,
        tolerated: u64,
        different: u64,
        worst: Vec<Place<'a>>,
    }
    serializer.collect_seq(verdicts.iter().map(|dump| Verdict {
        name: &dump.name,
        verdict: dump.verdict,
        reason: dump.reason.as_deref(),
        rule: &dump.rule,
        compared: dump.compared,
        equal: dump.equal,
        tolerated: dump.admitted(),
        different: dump.different,
        worst: dump.worst.iter().map(Place::of).collect(),
    }))
}
