//! What a draw binds by the names its program declares, and the instance records it reads.
//!
//! In: a frame and one of its draws. Out: ranges and decoded records. It knows no claim.

use bytes::Bytes;

use super::CheckFrame;
use crate::abi::Register;
use crate::abi::records::{Affine, Instance, read_at};
use crate::capture::manifest::ProgramEntry;
use crate::plan::binding::{INSTANCE_DATA, INSTANCE_INDEX_BUFFER, record_of};
use crate::plan::{BoundRange, Draw, PieceSource, WriteKind, Writer};

/// Where an instance's `forceNum` and `forceIndex` are assumed where reflection does not say (captures/README.md, "The draw model").
const FORCE_OFFSETS: (u64, u64) = (52, 56);

/// A draw in words: `frame 0003 event 41 (gbuffer, GRASS_LOD1_L/0)`.
pub(super) fn place(frame: &CheckFrame<'_>, draw: &Draw) -> String {
    let mesh = draw.mesh.as_ref().map_or(String::new(), |mesh| format!(", {mesh}"));
    format!("frame {} event {} ({}{mesh})", frame.plan.frame, draw.event, frame.plan.pass_of(draw).id)
}

/// The register of the buffer of that name: as the captured program declares it, else as `capture.toml` names it.
fn register(frame: &CheckFrame<'_>, draw: &Draw, name: &str) -> Option<Register> {
    let declared = frame.frame.program(draw.program).and_then(|program| {
        let constants = program.constants.iter().filter(|c| c.name == name);
        let resources = program.resources.iter().filter(|r| r.name == name);
        let constants = constants.map(|c| Register::constant(c.register, c.space));
        constants.chain(resources.map(|r| Register::resource(r.register, r.space))).next()
    });
    let named = || draw.replay.as_ref().ok()?.buffers.iter().find(|b| b.need.name == name)?.register;
    declared.or_else(named)
}

/// The range a draw binds to the buffer of that name.
pub(super) fn range<'a>(frame: &CheckFrame<'_>, draw: &'a Draw, name: &str) -> Option<&'a BoundRange> {
    draw.buffers.get(&register(frame, draw, name)?)
}

/// Whether every byte of `[from, to)` of a range is known; what lies past the range reads as zero and is not.
pub(super) fn is_known(range: &BoundRange, from: u64, to: u64) -> bool {
    to <= range.covered()
        && range.overlapping(from, to).all(|(_, piece)| matches!(piece.source, PieceSource::Known { .. }))
}

/// Whether commands of the frame of these kinds wrote every byte of `[from, to)` of a range last.
pub(super) fn is_written(range: &BoundRange, from: u64, to: u64, kinds: &[WriteKind]) -> bool {
    to <= range.covered()
        && range.overlapping(from, to).all(|(_, piece)| match &piece.source {
            PieceSource::Known { writer: Writer::Command { kind, .. }, .. } => kinds.contains(kind),
            PieceSource::Known { .. } | PieceSource::Unknown(_) => false,
        })
}

/// An instance of a draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InstanceRecord {
    /// Number of the record in the bound range.
    pub(super) number: u64,
    /// World matrix.
    pub(super) world: Affine,
    /// `forceNum` and `forceIndex`.
    pub(super) force: (u32, u32),
}

/// The records of `cbInstanceData` that a draw binds.
pub(super) struct InstanceTable<'a> {
    pub(super) range: &'a BoundRange,
    /// Bytes of a record.
    pub(super) size: u64,
    bytes: Bytes,
    world: u64,
    force: (u64, u64),
    indices: Option<Bytes>,
    index_offset: u64,
    instances: u32,
}

impl<'a> InstanceTable<'a> {
    /// The table of a draw; `None` where it binds none.
    pub(super) fn of(frame: &CheckFrame<'_>, draw: &'a Draw) -> Option<Self> {
        let range = range(frame, draw, INSTANCE_DATA)?;
        let declared = frame.frame.program(draw.program).and_then(declared_record);
        let (offsets, size) = declared.unwrap_or_default();
        let addressing = draw.replay.as_ref().ok().map(|binding| binding.instances);
        let size = addressing.map(|a| a.record_size.into()).or(size).unwrap_or(Instance::SIZE as u64);
        let indices = self::range(frame, draw, INSTANCE_INDEX_BUFFER).map(BoundRange::gather);
        Some(Self {
            range,
            size,
            bytes: range.gather(),
            world: offsets.world.unwrap_or(0),
            force: (
                offsets.force_num.unwrap_or(FORCE_OFFSETS.0),
                offsets.force_index.unwrap_or(FORCE_OFFSETS.1),
            ),
            indices,
            index_offset: addressing.map_or(0, |a| a.index_offset.into()),
            instances: draw.instance_count,
        })
    }

    /// Whole records that the bound range holds.
    pub(super) fn capacity(&self) -> u64 {
        self.range.size.checked_div(self.size).unwrap_or(0)
    }

    /// The number of the record an instance reads.
    fn number(&self, instance: u32) -> u64 {
        let at = u64::from(instance) + self.index_offset;
        match &self.indices {
            Some(words) => u64::from(word(words, at.saturating_mul(4))),
            None => u64::from(instance),
        }
    }

    /// The instances in order; those whose record is not in the range or not known are left out.
    pub(super) fn records(&self) -> impl Iterator<Item = InstanceRecord> + '_ {
        (0..self.instances).filter_map(|instance| {
            let number = self.number(instance);
            let start = number.checked_mul(self.size)?;
            let end = start.checked_add(self.size)?;
            is_known(self.range, start, end).then_some(())?;
            let world = read_at(&self.bytes, usize::try_from(start + self.world).ok()?)?;
            let force = (word(&self.bytes, start + self.force.0), word(&self.bytes, start + self.force.1));
            Some(InstanceRecord { number, world, force })
        })
    }

    /// Whether commands of these kinds wrote, in the frame, every record that the draw reads.
    pub(super) fn is_written(&self, kinds: &[WriteKind]) -> bool {
        (0..self.instances).all(|instance| {
            let start = self.number(instance).saturating_mul(self.size);
            is_written(self.range, start, start.saturating_add(self.size), kinds)
        })
    }
}

/// The little-endian word at a byte offset; zero past the end, as buffers read.
pub(super) fn word(bytes: &[u8], at: u64) -> u32 {
    let word = usize::try_from(at).ok().and_then(|at| bytes.get(at..at.checked_add(4)?));
    word.and_then(|w| w.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// Where a record's fields are, as far as the program declares them.
#[derive(Clone, Copy, Debug, Default)]
struct Offsets {
    world: Option<u64>,
    force_num: Option<u64>,
    force_index: Option<u64>,
}

fn declared_record(program: &ProgramEntry) -> Option<(Offsets, Option<u64>)> {
    let constant =
        program.constants.iter().find(|c| c.name == INSTANCE_DATA).map(|c| (c.fields.as_slice(), None));
    let resource =
        program.resources.iter().find(|r| r.name == INSTANCE_DATA).map(|r| (r.fields.as_slice(), r.stride));
    let (fields, stride) = constant.or(resource)?;
    let (fields, size) = record_of(fields, stride)?;
    let offset = |names: &[&str]| fields.iter().find(|f| names.contains(&f.name.as_str())).map(|f| f.offset);
    let offsets = Offsets {
        world: offset(&["world", "mWorld"]),
        force_num: offset(&["forceNum"]),
        force_index: offset(&["forceIndex"]),
    };
    Some((offsets, Some(size)))
}
