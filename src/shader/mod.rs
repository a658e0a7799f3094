//! The stand-ins: our shaders by name, with the interface their SPIR-V reflects.

pub mod reflect;

use crate::abi::Interface;

/// One of our shaders.
#[derive(Debug)]
pub struct Shader {
    /// Its name, such as `skinned_motion`.
    pub name: &'static str,
    /// What it needs and gives, from reflection.
    pub interface: Interface,
    /// SPIR-V of the vertex stage.
    pub vertex: &'static [u8],
    /// SPIR-V of the fragment stage; `None` for depth only.
    pub fragment: Option<&'static [u8]>,
}

/// All of them, by name.
pub fn all() -> &'static [Shader] {
    todo!()
}

/// The shader of that name.
pub fn find(name: &str) -> Option<&'static Shader> {
    all().iter().find(|s| s.name == name)
}
