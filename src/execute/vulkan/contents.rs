//! Buffers of the frame on the device, as the plan's commands change them.
//!
//! The games' dynamic buffers are memory that the CPU writes while the GPU still reads older contents: a discard makes a
//! new backing and leaves the old one to the draws recorded before it. A partial write goes straight to mapped memory
//! while nothing recorded uses the backing; later it becomes a copy on the device's time line, in its place among the
//! draws. Copies are always the device's.

use std::collections::BTreeMap;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::super::ExecuteError;
use super::buffer::Buffer;
use super::gpu::Gpu;
use super::submit::Batch;
use crate::abi::BufferId;
use crate::plan::Plan;

/// Memory behind a buffer's current version.
pub(super) struct Backing<'gpu> {
    pub(super) buffer: Buffer<'gpu>,
    /// The CPU can write it.
    mapped: bool,
    /// Something recorded in the current batch uses it.
    used: bool,
    /// Counts changes, so that what was derived from older contents is told apart.
    pub(super) change: u64,
}

/// All backings of a frame.
pub(super) struct Contents<'gpu> {
    gpu: &'gpu Gpu,
    backings: BTreeMap<BufferId, Backing<'gpu>>,
    changes: u64,
}

impl<'gpu> Contents<'gpu> {
    pub(super) fn new(gpu: &'gpu Gpu) -> Self {
        Self { gpu, backings: BTreeMap::new(), changes: 0 }
    }

    /// The backing of a buffer, if anything was ever put there.
    pub(super) fn get(&self, id: BufferId) -> Option<&Backing<'gpu>> {
        self.backings.get(&id)
    }

    /// The backing of a buffer for a command that is now recorded.
    pub(super) fn used(&mut self, id: BufferId) -> Option<&Backing<'gpu>> {
        let backing = self.backings.get_mut(&id)?;
        backing.used = true;
        Some(backing)
    }

    /// Every backing, for reading back.
    pub(super) fn all(&self) -> impl Iterator<Item = (BufferId, &Backing<'gpu>)> {
        self.backings.iter().map(|(id, backing)| (*id, backing))
    }

    /// The device is idle: nothing recorded uses anything.
    pub(super) fn idle(&mut self) {
        self.backings.values_mut().for_each(|backing| backing.used = false);
    }

    /// New contents as a whole.
    pub(super) fn discard(
        &mut self,
        batch: &mut Batch<'gpu>,
        plan: &Plan,
        id: BufferId,
        bytes: &[u8],
    ) -> Result<(), ExecuteError> {
        let backing = self.fresh(plan, id, bytes.len() as u64)?;
        if let Some(old) = self.backings.insert(id, backing) {
            batch.kept.push(old.buffer);
        }
        self.write(batch, plan, id, 0, bytes)
    }

    /// New contents of a part.
    pub(super) fn write(
        &mut self,
        batch: &mut Batch<'gpu>,
        plan: &Plan,
        id: BufferId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), ExecuteError> {
        self.ensure(plan, id)?;
        self.changes += 1;
        let changes = self.changes;
        let Some(backing) = self.backings.get_mut(&id) else { return Ok(()) };
        backing.change = changes;
        if backing.mapped && !backing.used {
            backing.buffer.write(offset, bytes);
            return Ok(());
        }
        if bytes.is_empty() {
            return Ok(());
        }
        backing.used = true;
        let staging = Buffer::holding(self.gpu, &format!("staging for buffer {id}"), bytes)?;
        let region = vk::BufferCopy { src_offset: 0, dst_offset: offset, size: bytes.len() as u64 };
        batch.copy(&staging, &backing.buffer, region);
        batch.kept.push(staging);
        Ok(())
    }

    /// A copy between buffers, on the device.
    pub(super) fn copy(
        &mut self,
        batch: &mut Batch<'gpu>,
        plan: &Plan,
        src: BufferId,
        dst: BufferId,
        region: vk::BufferCopy,
    ) -> Result<(), ExecuteError> {
        self.ensure(plan, src)?;
        self.ensure(plan, dst)?;
        self.changes += 1;
        let changes = self.changes;
        if let Some(backing) = self.backings.get_mut(&dst) {
            backing.used = true;
            backing.change = changes;
        }
        if let Some(backing) = self.backings.get_mut(&src) {
            backing.used = true;
        }
        if let (Some(src), Some(dst)) = (self.backings.get(&src), self.backings.get(&dst)) {
            batch.copy(&src.buffer, &dst.buffer, region);
        }
        Ok(())
    }

    /// A backing for a buffer that had no contents yet; what nothing writes there stays zero and is not known to the
    /// plan.
    fn ensure(&mut self, plan: &Plan, id: BufferId) -> Result<(), ExecuteError> {
        if self.backings.contains_key(&id) {
            return Ok(());
        }
        let size = plan.buffers.get(&id).map_or(0, |b| b.size);
        let backing = self.fresh(plan, id, size)?;
        self.backings.insert(id, backing);
        Ok(())
    }

    fn fresh(&mut self, plan: &Plan, id: BufferId, size: u64) -> Result<Backing<'gpu>, ExecuteError> {
        let planned = plan.buffers.get(&id);
        let name = planned.map_or("", |b| b.name.as_str());
        let mapped = planned.is_none_or(|b| b.cpu_writes());
        let location = if mapped { MemoryLocation::CpuToGpu } else { MemoryLocation::GpuOnly };
        let buffer = Buffer::new(self.gpu, &format!("{id} {name}"), size, location)?;
        self.changes += 1;
        Ok(Backing { buffer, mapped, used: false, change: self.changes })
    }
}
