//! Small plans for tests: one draw (or several) of one pass, everything bound by name.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::Reference;
use super::shaders::SHADERS;
use crate::abi::interface::{BufferNeed, InputNeed, Interface, VertexOutput};
use crate::abi::state::{Compare, Cull, Front, IndexFormat, PassKind, Topology};
use crate::abi::{
    BufferId, DxgiFormat, EventId, Format, InputSlot, ListId, PassId, ProgramId, Register, RegisterClass,
    Semantic,
};
use crate::capture::manifest::{ListKind, Taken};
use crate::execute::{Executor, Outputs};
use crate::plan::{
    Binding, BoundBuffer, BoundIndices, BoundInput, BoundRange, BoundStream, Command, Draw, DrawIndex,
    DrawState, InputCheck, InstanceAddressing, InstanceIndex, ListInstance, PassIndex, Piece, PieceSource,
    Plan, PlannedDepth, PlannedPass, PlannedTarget, Start, Swaps, Warnings, Writer,
};

pub(super) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub(super) const IDENTITY: [f32; 12] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
/// Both view-projections the identity.
pub(super) const VIEWS: [f32; 32] = [
    1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., //
    1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.,
];

/// Bytes known since the frame's start; [`plan`] gives each range a buffer of its own.
pub(super) fn range(bytes: Vec<u8>) -> BoundRange {
    let len = bytes.len() as u64;
    let source = PieceSource::Known {
        bytes: Bytes::from(bytes),
        writer: Writer::Initial(Taken::FrameStart),
        late: false,
    };
    BoundRange { buffer: BufferId(0), version: 0, offset: 0, size: len, pieces: vec![Piece { len, source }] }
}

fn interface(name: &str) -> Interface {
    let shader = SHADERS.iter().find(|s| s.name == name).unwrap();
    let need = |name: &str, class, optional, declared_size| BufferNeed {
        name: name.into(),
        class,
        optional,
        set: 0,
        binding: 0,
        declared_size,
    };
    let mut buffers: Vec<_> = shader
        .buffers
        .iter()
        .map(|name| {
            let declared = if *name == "cbInstanceData" { 65_536 } else { 768 * 16 };
            need(name, RegisterClass::Constant, false, declared)
        })
        .collect();
    if !shader.buffers.contains(&"cbInstanceData") {
        buffers.push(need("cbInstanceData", RegisterClass::Constant, true, 65_536));
    }
    buffers.push(need("g_InstanceIndexBuffer", RegisterClass::Resource, true, 0));
    let output = |(name, components): &(&str, u32)| VertexOutput {
        semantic: Semantic::parse(name),
        components: *components,
    };
    let input = |name: &&str| InputNeed { semantic: Semantic::parse(name), location: 0 };
    Interface {
        inputs: shader.inputs.iter().map(input).collect(),
        buffers,
        outputs: shader.outputs.iter().map(output).collect(),
        targets: shader.pixel.iter().map(|_| "colour".into()).collect(),
    }
}

/// A draw of a non-indexed triangle list whose constants are identities and whose inputs are unbound.
pub(super) fn draw(shader: &str, count: u32) -> Draw {
    let interface = interface(shader);
    let inputs = interface.inputs.iter().zip(0..).map(|(need, slot)| BoundInput {
        need: need.clone(),
        slot: InputSlot(slot),
        offset: 0,
        format: match need.semantic.name.as_str() {
            "BLENDINDICES" => Format::R8G8B8A8Uint,
            "BLENDWEIGHT" => Format::R8G8B8A8Unorm,
            _ => Format::R32G32B32Float,
        },
        step_rate: None,
    });
    let buffers = interface.buffers.iter().map(|need| BoundBuffer { need: need.clone(), register: None });
    let binding = Binding {
        shader: shader.into(),
        inputs: inputs.collect(),
        buffers: buffers.collect(),
        targets: interface.targets.iter().map(|_| Some(0)).collect(),
        interface,
        instances: InstanceAddressing {
            record_size: 208,
            index_offset: 0,
            world_offset: 0,
            fade_offset: 48,
            palette_first_offset: None,
        },
        swap_views: false,
        reads_late: false,
    };
    let mut draw = Draw {
        event: EventId(1),
        instance: InstanceIndex(0),
        pass: PassIndex(0),
        program: ProgramId(1),
        program_name: shader.into(),
        mesh: None,
        topology: Topology::TriangleList,
        indices: None,
        count,
        first: 0,
        base_vertex: 0,
        instance_count: 1,
        first_instance: 0,
        streams: BTreeMap::new(),
        buffers: BTreeMap::new(),
        state: DrawState {
            cull: Cull::None,
            front: Front::Cw,
            depth_write: true,
            depth_compare: Compare::LessEqual,
            color_write: [true; 4],
            blend: None,
            scissor: [0, 0, 8, 8],
        },
        replay: Ok(binding),
    };
    for name in SHADERS.iter().find(|s| s.name == shader).unwrap().buffers {
        let bytes = if *name == "cbMatrixWVP" { floats(&VIEWS) } else { floats(&IDENTITY) };
        draw.bind(name, bytes);
    }
    draw
}

impl Draw {
    pub(super) fn binding(&mut self) -> &mut Binding {
        self.replay.as_mut().unwrap()
    }

    /// Binds bytes to a buffer by name.
    pub(super) fn bind(&mut self, name: &str, bytes: Vec<u8>) {
        let place = self.binding().buffers.iter().position(|b| b.need.name == name).unwrap();
        let register = Register::constant(place as u32, 0);
        self.binding().buffers[place].register = Some(register);
        self.buffers.insert(register, range(bytes));
    }

    /// Binds a stream of its own to an input.
    pub(super) fn input(&mut self, name: &str, format: Format, stride: u32, bytes: Vec<u8>) {
        let semantic = Semantic::parse(name);
        let input = self.binding().inputs.iter_mut().find(|i| i.need.semantic == semantic).unwrap();
        input.format = format;
        let slot = input.slot;
        self.streams.insert(slot, BoundStream { range: range(bytes), stride });
    }

    pub(super) fn positions(&mut self, values: &[f32]) {
        self.input("POSITION0", Format::R32G32B32Float, 12, floats(values));
    }

    pub(super) fn index(&mut self, topology: Topology, values: &[u16]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.indices = Some(BoundIndices { range: range(bytes), format: IndexFormat::U16 });
        self.topology = topology;
        self.count = values.len() as u32;
    }

    /// A triangle over the whole image at one depth, whose normal is `normal`.
    pub(super) fn cover(depth: f32, normal: [f32; 3]) -> Self {
        let mut draw = draw("rigid_gbuffer", 3);
        draw.positions(&[-1., 1., depth, 3., 1., depth, -1., -3., depth]);
        draw.input("NORMAL0", Format::R32G32B32Float, 0, floats(&normal));
        draw
    }
}

/// A plan of 8 x 8 pixels, one target and depth, cleared to 0 and 1.
pub(super) fn plan(mut draws: Vec<Draw>) -> Plan {
    let pass = PlannedPass {
        id: PassId("only".into()),
        kind: PassKind::Other,
        width: 8,
        height: 8,
        viewport: [0.0, 0.0, 8.0, 8.0, 0.0, 1.0],
        targets: vec![PlannedTarget {
            name: "colour".into(),
            format: DxgiFormat::Executable(Format::R32G32B32A32Float),
            start: Start::Clear([0.0; 4]),
        }],
        depth: Some(PlannedDepth {
            owner: PassIndex(0),
            format: DxgiFormat::Executable(Format::D32Float),
            start: Start::Clear(1.0),
            compare: Compare::LessEqual,
        }),
    };
    let mut commands = Vec::new();
    for range in draws.iter_mut().flat_map(|d| {
        let streams = d.streams.values_mut().map(|s| &mut s.range);
        streams.chain(d.indices.iter_mut().map(|i| &mut i.range)).chain(d.buffers.values_mut())
    }) {
        range.buffer = BufferId(commands.len() as u64);
        let (buffer, bytes) = (range.buffer, range.gather());
        commands.push(Command::Discard {
            buffer,
            version: 0,
            writer: Writer::Initial(Taken::FrameStart),
            bytes,
        });
    }
    commands.push(Command::BeginPass(PassIndex(0)));
    commands.extend((0..draws.len()).map(|i| Command::Draw(DrawIndex(i))));
    let immediate =
        ListInstance { list: ListId(0), kind: ListKind::Immediate, name: None, execute: None, ordinal: 0 };
    Plan {
        frame: "0000".into(),
        instances: vec![immediate],
        buffers: BTreeMap::new(),
        passes: vec![pass],
        draws,
        commands,
        input_check: InputCheck::default(),
        vertex_stage_only: false,
        swaps: Swaps::default(),
        warnings: Warnings::default(),
    }
}

pub(super) fn execute(plan: &Plan) -> Outputs {
    Reference::default().execute(plan).unwrap()
}

/// The record of a vertex of the first instance of the plan's only draw.
pub(super) fn record(draw: Draw, vertex: i64) -> Vec<f32> {
    let outputs = execute(&plan(vec![draw]));
    assert_eq!(outputs.not_executed, BTreeMap::new());
    outputs.post_vs[&DrawIndex(0)].record(0, vertex).unwrap().to_vec()
}

/// The first three components of a position.
pub(super) fn position(draw: Draw, vertex: i64) -> [f32; 3] {
    record(draw, vertex)[..3].try_into().unwrap()
}
