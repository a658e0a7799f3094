//! `rigid_motion`: this frame's position through this frame's matrix and view, the last frame's through its own; the
//! target is the movement on the screen.

use super::arithmetic::{affine, clip};
use super::fetch::Vertex;
use super::scene::Scene;
use super::shaders::{MOST_ATTRIBUTES, Record, Shader};

pub(super) const SHADER: Shader = Shader {
    name: "rigid_motion",
    inputs: &["POSITION0", "POSITION1"],
    buffers: &["cbMatrixWVP", "cbObjMatrix", "cbPrevObjMatrix"],
    outputs: &[("SV_Position", 4), ("CURRENT_CLIP", 4), ("PREVIOUS_CLIP", 4)],
    vertex,
    pixel: Some(pixel),
};

fn vertex(scene: &Scene, v: Vertex, out: &mut Record) {
    let first = scene.first_entry(v);
    let current = affine(scene.palette.entry(first), scene.position0(v));
    let previous = affine(scene.previous_palette.entry(first), scene.position1(v));
    let current = clip(scene.views[0], current);
    out.float4(current);
    out.float4(current);
    out.float4(clip(scene.views[1], previous));
}

/// `motion`, in units of the image's width and height, y downwards (*assumed* encoding).
pub(super) fn pixel(&[cx, cy, _, cw, px, py, _, pw]: &[f64; MOST_ATTRIBUTES]) -> [f64; 4] {
    [(cx / cw - px / pw) * 0.5, (cy / cw - py / pw) * -0.5, 0.0, 1.0]
}
