//! The attachments of a frame's passes.

use ash::vk;

use super::super::ExecuteError;
use super::buffer::Buffer;
use super::conv::clear_color;
use super::gpu::Gpu;
use super::image::Attachment;
use super::submit::Batch;
use crate::abi::{DxgiFormat, Format};
use crate::plan::{Binding, Draw, PassIndex, Plan, Start};

/// Images of every pass; a shared depth image belongs to its owner.
pub(super) struct Passes<'gpu> {
    gpu: &'gpu Gpu,
    passes: Vec<PassImages<'gpu>>,
}

#[derive(Default)]
struct PassImages<'gpu> {
    targets: Vec<Option<Attachment<'gpu>>>,
    depth: Option<Attachment<'gpu>>,
    /// The images have been brought into their layout.
    laid_out: bool,
}

impl<'gpu> Passes<'gpu> {
    /// Makes the images, if anything is rasterised. Formats outside the executable list, or that the device cannot draw
    /// to, get none.
    pub(super) fn new(gpu: &'gpu Gpu, plan: &Plan) -> Result<Self, ExecuteError> {
        let mut passes = Vec::new();
        for (place, pass) in plan.passes.iter().enumerate() {
            let mut images = PassImages::default();
            if !plan.vertex_stage_only {
                let extent = vk::Extent2D { width: pass.width, height: pass.height };
                let make = |name: &str, format: DxgiFormat, is_depth: bool| {
                    let fits = |f: &Format| (*f == Format::D32Float) == is_depth;
                    let format =
                        format.executable().filter(|f| fits(f) && Attachment::supported(gpu, *f, false));
                    let name = format!("{} {name}", pass.id);
                    format.map(|f| Attachment::new(gpu, &name, f, extent)).transpose()
                };
                for target in &pass.targets {
                    images.targets.push(make(&target.name, target.format, false)?);
                }
                if let Some(depth) = pass.depth.as_ref().filter(|d| d.owner.0 == place) {
                    images.depth = make("depth", depth.format, true)?;
                }
            }
            passes.push(images);
        }
        Ok(Self { gpu, passes })
    }

    /// The image of a colour target.
    pub(super) fn target(&self, pass: PassIndex, target: usize) -> Option<&Attachment<'gpu>> {
        self.passes.get(pass.0)?.targets.get(target)?.as_ref()
    }

    /// The image of a pass's depth.
    pub(super) fn depth(&self, plan: &Plan, pass: PassIndex) -> Option<&Attachment<'gpu>> {
        let owner = plan.passes.get(pass.0)?.depth.as_ref()?.owner;
        self.passes.get(owner.0)?.depth.as_ref()
    }

    /// Whether the device can draw what a draw writes; else the reason.
    pub(super) fn allows(
        &self,
        gpu: &Gpu,
        plan: &Plan,
        draw: &Draw,
        binding: &Binding,
    ) -> Result<(), String> {
        let pass = plan.pass_of(draw);
        for target in binding.targets.iter().flatten() {
            let Some(image) = self.target(draw.pass, *target) else {
                let name = pass.targets.get(*target).map_or("", |t| t.name.as_str());
                return Err(format!("the device cannot draw to target {name}"));
            };
            // The stand-ins give floats; a device may do anything with them in a target of integers.
            if !image.format.kind().is_float() {
                return Err(format!("a shader's floats are not drawn to {}", image.format.name()));
            }
            if draw.state.blend.is_some() && !Attachment::supported(gpu, image.format, true) {
                return Err(format!("the device cannot blend in {}", image.format.name()));
            }
        }
        let [_, _, width, height, ..] = pass.viewport;
        let [most_width, most_height] = gpu.limits.max_viewport_dimensions.map(|side| side as f32);
        if width > most_width || height > most_height {
            return Err(format!("a viewport of {width} x {height} is more than the device takes"));
        }
        if pass.depth.is_some() && self.depth(plan, draw.pass).is_none() {
            return Err("the device cannot draw to its depth format".to_owned());
        }
        Ok(())
    }

    /// Gives the attachments of a pass what they hold at its start.
    pub(super) fn begin(
        &mut self,
        batch: &mut Batch<'gpu>,
        plan: &Plan,
        pass: PassIndex,
    ) -> Result<(), ExecuteError> {
        self.lay_out(batch, pass);
        let owner = plan.passes[pass.0].depth.as_ref().map(|d| d.owner);
        if let Some(owner) = owner {
            self.lay_out(batch, owner);
        }
        let planned = &plan.passes[pass.0];
        batch.barrier();
        for (place, target) in planned.targets.iter().enumerate() {
            if let Some(image) = self.target(pass, place) {
                match &target.start {
                    Start::Clear(color) => self.clear(batch, image, *color),
                    Start::Keep(held) => self.fill(batch, image, held.as_deref())?,
                }
            }
        }
        if let (Some(depth), Some(image)) = (&planned.depth, self.depth(plan, pass)) {
            match &depth.start {
                Start::Clear(value) => self.clear(batch, image, [*value, 0.0, 0.0, 0.0]),
                // What another pass left there stays, also that of one that used it before its owner began.
                Start::Keep(None) => {}
                Start::Keep(held) => self.fill(batch, image, held.as_deref())?,
            }
        }
        batch.barrier();
        Ok(())
    }

    /// Brings a pass's images into their layout, once. An image that is used before its own pass begins (a depth buffer
    /// shared the other way round) is cleared then, so that no read is undefined.
    fn lay_out(&mut self, batch: &Batch<'gpu>, pass: PassIndex) {
        let Some(images) = self.passes.get_mut(pass.0) else { return };
        if std::mem::replace(&mut images.laid_out, true) {
            return;
        }
        let Some(images) = self.passes.get(pass.0) else { return };
        for image in images.targets.iter().flatten().chain(&images.depth) {
            batch.lay_out(image.raw, image.range(), Attachment::LAYOUT);
            self.clear(batch, image, [0.0; 4]);
        }
    }

    fn clear(&self, batch: &Batch<'_>, image: &Attachment<'_>, color: [f64; 4]) {
        let ranges = [image.range()];
        // SAFETY: the image is alive and in its layout; recorded outside of rendering.
        unsafe {
            if image.format == Format::D32Float {
                let value = vk::ClearDepthStencilValue { depth: color[0] as f32, stencil: 0 };
                self.gpu.device.cmd_clear_depth_stencil_image(
                    batch.commands,
                    image.raw,
                    Attachment::LAYOUT,
                    &value,
                    &ranges,
                );
            } else {
                self.gpu.device.cmd_clear_color_image(
                    batch.commands,
                    image.raw,
                    Attachment::LAYOUT,
                    &clear_color(image.format, color),
                    &ranges,
                );
            }
        }
        batch.barrier();
    }

    /// Sets an image to tightly packed bytes, or to zero where nobody recorded what it held.
    fn fill(
        &self,
        batch: &mut Batch<'gpu>,
        image: &Attachment<'_>,
        held: Option<&[u8]>,
    ) -> Result<(), ExecuteError> {
        let Some(bytes) = held.filter(|bytes| bytes.len() as u64 == image.size()) else {
            self.clear(batch, image, [0.0; 4]);
            return Ok(());
        };
        let staging = Buffer::holding(self.gpu, "initial contents of an attachment", bytes)?;
        // SAFETY: the staging buffer holds every pixel; recorded outside of rendering.
        unsafe {
            self.gpu.device.cmd_copy_buffer_to_image(
                batch.commands,
                staging.raw,
                image.raw,
                Attachment::LAYOUT,
                &[image.region()],
            );
        }
        batch.kept.push(staging);
        Ok(())
    }
}
