//! What a stand-in asks of a draw, by semantic and by name: the common ground of `shader`, which knows the shaders,
//! and `plan`, which knows the draws.

use super::{RegisterClass, Semantic};

/// A vertex input a shader reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputNeed {
    /// The semantic the captured input layout must hold.
    pub semantic: Semantic,
    /// Where the shader's module expects it.
    pub location: u32,
}

/// A buffer a shader reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferNeed {
    /// The name the captured program must declare.
    pub name: String,
    /// Whether it is a constant buffer or a resource.
    pub class: RegisterClass,
    /// A draw without it can still be replayed: the shader is told that it is absent.
    pub optional: bool,
    /// Descriptor set and binding in the shader's module.
    pub set: u32,
    /// See `set`.
    pub binding: u32,
    /// Bytes the module declares: what a descriptor must cover for every index to stay inside, never a limit on what
    /// the draw binds (claim `palette-extent`).
    pub declared_size: u64,
}

/// One output of the vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexOutput {
    /// The output's semantic, `SV_Position` first.
    pub semantic: Semantic,
    /// Number of f32 components.
    pub components: u32,
}

/// Everything a vertex program needs and gives.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Interface {
    /// Vertex inputs.
    pub inputs: Vec<InputNeed>,
    /// Buffers.
    pub buffers: Vec<BufferNeed>,
    /// What a vertex yields, in the order of `captures/README.md, "The draw model"`.
    pub outputs: Vec<VertexOutput>,
    /// Names of the colour targets written, in target order.
    pub targets: Vec<String>,
}

impl Interface {
    /// f32 components of one post-VS record.
    pub fn record_components(&self) -> u32 {
        self.outputs.iter().map(|o| o.components).sum()
    }
}
