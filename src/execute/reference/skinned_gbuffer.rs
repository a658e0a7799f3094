//! `skinned_gbuffer`: four palette entries move each vertex; the target is the world normal.

use super::arithmetic::{clip, normalised, skin, skin_direction};
use super::fetch::Vertex;
use super::rigid_gbuffer::pixel;
use super::scene::Scene;
use super::shaders::{Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "skinned_gbuffer",
    inputs: &["POSITION0", "NORMAL0", "BLENDINDICES0", "BLENDWEIGHT0"],
    buffers: &["cbMatrixWVP", "cbObjMatrix"],
    outputs: &[("SV_Position", 4), ("NORMAL", 3)],
    vertex,
    pixel: Some(pixel),
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let (bones, weights) = (scene.bones(v), scene.weights(v));
    let world = skin(&scene.palette, bones, weights, scene.position0(v));
    out.float4(clip(scene.views[0], world));
    out.float3(normalised(skin_direction(&scene.palette, bones, weights, scene.normal(v))));
}
