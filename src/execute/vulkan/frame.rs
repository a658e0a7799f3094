//! A plan carried out: its commands in order, recorded into batches, submitted, read back.

use std::collections::BTreeMap;
use std::time::Instant;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::super::extent::{Extent, MOST_RECORDS};
use super::super::{ExecuteError, Image, Outputs, PassOutput, PostVs};
use super::bind::{Binder, Refusal};
use super::buffer::Buffer;
use super::contents::Contents;
use super::conv::{compare_op, cull_mode, front_face, texel_format};
use super::gpu::Gpu;
use super::image::Attachment;
use super::indices::Indices;
use super::passes::Passes;
use super::pipeline::{PipelineKey, blend_key};
use super::submit::Batch;
use crate::abi::BufferId;
use crate::abi::state::Topology;
use crate::plan::{Binding, Command, Draw, DrawIndex, PassIndex, Plan, PlannedPass, VertexOrder};
use crate::shader;

/// Bytes of vertex outputs after which a batch is submitted, so that read-back memory stays bounded.
const BATCH_BYTES: u64 = 64 << 20;

/// Vertex outputs on their way back.
struct PendingRecords<'gpu> {
    index: DrawIndex,
    extent: Extent,
    components: u32,
    buffer: Buffer<'gpu>,
}

/// An attachment on its way back: the pass, its colour target (or `None` for depth), and the image's nature.
struct PendingImage<'gpu> {
    pass: PassIndex,
    target: Option<usize>,
    buffer: Buffer<'gpu>,
    image: Image,
}

/// Rendering that is open: the pass and the targets attached.
#[derive(PartialEq, Eq)]
struct Scope {
    pass: PassIndex,
    targets: Vec<usize>,
}

/// A plan being carried out.
pub(super) struct Frame<'gpu, 'plan> {
    // First: fields drop in order, and a batch waits for the device when it goes, before what it uses does.
    batch: Option<Batch<'gpu>>,
    gpu: &'gpu Gpu,
    plan: &'plan Plan,
    contents: Contents<'gpu>,
    binder: Binder<'gpu>,
    passes: Passes<'gpu>,
    pending_records: Vec<PendingRecords<'gpu>>,
    pending_images: Vec<PendingImage<'gpu>>,
    pending_bytes: u64,
    scope: Option<Scope>,
    outputs: Outputs,
    left: u64,
}

/// Carries out a plan.
pub(super) fn run(gpu: &Gpu, plan: &Plan) -> Result<Outputs, ExecuteError> {
    let mut frame = Frame {
        gpu,
        plan,
        contents: Contents::new(gpu),
        binder: Binder::new(gpu)?,
        passes: Passes::new(gpu, plan)?,
        pending_records: Vec::new(),
        pending_images: Vec::new(),
        pending_bytes: 0,
        scope: None,
        outputs: Outputs::default(),
        left: MOST_RECORDS,
        batch: Some(Batch::begin(gpu)?),
    };
    let result = frame.carry_out();
    // Waits for whatever is in flight while all that it uses is still there.
    drop(frame.batch.take());
    result?;
    Ok(frame.outputs)
}

impl<'gpu> Frame<'gpu, '_> {
    fn carry_out(&mut self) -> Result<(), ExecuteError> {
        let last_draws = self.last_draws();
        let plan = self.plan;
        let begun = Instant::now();
        for command in &plan.commands {
            match command {
                Command::Discard { buffer, bytes, .. } => {
                    let start = Instant::now();
                    self.end_scope()?;
                    let batch = batch(&mut self.batch)?;
                    self.contents.discard(batch, plan, *buffer, bytes)?;
                    self.outputs.timings.upload += start.elapsed();
                }
                Command::Write { buffer, offset, bytes, .. } => {
                    let start = Instant::now();
                    self.end_scope()?;
                    let batch = batch(&mut self.batch)?;
                    self.contents.write(batch, plan, *buffer, *offset, bytes)?;
                    self.outputs.timings.upload += start.elapsed();
                }
                Command::Copy { event, src, src_offset, dst, dst_offset, size, .. } => {
                    self.end_scope()?;
                    let batch = batch(&mut self.batch)?;
                    batch.step(format!("the copy of event {event}"));
                    let region =
                        vk::BufferCopy { src_offset: *src_offset, dst_offset: *dst_offset, size: *size };
                    self.contents.copy(batch, plan, *src, *dst, region)?;
                }
                Command::BeginPass(pass) => {
                    if !plan.vertex_stage_only {
                        self.end_scope()?;
                        let batch = batch(&mut self.batch)?;
                        batch.step(format!("the start of pass {}", plan.passes[pass.0].id));
                        self.passes.begin(batch, plan, *pass)?;
                        if !last_draws.contains_key(pass) {
                            self.read_back_pass(*pass)?;
                        }
                    }
                }
                Command::Draw(index) => {
                    let draw = &plan.draws[index.0];
                    if let Ok(binding) = &draw.replay {
                        match self.draw(*index, draw, binding) {
                            Ok(()) => {}
                            Err(Refusal::Reason(reason)) => {
                                self.outputs.not_executed.insert(*index, reason);
                            }
                            Err(Refusal::Failure(error)) => return Err(error),
                        }
                    }
                    if !plan.vertex_stage_only && last_draws.get(&draw.pass) == Some(index) {
                        self.end_scope()?;
                        self.read_back_pass(draw.pass)?;
                    }
                    if self.pending_bytes > BATCH_BYTES {
                        self.turn()?;
                    }
                }
            }
        }
        let finals = self.copy_back_buffers()?;
        self.turn()?;
        let start = Instant::now();
        for (id, size, mapped) in finals {
            let bytes = match &mapped {
                Some(copy) => copy.bytes(),
                None => self.contents.get(id).map(|b| b.buffer.bytes()).unwrap_or_default(),
            };
            self.outputs.buffers.insert(id, bytes.iter().copied().take(size as usize).collect());
        }
        let timings = &mut self.outputs.timings;
        timings.readback += start.elapsed();
        timings.execution = begun.elapsed() - timings.readback - timings.upload - timings.pipelines;
        Ok(())
    }

    /// The last draw of each pass, in execution order, replayed or not.
    fn last_draws(&self) -> BTreeMap<PassIndex, DrawIndex> {
        self.plan.draws().map(|(index, draw)| (draw.pass, index)).collect()
    }

    fn draw(&mut self, index: DrawIndex, draw: &Draw, binding: &Binding) -> Result<(), Refusal> {
        let Some(shader) = shader::find(&binding.shader) else {
            return Err(Refusal::Reason(format!("there is no shader {}", binding.shader)));
        };
        let extent = Extent::of(draw, &mut self.left).map_err(Refusal::Reason)?;
        let components = binding.interface.record_components();
        if extent.vertices == 0 || extent.instances == 0 {
            let nothing = PostVs {
                components,
                first_vertex: extent.first_vertex,
                vertex_count: extent.vertices,
                instance_count: extent.instances,
                data: Vec::new(),
            };
            self.outputs.post_vs.insert(index, nothing);
            return Ok(());
        }
        let raster = !self.plan.vertex_stage_only;
        if raster {
            self.passes.allows(self.gpu, self.plan, draw, binding).map_err(Refusal::Reason)?;
        }
        let order = VertexOrder::of(draw);
        let inputs = self.binder.vertex_inputs(draw, binding, &order, &mut self.contents)?;
        let parameters =
            self.binder.parameters(draw, binding, &inputs, extent.first_vertex, extent.vertices)?;

        let attached: Vec<usize> =
            if raster { binding.targets.iter().flatten().copied().collect() } else { Vec::new() };
        let pass = &self.plan.passes[draw.pass.0];
        let key = PipelineKey {
            shader: shader.name,
            inputs: inputs.keys.clone(),
            strip: draw.topology == Topology::TriangleStrip,
            targets: raster.then(|| {
                let formats = attached.iter().filter_map(|t| pass.targets.get(*t)?.format.executable());
                formats.map(texel_format).collect()
            }),
            depth: raster && pass.depth.is_some(),
            color_write: draw.state.color_write,
            blend: draw.state.blend.map(blend_key),
        };
        let start = Instant::now();
        let (program, pipeline) = {
            let mut pipelines = self.gpu.pipelines();
            let program = pipelines.program(self.gpu, shader)?;
            (program, pipelines.pipeline(self.gpu, &key, &program)?)
        };
        self.outputs.timings.pipelines += start.elapsed();

        let records = u64::from(extent.vertices) * u64::from(extent.instances);
        let bytes = records * u64::from(components) * 4;
        if bytes > u64::from(self.gpu.limits.max_storage_buffer_range) {
            return Err(Refusal::Reason(format!(
                "its vertex outputs are {bytes} bytes, more than the device binds"
            )));
        }
        let name = format!("vertex outputs of event {}", draw.event);
        let out = Buffer::new(self.gpu, &name, bytes, MemoryLocation::GpuToCpu)?;
        self.pending_bytes += bytes;

        // Whatever copies bind-time needs are recorded before rendering resumes.
        self.end_scope_before_copies(draw, binding)?;
        let batch = batch(&mut self.batch)?;
        let sets = self.binder.sets(draw, binding, &program, &out, &mut self.contents, batch)?;
        let indices = Indices::of(self.gpu, draw, &order, &mut self.contents, batch)?;

        let scope = Scope { pass: draw.pass, targets: attached };
        self.begin_scope(scope)?;
        self.record(draw, &inputs, &parameters, program.layout, pipeline, &sets, indices)?;
        self.pending_records.push(PendingRecords { index, extent, components, buffer: out });
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn record(
        &self,
        draw: &Draw,
        inputs: &super::bind::VertexInputs,
        parameters: &[u8],
        layout: vk::PipelineLayout,
        pipeline: vk::Pipeline,
        sets: &[vk::DescriptorSet],
        indices: Option<Indices>,
    ) -> Result<(), ExecuteError> {
        let Some(batch) = &self.batch else { return Err(closed()) };
        let commands = batch.commands;
        let device = &self.gpu.device;
        let mesh = draw.mesh.as_ref().map_or(String::new(), |m| format!(" {m}"));
        self.gpu.begin_label(commands, &format!("event {} {}{mesh}", draw.event, draw.program_name));
        let pass = &self.plan.passes[draw.pass.0];
        inputs.bind(self.gpu, commands);
        // SAFETY: a short sequence inside rendering: the pipeline was made for these attachments and inputs, the sets
        // for its layout, and everything bound lives until the batch is over.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_bind_descriptor_sets(commands, vk::PipelineBindPoint::GRAPHICS, layout, 0, sets, &[]);
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::VERTEX, 0, parameters);
            if !self.plan.vertex_stage_only {
                let (viewport, area) = (viewport(pass.viewport), pass_area(pass, draw));
                device.cmd_set_viewport(commands, 0, &[viewport]);
                device.cmd_set_scissor(commands, 0, &[area]);
                device.cmd_set_cull_mode(commands, cull_mode(draw.state.cull));
                device.cmd_set_front_face(commands, front_face(draw.state.front));
                device.cmd_set_depth_write_enable(commands, draw.state.depth_write);
                device.cmd_set_depth_compare_op(commands, compare_op(draw.state.depth_compare));
            }
            match indices {
                Some(i) => {
                    device.cmd_bind_index_buffer(commands, i.buffer, i.offset, i.kind);
                    device.cmd_draw_indexed(
                        commands,
                        i.count,
                        draw.instance_count,
                        i.first,
                        draw.base_vertex,
                        draw.first_instance,
                    );
                }
                None => {
                    device.cmd_draw(
                        commands,
                        draw.count,
                        draw.instance_count,
                        draw.first,
                        draw.first_instance,
                    );
                }
            }
        }
        self.gpu.end_label(commands);
        Ok(())
    }

    /// Ends rendering where a draw's constants will have to be copied.
    fn end_scope_before_copies(&mut self, draw: &Draw, binding: &Binding) -> Result<(), ExecuteError> {
        if self.binder.will_copy(draw, binding, &self.contents) {
            self.end_scope()?;
        }
        Ok(())
    }

    fn begin_scope(&mut self, scope: Scope) -> Result<(), ExecuteError> {
        if self.scope.as_ref() == Some(&scope) {
            return Ok(());
        }
        self.end_scope()?;
        let pass = &self.plan.passes[scope.pass.0];
        let batch = batch(&mut self.batch)?;
        batch.step(format!("pass {}", pass.id));
        batch.barrier();
        self.gpu.begin_label(batch.commands, &format!("pass {}", pass.id));
        let attachment = |image: &Attachment<'_>| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view)
                .image_layout(Attachment::LAYOUT)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let images = scope.targets.iter().filter_map(|t| self.passes.target(scope.pass, *t));
        let colors: Vec<_> = images.map(attachment).collect();
        let raster = !self.plan.vertex_stage_only;
        let depth = self.passes.depth(self.plan, scope.pass).filter(|_| raster).map(attachment);
        let extent = if raster {
            vk::Extent2D { width: pass.width, height: pass.height }
        } else {
            vk::Extent2D { width: 1, height: 1 }
        };
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
            .layer_count(1)
            .color_attachments(&colors);
        if let Some(depth) = &depth {
            info = info.depth_attachment(depth);
        }
        // SAFETY: the attachments are alive, in the layout said, and not smaller than the pass.
        unsafe { self.gpu.device.cmd_begin_rendering(batch.commands, &info) };
        self.scope = Some(scope);
        Ok(())
    }

    fn end_scope(&mut self) -> Result<(), ExecuteError> {
        if self.scope.take().is_some() {
            let batch = batch(&mut self.batch)?;
            // SAFETY: rendering is open.
            unsafe { self.gpu.device.cmd_end_rendering(batch.commands) };
            self.gpu.end_label(batch.commands);
            batch.barrier();
        }
        Ok(())
    }

    /// Copies a pass's attachments to where the CPU can read them.
    fn read_back_pass(&mut self, pass: PassIndex) -> Result<(), ExecuteError> {
        let planned = &self.plan.passes[pass.0];
        let batch = batch(&mut self.batch)?;
        batch.barrier();
        let targets = (0..planned.targets.len()).map(|t| (Some(t), self.passes.target(pass, t)));
        let depth = std::iter::once((None, self.passes.depth(self.plan, pass)));
        for (target, image) in targets.chain(depth).filter_map(|(t, image)| Some((t, image?))) {
            let name = format!("read-back of {}", planned.id);
            let buffer = Buffer::new(self.gpu, &name, image.size(), MemoryLocation::GpuToCpu)?;
            // SAFETY: the buffer has room for every pixel; ordered after the drawing by the barrier.
            unsafe {
                self.gpu.device.cmd_copy_image_to_buffer(
                    batch.commands,
                    image.raw,
                    Attachment::LAYOUT,
                    buffer.raw,
                    &[image.region()],
                );
            }
            self.pending_bytes += image.size();
            let image = Image {
                width: image.extent.width,
                height: image.extent.height,
                format: image.format,
                bytes: Vec::new(),
            };
            self.pending_images.push(PendingImage { pass, target, buffer, image });
        }
        batch.barrier();
        Ok(())
    }

    /// Copies the buffers that the CPU cannot read; yields what is to be read in the end.
    #[allow(clippy::type_complexity)]
    fn copy_back_buffers(&mut self) -> Result<Vec<(BufferId, u64, Option<Buffer<'gpu>>)>, ExecuteError> {
        self.end_scope()?;
        let batch = batch(&mut self.batch)?;
        let mut finals = Vec::new();
        for (id, backing) in self.contents.all() {
            let size = self.plan.buffers.get(&id).map_or(0, |b| b.size);
            let copy = if backing.buffer.bytes().is_empty() && size > 0 {
                let name = format!("read-back of buffer {id}");
                let copy = Buffer::new(self.gpu, &name, size, MemoryLocation::GpuToCpu)?;
                batch.copy(&backing.buffer, &copy, vk::BufferCopy { src_offset: 0, dst_offset: 0, size });
                Some(copy)
            } else {
                None
            };
            finals.push((id, size, copy));
        }
        Ok(finals)
    }

    /// Submits what is recorded, waits, reads back, and begins anew.
    fn turn(&mut self) -> Result<(), ExecuteError> {
        self.end_scope()?;
        if let Some(batch) = &mut self.batch {
            batch.finish()?;
        }
        let start = Instant::now();
        for done in self.pending_records.drain(..) {
            let words = done.buffer.bytes().as_chunks::<4>().0;
            let count =
                done.extent.vertices as usize * done.extent.instances as usize * done.components as usize;
            let data = words.iter().take(count).map(|le| f32::from_le_bytes(*le)).collect();
            let post_vs = PostVs {
                components: done.components,
                first_vertex: done.extent.first_vertex,
                vertex_count: done.extent.vertices,
                instance_count: done.extent.instances,
                data,
            };
            self.outputs.post_vs.insert(done.index, post_vs);
        }
        if !self.plan.vertex_stage_only && self.outputs.passes.is_empty() {
            let empty = |p: &PlannedPass| PassOutput { targets: vec![None; p.targets.len()], depth: None };
            self.outputs.passes = self.plan.passes.iter().map(empty).collect();
        }
        for mut done in self.pending_images.drain(..) {
            done.image.bytes = done.buffer.bytes().to_vec();
            let Some(output) = self.outputs.passes.get_mut(done.pass.0) else { continue };
            match done.target {
                Some(target) => {
                    if let Some(place) = output.targets.get_mut(target) {
                        *place = Some(done.image);
                    }
                }
                None => output.depth = Some(done.image),
            }
        }
        self.outputs.timings.readback += start.elapsed();
        self.pending_bytes = 0;
        self.contents.idle();
        self.binder.idle();
        self.batch = None;
        self.batch = Some(Batch::begin(self.gpu)?);
        Ok(())
    }
}

/// The batch being recorded.
fn batch<'a, 'gpu>(batch: &'a mut Option<Batch<'gpu>>) -> Result<&'a mut Batch<'gpu>, ExecuteError> {
    batch.as_mut().ok_or_else(closed)
}

fn closed() -> ExecuteError {
    ExecuteError("vulkan: nothing is being recorded".to_owned())
}

/// Of negative height, which turns Vulkan's clip space into Direct3D's. One without area, which Vulkan does not take,
/// is given a pixel: [`pass_area`] lets nothing be drawn there.
fn viewport([x, y, width, height, near, far]: [f32; 6]) -> vk::Viewport {
    let [width, height] = [width, height].map(|side| if side > 0.0 { side } else { 1.0 });
    vk::Viewport { x, y: y + height, width, height: -height, min_depth: near, max_depth: far }
}

/// The pixels a draw may write: its scissor rectangle inside the pass, since Vulkan takes no negative corner.
fn pass_area(pass: &PlannedPass, draw: &Draw) -> vk::Rect2D {
    let [.., width, height, _, _] = pass.viewport;
    if width <= 0.0 || height <= 0.0 {
        return vk::Rect2D::default();
    }
    let side = |from: i64, length: i64, limit: u32| {
        let end = from.saturating_add(length).clamp(0, limit.into());
        let start = from.clamp(0, limit.into());
        (start as i32, (end - start).max(0) as u32)
    };
    let [x, y, width, height] = draw.state.scissor;
    let ((x, width), (y, height)) = (side(x, width, pass.width), side(y, height, pass.height));
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}
