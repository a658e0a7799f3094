//! The files of a capture set as serde sees them: names and shapes, no meaning added.
//!
//! Key for key the format `replay-capture/1` (`captures/README.md`). Every object refuses unknown keys but holds an
//! ignored `extra`. Sums, ranges and references are checked by `validate`, not here.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::abi::state::{Blend, BlendEquation, Compare, Cull, Front, IndexFormat, PassKind, Topology};
use crate::abi::{BufferId, DxgiFormat, EventId, InputSlot, ListId, PassId, ProgramId};

/// The only value of `format` this version reads and writes.
pub const FORMAT: &str = "replay-capture/1";

/// What `extra` holds: anything.
pub type Extra = Option<serde_json::Value>;

/// The SHA-256 of a blob's raw bytes; also the blob's file name, so that no path can leave the set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash(pub [u8; 32]);

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BlobHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is no blob name; expected the 64 lower-case hex digits of a SHA-256");
        let digit = |c: u8| match c {
            b'0'..=b'9' => Ok(c - b'0'),
            b'a'..=b'f' => Ok(c - b'a' + 10),
            _ => Err(wrong()),
        };
        if text.len() != 64 {
            return Err(wrong());
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            if let [high, low] = pair {
                *byte = digit(*high)? << 4 | digit(*low)?;
            }
        }
        Ok(Self(hash))
    }
}

impl Serialize for BlobHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlobHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

// ---------------------------------------------------------------------------------------------------- capture.toml

/// `capture.toml`: what a person may edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureFile {
    /// Must be [`FORMAT`].
    pub format: String,
    /// What the set shows.
    pub title: String,
    /// Whose documents its claims come from.
    pub game: Game,
    /// Whether the frames are known to follow one another.
    #[serde(default)]
    pub consecutive: bool,
    /// Where the set comes from.
    pub source: Source,
    /// Which shader stands in for which captured program; the first match wins.
    #[serde(default, rename = "program", skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramRule>,
    /// How dumps are compared; the first match wins, then the documented defaults.
    #[serde(default, rename = "tolerance", skip_serializing_if = "Vec::is_empty")]
    pub tolerances: Vec<Tolerance>,
    /// What this set must show.
    #[serde(default, rename = "expect", skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expectation>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// The games whose engines the documents describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Game {
    /// Direct3D 11.
    Sekiro,
    /// Direct3D 12.
    EldenRing,
}

/// `[source]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Made by arithmetic, or recorded from a running program.
    pub kind: SourceKind,
    /// The command or tool that made the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_with: Option<String>,
    /// Version of the recording tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// API driver of the recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// What the recorder could not know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_known: Vec<String>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// How a set came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Computed.
    Synthetic,
    /// Recorded by RenderDoc.
    Renderdoc,
}

/// `[[program]]`: a stand-in for captured programs, matched by name (a glob) or by hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRule {
    /// Glob over program names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of the captured bytecode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<BlobHash>,
    /// A shader of this project, `captured`, or a path inside the set to `.hlsl` or `.spv`.
    pub shader: String,
    /// Recorded output semantics -> the stand-in's.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// Captured attachment names -> the stand-in's.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
    /// Registers (`b5`, `t3`) -> names the capture lost.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, String>,
    /// Input registers (`v0`) -> semantics the capture lost.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

impl ProgramRule {
    /// The path inside the set, where `shader` is one: what ends in `.hlsl` or `.spv`.
    pub fn shader_path(&self) -> Option<&str> {
        let path = self.shader.as_str();
        (path.ends_with(".hlsl") || path.ends_with(".spv")).then_some(path)
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpKind {
    /// Outputs of the vertex stage.
    PostVs,
    /// A colour attachment.
    Target,
    /// A depth attachment.
    Depth,
    /// A buffer's contents at the frame's end.
    Buffer,
}

/// `[[tolerance]]`: a value passes if any of `abs`, `rel`, `ulp` admits it. A missing number admits nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The dumps meant.
    pub dump: DumpKind,
    /// Glob over the semantic, target, pass or buffer name.
    pub name: String,
    /// |a - b| <= abs.
    #[serde(default)]
    pub abs: f64,
    /// |a - b| <= rel * max(|a|, |b|); positions in clip space by the vector's largest component.
    #[serde(default)]
    pub rel: f64,
    /// Distance in units of the last place.
    #[serde(default)]
    pub ulp: u64,
    /// Images only: the share of covered pixels allowed to miss near a triangle's edge.
    #[serde(default)]
    pub outliers: f64,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// `[[expect]]`: the figures a claim must show in this set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The claim's id.
    pub claim: String,
    /// The frame the figures are of; all frames together without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Figure name -> number, string or `[least, greatest]`.
    #[serde(flatten, deserialize_with = "without_extra")]
    pub figures: BTreeMap<String, Expected>,
}

/// The value an expectation states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// Exactly this number.
    Number(f64),
    /// A number in this closed range.
    Range([f64; 2]),
    /// Exactly this text.
    Text(String),
}

// ------------------------------------------------------------------------------------------------------ frame.json

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

/// Bytes of a blob and when they were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The blob.
    pub blob: BlobHash,
    /// The moment the recorder copied it.
    pub taken: Taken,
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

/// A map of names to values that may hold an ignored `extra`, and no name twice.
fn without_extra<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Names<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Names<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of names to values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut names = BTreeMap::new();
            while let Some(name) = map.next_key::<String>()? {
                if name == "extra" {
                    map.next_value::<IgnoredAny>()?;
                } else if names.contains_key(&name) {
                    return Err(A::Error::custom(format!("duplicate field `{name}`")));
                } else {
                    names.insert(name, map.next_value()?);
                }
            }
            Ok(names)
        }
    }

    deserializer.deserialize_map(Names(PhantomData))
}

/// A blend state that may hold an ignored `extra`.
fn blend<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Blend>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        color: BlendEquation,
        alpha: BlendEquation,
        #[serde(default, rename = "extra")]
        _extra: Option<IgnoredAny>,
    }

    let entry = Option::<Entry>::deserialize(deserializer)?;
    Ok(entry.map(|Entry { color, alpha, .. }| Blend { color, alpha }))
}

fn one() -> u64 {
    1
}

fn one_u32() -> u32 {
    1
}

fn is_one(n: &u64) -> bool {
    *n == 1
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}
