//! The commands of a frame.
//!
//! Every pass is recorded into eight lists that draw pairs (the face, six of two body meshes, one of the other five body
//! meshes and the costume) and one that draws the rest: 24 list instances with pairs a frame. A list binds all its pairs
//! the same way round.

use super::buffers::{
    Buffers, Indices, PALETTE, Pair, RIGID_RANGE, RIGID_STEP, Second, Single, writes_first,
};
use super::objects::{CLOTHS, UNDRAWN, world};
use super::programs::{RIGID, SKINNED, passes, program_of};
use super::scene::{Exception, Moment, PICTURE, SHADOW_MAP, Scene};
use crate::abi::records::write_all;
use crate::abi::state::{Blend, BlendEquation, BlendFactor, BlendOp, Compare, Cull, PassKind, Topology};
use crate::abi::{Format, ListId};
use crate::capture::manifest::{Command, Draw, DrawState, PassEntry};
use crate::synth::SynthError;
use crate::synth::builder::{FrameBuilder, bare_draw, pass, range, stream};

/// Bytes of a vertex of a position stream.
const POSITION_STRIDE: u32 = 20;

/// The passes of a frame.
pub(crate) fn pass_table() -> Vec<PassEntry> {
    vec![
        pass(PassKind::Shadow, SHADOW_MAP, None),
        pass(PassKind::Gbuffer, PICTURE, Some(("normal", Format::R8G8B8A8Snorm))),
        pass(PassKind::MotionVector, PICTURE, Some(("velocity", Format::R16G16Float))),
    ]
}

/// Records every list of the frame.
pub(crate) fn record_lists(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
    buffers: &Buffers,
) -> Result<(), SynthError> {
    let deform = deform_lists(frame, buffers)?;
    let lists = passes().map(|pass| pass_lists(frame, moment, buffers, pass));
    let commands = immediate(frame, scene, moment, buffers, &deform, &lists)?;
    frame.immediate(commands);
    Ok(())
}

/// The lists that write the position streams.
fn deform_lists(frame: &mut FrameBuilder<'_>, buffers: &Buffers) -> Result<Vec<ListId>, SynthError> {
    let groups = [
        ("face", &buffers.player[..4]),
        ("body A", &buffers.player[4..13]),
        ("body B", &buffers.player[13..]),
        ("costume", &buffers.costume),
    ];
    let mut lists = Vec::new();
    for (name, pairs) in groups {
        let writes = pairs.iter().map(|p| frame.map_discard(p.written, &p.bytes));
        let writes = writes.collect::<Result<_, _>>()?;
        lists.push(frame.deferred(format!("deform {name}"), writes));
    }
    let writes = buffers.cloths.iter().flat_map(|c| Some((c.first, c.bytes.as_ref()?)));
    let writes = writes.map(|(buffer, bytes)| frame.map_discard(buffer, bytes)).collect::<Result<_, _>>()?;
    lists.push(frame.deferred("deform objects".to_owned(), writes));
    Ok(lists)
}

/// The lists of a pass: those that draw pairs, and the one that does not.
struct PassLists {
    pairs: Vec<ListId>,
    rest: ListId,
}

fn pass_lists(frame: &mut FrameBuilder<'_>, moment: &Moment, buffers: &Buffers, pass: PassKind) -> PassLists {
    let (face, body) = buffers.player.split_at(4);
    let mut groups: Vec<(String, Vec<&Pair>)> = vec![("face".to_owned(), face.iter().collect())];
    for (n, two) in body[..12].chunks(2).enumerate() {
        groups.push((format!("body {n}"), two.iter().collect()));
    }
    // The skirt casts no shadow.
    let skirt = if pass == PassKind::Shadow { &[] } else { buffers.costume.as_slice() };
    groups.push(("body 6 and costume".to_owned(), body[12..].iter().chain(skirt).collect()));
    let pairs = groups
        .into_iter()
        .map(|(name, pairs)| {
            let reversed = match moment.exception {
                Some(Exception::Shadow) => pass == PassKind::Shadow,
                Some(Exception::GbufferOfTwelve) => pass == PassKind::Gbuffer && pairs.len() == 2,
                None => false,
            };
            let draws: Vec<_> = pairs.iter().map(|p| pair_draw(p, moment, buffers, pass, reversed)).collect();
            let draws = draws.into_iter().map(|draw| frame.draw(draw)).collect();
            frame.deferred(format!("{} {name}", pass.name()), draws)
        })
        .collect();
    let rest = rest_draws(buffers, pass).into_iter().map(|draw| frame.draw(draw)).collect();
    PassLists { pairs, rest: frame.deferred(format!("{} objects", pass.name()), rest) }
}

/// The draw of a pair; `reversed`: the written buffer is the first stream instead of the third.
fn pair_draw(pair: &Pair, moment: &Moment, buffers: &Buffers, pass: PassKind, reversed: bool) -> Draw {
    let (first, third) = if reversed { (pair.written, pair.other) } else { (pair.other, pair.written) };
    let mut draw = mesh_draw(pass, true, pair.mesh, &pair.indices);
    bind_streams(&mut draw, first, pair.second, Some(third));
    let is_costume = pair.mesh.0 == super::costume::COSTUME;
    let motion = pass == PassKind::MotionVector;
    draw.constants = vec![range(SKINNED.views, buffers.views, 0, 128)];
    if is_costume {
        // Two palettes a frame, one for each member's frame of reference: that of the member the stream is.
        let is_second = |buffer| u64::from((buffer == pair.written) != writes_first(moment));
        let palettes = buffers.costume_palettes;
        draw.constants.push(range(SKINNED.palette, palettes, is_second(first) * PALETTE, PALETTE));
        if motion {
            let at = (2 + is_second(third)) * PALETTE;
            draw.constants.push(range(SKINNED.previous, palettes, at, PALETTE));
        }
    } else {
        draw.constants.push(range(SKINNED.palette, buffers.player_palettes, 0, PALETTE));
        if motion {
            draw.constants.push(range(SKINNED.previous, buffers.player_palettes, PALETTE, PALETTE));
        }
    }
    draw.state = pair_state(pair.mesh, is_costume, pass);
    draw
}

/// Fixed-function state where a piece has a reason for it; the others keep the defaults.
fn pair_state(mesh: (&str, u32), is_costume: bool, pass: PassKind) -> Option<DrawState> {
    let none = DrawState::default();
    let state = match (mesh.0, mesh.1, pass) {
        // Closed shells need no back faces in the picture, and no front faces in the shadow map.
        (super::player::BODY, 2..=13, PassKind::Shadow) => DrawState { cull: Some(Cull::Front), ..none },
        (super::player::BODY, 2..=13, _) => DrawState { cull: Some(Cull::Back), ..none },
        // The mask lies over the face.
        (super::player::FACE, 3, _) => DrawState { depth_compare: Some(Compare::Less), ..none },
        // The scarf has no blue: the third channel is written by nobody.
        (super::player::BODY, 14, PassKind::Gbuffer) => {
            DrawState { color_write: Some("rga".to_owned()), ..none }
        }
        (super::player::BODY, 15, PassKind::Gbuffer | PassKind::MotionVector) => {
            DrawState { scissor: Some([0, 0, i64::from(PICTURE.0), 128]), ..none }
        }
        (_, 0, _) if is_costume => DrawState { depth_write: Some(false), ..none },
        (_, 1, PassKind::MotionVector) if is_costume => {
            let greatest = BlendEquation(BlendFactor::One, BlendFactor::One, BlendOp::Max);
            DrawState { blend: Some(Blend { color: greatest, alpha: greatest }), ..none }
        }
        _ => return None,
    };
    Some(state)
}

/// The cloths, the Sculptor, and, but for the shadow pass, the gate and the floor.
fn rest_draws(buffers: &Buffers, pass: PassKind) -> Vec<Draw> {
    let mut draws = Vec::new();
    for (n, cloth) in buffers.cloths.iter().enumerate() {
        draws.push(rigid_draw(cloth, buffers, pass, n));
    }
    for (mesh, palettes) in buffers.sculptor.iter().flat_map(|m| Some((m, buffers.sculptor_palettes?))) {
        let mut draw = single_draw(mesh, pass, true);
        draw.constants =
            vec![range(SKINNED.views, buffers.views, 0, 128), range(SKINNED.palette, palettes, 0, PALETTE)];
        if pass == PassKind::MotionVector {
            draw.constants.push(range(SKINNED.previous, palettes, PALETTE, PALETTE));
        }
        draws.push(draw);
    }
    if pass != PassKind::Shadow {
        let still = buffers.gate.iter().chain([&buffers.floor]);
        draws.extend(still.map(|mesh| rigid_draw(mesh, buffers, pass, CLOTHS.len())));
    }
    draws
}

/// The draw of a rigid thing with the n-th constants.
fn rigid_draw(mesh: &Single, buffers: &Buffers, pass: PassKind, n: usize) -> Draw {
    let mut draw = single_draw(mesh, pass, false);
    let at = n as u64 * RIGID_STEP;
    draw.constants =
        vec![range(RIGID.views, buffers.views, 0, 128), range(RIGID.palette, buffers.rigid, at, RIGID_RANGE)];
    if pass == PassKind::MotionVector {
        draw.constants.push(range(RIGID.previous, buffers.rigid, at + RIGID_RANGE, RIGID_RANGE));
    }
    draw
}

fn single_draw(mesh: &Single, pass: PassKind, skinned: bool) -> Draw {
    let mut draw = match &mesh.indices {
        Some(indices) => mesh_draw(pass, skinned, mesh.mesh, indices),
        None => Draw {
            first_vertex: Some(UNDRAWN),
            vertex_count: Some(super::objects::FLOOR_VERTICES),
            ..bare_draw(pass.name(), program_of(pass, skinned), mesh.mesh, Topology::TriangleList)
        },
    };
    bind_streams(&mut draw, mesh.first, mesh.second, mesh.third);
    draw
}

fn mesh_draw(pass: PassKind, skinned: bool, mesh: (&str, u32), indices: &Indices) -> Draw {
    Draw {
        index: Some(indices.binding.clone()),
        index_count: Some(indices.count),
        first_index: Some(indices.first),
        base_vertex: Some(indices.base_vertex),
        ..bare_draw(pass.name(), program_of(pass, skinned), mesh, indices.topology)
    }
}

fn bind_streams(
    draw: &mut Draw,
    first: crate::abi::BufferId,
    (second, offset, stride): Second,
    third: Option<crate::abi::BufferId>,
) {
    draw.streams = vec![stream(0, first, 0, POSITION_STRIDE), stream(1, second, offset, stride)];
    draw.streams.extend(third.map(|third| stream(2, third, 0, POSITION_STRIDE)));
}

/// The immediate list: the lists that write run before any draw; the constants of all passes share one buffer.
fn immediate(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
    buffers: &Buffers,
    deform: &[ListId],
    [shadow, gbuffer, motion]: &[PassLists; 3],
) -> Result<Vec<Command>, SynthError> {
    let player_palettes = scene.player_palettes(moment);
    let mut commands = vec![
        frame.map_discard(buffers.player_palettes, &player_palettes)?,
        frame.map_discard(buffers.costume_palettes, &scene.costume_palettes(moment))?,
    ];
    if let Some(palettes) = buffers.sculptor_palettes {
        commands.push(frame.map_discard(palettes, &scene.sculptor_palettes(moment))?);
    }
    commands.extend(deform.iter().map(|list| frame.execute(*list)));
    let clock = f64::from(moment.clock);
    for n in 0..CLOTHS.len() {
        let at = n as u64 * RIGID_STEP;
        commands.push(frame.write(buffers.rigid, at, &write_all(&[world(n, clock)]))?);
    }
    commands.push(frame.map_discard(buffers.views, &scene.light(moment))?);
    commands.extend(shadow.pairs.iter().map(|list| frame.execute(*list)));
    // The second execution finds its own depths and changes nothing.
    commands.extend([shadow.rest, shadow.rest].map(|list| frame.execute(list)));
    commands.push(frame.dispatch("light culling", (buffers.light_list, 4096)));
    commands.push(frame.map_discard(buffers.views, &scene.eye(moment))?);
    let face = &buffers.player[0];
    commands.push(frame.observe(face.written, &face.bytes)?);
    commands.push(frame.observe(buffers.player_palettes, &player_palettes)?);
    commands.extend(gbuffer.pairs.iter().chain([&gbuffer.rest]).map(|list| frame.execute(*list)));
    for n in 0..CLOTHS.len() {
        let at = n as u64 * RIGID_STEP + RIGID_RANGE;
        commands.push(frame.write(buffers.rigid, at, &write_all(&[world(n, clock - 1.0)]))?);
    }
    commands.extend(motion.pairs.iter().chain([&motion.rest]).map(|list| frame.execute(*list)));
    Ok(commands)
}
