//! Which entries of a palette a draw uses: those that a nonzero weight of one of its vertices names.

use std::collections::BTreeSet;

use crate::abi::{DxgiFormat, Format, InputSlot, NumberKind, Semantic};
use crate::capture::manifest::ProgramEntry;
use crate::plan::{Draw, VertexOrder};

/// Where a vertex input lies.
struct Input {
    slot: InputSlot,
    offset: u64,
    format: Format,
}

fn input(draw: &Draw, program: Option<&ProgramEntry>, name: &str) -> Option<Input> {
    let semantic = Semantic::new(name, 0);
    if let Ok(binding) = &draw.replay {
        let bound = binding.inputs.iter().find(|i| i.need.semantic == semantic)?;
        return Some(Input { slot: bound.slot, offset: bound.offset.into(), format: bound.format });
    }
    let element = program?.inputs.iter().find(|e| Semantic::new(e.semantic.as_str(), e.index) == semantic)?;
    match element.format {
        DxgiFormat::Executable(format) if !element.per_instance => {
            Some(Input { slot: element.slot, offset: element.offset.into(), format })
        }
        _ => None,
    }
}

/// Entries used, before what an instance adds; the first alone for a draw without bone indices. `None` where the
/// indices cannot be read.
pub(super) fn used(draw: &Draw, program: Option<&ProgramEntry>) -> Option<BTreeSet<u64>> {
    let Some(indices) = input(draw, program, "BLENDINDICES") else {
        return Some(BTreeSet::from([0]));
    };
    let weights = input(draw, program, "BLENDWEIGHT")?;
    let stream =
        |input: &Input| draw.streams.get(&input.slot).map(|s| (s.range.gather(), u64::from(s.stride)));
    let ((index_bytes, index_stride), (weight_bytes, weight_stride)) = (stream(&indices)?, stream(&weights)?);
    let at = |bytes: &[u8], stride: u64, input: &Input, vertex: u64| {
        let from = usize::try_from(vertex.checked_mul(stride)?.checked_add(input.offset)?).ok()?;
        bytes.get(from..from.checked_add(input.format.size())?).map(<[u8]>::to_vec)
    };
    let vertices: BTreeSet<u64> =
        VertexOrder::of(draw).vertices().filter_map(|v| u64::try_from(v).ok()).collect();
    let mut used = BTreeSet::new();
    for vertex in vertices {
        // A fetch past the end yields zero: no weight, no entry.
        let (Some(i), Some(w)) = (
            at(&index_bytes, index_stride, &indices, vertex),
            at(&weight_bytes, weight_stride, &weights, vertex),
        ) else {
            continue;
        };
        for k in 0..indices.format.components().min(weights.format.components()) {
            if weights.format.component(&w, k) != 0.0 {
                used.insert(whole(indices.format, &i, k));
            }
        }
    }
    Some(used)
}

/// A bone index: the stored integer, whatever the format calls it.
fn whole(format: Format, bytes: &[u8], component: usize) -> u64 {
    match format.kind() {
        NumberKind::Float32 | NumberKind::Float16 => format.component(bytes, component).max(0.0) as u64,
        _ => format.raw(bytes, component).into(),
    }
}

/// Numbers as ranges: `0-3, 7`.
pub(super) fn spans(numbers: &BTreeSet<u64>) -> String {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let span = |(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    spans.iter().map(span).collect::<Vec<_>>().join(", ")
}
