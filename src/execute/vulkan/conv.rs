//! Our vocabulary in Vulkan's words. No `vk::` type leaves the executor.

use ash::vk;

use crate::abi::state::{BlendFactor, BlendOp, Compare, Cull, Front};
use crate::abi::{Format, NumberKind};

/// The format of texels, and of vertex elements read as they are.
pub(super) const fn texel_format(format: Format) -> vk::Format {
    match format {
        Format::R32G32B32A32Float => vk::Format::R32G32B32A32_SFLOAT,
        Format::R32G32B32Float => vk::Format::R32G32B32_SFLOAT,
        Format::R32G32Float => vk::Format::R32G32_SFLOAT,
        Format::R32Float => vk::Format::R32_SFLOAT,
        Format::R16G16B16A16Float => vk::Format::R16G16B16A16_SFLOAT,
        Format::R16G16Float => vk::Format::R16G16_SFLOAT,
        Format::R16G16B16A16Snorm => vk::Format::R16G16B16A16_SNORM,
        Format::R16G16Sint => vk::Format::R16G16_SINT,
        Format::R16G16B16A16Sint => vk::Format::R16G16B16A16_SINT,
        Format::R8G8B8A8Unorm => vk::Format::R8G8B8A8_UNORM,
        Format::R8G8B8A8Snorm => vk::Format::R8G8B8A8_SNORM,
        Format::R8G8B8A8Uint => vk::Format::R8G8B8A8_UINT,
        Format::R8G8B8A8Sint => vk::Format::R8G8B8A8_SINT,
        Format::R10G10B10A2Unorm => vk::Format::A2B10G10R10_UNORM_PACK32,
        Format::R16Uint => vk::Format::R16_UINT,
        Format::R32Uint => vk::Format::R32_UINT,
        Format::D32Float => vk::Format::D32_SFLOAT,
    }
}

/// The format in which a float input fetches an element: integers become the numbers they are, but weights, which are
/// 255ths (draw model, "Arithmetic").
pub(super) const fn float_input_format(format: Format, weight: bool) -> Option<vk::Format> {
    Some(match (format, weight) {
        (Format::R8G8B8A8Uint, true) => vk::Format::R8G8B8A8_UNORM,
        (Format::R16G16Sint | Format::R16G16B16A16Sint | Format::R8G8B8A8Sint, true) => return None,
        (Format::R16Uint | Format::R32Uint, true) => return None,
        (Format::R8G8B8A8Uint, false) => vk::Format::R8G8B8A8_USCALED,
        (Format::R8G8B8A8Sint, false) => vk::Format::R8G8B8A8_SSCALED,
        (Format::R16G16Sint, false) => vk::Format::R16G16_SSCALED,
        (Format::R16G16B16A16Sint, false) => vk::Format::R16G16B16A16_SSCALED,
        (Format::R16Uint, false) => vk::Format::R16_USCALED,
        // No scaled format has 32 bits.
        (Format::R32Uint, false) => return None,
        (Format::D32Float, _) => vk::Format::R32_SFLOAT,
        (other, _) => texel_format(other),
    })
}

/// The format in which an unsigned input fetches an element: signed ones as their bits, which the shader extends.
pub(super) const fn uint_input_format(format: Format) -> Option<vk::Format> {
    Some(match format {
        Format::R8G8B8A8Uint | Format::R8G8B8A8Sint => vk::Format::R8G8B8A8_UINT,
        Format::R16G16Sint => vk::Format::R16G16_UINT,
        Format::R16G16B16A16Sint => vk::Format::R16G16B16A16_UINT,
        Format::R16Uint => vk::Format::R16_UINT,
        Format::R32Uint => vk::Format::R32_UINT,
        _ => return None,
    })
}

/// Bytes to which a vertex element must be aligned.
pub(super) const fn element_alignment(format: Format) -> u64 {
    match format {
        Format::R10G10B10A2Unorm => 4,
        _ => (format.size() / format.components()) as u64,
    }
}

pub(super) const fn compare_op(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}

pub(super) const fn cull_mode(cull: Cull) -> vk::CullModeFlags {
    match cull {
        Cull::None => vk::CullModeFlags::NONE,
        Cull::Front => vk::CullModeFlags::FRONT,
        Cull::Back => vk::CullModeFlags::BACK,
    }
}

/// The front's winding on the screen. The viewport of negative height makes Vulkan's screen the same as Direct3D's, so
/// that the winding keeps its name.
pub(super) const fn front_face(front: Front) -> vk::FrontFace {
    match front {
        Front::Cw => vk::FrontFace::CLOCKWISE,
        Front::Ccw => vk::FrontFace::COUNTER_CLOCKWISE,
    }
}

pub(super) const fn blend_factor(factor: BlendFactor) -> vk::BlendFactor {
    match factor {
        BlendFactor::Zero => vk::BlendFactor::ZERO,
        BlendFactor::One => vk::BlendFactor::ONE,
        BlendFactor::SrcColor => vk::BlendFactor::SRC_COLOR,
        BlendFactor::InvSrcColor => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        BlendFactor::SrcAlpha => vk::BlendFactor::SRC_ALPHA,
        BlendFactor::InvSrcAlpha => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        BlendFactor::DestAlpha => vk::BlendFactor::DST_ALPHA,
        BlendFactor::InvDestAlpha => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        BlendFactor::DestColor => vk::BlendFactor::DST_COLOR,
        BlendFactor::InvDestColor => vk::BlendFactor::ONE_MINUS_DST_COLOR,
    }
}

pub(super) const fn blend_op(op: BlendOp) -> vk::BlendOp {
    match op {
        BlendOp::Add => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::RevSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// A clear value in a format's own kind of number.
pub(super) fn clear_color(format: Format, color: [f64; 4]) -> vk::ClearColorValue {
    match format.kind() {
        NumberKind::Uint => vk::ClearColorValue { uint32: color.map(|v| v as u32) },
        NumberKind::Sint => vk::ClearColorValue { int32: color.map(|v| v as i32) },
        NumberKind::Float32 | NumberKind::Float16 | NumberKind::Unorm | NumberKind::Snorm => {
            vk::ClearColorValue { float32: color.map(|v| v as f32) }
        }
    }
}
