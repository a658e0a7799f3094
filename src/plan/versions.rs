//! The contents of a buffer at a point of the plan, byte range by byte range: what is there and who put it there.
//!
//! A map of runs that never overlap and leave no gap. Writes split and replace runs; nothing is copied, since a run's
//! bytes are slices of the blob they came from.

use std::collections::BTreeMap;

use super::{Piece, PieceSource, Unknown};

/// Contents of one buffer.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    /// Runs by their first byte; together they cover `0..size`.
    runs: BTreeMap<u64, Piece>,
    size: u64,
    /// Writes since the frame's start.
    pub(super) version: u32,
}

impl Contents {
    /// A buffer about which nothing is known.
    pub(super) fn unknown(size: u64, why: Unknown) -> Self {
        let mut runs = BTreeMap::new();
        if size > 0 {
            runs.insert(0, Piece { len: size, source: PieceSource::Unknown(why) });
        }
        Self { runs, size, version: 0 }
    }

    /// Bytes of the buffer.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Sets `offset..offset + piece.len`, which lies inside the buffer (reading the set checks that).
    pub(super) fn set(&mut self, offset: u64, piece: Piece) {
        if piece.len == 0 {
            return;
        }
        let end = offset + piece.len;
        self.split(offset);
        self.split(end);
        let covered: Vec<u64> = self.runs.range(offset..end).map(|(at, _)| *at).collect();
        for at in covered {
            self.runs.remove(&at);
        }
        self.runs.insert(offset, piece);
    }

    /// What `from..to` holds, in order, without gaps.
    pub(super) fn pieces(&self, from: u64, to: u64) -> Vec<Piece> {
        let to = to.min(self.size);
        if from >= to {
            return Vec::new();
        }
        let first = self.runs.range(..=from).next_back().map_or(from, |(at, _)| *at);
        self.runs
            .range(first..to)
            .map(|(at, piece)| {
                let start = from.max(*at);
                let end = to.min(at + piece.len);
                part(piece, start - at, end - start)
            })
            .collect()
    }

    /// Whether any byte is known.
    pub(super) fn any_known(&self) -> bool {
        self.runs.values().any(|piece| matches!(piece.source, PieceSource::Known { .. }))
    }

    /// Makes `at` the start of a run.
    fn split(&mut self, at: u64) {
        let Some((&start, piece)) = self.runs.range_mut(..at).next_back() else { return };
        let head = at - start;
        if head >= piece.len {
            return;
        }
        let tail = part(piece, head, piece.len - head);
        *piece = part(piece, 0, head);
        self.runs.insert(at, tail);
    }
}

/// `len` bytes of a piece from `offset`.
pub(super) fn part(piece: &Piece, offset: u64, len: u64) -> Piece {
    let source = match &piece.source {
        PieceSource::Known { bytes, writer, late } => PieceSource::Known {
            bytes: bytes.slice(offset as usize..(offset + len) as usize),
            writer: *writer,
            late: *late,
        },
        PieceSource::Unknown(why) => PieceSource::Unknown(*why),
    };
    Piece { len, source }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::capture::manifest::Taken;
    use crate::plan::Writer;

    fn known(bytes: Vec<u8>) -> Piece {
        let writer = Writer::Initial(Taken::FrameStart);
        Piece {
            len: bytes.len() as u64,
            source: PieceSource::Known { bytes: Bytes::from(bytes), writer, late: false },
        }
    }

    fn flatten(pieces: &[Piece]) -> Vec<Option<u8>> {
        pieces
            .iter()
            .flat_map(|p| match &p.source {
                PieceSource::Known { bytes, .. } => bytes.iter().map(|b| Some(*b)).collect::<Vec<_>>(),
                PieceSource::Unknown(_) => vec![None; p.len as usize],
            })
            .collect()
    }

    proptest! {
        #[test]
        fn writes_in_any_order_leave_what_an_array_would_hold(
            writes in proptest::collection::vec((0u64..40, 0usize..40, any::<u8>()), 0..30),
            range in (0u64..45, 0u64..45),
        ) {
            let mut contents = Contents::unknown(40, Unknown::NeverWritten);
            let mut array = [None; 40];
            for (offset, len, value) in writes {
                let len = len.min(40 - offset as usize);
                contents.set(offset, known(vec![value; len]));
                array[offset as usize..offset as usize + len].fill(Some(value));
            }
            let (from, to) = (range.0.min(range.1), range.0.max(range.1));
            let expected: Vec<_> = array.iter().copied().take(to as usize).skip(from as usize).collect();
            prop_assert_eq!(flatten(&contents.pieces(from, to)), expected);
        }
    }

    #[test]
    fn an_empty_buffer_has_no_pieces() {
        assert!(Contents::unknown(0, Unknown::NeverWritten).pieces(0, 10).is_empty());
    }
}
