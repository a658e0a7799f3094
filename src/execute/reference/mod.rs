//! The reference executor: a plan computed in float64 on the CPU, as captures/README.md, "The draw model" says it.
//!
//! In: a [`Plan`]. Out: [`Outputs`]. It is here to be read and believed, and shares nothing with the Vulkan executor
//! but the plan. One file for each shader; the fixed stages are [`fetch`], [`vertex_stage`], [`clip`], [`raster`],
//! [`draw`] and [`output`]. The vertex stage's outputs are f32, as between the stages of a pipeline; everything before
//! and after them is float64. The result is the same bit for bit however many threads there are.

mod arithmetic;
mod clip;
mod draw;
mod fetch;
mod grass_gbuffer;
mod images;
mod memory;
mod output;
mod raster;
mod resources;
mod rigid_gbuffer;
mod rigid_motion;
mod rigid_shadow;
mod scene;
mod shaders;
mod skinned_gbuffer;
mod skinned_motion;
mod skinned_shadow;
mod vertex_stage;
mod viewport;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;

use self::images::{Images, LARGEST_SIDE};
use self::memory::Memory;
use self::scene::Scene;
use self::shaders::Shader;
use super::extent::{Extent, MOST_RECORDS};
use super::{ExecuteError, Executor, ExecutorInfo, ExecutorKind, Outputs, PassOutput, PostVs};
use crate::plan::{Binding, Command, Draw, DrawIndex, PassIndex, Plan};

/// Computes a plan in float64. Left out, with a reason in [`Outputs::not_executed`]: draws whose vertex records would
/// bring the frame's above 2^24, and bindings it cannot read. Buffers to which nothing is ever written are not among
/// the outputs.
#[derive(Debug, Default)]
pub struct Reference {}

impl Reference {
    /// What it is.
    pub fn info() -> ExecutorInfo {
        ExecutorInfo {
            kind: ExecutorKind::Reference,
            device: "reference".into(),
            driver: format!("float64 on the CPU, replay {}", env!("CARGO_PKG_VERSION")),
        }
    }
}

impl Executor for Reference {
    fn execute(&mut self, plan: &Plan) -> Result<Outputs, ExecuteError> {
        let mut outputs = Outputs::default();
        let start = Instant::now();
        outputs.buffers = final_buffers(plan)?;
        outputs.timings.upload = start.elapsed();

        let start = Instant::now();
        let (shaded, not_executed) = vertex_stages(plan);
        outputs.not_executed = not_executed;
        if !plan.vertex_stage_only {
            outputs.passes = passes(plan, &shaded)?;
        }
        outputs.post_vs = shaded.into_iter().map(|(index, s)| (index, s.post_vs)).collect();
        outputs.timings.execution = start.elapsed();
        Ok(outputs)
    }
}

/// Applies all writes in order.
fn final_buffers(plan: &Plan) -> Result<BTreeMap<crate::abi::BufferId, Vec<u8>>, ExecuteError> {
    let mut memory = Memory::default();
    for command in &plan.commands {
        memory.apply(plan, command)?;
        if let Command::Draw(index) = command {
            debug_assert!(
                ranges(&plan.draws[index.0]).all(|range| memory.agrees(range)),
                "event {} names other bytes than its buffers hold",
                plan.draws[index.0].event
            );
        }
    }
    Ok(memory.into_contents())
}

/// Every range of bytes a draw that is replayed may read.
fn ranges(draw: &Draw) -> impl Iterator<Item = &crate::plan::BoundRange> {
    let streams = draw.streams.values().map(|s| &s.range);
    let all = streams.chain(draw.indices.iter().map(|i| &i.range)).chain(draw.buffers.values());
    all.filter(|_| draw.replay.is_ok())
}

/// A draw after its vertex stage.
struct Shaded<'a> {
    binding: &'a Binding,
    shader: &'static Shader,
    post_vs: PostVs,
}

/// Runs the vertex stage of every draw that is replayed, and says why it did not.
fn vertex_stages(plan: &Plan) -> (BTreeMap<DrawIndex, Shaded<'_>>, BTreeMap<DrawIndex, String>) {
    let mut left = MOST_RECORDS;
    let prepared: Vec<_> = plan
        .draws()
        .filter_map(|(index, draw)| {
            let binding = draw.replay.as_ref().ok()?;
            Some((index, draw, binding, Extent::of(draw, &mut left)))
        })
        .collect();
    let results: Vec<_> = prepared
        .into_par_iter()
        .map(|(index, draw, binding, extent)| (index, shade(draw, binding, extent)))
        .collect();
    let (mut shaded, mut not_executed) = (BTreeMap::new(), BTreeMap::new());
    for (index, result) in results {
        match result {
            Ok(done) => drop(shaded.insert(index, done)),
            Err(reason) => drop(not_executed.insert(index, reason)),
        }
    }
    (shaded, not_executed)
}

fn shade<'a>(
    draw: &Draw,
    binding: &'a Binding,
    extent: Result<Extent, String>,
) -> Result<Shaded<'a>, String> {
    let shader = shaders::find(&binding.shader, &binding.interface)?;
    let scene = Scene::new(draw, binding, shader)?;
    let post_vs = vertex_stage::run(draw, shader, &scene, &extent?);
    Ok(Shaded { binding, shader, post_vs })
}

/// Draws all passes. Those that share no depth have nothing to do with each other and are drawn side by side.
fn passes(plan: &Plan, shaded: &BTreeMap<DrawIndex, Shaded<'_>>) -> Result<Vec<PassOutput>, ExecuteError> {
    if let Some(pass) = plan.passes.iter().find(|p| p.width > LARGEST_SIDE || p.height > LARGEST_SIDE) {
        return Err(ExecuteError(format!(
            "pass {} has {} x {} pixels; {LARGEST_SIDE} is the most a side may have",
            pass.id, pass.width, pass.height
        )));
    }
    let mut groups: BTreeMap<PassIndex, Vec<&Command>> = BTreeMap::new();
    for command in &plan.commands {
        if let Some(pass) = pass_of(plan, command) {
            let owner = plan.passes[pass.0].depth.as_ref().map_or(pass, |d| d.owner);
            groups.entry(owner).or_default().push(command);
        }
    }
    let drawn: Vec<_> = groups.into_par_iter().flat_map_iter(|(_, c)| group(plan, shaded, &c)).collect();
    let mut outputs = vec![PassOutput::default(); plan.passes.len()];
    for (index, output) in drawn {
        outputs[index.0] = output;
    }
    Ok(outputs)
}

/// The pass a command belongs to.
fn pass_of(plan: &Plan, command: &Command) -> Option<PassIndex> {
    match command {
        Command::BeginPass(pass) => Some(*pass),
        Command::Draw(index) => Some(plan.draws[index.0].pass),
        Command::Discard { .. } | Command::Write { .. } | Command::Copy { .. } => None,
    }
}

/// Draws passes that share depth, in order.
fn group(
    plan: &Plan,
    shaded: &BTreeMap<DrawIndex, Shaded<'_>>,
    commands: &[&Command],
) -> BTreeMap<PassIndex, PassOutput> {
    let mut last = BTreeMap::new();
    for (place, command) in commands.iter().enumerate() {
        last.extend(pass_of(plan, command).map(|pass| (pass, place)));
    }
    let mut images = Images::default();
    let mut outputs = BTreeMap::new();
    for (place, command) in commands.iter().enumerate() {
        match command {
            Command::BeginPass(pass) => images.begin(plan, *pass),
            Command::Draw(index) => {
                let draw = &plan.draws[index.0];
                if let Some(done) = shaded.get(index)
                    && let Some(surface) = images.surface(plan, draw.pass)
                {
                    let pass = plan.pass_of(draw);
                    draw::rasterise(draw, pass, done.binding, done.shader, &done.post_vs, surface);
                }
            }
            Command::Discard { .. } | Command::Write { .. } | Command::Copy { .. } => {}
        }
        if let Some(pass) = pass_of(plan, command)
            && last.get(&pass) == Some(&place)
        {
            outputs.insert(pass, images.end(plan, pass));
        }
    }
    outputs
}
