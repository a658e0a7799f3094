//! What several checks look at, worked out once for a set.

use super::pairs::FramePairs;
use super::{CheckFrame, CheckInput};

/// The frames and what is known about each.
pub struct Evidence<'a> {
    pub(super) input: &'a CheckInput<'a>,
    pub(super) frames: Vec<FrameEvidence<'a>>,
}

/// A frame and its pairs.
pub(super) struct FrameEvidence<'a> {
    pub(super) at: CheckFrame<'a>,
    pub(super) pairs: FramePairs,
}

impl<'a> Evidence<'a> {
    /// Looks at every draw and write of every frame once.
    pub fn of(input: &'a CheckInput<'a>) -> Self {
        let frames = input.frames.iter().map(|at| FrameEvidence { at: *at, pairs: FramePairs::of(*at) });
        Self { frames: frames.collect(), input }
    }
}

impl FrameEvidence<'_> {
    /// The frame's name.
    pub(super) fn name(&self) -> &str {
        &self.at.plan.frame
    }
}
