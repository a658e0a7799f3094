//! `skinned_motion`: `POSITION0` through this frame's palette and view, `POSITION1` through the last frame's; the
//! target is the movement on the screen.

use super::arithmetic::{clip, skin};
use super::fetch::Vertex;
use super::rigid_motion::pixel;
use super::scene::Scene;
use super::shaders::{Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "skinned_motion",
    inputs: &["POSITION0", "POSITION1", "BLENDINDICES0", "BLENDWEIGHT0"],
    buffers: &["cbMatrixWVP", "cbObjMatrix", "cbPrevObjMatrix"],
    outputs: &[("SV_Position", 4), ("CURRENT_CLIP", 4), ("PREVIOUS_CLIP", 4)],
    vertex,
    pixel: Some(pixel),
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let (bones, weights) = (scene.bones(v), scene.weights(v));
    let current = skin(&scene.palette, bones, weights, scene.position0(v));
    let previous = skin(&scene.previous_palette, bones, weights, scene.position1(v));
    let current = clip(scene.views[0], current);
    out.float4(current);
    out.float4(current);
    out.float4(clip(scene.views[1], previous));
}
