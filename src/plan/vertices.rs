//! Which vertices a draw names, in which order.
//!
//! Direct3D's rules: a strip restarts at the greatest index of its format, in a list that is an ordinary vertex number;
//! an index past the buffer's end reads as 0; `base_vertex` is added to every index and may make it negative.

use bytes::Bytes;

use super::{BoundIndices, Draw};
use crate::abi::state::{IndexFormat, Topology};

/// The index or vertex numbers of a draw, before `base_vertex`, in draw order.
#[derive(Clone, Debug)]
pub struct VertexOrder {
    indices: Option<(Bytes, IndexFormat)>,
    first: u64,
    count: u64,
    base: i64,
    restart: Option<u32>,
}

impl VertexOrder {
    /// The order of a draw.
    pub fn of(draw: &Draw) -> Self {
        Self::new(draw.indices.as_ref(), draw.first, draw.count, draw.base_vertex, draw.topology)
    }

    pub(super) fn new(
        indices: Option<&BoundIndices>,
        first: u32,
        count: u32,
        base_vertex: i32,
        topology: Topology,
    ) -> Self {
        let strip = matches!(
            topology,
            Topology::LineStrip
                | Topology::TriangleStrip
                | Topology::LineStripAdj
                | Topology::TriangleStripAdj
        );
        Self {
            indices: indices.map(|i| (i.range.gather(), i.format)),
            first: first.into(),
            count: count.into(),
            base: base_vertex.into(),
            restart: indices.filter(|_| strip).map(|i| i.format.restart()),
        }
    }

    /// Vertex numbers in draw order, after `base_vertex`; `None` where a strip restarts.
    pub fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        (self.first..self.first + self.count).map(|at| self.number(at))
    }

    /// As [`iter`](Self::iter), for a caller that keeps no order beside the iterator.
    pub fn into_numbers(self) -> impl Iterator<Item = Option<i64>> {
        (self.first..self.first + self.count).map(move |at| self.number(at))
    }

    fn number(&self, at: u64) -> Option<i64> {
        let Some((bytes, format)) = &self.indices else { return Some(at as i64) };
        let index = read_index(bytes, *format, at);
        (self.restart != Some(index)).then_some(i64::from(index) + self.base)
    }

    /// Vertex numbers in draw order, restarts skipped.
    pub fn vertices(&self) -> impl Iterator<Item = i64> + '_ {
        self.iter().flatten()
    }

    /// The least and the greatest vertex number; `None` for a draw of no vertex.
    pub fn range(&self) -> Option<(i64, i64)> {
        if self.indices.is_none() {
            return (self.count > 0).then(|| (self.first as i64, (self.first + self.count - 1) as i64));
        }
        self.vertices().fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((least, greatest)) => Some((v.min(least), v.max(greatest))),
        })
    }

    /// Indices that lie past the end of the index buffer: they read as 0.
    pub fn past_the_end(&self) -> u64 {
        let Some((bytes, format)) = &self.indices else { return 0 };
        let held = bytes.len() as u64 / format.size();
        (self.first + self.count).saturating_sub(held.max(self.first))
    }
}

fn read_index(bytes: &[u8], format: IndexFormat, at: u64) -> u32 {
    let size = format.size() as usize;
    let start = at as usize * size;
    let mut le = [0; 4];
    if let Some(found) = bytes.get(start..start + size) {
        for (to, from) in le.iter_mut().zip(found) {
            *to = *from;
        }
    }
    u32::from_le_bytes(le)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::BufferId;
    use crate::capture::manifest::Taken;
    use crate::plan::{BoundRange, Piece, PieceSource, Writer};

    fn indices(values: &[u16]) -> BoundIndices {
        let bytes: Bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>().into();
        let len = bytes.len() as u64;
        let writer = Writer::Initial(Taken::FrameStart);
        let pieces = vec![Piece { len, source: PieceSource::Known { bytes, writer, late: false } }];
        BoundIndices {
            range: BoundRange { buffer: BufferId(1), version: 0, offset: 0, size: len, pieces },
            format: IndexFormat::U16,
        }
    }

    #[test]
    fn a_strip_restarts_where_a_list_names_a_vertex() {
        let indices = indices(&[0, 1, 2, 0xFFFF, 3]);
        let order =
            |topology| VertexOrder::new(Some(&indices), 0, 5, 10, topology).iter().collect::<Vec<_>>();
        assert_eq!(order(Topology::TriangleStrip), [Some(10), Some(11), Some(12), None, Some(13)]);
        assert_eq!(order(Topology::TriangleList), [Some(10), Some(11), Some(12), Some(65545), Some(13)]);
    }

    #[test]
    fn an_index_past_the_end_is_zero_and_is_counted() {
        let indices = indices(&[7, 8]);
        let order = VertexOrder::new(Some(&indices), 1, 3, -5, Topology::TriangleList);
        assert_eq!(order.vertices().collect::<Vec<_>>(), [3, -5, -5]);
        assert_eq!(order.range(), Some((-5, 3)));
        assert_eq!(order.past_the_end(), 2);
    }

    #[test]
    fn a_draw_without_indices_counts_from_its_first_vertex() {
        let order = VertexOrder::new(None, 4, 3, 0, Topology::TriangleList);
        assert_eq!(order.vertices().collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(order.range(), Some((4, 6)));
        assert_eq!(VertexOrder::new(None, 4, 0, 0, Topology::TriangleList).range(), None);
    }
}
