//! Recorded commands -> [`Plan`]: lists inlined, versions followed, draws resolved.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::binding::{Declared, bind_targets, draw_state};
use super::reach::{reach, word};
use super::versions::Contents;
use super::vertices::VertexOrder;
use super::{
    Binding, BoundIndices, BoundRange, BoundStream, Command, Draw, DrawIndex, InputCheck, InputDifference,
    InstanceIndex, ListInstance, NotReplayed, PassIndex, Piece, PieceSource, Plan, PlannedBuffer,
    PlannedDepth, PlannedPass, PlannedTarget, StandIns, Start, Unknown, Warnings, WriteKind, Writer,
};
use crate::abi::state::{Compare, Topology};
use crate::abi::{BufferId, DxgiFormat, EventId, Format, ListId, PassId, Register};
use crate::capture::Frame;
use crate::capture::manifest::{self, PassEntry, Taken};

/// What an analyst exchanges to try a hypothesis; all `false` is the documented pairing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Swaps {
    /// POSITION0 and POSITION1.
    pub streams: bool,
    /// cbObjMatrix and cbPrevObjMatrix.
    pub palettes: bool,
    /// The two view-projections of cbMatrixWVP.
    pub views: bool,
}

impl Swaps {
    /// Whether nothing is exchanged.
    pub fn none(self) -> bool {
        self == Self::default()
    }
}

/// Resolves a checked frame. What a draw lacks is said in its [`Draw::replay`].
pub fn lower(frame: &Frame, stand_ins: &StandIns, swaps: Swaps) -> Plan {
    let mut lowering = Lowering::new(frame, stand_ins, swaps);
    lowering.list(ListId::IMMEDIATE, InstanceIndex(0));
    lowering.finish()
}

struct Lowering<'a> {
    frame: &'a Frame,
    stand_ins: &'a StandIns,
    swaps: Swaps,
    passes: BTreeMap<PassId, PassIndex>,
    begun: BTreeSet<PassIndex>,
    contents: BTreeMap<BufferId, Contents>,
    /// Buffers that other work also writes.
    gpu_written: BTreeSet<BufferId>,
    executions: BTreeMap<ListId, u32>,
    plan: Plan,
}

impl<'a> Lowering<'a> {
    fn new(frame: &'a Frame, stand_ins: &'a StandIns, swaps: Swaps) -> Self {
        let file = frame.file();
        let passes: BTreeMap<_, _> =
            file.passes.iter().enumerate().map(|(i, p)| (p.id.clone(), PassIndex(i))).collect();
        let mut lowering = Self {
            frame,
            stand_ins,
            swaps,
            begun: BTreeSet::new(),
            contents: BTreeMap::new(),
            gpu_written: file.buffers.iter().filter(|b| b.gpu_written).map(|b| b.id).collect(),
            executions: BTreeMap::new(),
            plan: Plan {
                frame: frame.name.clone(),
                instances: Vec::new(),
                buffers: BTreeMap::new(),
                passes: file.passes.iter().map(|p| planned_pass(frame, p, &passes)).collect(),
                draws: Vec::new(),
                commands: Vec::new(),
                input_check: InputCheck::default(),
                vertex_stage_only: false,
                swaps,
                warnings: Warnings::default(),
            },
            passes,
        };
        for buffer in &file.buffers {
            let mut contents = Contents::unknown(buffer.size, Unknown::NeverWritten);
            if let Some(initial) = buffer.initial {
                let bytes = frame.blob(&initial.blob);
                let writer = Writer::Initial(initial.taken);
                contents.set(0, known(bytes.clone(), writer, initial.taken == Taken::Late));
                lowering.plan.commands.push(Command::Discard {
                    buffer: buffer.id,
                    version: 0,
                    writer,
                    bytes,
                });
            }
            lowering.contents.insert(buffer.id, contents);
        }
        if let Some(list) = frame.list(ListId::IMMEDIATE) {
            lowering.plan.instances.push(ListInstance {
                list: list.id,
                kind: list.kind,
                name: list.name.clone(),
                execute: None,
                ordinal: 0,
            });
        }
        lowering
    }

    fn list(&mut self, id: ListId, instance: InstanceIndex) {
        let frame = self.frame;
        let Some(list) = frame.list(id) else { return };
        for command in &list.commands {
            self.command(command, instance);
            if !matches!(command, manifest::Command::Observe(_)) {
                self.forget_gpu_written();
            }
        }
    }

    fn command(&mut self, command: &manifest::Command, instance: InstanceIndex) {
        let writer = |event, kind| Writer::Command { event, instance, kind };
        match command {
            manifest::Command::MapDiscard(c) => {
                let bytes = self.frame.blob(&c.blob);
                let writer = writer(c.event, WriteKind::MapDiscard);
                let Some(version) = self.set(c.buffer, 0, known(bytes.clone(), writer, false)) else {
                    return;
                };
                self.plan.commands.push(Command::Discard { buffer: c.buffer, version, writer, bytes });
            }
            manifest::Command::Write(c) => {
                let bytes = self.frame.blob(&c.blob);
                self.write(c.buffer, c.offset, bytes, writer(c.event, WriteKind::Write));
            }
            manifest::Command::Copy(c) => self.copy(c, instance),
            manifest::Command::Execute(c) => self.execute(c),
            manifest::Command::Draw(c) => self.draw(c, instance),
            manifest::Command::Opaque(c) => {
                for w in &c.writes {
                    let source = PieceSource::Unknown(Unknown::Opaque(c.event, c.kind));
                    self.set(w.buffer, w.offset, Piece { len: w.size, source });
                }
            }
            manifest::Command::Observe(c) => self.observe(c, writer(c.event, WriteKind::Observe)),
        }
    }

    /// Sets a piece and counts a version; `None` for a buffer that the table lacks.
    fn set(&mut self, buffer: BufferId, offset: u64, piece: Piece) -> Option<u32> {
        let contents = self.contents.get_mut(&buffer)?;
        contents.version += 1;
        contents.set(offset, piece);
        Some(contents.version)
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: Bytes, writer: Writer) {
        let Some(version) = self.set(buffer, offset, known(bytes.clone(), writer, false)) else { return };
        self.plan.commands.push(Command::Write { buffer, version, writer, offset, bytes });
    }

    fn copy(&mut self, c: &manifest::Copy, instance: InstanceIndex) {
        if c.size == 0 {
            return;
        }
        let writer = Writer::Command { event: c.event, instance, kind: WriteKind::Copy };
        let Some(src) = self.contents.get(&c.src) else { return };
        let pieces = src.pieces(c.src_offset, c.src_offset + c.size);
        let Some(dst) = self.contents.get_mut(&c.dst) else { return };
        dst.version += 1;
        let version = dst.version;
        let mut at = c.dst_offset;
        for mut piece in pieces {
            if let PieceSource::Known { writer: by, .. } = &mut piece.source {
                *by = writer;
            }
            let len = piece.len;
            dst.set(at, piece);
            at += len;
        }
        self.plan.commands.push(Command::Copy {
            event: c.event,
            instance,
            src: c.src,
            src_offset: c.src_offset,
            dst: c.dst,
            version,
            dst_offset: c.dst_offset,
            size: c.size,
        });
    }

    fn execute(&mut self, c: &manifest::Execute) {
        let Some(list) = self.frame.list(c.list) else { return };
        let ordinal = self.executions.entry(c.list).or_insert(0);
        let instance = InstanceIndex(self.plan.instances.len());
        self.plan.instances.push(ListInstance {
            list: list.id,
            kind: list.kind,
            name: list.name.clone(),
            execute: Some(c.event),
            ordinal: *ordinal,
        });
        *ordinal += 1;
        self.list(c.list, instance);
    }

    /// Holds observed bytes against the known ones and adopts them where nothing, or only something late, is known.
    fn observe(&mut self, c: &manifest::Observe, writer: Writer) {
        let bytes = self.frame.blob(&c.blob);
        let Some(contents) = self.contents.get(&c.buffer) else { return };
        let mut difference: Option<InputDifference> = None;
        let (mut checked, mut adopted, mut late_replaced) = (false, Vec::new(), false);
        let mut at = 0;
        for piece in contents.pieces(c.offset, c.offset + bytes.len() as u64) {
            let observed = bytes.slice(at as usize..(at + piece.len) as usize);
            match &piece.source {
                PieceSource::Known { bytes: planned, writer, late: false } => {
                    checked = true;
                    compare_observed(&mut difference, c, at, planned, &observed, *writer);
                }
                PieceSource::Known { late: true, .. } => {
                    late_replaced = true;
                    adopted.push((c.offset + at, observed));
                }
                PieceSource::Unknown(_) => adopted.push((c.offset + at, observed)),
            }
            at += piece.len;
        }
        let check = &mut self.plan.input_check;
        check.checked += u64::from(checked);
        check.equal += u64::from(checked && difference.is_none());
        check.different.extend(difference);
        check.late += u64::from(late_replaced);
        check.unknown += u64::from(!adopted.is_empty() && !late_replaced);
        for (offset, bytes) in adopted {
            self.write(c.buffer, offset, bytes, writer);
        }
    }

    /// Work that is not recorded may write these buffers at any time.
    fn forget_gpu_written(&mut self) {
        for buffer in &self.gpu_written {
            if let Some(contents) = self.contents.get_mut(buffer)
                && contents.any_known()
            {
                let source = PieceSource::Unknown(Unknown::GpuWritten);
                contents.set(0, Piece { len: contents.size(), source });
            }
        }
    }

    fn draw(&mut self, c: &manifest::Draw, instance: InstanceIndex) {
        let (Some(&pass), Some(program), Some(entry)) =
            (self.passes.get(&c.pass), self.frame.program(c.program), self.frame.pass(&c.pass))
        else {
            return;
        };
        if self.begun.insert(pass) {
            self.plan.commands.push(Command::BeginPass(pass));
        }
        let indexed = c.index.is_some();
        let count = if indexed { c.index_count } else { c.vertex_count }.unwrap_or(0);
        let first = if indexed { c.first_index } else { c.first_vertex }.unwrap_or(0);
        let base_vertex = c.base_vertex.unwrap_or(0);
        let indices = c.index.as_ref().map(|index| BoundIndices {
            range: self.range_to_end(
                index.buffer,
                index.offset,
                (u64::from(first) + u64::from(count)) * index.format.size(),
            ),
            format: index.format,
        });
        let order = VertexOrder::new(indices.as_ref(), first, count, base_vertex, c.topology);
        let streams = self.streams(c, program, &order);
        let ranges = c.constants.iter().map(|r| (Register::constant(r.register, r.space), r));
        let ranges = ranges.chain(c.resources.iter().map(|r| (Register::resource(r.register, r.space), r)));
        let buffers =
            ranges.map(|(register, r)| (register, self.range(r.buffer, r.offset, r.size))).collect();
        let compare = self.plan.passes[pass.0].depth.as_ref().map_or(Compare::Always, |d| d.compare);
        let mut draw = Draw {
            event: c.event,
            instance,
            pass,
            program: c.program,
            program_name: program.name.clone(),
            mesh: c.mesh.clone(),
            topology: c.topology,
            indices,
            count,
            first,
            base_vertex,
            instance_count: c.instance_count,
            first_instance: c.first_instance,
            streams,
            buffers,
            state: draw_state(c, entry, compare),
            replay: Err(NotReplayed::NoStandIn),
        };
        draw.replay = self.bind(c, program, &draw);
        self.warn(&draw, program, &order);
        self.plan.commands.push(Command::Draw(DrawIndex(self.plan.draws.len())));
        self.plan.draws.push(draw);
    }

    /// A range of fixed size; all of it is resolved.
    fn range(&self, buffer: BufferId, offset: u64, size: u64) -> BoundRange {
        let contents = self.contents.get(&buffer);
        let pieces = contents.map(|c| c.pieces(offset, offset.saturating_add(size))).unwrap_or_default();
        BoundRange { buffer, version: contents.map_or(0, |c| c.version), offset, size, pieces }
    }

    /// A range to the buffer's end, of which the first `needed` bytes are resolved.
    fn range_to_end(&self, buffer: BufferId, offset: u64, needed: u64) -> BoundRange {
        let end = self.contents.get(&buffer).map_or(0, Contents::size);
        let size = end.saturating_sub(offset);
        BoundRange { size, ..self.range(buffer, offset, needed.min(size)) }
    }

    /// The bound streams, resolved as far as any element of the captured layout can be fetched.
    fn streams(
        &self,
        c: &manifest::Draw,
        program: &manifest::ProgramEntry,
        order: &VertexOrder,
    ) -> BTreeMap<crate::abi::InputSlot, BoundStream> {
        let last_vertex = order.range().map_or(0, |(_, greatest)| u64::try_from(greatest).unwrap_or(0));
        let last_instance = u64::from(c.first_instance) + u64::from(c.instance_count.saturating_sub(1));
        c.streams
            .iter()
            .map(|stream| {
                let stride = u64::from(stream.stride);
                let ends = program.inputs.iter().filter(|e| e.slot == stream.slot).map(|element| {
                    let last = if element.per_instance { last_instance } else { last_vertex };
                    let size = element.format.executable().map_or(16, Format::size) as u64;
                    let element_end = (u64::from(element.offset) + size).max(stride);
                    last.saturating_mul(stride).saturating_add(element_end)
                });
                let needed = ends.max().unwrap_or(stride);
                let range = self.range_to_end(stream.buffer, stream.offset, needed);
                (stream.slot, BoundStream { range, stride: stream.stride })
            })
            .collect()
    }

    fn bind(
        &self,
        c: &manifest::Draw,
        program: &manifest::ProgramEntry,
        draw: &Draw,
    ) -> Result<Binding, NotReplayed> {
        if !c.unsupported.is_empty() {
            return Err(NotReplayed::Unsupported(c.unsupported.clone()));
        }
        let stand_in = self.stand_ins.get(&c.program).ok_or(NotReplayed::NoStandIn)?;
        if !matches!(c.topology, Topology::TriangleList | Topology::TriangleStrip) {
            let name = serde_json::to_value(c.topology).ok().and_then(|v| v.as_str().map(str::to_owned));
            return Err(NotReplayed::NotExecutable(format!("topology {}", name.unwrap_or_default())));
        }
        let pass = &self.plan.passes[draw.pass.0];
        if let Some(depth) = &pass.depth
            && depth.format != DxgiFormat::Executable(Format::D32Float)
        {
            return Err(NotReplayed::NotExecutable(format!("depth of format {}", depth.format.name())));
        }
        let declared = Declared { program, stand_in, swaps: self.swaps };
        let buffers = declared.bind_buffers(c)?;
        let constant = |register: Register, at: u64| {
            let bytes = draw.buffers.get(&register)?.gather();
            bytes.get(usize::try_from(at).ok()?..)?.first_chunk().map(|le| u32::from_le_bytes(*le))
        };
        let mut binding = Binding {
            shader: stand_in.shader.clone(),
            interface: stand_in.interface.clone(),
            inputs: declared.bind_inputs()?,
            buffers,
            targets: bind_targets(stand_in, pass)?,
            instances: declared.instance_addressing(constant),
            swap_views: self.swaps.views,
            reads_late: false,
        };
        let reached = reach(draw, &binding);
        if let Some(unknown) = reached.unknown {
            return Err(NotReplayed::UnknownInputs(unknown));
        }
        binding.reads_late = reached.late;
        Ok(binding)
    }

    /// Direct3D allows it, and it is rarely meant: said, never refused.
    fn warn(&mut self, draw: &Draw, program: &manifest::ProgramEntry, order: &VertexOrder) {
        let event = draw.event;
        if order.past_the_end() > 0 {
            self.plan.warnings.add("draws read indices past the end of their buffer, as 0", event);
        }
        let range = order.range();
        if range.is_some_and(|(least, _)| least < 0) {
            self.plan.warnings.add("draws fetch vertices below 0, as zeros", event);
        }
        let mut past = false;
        let mut short = false;
        let mut unbound = false;
        for element in &program.inputs {
            let Some(stream) = draw.streams.get(&element.slot) else {
                unbound = true;
                continue;
            };
            let size = element.format.executable().map_or(0, Format::size) as u64;
            let end = u64::from(element.offset) + size;
            short |= u64::from(stream.stride) < end;
            let last = match (element.per_instance, range) {
                (false, Some((_, greatest))) => u64::try_from(greatest).unwrap_or(0),
                (true, Some(_)) if draw.instance_count > 0 => {
                    u64::from(draw.first_instance) + u64::from(draw.instance_count - 1)
                }
                _ => continue,
            };
            let needed = last.saturating_mul(stream.stride.into()).saturating_add(end);
            past |= needed > stream.range.size;
        }
        if past {
            self.plan.warnings.add("draws fetch past the end of a stream, as zeros", event);
        }
        if short {
            self.plan.warnings.add("draws bind a stride smaller than the layout's element", event);
        }
        if unbound {
            self.plan.warnings.add("draws leave a slot of their layout unbound; it reads as zeros", event);
        }
    }

    fn finish(mut self) -> Plan {
        for index in (0..self.plan.passes.len()).map(PassIndex) {
            if !self.begun.contains(&index) {
                self.plan.commands.push(Command::BeginPass(index));
            }
        }
        for buffer in &self.frame.file().buffers {
            let Some(contents) = self.contents.get(&buffer.id) else { continue };
            self.plan.buffers.insert(
                buffer.id,
                PlannedBuffer {
                    name: buffer.name.clone(),
                    size: buffer.size,
                    usage: buffer.usage,
                    versions: contents.version + 1,
                    end: contents.pieces(0, buffer.size),
                },
            );
        }
        self.plan
    }
}

fn known(bytes: Bytes, writer: Writer, late: bool) -> Piece {
    Piece { len: bytes.len() as u64, source: PieceSource::Known { bytes, writer, late } }
}

fn compare_observed(
    difference: &mut Option<InputDifference>,
    c: &manifest::Observe,
    at: u64,
    planned: &[u8],
    observed: &[u8],
    writer: Writer,
) {
    if planned == observed {
        return;
    }
    let differing = || planned.iter().zip(observed).enumerate().filter(|(_, (p, o))| p != o);
    let count = differing().count() as u64;
    match difference {
        Some(found) => found.bytes += count,
        None => {
            if let Some((index, (planned, seen))) = differing().next() {
                *difference = Some(InputDifference {
                    event: c.event,
                    buffer: c.buffer,
                    offset: c.offset + at + index as u64,
                    bytes: count,
                    planned: *planned,
                    observed: *seen,
                    writer,
                });
            }
        }
    }
}

fn planned_pass(frame: &Frame, pass: &PassEntry, places: &BTreeMap<PassId, PassIndex>) -> PlannedPass {
    let targets = pass.targets.iter().map(|t| PlannedTarget {
        name: t.name.clone(),
        format: t.format,
        start: match t.clear {
            Some(color) => Start::Clear(color),
            None => Start::Keep(t.initial.map(|c| frame.blob(&c.blob))),
        },
    });
    let depth = pass.depth.as_ref().and_then(|d| {
        let owner_id = d.shared_with.as_ref().unwrap_or(&pass.id);
        let owner = *places.get(owner_id)?;
        let owned = frame.pass(owner_id)?.depth.as_ref()?;
        Some(PlannedDepth {
            owner,
            format: d.format.or(owned.format)?,
            start: match d.clear {
                Some(depth) => Start::Clear(depth),
                None => Start::Keep(d.initial.map(|c| frame.blob(&c.blob))),
            },
            compare: d.compare.or(owned.compare).unwrap_or(Compare::LessEqual),
        })
    });
    PlannedPass {
        id: pass.id.clone(),
        kind: pass.kind,
        width: pass.width,
        height: pass.height,
        viewport: pass.viewport,
        targets: targets.collect(),
        depth,
    }
}

/// Why the bytes at `from..to` of a buffer at the frame's end are not known, if some are not.
pub fn unknown_at_end(plan: &Plan, buffer: BufferId) -> Option<String> {
    plan.buffers.get(&buffer)?.end.iter().find_map(|piece| match piece.source {
        PieceSource::Unknown(why) => Some(word(why)),
        PieceSource::Known { .. } => None,
    })
}

impl Warnings {
    fn add(&mut self, what: &'static str, event: EventId) {
        let entry = self.0.entry(what).or_insert((0, event));
        entry.0 += 1;
    }
}
