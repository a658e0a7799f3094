//! What a vertex is made of: members with a type, a semantic and a place, and how their bytes read.
//!
//! Types are numbers; their community names mislead (0x2E is called a half-float type and holds scaled shorts), so
//! numbers are what this tool shows.

use std::fmt;

use binrw::Endian;

use super::decode::{self, Decoded};
use super::header::{SPEED_TREE, Version};
use super::vertex_buffer::{LayoutRecord, MemberRecord};
use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// What a member of a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexSemantic {
    /// 0.
    Position,
    /// 1.
    Weights,
    /// 2.
    Indices,
    /// 3.
    Normal,
    /// 5.
    Uv,
    /// 6.
    Tangent,
    /// 7.
    Bitangent,
    /// 10.
    Colour,
    /// Any other number: its bytes are kept and not read.
    Other(u32),
}

impl From<u32> for VertexSemantic {
    fn from(number: u32) -> Self {
        match number {
            0 => Self::Position,
            1 => Self::Weights,
            2 => Self::Indices,
            3 => Self::Normal,
            5 => Self::Uv,
            6 => Self::Tangent,
            7 => Self::Bitangent,
            10 => Self::Colour,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for VertexSemantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Weights => "weights",
            Self::Indices => "indices",
            Self::Normal => "normal",
            Self::Uv => "uv",
            Self::Tangent => "tangent",
            Self::Bitangent => "bitangent",
            Self::Colour => "colour",
            Self::Other(number) => return write!(f, "semantic{number}"),
        })
    }
}

/// Bytes of a member type; `None` where the type is not known.
fn type_size(kind: u32) -> Option<usize> {
    Some(match kind {
        0x00 | 0x10 | 0x11 | 0x12 | 0x13 | 0x14 | 0x15 | 0x17 | 0x2D | 0x2F => 4,
        0x01 | 0x16 | 0x18 | 0x1A | 0x2E => 8,
        0x02 => 12,
        0x03 => 16,
        _ => return None,
    })
}

/// The type whose single byte stands for Edge-compressed data.
const EDGE_TYPE: u32 = 0xF0;

/// A member of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The slot of the buffer it is in.
    pub stream: i16,
    /// The other half of the stream word; [`SPEED_TREE`] marks a member without bytes.
    pub special: i16,
    /// Where it begins in the vertex.
    pub offset: usize,
    /// Its type.
    pub kind: u32,
    /// Its bytes; 0 for a member without.
    pub size: usize,
    /// What it is.
    pub semantic: VertexSemantic,
    /// The index of its semantic.
    pub index: i32,
}

impl Member {
    /// Whether the layout names a pivot: type 0x2E on the texture-coordinate semantic (claim `pivot`).
    pub fn is_pivot(&self) -> bool {
        self.kind == 0x2E && self.semantic == VertexSemantic::Uv
    }

    /// The member's bytes in a vertex; empty past its end.
    pub fn bytes<'v>(&self, vertex: &'v [u8]) -> &'v [u8] {
        self.offset.checked_add(self.size).and_then(|end| vertex.get(self.offset..end)).unwrap_or_default()
    }

    /// Reads the member out of a vertex.
    pub fn decode(&self, vertex: &[u8], endian: Endian, version: Version) -> Decoded {
        let bytes = self.bytes(vertex);
        if bytes.len() != self.size || self.size == 0 {
            return Decoded::Bytes;
        }
        decode::read(self.semantic, self.kind, bytes, endian, version)
    }
}

/// The members of a layout, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Members.
    pub members: Vec<Member>,
    /// Bytes of a vertex.
    pub size: usize,
}

impl Layout {
    /// More members than any vertex could hold in the sizes there are.
    const MOST_MEMBERS: u64 = 256;

    pub(crate) fn read(
        bytes: &[u8],
        number: usize,
        record: &LayoutRecord,
        endian: Endian,
        speed_tree: bool,
    ) -> Result<Self, FormatError> {
        let base = u64::from(record.members_offset);
        let what = format!("layout {number}");
        let count = table::count(record.member_count, &what, base)?;
        if count > Self::MOST_MEMBERS {
            return Err(FormatError::Count { what, offset: base, count: record.member_count.into() });
        }
        let records: Vec<MemberRecord> = table::read(bytes, base, count, endian, &what)?;
        let mut layout = Self { members: Vec::with_capacity(records.len()), size: 0 };
        for (i, member) in records.iter().enumerate() {
            let offset = base + (i * MemberRecord::SIZE) as u64;
            layout.push(number, i, offset, member, speed_tree)?;
        }
        Ok(layout)
    }

    fn push(
        &mut self,
        layout: usize,
        member: usize,
        offset: u64,
        record: &MemberRecord,
        speed_tree: bool,
    ) -> Result<(), FormatError> {
        if record.kind == EDGE_TYPE {
            let what = format!("layout {layout} member {member}");
            return Err(FormatError::EdgeCompressed { what, offset });
        }
        let size = type_size(record.kind).ok_or(FormatError::MemberType {
            layout,
            member,
            offset,
            kind: record.kind,
            semantic: record.semantic,
        })?;
        // The stream word of a SpeedTree model is two halves; elsewhere the upper is zero and reads the same.
        let (stream, special) = (record.stream as i16, (record.stream >> 16) as i16);
        let stored = !(speed_tree && special == SPEED_TREE);
        if stored && i64::from(record.offset) != self.size as i64 {
            let (found, expected) = (record.offset.into(), self.size as u64);
            return Err(FormatError::MemberOffset { layout, member, offset, found, expected });
        }
        let size = if stored { size } else { 0 };
        self.members.push(Member {
            stream,
            special,
            offset: self.size,
            kind: record.kind,
            size,
            semantic: record.semantic.into(),
            index: record.index,
        });
        self.size += size;
        Ok(())
    }

    /// The first member of a semantic that has bytes.
    pub fn member(&self, semantic: VertexSemantic) -> Option<&Member> {
        self.members.iter().find(|member| member.semantic == semantic && member.size > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(kind: u32, semantic: VertexSemantic) -> Member {
        let size = type_size(kind).unwrap();
        Member { stream: 0, special: 0, offset: 0, kind, size, semantic, index: 0 }
    }

    fn decode(kind: u32, semantic: VertexSemantic, bytes: &[u8]) -> Decoded {
        member(kind, semantic).decode(bytes, Endian::Little, Version(0x2001A))
    }

    #[test]
    fn every_type_reads_as_described() {
        use VertexSemantic::*;
        let eight = [0xFF, 0x7F, 0x00, 0x80, 0x00, 0x08, 0x02, 0x00];
        let f = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let cases: Vec<(u32, VertexSemantic, Vec<u8>, Decoded)> = vec![
            (0x02, Position, f(&[1.0, -0.0, 3.0]), Decoded::Position([1.0, -0.0, 3.0])),
            (0x03, Position, f(&[1.0, 2.0, 3.0, 9.0]), Decoded::Position([1.0, 2.0, 3.0])),
            (0x10, Weights, vec![127, 0, 0x81, 0], Decoded::Weights([1.0, 0.0, -1.0, 0.0])),
            (0x13, Weights, vec![255, 0, 0, 51], Decoded::Weights([1.0, 0.0, 0.0, 0.2])),
            (
                0x16,
                Weights,
                vec![0xFF, 0x7F, 0, 0x80, 0, 0x80, 0, 0x80],
                Decoded::Weights([1.0, 0.0, 0.0, 0.0]),
            ),
            (0x1A, Weights, vec![0xFF, 0x7F, 0, 0, 0, 0, 0, 0], Decoded::Weights([1.0, 0.0, 0.0, 0.0])),
            (0x11, Indices, vec![1, 2, 200, 0], Decoded::Indices([1, 2, 200, 0], 4)),
            (0x2F, Indices, vec![1, 2, 3, 4], Decoded::Indices([1, 2, 3, 4], 4)),
            (0x17, Indices, vec![1, 1, 2, 0], Decoded::Indices([257, 2, 0, 0], 2)),
            (0x18, Indices, eight.to_vec(), Decoded::Indices([0x7FFF, 0x8000, 0x800, 2], 4)),
            (0x02, Normal, f(&[0.0, 1.0, 0.0]), Decoded::Direction([0.0, 1.0, 0.0], None)),
            (0x03, Normal, f(&[0.0, 1.0, 0.0, 7.0]), Decoded::Direction([0.0, 1.0, 0.0], Some(7.0))),
            (0x11, Normal, vec![254, 127, 0, 200], Decoded::Direction([1.0, 0.0, -1.0], Some(200.0))),
            (0x11, Tangent, vec![254, 127, 0, 254], Decoded::Direction([1.0, 0.0, -1.0], Some(1.0))),
            (0x13, Tangent, vec![127, 127, 254, 0], Decoded::Direction([0.0, 0.0, 1.0], Some(-1.0))),
            (0x12, Normal, vec![9, 127, 0, 0x81], Decoded::Direction([-1.0, 0.0, 1.0], Some(9.0))),
            (0x14, Tangent, vec![0x81, 127, 0, 0], Decoded::Direction([0.0, 0.0, 1.0], Some(-1.0))),
            (
                0x1A,
                Normal,
                vec![0xFF, 0x7F, 0, 0, 1, 0x80, 5, 0],
                Decoded::Direction([1.0, 0.0, -1.0], Some(5.0)),
            ),
            (
                0x2E,
                Normal,
                vec![0xFE, 0xFF, 0xFF, 0x7F, 0, 0, 3, 0],
                Decoded::Direction([1.0, 0.0, -1.0], Some(3.0)),
            ),
            (0x01, Uv, f(&[0.5, 2.0]), Decoded::Uv([0.5, 2.0, 0.0, 0.0], 2)),
            (0x15, Uv, vec![0, 8, 0, 0xF8], Decoded::Uv([1.0, -1.0, 0.0, 0.0], 2)),
            (0x2D, Uv, vec![0, 8, 0, 4], Decoded::Uv([1.0, 0.5, 0.0, 0.0], 2)),
            (0x13, Uv, vec![255, 0, 51, 255], Decoded::Uv([1.0, 0.0, 0.2, 1.0], 4)),
            (0x16, Uv, vec![0, 8, 0, 0, 0, 4, 0, 0xF8], Decoded::Uv([1.0, 0.0, 0.5, -1.0], 4)),
            (0x2E, Uv, vec![0, 8, 0, 0, 0, 4, 0, 0xF8], Decoded::Uv([1.0, 0.0, 0.5, -1.0], 4)),
            (0x10, Colour, vec![255, 0, 51, 255], Decoded::Colour([1.0, 0.0, 0.2, 1.0])),
            (0x15, Position, vec![0; 4], Decoded::Bytes),
            (0x14, Normal, vec![0; 4], Decoded::Bytes),
            (0x11, Other(9), vec![0; 4], Decoded::Bytes),
        ];
        for (kind, semantic, bytes, expected) in cases {
            assert_eq!(decode(kind, semantic, &bytes), expected, "type {kind:#x} as {semantic}");
        }
    }

    #[test]
    fn the_top_of_a_byte_decodes_above_one_and_is_not_clamped() {
        assert_eq!(
            decode(0x11, VertexSemantic::Normal, &[255, 127, 127, 0]),
            Decoded::Direction([128.0 / 127.0, 0.0, 0.0], Some(0.0))
        );
    }

    #[test]
    fn old_versions_scale_texture_coordinates_by_half() {
        let uv = member(0x15, VertexSemantic::Uv).decode(&[0, 4, 0, 0], Endian::Little, Version(0x2000C));
        assert_eq!(uv, Decoded::Uv([1.0, 0.0, 0.0, 0.0], 2));
    }

    #[test]
    fn a_vertex_that_ends_early_is_bytes() {
        assert_eq!(decode(0x02, VertexSemantic::Position, &[0; 11]), Decoded::Bytes);
    }

    fn layout(members: &[[i32; 5]], speed_tree: bool) -> Result<Layout, FormatError> {
        let bytes: Vec<u8> = members.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        let record = LayoutRecord { member_count: members.len() as i32, reserved: [0; 2], members_offset: 0 };
        Layout::read(&bytes, 0, &record, Endian::Little, speed_tree)
    }

    #[test]
    fn members_stand_one_after_the_other() {
        assert_eq!(layout(&[[0, 0, 2, 0, 0], [0, 12, 0x11, 3, 0]], false).unwrap().size, 16);
        let gap = layout(&[[0, 0, 2, 0, 0], [0, 16, 0x11, 3, 0]], false).unwrap_err();
        assert_eq!(gap.rule(), "member offset");
        let unknown = layout(&[[0, 0, 0x99, 0, 0]], false).unwrap_err();
        assert!(unknown.to_string().contains("at 0x0: unknown type 0x99"), "{unknown}");
        assert_eq!(layout(&[[0, 0, 0xF0, 0, 0]], false).unwrap_err().rule(), "edge-compressed vertex buffer");
    }

    #[test]
    fn a_speed_tree_member_may_have_no_bytes() {
        let word = i32::from_le_bytes(0x8000_0001u32.to_le_bytes());
        let members = [[0, 0, 2, 0, 0], [word, 40, 3, 5, 0], [0, 12, 0x11, 3, 0]];
        let read = layout(&members, true).unwrap();
        assert_eq!((read.size, read.members[1].size, read.members[1].stream), (16, 0, 1));
        assert!(layout(&members, false).is_err());
    }
}
