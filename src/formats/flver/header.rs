//! The header: 128 bytes, counts of the tables and the extents of the posed vertices.

use binrw::{Endian, binrw};

use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// Bytes of the header in every FLVER2 version.
pub const HEADER_SIZE: usize = 128;

/// The versions somebody has described (0x2001A is Sekiro and Elden Ring).
pub const VERSIONS: [u32; 16] = [
    0x20005, 0x20007, 0x20009, 0x2000B, 0x2000C, 0x2000D, 0x2000E, 0x2000F, 0x20010, 0x20013, 0x20014,
    0x20016, 0x20017, 0x2001A, 0x2001B, 0x20021,
];

/// A FLVER2 version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

impl Version {
    /// Sekiro and Elden Ring.
    pub const SEKIRO_ELDEN_RING: Self = Self(0x2001A);

    /// Whether a skeleton set follows the textures.
    pub fn has_skeletons(self) -> bool {
        self.0 >= 0x2001A
    }

    /// Floats of a mesh's box: six corners below 0x2001A, nine (half extents, angles, centre) from there.
    pub fn box_floats(self) -> usize {
        if self.0 >= 0x2001A { 9 } else { 6 }
    }

    /// Whether a face set has the second half of its record.
    pub fn long_face_sets(self) -> bool {
        self.0 > 0x20007
    }

    /// What scaled-short texture coordinates are divided by. Readers differ on 0x2000E alone, of which no file is
    /// public.
    pub fn uv_factor(self) -> f32 {
        if self.0 >= 0x2000F { 2048.0 } else { 1024.0 }
    }
}

/// The header after its signature and byte order, which stand in its first eight bytes.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Version.
    pub version: u32,
    /// Where the data block begins; index and vertex offsets count from here.
    pub data_offset: u32,
    /// Bytes of the data block.
    pub data_size: u32,
    /// Dummies.
    pub dummies: i32,
    /// Materials.
    pub materials: i32,
    /// Nodes.
    pub nodes: i32,
    /// Meshes.
    pub meshes: i32,
    /// Vertex buffers.
    pub vertex_buffers: i32,
    /// Least corner of the posed vertices.
    pub min: [f32; 3],
    /// Greatest corner of the posed vertices.
    pub max: [f32; 3],
    /// Triangles of the face sets without the motion-blur flag, degenerate ones left out.
    pub true_faces: i32,
    /// Triangles of all face sets.
    pub total_faces: i32,
    /// Bits of an index, 0 where each face set says.
    pub index_bits: u8,
    /// Whether strings are UTF-16.
    pub unicode: u8,
    /// Not explained.
    pub unknown_4a: u8,
    /// Not explained.
    pub unknown_4b: u8,
    /// Not explained.
    pub unknown_4c: i32,
    /// Face sets.
    pub face_sets: i32,
    /// Buffer layouts.
    pub layouts: i32,
    /// Textures.
    pub textures: i32,
    /// Not explained.
    pub unknown_5c: u8,
    /// Not explained.
    pub unknown_5d: u8,
    /// Zero in every file seen, kept as stored.
    pub unknown_5e: [u8; 10],
    /// Not explained; from 0x20014 two halves, the second of which marks SpeedTree models with -32768.
    pub unknown_68: [i16; 2],
    /// Zero in every file seen.
    pub unknown_6c: [i32; 2],
    /// Not explained.
    pub unknown_74: i32,
    /// Zero in every file seen.
    pub unknown_78: [i32; 2],
}

impl Record for Header {
    const SIZE: usize = HEADER_SIZE - 8;
}

/// The half-word that marks a SpeedTree model in the header and a member without bytes in a layout.
pub const SPEED_TREE: i16 = i16::MIN;

impl Header {
    /// Reads signature, byte order, version and counts.
    pub fn read(bytes: &[u8]) -> Result<(Self, Endian), FormatError> {
        let endian = match bytes.first_chunk::<8>() {
            Some(b"FLVER\0L\0") => Endian::Little,
            Some(b"FLVER\0B\0") => Endian::Big,
            None if b"FLVER\0".starts_with(bytes.get(..6).unwrap_or(bytes)) && !bytes.is_empty() => {
                table::slice(bytes, 0, HEADER_SIZE as u64, "the header")?;
                Endian::Little
            }
            _ => return Err(FormatError::magic("FLVER", bytes)),
        };
        let version = table::u32_at(table::slice(bytes, 8, 4, "the version")?, 0, endian);
        if version < 0x2_0000 {
            return Err(FormatError::Flver0 { version });
        }
        if !VERSIONS.contains(&version) {
            return Err(FormatError::Version { format: "FLVER", version });
        }
        let rest = table::slice(bytes, 8, Self::SIZE as u64, "the header")?;
        let header: Self = table::one(rest, 8, endian, "the header")?;
        let len = bytes.len() as u64;
        if u64::from(header.data_offset) > len {
            return Err(FormatError::DataPastEnd { offset: header.data_offset.into(), len });
        }
        table::slice(bytes, header.data_offset.into(), header.data_size.into(), "the data block")?;
        Ok((header, endian))
    }

    /// Appends signature, byte order and fields.
    pub fn write(&self, to: &mut Vec<u8>, endian: Endian) {
        to.extend_from_slice(match endian {
            Endian::Little => b"FLVER\0L\0",
            Endian::Big => b"FLVER\0B\0",
        });
        table::write(to, self, endian);
    }

    /// The version.
    pub fn version(&self) -> Version {
        Version(self.version)
    }

    /// Whether the second half of the word at 0x68 marks a SpeedTree model, whose stored extents are the instance's.
    pub fn is_speed_tree(&self) -> bool {
        self.version >= 0x20014 && self.unknown_68[1] == SPEED_TREE
    }
}
