//! STUB
use super::*;
/// STUB
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct DeviceDescription {
    pub index: usize,
    pub name: String,
    pub kind: String,
    pub driver: String,
    pub api: String,
    pub usable: Result<(), Vec<String>>,
}
/// STUB
#[derive(Debug, thiserror::Error)]
#[error("no Vulkan")]
pub struct NoVulkan;
/// STUB
pub fn devices() -> Result<Vec<DeviceDescription>, NoVulkan> {
    Err(NoVulkan)
}
/// STUB
pub struct Vulkan;
#[allow(missing_docs)]
impl Vulkan {
    pub fn open(_: usize, _: bool) -> Result<Self, ExecuteError> {
        Err(ExecuteError("stub".into()))
    }
    pub fn info(&self) -> ExecutorInfo {
        todo!()
    }
    pub fn validation_messages(&self) -> Vec<String> {
        vec![]
    }
    pub fn validation_active(&self) -> bool {
        false
    }
}
impl Executor for Vulkan {
    fn execute(&mut self, _: &Plan) -> Result<Outputs, ExecuteError> {
        todo!()
    }
}
