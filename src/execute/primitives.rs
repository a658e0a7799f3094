//! Primitive assembly: which vertices a draw names, in which order, and which triangles they make.
//!
//! In: a planned draw. Out: vertex numbers of the vertex buffer, after `base_vertex`. It fetches indices and nothing
//! else; whoever numbers, rasterises or looks for edges starts here, so that all of them mean the same triangles.
//!
//! Direct3D semantics: an index fetched past the index buffer's end is 0; in an indexed strip the greatest index of the
//! format restarts it, whatever `base_vertex` is, and in a list it is an ordinary vertex number.

use std::ops::RangeInclusive;

use bytes::Bytes;

use crate::abi::state::{IndexFormat, Topology};
use crate::plan::Draw;

/// The vertex numbers of a draw in draw order, strip restarts skipped: what a record in `index` order stands for.
/// There can be as many as the draw has indices, whatever its index buffer holds.
pub fn vertices(draw: &Draw) -> impl Iterator<Item = i64> + use<> {
    Sequence::of(draw).flatten()
}

/// Least and greatest vertex number the draw names; `None` where it names none. Numbers below 0 are possible (a
/// negative `base_vertex`); no stream holds them.
pub fn vertex_range(draw: &Draw) -> Option<RangeInclusive<i64>> {
    vertices(draw).map(|v| (v, v)).reduce(|(a, b), (v, _)| (a.min(v), b.max(v))).map(|(a, b)| a..=b)
}

/// The triangles of a draw, in draw order and with the winding their topology gives them: every second one of a strip
/// has its last two vertices exchanged. Those that name a vertex twice cover nothing and are left out, as is an
/// unfinished one at the end. A topology that makes no triangles yields none.
pub fn triangles(draw: &Draw) -> impl Iterator<Item = [i64; 3]> + use<> {
    let strip = draw.topology == Topology::TriangleStrip;
    let mut sequence = (strip || draw.topology == Topology::TriangleList).then(|| Sequence::of(draw));
    let mut held = [0; 2];
    // Vertices since the last restart of a strip, or of the unfinished triangle of a list.
    let mut count = 0usize;
    std::iter::from_fn(move || {
        loop {
            let Some(vertex) = sequence.as_mut()?.next()? else {
                count = 0;
                continue;
            };
            if let Some(place) = held.get_mut(count) {
                *place = vertex;
                count += 1;
                continue;
            }
            let [a, b] = held;
            let triangle = if strip && count % 2 == 1 { [a, vertex, b] } else { [a, b, vertex] };
            if strip {
                held = [b, vertex];
                count += 1;
            } else {
                count = 0;
            }
            if a != b && b != vertex && vertex != a {
                return Some(triangle);
            }
        }
    })
}

/// The vertex numbers of a draw; `None` is a strip's restart.
struct Sequence {
    indices: Option<(Bytes, IndexFormat)>,
    /// Of the next index, or of the next vertex where there are no indices.
    next: u64,
    left: u32,
    base_vertex: i64,
    restarts: bool,
}

impl Sequence {
    fn of(draw: &Draw) -> Self {
        Self {
            indices: draw.indices.as_ref().map(|i| (i.range.gather(), i.format)),
            next: draw.first.into(),
            left: draw.count,
            base_vertex: draw.base_vertex.into(),
            restarts: matches!(
                draw.topology,
                Topology::LineStrip
                    | Topology::LineStripAdj
                    | Topology::TriangleStrip
                    | Topology::TriangleStripAdj
            ),
        }
    }
}

impl Iterator for Sequence {
    type Item = Option<i64>;

    fn next(&mut self) -> Option<Option<i64>> {
        self.left = self.left.checked_sub(1)?;
        let number = self.next;
        self.next += 1;
        let Some((bytes, format)) = &self.indices else { return Some(Some(number as i64)) };
        let index = index(bytes, *format, number);
        let restart = self.restarts && index == format.restart();
        Some((!restart).then(|| i64::from(index) + self.base_vertex))
    }
}

/// The index at place `number`; 0 past the end, as Direct3D has it.
fn index(bytes: &[u8], format: IndexFormat, number: u64) -> u32 {
    let size = format.size() as usize;
    let element = usize::try_from(number)
        .ok()
        .and_then(|n| n.checked_mul(size))
        .and_then(|start| bytes.get(start..)?.get(..size));
    match element {
        Some(&[a, b]) => u16::from_le_bytes([a, b]).into(),
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::abi::state::{Compare, Cull, Front};
    use crate::abi::{BufferId, EventId, ProgramId};
    use crate::capture::manifest::Taken;
    use crate::plan::{
        BoundIndices, BoundRange, DrawState, InstanceIndex, NotReplayed, PassIndex, Piece, PieceSource,
        Writer,
    };

    fn draw(topology: Topology, indices: Option<(IndexFormat, &[u32])>) -> Draw {
        let state = DrawState {
            cull: Cull::None,
            front: Front::Cw,
            depth_write: true,
            depth_compare: Compare::LessEqual,
            color_write: [true; 4],
            blend: None,
            scissor: [0, 0, 1, 1],
        };
        let count = indices.map_or(0, |(_, i)| i.len() as u32);
        let indices = indices.map(|(format, values)| {
            let width = format.size() as usize;
            let bytes: Bytes = values
                .iter()
                .flat_map(|v| v.to_le_bytes().into_iter().take(width))
                .collect::<Vec<_>>()
                .into();
            let len = bytes.len() as u64;
            let source =
                PieceSource::Known { bytes, writer: Writer::Initial(Taken::FrameStart), late: false };
            let pieces = vec![Piece { len, source }];
            BoundIndices {
                range: BoundRange { buffer: BufferId(1), version: 0, offset: 0, size: len, pieces },
                format,
            }
        });
        Draw {
            event: EventId(1),
            instance: InstanceIndex(0),
            pass: PassIndex(0),
            program: ProgramId(1),
            program_name: String::new(),
            mesh: None,
            topology,
            indices,
            count,
            first: 0,
            base_vertex: 0,
            instance_count: 1,
            first_instance: 0,
            streams: BTreeMap::new(),
            buffers: BTreeMap::new(),
            state,
            replay: Err(NotReplayed::NoStandIn),
        }
    }

    #[test]
    fn strips_restart_at_the_greatest_index_of_their_format_whatever_the_base_vertex() {
        for (format, restart) in [(IndexFormat::U16, 0xFFFF), (IndexFormat::U32, 0xFFFF_FFFF)] {
            let mut strip = draw(
                Topology::TriangleStrip,
                Some((format, &[0, 1, 2, 3, restart, 4, 5, restart, 6, 7, 8, 9])),
            );
            strip.base_vertex = 1;
            let expected = [[1, 2, 3], [2, 4, 3], [7, 8, 9], [8, 10, 9]];
            assert_eq!(triangles(&strip).collect::<Vec<_>>(), expected);
            assert_eq!(vertices(&strip).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
            assert_eq!(vertex_range(&strip), Some(1..=10));
        }
    }

    #[test]
    fn the_restart_value_of_the_other_width_is_a_vertex() {
        let strip = draw(Topology::TriangleStrip, Some((IndexFormat::U32, &[0, 1, 0xFFFF])));
        assert_eq!(triangles(&strip).collect::<Vec<_>>(), [[0, 1, 65_535]]);
    }

    #[test]
    fn in_a_list_every_index_is_a_vertex() {
        let mut list = draw(Topology::TriangleList, Some((IndexFormat::U16, &[0, 1, 0xFFFF, 2, 3])));
        list.base_vertex = -2;
        assert_eq!(triangles(&list).collect::<Vec<_>>(), [[-2, -1, 65_533]]);
        assert_eq!(vertex_range(&list), Some(-2..=65_533));
    }

    #[test]
    fn triangles_that_name_a_vertex_twice_are_left_out_and_keep_the_winding_of_the_next() {
        let strip = draw(Topology::TriangleStrip, Some((IndexFormat::U16, &[0, 1, 2, 2, 3, 4])));
        assert_eq!(triangles(&strip).collect::<Vec<_>>(), [[0, 1, 2], [2, 4, 3]]);
        let list = draw(Topology::TriangleList, Some((IndexFormat::U16, &[5, 5, 6, 1, 2, 1, 1, 2, 3])));
        assert_eq!(triangles(&list).collect::<Vec<_>>(), [[1, 2, 3]]);
    }

    #[test]
    fn an_index_past_the_buffer_is_zero() {
        let mut list = draw(Topology::TriangleList, Some((IndexFormat::U16, &[7, 8, 9])));
        list.first = 1;
        list.base_vertex = 10;
        assert_eq!(vertices(&list).collect::<Vec<_>>(), [18, 19, 10]);
        list.first = u32::MAX;
        assert_eq!(vertices(&list).collect::<Vec<_>>(), [10, 10, 10]);
    }

    #[test]
    fn without_indices_vertices_follow_one_another_from_the_first() {
        let mut plain = draw(Topology::TriangleStrip, None);
        (plain.first, plain.count) = (65_534, 4);
        assert_eq!(
            triangles(&plain).collect::<Vec<_>>(),
            [[65_534, 65_535, 65_536], [65_535, 65_537, 65_536]]
        );
        assert_eq!(vertex_range(&draw(Topology::TriangleList, None)), None);
    }

    #[test]
    fn topologies_without_triangles_make_none() {
        let lines = draw(Topology::LineStrip, Some((IndexFormat::U16, &[0, 1, 0xFFFF, 2, 3])));
        assert_eq!(triangles(&lines).count(), 0);
        assert_eq!(vertices(&lines).count(), 4);
    }
}
