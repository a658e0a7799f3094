//! The indices of a draw, such that Vulkan runs through the vertices that Direct3D does.

use ash::vk;

use super::super::ExecuteError;
use super::buffer::Buffer;
use super::contents::Contents;
use super::gpu::Gpu;
use super::submit::Batch;
use crate::abi::state::{IndexFormat, Topology};
use crate::plan::{Draw, VertexOrder};

/// Where a draw's indices lie.
pub(super) struct Indices {
    pub(super) buffer: vk::Buffer,
    pub(super) offset: u64,
    pub(super) kind: vk::IndexType,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Indices {
    /// The indices of a draw; `None` for one that needs none. Where Vulkan would not do what Direct3D does (past the
    /// buffer's end, at an odd offset, with the vertices of unfinished triangles), they are written out so that it does.
    pub(super) fn of<'gpu>(
        gpu: &'gpu Gpu,
        draw: &Draw,
        order: &VertexOrder,
        contents: &mut Contents<'gpu>,
        batch: &mut Batch<'gpu>,
    ) -> Result<Option<Self>, ExecuteError> {
        let finished = finished(order.iter(), draw.topology == Topology::TriangleStrip);
        if let Some(bound) = &draw.indices
            && finished.is_none()
            && bound.range.offset.is_multiple_of(bound.format.size())
            && order.past_the_end() == 0
            && let Some(backing) = contents.used(bound.range.buffer)
        {
            let kind = match bound.format {
                IndexFormat::U16 => vk::IndexType::UINT16,
                IndexFormat::U32 => vk::IndexType::UINT32,
            };
            let (buffer, offset) = (backing.buffer.raw, bound.range.offset);
            return Ok(Some(Self { buffer, offset, kind, first: draw.first, count: draw.count }));
        }
        if draw.indices.is_none() && finished.is_none() {
            return Ok(None);
        }
        let numbers = finished.unwrap_or_else(|| order.iter().collect());
        let base = i64::from(draw.base_vertex);
        let written = numbers.iter().map(|vertex| match vertex {
            Some(vertex) => (vertex - base) as u32,
            None => IndexFormat::U32.restart(),
        });
        let bytes: Vec<u8> = written.flat_map(u32::to_le_bytes).collect();
        let held = Buffer::holding(gpu, &format!("indices of event {}", draw.event), &bytes)?;
        let (buffer, count) = (held.raw, numbers.len() as u32);
        batch.kept.push(held);
        Ok(Some(Self { buffer, offset: 0, kind: vk::IndexType::UINT32, first: 0, count }))
    }
}

/// The vertices of a draw with its unfinished triangles finished by their last vertex again; `None` where there is none.
/// Such a triangle covers nothing, but without it Vulkan need not shade the vertices it has, and they would have no
/// record.
fn finished(numbers: impl Iterator<Item = Option<i64>>, strip: bool) -> Option<Vec<Option<i64>>> {
    let missing = |run: usize| match (strip, run) {
        (_, 0) => 0,
        (true, run) => 3usize.saturating_sub(run),
        (false, run) => (3 - run % 3) % 3,
    };
    let (mut out, mut run, mut added) = (Vec::new(), 0, 0);
    for number in numbers.chain([None]) {
        if number.is_some() {
            run += 1;
        } else {
            let last = out.last().copied().flatten();
            out.extend(std::iter::repeat_n(last, missing(run)));
            added += missing(run);
            run = 0;
        }
        out.push(number);
    }
    out.pop();
    (added > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_triangles_are_finished_with_their_last_vertex() {
        const RESTART: i64 = -1;
        let of = |strip: bool, numbers: &[i64]| {
            let numbers = numbers.iter().map(|n| (*n != RESTART).then_some(*n));
            let out = finished(numbers, strip)?;
            Some(out.into_iter().map(|n| n.unwrap_or(RESTART)).collect::<Vec<_>>())
        };
        assert_eq!(of(false, &[0, 1, 2, 3, 4, 5]), None);
        assert_eq!(of(false, &[0, 1, 2, 3]), Some(vec![0, 1, 2, 3, 3, 3]));
        assert_eq!(of(false, &[7, 8]), Some(vec![7, 8, 8]));
        assert_eq!(of(true, &[0, 1, 2, 3]), None);
        assert_eq!(of(true, &[RESTART, 0, 1, 2, RESTART, RESTART]), None);
        let expected = vec![4, 4, 4, RESTART, RESTART, 0, 1, 2, 3, RESTART, 5, 6, 6];
        assert_eq!(of(true, &[4, RESTART, RESTART, 0, 1, 2, 3, RESTART, 5, 6]), Some(expected));
    }
}
