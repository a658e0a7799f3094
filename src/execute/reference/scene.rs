//! What a draw hands its vertex program, by the names the shaders use.

use glam::{DVec3, DVec4};

use super::fetch::{Attribute, Vertex};
use super::resources::{Rows, View};
use super::shaders::Shader;
use crate::abi::{Format, NumberKind, Semantic};
use crate::plan::{Binding, Draw, InstanceAddressing};

/// A byte offset past every constant buffer, from which a field's offset does not wrap around.
const OUTSIDE: u32 = 0xFFFF_0000;

/// Inputs and constants of a draw. What the shader does not ask for is absent and reads as zero.
pub(super) struct Scene {
    position0: Attribute,
    position1: Attribute,
    normal: Attribute,
    blend_indices: Attribute,
    blend_weight: Attribute,
    /// The two view-projections of `cbMatrixWVP`, an analyst's swap applied.
    pub(super) views: [[DVec4; 4]; 2],
    /// `cbObjMatrix`.
    pub(super) palette: Rows,
    /// `cbPrevObjMatrix`.
    pub(super) previous_palette: Rows,
    instance_indices: Option<View>,
    instance_data: Option<View>,
    addressing: InstanceAddressing,
}

impl Scene {
    /// Ties `shader` to a draw.
    ///
    /// # Errors
    /// The binding lacks something the shader reads, or gives it in a format it cannot read.
    pub(super) fn new(draw: &Draw, binding: &Binding, shader: &Shader) -> Result<Self, String> {
        let find = |name: &str| {
            let semantic = Semantic::parse(name);
            binding.inputs.iter().find(|i| i.need.semantic == semantic).map(|i| Attribute::of(draw, i))
        };
        let input = |name: &str| match find(name) {
            None if shader.inputs.contains(&name) => Err(format!("nothing is bound to its input {name}")),
            found => Ok(found.unwrap_or(Attribute::ABSENT)),
        };
        let optional =
            |name: &str| binding.buffers.iter().find(|b| b.need.name == name).and_then(|b| View::of(draw, b));
        let buffer = |name: &str| match optional(name) {
            None if shader.buffers.contains(&name) => Err(format!("nothing is bound to its buffer {name}")),
            found => Ok(found.unwrap_or_default()),
        };
        let blend_indices = input("BLENDINDICES0")?;
        if shader.inputs.contains(&"BLENDINDICES0") && blend_indices.format.kind().is_float() {
            return Err(format!("palette indices of format {}", blend_indices.format.name()));
        }
        let blend_weight = input("BLENDWEIGHT0")?;
        if !blend_weight.format.kind().is_float() && blend_weight.format != Format::R8G8B8A8Uint {
            return Err(format!("weights of format {}", blend_weight.format.name()));
        }
        buffer("cbInstanceData")?;
        let rows = buffer("cbMatrixWVP")?.rows();
        let view = |first: u32| [0, 1, 2, 3].map(|row| rows.row(first + row));
        let views = if binding.swap_views { [view(4), view(0)] } else { [view(0), view(4)] };
        Ok(Self {
            position0: input("POSITION0")?,
            position1: input("POSITION1")?,
            normal: input("NORMAL0")?,
            blend_indices,
            blend_weight,
            views,
            palette: buffer("cbObjMatrix")?.rows(),
            previous_palette: buffer("cbPrevObjMatrix")?.rows(),
            instance_indices: optional("g_InstanceIndexBuffer"),
            instance_data: optional("cbInstanceData"),
            addressing: binding.instances,
        })
    }

    /// `POSITION0`.
    pub(super) fn position0(&self, v: Vertex) -> DVec3 {
        xyz(self.position0.fetch(v))
    }

    /// `POSITION1`.
    pub(super) fn position1(&self, v: Vertex) -> DVec3 {
        xyz(self.position1.fetch(v))
    }

    /// `NORMAL0`: a unorm format holds (v + 1) / 2 (*assumed*). The shader decodes what the fetch gives it, so that
    /// an element outside the stream becomes -1.
    pub(super) fn normal(&self, v: Vertex) -> DVec3 {
        let fetched = xyz(self.normal.fetch(v));
        if self.normal.format.kind() == NumberKind::Unorm { 2.0 * fetched - 1.0 } else { fetched }
    }

    /// Palette entries of a vertex: `BLENDINDICES0`, counted from the instance's first entry.
    pub(super) fn bones(&self, v: Vertex) -> [u32; 4] {
        let first = self.first_entry(v);
        self.blend_indices.fetch_uint(v).map(|index| first.wrapping_add(index))
    }

    /// `BLENDWEIGHT0`: a byte of a uint format stands for byte / 255.
    pub(super) fn weights(&self, v: Vertex) -> [f64; 4] {
        let fetched = self.blend_weight.fetch(v);
        if self.blend_weight.format.kind() == NumberKind::Uint { fetched.map(|w| w / 255.0) } else { fetched }
    }

    /// The palette's first entry for an instance: `matricesData.x` of its record where reflection has that field,
    /// else 0 (*assumed*).
    pub(super) fn first_entry(&self, v: Vertex) -> u32 {
        match (self.addressing.palette_first_offset, &self.instance_data) {
            (Some(field), Some(data)) => data.uint(self.record(v).wrapping_add(field)),
            _ => 0,
        }
    }

    /// The world matrix of an instance's record.
    pub(super) fn world(&self, v: Vertex) -> [DVec4; 3] {
        let start = self.record(v).wrapping_add(self.addressing.world_offset);
        let data = self.instance_data.as_ref();
        [0, 16, 32].map(|row| data.map_or(DVec4::ZERO, |d| d.float4(start.wrapping_add(row))))
    }

    /// The fade alpha of an instance's record.
    pub(super) fn fade(&self, v: Vertex) -> f64 {
        let start = self.record(v).wrapping_add(self.addressing.fade_offset);
        self.instance_data.as_ref().map_or(0.0, |d| d.float(start))
    }

    /// Byte offset of an instance's record in `cbInstanceData`; far outside for a number that is past every range.
    fn record(&self, v: Vertex) -> u32 {
        let number = match &self.instance_indices {
            Some(indices) => {
                indices.uint(v.instance.wrapping_add(self.addressing.index_offset).wrapping_mul(4))
            }
            None => v.instance,
        };
        number.saturating_mul(self.addressing.record_size).min(OUTSIDE)
    }
}

fn xyz([x, y, z, _]: [f64; 4]) -> DVec3 {
    DVec3::new(x, y, z)
}
