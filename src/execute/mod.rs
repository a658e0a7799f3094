//! Interpreters of a [`Plan`]: siblings behind a trait of one method.
//!
//! [`mod@reference`] computes in float64 on the CPU, [`vulkan`] draws on a device. Neither sees a recorded dump, the other,
//! or the comparison.

pub mod extent;
pub mod primitives;
pub mod reference;
pub mod vulkan;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::abi::{BufferId, Format};
use crate::plan::{DrawIndex, Plan};

/// Something that carries out a plan.
pub trait Executor {
    /// Carries out `plan` and hands back all it produced.
    ///
    /// # Errors
    /// What kept the executor from doing the work; a wrong result is none.
    fn execute(&mut self, plan: &Plan) -> Result<Outputs, ExecuteError>;
}

/// Why a plan could not be carried out.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExecuteError(pub String);

/// Which kind of executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutorKind {
    /// float64 on the CPU.
    Reference,
    /// A Vulkan device.
    Vulkan,
}

/// What carried out a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorInfo {
    /// Its kind.
    pub kind: ExecutorKind,
    /// The device's name.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
}

/// What a plan produced.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Vertex-stage outputs of every executed draw.
    pub post_vs: BTreeMap<DrawIndex, PostVs>,
    /// Attachments of every pass after its last draw, by place in the plan; empty for a vertex-stage plan.
    pub passes: Vec<PassOutput>,
    /// Contents of every buffer at the frame's end. Unknown bytes hold anything; the plan says which they are.
    pub buffers: BTreeMap<BufferId, Vec<u8>>,
    /// Draws that the executor could not carry out though the plan meant it to, with the reason.
    pub not_executed: BTreeMap<DrawIndex, String>,
    /// Where the time went.
    pub timings: Timings,
}

/// Outputs of a draw's vertex stage: a record for every instance and every vertex number from `first_vertex`,
/// instance-major. Vertex numbers are those of the vertex buffer, after `base_vertex`.
#[derive(Clone, Debug, PartialEq)]
pub struct PostVs {
    /// f32 components of a record, in the order of the interface's outputs.
    pub components: u32,
    /// Least vertex number.
    pub first_vertex: i64,
    /// Number of vertices.
    pub vertex_count: u32,
    /// Number of instances.
    pub instance_count: u32,
    /// `instance_count * vertex_count * components` numbers; vertices that no index names hold anything.
    pub data: Vec<f32>,
}

impl PostVs {
    /// The record of a vertex; `None` outside the range.
    pub fn record(&self, instance: u32, vertex: i64) -> Option<&[f32]> {
        let vertex = usize::try_from(vertex.checked_sub(self.first_vertex)?).ok()?;
        let (count, components) = (self.vertex_count as usize, self.components as usize);
        if vertex >= count || instance >= self.instance_count {
            return None;
        }
        let start = (instance as usize * count + vertex) * components;
        self.data.get(start..start + components)
    }
}

/// The attachments of a pass after its last draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassOutput {
    /// In the pass's order; `None` where the format is not executed.
    pub targets: Vec<Option<Image>>,
    /// The depth attachment.
    pub depth: Option<Image>,
}

/// An image, tightly packed, top row first.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Format of a pixel.
    pub format: Format,
    /// `width * height` elements.
    pub bytes: Vec<u8>,
}

/// Where an executor's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Timings {
    /// Opening the device; counted once.
    pub start_up: Duration,
    pub pipelines: Duration,
    pub upload: Duration,
    pub execution: Duration,
    pub readback: Duration,
}
