//! Buffers with their memory.

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::super::ExecuteError;
use super::error::Context;
use super::gpu::Gpu;

/// Everything a buffer of this executor may be used for.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::VERTEX_BUFFER.as_raw()
        | vk::BufferUsageFlags::INDEX_BUFFER.as_raw()
        | vk::BufferUsageFlags::UNIFORM_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw(),
);

/// A buffer; it frees itself.
pub struct Buffer<'gpu> {
    gpu: &'gpu Gpu,
    pub(super) raw: vk::Buffer,
    pub(super) size: u64,
    memory: Option<Allocation>,
}

impl<'gpu> Buffer<'gpu> {
    /// A buffer of `size` bytes (at least one is made). Mapped ones are zero, others undefined.
    pub(super) fn new(
        gpu: &'gpu Gpu,
        name: &str,
        size: u64,
        location: MemoryLocation,
    ) -> Result<Self, ExecuteError> {
        let info = vk::BufferCreateInfo::default()
            .size(size.max(1))
            .usage(USAGE)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        let what = || format!("make the buffer \"{name}\" of {size} bytes");
        // SAFETY: the device is alive, and the size is not zero.
        let raw = unsafe { gpu.device.create_buffer(&info, None) }.could_not(what)?;
        let mut buffer = Self { gpu, raw, size: size.max(1), memory: None };
        gpu.name(raw, name);
        // SAFETY: the buffer is the device's.
        let requirements = unsafe { gpu.device.get_buffer_memory_requirements(raw) };
        let memory = gpu
            .allocator()
            .allocate(&AllocationCreateDesc {
                name,
                requirements,
                location,
                linear: true,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .could_not(what)?;
        let memory = buffer.memory.insert(memory);
        // SAFETY: fresh memory that meets the buffer's requirements, bound once.
        unsafe { gpu.device.bind_buffer_memory(raw, memory.memory(), memory.offset()) }.could_not(what)?;
        buffer.bytes_mut().fill(0);
        Ok(buffer)
    }

    /// A mapped buffer that holds `bytes`.
    pub(super) fn holding(gpu: &'gpu Gpu, name: &str, bytes: &[u8]) -> Result<Self, ExecuteError> {
        let mut buffer = Self::new(gpu, name, bytes.len() as u64, MemoryLocation::CpuToGpu)?;
        buffer.write(0, bytes);
        Ok(buffer)
    }

    /// Writes mapped memory. What lies outside the buffer is dropped; the plan's writes never do.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let start = offset as usize;
        if let Some(to) = self.bytes_mut().get_mut(start..start + bytes.len()) {
            to.copy_from_slice(bytes);
        }
    }

    /// The mapped bytes; empty where the memory is not mapped.
    pub(super) fn bytes(&self) -> &[u8] {
        let size = self.size as usize;
        self.memory.as_ref().and_then(|m| m.mapped_slice()?.get(..size)).unwrap_or_default()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let size = self.size as usize;
        self.memory.as_mut().and_then(|m| m.mapped_slice_mut()?.get_mut(..size)).unwrap_or_default()
    }

    /// For the documentation of [`Gpu`] alone: any buffer that borrows it.
    #[doc(hidden)]
    pub fn example(gpu: &'gpu Gpu) -> Self {
        Self { gpu, raw: vk::Buffer::null(), size: 0, memory: None }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        if self.gpu.is_stuck() {
            std::mem::forget(self.memory.take());
            return;
        }
        // SAFETY: work that used the buffer is over: a submission keeps what it uses and waits before it goes.
        unsafe { self.gpu.device.destroy_buffer(self.raw, None) };
        if let Some(memory) = self.memory.take() {
            // A failure to free can only be a fault of the allocator's books; there is nobody to tell.
            let _ = self.gpu.allocator().free(memory);
        }
    }
}
