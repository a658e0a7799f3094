//! The device, its queue, its memory, and the pipelines made for it.

use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};

use super::super::{ExecuteError, ExecutorInfo, ExecutorKind};
use super::error::Context;
use super::instance::Instance;
use super::pipeline::Pipelines;
use super::probe::candidates;

/// An opened device. Everything made from it borrows it, so that it cannot go first:
///
/// ```compile_fail,E0505
/// # fn needs(gpu: replay::execute::vulkan::Gpu) {
/// let buffer = replay::execute::vulkan::Buffer::example(&gpu);
/// drop(gpu);
/// drop(buffer);
/// # }
/// ```
pub struct Gpu {
    /// Freed by hand: before the device.
    allocator: ManuallyDrop<Mutex<Allocator>>,
    pipelines: Mutex<Pipelines>,
    pub(super) device: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) family: u32,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) physical: vk::PhysicalDevice,
    /// Out-of-range vertex fetches yield zeros.
    pub(super) robust: bool,
    /// Per-instance streams may advance at any rate.
    pub(super) divisor: bool,
    labels: Option<ash::ext::debug_utils::Device>,
    /// Work outlasted all patience and may still use anything: nothing is destroyed any more.
    stuck: AtomicBool,
    pub(super) info: ExecutorInfo,
    // Fields drop in order: the instance goes last.
    pub(super) instance: Instance,
}

impl Gpu {
    /// Opens the device of that index in `devices()`.
    pub(super) fn open(index: usize, validation: bool) -> Result<Self, ExecuteError> {
        let failed = |why: String| ExecuteError(format!("vulkan: {why}"));
        let instance = Instance::new(validation).map_err(|e| failed(e.to_string()))?;
        let candidate = candidates(&instance)
            .map_err(|e| failed(e.to_string()))?
            .into_iter()
            .nth(index)
            .ok_or_else(|| failed(format!("device {index} is not there")))?;
        if let Err(missing) = &candidate.description.usable {
            return Err(failed(format!("{} lacks {}", candidate.description.name, missing.join(", "))));
        }
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(candidate.family)
            .queue_priorities(&priorities)];
        let mut extensions = Vec::new();
        if candidate.robust {
            extensions.push(ash::ext::robustness2::NAME.as_ptr());
        }
        if candidate.divisor {
            extensions.push(ash::ext::vertex_attribute_divisor::NAME.as_ptr());
        }
        let mut vulkan13 =
            vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).synchronization2(true);
        let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
        let mut divisor = vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT::default()
            .vertex_attribute_instance_rate_divisor(true)
            .vertex_attribute_instance_rate_zero_divisor(true);
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .features(
                vk::PhysicalDeviceFeatures::default()
                    .vertex_pipeline_stores_and_atomics(true)
                    .full_draw_index_uint32(true)
                    .robust_buffer_access(true),
            )
            .push_next(&mut vulkan13);
        if candidate.robust {
            features = features.push_next(&mut robustness);
        }
        if candidate.divisor {
            features = features.push_next(&mut divisor);
        }
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        // SAFETY: the device has the queue family, the extensions and the features asked for, as the probe found.
        let device = unsafe { instance.raw.create_device(candidate.physical, &info, None) }
            .could_not(|| format!("open the device {}", candidate.description.name))?;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: device.clone(),
            physical_device: candidate.physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        });
        let allocator = match allocator.could_not(|| "set up the allocator".to_owned()) {
            Ok(allocator) => allocator,
            Err(error) => {
                // SAFETY: nothing was made from the device.
                unsafe { device.destroy_device(None) };
                return Err(error);
            }
        };
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.get_device_queue(candidate.family, 0) };
        let labels = instance.debug_utils.then(|| ash::ext::debug_utils::Device::new(&instance.raw, &device));
        Ok(Self {
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            pipelines: Mutex::default(),
            device,
            queue,
            family: candidate.family,
            limits: candidate.limits,
            physical: candidate.physical,
            robust: candidate.robust,
            divisor: candidate.divisor,
            labels,
            stuck: AtomicBool::new(false),
            info: ExecutorInfo {
                kind: ExecutorKind::Vulkan,
                device: candidate.description.name,
                driver: candidate.description.driver,
            },
            instance,
        })
    }

    /// The allocator. A panic elsewhere while it was held leaves it usable: its calls are single steps.
    pub(super) fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pipelines.
    pub(super) fn pipelines(&self) -> MutexGuard<'_, Pipelines> {
        self.pipelines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that submitted work does not end. What it may use is leaked rather than freed under it.
    pub(super) fn give_up(&self) {
        self.stuck.store(true, Ordering::Relaxed);
    }

    /// Whether submitted work may still be running.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Names an object for graphics debuggers and messages.
    pub(super) fn name<H: vk::Handle>(&self, object: H, name: &str) {
        if let (Some(labels), Ok(name)) = (&self.labels, CString::new(name)) {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
            // SAFETY: the object is this device's and alive. A failure to name changes nothing else.
            let _ = unsafe { labels.set_debug_utils_object_name(&info) };
        }
    }

    /// Opens a labelled region of a command buffer.
    pub(super) fn begin_label(&self, commands: vk::CommandBuffer, name: &str) {
        if let (Some(labels), Ok(name)) = (&self.labels, CString::new(name)) {
            let info = vk::DebugUtilsLabelEXT::default().label_name(&name);
            // SAFETY: the command buffer is being recorded.
            unsafe { labels.cmd_begin_debug_utils_label(commands, &info) };
        }
    }

    /// Closes the region opened last.
    pub(super) fn end_label(&self, commands: vk::CommandBuffer) {
        if let Some(labels) = &self.labels {
            // SAFETY: the command buffer is being recorded, and a region is open.
            unsafe { labels.cmd_end_debug_utils_label(commands) };
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.is_stuck() {
            return;
        }
        // SAFETY: everything made from the device borrows it or is destroyed here: pipelines, then memory, then the
        // device; the instance follows as a field. The allocator is dropped once.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.pipelines.get_mut().unwrap_or_else(PoisonError::into_inner).destroy(&self.device);
            ManuallyDrop::drop(&mut self.allocator);
            self.device.destroy_device(None);
        }
    }
}
