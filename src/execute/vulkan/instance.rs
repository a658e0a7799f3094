//! The loader, the instance, and the messages of the validation layer.

use std::borrow::Cow;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use ash::vk;

/// Why there is no Vulkan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVulkan {
    /// The loader library is not installed.
    #[error("no Vulkan loader was found")]
    Loader,
    /// The loader is older than Vulkan 1.3.
    #[error("the Vulkan loader knows version {0} only; 1.3 is needed")]
    Old(String),
    /// The loader found no driver.
    #[error("no Vulkan driver was found")]
    Driver,
    /// The loader or a driver failed.
    #[error("Vulkan could not be started: {0}")]
    Failed(String),
}

/// The layer that checks every call.
const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// An instance; it destroys itself and its messenger.
pub(super) struct Instance {
    // The loader must outlive everything made from it.
    _entry: ash::Entry,
    pub(super) raw: ash::Instance,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Boxed, since the messenger holds its address.
    messages: Box<Mutex<Vec<String>>>,
    /// Whether objects can be named.
    pub(super) debug_utils: bool,
    /// Whether the validation layer is on.
    pub(super) validation: bool,
}

impl Instance {
    /// Starts Vulkan; `validation` turns the layer on where it is installed, synchronization validation included.
    pub(super) fn new(validation: bool) -> Result<Self, NoVulkan> {
        // SAFETY: loading runs the initialisers of the system's Vulkan library, which the user installed.
        let entry = unsafe { ash::Entry::load() }.map_err(|_| NoVulkan::Loader)?;
        let failed = |code: vk::Result| match code {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => NoVulkan::Driver,
            other => NoVulkan::Failed(format!("{other:?}")),
        };
        // SAFETY: a query without preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }.map_err(failed)?;
        let version = version.unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_3 {
            return Err(NoVulkan::Old(version_text(version)));
        }
        // SAFETY: queries without preconditions.
        let (layers, extensions) = unsafe {
            (
                entry.enumerate_instance_layer_properties().map_err(failed)?,
                entry.enumerate_instance_extension_properties(None).map_err(failed)?,
            )
        };
        let named = |name: &[std::ffi::c_char; 256], wanted: &CStr| text(name) == wanted.to_string_lossy();
        let validation = validation && layers.iter().any(|l| named(&l.layer_name, VALIDATION));
        let debug_utils =
            validation || extensions.iter().any(|e| named(&e.extension_name, ash::ext::debug_utils::NAME));
        let layer_names = [VALIDATION.as_ptr()];
        let extension_names = [ash::ext::debug_utils::NAME.as_ptr()];
        let application = vk::ApplicationInfo::default()
            .application_name(c"replay")
            .engine_name(c"replay")
            .api_version(vk::API_VERSION_1_3);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        let mut info = vk::InstanceCreateInfo::default().application_info(&application);
        if debug_utils {
            info = info.enabled_extension_names(&extension_names);
        }
        if validation {
            info = info.enabled_layer_names(&layer_names).push_next(&mut features);
        }
        // SAFETY: every pointer in `info` lives until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(failed)?;
        let mut instance =
            Self { _entry: entry, raw, messenger: None, messages: Box::default(), debug_utils, validation };
        if validation {
            instance.listen().map_err(failed)?;
        }
        Ok(instance)
    }

    fn listen(&mut self) -> Result<(), vk::Result> {
        let loader = ash::ext::debug_utils::Instance::new(&self._entry, &self.raw);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            // Advice on performance (images kept in the general layout) says nothing about being right.
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(take_message))
            .user_data(std::ptr::from_ref::<Mutex<Vec<String>>>(&self.messages).cast_mut().cast());
        // SAFETY: the messages are boxed and outlive the messenger, which `drop` destroys before them.
        let messenger = unsafe { loader.create_debug_utils_messenger(&info, None) }?;
        self.messenger = Some((loader, messenger));
        Ok(())
    }

    /// What the validation layer has said.
    pub(super) fn messages(&self) -> Vec<String> {
        self.messages.lock().map(|messages| messages.clone()).unwrap_or_default()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((loader, messenger)) = self.messenger.take() {
            // SAFETY: made from this instance and destroyed once.
            unsafe { loader.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: whatever was made from the instance borrows it or is owned by a type that holds it, so is gone.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// Takes a message of the validation layer, with the labels that surround it.
unsafe extern "system" fn take_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer hands out a valid structure for the time of the call.
    let Some(data) = (unsafe { data.as_ref() }) else { return vk::FALSE };
    // SAFETY: `listen` gave the address of the boxed mutex, which outlives the messenger.
    let Some(messages) = (unsafe { messages.cast::<Mutex<Vec<String>>>().as_ref() }) else {
        return vk::FALSE;
    };
    // SAFETY: null or a string that ends in zero, valid for the time of the call.
    let text = unsafe { data.message_as_c_str() }.map_or(Cow::Borrowed("no text"), CStr::to_string_lossy);
    let labels = if data.p_cmd_buf_labels.is_null() {
        &[]
    } else {
        // SAFETY: not null, and as many labels as the layer says, valid for the time of the call.
        unsafe { std::slice::from_raw_parts(data.p_cmd_buf_labels, data.cmd_buf_label_count as usize) }
    };
    let labels: Vec<_> = labels
        .iter()
        // SAFETY: a label's name is null or ends in zero.
        .filter_map(|label| unsafe { label.label_name_as_c_str() })
        .map(CStr::to_string_lossy)
        .collect();
    let at = if labels.is_empty() { String::new() } else { format!(" [{}]", labels.join(" / ")) };
    if let Ok(mut messages) = messages.lock() {
        messages.push(format!("{text}{at}"));
    }
    vk::FALSE
}

/// `1.3.230`.
pub(super) fn version_text(version: u32) -> String {
    let part = [vk::api_version_major, vk::api_version_minor, vk::api_version_patch];
    part.map(|of| of(version).to_string()).join(".")
}

/// A fixed-size C string of a property structure.
pub(super) fn text(name: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = name.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
