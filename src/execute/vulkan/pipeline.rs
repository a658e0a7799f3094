//! Pipelines: one for each shader, set of attachments and vertex layout, made once for a whole capture set.

use std::collections::HashMap;

use ash::vk;

use super::super::ExecuteError;
use super::conv::{blend_factor, blend_op};
use super::error::Context;
use super::gpu::Gpu;
use crate::abi::RegisterClass;
use crate::abi::state::Blend;
use crate::shader::Shader;

/// Bytes of the draw's parameters in `shaders/include/draw.hlsli`.
pub(super) const PARAMETERS: u32 = 56;

/// One vertex input as a pipeline fixes it. Its binding is its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InputKey {
    pub(super) location: u32,
    pub(super) format: vk::Format,
    pub(super) stride: u32,
    /// `Some(rate)`: by instance.
    pub(super) rate: Option<u32>,
}

/// Everything that tells pipelines apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub(super) shader: &'static str,
    pub(super) inputs: Vec<InputKey>,
    pub(super) strip: bool,
    /// Formats of the colour attachments; `None` for a vertex-stage run, which rasterises nothing.
    pub(super) targets: Option<Vec<vk::Format>>,
    pub(super) depth: bool,
    pub(super) color_write: [bool; 4],
    pub(super) blend: Option<BlendKey>,
}

/// A blend state in Vulkan's words: colour source, destination and operation, then alpha's.
type BlendKey = [(vk::BlendFactor, vk::BlendFactor, vk::BlendOp); 2];

/// A blend state that can be a key.
pub(super) fn blend_key(blend: Blend) -> BlendKey {
    [blend.color, blend.alpha].map(|e| (blend_factor(e.0), blend_factor(e.1), blend_op(e.2)))
}

/// A shader's modules and layouts.
#[derive(Clone, Copy)]
pub(super) struct Program {
    vertex: vk::ShaderModule,
    fragment: Option<vk::ShaderModule>,
    /// Layouts of sets 0 (constant buffers), 1 (resources) and 2 (outputs).
    pub(super) sets: [vk::DescriptorSetLayout; 3],
    pub(super) layout: vk::PipelineLayout,
}

/// All pipelines made for a device. The device's owner destroys them before the device.
#[derive(Default)]
pub(super) struct Pipelines {
    programs: HashMap<&'static str, Program>,
    pipelines: HashMap<PipelineKey, vk::Pipeline>,
}

impl Pipelines {
    /// The modules and layouts of a shader.
    pub(super) fn program(&mut self, gpu: &Gpu, shader: &'static Shader) -> Result<Program, ExecuteError> {
        if let Some(program) = self.programs.get(shader.name) {
            return Ok(*program);
        }
        // Entered in steps, so that what was made is destroyed with the rest if a later step fails.
        let vertex = module(gpu, shader.name, shader.vertex)?;
        let mut program = Program {
            vertex,
            fragment: None,
            sets: [vk::DescriptorSetLayout::null(); 3],
            layout: vk::PipelineLayout::null(),
        };
        let made = build(gpu, shader, &mut program);
        self.programs.insert(shader.name, program);
        if made.is_err()
            && let Some(program) = self.programs.remove(shader.name)
        {
            program.destroy(&gpu.device);
        }
        made.map(|()| program)
    }

    /// The pipeline of a key.
    pub(super) fn pipeline(
        &mut self,
        gpu: &Gpu,
        key: &PipelineKey,
        program: &Program,
    ) -> Result<vk::Pipeline, ExecuteError> {
        if let Some(pipeline) = self.pipelines.get(key) {
            return Ok(*pipeline);
        }
        let pipeline = create(gpu, key, program)?;
        gpu.name(pipeline, key.shader);
        self.pipelines.insert(key.clone(), pipeline);
        Ok(pipeline)
    }

    /// Destroys everything. The device must be idle.
    pub(super) fn destroy(&mut self, device: &ash::Device) {
        for (_, pipeline) in self.pipelines.drain() {
            #[allow(unsafe_code)]
            // SAFETY: the device is idle, says the caller, and the pipeline is its own.
            unsafe {
                device.destroy_pipeline(pipeline, None);
            }
        }
        for (_, program) in self.programs.drain() {
            program.destroy(device);
        }
    }
}

impl Program {
    fn destroy(self, device: &ash::Device) {
        // SAFETY: made from this device and used by nothing any more; null handles are ignored.
        unsafe {
            device.destroy_pipeline_layout(self.layout, None);
            for set in self.sets {
                device.destroy_descriptor_set_layout(set, None);
            }
            device.destroy_shader_module(self.fragment.unwrap_or_default(), None);
            device.destroy_shader_module(self.vertex, None);
        }
    }
}

fn build(gpu: &Gpu, shader: &Shader, program: &mut Program) -> Result<(), ExecuteError> {
    program.fragment = shader.fragment.map(|code| module(gpu, shader.name, code)).transpose()?;
    let buffers = shader.interface.buffers.iter().map(|b| (b.set, b.binding, b.class));
    let outputs = std::iter::once((2, 0, RegisterClass::Resource));
    let declared: Vec<_> = buffers.chain(outputs).collect();
    for (number, set) in program.sets.iter_mut().enumerate() {
        let bindings: Vec<_> = declared
            .iter()
            .filter(|(of, ..)| *of as usize == number)
            .map(|(_, binding, class)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*binding)
                    .descriptor_count(1)
                    .descriptor_type(descriptor_type(*class))
                    .stage_flags(vk::ShaderStageFlags::VERTEX)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive, and each binding number stands once in a set.
        *set = unsafe { gpu.device.create_descriptor_set_layout(&info, None) }
            .could_not(|| format!("lay out set {number} of {}", shader.name))?;
    }
    let push = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::VERTEX).size(PARAMETERS)];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&program.sets).push_constant_ranges(&push);
    // SAFETY: the set layouts are the device's.
    program.layout = unsafe { gpu.device.create_pipeline_layout(&info, None) }
        .could_not(|| format!("lay out the pipelines of {}", shader.name))?;
    Ok(())
}

/// The kind of descriptor a register class becomes.
pub(super) const fn descriptor_type(class: RegisterClass) -> vk::DescriptorType {
    match class {
        RegisterClass::Constant => vk::DescriptorType::UNIFORM_BUFFER,
        RegisterClass::Resource => vk::DescriptorType::STORAGE_BUFFER,
    }
}

fn module(gpu: &Gpu, name: &str, code: &[u8]) -> Result<vk::ShaderModule, ExecuteError> {
    let code = without_semantics(code);
    let info = vk::ShaderModuleCreateInfo::default().code(&code);
    // SAFETY: the code is the project's own, validated by its tests.
    unsafe { gpu.device.create_shader_module(&info, None) }.could_not(|| format!("load the shader {name}"))
}

/// A module without the strings that name semantics. They are for reflection; a device would need an extension to
/// accept them.
fn without_semantics(code: &[u8]) -> Vec<u32> {
    const EXTENSION: u32 = 10;
    const DECORATE_STRING: u32 = 5632;
    const MEMBER_DECORATE_STRING: u32 = 5633;
    let words: Vec<u32> = code.as_chunks::<4>().0.iter().map(|le| u32::from_le_bytes(*le)).collect();
    let (header, mut rest) = words.split_at(words.len().min(5));
    let mut out = header.to_vec();
    while let Some(first) = rest.first() {
        let length = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, after) = rest.split_at(length);
        let named = |word: &u32| word.to_le_bytes();
        let google = || {
            let text: Vec<u8> = instruction.iter().skip(1).flat_map(named).collect();
            text.starts_with(b"SPV_GOOGLE_")
        };
        let dropped = match first & 0xFFFF {
            DECORATE_STRING | MEMBER_DECORATE_STRING => true,
            EXTENSION => google(),
            _ => false,
        };
        if !dropped {
            out.extend_from_slice(instruction);
        }
        rest = after;
    }
    out
}

fn create(gpu: &Gpu, key: &PipelineKey, program: &Program) -> Result<vk::Pipeline, ExecuteError> {
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
    };
    let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, program.vertex)];
    let colors = key.targets.as_deref().unwrap_or_default();
    if let (false, Some(fragment)) = (colors.is_empty(), program.fragment) {
        stages.push(stage(vk::ShaderStageFlags::FRAGMENT, fragment));
    }
    let mut bindings = Vec::new();
    let mut attributes = Vec::new();
    let mut divisors = Vec::new();
    for (place, input) in key.inputs.iter().enumerate() {
        let binding = place as u32;
        let rate =
            if input.rate.is_some() { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
        bindings.push(
            vk::VertexInputBindingDescription::default()
                .binding(binding)
                .stride(input.stride)
                .input_rate(rate),
        );
        attributes.push(
            vk::VertexInputAttributeDescription::default()
                .binding(binding)
                .location(input.location)
                .format(input.format),
        );
        if let Some(divisor) = input.rate.filter(|rate| *rate != 1) {
            divisors.push(
                vk::VertexInputBindingDivisorDescriptionEXT::default().binding(binding).divisor(divisor),
            );
        }
    }
    let mut divisor_info =
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&divisors);
    let mut vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    if !divisors.is_empty() {
        vertex_input = vertex_input.push_next(&mut divisor_info);
    }
    let topology =
        if key.strip { vk::PrimitiveTopology::TRIANGLE_STRIP } else { vk::PrimitiveTopology::TRIANGLE_LIST };
    // Direct3D restarts strips and nothing else.
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(topology)
        .primitive_restart_enable(key.strip);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(key.targets.is_none())
        .polygon_mode(vk::PolygonMode::FILL)
        .line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default().depth_test_enable(key.depth);
    let letters = [
        vk::ColorComponentFlags::R,
        vk::ColorComponentFlags::G,
        vk::ColorComponentFlags::B,
        vk::ColorComponentFlags::A,
    ];
    let written = letters.iter().zip(key.color_write).filter(|(_, on)| *on);
    let mut attachment = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(written.fold(vk::ColorComponentFlags::empty(), |mask, (letter, _)| mask | *letter));
    if let Some([color, alpha]) = key.blend {
        attachment = attachment
            .blend_enable(true)
            .src_color_blend_factor(color.0)
            .dst_color_blend_factor(color.1)
            .color_blend_op(color.2)
            .src_alpha_blend_factor(alpha.0)
            .dst_alpha_blend_factor(alpha.1)
            .alpha_blend_op(alpha.2);
    }
    let attachments = vec![attachment; colors.len()];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    let mut dynamic = vec![];
    if key.targets.is_some() {
        dynamic.extend([
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::CULL_MODE,
            vk::DynamicState::FRONT_FACE,
            vk::DynamicState::DEPTH_WRITE_ENABLE,
            vk::DynamicState::DEPTH_COMPARE_OP,
        ]);
    }
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(colors);
    if key.depth {
        rendering = rendering.depth_attachment_format(vk::Format::D32_SFLOAT);
    }
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(program.layout)
        .push_next(&mut rendering);
    // SAFETY: every structure lives through the call; formats were checked against the device.
    let made = unsafe { gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    let pipelines =
        made.map_err(|(_, code)| code).could_not(|| format!("make a pipeline of {}", key.shader))?;
    Ok(pipelines.first().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_semantics_stays_and_everything_else_does() {
        let code = crate::shader::find("skinned_motion").unwrap().vertex;
        let stripped = without_semantics(code);
        let text: Vec<u8> = stripped.iter().flat_map(|w| w.to_le_bytes()).collect();
        let holds = |bytes: &[u8], needle: &[u8]| bytes.windows(needle.len()).any(|w| w == needle);
        assert!(holds(code, b"BLENDINDICES") && holds(code, b"SPV_GOOGLE"));
        assert!(!holds(&text, b"BLENDINDICES") && !holds(&text, b"SPV_GOOGLE"));
        assert!(holds(&text, b"cbPrevObjMatrix"));
    }
}
