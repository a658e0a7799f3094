//! The vertex stage: a shader run once for each vertex a draw names, in every instance.

use rayon::prelude::*;

use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{Record, Shader};
use crate::execute::PostVs;
use crate::execute::extent::Extent;
use crate::plan::{Draw, VertexOrder};

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
