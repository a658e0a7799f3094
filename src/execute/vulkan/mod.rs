//! The Vulkan executor: a plan drawn on a device, headless, with our own shaders.
//!
//! In: a [`Plan`]. Out: [`Outputs`]. Vulkan 1.3 with dynamic rendering and
//! synchronization2; the loader is opened at run time. Vertex inputs are the device's own fetch by the captured formats,
//! constant buffers are bound ranges, copies are GPU copies, and the vertex stage writes its outputs to a storage buffer
//! beside rasterising them. Where Direct3D and Vulkan mean different things (reads past a range, indices past a buffer,
//! instance numbers, the direction of y), the executor makes them Direct3D's; what it cannot, it does not execute, and
//! says why.
//!
//! The only module with `unsafe` Vulkan calls, and no `vk::` type leaves it. Objects borrow the device, so that dropping
//! it first does not compile. It sees no recorded dump and not the other executor.

#![allow(unsafe_code)]

mod bind;
mod buffer;
mod contents;
mod conv;
mod error;
mod frame;
mod gpu;
mod image;
mod indices;
mod instance;
mod passes;
mod pipeline;
mod probe;
mod submit;

use std::time::{Duration, Instant};

pub use self::buffer::Buffer;
pub use self::gpu::Gpu;
pub use self::instance::NoVulkan;
pub use self::probe::{DeviceDescription, devices};

use super::{ExecuteError, Executor, ExecutorInfo, Outputs};
use crate::plan::Plan;

/// A device that carries out plans. Pipelines stay from one plan to the next.
pub struct Vulkan {
    gpu: Gpu,
    start_up: Duration,
}

impl Vulkan {
    /// Opens the device of that index in [`devices`]; `validation` turns the validation layer on where it is installed.
    ///
    /// # Errors
    /// There is no such device, it lacks something, or the driver fails.
    pub fn open(index: usize, validation: bool) -> Result<Self, ExecuteError> {
        let start = Instant::now();
        let gpu = Gpu::open(index, validation)?;
        Ok(Self { gpu, start_up: start.elapsed() })
    }

    /// What it is.
    pub fn info(&self) -> ExecutorInfo {
        self.gpu.info.clone()
    }

    /// Whether the validation layer is on.
    pub fn validation_active(&self) -> bool {
        self.gpu.instance.validation
    }

    /// Warnings and errors of the validation layer, each with the pass and draw it belongs to where known.
    pub fn validation_messages(&self) -> Vec<String> {
        self.gpu.instance.messages()
    }
}

impl Executor for Vulkan {
    fn execute(&mut self, plan: &Plan) -> Result<Outputs, ExecuteError> {
        let mut outputs = frame::run(&self.gpu, plan)?;
        outputs.timings.start_up = std::mem::take(&mut self.start_up);
        Ok(outputs)
    }
}
