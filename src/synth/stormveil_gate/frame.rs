//! A frame's buffers and commands: the CPU writes the upload ring, early copies bring its pieces to default buffers,
//! then the passes draw.

use super::Scene;
use super::cloth::{Cloth, States};
use super::grass;
use super::programs::{FORCES, INSTANCE_INDICES, INSTANCES, Kind, PALETTE, PREVIOUS, VIEWS};
use super::ring::Ring;
use super::scene::{Moment, PICTURE, SHADOW_MAP, eye, light};
use super::{clumps::Batch, forces, soldier};
use crate::abi::records::{Affine, Force, Instance, ViewProjections, write_all};
use crate::abi::state::{IndexFormat, PassKind, Topology};
use crate::abi::{BufferId, Format};
use crate::capture::manifest::{BufferUsage, Command, Draw, PassEntry, Taken};
use crate::synth::SynthError;
use crate::synth::builder::{FrameBuilder, bare_draw, index, pass, range, stream};
use crate::synth::mesh::{Mesh, PAINT_STRIDE, SKIN_STRIDE};

/// Bytes of a vertex of a position stream.
const POSITION_STRIDE: u32 = 20;
/// Bytes from one rigid thing's constants to the next: this frame's matrix at 0, the last one's at 256.
const RIGID_STEP: u64 = 512;
/// Bytes a rigid draw binds.
const RIGID_RANGE: u64 = 256;
/// Bytes of a palette.
const PALETTE_SIZE: u64 = (Affine::PALETTE * Affine::SIZE) as u64;
/// Entries of the identity table that instances are looked up in.
const INSTANCE_ENTRIES: u32 = 2048;

/// The passes of a frame.
pub(crate) fn pass_table() -> Vec<PassEntry> {
    vec![
        pass(PassKind::Shadow, SHADOW_MAP, None),
        pass(PassKind::Gbuffer, PICTURE, Some(("normal", Format::R8G8B8A8Snorm))),
        pass(PassKind::MotionVector, PICTURE, Some(("velocity", Format::R16G16Float))),
    ]
}

/// Vertex streams and indices of a mesh.
#[derive(Clone, Debug)]
struct Drawn {
    mesh: (&'static str, u32),
    /// At POSITION0 and, where there is one, at POSITION1: buffer and first vertex's byte.
    positions: Vec<(BufferId, u64)>,
    /// The second vertex buffer: buffer, offset, stride.
    second: (BufferId, u64, u32),
    indices: BufferId,
    first: u32,
    count: u32,
}

impl Drawn {
    fn draw(&self, pass: PassKind, kind: Kind) -> Draw {
        let (second, offset, stride) = self.second;
        let mut streams = vec![stream(1, second, offset, stride)];
        for ((buffer, offset), slot) in self.positions.iter().zip([0, 2]) {
            streams.push(stream(slot, *buffer, *offset, POSITION_STRIDE));
        }
        streams.sort_by_key(|s| s.slot);
        Draw {
            index: Some(index(self.indices, IndexFormat::U16, 0)),
            index_count: Some(self.count),
            first_index: Some(self.first),
            base_vertex: Some(0),
            streams,
            ..bare_draw(pass.name(), kind.id(), self.mesh, Topology::TriangleList)
        }
    }
}

/// A cloth of the frame with the number of its constants.
struct Hung<'a> {
    cloth: &'a Cloth,
    drawn: Drawn,
    constants: u64,
}

/// The soldier's meshes and palettes.
struct Soldier {
    drawn: Vec<Drawn>,
    palettes: [BufferId; 2],
    bytes: Vec<u8>,
}

/// A batch's mesh, instances and place in the ring.
struct FarDraw {
    drawn: Drawn,
    instances: u32,
    records: u64,
}

/// Lays out all of the frame but its dumps.
pub(crate) fn lay_out(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
) -> Result<(), SynthError> {
    let mut ring = Ring::default();
    let lit = ring.place(light(scene.seed, moment), ViewProjections::SIZE as u64);
    let seen = ring.place(eye(scene.seed, moment), ViewProjections::SIZE as u64);
    let constants = ring.place(rigid_constants(scene, moment), 0);
    let cloths = cloths(frame, scene, moment, &mut ring)?;
    let soldier = moment.soldier.then(|| soldier_of(frame, scene, moment, &mut ring)).transpose()?;
    let forces = force_table(frame, scene, moment, &mut ring)?;
    let placed = placed(frame, scene, moment)?;
    let (far, table) = match moment.far_grass {
        true => far_grass(frame, scene, &mut ring)?,
        false => (vec![], None),
    };
    let ring_buffer = ring.add(frame)?;

    let views = |at| range(VIEWS, ring_buffer, at, ViewProjections::SIZE as u64);
    let rigid = |register, n: u64, part: u64| {
        range(register, ring_buffer, constants + n * RIGID_STEP + part * RIGID_RANGE, RIGID_RANGE)
    };
    let cloth_draw = |hung: &Hung<'_>, pass, kind| {
        let mut draw = hung.drawn.draw(pass, kind);
        draw.constants =
            vec![views(if pass == PassKind::Shadow { lit } else { seen }), rigid(PALETTE, hung.constants, 0)];
        if pass == PassKind::MotionVector {
            draw.constants.push(rigid(PREVIOUS, hung.constants, 1));
        }
        draw
    };
    let soldier_draws = |pass, kind| {
        let draw = move |soldier: &Soldier, drawn: &Drawn| {
            let mut draw = drawn.draw(pass, kind);
            let [current, previous] = soldier.palettes;
            draw.constants = vec![views(seen), range(PALETTE, current, 0, PALETTE_SIZE)];
            if pass == PassKind::MotionVector {
                draw.constants.push(range(PREVIOUS, previous, 0, PALETTE_SIZE));
            }
            draw
        };
        soldier.iter().flat_map(|s| s.drawn.iter().map(move |d| draw(s, d))).collect::<Vec<_>>()
    };
    let force_range = forces.map(|id| range(FORCES, id, 0, (Force::COUNT * Force::SIZE) as u64));

    let shadow: Vec<Draw> = cloths
        .iter()
        .filter(|h| h.cloth.shape.casts_shadow)
        .map(|h| cloth_draw(h, PassKind::Shadow, Kind::ClothShadow))
        .collect();
    let mut gbuffer: Vec<Draw> =
        cloths.iter().map(|h| cloth_draw(h, PassKind::Gbuffer, Kind::ClothGbuffer)).collect();
    gbuffer.extend(soldier_draws(PassKind::Gbuffer, Kind::SkinGbuffer));
    for (n, drawn) in placed.iter().enumerate() {
        let kind = if n % 2 == 0 { Kind::Grass } else { Kind::Grass2 };
        let mut draw = drawn.draw(PassKind::Gbuffer, kind);
        draw.constants = vec![views(seen), rigid(PALETTE, (scene.cloths.len() + n) as u64, 0)];
        draw.resources = force_range.iter().cloned().collect();
        gbuffer.push(draw);
    }
    for far in &far {
        let mut draw = far.drawn.draw(PassKind::Gbuffer, Kind::FarGrass);
        draw.instance_count = far.instances;
        draw.constants =
            vec![views(seen), range(INSTANCES, ring_buffer, far.records, Instance::RANGE as u64)];
        let size = u64::from(INSTANCE_ENTRIES) * 4;
        draw.resources = table.iter().map(|id| range(INSTANCE_INDICES, *id, 0, size)).collect();
        draw.resources.extend(force_range.iter().cloned());
        gbuffer.push(draw);
    }
    let mut motion: Vec<Draw> =
        cloths.iter().map(|h| cloth_draw(h, PassKind::MotionVector, Kind::ClothMotion)).collect();
    motion.extend(soldier_draws(PassKind::MotionVector, Kind::SkinMotion));

    record_lists(frame, &ring, ring_buffer, soldier.as_ref(), [shadow, gbuffer, motion])
}

/// The lists: early copies, then one a pass.
fn record_lists(
    frame: &mut FrameBuilder<'_>,
    ring: &Ring,
    ring_buffer: BufferId,
    soldier: Option<&Soldier>,
    passes: [Vec<Draw>; 3],
) -> Result<(), SynthError> {
    let mut commands = ring.writes(frame, ring_buffer)?;
    let copies = ring.copies(frame, ring_buffer);
    let early = frame.deferred("early copies".to_owned(), copies);
    let lists = ["shadow", "gbuffer", "motion_vector"].into_iter().zip(passes);
    let lists: Vec<_> = lists
        .map(|(name, draws)| {
            let draws = draws.into_iter().map(|draw| frame.draw(draw)).collect::<Vec<Command>>();
            frame.deferred(name.to_owned(), draws)
        })
        .collect();
    commands.push(frame.execute(early));
    // The recorder read the palette back where the draws find it.
    if let Some(soldier) = soldier {
        commands.push(frame.observe(soldier.palettes[0], &soldier.bytes)?);
    }
    commands.extend(lists.into_iter().map(|list| frame.execute(list)));
    frame.immediate(commands);
    Ok(())
}

/// Matrices of the cloths, then of the placed grass: this frame's and the last one's of each.
fn rigid_constants(scene: &Scene, moment: &Moment) -> Vec<u8> {
    let count = scene.cloths.len() + grass::PLACED.len();
    let mut bytes = vec![0; count * RIGID_STEP as usize];
    for n in 0..count {
        for (part, back) in [0.0, 1.0].into_iter().enumerate() {
            let world = match scene.cloths.get(n) {
                Some(cloth) => cloth.world(moment, back),
                None => grass::world(n - scene.cloths.len()),
            };
            let at = n * RIGID_STEP as usize + part * RIGID_RANGE as usize;
            bytes[at..at + Affine::SIZE].copy_from_slice(&write_all(&[world]));
        }
    }
    bytes
}

/// The pairs of the frame. Copies bring the newest positions over the older member; the banner's are left alone.
fn cloths<'a>(
    frame: &mut FrameBuilder<'_>,
    scene: &'a Scene,
    moment: &Moment,
    ring: &mut Ring,
) -> Result<Vec<Hung<'a>>, SynthError> {
    let shown = scene.cloths.len() - usize::from(!moment.still_banner);
    let shown = &scene.cloths[..shown];
    let copied_is_first = moment.clock.is_multiple_of(2);
    let states: Vec<States> = shown.iter().map(|c| c.states(scene.seed, moment)).collect();
    let members = |s: &States| {
        if copied_is_first { [s.older.clone(), s.newer.clone()] } else { [s.newer.clone(), s.older.clone()] }
    };

    let mut pools = [Vec::new(), Vec::new()];
    let mut offsets = Vec::new();
    for (cloth, states) in shown.iter().zip(&states) {
        offsets.push(pools[0].len() as u64);
        if cloth.shape.pooled {
            pools.iter_mut().zip(members(states)).for_each(|(pool, bytes)| pool.extend(bytes));
        }
    }
    let mut pool = |letter, bytes: &[u8]| {
        let name = format!("cloth pool {letter}");
        frame.buffer(name, BufferUsage::Default, bytes, Taken::FrameStart, None)
    };
    let pools = [pool("A", &pools[0])?, pool("B", &pools[1])?];

    let meshes: Vec<&Mesh> = shown.iter().map(|c| &c.mesh).collect();
    let (indices, firsts) = indices(frame, "cloth indices", &meshes)?;
    let paint: Vec<u8> = meshes.iter().flat_map(|m| m.second.clone()).collect();
    let paint =
        frame.buffer("cloth vertex buffers 1", BufferUsage::Static, &paint, Taken::FrameStart, None)?;

    let (mut hung, mut painted) = (Vec::new(), 0);
    for (n, (cloth, states)) in shown.iter().zip(states).enumerate() {
        let mesh = &cloth.mesh;
        let pair = if cloth.shape.pooled {
            pools.map(|pool| (pool, offsets[n]))
        } else {
            let mut ids = Vec::new();
            for (bytes, (letter, stream)) in members(&states).into_iter().zip([("A", 0), ("B", 2)]) {
                let name = format!("{} mesh {} positions {letter}", mesh.model, mesh.number);
                let origin = Some((mesh.model, mesh.number, stream));
                ids.push((frame.buffer(name, BufferUsage::Default, &bytes, Taken::FrameStart, origin)?, 0));
            }
            [ids[0], ids[1]]
        };
        let [copied, other] = if copied_is_first { pair } else { [pair[1], pair[0]] };
        if n + 1 < scene.cloths.len() {
            ring.copy_to(copied.0, copied.1, states.copied);
        }
        let drawn = Drawn {
            mesh: (mesh.model, mesh.number),
            positions: vec![copied, other],
            second: (paint, painted, PAINT_STRIDE),
            indices,
            first: firsts[n],
            count: mesh.surface.triangles.len() as u32 * 3,
        };
        painted += mesh.second.len() as u64;
        hung.push(Hung { cloth, drawn, constants: n as u64 });
    }
    Ok(hung)
}

/// One index buffer for several meshes, and where each one's begin.
fn indices(
    frame: &mut FrameBuilder<'_>,
    name: &str,
    meshes: &[&Mesh],
) -> Result<(BufferId, Vec<u32>), SynthError> {
    let (mut numbers, mut firsts) = (Vec::new(), Vec::new());
    for mesh in meshes {
        firsts.push(numbers.len() as u32);
        numbers.extend(mesh.surface.triangles.iter().flatten().copied());
    }
    Ok((index_buffer(frame, name, &numbers)?, firsts))
}

fn index_buffer(frame: &mut FrameBuilder<'_>, name: &str, numbers: &[u32]) -> Result<BufferId, SynthError> {
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    frame.buffer(name, BufferUsage::Static, &bytes, Taken::FrameStart, None)
}

/// Adds the soldier: the file's three buffers of each mesh, and two palettes that copies fill.
fn soldier_of(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
    ring: &mut Ring,
) -> Result<Soldier, SynthError> {
    let meshes: Vec<&Mesh> = scene.soldier.iter().collect();
    let (indices, firsts) = indices(frame, "c3000 indices", &meshes)?;
    let mut drawn = Vec::new();
    for (mesh, first) in meshes.iter().zip(firsts) {
        let [zero, one, two] = file_streams(frame, mesh, true)?;
        drawn.push(Drawn {
            mesh: (mesh.model, mesh.number),
            positions: vec![(zero, 0), (two, 0)],
            second: (one, 0, SKIN_STRIDE),
            indices,
            first,
            count: mesh.surface.triangles.len() as u32 * 3,
        });
    }
    let at = |back| soldier::palette_at(&scene.joints, moment, back);
    let mut joint_buffer =
        |name: &str, back: f64| frame.buffer(name, BufferUsage::Default, &at(back), Taken::FrameStart, None);
    let palettes = [joint_buffer("c3000 joints", 1.0)?, joint_buffer("c3000 joints before", 2.0)?];
    ring.copy_to(palettes[0], 0, at(0.0));
    ring.copy_to(palettes[1], 0, at(1.0));
    Ok(Soldier { drawn, palettes, bytes: at(0.0) })
}

/// Adds a mesh's vertex buffers as its file holds them; the third is a copy of the first, or it is the first.
fn file_streams(frame: &mut FrameBuilder<'_>, mesh: &Mesh, three: bool) -> Result<[BufferId; 3], SynthError> {
    let stored = mesh.stored();
    let mut add = |stream: u32, bytes: &[u8]| {
        let name = format!("{} mesh {} vertex buffer {stream}", mesh.model, mesh.number);
        let origin = Some((mesh.model, mesh.number, stream));
        frame.buffer(name, BufferUsage::Static, bytes, Taken::FrameStart, origin)
    };
    let (zero, one) = (add(0, &stored)?, add(1, &mesh.second)?);
    Ok([zero, one, if three { add(2, &stored)? } else { zero }])
}

fn force_table(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
    ring: &mut Ring,
) -> Result<Option<BufferId>, SynthError> {
    let Some(wind) = &moment.wind else { return Ok(None) };
    frame.file.values.insert("speedtree_time".to_owned(), wind.speedtree_time);
    let before = forces::table_before(scene.seed, moment, wind);
    let table = frame.buffer("g_forceParam", BufferUsage::Default, &before, Taken::FrameStart, None)?;
    ring.copy_to(table, 0, forces::table(scene.seed, moment, wind));
    Ok(Some(table))
}

/// The placed grass: all of it where the far grass is in sight, else one model.
fn placed(frame: &mut FrameBuilder<'_>, scene: &Scene, moment: &Moment) -> Result<Vec<Drawn>, SynthError> {
    let count = match (moment.far_grass, moment.wind.is_some()) {
        (true, _) => grass::PLACED.len(),
        (false, true) => 1,
        (false, false) => 0,
    };
    if count == 0 {
        return Ok(vec![]);
    }
    let mesh = &scene.placed;
    let [first, second, _] = file_streams(frame, mesh, false)?;
    let indices = index_buffer(frame, "AEG210_022 indices", &grass::placed_indices(mesh))?;
    let drawn = |(count, _): &(u32, _)| Drawn {
        mesh: (mesh.model, mesh.number),
        positions: vec![(first, 0)],
        second: (second, 0, PAINT_STRIDE),
        indices,
        first: 0,
        count: *count,
    };
    Ok(grass::PLACED[..count].iter().map(drawn).collect())
}

/// The far grass, batch by batch, and the table its instances are looked up in.
fn far_grass(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    ring: &mut Ring,
) -> Result<(Vec<FarDraw>, Option<BufferId>), SynthError> {
    let meshes: Vec<&Mesh> = scene.far.iter().collect();
    let (indices, firsts) = indices(frame, "AEG210_000_L indices", &meshes)?;
    let mut both = Vec::new();
    for (mesh, first) in meshes.iter().zip(firsts) {
        let [zero, one, _] = file_streams(frame, mesh, false)?;
        both.push(Drawn {
            mesh: (mesh.model, mesh.number),
            positions: vec![(zero, 0)],
            second: (one, 0, PAINT_STRIDE),
            indices,
            first,
            count: mesh.surface.triangles.len() as u32 * 3,
        });
    }
    let far = |batch: &Batch| FarDraw {
        drawn: both[usize::from(!batch.larger)].clone(),
        instances: batch.clumps.len() as u32,
        records: ring.place(grass::records(batch), Instance::RANGE as u64),
    };
    let draws = scene.batches.iter().map(far).collect();
    let identity: Vec<u8> = (0..INSTANCE_ENTRIES).flat_map(u32::to_le_bytes).collect();
    let name = "g_InstanceIndexBuffer";
    let table = frame.buffer(name, BufferUsage::Default, &identity, Taken::FrameStart, None)?;
    Ok((draws, Some(table)))
}
