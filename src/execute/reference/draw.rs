//! One draw after its vertex stage: assembled, rasterised, tested, shaded and merged into its pass's attachments.

use super::clip::Corner;
use super::images::Surface;
use super::output::Merger;
use super::raster::{Fragment, Rasteriser};
use super::shaders::{MOST_ATTRIBUTES, Pixel, Shader};
use super::viewport::{Rect, Viewport};
use crate::execute::{Image, PostVs, primitives};
use crate::plan::{Binding, Draw, PlannedPass};
use glam::DVec4;

/// Draws `post_vs` to `surface`.
pub(super) fn rasterise(
    draw: &Draw,
    pass: &PlannedPass,
    binding: &Binding,
    shader: &Shader,
    post_vs: &PostVs,
    surface: Surface<'_>,
) {
    let Surface { targets, mut depth } = surface;
    let mut output = binding
        .targets
        .first()
        .and_then(|place| targets.get_mut((*place)?)?.as_mut())
        .zip(shader.pixel)
        .map(|(image, pixel)| Output::new(draw, image, pixel));
    let rasteriser = rasteriser(draw, pass, depth.as_deref().map(|d| (d.width, d.height)));
    if rasteriser.bounds.is_empty() {
        return;
    }
    let compare = draw.state.depth_compare;
    let mut shade = |fragment: &Fragment| {
        if let Some(depth) = &mut depth {
            let Some(stored) = depth.values.get_mut(fragment.y * depth.width + fragment.x) else { return };
            if !compare.passes(fragment.depth, *stored) {
                return;
            }
            if draw.state.depth_write {
                *stored = fragment.depth;
            }
        }
        if let Some(output) = &mut output {
            output.put(fragment);
        }
    };
    for instance in 0..post_vs.instance_count {
        for triangle in primitives::triangles(draw) {
            if let [Some(a), Some(b), Some(c)] = triangle.map(|v| corner(post_vs, instance, v)) {
                rasteriser.draw(&[a, b, c], &mut shade);
            }
        }
    }
}

fn rasteriser(draw: &Draw, pass: &PlannedPass, depth: Option<(usize, usize)>) -> Rasteriser {
    let viewport = Viewport::new(pass.viewport);
    let image = |width: i64, height: i64| Rect { left: 0, top: 0, right: width, bottom: height };
    let mut bounds = image(pass.width.into(), pass.height.into()).intersection(viewport.pixels);
    if let Some((width, height)) = depth {
        bounds = bounds.intersection(image(width as i64, height as i64));
    }
    let [x, y, width, height] = draw.state.scissor;
    let scissor = Rect { left: x, top: y, right: x.saturating_add(width), bottom: y.saturating_add(height) };
    Rasteriser {
        viewport,
        bounds: bounds.intersection(scissor),
        cull: draw.state.cull,
        front: draw.state.front,
    }
}

fn corner(post_vs: &PostVs, instance: u32, vertex: i64) -> Option<Corner> {
    let (position, outputs) = post_vs.record(instance, vertex)?.split_first_chunk::<4>()?;
    let mut corner =
        Corner { clip: DVec4::from_array(position.map(f64::from)), attributes: [0.0; MOST_ATTRIBUTES] };
    for (to, from) in corner.attributes.iter_mut().zip(outputs) {
        *to = f64::from(*from);
    }
    Some(corner)
}

/// The target of a draw, and what makes its colours.
struct Output<'a> {
    width: usize,
    bytes: &'a mut [u8],
    merger: Merger,
    pixel: Pixel,
    scratch: Vec<u8>,
}

impl<'a> Output<'a> {
    fn new(draw: &Draw, image: &'a mut Image, pixel: Pixel) -> Self {
        let merger = Merger { format: image.format, blend: draw.state.blend, write: draw.state.color_write };
        let Image { width, bytes, .. } = image;
        Self { width: *width as usize, bytes, merger, pixel, scratch: Vec::new() }
    }

    fn put(&mut self, fragment: &Fragment) {
        let size = self.merger.format.size();
        let at = (fragment.y * self.width + fragment.x) * size;
        if let Some(pixel) = self.bytes.get_mut(at..at + size) {
            self.merger.merge(pixel, (self.pixel)(&fragment.attributes()), &mut self.scratch);
        }
    }
}
