//! `grass_gbuffer`: a record of `cbInstanceData` places each instance. How force words move a blade is not established,
//! so nothing moves it here.

use super::arithmetic::{affine, clip, direction, normalised};
use super::fetch::Vertex;
use super::rigid_gbuffer::pixel;
use super::scene::Scene;
use super::shaders::{Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "grass_gbuffer",
    inputs: &["POSITION0", "NORMAL0"],
    buffers: &["cbMatrixWVP", "cbInstanceData"],
    outputs: &[("SV_Position", 4), ("NORMAL", 3), ("FADE", 1)],
    vertex,
    pixel: Some(pixel),
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let instance = scene.world(v);
    let world = affine(instance, scene.position0(v));
    out.float4(clip(scene.views[0], world));
    out.float3(normalised(direction(instance, scene.normal(v))));
    out.float(scene.fade(v));
}
