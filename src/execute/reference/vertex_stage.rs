//! The vertex stage: a shader run once for each vertex a draw names, in every instance.

use rayon::prelude::*;

use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{Record, Shader};
use crate::execute::PostVs;
use crate::plan::{Draw, VertexOrder};

/// Most records of all draws of a plan together, and most vertices a draw may run through.
pub(super) const MOST_RECORDS: u64 = 1 << 24;

/// The records a draw will make.
pub(super) struct Extent {
    first_vertex: i64,
    vertices: u32,
    instances: u32,
}

impl Extent {
    /// Looks through a draw's vertex numbers, and takes its records out of what is `left` to the plan.
    ///
    /// # Errors
    /// The draw makes more records than are left, or runs through its vertices too often.
    pub(super) fn of(draw: &Draw, left: &mut u64) -> Result<Self, String> {
        let instances = draw.instance_count;
        let steps = u64::from(draw.count) * u64::from(instances);
        if steps > 16 * MOST_RECORDS {
            return Err(format!("it runs through {steps} vertices, more than {}", 16 * MOST_RECORDS));
        }
        let range = VertexOrder::of(draw).range();
        let (first_vertex, span) = match range {
            Some((least, greatest)) if instances > 0 => (least, least.abs_diff(greatest) + 1),
            _ => (0, 0),
        };
        let records = span.saturating_mul(instances.into());
        *left = left.checked_sub(records).ok_or_else(|| {
            format!("its {records} vertex records bring the frame's above the limit of {MOST_RECORDS}")
        })?;
        Ok(Self { first_vertex, vertices: span as u32, instances })
    }
}

/// Runs `shader` for a draw. Vertices that no index names stay zero.
pub(super) fn run(draw: &Draw, shader: &Shader, scene: &Scene, extent: &Extent) -> PostVs {
    let vertices = extent.vertices as usize;
    let mut named = vec![false; vertices];
    for number in VertexOrder::of(draw).vertices() {
        let place = number.checked_sub(extent.first_vertex).and_then(|n| usize::try_from(n).ok());
        if let Some(named) = place.and_then(|p| named.get_mut(p)) {
            *named = true;
        }
    }
    let components: u32 = shader.outputs.iter().map(|(_, n)| n).sum();
    let mut data = vec![0f32; vertices * extent.instances as usize * components as usize];
    // Small batches cost more to hand out than to run.
    data.par_chunks_mut(components as usize).with_min_len(256).enumerate().for_each(|(record, out)| {
        let (instance, vertex) = (record / vertices, record % vertices);
        if named[vertex] {
            let number = extent.first_vertex + vertex as i64;
            let mut values = Record::default();
            (shader.vertex)(scene, Vertex { number, instance: instance as u32 }, &mut values);
            out.copy_from_slice(values.values());
        }
    });
    PostVs {
        components,
        first_vertex: extent.first_vertex,
        vertex_count: extent.vertices,
        instance_count: extent.instances,
        data,
    }
}
