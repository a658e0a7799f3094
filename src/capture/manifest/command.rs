//! The commands of a list, and what was recorded of a draw.

use serde::{Deserialize, Serialize};

use super::keys::{blend, is_zero, one_u32};
use super::{BlobHash, Extra, MeshRef, Taken};
use crate::abi::state::{Blend, Compare, Cull, Front, IndexFormat, Topology};
use crate::abi::{BufferId, DxgiFormat, EventId, InputSlot, ListId, PassId, ProgramId};

/// A recorded command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Command {
    /// A CPU write of a whole buffer that gives it new contents.
    MapDiscard(MapDiscard),
    /// A CPU write of a part.
    Write(Write),
    /// A GPU copy between buffers.
    Copy(Copy),
    /// Runs another list here.
    Execute(Execute),
    /// Draws.
    Draw(Box<Draw>),
    /// Work that is carried but not executed.
    Opaque(Opaque),
    /// Bytes the recorder read here.
    Observe(Observe),
}

impl Command {
    /// The command's number.
    pub fn event(&self) -> EventId {
        match self {
            Self::MapDiscard(c) => c.event,
            Self::Write(c) => c.event,
            Self::Copy(c) => c.event,
            Self::Execute(c) => c.event,
            Self::Draw(c) => c.event,
            Self::Opaque(c) => c.event,
            Self::Observe(c) => c.event,
        }
    }

    /// The command's `op`.
    pub fn op(&self) -> &'static str {
        match self {
            Self::MapDiscard(_) => "map_discard",
            Self::Write(_) => "write",
            Self::Copy(_) => "copy",
            Self::Execute(_) => "execute",
            Self::Draw(_) => "draw",
            Self::Opaque(_) => "opaque",
            Self::Observe(_) => "observe",
        }
    }
}

/// `map_discard`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct MapDiscard {
    pub event: EventId,
    pub buffer: BufferId,
    /// As long as the buffer.
    pub blob: BlobHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `write`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Write {
    pub event: EventId,
    pub buffer: BufferId,
    pub offset: u64,
    pub blob: BlobHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `copy`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Copy {
    pub event: EventId,
    pub src: BufferId,
    pub src_offset: u64,
    pub dst: BufferId,
    pub dst_offset: u64,
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `execute`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Execute {
    pub event: EventId,
    pub list: ListId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `opaque`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Opaque {
    pub event: EventId,
    pub kind: OpaqueKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is unknown from here on.
    #[serde(default)]
    pub writes: Vec<OpaqueWrite>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Kinds of work that is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum OpaqueKind {
    Dispatch,
    StreamOut,
    Uav,
    Indirect,
    Copy,
    Unknown,
}

/// A range that opaque work writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct OpaqueWrite {
    pub buffer: BufferId,
    pub offset: u64,
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `observe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Observe {
    pub event: EventId,
    pub buffer: BufferId,
    pub offset: u64,
    pub blob: BlobHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `draw`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Draw {
    pub event: EventId,
    pub pass: PassId,
    pub program: ProgramId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshRef>,
    pub topology: Topology,
    /// Absent: non-indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexBinding>,
    /// Indexed draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_index: Option<u32>,
    /// May be negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_vertex: Option<i32>,
    /// Non-indexed draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertex_count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_vertex: Option<u32>,
    #[serde(default = "one_u32")]
    pub instance_count: u32,
    #[serde(default)]
    pub first_instance: u32,
    #[serde(default)]
    pub streams: Vec<StreamBinding>,
    #[serde(default)]
    pub constants: Vec<RangeBinding>,
    #[serde(default)]
    pub resources: Vec<RangeBinding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<DrawState>,
    /// Reasons why this draw cannot be executed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Recorded dumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<DrawRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// The index buffer of a draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct IndexBinding {
    pub buffer: BufferId,
    pub format: IndexFormat,
    #[serde(default)]
    pub offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A vertex stream of a draw; it reaches to its buffer's end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct StreamBinding {
    pub slot: InputSlot,
    pub buffer: BufferId,
    #[serde(default)]
    pub offset: u64,
    pub stride: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A bound range of a constant buffer or resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RangeBinding {
    pub register: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub space: u32,
    pub buffer: BufferId,
    #[serde(default)]
    pub offset: u64,
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `state` of a draw. What is absent has the format's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct DrawState {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cull: Option<Cull>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_write: Option<bool>,
    /// Absent: the pass's `compare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_compare: Option<Compare>,
    /// Letters of `rgba`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_write: Option<String>,
    #[serde(default, deserialize_with = "blend", skip_serializing_if = "Option::is_none")]
    pub blend: Option<Blend>,
    /// x, y, width, height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scissor: Option<[i64; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// `recorded` of a draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct DrawRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_vs: Option<PostVsRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Recorded outputs of the vertex stage: tightly packed in layout order, instance-major.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostVsRecord {
    /// The bytes.
    pub blob: BlobHash,
    /// When they were taken.
    pub taken: Taken,
    /// What a record stands for.
    pub order: PostVsOrder,
    /// `vertex` order: the first vertex number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_vertex: Option<i64>,
    /// `vertex` order: the number of vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertex_count: Option<u64>,
    /// The fields of a record.
    pub layout: Vec<OutputElement>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// What a record of a post-VS dump stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PostVsOrder {
    /// A vertex of the vertex buffer.
    Vertex,
    /// An index in draw order, restarts skipped.
    Index,
}

/// A field of a post-VS record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct OutputElement {
    pub semantic: String,
    pub index: u32,
    pub format: DxgiFormat,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}
