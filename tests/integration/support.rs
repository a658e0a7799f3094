//! What several topics need: sets and executors.

use std::path::PathBuf;

use replay::execute::vulkan;
use replay::run::DeviceChoice;

/// A folder of the recorded samples, which lie beside the project's checkout where its makers work. Without them a
/// test says so and has nothing to do.
pub(crate) fn sample(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples")).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: the sample {name} is not there");
    None
}

/// The bundled Sekiro set.
pub(crate) fn ashina_gate() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/captures/ashina_gate"))
}

/// The first Vulkan device that can replay. Without one a test says so; where `REPLAY_REQUIRE_VULKAN=1`, it fails.
pub(crate) fn vulkan_device() -> Option<DeviceChoice> {
    let found = vulkan::devices().ok().and_then(|devices| devices.into_iter().find(|d| d.usable.is_ok()));
    match found {
        Some(device) => Some(DeviceChoice::Index(device.index)),
        None => {
            let required = std::env::var_os("REPLAY_REQUIRE_VULKAN").is_some_and(|v| v == "1");
            assert!(!required, "REPLAY_REQUIRE_VULKAN=1, and no Vulkan device can replay");
            println!("skipped: no Vulkan driver");
            None
        }
    }
}

/// The reference executor and, where there is one, a Vulkan device.
pub(crate) fn executors() -> Vec<DeviceChoice> {
    std::iter::once(DeviceChoice::Reference).chain(vulkan_device()).collect()
}
