//! Work in flight: a command buffer, what it uses, and the wait for it.

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::super::ExecuteError;
use super::buffer::Buffer;
use super::error::Context;
use super::gpu::Gpu;
use crate::abi::RegisterClass;

/// How long a submission may take before it counts as hung. A frame takes milliseconds.
const PATIENCE_NS: u64 = 120_000_000_000;
/// Sets a descriptor pool holds.
const SETS: u32 = 768;
/// Passes whose begin can be told after a hang.
const MARKERS: u64 = 1024;

/// A command buffer being recorded, with everything it uses. Once submitted it is waited for before anything goes.
pub(super) struct Batch<'gpu> {
    gpu: &'gpu Gpu,
    pool: vk::CommandPool,
    fence: vk::Fence,
    pub(super) commands: vk::CommandBuffer,
    descriptor_pools: Vec<(vk::DescriptorPool, u32)>,
    in_flight: bool,
    /// Buffers that the commands use and nothing else holds.
    pub(super) kept: Vec<Buffer<'gpu>>,
    /// What the commands do, step by step; the device marks each as it comes to it.
    steps: Vec<String>,
    markers: Buffer<'gpu>,
}

impl<'gpu> Batch<'gpu> {
    /// Begins recording.
    pub(super) fn begin(gpu: &'gpu Gpu) -> Result<Self, ExecuteError> {
        let what = || "begin recording".to_owned();
        let markers = Buffer::new(gpu, "step markers", 4 * MARKERS, MemoryLocation::CpuToGpu)?;
        let mut batch = Self {
            gpu,
            pool: vk::CommandPool::null(),
            fence: vk::Fence::null(),
            commands: vk::CommandBuffer::null(),
            descriptor_pools: Vec::new(),
            in_flight: false,
            kept: Vec::new(),
            steps: Vec::new(),
            markers,
        };
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(gpu.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive; what is made is wrapped at once.
        batch.pool = unsafe { gpu.device.create_command_pool(&info, None) }.could_not(what)?;
        // SAFETY: as above.
        batch.fence =
            unsafe { gpu.device.create_fence(&vk::FenceCreateInfo::default(), None) }.could_not(what)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(batch.pool).command_buffer_count(1);
        // SAFETY: the pool is the device's; its buffers go with it.
        let buffers = unsafe { gpu.device.allocate_command_buffers(&info) }.could_not(what)?;
        batch.commands = buffers.first().copied().unwrap_or_default();
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: a fresh command buffer.
        unsafe { gpu.device.begin_command_buffer(batch.commands, &info) }.could_not(what)?;
        Ok(batch)
    }

    /// Notes a step, which the device marks when it comes to it. Outside of rendering only.
    pub(super) fn step(&mut self, name: String) {
        let at = self.steps.len() as u64;
        if at < MARKERS {
            // SAFETY: inside the marker buffer, outside of rendering; each step has a word of its own.
            unsafe { self.gpu.device.cmd_fill_buffer(self.commands, self.markers.raw, 4 * at, 4, 1) };
        }
        self.steps.push(name);
    }

    /// Orders everything before against everything after. The frames this project replays are small: being right and
    /// readable counts for more than overlap.
    pub(super) fn barrier(&self) {
        let all = vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE);
        let barriers = [all];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: recorded outside of rendering.
        unsafe { self.gpu.device.cmd_pipeline_barrier2(self.commands, &info) };
    }

    /// Copies between buffers, ordered against everything before and after. Outside of rendering only.
    pub(super) fn copy(&self, src: &Buffer<'_>, dst: &Buffer<'_>, region: vk::BufferCopy) {
        self.barrier();
        // SAFETY: both are alive through the batch; the plan's ranges lie inside them, and a range that overlaps itself
        // is refused when a set is read.
        unsafe { self.gpu.device.cmd_copy_buffer(self.commands, src.raw, dst.raw, &[region]) };
        self.barrier();
    }

    /// Brings an image into the layout it keeps; what it held is lost.
    pub(super) fn lay_out(
        &self,
        image: vk::Image,
        range: vk::ImageSubresourceRange,
        layout: vk::ImageLayout,
    ) {
        let barriers = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the image is the device's; recorded outside of rendering.
        unsafe { self.gpu.device.cmd_pipeline_barrier2(self.commands, &info) };
    }

    /// Fresh descriptor sets of the given layouts.
    pub(super) fn sets(
        &mut self,
        layouts: &[vk::DescriptorSetLayout; 3],
    ) -> Result<Vec<vk::DescriptorSet>, ExecuteError> {
        let what = || "make descriptor sets".to_owned();
        let full = self.descriptor_pools.last().is_none_or(|(_, used)| used + 3 > SETS);
        if full {
            // A set of constant buffers has at most four, a set of resources at most one.
            let sizes = [(RegisterClass::Constant, 4), (RegisterClass::Resource, 1)].map(|(class, each)| {
                vk::DescriptorPoolSize::default()
                    .ty(super::pipeline::descriptor_type(class))
                    .descriptor_count(each * SETS)
            });
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS).pool_sizes(&sizes);
            // SAFETY: the device is alive; the pool is wrapped at once.
            let pool = unsafe { self.gpu.device.create_descriptor_pool(&info, None) }.could_not(what)?;
            self.descriptor_pools.push((pool, 0));
        }
        let Some((pool, used)) = self.descriptor_pools.last_mut() else { return Ok(Vec::new()) };
        *used += 3;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(*pool).set_layouts(layouts);
        // SAFETY: the pool has room for three more sets.
        unsafe { self.gpu.device.allocate_descriptor_sets(&info) }.could_not(what)
    }

    /// Submits and waits.
    pub(super) fn finish(&mut self) -> Result<(), ExecuteError> {
        let to_host = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let info = vk::DependencyInfo::default().memory_barriers(&to_host);
        // SAFETY: recording, outside of rendering; ended once.
        unsafe {
            self.gpu.device.cmd_pipeline_barrier2(self.commands, &info);
            self.gpu.device.end_command_buffer(self.commands)
        }
        .could_not(|| "end recording".to_owned())?;
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(self.commands)];
        let submits = [vk::SubmitInfo2::default().command_buffer_infos(&commands)];
        // SAFETY: the command buffer is complete, and what it uses lives as long as this value or its frame.
        unsafe { self.gpu.device.queue_submit2(self.gpu.queue, &submits, self.fence) }
            .could_not(|| "submit".to_owned())?;
        self.in_flight = true;
        self.wait()
    }

    fn wait(&mut self) -> Result<(), ExecuteError> {
        if !self.in_flight {
            return Ok(());
        }
        // SAFETY: the fence was submitted.
        let waited = unsafe { self.gpu.device.wait_for_fences(&[self.fence], true, PATIENCE_NS) };
        if waited == Err(vk::Result::TIMEOUT) {
            let marks = self.markers.bytes().as_chunks::<4>().0;
            let reached = marks.iter().take_while(|mark| **mark != [0; 4]).count();
            let step = reached.checked_sub(1).and_then(|last| self.steps.get(last));
            self.gpu.give_up();
            let seconds = PATIENCE_NS / 1_000_000_000;
            let step = step.map_or("its first step", String::as_str);
            return Err(ExecuteError(format!(
                "vulkan: the device hangs in {step} for more than {seconds} s"
            )));
        }
        waited.could_not(|| "wait for the device".to_owned())?;
        self.in_flight = false;
        Ok(())
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // An early return must not free memory under the device, nor wait for it twice.
        if self.gpu.is_stuck() {
            return;
        }
        let _ = self.wait();
        // SAFETY: nothing is in flight any more, or the device is lost; null handles are ignored.
        unsafe {
            for (pool, _) in &self.descriptor_pools {
                self.gpu.device.destroy_descriptor_pool(*pool, None);
            }
            self.gpu.device.destroy_fence(self.fence, None);
            self.gpu.device.destroy_command_pool(self.pool, None);
        }
    }
}
