//! The Vulkan executor.
