//! Meshes: 48 bytes each, with lists elsewhere in the file.

use binrw::binrw;

use crate::formats::Record;

/// A mesh as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// 1 where vertices are in bind space and weighted to nodes, 0 where each is rigid on one.
    pub dynamic: u8,
    /// Zero in every file seen.
    pub reserved_01: [u8; 3],
    /// Its material.
    pub material: i32,
    /// Zero in every file seen.
    pub reserved_08: [i32; 2],
    /// The node that carries static vertices which name none, -1 for none.
    pub node: i32,
    /// Entries of its palette.
    pub palette_count: i32,
    /// Where its box begins, 0 for none.
    pub box_offset: u32,
    /// Where its palette begins. Points at unrelated bytes where the count is 0.
    pub palette_offset: u32,
    /// Face sets.
    pub face_set_count: i32,
    /// Where their numbers begin.
    pub face_sets_offset: u32,
    /// Vertex buffers.
    pub buffer_count: i32,
    /// Where their numbers, into the file's table, begin.
    pub buffers_offset: u32,
}

impl Record for Mesh {
    const SIZE: usize = 48;
}

impl Mesh {
    /// Whether vertices are in bind space and weighted.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic != 0
    }
}

/// The box of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshBox {
    /// Least and greatest corner of the posed vertices, below version 0x2001A.
    Corners {
        /// Least corner.
        min: [f32; 3],
        /// Greatest corner.
        max: [f32; 3],
    },
    /// From 0x2001A: an oriented box. Its reading rests on one Elden Ring file, so it is reported and refuses nothing.
    Oriented {
        /// Half its edges.
        half: [f32; 3],
        /// Euler angles in radians, applied Z, then X, then Y.
        angles: [f32; 3],
        /// Its centre.
        centre: [f32; 3],
    },
}
