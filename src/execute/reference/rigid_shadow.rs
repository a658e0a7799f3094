//! `rigid_shadow`: one matrix moves all vertices; depth only.

use super::arithmetic::{affine, clip};
use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "rigid_shadow",
    inputs: &["POSITION0"],
    buffers: &["cbMatrixWVP", "cbObjMatrix"],
    outputs: &[("SV_Position", 4)],
    vertex,
    pixel: None,
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let object = scene.palette.entry(scene.first_entry(v));
    let world = affine(object, scene.position0(v));
    out.float4(clip(scene.views[0], world));
}
