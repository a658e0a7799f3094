//! `rigid_gbuffer`: one matrix moves all vertices; the target is the world normal.

use super::arithmetic::{affine, clip, direction, normalised};
use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{MOST_ATTRIBUTES, Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "rigid_gbuffer",
    inputs: &["POSITION0", "NORMAL0"],
    buffers: &["cbMatrixWVP", "cbObjMatrix"],
    outputs: &[("SV_Position", 4), ("NORMAL", 3)],
    vertex,
    pixel: Some(pixel),
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let object = scene.palette.entry(scene.first_entry(v));
    let world = affine(object, scene.position0(v));
    out.float4(clip(scene.views[0], world));
    out.float3(normalised(direction(object, scene.normal(v))));
}

/// The normal as interpolated: not made a unit vector again (captures/README.md, "The draw model").
pub(super) fn pixel(&[x, y, z, ..]: &[f64; MOST_ATTRIBUTES]) -> [f64; 4] {
    [x, y, z, 0.0]
}
