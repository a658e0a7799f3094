//! Vertex buffers (32 bytes), buffer layouts (16 bytes) and layout members (20 bytes), as stored.

use binrw::binrw;

use crate::formats::Record;

/// A vertex buffer as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexBuffer {
    /// Its slot in its mesh; the bits of [`VertexBuffer::EDGE`] mark PlayStation 3 Edge geometry.
    pub slot: i32,
    /// Its layout.
    pub layout: i32,
    /// Bytes of a vertex.
    pub vertex_size: i32,
    /// Vertices.
    pub vertex_count: i32,
    /// Zero in every file seen.
    pub reserved: [i32; 2],
    /// Bytes of all of them; 0 in version 0x20005.
    pub byte_length: i32,
    /// Where they begin in the data block.
    pub offset: u32,
}

impl VertexBuffer {
    /// PlayStation 3 Edge geometry.
    pub const EDGE: i32 = 0x6000_0000;
}

impl Record for VertexBuffer {
    const SIZE: usize = 32;
}

/// A buffer layout as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutRecord {
    /// Members.
    pub member_count: i32,
    /// Zero in every file seen.
    pub reserved: [i32; 2],
    /// Where they begin.
    pub members_offset: u32,
}

impl Record for LayoutRecord {
    const SIZE: usize = 16;
}

/// A layout member as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRecord {
    /// The slot of the buffer it is in; in SpeedTree models the low half of it.
    pub stream: i32,
    /// Where it begins in the vertex.
    pub offset: i32,
    /// Its type.
    pub kind: u32,
    /// Its semantic.
    pub semantic: u32,
    /// The index of its semantic.
    pub index: i32,
}

impl Record for MemberRecord {
    const SIZE: usize = 20;
}
