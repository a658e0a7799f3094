//! The upload ring: memory that the CPU writes and the frame's copies and draws read.

use crate::abi::BufferId;
use crate::abi::records::Instance;
use crate::capture::manifest::{BufferUsage, Command, Taken};
use crate::synth::SynthError;
use crate::synth::builder::FrameBuilder;

/// Ranges of constants start on multiples of this (Direct3D 12).
const ALIGNMENT: u64 = 256;

/// Pieces of the ring in order.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    pieces: Vec<(u64, Vec<u8>)>,
    end: u64,
    copies: Vec<(u64, u64, BufferId, u64)>,
}

impl Ring {
    /// Takes bytes in; their offset. `range` is how many bytes a draw will bind there, at least.
    pub(crate) fn place(&mut self, bytes: Vec<u8>, range: u64) -> u64 {
        let at = self.end;
        self.end = (at + range.max(bytes.len() as u64)).next_multiple_of(ALIGNMENT);
        self.pieces.push((at, bytes));
        at
    }

    /// Takes bytes in that a copy will bring to a place of a buffer.
    pub(crate) fn copy_to(&mut self, dst: BufferId, dst_offset: u64, bytes: Vec<u8>) {
        let size = bytes.len() as u64;
        let at = self.place(bytes, size);
        self.copies.push((at, size, dst, dst_offset));
    }

    /// Adds the buffer, zero before the frame.
    pub(crate) fn add(&self, frame: &mut FrameBuilder<'_>) -> Result<BufferId, SynthError> {
        let zeros = vec![0; self.end.next_multiple_of(Instance::RANGE as u64) as usize];
        frame.buffer("upload ring", BufferUsage::Upload, &zeros, Taken::FrameStart, None)
    }

    /// The CPU's writes.
    pub(crate) fn writes(
        &self,
        frame: &mut FrameBuilder<'_>,
        ring: BufferId,
    ) -> Result<Vec<Command>, SynthError> {
        self.pieces.iter().map(|(at, bytes)| frame.write(ring, *at, bytes)).collect()
    }

    /// The GPU's copies.
    pub(crate) fn copies(&self, frame: &mut FrameBuilder<'_>, ring: BufferId) -> Vec<Command> {
        let copies = self.copies.iter();
        copies
            .map(|(at, size, dst, dst_offset)| frame.copy((ring, *at), (*dst, *dst_offset), *size))
            .collect()
    }
}
