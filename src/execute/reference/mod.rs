//! The reference executor: float64 on the CPU.

use super::{ExecuteError, Executor, Outputs};
use crate::plan::Plan;

/// Computes a plan in float64.
#[derive(Debug, Default)]
pub struct Reference {}

impl Executor for Reference {
    fn execute(&mut self, plan: &Plan) -> Result<Outputs, ExecuteError> {
        let _ = plan;
        todo!()
    }
}
