//! The stand-ins this executor computes, by name, and what they read and give.

use glam::{DVec3, DVec4};

use super::fetch::Vertex;
use super::scene::Scene;
use super::{
    grass_gbuffer, rigid_gbuffer, rigid_motion, rigid_shadow, skinned_gbuffer, skinned_motion, skinned_shadow,
};
use crate::abi::Semantic;
use crate::abi::interface::Interface;

/// Most f32 components of a post-VS record: three clip positions.
pub(super) const MOST_COMPONENTS: usize = 12;
/// Most f32 components that are interpolated: a record without its `SV_Position`.
pub(super) const MOST_ATTRIBUTES: usize = MOST_COMPONENTS - 4;

/// A pixel stage.
pub(super) type Pixel = fn(&[f64; MOST_ATTRIBUTES]) -> [f64; 4];

/// A shader.
pub(super) struct Shader {
    /// Its name.
    pub(super) name: &'static str,
    /// Inputs it cannot do without.
    pub(super) inputs: &'static [&'static str],
    /// Buffers it cannot do without.
    pub(super) buffers: &'static [&'static str],
    /// Outputs of the vertex stage with their components, `SV_Position` first.
    pub(super) outputs: &'static [(&'static str, u32)],
    /// The vertex stage.
    pub(super) vertex: fn(&Scene, Vertex, &mut Record),
    /// The pixel stage, from interpolated outputs without `SV_Position` to the target; `None` for depth only.
    pub(super) pixel: Option<Pixel>,
}

pub(super) const SHADERS: &[Shader] = &[
    rigid_shadow::SHADER,
    rigid_gbuffer::SHADER,
    rigid_motion::SHADER,
    skinned_shadow::SHADER,
    skinned_gbuffer::SHADER,
    skinned_motion::SHADER,
    grass_gbuffer::SHADER,
];

/// The shader a draw asks for.
///
/// # Errors
/// There is none of that name, or it gives other outputs than the draw's interface says.
pub(super) fn find(name: &str, interface: &Interface) -> Result<&'static Shader, String> {
    let shader = SHADERS.iter().find(|s| s.name == name);
    let shader = shader.ok_or_else(|| format!("the reference executor has no shader {name}"))?;
    let ours = shader.outputs.iter().map(|(semantic, n)| (Semantic::parse(semantic), *n));
    if ours.eq(interface.outputs.iter().map(|o| (o.semantic.clone(), o.components))) {
        Ok(shader)
    } else {
        Err(format!("shader {name} gives other outputs here than in the reference executor"))
    }
}

/// One record of the vertex stage's outputs, in f32: what a pipeline keeps between its stages.
#[derive(Default)]
pub(super) struct Record {
    values: [f32; MOST_COMPONENTS],
    len: usize,
}

impl Record {
    /// Appends a `float4`.
    pub(super) fn float4(&mut self, v: DVec4) {
        self.push(v.to_array());
    }

    /// Appends a `float3`.
    pub(super) fn float3(&mut self, v: DVec3) {
        self.push(v.to_array());
    }

    /// Appends a `float`.
    pub(super) fn float(&mut self, v: f64) {
        self.push([v]);
    }

    fn push<const N: usize>(&mut self, values: [f64; N]) {
        for (to, from) in self.values.iter_mut().skip(self.len).zip(values) {
            *to = from as f32;
        }
        self.len += N;
    }

    /// The components written.
    pub(super) fn values(&self) -> &[f32] {
        &self.values[..self.len.min(MOST_COMPONENTS)]
    }
}
