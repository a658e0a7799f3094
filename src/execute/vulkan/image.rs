//! Attachments.

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::super::ExecuteError;
use super::conv::texel_format;
use super::error::Context;
use super::gpu::Gpu;
use crate::abi::Format;

/// A colour or depth attachment; it frees itself. Between commands it is always in [`Attachment::LAYOUT`].
pub(super) struct Attachment<'gpu> {
    gpu: &'gpu Gpu,
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    memory: Option<Allocation>,
    pub(super) format: Format,
    pub(super) extent: vk::Extent2D,
}

impl<'gpu> Attachment<'gpu> {
    /// The one layout that every use allows. What is lost is speed on some devices, not correctness.
    pub(super) const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

    /// An attachment with undefined contents.
    pub(super) fn new(
        gpu: &'gpu Gpu,
        name: &str,
        format: Format,
        extent: vk::Extent2D,
    ) -> Result<Self, ExecuteError> {
        let use_as = if format == Format::D32Float {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(texel_format(format))
            .extent(vk::Extent3D { width: extent.width, height: extent.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(use_as | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        let what = || {
            format!("make the attachment \"{name}\", {} x {} {}", extent.width, extent.height, format.name())
        };
        // SAFETY: the device is alive; reading the set bounds the size, and the caller asked for the format's features.
        let raw = unsafe { gpu.device.create_image(&info, None) }.could_not(what)?;
        let mut image = Self { gpu, raw, view: vk::ImageView::null(), memory: None, format, extent };
        gpu.name(raw, name);
        // SAFETY: the image is the device's.
        let requirements = unsafe { gpu.device.get_image_memory_requirements(raw) };
        let memory = gpu
            .allocator()
            .allocate(&AllocationCreateDesc {
                name,
                requirements,
                location: MemoryLocation::GpuOnly,
                linear: false,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .could_not(what)?;
        let memory = image.memory.insert(memory);
        // SAFETY: fresh memory that meets the image's requirements, bound once.
        unsafe { gpu.device.bind_image_memory(raw, memory.memory(), memory.offset()) }.could_not(what)?;
        let info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(texel_format(format))
            .subresource_range(image.range());
        // SAFETY: the image is alive and has memory.
        image.view = unsafe { gpu.device.create_image_view(&info, None) }.could_not(what)?;
        Ok(image)
    }

    /// Whether the device can draw to a format, and blend there.
    pub(super) fn supported(gpu: &Gpu, format: Format, blend: bool) -> bool {
        // SAFETY: the physical device is the instance's.
        let properties = unsafe {
            gpu.instance.raw.get_physical_device_format_properties(gpu.physical, texel_format(format))
        };
        let needed = match (format == Format::D32Float, blend) {
            (true, _) => vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            (false, false) => vk::FormatFeatureFlags::COLOR_ATTACHMENT,
            (false, true) => vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND,
        };
        properties.optimal_tiling_features.contains(needed)
    }

    fn aspect(&self) -> vk::ImageAspectFlags {
        if self.format == Format::D32Float {
            vk::ImageAspectFlags::DEPTH
        } else {
            vk::ImageAspectFlags::COLOR
        }
    }

    /// All of the image.
    pub(super) fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default().aspect_mask(self.aspect()).level_count(1).layer_count(1)
    }

    /// All of the image against tightly packed bytes.
    pub(super) fn region(&self) -> vk::BufferImageCopy {
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(self.aspect()).layer_count(1);
        vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width: self.extent.width,
            height: self.extent.height,
            depth: 1,
        })
    }

    /// Bytes of all pixels.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.extent.width) * u64::from(self.extent.height) * self.format.size() as u64
    }
}

impl Drop for Attachment<'_> {
    fn drop(&mut self) {
        if self.gpu.is_stuck() {
            std::mem::forget(self.memory.take());
            return;
        }
        // SAFETY: work that used the image is over: a submission keeps what it uses and waits before it goes. A null
        // view is ignored.
        unsafe {
            self.gpu.device.destroy_image_view(self.view, None);
            self.gpu.device.destroy_image(self.raw, None);
        }
        if let Some(memory) = self.memory.take() {
            let _ = self.gpu.allocator().free(memory);
        }
    }
}
