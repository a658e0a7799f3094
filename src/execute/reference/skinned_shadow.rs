//! `skinned_shadow`: four palette entries move each vertex; depth only.

use super::arithmetic::{clip, skin};
use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "skinned_shadow",
    inputs: &["POSITION0", "BLENDINDICES0", "BLENDWEIGHT0"],
    buffers: &["cbMatrixWVP", "cbObjMatrix"],
    outputs: &[("SV_Position", 4)],
    vertex,
    pixel: None,
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let world = skin(&scene.palette, scene.bones(v), scene.weights(v), scene.position0(v));
    out.float4(clip(scene.views[0], world));
}
