//! What a Vulkan call may answer, said with what was being done.

use ash::vk;

use super::super::ExecuteError;

/// Turns a failure into an [`ExecuteError`] that names the object, pass or draw.
pub(super) trait Context<T> {
    /// `what` completes "could not ...".
    fn could_not(self, what: impl FnOnce() -> String) -> Result<T, ExecuteError>;
}

impl<T> Context<T> for Result<T, vk::Result> {
    fn could_not(self, what: impl FnOnce() -> String) -> Result<T, ExecuteError> {
        self.map_err(|code| {
            let why = match code {
                vk::Result::ERROR_OUT_OF_HOST_MEMORY => "out of host memory".to_owned(),
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => "out of device memory".to_owned(),
                vk::Result::ERROR_DEVICE_LOST => "the device was lost".to_owned(),
                vk::Result::ERROR_INITIALIZATION_FAILED => "the driver could not be initialised".to_owned(),
                other => format!("{other:?}"),
            };
            ExecuteError(format!("vulkan: could not {}: {why}", what()))
        })
    }
}

impl<T> Context<T> for Result<T, gpu_allocator::AllocationError> {
    fn could_not(self, what: impl FnOnce() -> String) -> Result<T, ExecuteError> {
        self.map_err(|why| ExecuteError(format!("vulkan: could not {}: {why}", what())))
    }
}
