//! Which bytes of what it binds a draw can reach, and whether they are known.
//!
//! A bound range may hold bytes that nobody recorded and that the draw never reads: the tail of a palette, the records
//! past the last instance. Only bytes that a stand-in can reach decide whether a draw is replayed. The whole bound
//! range counts where everything in it is known, so the exact reach is worked out only where something is not.

use std::collections::BTreeSet;

use super::binding::{INSTANCE_DATA, INSTANCE_INDEX_BUFFER, MATRIX_WVP, OBJ_MATRIX, PREV_OBJ_MATRIX};
use super::vertices::VertexOrder;
use super::{Binding, BoundInput, BoundRange, BoundStream, Draw, PieceSource, Unknown};
use crate::abi::records::{Affine, ViewProjections};

/// What stands against replaying a draw, or that some of what it reads is late.
#[derive(Default)]
pub(super) struct Reach {
    /// The first unknown range, worded.
    pub(super) unknown: Option<String>,
    /// Whether something reached rests on late contents.
    pub(super) late: bool,
}

impl Reach {
    /// Looks at `from..to` of a range. Bytes past the range read as zero and are known.
    fn look(&mut self, what: impl Fn() -> String, range: &BoundRange, from: u64, to: u64) {
        for (_, piece) in range.overlapping(from, to) {
            match &piece.source {
                PieceSource::Known { late, .. } => self.late |= late,
                PieceSource::Unknown(why) if self.unknown.is_none() => {
                    let (start, end) = (range.offset + from, range.offset + to);
                    self.unknown = Some(format!(
                        "{} (buffer {} bytes {start}..{end}: {})",
                        what(),
                        range.buffer,
                        word(*why)
                    ));
                }
                PieceSource::Unknown(_) => {}
            }
        }
    }
}

/// Why bytes are unknown, for a reader.
pub fn word(why: Unknown) -> String {
    match why {
        Unknown::NeverWritten => "never written, no contents recorded".into(),
        Unknown::Opaque(event, _) => format!("written by work that is not replayed, event {event}"),
        Unknown::GpuWritten => "also written by work that is not recorded".into(),
    }
}

/// Whether everything in a range is known and not late.
fn plain(range: &BoundRange) -> bool {
    range.pieces.iter().all(|p| matches!(p.source, PieceSource::Known { late: false, .. }))
}

/// Everything `binding` can reach of what `draw` binds.
pub(super) fn reach(draw: &Draw, binding: &Binding) -> Reach {
    let mut reach = Reach::default();
    if let Some(indices) = &draw.indices {
        let size = indices.format.size();
        let (from, to) =
            (u64::from(draw.first) * size, (u64::from(draw.first) + u64::from(draw.count)) * size);
        reach.look(|| "its indices".into(), &indices.range, from, to);
    }
    let order = VertexOrder::of(draw);
    for input in &binding.inputs {
        if let Some(stream) = draw.streams.get(&input.slot)
            && !plain(&stream.range)
        {
            look_at_input(&mut reach, draw, input, stream, &order);
        }
    }
    for (need, range) in
        binding.buffers.iter().filter_map(|b| Some((&b.need, draw.buffers.get(&b.register?)?)))
    {
        if plain(range) {
            continue;
        }
        for (from, to) in reached_of_buffer(&need.name, draw, binding, &order) {
            let to = to.min(range.size).min(need.declared_size);
            if from < to {
                reach.look(|| need.name.clone(), range, from, to);
            }
        }
    }
    reach
}

fn look_at_input(
    reach: &mut Reach,
    draw: &Draw,
    input: &BoundInput,
    stream: &BoundStream,
    order: &VertexOrder,
) {
    let elements: BTreeSet<u64> = match input.step_rate {
        Some(rate) => instances(draw)
            .map(|i| u64::from(draw.first_instance) + u64::from(i.checked_div(rate).unwrap_or(0)))
            .collect(),
        None => order.vertices().filter_map(|v| u64::try_from(v).ok()).collect(),
    };
    let size = input.format.size() as u64;
    for element in elements {
        let from = element.saturating_mul(stream.stride.into()).saturating_add(input.offset.into());
        reach.look(|| input.need.semantic.to_string(), &stream.range, from, from.saturating_add(size));
    }
}

fn instances(draw: &Draw) -> impl Iterator<Item = u32> + use<> {
    0..draw.instance_count
}

/// The ranges of a named buffer that a stand-in can read.
fn reached_of_buffer(name: &str, draw: &Draw, binding: &Binding, order: &VertexOrder) -> Vec<(u64, u64)> {
    match name {
        MATRIX_WVP => {
            let half = ViewProjections::SIZE as u64 / 2;
            let both = binding.interface.outputs.iter().any(|o| o.semantic.name == "PREVIOUS_CLIP");
            let first = (0, half);
            let second = (half, 2 * half);
            if both { vec![first, second] } else { vec![if binding.swap_views { second } else { first }] }
        }
        INSTANCE_INDEX_BUFFER => {
            let offset = u64::from(binding.instances.index_offset);
            vec![(4 * offset, 4 * (offset + u64::from(draw.instance_count)))]
        }
        INSTANCE_DATA => {
            let size = u64::from(binding.instances.record_size);
            records(draw, binding).into_iter().map(|r| (r * size, (r + 1) * size)).collect()
        }
        OBJ_MATRIX | PREV_OBJ_MATRIX => {
            let size = Affine::SIZE as u64;
            let entries = palette_entries(draw, binding, order);
            entries.into_iter().map(|e| (e * size, (e + 1) * size)).collect()
        }
        _ => vec![(0, u64::MAX)],
    }
}

/// The range a buffer of that name is bound to.
fn range_of<'d>(draw: &'d Draw, binding: &Binding, name: &str) -> Option<&'d BoundRange> {
    let register = binding.buffers.iter().find(|b| b.need.name == name)?.register?;
    draw.buffers.get(&register)
}

fn u32_at(bytes: &[u8], at: u64) -> u32 {
    let found = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.first_chunk::<4>());
    found.map_or(0, |le| u32::from_le_bytes(*le))
}

/// Numbers of the records that the draw's instances read.
fn records(draw: &Draw, binding: &Binding) -> BTreeSet<u64> {
    match range_of(draw, binding, INSTANCE_INDEX_BUFFER) {
        Some(range) => {
            let bytes = range.gather();
            let offset = u64::from(binding.instances.index_offset);
            instances(draw).map(|i| u32_at(&bytes, 4 * (u64::from(i) + offset)).into()).collect()
        }
        None => instances(draw).map(u64::from).collect(),
    }
}

/// Numbers of the palette entries that the draw's vertices name: those with weight zero too, since 0 times an unknown
/// number is not known to be 0.
fn palette_entries(draw: &Draw, binding: &Binding, order: &VertexOrder) -> BTreeSet<u64> {
    let firsts: BTreeSet<u64> =
        match (binding.instances.palette_first_offset, range_of(draw, binding, INSTANCE_DATA)) {
            (Some(field), Some(range)) => {
                let bytes = range.gather();
                let size = u64::from(binding.instances.record_size);
                let read = |r: u64| u32_at(&bytes, r.saturating_mul(size).saturating_add(field.into()));
                records(draw, binding).into_iter().map(|r| read(r).into()).collect()
            }
            _ => BTreeSet::from([0]),
        };
    let indices = binding.inputs.iter().find(|i| i.need.semantic.name.eq_ignore_ascii_case("BLENDINDICES"));
    let Some(input) = indices else { return firsts };
    let Some(stream) = draw.streams.get(&input.slot) else { return firsts };
    let bytes = stream.range.gather();
    let vertices: BTreeSet<u64> = order.vertices().filter_map(|v| u64::try_from(v).ok()).collect();
    let named: BTreeSet<u64> = vertices
        .into_iter()
        .flat_map(|v| {
            let at = v.saturating_mul(stream.stride.into()).saturating_add(input.offset.into());
            let element =
                usize::try_from(at).ok().and_then(|at| bytes.get(at..at.checked_add(input.format.size())?));
            let element = element.unwrap_or_default();
            (0..input.format.components()).map(|c| input.format.raw(element, c).into()).collect::<Vec<u64>>()
        })
        .collect();
    firsts.iter().flat_map(|first| named.iter().map(move |n| first + n)).collect()
}
