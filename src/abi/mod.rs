//! The vocabulary both sides of a draw agree on: numbers that name things, DXGI formats, semantics, registers, the
//! records the games put into buffers, and what a vertex program asks for by name.
//!
//! A leaf: it knows no file, no plan, no device. Everything else may use it.

pub mod format;
pub mod ids;
pub mod interface;
pub mod records;
pub mod register;
pub mod semantic;
pub mod state;

pub use format::{DxgiFormat, Format, NumberKind};
pub use ids::{BufferId, EventId, InputSlot, ListId, PassId, ProgramId};
pub use interface::{BufferNeed, InputNeed, Interface};
pub use register::{Register, RegisterClass};
pub use semantic::Semantic;
