//! Face sets: which indices of the data block draw which triangles.

use binrw::{Endian, binrw};

use super::header::Version;
use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// The first half of a face set, all there is up to version 0x20007.
#[binrw]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceSetHead {
    flags: u32,
    strip: u8,
    cull_back: u8,
    unknown_06: i16,
    index_count: i32,
    index_offset: u32,
}

impl Record for FaceSetHead {
    const SIZE: usize = 16;
}

/// A face set as stored; up to version 0x20007 the second half is not in the file and zero here.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceSet {
    /// Level of detail and motion blur; see the constants.
    pub flags: u32,
    /// Whether the indices are a strip.
    pub strip: u8,
    /// Whether back faces are culled.
    pub cull_back: u8,
    /// Near the number of nodes its vertices are weighted to; not explained.
    pub unknown_06: i16,
    /// Indices.
    pub index_count: i32,
    /// Where they begin in the data block.
    pub index_offset: u32,
    /// Their bytes.
    pub index_bytes: i32,
    /// Zero in every file seen.
    pub reserved_14: i32,
    /// Bits of an index, 0 for the header's.
    pub index_bits: i32,
    /// Zero in every file seen.
    pub reserved_1c: i32,
}

impl Record for FaceSet {
    const SIZE: usize = 32;
}

impl FaceSet {
    /// First reduced level of detail.
    pub const LOD1: u32 = 0x0100_0000;
    /// Second reduced level of detail.
    pub const LOD2: u32 = 0x0200_0000;
    /// A further level of detail.
    pub const LOD_EX: u32 = 0x0400_0000;
    /// PlayStation 3 Edge geometry.
    pub const EDGE: u32 = 0x4000_0000;
    /// Drawn by the motion-vector pass alone.
    pub const MOTION_BLUR: u32 = 0x8000_0000;

    pub(crate) fn read_table(
        bytes: &[u8],
        offset: u64,
        count: u64,
        version: Version,
        endian: Endian,
    ) -> Result<(Vec<Self>, u64), FormatError> {
        if version.long_face_sets() {
            return Ok((table::read(bytes, offset, count, endian, "face sets")?, count * Self::SIZE as u64));
        }
        let heads = table::read::<FaceSetHead>(bytes, offset, count, endian, "face sets")?;
        let size = count * FaceSetHead::SIZE as u64;
        Ok((heads.iter().map(Self::from).collect(), size))
    }

    pub(crate) fn write_table(to: &mut Vec<u8>, sets: &[Self], version: Version, endian: Endian) {
        for set in sets {
            if version.long_face_sets() {
                table::write(to, set, endian);
            } else {
                table::write(to, &FaceSetHead::from(set), endian);
            }
        }
    }

    /// Bits of its indices: its own number, else the header's.
    pub fn bits(&self, header_bits: u8) -> i32 {
        if self.index_bits == 0 { i32::from(header_bits) } else { self.index_bits }
    }
}

impl From<&FaceSetHead> for FaceSet {
    fn from(head: &FaceSetHead) -> Self {
        Self {
            flags: head.flags,
            strip: head.strip,
            cull_back: head.cull_back,
            unknown_06: head.unknown_06,
            index_count: head.index_count,
            index_offset: head.index_offset,
            index_bytes: 0,
            reserved_14: 0,
            index_bits: 0,
            reserved_1c: 0,
        }
    }
}

impl From<&FaceSet> for FaceSetHead {
    fn from(set: &FaceSet) -> Self {
        Self {
            flags: set.flags,
            strip: set.strip,
            cull_back: set.cull_back,
            unknown_06: set.unknown_06,
            index_count: set.index_count,
            index_offset: set.index_offset,
        }
    }
}

/// The indices of a face set, in the file's bytes.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'m> {
    pub(crate) bytes: &'m [u8],
    pub(crate) wide: bool,
    pub(crate) endian: Endian,
}

impl<'m> Indices<'m> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes of an index.
    pub fn width(&self) -> usize {
        if self.wide { 4 } else { 2 }
    }

    /// The indices in order; the restart value comes out as stored.
    pub fn iter(self) -> impl Iterator<Item = u32> + use<'m> {
        let Self { bytes, wide, endian } = self;
        bytes.chunks_exact(self.width()).map(move |raw| {
            if wide { table::u32_at(raw, 0, endian) } else { table::u16_at(raw, 0, endian).into() }
        })
    }
}

/// The index that begins a strip anew, in meshes of fewer vertices than it.
pub const RESTART: u32 = 0xFFFF;

/// The triangles that indices name. In a strip, even windows are (a, b, c) and odd windows (c, b, a); the restart value
/// begins anew and resets the parity; windows with equal indices draw nothing and flip the parity all the same. In a
/// list, the restart value between triangles separates.
pub fn triangles(
    indices: impl Iterator<Item = u32>,
    strip: bool,
    vertex_count: usize,
) -> impl Iterator<Item = [u32; 3]> {
    let restarts = vertex_count < RESTART as usize;
    let mut window = [0u32; 3];
    let mut filled = 0;
    let mut odd = false;
    indices.filter_map(move |index| {
        if restarts && index == RESTART {
            filled = 0;
            odd = false;
            return None;
        }
        if let Some(place) = window.get_mut(filled) {
            *place = index;
            filled += 1;
        } else {
            window = [window[1], window[2], index];
        }
        if filled < 3 {
            return None;
        }
        if !strip {
            filled = 0;
            return Some(window);
        }
        let [a, b, c] = window;
        let triangle = if odd { [c, b, a] } else { [a, b, c] };
        odd = !odd;
        (a != b && b != c && a != c).then_some(triangle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(indices: &[u32], count: usize) -> Vec<[u32; 3]> {
        triangles(indices.iter().copied(), true, count).collect()
    }

    #[test]
    fn odd_windows_of_a_strip_are_turned() {
        assert_eq!(strip(&[0, 1, 2, 3], 4), [[0, 1, 2], [3, 2, 1]]);
    }

    #[test]
    fn a_window_with_equal_indices_draws_nothing_and_still_flips() {
        // windows: 0 1 1, 1 1 2, 1 2 3 (even again)
        assert_eq!(strip(&[0, 1, 1, 2, 3], 4), [[1, 2, 3]]);
        assert_eq!(strip(&[0, 1, 2, 2, 3, 4], 5), [[0, 1, 2], [4, 3, 2]]);
    }

    #[test]
    fn the_restart_value_resets_the_parity_and_is_a_vertex_where_there_are_as_many() {
        assert_eq!(strip(&[0, 1, 2, 3, RESTART, 4, 5, 6], 7), [[0, 1, 2], [3, 2, 1], [4, 5, 6]]);
        assert_eq!(strip(&[0, 1, RESTART], 65_536), [[0, 1, RESTART]]);
    }

    #[test]
    fn a_separator_in_a_list_drops_what_was_begun() {
        let list: Vec<_> = triangles([0, 1, 2, RESTART, 3, 3, 4].into_iter(), false, 5).collect();
        assert_eq!(list, [[0, 1, 2], [3, 3, 4]]);
    }

    #[test]
    fn a_short_face_set_keeps_its_first_half() {
        let head: Vec<u8> = (1..=16).collect();
        for endian in [Endian::Little, Endian::Big] {
            let (sets, size) = FaceSet::read_table(&head, 0, 1, Version(0x20007), endian).unwrap();
            assert_eq!((size, sets[0].index_bits), (16, 0));
            let mut out = Vec::new();
            FaceSet::write_table(&mut out, &sets, Version(0x20007), endian);
            assert_eq!(out, head);
        }
        assert!(FaceSet::read_table(&head, 0, 1, Version(0x2001A), Endian::Little).is_err());
    }
}
