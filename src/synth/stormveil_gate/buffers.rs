//! The buffers of a frame, and how each mesh is drawn from them.

use super::Scene;
use super::cloth::{Cloth, States};
use super::clumps::Batch;
use super::programs::Kind;
use super::ring::Ring;
use super::scene::{Moment, eye, light};
use super::{forces, grass, soldier};
use crate::abi::BufferId;
use crate::abi::records::{Affine, Instance, ViewProjections, write_all};
use crate::abi::state::{IndexFormat, PassKind, Topology};
use crate::capture::manifest::{BufferUsage, Draw, Taken};
use crate::synth::SynthError;
use crate::synth::builder::{FrameBuilder, bare_draw, index, stream};
use crate::synth::mesh::{Mesh, PAINT_STRIDE, SKIN_STRIDE};

/// Bytes of a vertex of a position stream.
const POSITION_STRIDE: u32 = 20;
/// Bytes from one rigid thing's constants to the next: this frame's matrix at 0, the last one's at 256.
pub(crate) const RIGID_STEP: u64 = 512;
/// Bytes a rigid draw binds.
pub(crate) const RIGID_RANGE: u64 = 256;
/// Entries of the identity table that instances are looked up in.
const INSTANCE_ENTRIES: u32 = 2048;
/// Bytes of that table.
pub(crate) const INSTANCE_TABLE: u64 = INSTANCE_ENTRIES as u64 * 4;

/// Vertex streams and indices of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
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
    /// A draw of it that binds no constants yet.
    pub(crate) fn draw(&self, pass: PassKind, kind: Kind) -> Draw {
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
pub(crate) struct Hung<'a> {
    pub(crate) cloth: &'a Cloth,
    pub(crate) drawn: Drawn,
    pub(crate) constants: u64,
}

/// A placed grass model with the number of its constants.
pub(crate) struct Placed {
    pub(crate) drawn: Drawn,
    pub(crate) constants: u64,
}

/// The soldier's meshes and palettes.
pub(crate) struct Soldier {
    pub(crate) drawn: Vec<Drawn>,
    /// This frame's and the last one's.
    pub(crate) palettes: [BufferId; 2],
    /// This frame's contents.
    pub(crate) bytes: Vec<u8>,
}

/// A batch's mesh, instances and place in the ring.
pub(crate) struct FarDraw {
    pub(crate) drawn: Drawn,
    pub(crate) instances: u32,
    pub(crate) records: u64,
}

/// The buffers of a frame.
pub(crate) struct Buffers<'a> {
    /// The upload ring and what is to go through it.
    pub(crate) ring: (BufferId, Ring),
    /// Offsets in the ring: the light's view-projections, the eye's, the rigid things' matrices.
    pub(crate) light: u64,
    pub(crate) eye: u64,
    pub(crate) rigid: u64,
    pub(crate) cloths: Vec<Hung<'a>>,
    pub(crate) soldier: Option<Soldier>,
    pub(crate) forces: Option<BufferId>,
    pub(crate) placed: Vec<Placed>,
    pub(crate) far: Vec<FarDraw>,
    /// g_InstanceIndexBuffer.
    pub(crate) instance_indices: Option<BufferId>,
}

/// Adds every buffer of a frame.
pub(crate) fn add<'a>(
    frame: &mut FrameBuilder<'_>,
    scene: &'a Scene,
    moment: &Moment,
) -> Result<Buffers<'a>, SynthError> {
    let mut ring = Ring::default();
    let light = ring.place(light(scene.seed, moment), ViewProjections::SIZE as u64);
    let eye = ring.place(eye(scene.seed, moment), ViewProjections::SIZE as u64);
    let rigid = ring.place(rigid_constants(scene, moment), 0);
    let cloths = cloths(frame, scene, moment, &mut ring)?;
    let soldier = moment.soldier.then(|| soldier_of(frame, scene, moment, &mut ring)).transpose()?;
    let forces = force_table(frame, scene, moment, &mut ring)?;
    let placed = placed(frame, scene, moment)?;
    let (far, instance_indices) = match moment.far_grass {
        true => far_grass(frame, scene, &mut ring)?,
        false => (vec![], None),
    };
    let ring = (ring.add(frame)?, ring);
    Ok(Buffers { ring, light, eye, rigid, cloths, soldier, forces, placed, far, instance_indices })
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
fn placed(frame: &mut FrameBuilder<'_>, scene: &Scene, moment: &Moment) -> Result<Vec<Placed>, SynthError> {
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
    let one = |(n, (count, _)): (usize, &(u32, _))| Placed {
        drawn: Drawn {
            mesh: (mesh.model, mesh.number),
            positions: vec![(first, 0)],
            second: (second, 0, PAINT_STRIDE),
            indices,
            first: 0,
            count: *count,
        },
        constants: (scene.cloths.len() + n) as u64,
    };
    Ok(grass::PLACED[..count].iter().enumerate().map(one).collect())
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
