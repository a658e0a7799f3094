//! What must happen, resolved and backend-neutral: recorded commands -> [`Plan`].
//!
//! List 0 with every `execute` inlined, map-discards as new buffer versions, writes and copies followed byte for byte,
//! so that every draw names exactly the bytes it reads and who wrote them. Executors interpret [`Plan::commands`] in
//! order. This module never sees a recorded dump, a Vulkan type or a shader's bytes.

pub mod binding;
pub mod dump;
pub mod lower;
mod reach;
pub mod select;
mod versions;
pub mod vertices;

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;

pub use binding::{StandIn, StandIns};
pub use lower::{Swaps, lower, unknown_at_end};
pub use select::{Selection, select};
pub use vertices::VertexOrder;

use crate::abi::interface::Interface;
use crate::abi::state::{Blend, Compare, Cull, Front, IndexFormat, PassKind, Topology};
use crate::abi::{
    BufferId, BufferNeed, DxgiFormat, EventId, Format, InputNeed, InputSlot, ListId, PassId, ProgramId,
    Register,
};
use crate::capture::manifest::{BufferUsage, ListKind, MeshRef, OpaqueKind, Taken};

/// A place in [`Plan::draws`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DrawIndex(pub usize);

/// A place in [`Plan::passes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassIndex(pub usize);

/// A place in [`Plan::instances`]: one execution of one list. 0 is the immediate list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceIndex(pub usize);

/// A frame, resolved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The frame's name.
    pub frame: String,
    /// Executions of lists, in execution order; the first is the immediate list.
    pub instances: Vec<ListInstance>,
    /// Every buffer of the frame.
    pub buffers: BTreeMap<BufferId, PlannedBuffer>,
    /// Every pass of the frame, in the frame's order.
    pub passes: Vec<PlannedPass>,
    /// Every execution of a draw, in execution order.
    pub draws: Vec<Draw>,
    /// What to do, in order.
    pub commands: Vec<Command>,
    /// Observed bytes held against the bytes the plan knows.
    pub input_check: InputCheck,
    /// Only the vertex stage is wanted: no pass is begun, nothing is rasterised.
    pub vertex_stage_only: bool,
    /// What an analyst's `--swap` exchanged.
    pub swaps: Swaps,
    /// Direct3D behaviour that is rarely meant.
    pub warnings: Warnings,
}

impl Plan {
    /// The pass of a draw.
    pub fn pass_of(&self, draw: &Draw) -> &PlannedPass {
        &self.passes[draw.pass.0]
    }

    /// The list instance of a draw.
    pub fn instance_of(&self, draw: &Draw) -> &ListInstance {
        &self.instances[draw.instance.0]
    }

    /// Draws with their places.
    pub fn draws(&self) -> impl Iterator<Item = (DrawIndex, &Draw)> {
        self.draws.iter().enumerate().map(|(i, d)| (DrawIndex(i), d))
    }
}

/// What is odd but allowed: for each kind how many draws, and the first one's event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(pub BTreeMap<&'static str, (u64, EventId)>);

/// One execution of one command list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListInstance {
    /// The list.
    pub list: ListId,
    /// Its kind.
    pub kind: ListKind,
    /// Its name.
    pub name: Option<String>,
    /// The `execute` that ran it; `None` for the immediate list.
    pub execute: Option<EventId>,
    /// 0 for a list's first execution, 1 for its second.
    pub ordinal: u32,
}

/// A buffer over the whole frame.
#[derive(Clone, Debug)]
pub struct PlannedBuffer {
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// How it is written.
    pub usage: BufferUsage,
    /// Versions it goes through; 0 is what the frame starts with, and each write, copy or discard makes the next.
    pub versions: u32,
    /// Contents at the frame's end, in order, without gaps.
    pub end: Vec<Piece>,
}

impl PlannedBuffer {
    /// Whether the CPU writes it in the course of a frame.
    pub fn cpu_writes(&self) -> bool {
        matches!(self.usage, BufferUsage::Dynamic | BufferUsage::Upload)
    }
}

/// A pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPass {
    /// Name.
    pub id: PassId,
    /// What it is for.
    pub kind: PassKind,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// x, y, width, height, least depth, greatest depth.
    pub viewport: [f32; 6],
    /// Colour attachments.
    pub targets: Vec<PlannedTarget>,
    /// Depth attachment.
    pub depth: Option<PlannedDepth>,
}

/// What an attachment holds when its pass begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Start<T> {
    /// Set to this value.
    Clear(T),
    /// What the attachment held before: of the pass it is shared with, or these bytes, tightly packed. `None` with
    /// nothing before it is unknown, and the attachment is then not compared.
    Keep(Option<Bytes>),
}

/// A colour attachment.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTarget {
    /// Name.
    pub name: String,
    /// Format.
    pub format: DxgiFormat,
    /// Contents at the pass's start.
    pub start: Start<[f64; 4]>,
}

/// A depth attachment.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedDepth {
    /// The pass that owns the image: this one, or the one it is shared with.
    pub owner: PassIndex,
    /// Format of the owner's image.
    pub format: DxgiFormat,
    /// Contents at the pass's start.
    pub start: Start<f64>,
    /// The pass's comparison.
    pub compare: Compare,
}

/// A step of the plan.
#[derive(Clone, Debug)]
pub enum Command {
    /// The buffer gets new contents as a whole; earlier commands keep the old ones. `bytes` is as long as the buffer.
    Discard {
        /// The buffer.
        buffer: BufferId,
        /// The version this makes; 0 for a frame's initial contents.
        version: u32,
        /// Who wrote.
        writer: Writer,
        /// The new contents.
        bytes: Bytes,
    },
    /// The CPU (or an observation) sets a part.
    Write {
        /// The buffer.
        buffer: BufferId,
        /// The version this makes.
        version: u32,
        /// Who wrote.
        writer: Writer,
        /// Where.
        offset: u64,
        /// What.
        bytes: Bytes,
    },
    /// The GPU copies from the version `src` has here.
    Copy {
        /// The copy command.
        event: EventId,
        /// The execution of its list.
        instance: InstanceIndex,
        /// Source.
        src: BufferId,
        /// Bytes.
        src_offset: u64,
        /// Destination.
        dst: BufferId,
        /// The version this makes of `dst`.
        version: u32,
        /// Bytes.
        dst_offset: u64,
        /// Bytes; more than 0.
        size: u64,
    },
    /// The pass's attachments get their start contents.
    BeginPass(PassIndex),
    /// A draw. Executors leave out those whose [`Draw::replay`] is an `Err`.
    Draw(DrawIndex),
}

/// Who wrote bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// The frame started with them, taken then.
    Initial(Taken),
    /// A command, in one execution of its list.
    Command {
        /// The command.
        event: EventId,
        /// The execution.
        instance: InstanceIndex,
        /// What it was.
        kind: WriteKind,
    },
}

/// Commands that write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriteKind {
    /// `map_discard`.
    MapDiscard,
    /// `write`.
    Write,
    /// `copy`.
    Copy,
    /// `observe`, where the bytes were unknown.
    Observe,
}

impl WriteKind {
    /// The command's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MapDiscard => "map_discard",
            Self::Write => "write",
            Self::Copy => "copy",
            Self::Observe => "observe",
        }
    }
}

/// Why bytes are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// The frame records no contents and nothing wrote them.
    NeverWritten,
    /// Opaque work wrote them.
    Opaque(EventId, OpaqueKind),
    /// Work that is not replayed also writes the buffer.
    GpuWritten,
}

/// A run of bytes with one history.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Bytes.
    pub len: u64,
    /// What is there.
    pub source: PieceSource,
}

/// Where a piece's bytes come from.
#[derive(Clone, Debug)]
pub enum PieceSource {
    /// Known bytes, `len` of them. `writer` is the last command that put them here (a copy, not what its source was
    /// written by); `late` says that they rest on contents taken later than the frame's start.
    Known {
        /// The bytes.
        bytes: Bytes,
        /// Who put them here.
        writer: Writer,
        /// Whether they rest on late contents.
        late: bool,
    },
    /// Not known.
    Unknown(Unknown),
}

/// A range of a buffer's version as a draw binds it.
#[derive(Clone, Debug)]
pub struct BoundRange {
    /// The buffer.
    pub buffer: BufferId,
    /// The version at the draw.
    pub version: u32,
    /// Byte offset in the buffer.
    pub offset: u64,
    /// Bound bytes. For a stream or index buffer: all to the buffer's end.
    pub size: u64,
    /// What the first bytes of the range hold, in order, without gaps: for a constant buffer or resource all of
    /// `size`, for a stream or index buffer at least all that the draw can fetch.
    pub pieces: Vec<Piece>,
}

impl BoundRange {
    /// Bytes that `pieces` covers.
    pub fn covered(&self) -> u64 {
        self.pieces.iter().map(|p| p.len).sum()
    }

    /// The covered bytes in one run; unknown ones read as zero (a draw that reads unknown bytes is not replayed).
    /// Without a copy where one piece covers all.
    pub fn gather(&self) -> Bytes {
        if let [Piece { source: PieceSource::Known { bytes, .. }, .. }] = self.pieces.as_slice() {
            return bytes.clone();
        }
        let mut out = Vec::new();
        for piece in &self.pieces {
            match &piece.source {
                PieceSource::Known { bytes, .. } => out.extend_from_slice(bytes),
                PieceSource::Unknown(_) => out.resize(out.len() + piece.len as usize, 0),
            }
        }
        out.into()
    }

    /// The pieces that overlap `[from, to)`, relative to the range, with their starts.
    pub fn overlapping(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, &Piece)> {
        let mut at = 0;
        self.pieces.iter().filter_map(move |piece| {
            let start = at;
            at += piece.len;
            (start < to && at > from).then_some((start, piece))
        })
    }

    /// The last writer of every byte of the range that is known, each once.
    pub fn writers(&self) -> std::collections::BTreeSet<Writer> {
        self.pieces
            .iter()
            .filter_map(|p| match p.source {
                PieceSource::Known { writer, .. } => Some(writer),
                PieceSource::Unknown(_) => None,
            })
            .collect()
    }
}

/// A vertex stream of a draw.
#[derive(Clone, Debug)]
pub struct BoundStream {
    /// The bytes.
    pub range: BoundRange,
    /// Bytes from one element to the next; 0 reads one for all.
    pub stride: u32,
}

/// The index buffer of a draw. `range` starts at the binding's offset; `first` of the draw counts from there.
#[derive(Clone, Debug)]
pub struct BoundIndices {
    /// The bytes.
    pub range: BoundRange,
    /// Width.
    pub format: IndexFormat,
}

/// Fixed-function state, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawState {
    /// Faces dropped.
    pub cull: Cull,
    /// Winding of the front.
    pub front: Front,
    /// Whether depth is stored.
    pub depth_write: bool,
    /// The test.
    pub depth_compare: Compare,
    /// Channels written, red first.
    pub color_write: [bool; 4],
    /// Blending.
    pub blend: Option<Blend>,
    /// x, y, width, height; the pass's whole area where the draw has none.
    pub scissor: [i64; 4],
}

/// One execution of a draw.
#[derive(Clone, Debug)]
pub struct Draw {
    /// The command.
    pub event: EventId,
    /// The execution of its list.
    pub instance: InstanceIndex,
    /// The pass.
    pub pass: PassIndex,
    /// The captured program.
    pub program: ProgramId,
    /// Its name.
    pub program_name: String,
    /// The mesh, where recorded.
    pub mesh: Option<MeshRef>,
    /// What the vertices make up.
    pub topology: Topology,
    /// The index buffer; `None` for a non-indexed draw.
    pub indices: Option<BoundIndices>,
    /// Indices, or vertices of a non-indexed draw.
    pub count: u32,
    /// First index, or first vertex of a non-indexed draw.
    pub first: u32,
    /// Added to every index; 0 for a non-indexed draw.
    pub base_vertex: i32,
    /// Instances.
    pub instance_count: u32,
    /// Offsets per-instance streams only.
    pub first_instance: u32,
    /// Vertex streams by slot.
    pub streams: BTreeMap<InputSlot, BoundStream>,
    /// Constant buffers and resources by register.
    pub buffers: BTreeMap<Register, BoundRange>,
    /// Fixed-function state.
    pub state: DrawState,
    /// How the draw is replayed, or why it is not.
    pub replay: Result<Binding, NotReplayed>,
}

/// A stand-in tied to what a draw binds.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The shader's name.
    pub shader: String,
    /// What it needs and gives.
    pub interface: Interface,
    /// Its inputs, in the interface's order.
    pub inputs: Vec<BoundInput>,
    /// Its buffers, in the interface's order.
    pub buffers: Vec<BoundBuffer>,
    /// For each of the interface's targets the pass target it is written to.
    pub targets: Vec<Option<usize>>,
    /// How instances find their records.
    pub instances: InstanceAddressing,
    /// The two view-projections of `cbMatrixWVP` change places (an analyst's swap).
    pub swap_views: bool,
    /// Something the shader reads rests on late contents.
    pub reads_late: bool,
}

/// A vertex input tied to a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundInput {
    /// What the shader needs.
    pub need: InputNeed,
    /// The stream's slot. It may be unbound in the draw: then every fetch yields zero.
    pub slot: InputSlot,
    /// Byte offset in the element.
    pub offset: u32,
    /// Format of the captured layout.
    pub format: Format,
    /// `Some(rate)`: advances by instance, every `rate` instances (0: never).
    pub step_rate: Option<u32>,
}

/// A buffer tied to a register.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundBuffer {
    /// What the shader needs.
    pub need: BufferNeed,
    /// The register the captured program declares and the draw binds; `None` for an absent optional one.
    pub register: Option<Register>,
}

/// How an instance finds its record of `cbInstanceData` and its first palette entry (captures/README.md, "The draw model", "Arithmetic").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceAddressing {
    /// Bytes of a record: as the program declares, else 208.
    pub record_size: u32,
    /// Added to SV_InstanceID before `g_InstanceIndexBuffer` is read (`VC_InstanceIdxOffset`).
    pub index_offset: u32,
    /// Byte offset of the world matrix in a record.
    pub world_offset: u32,
    /// Byte offset of the fade alpha in a record (48 is assumed).
    pub fade_offset: u32,
    /// Byte offset in the record of the palette's first entry number (`matricesData.x`), where reflection has it.
    pub palette_first_offset: Option<u32>,
}

/// Why a draw is not replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotReplayed {
    /// No `[[program]]` names a shader for it.
    NoStandIn,
    /// The recorder says it cannot be executed; all its reasons.
    Unsupported(Vec<String>),
    /// The stand-in needs what the captured program or the draw lacks.
    Missing(String),
    /// It reads bytes that are not known.
    UnknownInputs(String),
    /// It would execute a format, topology or size outside what this project executes.
    NotExecutable(String),
    /// Left out with `--frame`, `--pass` or `--draw`.
    NotSelected,
}

impl fmt::Display for NotReplayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStandIn => write!(f, "no stand-in for its program"),
            Self::Unsupported(reasons) => write!(f, "unsupported: {}", reasons.join(", ")),
            Self::Missing(what) => write!(f, "the stand-in needs {what}"),
            Self::UnknownInputs(what) => write!(f, "inputs unknown: {what}"),
            Self::NotExecutable(what) => write!(f, "not executable: {what}"),
            Self::NotSelected => write!(f, "not selected"),
        }
    }
}

/// What observations said about the bytes the plan knows (captures/README.md, `observe`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputCheck {
    /// Observations of known bytes.
    pub checked: u64,
    /// All bytes equal.
    pub equal: u64,
    /// Some byte different.
    pub different: Vec<InputDifference>,
    /// Observations whose bytes were not known before: adopted.
    pub unknown: u64,
    /// Observations that replaced late bytes, without a verdict.
    pub late: u64,
}

/// An observation that disagrees with the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct InputDifference {
    /// The observation.
    pub event: EventId,
    /// The buffer.
    pub buffer: BufferId,
    /// First differing byte, in the buffer.
    pub offset: u64,
    /// Differing bytes.
    pub bytes: u64,
    /// The plan's byte there.
    pub planned: u8,
    /// The observed byte there.
    pub observed: u8,
    /// Who wrote the plan's byte.
    pub writer: Writer,
}
