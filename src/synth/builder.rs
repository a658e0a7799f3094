//! Puts a frame's tables and lists together: numbers for buffers, lists and events, blobs by hash.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::SynthError;
use crate::abi::state::{Compare, IndexFormat, PassKind, Topology};
use crate::abi::{BufferId, DxgiFormat, EventId, Format, InputSlot, ListId, PassId, ProgramId};
use crate::capture::manifest::{
    BlobHash, BufferEntry, BufferUsage, Command, ConstantEntry, Content, Copy, DepthEntry, Draw, Execute,
    Field, FieldType, FrameFile, IndexBinding, InputElement, ListEntry, ListKind, MapDiscard, MeshRef,
    Observe, Opaque, OpaqueKind, OpaqueWrite, PassEntry, ProgramEntry, ProgramRule, RangeBinding,
    StreamBinding, StreamOrigin, Taken, TargetEntry, Write,
};
use crate::capture::write::SetWriter;

/// A frame being laid out.
pub(crate) struct FrameBuilder<'w> {
    pub(crate) writer: &'w mut SetWriter,
    pub(crate) name: String,
    /// Every blob the frame names.
    pub(crate) blobs: BTreeMap<BlobHash, Bytes>,
    pub(crate) file: FrameFile,
    event: u64,
}

impl<'w> FrameBuilder<'w> {
    pub(crate) fn new(writer: &'w mut SetWriter, name: &str, label: String) -> Self {
        let immediate = ListEntry {
            id: ListId::IMMEDIATE,
            kind: ListKind::Immediate,
            name: None,
            commands: vec![],
            extra: None,
        };
        let file = FrameFile {
            label: Some(label),
            values: BTreeMap::new(),
            buffers: vec![],
            programs: vec![],
            passes: vec![],
            lists: vec![immediate],
            extra: None,
        };
        Self { writer, name: name.to_owned(), blobs: BTreeMap::new(), file, event: 0 }
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) -> Result<BlobHash, SynthError> {
        let hash = self.writer.blob(bytes)?;
        self.blobs.entry(hash).or_insert_with(|| Bytes::copy_from_slice(bytes));
        Ok(hash)
    }

    /// Adds a buffer with contents.
    pub(crate) fn buffer(
        &mut self,
        name: impl Into<String>,
        usage: BufferUsage,
        bytes: &[u8],
        taken: Taken,
        origin: Option<(&str, u32, u32)>,
    ) -> Result<BufferId, SynthError> {
        let initial = Some(Content { blob: self.blob(bytes)?, taken });
        let id = self.add_buffer(name.into(), usage, bytes.len(), origin);
        if let Some(entry) = self.file.buffers.last_mut() {
            entry.initial = initial;
        }
        Ok(id)
    }

    /// Adds a buffer whose contents nobody recorded.
    pub(crate) fn unknown_buffer(&mut self, name: &str, usage: BufferUsage, size: usize) -> BufferId {
        self.add_buffer(name.to_owned(), usage, size, None)
    }

    fn add_buffer(
        &mut self,
        name: String,
        usage: BufferUsage,
        size: usize,
        origin: Option<(&str, u32, u32)>,
    ) -> BufferId {
        let id = BufferId(self.file.buffers.len() as u64 + 1);
        let origin = origin.map(|(model, mesh, stream)| StreamOrigin {
            model: model.to_owned(),
            mesh,
            stream,
            extra: None,
        });
        self.file.buffers.push(BufferEntry {
            id,
            name,
            size: size as u64,
            usage,
            initial: None,
            final_: None,
            origin,
            gpu_written: false,
            extra: None,
        });
        id
    }

    fn next_event(&mut self) -> EventId {
        self.event += 1;
        EventId(self.event)
    }

    pub(crate) fn map_discard(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<Command, SynthError> {
        let blob = self.blob(bytes)?;
        Ok(Command::MapDiscard(MapDiscard { event: self.next_event(), buffer, blob, extra: None }))
    }

    pub(crate) fn write(
        &mut self,
        buffer: BufferId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<Command, SynthError> {
        let blob = self.blob(bytes)?;
        Ok(Command::Write(Write { event: self.next_event(), buffer, offset, blob, extra: None }))
    }

    /// Copies `size` bytes from one buffer and offset to another.
    pub(crate) fn copy(&mut self, src: (BufferId, u64), dst: (BufferId, u64), size: u64) -> Command {
        let ((src, src_offset), (dst, dst_offset)) = (src, dst);
        Command::Copy(Copy { event: self.next_event(), src, src_offset, dst, dst_offset, size, extra: None })
    }

    pub(crate) fn observe(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<Command, SynthError> {
        let blob = self.blob(bytes)?;
        Ok(Command::Observe(Observe { event: self.next_event(), buffer, offset: 0, blob, extra: None }))
    }

    pub(crate) fn dispatch(&mut self, name: &str, writes: (BufferId, u64)) -> Command {
        let (buffer, size) = writes;
        let writes = vec![OpaqueWrite { buffer, offset: 0, size, extra: None }];
        let name = Some(name.to_owned());
        Command::Opaque(Opaque {
            event: self.next_event(),
            kind: OpaqueKind::Dispatch,
            name,
            writes,
            extra: None,
        })
    }

    pub(crate) fn execute(&mut self, list: ListId) -> Command {
        Command::Execute(Execute { event: self.next_event(), list, extra: None })
    }

    /// Numbers a draw.
    pub(crate) fn draw(&mut self, draw: Draw) -> Command {
        Command::Draw(Box::new(Draw { event: self.next_event(), ..draw }))
    }

    /// Adds a deferred list.
    pub(crate) fn deferred(&mut self, name: String, commands: Vec<Command>) -> ListId {
        let id = ListId(self.file.lists.len() as u64);
        let kind = ListKind::Deferred;
        self.file.lists.push(ListEntry { id, kind, name: Some(name), commands, extra: None });
        id
    }

    /// Sets the immediate list.
    pub(crate) fn immediate(&mut self, commands: Vec<Command>) {
        self.file.lists[0].commands = commands;
    }
}

/// A draw of one instance that binds nothing yet.
pub(crate) fn bare_draw(pass: &str, program: ProgramId, mesh: (&str, u32), topology: Topology) -> Draw {
    Draw {
        event: EventId(0),
        pass: PassId(pass.to_owned()),
        program,
        mesh: Some(MeshRef { model: mesh.0.to_owned(), mesh: mesh.1, extra: None }),
        topology,
        index: None,
        index_count: None,
        first_index: None,
        base_vertex: None,
        vertex_count: None,
        first_vertex: None,
        instance_count: 1,
        first_instance: 0,
        streams: vec![],
        constants: vec![],
        resources: vec![],
        state: None,
        unsupported: vec![],
        recorded: None,
        extra: None,
    }
}

/// A vertex stream.
pub(crate) fn stream(slot: u32, buffer: BufferId, offset: u64, stride: u32) -> StreamBinding {
    StreamBinding { slot: InputSlot(slot), buffer, offset, stride, extra: None }
}

/// A bound range of a constant buffer.
pub(crate) fn range(register: u32, buffer: BufferId, offset: u64, size: u64) -> RangeBinding {
    RangeBinding { register, space: 0, buffer, offset, size, extra: None }
}

/// An index buffer.
pub(crate) fn index(buffer: BufferId, format: IndexFormat, offset: u64) -> IndexBinding {
    IndexBinding { buffer, format, offset, extra: None }
}

/// An element of an input layout.
pub(crate) fn input(semantic: &str, index: u32, format: Format, slot: u32, offset: u32) -> InputElement {
    InputElement {
        semantic: semantic.to_owned(),
        index,
        format: DxgiFormat::Executable(format),
        slot: InputSlot(slot),
        offset,
        per_instance: false,
        step_rate: None,
        extra: None,
    }
}

/// A constant buffer that declares one array.
pub(crate) fn array(name: &str, register: u32, field: &str, kind: FieldType, count: u64) -> ConstantEntry {
    let fields = vec![self::field(field, 0, kind, count)];
    ConstantEntry {
        name: name.to_owned(),
        register,
        space: 0,
        size: kind.size() * count,
        fields,
        extra: None,
    }
}

/// A declared field.
pub(crate) fn field(name: &str, offset: u64, kind: FieldType, count: u64) -> Field {
    Field { name: name.to_owned(), offset, kind, count, stride: None, fields: vec![], extra: None }
}

/// The rule of capture.toml by which a shader stands in for the programs of that name.
pub(crate) fn rule(name: &str, shader: &str) -> ProgramRule {
    ProgramRule {
        name: Some(name.to_owned()),
        hash: None,
        shader: shader.to_owned(),
        outputs: BTreeMap::new(),
        targets: BTreeMap::new(),
        constants: BTreeMap::new(),
        inputs: BTreeMap::new(),
        extra: None,
    }
}

/// A program.
pub(crate) fn program(
    id: u64,
    name: &str,
    inputs: Vec<InputElement>,
    constants: Vec<ConstantEntry>,
) -> ProgramEntry {
    ProgramEntry {
        id: ProgramId(id),
        name: name.to_owned(),
        hash: None,
        encoding: None,
        code: None,
        stage_outputs: None,
        inputs,
        constants,
        resources: vec![],
        extra: None,
    }
}

/// A pass with its own depth buffer and at most one target, cleared to zero.
pub(crate) fn pass(kind: PassKind, (width, height): (u32, u32), target: Option<(&str, Format)>) -> PassEntry {
    let targets = target.map(|(name, format)| TargetEntry {
        name: name.to_owned(),
        format: DxgiFormat::Executable(format),
        clear: Some([0.0; 4]),
        initial: None,
        recorded: None,
        extra: None,
    });
    PassEntry {
        id: PassId(kind.name().to_owned()),
        kind,
        width,
        height,
        viewport: [0.0, 0.0, width as f32, height as f32, 0.0, 1.0],
        targets: targets.into_iter().collect(),
        depth: Some(DepthEntry {
            format: Some(DxgiFormat::Executable(Format::D32Float)),
            clear: Some(1.0),
            compare: Some(Compare::LessEqual),
            shared_with: None,
            initial: None,
            recorded: None,
            extra: None,
        }),
        extra: None,
    }
}
