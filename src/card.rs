//! What a frame and its plan say about a draw, gathered for a reader.
//!
//! In: a frame, its plan, the reports on its dumps. Out: the values that `report` renders, a [`Card`] of one draw
//! ([`build`]) and a [`DrawRow`] a draw ([`rows()`]). Nothing is executed or compared here.

mod contents;
mod palette;
mod rows;
#[cfg(test)]
mod tests;

pub use rows::{Found, LookUpError, find, rows};

use crate::abi::state::Topology;
use crate::abi::{DxgiFormat, RegisterClass, Semantic};
use crate::capture::Frame;
use crate::capture::manifest::{BufferUsage, Encoding, InputElement, ProgramEntry, Taken};
use crate::plan::dump::{instance_name, unknown_word, writer_name};
use crate::plan::{
    Binding, BoundRange, Draw, DrawIndex, DrawState, PieceSource, Plan, VertexOrder, WriteKind, Writer,
};
use crate::report::DumpReport;
use crate::report::card::{Buffer, Card, Freshness, Indices, Program, Range, Source, StandIn, Stream};
#[cfg(doc)]
use crate::report::draws::DrawRow;

/// The card of a draw. `verdicts` are the reports on its own dumps.
pub fn build(frame: &Frame, plan: &Plan, index: DrawIndex, verdicts: Vec<DumpReport>) -> Option<Card> {
    let draw = plan.draws.get(index.0)?;
    let instance = plan.instance_of(draw);
    let program = frame.program(draw.program);
    Some(Card {
        frame: plan.frame.clone(),
        event: draw.event.0,
        list: instance_name(instance),
        execution: instance.ordinal + 1,
        pass: plan.pass_of(draw).id.0.clone(),
        mesh: draw.mesh.as_ref().map(ToString::to_string),
        program: declared(draw, program),
        stand_in: draw.replay.as_ref().ok().map(stand_in),
        not_replayed: draw.replay.as_ref().err().map(ToString::to_string),
        geometry: geometry(draw),
        streams: streams(plan, draw, program),
        indices: draw.indices.as_ref().map(|indices| Indices {
            format: format!("{:?}", indices.format).to_lowercase(),
            range: range(plan, &indices.range, reached_indices(draw)),
        }),
        positions: positions(plan, draw, program),
        buffers: buffers(plan, draw, program),
        state: state(&draw.state),
        verdicts,
    })
}

fn declared(draw: &Draw, program: Option<&ProgramEntry>) -> Program {
    let inputs = program.map(|p| p.inputs.as_slice()).unwrap_or_default();
    let mut buffers = Vec::new();
    for constant in program.map(|p| p.constants.as_slice()).unwrap_or_default() {
        let register = crate::abi::Register::constant(constant.register, constant.space);
        buffers.push(format!("{register} {}, {} bytes", constant.name, constant.size));
    }
    for resource in program.map(|p| p.resources.as_slice()).unwrap_or_default() {
        let register = crate::abi::Register::resource(resource.register, resource.space);
        let stride = resource.stride.map_or(String::new(), |stride| format!(", elements of {stride} bytes"));
        buffers.push(format!("{register} {}{stride}", resource.name));
    }
    Program {
        id: draw.program.0,
        name: draw.program_name.clone(),
        hash: program.and_then(|p| p.hash).map(|hash| hash.to_string()),
        encoding: program.and_then(|p| p.encoding).map(|encoding| encoding_name(encoding).to_owned()),
        inputs: inputs.iter().map(|e| format!("{}, slot {} + {}", element(e), e.slot, e.offset)).collect(),
        buffers,
    }
}

fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Dxbc => "DXBC",
        Encoding::Dxil => "DXIL",
        Encoding::Spirv => "SPIR-V",
    }
}

/// An element of a captured layout: `POSITION0 r32g32b32_float`, and how it advances.
fn element(element: &InputElement) -> String {
    let semantic = Semantic::new(element.semantic.as_str(), element.index);
    let rate = match (element.per_instance, element.step_rate.unwrap_or(1)) {
        (false, _) => String::new(),
        (true, 0) => ", one for all instances".to_owned(),
        (true, 1) => ", by instance".to_owned(),
        (true, rate) => format!(", every {rate} instances"),
    };
    format!("{semantic} {}{rate}", format_name(&element.format))
}

fn format_name(format: &DxgiFormat) -> String {
    format.name().to_string()
}

fn stand_in(binding: &Binding) -> StandIn {
    let inputs =
        binding.inputs.iter().map(|i| format!("{} at slot {} + {}", i.need.semantic, i.slot, i.offset));
    let buffers = binding.buffers.iter().map(|b| match b.register {
        Some(register) => format!("{} at {register}", b.need.name),
        None => format!("{} absent", b.need.name),
    });
    StandIn {
        shader: binding.shader.clone(),
        binds: inputs.chain(buffers).collect(),
        reads_late: binding.reads_late,
    }
}

fn geometry(draw: &Draw) -> Vec<(String, String)> {
    let unit = if draw.indices.is_some() { "indices" } else { "vertices" };
    let mut lines = vec![
        ("topology".to_owned(), topology_name(draw.topology)),
        ("count".to_owned(), format!("{} {unit} from {}", draw.count, draw.first)),
    ];
    if draw.base_vertex != 0 {
        lines.push(("base vertex".into(), draw.base_vertex.to_string()));
    }
    if draw.instance_count != 1 || draw.first_instance != 0 {
        lines.push(("instances".into(), format!("{} from {}", draw.instance_count, draw.first_instance)));
    }
    if let Some((least, greatest)) = VertexOrder::of(draw).range() {
        lines.push(("vertex numbers".into(), format!("{least} to {greatest}")));
    }
    lines
}

/// The topology as the capture format spells it.
fn topology_name(topology: Topology) -> String {
    let text = serde_json::to_value(topology).ok();
    text.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_else(|| format!("{topology:?}"))
}

fn streams(plan: &Plan, draw: &Draw, program: Option<&ProgramEntry>) -> Vec<Stream> {
    let inputs = program.map(|p| p.inputs.as_slice()).unwrap_or_default();
    draw.streams
        .iter()
        .map(|(slot, stream)| Stream {
            slot: slot.0,
            elements: inputs
                .iter()
                .filter(|e| e.slot == *slot)
                .map(|e| format!("{} + {}", element(e), e.offset))
                .collect(),
            stride: stream.stride,
            range: range(plan, &stream.range, None),
        })
        .collect()
}

/// Bytes of the index buffer that a draw reads.
fn reached_indices(draw: &Draw) -> Option<(u64, u64)> {
    let size = draw.indices.as_ref()?.format.size();
    let first = u64::from(draw.first);
    Some((first * size, (first + u64::from(draw.count)) * size))
}

/// A bound range, with the history of those of its bytes that lie in `reached`; of all that the plan resolved without.
fn range(plan: &Plan, range: &BoundRange, reached: Option<(u64, u64)>) -> Range {
    let buffer = plan.buffers.get(&range.buffer);
    let (from, to) = reached.unwrap_or((0, range.covered()));
    let mut sources: Vec<Source> = Vec::new();
    for (start, piece) in range.overlapping(from, to) {
        let (freshness, writer) = history(plan, &piece.source);
        match sources.last_mut() {
            // Neighbours with one history are one run to a reader.
            Some(last) if (last.freshness, &last.writer) == (freshness, &writer) => last.length += piece.len,
            _ => sources.push(Source { from: start, length: piece.len, freshness, writer }),
        }
    }
    Range {
        buffer: range.buffer.0,
        name: buffer.map_or_else(String::new, |b| b.name.clone()),
        usage: buffer.map_or("", |b| usage_name(b.usage)).to_owned(),
        version: range.version,
        offset: range.offset,
        size: range.size,
        buffer_size: buffer.map_or(0, |b| b.size),
        sources,
    }
}

fn usage_name(usage: BufferUsage) -> &'static str {
    match usage {
        BufferUsage::Static => "static",
        BufferUsage::Dynamic => "dynamic",
        BufferUsage::Default => "default",
        BufferUsage::Upload => "upload",
    }
}

/// How new bytes are, and who wrote them.
fn history(plan: &Plan, source: &PieceSource) -> (Freshness, String) {
    match source {
        PieceSource::Unknown(why) => (Freshness::Unknown, unknown_word(*why)),
        PieceSource::Known { writer, late, .. } => {
            let freshness = match writer {
                _ if *late => Freshness::Late,
                Writer::Initial(Taken::Late) => Freshness::Late,
                Writer::Initial(Taken::FrameStart | Taken::FrameEnd) => Freshness::Before,
                Writer::Command { kind: WriteKind::Observe, .. } => Freshness::Observed,
                Writer::Command {
                    kind: WriteKind::MapDiscard | WriteKind::Write | WriteKind::Copy, ..
                } => Freshness::ThisFrame,
            };
            (freshness, writer_name(plan, writer))
        }
    }
}

/// Which of the two position streams holds the newer bytes.
fn positions(plan: &Plan, draw: &Draw, program: Option<&ProgramEntry>) -> Option<String> {
    let inputs = program.map(|p| p.inputs.as_slice()).unwrap_or_default();
    let side = |index: u32| {
        let semantic = Semantic::new("POSITION", index);
        let bound =
            draw.replay.as_ref().ok().and_then(|b| b.inputs.iter().find(|i| i.need.semantic == semantic));
        let declared = || inputs.iter().find(|e| Semantic::new(e.semantic.as_str(), e.index) == semantic);
        let slot = bound.map(|b| b.slot).or_else(|| declared().map(|e| e.slot))?;
        let stream = draw.streams.get(&slot)?;
        let mut told: Vec<(Freshness, String)> = Vec::new();
        for source in range(plan, &stream.range, None).sources {
            if !told.contains(&(source.freshness, source.writer.clone())) {
                told.push((source.freshness, source.writer));
            }
        }
        Some((format!("{semantic} (slot {slot})"), told))
    };
    let ((a, of_a), (b, of_b)) = (side(0)?, side(1)?);
    let newest = |told: &[(Freshness, String)]| match told {
        [(freshness, writer)] => Some((*freshness, writer.clone())),
        _ => None,
    };
    let (Some((fresh_a, by_a)), Some((fresh_b, by_b))) = (newest(&of_a), newest(&of_b)) else {
        return Some(format!("{a} and {b} hold bytes of several histories"));
    };
    Some(match (fresh_a, fresh_b) {
        (Freshness::ThisFrame, Freshness::Before) => {
            format!("{a}, written this frame by {by_a}; {b} is left from before the frame")
        }
        (Freshness::Before, Freshness::ThisFrame) => {
            format!("{b}, written this frame by {by_b}; {a} is left from before the frame")
        }
        (Freshness::ThisFrame, Freshness::ThisFrame) => {
            format!("neither by itself, both were written this frame: {a} by {by_a}, {b} by {by_b}")
        }
        (Freshness::Before, Freshness::Before) => format!("{a} and {b} are both left from before the frame"),
        _ => format!("cannot be told: {a} is {}, {b} is {}", word(fresh_a, &by_a), word(fresh_b, &by_b)),
    })
}

fn word(freshness: Freshness, writer: &str) -> String {
    match freshness {
        Freshness::ThisFrame => format!("written this frame by {writer}"),
        Freshness::Before => "left from before the frame".into(),
        Freshness::Observed => format!("known from {writer}"),
        Freshness::Late => format!("late ({writer})"),
        Freshness::Unknown => format!("unknown ({writer})"),
    }
}

fn buffers(plan: &Plan, draw: &Draw, program: Option<&ProgramEntry>) -> Vec<Buffer> {
    draw.buffers
        .iter()
        .map(|(register, bound)| {
            let declared = contents::Declaration::of(program, *register);
            let needed = draw.replay.as_ref().ok().and_then(|binding| {
                binding.buffers.iter().find(|b| b.register == Some(*register)).map(|b| b.need.name.as_str())
            });
            let name = needed.or(declared.name).unwrap_or_default();
            Buffer {
                register: register.to_string(),
                name: name.to_owned(),
                declared: declared.size.filter(|_| register.class == RegisterClass::Constant),
                element: declared.size.filter(|_| register.class == RegisterClass::Resource),
                range: range(plan, bound, None),
                contents: contents::decode(name, &declared, bound, draw, program),
            }
        })
        .collect()
}

fn state(state: &DrawState) -> Vec<(String, String)> {
    let spelled = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    };
    let letters = "rgba".chars().zip(state.color_write).filter(|(_, on)| *on).map(|(letter, _)| letter);
    let colour: String = letters.collect();
    let [x, y, width, height] = state.scissor;
    let mut lines = vec![
        ("cull".to_owned(), spelled(serde_json::to_value(state.cull))),
        ("front".to_owned(), spelled(serde_json::to_value(state.front))),
        (
            "depth".to_owned(),
            format!(
                "{}, {}",
                spelled(serde_json::to_value(state.depth_compare)),
                if state.depth_write { "written" } else { "not written" }
            ),
        ),
        ("colour".to_owned(), if colour.is_empty() { "not written".into() } else { colour }),
        ("scissor".to_owned(), format!("{width} x {height} at {x}, {y}")),
    ];
    if let Some(blend) = state.blend {
        lines.push(("blend colour".into(), spelled(serde_json::to_value(blend.color))));
        lines.push(("blend alpha".into(), spelled(serde_json::to_value(blend.alpha))));
    }
    lines
}
