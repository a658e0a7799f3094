//! What a draw binds, in Vulkan's terms: vertex buffers, descriptor sets, parameters. Whatever Vulkan cannot express of
//! a Direct3D draw is a reason not to execute it, worded; nothing is approximated.

use std::collections::HashMap;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::super::ExecuteError;
use super::buffer::Buffer;
use super::contents::{Backing, Contents};
use super::conv::{element_alignment, float_input_format, uint_input_format};
use super::gpu::Gpu;
use super::pipeline::{InputKey, PARAMETERS, Program, descriptor_type};
use super::submit::Batch;
use crate::abi::{Format, NumberKind, RegisterClass};
use crate::plan::{Binding, BoundBuffer, BoundRange, Draw, VertexOrder};

/// Bits of `flags` in `shaders/include/draw.hlsli`.
mod flag {
    pub(super) const SWAP_VIEWS: u32 = 1;
    pub(super) const UNORM_NORMAL: u32 = 2;
    pub(super) const INDEX_BUFFER: u32 = 4;
    pub(super) const PALETTE_FIRST: u32 = 8;
    pub(super) const SIGNED_BYTES: u32 = 16;
    pub(super) const SIGNED_SHORTS: u32 = 32;
}

/// Instances to a step that every device with VK_EXT_vertex_attribute_divisor takes.
const MOST_RATE: u32 = 65_535;

/// Bytes of the buffer that stands for what a draw leaves unbound: it reads as zeros.
const NOTHING: u64 = 65_536;

/// Why a draw cannot be executed: a reason for the report, or a failure of the device.
pub(super) enum Refusal {
    Reason(String),
    Failure(ExecuteError),
}

impl From<ExecuteError> for Refusal {
    fn from(error: ExecuteError) -> Self {
        Self::Failure(error)
    }
}

fn refuse<T>(reason: String) -> Result<T, Refusal> {
    Err(Refusal::Reason(reason))
}

/// A copied range: buffer, its change, offset, bytes copied, bytes of the copy.
type ScratchKey = (vk::Buffer, u64, u64, u64, u64);

/// Where a bound range can be read.
enum Place {
    /// It has no byte.
    Nowhere,
    /// Where it lies.
    AsItLies(vk::DescriptorBufferInfo),
    /// In a copy.
    InScratch(ScratchKey),
}

/// Ties draws to device buffers.
pub(super) struct Binder<'gpu> {
    gpu: &'gpu Gpu,
    nothing: Buffer<'gpu>,
    /// Aligned, zero-padded copies of ranges that cannot be bound where they lie.
    scratch: HashMap<ScratchKey, Buffer<'gpu>>,
}

/// The vertex inputs of a draw.
pub(super) struct VertexInputs {
    pub(super) keys: Vec<InputKey>,
    buffers: Vec<vk::Buffer>,
    offsets: Vec<u64>,
    flags: u32,
}

impl VertexInputs {
    /// Binds the buffers.
    pub(super) fn bind(&self, gpu: &Gpu, commands: vk::CommandBuffer) {
        if !self.buffers.is_empty() {
            // SAFETY: the buffers live through the batch; each offset lies inside its buffer.
            unsafe { gpu.device.cmd_bind_vertex_buffers(commands, 0, &self.buffers, &self.offsets) };
        }
    }
}

impl<'gpu> Binder<'gpu> {
    pub(super) fn new(gpu: &'gpu Gpu) -> Result<Self, ExecuteError> {
        let nothing = Buffer::new(gpu, "zeros", NOTHING, MemoryLocation::CpuToGpu)?;
        Ok(Self { gpu, nothing, scratch: HashMap::new() })
    }

    /// The device is idle: copies of ranges are not needed any more.
    pub(super) fn idle(&mut self) {
        self.scratch.clear();
    }

    /// The vertex inputs of a draw.
    pub(super) fn vertex_inputs(
        &self,
        draw: &Draw,
        binding: &Binding,
        order: &VertexOrder,
        contents: &mut Contents<'gpu>,
    ) -> Result<VertexInputs, Refusal> {
        let mut inputs = VertexInputs { keys: vec![], buffers: vec![], offsets: vec![], flags: 0 };
        let (least, greatest) = order.range().unwrap_or((0, 0));
        let last_instance = |rate: u32| {
            let steps = draw.instance_count.saturating_sub(1).checked_div(rate).unwrap_or(0);
            u64::from(draw.first_instance) + u64::from(steps)
        };
        for input in &binding.inputs {
            let semantic = &input.need.semantic;
            let name = semantic.name.to_ascii_uppercase();
            let indices = name == "BLENDINDICES";
            let vk_format = if indices {
                uint_input_format(input.format)
            } else {
                float_input_format(input.format, name == "BLENDWEIGHT")
            };
            let Some(format) = vk_format.filter(|format| self.fetches(*format)) else {
                return refuse(format!("{semantic} as {} is no vertex format here", input.format.name()));
            };
            inputs.flags |= match (name.as_str(), input.format) {
                ("NORMAL", format) if format.kind() == NumberKind::Unorm => flag::UNORM_NORMAL,
                (_, Format::R8G8B8A8Sint) if indices => flag::SIGNED_BYTES,
                (_, Format::R16G16Sint | Format::R16G16B16A16Sint) if indices => flag::SIGNED_SHORTS,
                _ => 0,
            };
            if input.step_rate.is_some_and(|rate| rate != 1) && !self.gpu.divisor {
                return refuse("the device lacks VK_EXT_vertex_attribute_divisor".to_owned());
            }
            if input.step_rate.is_some_and(|rate| rate > MOST_RATE) {
                return refuse(format!(
                    "{semantic} advances every {} instances",
                    input.step_rate.unwrap_or(0)
                ));
            }
            let stream = draw.streams.get(&input.slot);
            let at = stream.map_or(0, |s| s.range.offset.saturating_add(input.offset.into()));
            let backing = stream.and_then(|s| contents.used(s.range.buffer)).filter(|b| at < b.buffer.size);
            let (Some(stream), Some(backing)) = (stream, backing) else {
                // An unbound slot, or one bound past its buffer's end, reads as zeros.
                let rate = input.step_rate;
                inputs.keys.push(InputKey { location: input.need.location, format, stride: 0, rate });
                inputs.buffers.push(self.nothing.raw);
                inputs.offsets.push(0);
                continue;
            };
            let alignment = element_alignment(input.format);
            if !at.is_multiple_of(alignment) || !u64::from(stream.stride).is_multiple_of(alignment) {
                return refuse(format!("{semantic} lies at no multiple of {alignment} bytes"));
            }
            if stream.stride > self.gpu.limits.max_vertex_input_binding_stride {
                return refuse(format!("a stride of {} bytes is more than the device takes", stream.stride));
            }
            let end = at + input.format.size() as u64;
            let (below, last) = match input.step_rate {
                Some(rate) => (false, last_instance(rate)),
                None => (least < 0, u64::try_from(greatest).unwrap_or(0)),
            };
            let last = last.saturating_mul(stream.stride.into());
            let outside = below || last.saturating_add(end) > backing.buffer.size;
            if outside && !self.gpu.robust {
                return refuse(
                    "it fetches past a stream, and the device lacks robustBufferAccess2".to_owned(),
                );
            }
            let rate = input.step_rate;
            inputs.keys.push(InputKey { location: input.need.location, format, stride: stream.stride, rate });
            inputs.buffers.push(backing.buffer.raw);
            inputs.offsets.push(at);
        }
        Ok(inputs)
    }

    /// Whether `sets` will record a copy for this draw.
    pub(super) fn will_copy(&self, draw: &Draw, binding: &Binding, contents: &Contents<'gpu>) -> bool {
        binding.buffers.iter().any(|bound| {
            let range = bound.register.and_then(|register| draw.buffers.get(&register));
            let Some((range, backing)) = range.and_then(|r| Some((r, contents.get(r.buffer)?))) else {
                return false;
            };
            match self.place(bound, range, backing) {
                Place::InScratch(key) => !self.scratch.contains_key(&key),
                Place::Nowhere | Place::AsItLies(_) => false,
            }
        })
    }

    /// Where a bound range can be read.
    fn place(&self, bound: &BoundBuffer, range: &BoundRange, backing: &Backing<'gpu>) -> Place {
        let size = backing.buffer.size;
        let held = range.size.min(size.saturating_sub(range.offset));
        if held == 0 {
            return Place::Nowhere;
        }
        let (wanted, alignment) = match bound.need.class {
            // Every declared row must be addressable; the shader itself keeps to the bound bytes.
            RegisterClass::Constant => {
                (bound.need.declared_size, self.gpu.limits.min_uniform_buffer_offset_alignment)
            }
            RegisterClass::Resource => (held, self.gpu.limits.min_storage_buffer_offset_alignment),
        };
        let fits = range.offset.checked_add(wanted).is_some_and(|end| end <= size);
        if fits && range.offset.is_multiple_of(alignment.max(1)) {
            let buffer = backing.buffer.raw;
            return Place::AsItLies(vk::DescriptorBufferInfo { buffer, offset: range.offset, range: wanted });
        }
        Place::InScratch((backing.buffer.raw, backing.change, range.offset, held.min(wanted), wanted))
    }

    fn fetches(&self, format: vk::Format) -> bool {
        // SAFETY: the physical device is the instance's.
        let properties =
            unsafe { self.gpu.instance.raw.get_physical_device_format_properties(self.gpu.physical, format) };
        properties.buffer_features.contains(vk::FormatFeatureFlags::VERTEX_BUFFER)
    }

    /// Writes the descriptor sets of a draw. Copies it records lie outside of rendering.
    pub(super) fn sets(
        &mut self,
        draw: &Draw,
        binding: &Binding,
        program: &Program,
        outputs: &Buffer<'gpu>,
        contents: &mut Contents<'gpu>,
        batch: &mut Batch<'gpu>,
    ) -> Result<Vec<vk::DescriptorSet>, Refusal> {
        let mut bound: Vec<(u32, u32, RegisterClass, vk::DescriptorBufferInfo)> = Vec::new();
        for buffer in &binding.buffers {
            let info = self.buffer(draw, buffer, contents, batch)?;
            bound.push((buffer.need.set, buffer.need.binding, buffer.need.class, info));
        }
        let out = vk::DescriptorBufferInfo { buffer: outputs.raw, offset: 0, range: outputs.size };
        bound.push((2, 0, RegisterClass::Resource, out));
        let sets = batch.sets(&program.sets)?;
        let infos: Vec<[vk::DescriptorBufferInfo; 1]> = bound.iter().map(|(.., info)| [*info]).collect();
        let writes: Vec<_> = bound
            .iter()
            .zip(&infos)
            .filter_map(|((set, binding, class, _), info)| {
                Some(
                    vk::WriteDescriptorSet::default()
                        .dst_set(*sets.get(*set as usize)?)
                        .dst_binding(*binding)
                        .descriptor_type(descriptor_type(*class))
                        .buffer_info(info),
                )
            })
            .collect();
        // SAFETY: fresh sets that nothing uses yet; the buffers live through the batch.
        unsafe { self.gpu.device.update_descriptor_sets(&writes, &[]) };
        Ok(sets)
    }

    fn buffer(
        &mut self,
        draw: &Draw,
        bound: &BoundBuffer,
        contents: &mut Contents<'gpu>,
        batch: &mut Batch<'gpu>,
    ) -> Result<vk::DescriptorBufferInfo, Refusal> {
        let range = bound.register.and_then(|register| draw.buffers.get(&register));
        let constant = bound.need.class == RegisterClass::Constant;
        if constant && bound.need.declared_size > u64::from(self.gpu.limits.max_uniform_buffer_range) {
            return refuse(format!("{} is larger than the device's constant buffers", bound.need.name));
        }
        let nothing = vk::DescriptorBufferInfo {
            buffer: self.nothing.raw,
            offset: 0,
            range: if constant { bound.need.declared_size } else { NOTHING },
        };
        let Some(range) = range else { return Ok(nothing) };
        let Some(backing) = contents.used(range.buffer) else { return Ok(nothing) };
        match self.place(bound, range, backing) {
            Place::Nowhere => Ok(nothing),
            Place::AsItLies(info) => Ok(info),
            Place::InScratch(key) => {
                let (.., offset, copied, wanted) = key;
                if !self.scratch.contains_key(&key) {
                    let name = format!("{} of event {}", bound.need.name, draw.event);
                    let scratch = Buffer::new(self.gpu, &name, wanted, MemoryLocation::CpuToGpu)?;
                    let region = vk::BufferCopy { src_offset: offset, dst_offset: 0, size: copied };
                    batch.copy(&backing.buffer, &scratch, region);
                    self.scratch.insert(key, scratch);
                }
                let buffer = self.scratch.get(&key).map_or(vk::Buffer::null(), |b| b.raw);
                Ok(vk::DescriptorBufferInfo { buffer, offset: 0, range: wanted })
            }
        }
    }

    /// The draw's parameters, as `shaders/include/draw.hlsli` lays them out.
    pub(super) fn parameters(
        &self,
        draw: &Draw,
        binding: &Binding,
        inputs: &VertexInputs,
        first_vertex: i64,
        vertex_count: u32,
    ) -> Result<[u8; PARAMETERS as usize], Refusal> {
        let i = &binding.instances;
        let offsets = [i.world_offset, i.fade_offset, i.palette_first_offset.unwrap_or(0)];
        if i.record_size > 65_536 || offsets.iter().any(|o| !o.is_multiple_of(4) || *o > 32_768) {
            return refuse(format!("instance records of {} bytes with fields at {offsets:?}", i.record_size));
        }
        if !i.record_size.is_multiple_of(4) {
            return refuse(format!("instance records of {} bytes, no multiple of 4", i.record_size));
        }
        let bound = |name: &str| -> u32 {
            let found = binding.buffers.iter().find(|b| b.need.name == name);
            let range = found.and_then(|b| draw.buffers.get(&b.register?));
            range.map_or(0, |r| u32::try_from(r.size.min(r.covered())).unwrap_or(u32::MAX))
        };
        let has_indices = binding
            .buffers
            .iter()
            .any(|b| b.need.name == crate::plan::binding::INSTANCE_INDEX_BUFFER && b.register.is_some());
        let flags = inputs.flags
            | if binding.swap_views { flag::SWAP_VIEWS } else { 0 }
            | if has_indices { flag::INDEX_BUFFER } else { 0 }
            | if i.palette_first_offset.is_some() { flag::PALETTE_FIRST } else { 0 };
        let words = [
            first_vertex as u32,
            vertex_count,
            draw.first_instance,
            flags,
            i.record_size,
            i.index_offset,
            i.world_offset,
            i.fade_offset,
            i.palette_first_offset.unwrap_or(0),
            bound(crate::plan::binding::OBJ_MATRIX),
            bound(crate::plan::binding::PREV_OBJ_MATRIX),
            bound(crate::plan::binding::INSTANCE_DATA),
            bound(crate::plan::binding::INSTANCE_INDEX_BUFFER),
            bound(crate::plan::binding::MATRIX_WVP),
        ];
        let mut bytes = [0; PARAMETERS as usize];
        for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        Ok(bytes)
    }
}
