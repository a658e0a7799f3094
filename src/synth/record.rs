//! Gives a laid-out frame its dumps: what the float64 reference computes from it.

use std::collections::BTreeMap;

use globset::Glob;

use super::SynthError;
use super::builder::FrameBuilder;
use crate::abi::interface::Interface;
use crate::abi::{DxgiFormat, EventId, Format};
use crate::capture::LoadedFrame;
use crate::capture::manifest::{
    Command, Content, Draw, DrawRecord, OutputElement, PostVsOrder, PostVsRecord, ProgramEntry, ProgramRule,
    Taken,
};
use crate::execute::reference::Reference;
use crate::execute::{Executor, Outputs, PassOutput, PostVs};
use crate::plan::vertices::VertexOrder;
use crate::plan::{self, Plan, StandIn, StandIns, Swaps, lower};
use crate::shader;

/// Executes the frame and stores what came out: the vertex outputs of every draw (those of `by_index` one record an
/// index, the others one a vertex), every attachment, and every buffer that a command wrote.
pub(crate) fn record(
    frame: &mut FrameBuilder<'_>,
    rules: &[ProgramRule],
    by_index: impl Fn(&Draw) -> bool,
) -> Result<(), SynthError> {
    let loaded = LoadedFrame::part(frame.name.clone(), frame.file.clone(), frame.blobs.clone());
    let plan = lower(&loaded.frame, &stand_ins(&frame.file.programs, rules), Swaps::default());
    let outputs = Reference::default()
        .execute(&plan)
        .map_err(|source| SynthError::Execute { frame: frame.name.clone(), source })?;
    let records = post_vs(frame, &plan, &outputs, by_index)?;
    for command in frame.file.lists.iter_mut().flat_map(|l| &mut l.commands) {
        if let Command::Draw(draw) = command {
            draw.recorded = records.get(&draw.event).cloned();
        }
    }
    attachments(frame, &outputs)?;
    finals(frame, &plan, &outputs)
}

/// The stand-ins of a frame's programs by the set's own rules.
pub(super) fn stand_ins(programs: &[ProgramEntry], rules: &[ProgramRule]) -> StandIns {
    let shader_of = |program: &ProgramEntry| {
        let rule = rules.iter().find(|rule| {
            let glob = rule.name.as_deref().and_then(|name| Glob::new(name).ok());
            glob.is_some_and(|g| g.compile_matcher().is_match(&program.name))
        })?;
        let interface = shader::find(&rule.shader)?.interface.clone();
        Some((program.id, StandIn { shader: rule.shader.clone(), interface, ..StandIn::default() }))
    };
    programs.iter().filter_map(shader_of).collect()
}

fn post_vs(
    frame: &mut FrameBuilder<'_>,
    plan: &Plan,
    outputs: &Outputs,
    by_index: impl Fn(&Draw) -> bool,
) -> Result<BTreeMap<EventId, DrawRecord>, SynthError> {
    let mut records = BTreeMap::new();
    let commands: BTreeMap<_, _> = frame
        .file
        .lists
        .iter()
        .flat_map(|l| &l.commands)
        .filter_map(|c| if let Command::Draw(draw) = c { Some((draw.event, by_index(draw))) } else { None })
        .collect();
    for (place, draw) in plan.draws() {
        let name = frame.name.clone();
        let binding = draw.replay.as_ref().map_err(|reason| SynthError::NotReplayed {
            frame: name.clone(),
            event: draw.event.0,
            reason: reason.clone(),
        })?;
        let Some(computed) = outputs.post_vs.get(&place) else {
            let why = outputs.not_executed.get(&place).map_or("no vertex outputs", String::as_str);
            let what = format!("event {}: {why}", draw.event);
            return Err(SynthError::Layout { frame: name, what });
        };
        let ordered = commands.get(&draw.event).copied().unwrap_or(false);
        let bytes = if ordered { by_index_order(draw, computed) } else { le_bytes(&computed.data) };
        let record = PostVsRecord {
            blob: frame.blob(&bytes)?,
            taken: Taken::FrameEnd,
            order: if ordered { PostVsOrder::Index } else { PostVsOrder::Vertex },
            first_vertex: (!ordered).then_some(computed.first_vertex),
            vertex_count: (!ordered).then_some(computed.vertex_count.into()),
            layout: layout(&binding.interface),
            extra: None,
        };
        let record = DrawRecord { post_vs: Some(record), extra: None };
        // A record holds for every execution of its draw, so the executions must agree.
        if records.insert(draw.event, record.clone()).is_some_and(|before| before != record) {
            let what = format!("event {}: two executions differ", draw.event);
            return Err(SynthError::Layout { frame: name, what });
        }
    }
    Ok(records)
}

/// One record an index, in draw order.
fn by_index_order(draw: &plan::Draw, computed: &PostVs) -> Vec<u8> {
    let order: Vec<i64> = VertexOrder::of(draw).vertices().collect();
    let instances = 0..computed.instance_count;
    instances
        .flat_map(|i| order.iter().filter_map(move |vertex| computed.record(i, *vertex)))
        .flat_map(le_bytes)
        .collect()
}

fn le_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn layout(interface: &Interface) -> Vec<OutputElement> {
    let format = |components| match components {
        1 => Format::R32Float,
        2 => Format::R32G32Float,
        3 => Format::R32G32B32Float,
        _ => Format::R32G32B32A32Float,
    };
    interface
        .outputs
        .iter()
        .map(|output| OutputElement {
            semantic: output.semantic.name.clone(),
            index: output.semantic.index,
            format: DxgiFormat::Executable(format(output.components)),
            extra: None,
        })
        .collect()
}

fn attachments(frame: &mut FrameBuilder<'_>, outputs: &Outputs) -> Result<(), SynthError> {
    let mut contents = Vec::new();
    for PassOutput { targets, depth } in &outputs.passes {
        let mut dump = |image: &Option<crate::execute::Image>| match image {
            Some(image) => Ok(Some(Content { blob: frame.blob(&image.bytes)?, taken: Taken::FrameEnd })),
            None => Ok::<_, SynthError>(None),
        };
        let targets = targets.iter().map(&mut dump).collect::<Result<Vec<_>, _>>()?;
        contents.push((targets, dump(depth)?));
    }
    for (pass, (targets, depth)) in frame.file.passes.iter_mut().zip(contents) {
        for (target, content) in pass.targets.iter_mut().zip(targets) {
            target.recorded = content;
        }
        if let Some(entry) = &mut pass.depth {
            entry.recorded = depth;
        }
    }
    Ok(())
}

/// Contents at the frame's end of every buffer that commands wrote and whose bytes are known.
fn finals(frame: &mut FrameBuilder<'_>, plan: &Plan, outputs: &Outputs) -> Result<(), SynthError> {
    let written: Vec<_> = plan
        .buffers
        .iter()
        .filter(|(_, buffer)| buffer.versions > 1)
        .filter(|(id, _)| plan::lower::unknown_at_end(plan, **id).is_none())
        .filter_map(|(id, _)| Some((*id, outputs.buffers.get(id)?)))
        .collect();
    for (id, bytes) in written {
        let content = Content { blob: frame.blob(bytes)?, taken: Taken::FrameEnd };
        if let Some(entry) = frame.file.buffers.iter_mut().find(|b| b.id == id) {
            entry.final_ = Some(content);
        }
    }
    Ok(())
}
