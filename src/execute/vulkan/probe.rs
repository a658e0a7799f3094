//! Which devices there are, and whether they can replay.

use ash::vk;

use super::instance::{Instance, NoVulkan, text, version_text};

/// A Vulkan device as `replay devices` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceDescription {
    /// Its number for `--device`.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// `discrete GPU`, `integrated GPU`, `virtual GPU`, `CPU` or `other`.
    pub kind: String,
    /// Driver name and version.
    pub driver: String,
    /// Vulkan version.
    pub api: String,
    /// What it lacks to replay.
    pub usable: Result<(), Vec<String>>,
}

/// Lists the devices, real GPUs before those of the CPU.
///
/// # Errors
/// There is no loader or no driver.
pub fn devices() -> Result<Vec<DeviceDescription>, NoVulkan> {
    let instance = Instance::new(false)?;
    let devices: Vec<_> = candidates(&instance)?.into_iter().map(|c| c.description).collect();
    if devices.is_empty() { Err(NoVulkan::Driver) } else { Ok(devices) }
}

/// A device and what it can do.
pub(super) struct Candidate {
    pub(super) physical: vk::PhysicalDevice,
    pub(super) description: DeviceDescription,
    pub(super) limits: vk::PhysicalDeviceLimits,
    /// Out-of-range reads yield zeros (VK_EXT_robustness2).
    pub(super) robust: bool,
    /// Per-instance streams may advance at other rates than 1 (VK_EXT_vertex_attribute_divisor).
    pub(super) divisor: bool,
    /// A queue family that draws.
    pub(super) family: u32,
}

/// Every device, in the order of their indices.
pub(super) fn candidates(instance: &Instance) -> Result<Vec<Candidate>, NoVulkan> {
    // SAFETY: the instance is alive.
    let physical = unsafe { instance.raw.enumerate_physical_devices() }
        .map_err(|code| NoVulkan::Failed(format!("{code:?}")))?;
    let mut found: Vec<_> = physical.into_iter().map(|device| candidate(instance, device)).collect();
    let rank = |kind: &str| match kind {
        "discrete GPU" => 0,
        "integrated GPU" => 1,
        "virtual GPU" => 2,
        "other" => 3,
        _ => 4,
    };
    found.sort_by_key(|c| rank(&c.description.kind));
    for (index, candidate) in found.iter_mut().enumerate() {
        candidate.description.index = index;
    }
    Ok(found)
}

fn candidate(instance: &Instance, physical: vk::PhysicalDevice) -> Candidate {
    let raw = &instance.raw;
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the device is the instance's; the chained structures live through the calls.
    let (families, extensions) = unsafe {
        raw.get_physical_device_properties2(physical, &mut properties);
        (
            raw.get_physical_device_queue_family_properties(physical),
            raw.enumerate_device_extension_properties(physical).unwrap_or_default(),
        )
    };
    let properties = properties.properties;
    let has =
        |name: &std::ffi::CStr| extensions.iter().any(|e| text(&e.extension_name) == name.to_string_lossy());
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
    let mut divisor = vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default();
    if properties.api_version >= vk::API_VERSION_1_3 {
        features = features.push_next(&mut vulkan13);
    }
    if has(ash::ext::robustness2::NAME) {
        features = features.push_next(&mut robustness);
    }
    if has(ash::ext::vertex_attribute_divisor::NAME) {
        features = features.push_next(&mut divisor);
    }
    // SAFETY: only structures of extensions and versions the device has are chained.
    unsafe { raw.get_physical_device_features2(physical, &mut features) };
    let basic = features.features;
    let family = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::GRAPHICS));
    let needs = [
        (properties.api_version >= vk::API_VERSION_1_3, "Vulkan 1.3"),
        (family.is_some(), "a graphics queue"),
        (vulkan13.dynamic_rendering == vk::TRUE, "dynamicRendering"),
        (vulkan13.synchronization2 == vk::TRUE, "synchronization2"),
        (basic.vertex_pipeline_stores_and_atomics == vk::TRUE, "vertexPipelineStoresAndAtomics"),
        (basic.full_draw_index_uint32 == vk::TRUE, "fullDrawIndexUint32"),
        (basic.robust_buffer_access == vk::TRUE, "robustBufferAccess"),
        (properties.limits.max_uniform_buffer_range >= 65_536, "uniform buffer ranges of 65,536 bytes"),
    ];
    let missing: Vec<String> =
        needs.iter().filter(|(has, _)| !has).map(|(_, what)| (*what).to_owned()).collect();
    let kind = match properties.device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
        vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
        vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
        vk::PhysicalDeviceType::CPU => "CPU",
        _ => "other",
    };
    Candidate {
        physical,
        description: DeviceDescription {
            index: 0,
            name: text(&properties.device_name),
            kind: kind.to_owned(),
            driver: format!("{} {}", text(&driver.driver_name), text(&driver.driver_info)),
            api: version_text(properties.api_version),
            usable: if missing.is_empty() { Ok(()) } else { Err(missing) },
        },
        limits: properties.limits,
        robust: robustness.robust_buffer_access2 == vk::TRUE,
        divisor: divisor.vertex_attribute_instance_rate_divisor == vk::TRUE
            && divisor.vertex_attribute_instance_rate_zero_divisor == vk::TRUE,
        family: family.unwrap_or(0) as u32,
    }
}
