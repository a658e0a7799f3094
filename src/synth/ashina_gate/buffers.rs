//! The buffers of a frame, and how each mesh is drawn from them.

use super::costume::{APART, state};
use super::objects::{CLOTHS, blown, box_triangles, world};
use super::player::{BODY, FACE};
use super::scene::{Moment, Scene};
use crate::abi::BufferId;
use crate::abi::records::{Affine, ViewProjections, write_all};
use crate::abi::state::{IndexFormat, Topology};
use crate::capture::manifest::{BufferUsage, IndexBinding, Taken};
use crate::synth::SynthError;
use crate::synth::builder::{FrameBuilder, index};
use crate::synth::mesh::Mesh;

/// Bytes from one rigid thing's constants to the next: this frame's matrix at 0, the last one's at 256.
pub(crate) const RIGID_STEP: u64 = 512;
/// Bytes a rigid draw binds.
pub(crate) const RIGID_RANGE: u64 = 256;
/// Bytes of a palette.
pub(crate) const PALETTE: u64 = (Affine::PALETTE * Affine::SIZE) as u64;

/// How a mesh's triangles are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Indices {
    pub(crate) binding: IndexBinding,
    pub(crate) topology: Topology,
    pub(crate) count: u32,
    pub(crate) first: u32,
    pub(crate) base_vertex: i32,
}

/// The second vertex buffer: buffer, offset, stride.
pub(crate) type Second = (BufferId, u64, u32);

/// A mesh drawn from a pair of buffers, of which the frame writes one.
pub(crate) struct Pair {
    pub(crate) mesh: (&'static str, u32),
    /// The buffer the frame writes.
    pub(crate) written: BufferId,
    /// The buffer it does not.
    pub(crate) other: BufferId,
    /// What it writes.
    pub(crate) bytes: Vec<u8>,
    pub(crate) second: Second,
    pub(crate) indices: Indices,
}

/// A mesh drawn from one position buffer, or from its file's three.
pub(crate) struct Single {
    pub(crate) mesh: (&'static str, u32),
    pub(crate) first: BufferId,
    pub(crate) second: Second,
    pub(crate) third: Option<BufferId>,
    pub(crate) indices: Option<Indices>,
    /// What the frame writes into `first`.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// The buffers of a frame.
pub(crate) struct Buffers {
    /// Of the face and the body.
    pub(crate) player: Vec<Pair>,
    /// Of the costume.
    pub(crate) costume: Vec<Pair>,
    pub(crate) cloths: Vec<Single>,
    pub(crate) floor: Single,
    /// One mesh in three draws.
    pub(crate) gate: Vec<Single>,
    pub(crate) sculptor: Vec<Single>,
    /// cbMatrixWVP, both of it.
    pub(crate) views: BufferId,
    pub(crate) player_palettes: BufferId,
    pub(crate) costume_palettes: BufferId,
    pub(crate) sculptor_palettes: Option<BufferId>,
    pub(crate) rigid: BufferId,
    /// What work that is not replayed writes.
    pub(crate) light_list: BufferId,
}

/// Adds every buffer of a frame.
pub(crate) fn add(
    frame: &mut FrameBuilder<'_>,
    scene: &Scene,
    moment: &Moment,
) -> Result<Buffers, SynthError> {
    let before = Moment { clock: moment.clock - 1, ..*moment };
    let dynamic = |frame: &mut FrameBuilder<'_>, name: &str, bytes: &[u8]| {
        frame.buffer(name, BufferUsage::Dynamic, bytes, Taken::FrameStart, None)
    };
    let player = player(frame, scene, moment)?;
    let costume = costume(frame, scene, moment)?;
    let cloths = cloths(frame, scene, moment)?;
    let floor = still(frame, &scene.floor, false)?;
    let gate = gate(frame, &scene.gate)?;
    let views = frame.unknown_buffer("cbMatrixWVP", BufferUsage::Dynamic, ViewProjections::SIZE);
    let player_palettes = dynamic(frame, "player palettes", &scene.player_palettes(&before))?;
    let costume_palettes = dynamic(frame, "costume palettes", &scene.costume_palettes(&before))?;
    let rigid = rigid_constants(f64::from(before.clock));
    let rigid = frame.buffer("object constants", BufferUsage::Default, &rigid, Taken::FrameStart, None)?;
    let light_list = frame.unknown_buffer("light list", BufferUsage::Default, 4096);
    let (mut sculptor, mut sculptor_palettes) = (vec![], None);
    if moment.sculptor {
        let bytes = scene.sculptor_palettes(&before);
        sculptor_palettes = Some(dynamic(frame, "c1010 palettes", &bytes)?);
        for mesh in &scene.sculptor {
            sculptor.push(still(frame, mesh, true)?);
        }
    }
    Ok(Buffers {
        player,
        costume,
        cloths,
        floor,
        gate,
        sculptor,
        views,
        player_palettes,
        costume_palettes,
        sculptor_palettes,
        rigid,
        light_list,
    })
}

fn player(frame: &mut FrameBuilder<'_>, scene: &Scene, moment: &Moment) -> Result<Vec<Pair>, SynthError> {
    // The face's indices are 16 bit and told apart by first_index, the first nine body meshes' by byte offset, the
    // others' are 32 bit.
    let (face, body) = scene.player.split_at(4);
    let meshes = |part: &[super::player::Deformed]| part.iter().map(|d| d.mesh.clone()).collect::<Vec<_>>();
    let mut indices = shared_indices(frame, FACE, &meshes(face), IndexFormat::U16, false)?;
    indices.extend(shared_indices(frame, BODY, &meshes(&body[..9]), IndexFormat::U16, true)?);
    indices.extend(shared_indices(frame, BODY, &meshes(&body[9..]), IndexFormat::U32, false)?);
    let mut rng = scene.rng(moment, "deformation");
    let mut pairs = Vec::new();
    for (deformed, indices) in scene.player.iter().zip(indices) {
        let states = deformed.deformation.states(moment.expression, &mut rng);
        let mesh = &deformed.mesh;
        let other = if moment.late { states.next } else { states.other };
        let streams = [states.start, other, states.written].map(|points| mesh.moved(points));
        pairs.push(pair(frame, mesh, moment, streams, indices, None)?);
    }
    Ok(pairs)
}

fn costume(frame: &mut FrameBuilder<'_>, scene: &Scene, moment: &Moment) -> Result<Vec<Pair>, SynthError> {
    let model = super::costume::COSTUME;
    let indices = shared_indices(frame, model, &scene.costume, IndexFormat::U16, true)?;
    let seconds: Vec<u8> = scene.costume.iter().flat_map(|m| m.second.clone()).collect();
    let name = format!("{model} vertex buffer 1");
    let seconds = frame.buffer(name, BufferUsage::Static, &seconds, Taken::FrameStart, None)?;
    let mut pairs = Vec::new();
    for (n, (mesh, indices)) in scene.costume.iter().zip(indices).enumerate() {
        let rng = scene.rng(moment, &format!("costume {n}"));
        // Start and written are states of one member, two frames apart; the partner is in the other frame of reference.
        let first_written = writes_first(moment);
        let streams =
            [(2.0, first_written), (1.0, !first_written), (0.0, first_written)].map(|(back, first)| {
                let back = if moment.late && back == 1.0 { -1.0 } else { back };
                let points = state(mesh, f64::from(moment.clock), back, &mut rng.clone());
                let apart = if first { glam::DVec3::ZERO } else { APART };
                mesh.moved(points.into_iter().map(|p| p + apart).collect())
            });
        let second = (seconds, (n * mesh.second.len()) as u64, mesh.second_stride);
        pairs.push(pair(frame, mesh, moment, streams, indices, Some(second))?);
    }
    Ok(pairs)
}

/// Whether the frame writes the first member of each pair.
pub(crate) fn writes_first(moment: &Moment) -> bool {
    moment.clock.is_multiple_of(2)
}

/// Adds the two members of a pair, holding `start` and `other`. Where no second buffer is given, the pair stands for
/// buffers of a file, and those are added too.
fn pair(
    frame: &mut FrameBuilder<'_>,
    mesh: &Mesh,
    moment: &Moment,
    [start, other, written]: [Vec<u8>; 3],
    indices: Indices,
    second: Option<Second>,
) -> Result<Pair, SynthError> {
    let start = (&start, Taken::FrameStart);
    let other = (&other, if moment.late { Taken::Late } else { Taken::FrameStart });
    let first_written = writes_first(moment);
    let members = if first_written { [start, other] } else { [other, start] };
    let mut ids = Vec::new();
    for ((bytes, taken), (letter, stream)) in members.into_iter().zip([("A", 0), ("B", 2)]) {
        let name = format!("{} mesh {} positions {letter}", mesh.model, mesh.number);
        let origin = second.is_none().then_some((mesh.model, mesh.number, stream));
        ids.push(frame.buffer(name, BufferUsage::Dynamic, bytes, taken, origin)?);
    }
    let (written_id, other_id) = if first_written { (ids[0], ids[1]) } else { (ids[1], ids[0]) };
    let second = match second {
        Some(second) => second,
        None => (file_streams(frame, mesh, true)?.1, 0, mesh.second_stride),
    };
    Ok(Pair {
        mesh: (mesh.model, mesh.number),
        written: written_id,
        other: other_id,
        bytes: written,
        second,
        indices,
    })
}

/// Adds a mesh's vertex buffers as its file holds them; the third is a copy of the first.
fn file_streams(
    frame: &mut FrameBuilder<'_>,
    mesh: &Mesh,
    three: bool,
) -> Result<(BufferId, BufferId, Option<BufferId>), SynthError> {
    let stored = mesh.stored();
    let mut add = |stream: u32, bytes: &[u8]| {
        let name = format!("{} mesh {} vertex buffer {stream}", mesh.model, mesh.number);
        let origin = Some((mesh.model, mesh.number, stream));
        frame.buffer(name, BufferUsage::Static, bytes, Taken::FrameStart, origin)
    };
    let first = add(0, &stored)?;
    let second = add(1, &mesh.second)?;
    let third = three.then(|| add(2, &stored)).transpose()?;
    Ok((first, second, third))
}

/// A mesh that is drawn from its file's buffers; without indices if it is a soup of triangles.
fn still(frame: &mut FrameBuilder<'_>, mesh: &Mesh, three: bool) -> Result<Single, SynthError> {
    let (first, second, third) = file_streams(frame, mesh, three)?;
    let indices = if three {
        let format = if mesh.number == 3 { IndexFormat::U32 } else { IndexFormat::U16 };
        shared_indices(frame, mesh.model, std::slice::from_ref(mesh), format, false)?.pop()
    } else {
        None
    };
    let second = (second, 0, mesh.second_stride);
    Ok(Single { mesh: (mesh.model, mesh.number), first, second, third, indices, bytes: None })
}

fn cloths(frame: &mut FrameBuilder<'_>, scene: &Scene, moment: &Moment) -> Result<Vec<Single>, SynthError> {
    let mut cloths = Vec::new();
    for (n, mesh) in scene.cloths.iter().enumerate() {
        let format = if n == 2 { IndexFormat::U32 } else { IndexFormat::U16 };
        let indices = shared_indices(frame, mesh.model, std::slice::from_ref(mesh), format, false)?;
        let (_, second, _) = file_streams(frame, mesh, false)?;
        let clock = f64::from(moment.clock);
        let [before, now] = [clock - 1.0, clock].map(|frame| mesh.moved(blown(mesh, n, frame)));
        let name = format!("{} mesh 0 positions", mesh.model);
        let origin = Some((mesh.model, 0, 0));
        cloths.push(Single {
            mesh: (mesh.model, 0),
            first: frame.buffer(name, BufferUsage::Dynamic, &before, Taken::FrameStart, origin)?,
            second: (second, 0, mesh.second_stride),
            third: None,
            indices: indices.into_iter().next(),
            bytes: Some(now),
        });
    }
    Ok(cloths)
}

/// The gate's three boxes share the indices of one and are told apart by base_vertex.
fn gate(frame: &mut FrameBuilder<'_>, mesh: &Mesh) -> Result<Vec<Single>, SynthError> {
    let (first, second, third) = file_streams(frame, mesh, false)?;
    let bytes: Vec<u8> = box_triangles().flatten().flat_map(|i| (i as u16).to_le_bytes()).collect();
    let name = format!("{} mesh {} indices", mesh.model, mesh.number);
    let buffer = frame.buffer(name, BufferUsage::Static, &bytes, Taken::FrameStart, None)?;
    let one = |n: i32| Single {
        mesh: (mesh.model, mesh.number),
        first,
        second: (second, 0, mesh.second_stride),
        third,
        indices: Some(Indices {
            binding: index(buffer, IndexFormat::U16, 0),
            topology: Topology::TriangleList,
            count: 36,
            first: 0,
            base_vertex: 24 * n,
        }),
        bytes: None,
    };
    Ok((0..3).map(one).collect())
}

/// One index buffer for several meshes of a model. Surfaces that can be are drawn as strips with restarts. Every fourth
/// mesh's numbers stand above those of its vertices, with a negative base_vertex to make up for it.
fn shared_indices(
    frame: &mut FrameBuilder<'_>,
    model: &str,
    meshes: &[Mesh],
    format: IndexFormat,
    by_offset: bool,
) -> Result<Vec<Indices>, SynthError> {
    let mut bytes = Vec::new();
    let mut drawn = Vec::new();
    for mesh in meshes {
        let restart = format.restart();
        let strip = mesh.surface.strip(restart);
        let topology = if strip.is_some() { Topology::TriangleStrip } else { Topology::TriangleList };
        let numbers = strip.unwrap_or_else(|| mesh.surface.triangles.iter().flatten().copied().collect());
        let above = match format {
            _ if mesh.number % 4 != 3 => 0,
            IndexFormat::U16 => 1_000,
            IndexFormat::U32 => 70_000,
        };
        let start = bytes.len() as u64;
        let count = numbers.len() as u32;
        for number in numbers {
            let stored = if number == restart { restart } else { number + above };
            bytes.extend(stored.to_le_bytes().into_iter().take(format.size() as usize));
        }
        // Byte offsets of the next mesh stay aligned to four.
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let (offset, first) = if by_offset { (start, 0) } else { (0, (start / format.size()) as u32) };
        drawn.push((offset, topology, count, first, -(above as i32)));
    }
    let which = meshes.first().map_or(0, |m| m.number);
    let name = format!("{model} indices from mesh {which}");
    let buffer = frame.buffer(name, BufferUsage::Static, &bytes, Taken::FrameStart, None)?;
    let draw = |(offset, topology, count, first, base_vertex)| Indices {
        binding: index(buffer, format, offset),
        topology,
        count,
        first,
        base_vertex,
    };
    Ok(drawn.into_iter().map(draw).collect())
}

/// The rigid things' matrices at a moment: this frame's and the last one's, with nothing between.
fn rigid_constants(clock: f64) -> Vec<u8> {
    let mut bytes = vec![0; (CLOTHS.len() + 1) * RIGID_STEP as usize];
    for n in 0..=CLOTHS.len() {
        for (k, back) in [0.0, 1.0].into_iter().enumerate() {
            let at = n * RIGID_STEP as usize + k * RIGID_RANGE as usize;
            bytes[at..at + Affine::SIZE].copy_from_slice(&write_all(&[world(n, clock - back)]));
        }
    }
    bytes
}
