//! A frame's commands: the CPU writes the upload ring, early copies bring its pieces to default buffers, then the passes
//! draw.

use super::buffers::{Buffers, Drawn, FarDraw, INSTANCE_TABLE, Placed, RIGID_RANGE, RIGID_STEP};
use super::programs::{FORCES, INSTANCE_INDICES, INSTANCES, Kind, PALETTE, PREVIOUS, VIEWS};
use super::scene::{PICTURE, SHADOW_MAP};
use crate::abi::Format;
use crate::abi::records::{Affine, Force, Instance, ViewProjections};
use crate::abi::state::PassKind;
use crate::capture::manifest::{Command, Draw, PassEntry, RangeBinding};
use crate::synth::SynthError;
use crate::synth::builder::{FrameBuilder, pass, range};

/// Bytes of a palette.
const PALETTE_SIZE: u64 = (Affine::PALETTE * Affine::SIZE) as u64;

/// The passes of a frame.
pub(crate) fn pass_table() -> Vec<PassEntry> {
    vec![
        pass(PassKind::Shadow, SHADOW_MAP, None),
        pass(PassKind::Gbuffer, PICTURE, Some(("normal", Format::R8G8B8A8Snorm))),
        pass(PassKind::MotionVector, PICTURE, Some(("velocity", Format::R16G16Float))),
    ]
}

/// Records the lists: early copies, then one a pass.
pub(crate) fn record_lists(frame: &mut FrameBuilder<'_>, buffers: &Buffers<'_>) -> Result<(), SynthError> {
    let (ring_buffer, ring) = &buffers.ring;
    let mut commands = ring.writes(frame, *ring_buffer)?;
    let copies = ring.copies(frame, *ring_buffer);
    let early = frame.deferred("early copies".to_owned(), copies);
    commands.push(frame.execute(early));
    // The recorder read the palette back where the draws find it.
    if let Some(soldier) = &buffers.soldier {
        commands.push(frame.observe(soldier.palettes[0], &soldier.bytes)?);
    }
    for pass in [PassKind::Shadow, PassKind::Gbuffer, PassKind::MotionVector] {
        let draws: Vec<Command> = draws(buffers, pass).into_iter().map(|draw| frame.draw(draw)).collect();
        let list = frame.deferred(pass.name().to_owned(), draws);
        commands.push(frame.execute(list));
    }
    frame.immediate(commands);
    Ok(())
}

/// The draws of a pass: cloths, the soldier, grass.
fn draws(buffers: &Buffers<'_>, pass: PassKind) -> Vec<Draw> {
    let (cloth, skin) = match pass {
        PassKind::Shadow => (Kind::ClothShadow, None),
        PassKind::MotionVector => (Kind::ClothMotion, Some(Kind::SkinMotion)),
        PassKind::Gbuffer | PassKind::Other => (Kind::ClothGbuffer, Some(Kind::SkinGbuffer)),
    };
    let hung = buffers.cloths.iter().filter(|h| pass != PassKind::Shadow || h.cloth.shape.casts_shadow);
    let mut draws: Vec<Draw> =
        hung.map(|h| rigid_draw(buffers, pass, cloth, &h.drawn, h.constants)).collect();
    if let Some(kind) = skin {
        draws.extend(soldier_draws(buffers, pass, kind));
    }
    if pass == PassKind::Gbuffer {
        draws.extend(placed_draws(buffers));
        draws.extend(far_draws(buffers));
    }
    draws
}

fn views(buffers: &Buffers<'_>, pass: PassKind) -> RangeBinding {
    let at = if pass == PassKind::Shadow { buffers.light } else { buffers.eye };
    range(VIEWS, buffers.ring.0, at, ViewProjections::SIZE as u64)
}

/// A draw with the n-th matrices of the rigid things.
fn rigid_draw(buffers: &Buffers<'_>, pass: PassKind, kind: Kind, drawn: &Drawn, n: u64) -> Draw {
    let mut draw = drawn.draw(pass, kind);
    let at = buffers.rigid + n * RIGID_STEP;
    draw.constants = vec![views(buffers, pass), range(PALETTE, buffers.ring.0, at, RIGID_RANGE)];
    if pass == PassKind::MotionVector {
        draw.constants.push(range(PREVIOUS, buffers.ring.0, at + RIGID_RANGE, RIGID_RANGE));
    }
    draw
}

fn soldier_draws(buffers: &Buffers<'_>, pass: PassKind, kind: Kind) -> Vec<Draw> {
    let Some(soldier) = &buffers.soldier else { return vec![] };
    let [current, previous] = soldier.palettes;
    let draw = |drawn: &Drawn| {
        let mut draw = drawn.draw(pass, kind);
        draw.constants = vec![views(buffers, pass), range(PALETTE, current, 0, PALETTE_SIZE)];
        if pass == PassKind::MotionVector {
            draw.constants.push(range(PREVIOUS, previous, 0, PALETTE_SIZE));
        }
        draw
    };
    soldier.drawn.iter().map(draw).collect()
}

fn force_table(buffers: &Buffers<'_>) -> Option<RangeBinding> {
    buffers.forces.map(|table| range(FORCES, table, 0, (Force::COUNT * Force::SIZE) as u64))
}

fn placed_draws(buffers: &Buffers<'_>) -> Vec<Draw> {
    let families = [Kind::Grass, Kind::Grass2].into_iter().cycle();
    let draw = |(placed, kind): (&Placed, Kind)| {
        let mut draw = rigid_draw(buffers, PassKind::Gbuffer, kind, &placed.drawn, placed.constants);
        draw.resources.extend(force_table(buffers));
        draw
    };
    buffers.placed.iter().zip(families).map(draw).collect()
}

fn far_draws(buffers: &Buffers<'_>) -> Vec<Draw> {
    let draw = |far: &FarDraw| {
        let mut draw = far.drawn.draw(PassKind::Gbuffer, Kind::FarGrass);
        draw.instance_count = far.instances;
        let records = range(INSTANCES, buffers.ring.0, far.records, Instance::RANGE as u64);
        draw.constants = vec![views(buffers, PassKind::Gbuffer), records];
        let indices = buffers.instance_indices.map(|table| range(INSTANCE_INDICES, table, 0, INSTANCE_TABLE));
        draw.resources.extend(indices.into_iter().chain(force_table(buffers)));
        draw
    };
    buffers.far.iter().map(draw).collect()
}
