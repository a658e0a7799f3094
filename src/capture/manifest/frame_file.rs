//! `frame.json`: the tables of a frame, and its command lists.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::keys::{is_one, is_zero, one, without_extra};
use super::{BlobHash, Command, Extra, OutputElement};
use crate::abi::state::{Compare, PassKind};
use crate::abi::{BufferId, DxgiFormat, InputSlot, ListId, PassId, ProgramId};

/// `frames/<name>/frame.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameFile {
    /// What a person calls the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Numbers that claims use, such as `speedtree_time`.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// The buffer table.
    pub buffers: Vec<BufferEntry>,
    /// The program table.
    pub programs: Vec<ProgramEntry>,
    /// The passes.
    pub passes: Vec<PassEntry>,
    /// The command lists; list 0 is the immediate one.
    pub lists: Vec<ListEntry>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Bytes of a blob and when they were taken. An `extra` is read over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ContentEntry")]
pub struct Content {
    /// The blob.
    pub blob: BlobHash,
    /// The moment the recorder copied it.
    pub taken: Taken,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentEntry {
    blob: BlobHash,
    taken: Taken,
    #[serde(default, rename = "extra")]
    _extra: Option<IgnoredAny>,
}

impl From<ContentEntry> for Content {
    fn from(ContentEntry { blob, taken, .. }: ContentEntry) -> Self {
        Self { blob, taken }
    }
}

/// When a recorder copied bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// Before the frame's first command.
    FrameStart,
    /// Where the dump's place says: after the draw, the pass or the frame.
    FrameEnd,
    /// At some later point: the bytes fill a buffer but are compared with nothing (claim `late-contents`).
    Late,
}

/// An entry of the buffer table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferEntry {
    /// Unique in the table.
    pub id: BufferId,
    /// Debug name, or one the recorder made.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// How it is written.
    pub usage: BufferUsage,
    /// Contents at the frame's start; without them the buffer is unknown until written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Content>,
    /// Contents at the frame's end: a recorded dump.
    #[serde(default, rename = "final", skip_serializing_if = "Option::is_none")]
    pub final_: Option<Content>,
    /// The model-file stream this buffer replaces or holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<StreamOrigin>,
    /// Work that is not replayed also writes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gpu_written: bool,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// How a buffer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BufferUsage {
    /// Never in the frame.
    Static,
    /// By the CPU.
    Dynamic,
    /// By the GPU.
    Default,
    /// By the CPU, as a source of copies.
    Upload,
}

/// A vertex buffer of a model file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamOrigin {
    /// Model name, such as `FC_M_0200`.
    pub model: String,
    /// Mesh number in the model.
    pub mesh: u32,
    /// Vertex buffer number of the mesh.
    pub stream: u32,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A mesh of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshRef {
    /// Model name.
    pub model: String,
    /// Mesh number in the model.
    pub mesh: u32,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

impl fmt::Display for MeshRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.model, self.mesh))
    }
}

/// An entry of the program table: what the captured program declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramEntry {
    /// Unique in the table.
    pub id: ProgramId,
    /// Name, where the recorder knew one.
    pub name: String,
    /// SHA-256 of the bytecode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<BlobHash>,
    /// What the bytecode is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// The bytecode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<BlobHash>,
    /// Declared outputs of the vertex stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_outputs: Option<Vec<OutputElement>>,
    /// The input layout.
    pub inputs: Vec<InputElement>,
    /// Declared constant buffers.
    #[serde(default)]
    pub constants: Vec<ConstantEntry>,
    /// Declared shader resources.
    #[serde(default)]
    pub resources: Vec<ResourceEntry>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Bytecode encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Shader models 4 and 5.
    Dxbc,
    /// Shader model 6.
    Dxil,
    /// Vulkan.
    Spirv,
}

/// An element of the input layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputElement {
    /// Semantic name.
    pub semantic: String,
    /// Semantic index.
    pub index: u32,
    /// DXGI format.
    pub format: DxgiFormat,
    /// Input slot.
    pub slot: InputSlot,
    /// Byte offset in the vertex.
    pub offset: u32,
    /// Whether it advances by instance.
    #[serde(default)]
    pub per_instance: bool,
    /// Instances that share a value; 0 is one value for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_rate: Option<u32>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A declared constant buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantEntry {
    /// Name; empty where the capture lost it.
    pub name: String,
    /// Register number, class b.
    pub register: u32,
    /// Register space.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub space: u32,
    /// DECLARED bytes: never the bound size.
    pub size: u64,
    /// Declared fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A declared shader resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceEntry {
    /// Name; empty where the capture lost it.
    pub name: String,
    /// Register number, class t.
    pub register: u32,
    /// Register space.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub space: u32,
    /// Bytes of a structured element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<u64>,
    /// Declared fields of an element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A declared field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Byte offset in its parent.
    pub offset: u64,
    /// Type.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Array length; 1 where absent.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
    /// Bytes from one struct element to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<u64>,
    /// Fields of a struct.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Types of a field; matrices have their rows in memory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum FieldType {
    Float,
    Float2,
    Float3,
    Float4,
    Uint,
    Uint2,
    Uint3,
    Uint4,
    Int,
    Int2,
    Int3,
    Int4,
    Float3x4,
    Float4x4,
    Struct,
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassEntry {
    /// Unique in the frame.
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
    #[serde(default)]
    pub targets: Vec<TargetEntry>,
    /// Depth attachment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthEntry>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A colour attachment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// Name, unique in its pass.
    pub name: String,
    /// DXGI format.
    pub format: DxgiFormat,
    /// What the pass's start sets it to; `null` keeps what it held. The key must be there.
    #[serde(deserialize_with = "Option::deserialize")]
    pub clear: Option<[f64; 4]>,
    /// What it held before, where `clear` is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Content>,
    /// A recorded dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Content>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A depth attachment: one of the pass's own, or that of another pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthEntry {
    /// DXGI format; absent only with `shared_with`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DxgiFormat>,
    /// What the pass's start sets it to; `null` or absent with `shared_with` keeps what it held.
    #[serde(default)]
    pub clear: Option<f64>,
    /// The pass's comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// The pass whose depth buffer this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<PassId>,
    /// What it held before, where `clear` is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Content>,
    /// A recorded dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Content>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// A command list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListEntry {
    /// Unique in the frame; 0 is the immediate list.
    pub id: ListId,
    /// Immediate or deferred.
    pub kind: ListKind,
    /// What a person calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In recorded order.
    pub commands: Vec<Command>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Extra,
}

/// Kinds of command lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListKind {
    /// Runs in order.
    Immediate,
    /// Runs where it is executed.
    Deferred,
}
