//! Ties a stand-in to what a draw binds: inputs by semantic, buffers by name, never by position.

use std::collections::BTreeMap;

use crate::abi::interface::Interface;
use crate::abi::{ProgramId, Register, Semantic};

/// A shader that stands in for a captured program, with what `capture.toml` says about names.
#[derive(Clone, Debug, Default)]
pub struct StandIn {
    /// The shader's name.
    pub shader: String,
    /// What it needs and gives.
    pub interface: Interface,
    /// Recorded output semantics -> the stand-in's.
    pub outputs: BTreeMap<Semantic, Semantic>,
    /// Captured attachment names -> the stand-in's.
    pub targets: BTreeMap<String, String>,
    /// Names of registers the capture could not name.
    pub constants: BTreeMap<Register, String>,
    /// Semantics of inputs whose names were lost, by place in the captured layout.
    pub inputs: BTreeMap<u32, Semantic>,
}

/// The stand-ins of a frame's programs.
pub type StandIns = BTreeMap<ProgramId, StandIn>;
