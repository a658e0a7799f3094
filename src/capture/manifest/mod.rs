//! The files of a capture set as serde sees them: names and shapes, no meaning added.
//!
//! Key for key the format `replay-capture/1` (`captures/README.md`). Every object refuses unknown keys but holds an
//! ignored `extra`. Sums, ranges and references are checked by `validate`, not here.

mod capture_file;
mod command;
mod frame_file;
mod hash;
mod keys;

pub use capture_file::{
    CaptureFile, Expectation, Expected, Game, ProgramRule, Source, SourceKind, Tolerance,
};
pub use command::{
    Command, Copy, Draw, DrawRecord, DrawState, Execute, IndexBinding, MapDiscard, Observe, Opaque,
    OpaqueKind, OpaqueWrite, OutputElement, PostVsOrder, PostVsRecord, RangeBinding, StreamBinding, Write,
};
pub use frame_file::{
    BufferEntry, BufferUsage, ConstantEntry, Content, DepthEntry, Encoding, Field, FieldType, FrameFile,
    InputElement, ListEntry, ListKind, MeshRef, PassEntry, ProgramEntry, ResourceEntry, StreamOrigin, Taken,
    TargetEntry,
};
pub use hash::BlobHash;

/// The only value of `format` this version reads and writes.
pub const FORMAT: &str = "replay-capture/1";

/// What `extra` holds: anything.
pub type Extra = Option<serde_json::Value>;
