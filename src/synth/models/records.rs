//! The records every synthetic model begins with: header, material, layouts; and vertices as bytes.

use binrw::Endian;

use crate::formats::flver::header::Header;
use crate::formats::flver::vertex_buffer::MemberRecord;
use crate::formats::flver::write::{MaterialParts, Parts};
use crate::formats::flver::{Material, Texture};

/// Bytes of one vertex, as they grow.
pub(super) struct Vertex(pub(super) Vec<u8>);

impl Vertex {
    pub(super) fn floats(mut self, values: &[f32]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self
    }
    pub(super) fn bytes(mut self, values: &[u8]) -> Self {
        self.0.extend_from_slice(values);
        self
    }
    pub(super) fn shorts(mut self, values: &[u16]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self
    }
}

const FLOAT3: u32 = 0x02;
const UBYTE4: u32 = 0x11;
const UBYTE4_NORM: u32 = 0x13;
const SHORT2: u32 = 0x15;
const USHORT4: u32 = 0x18;

/// A layout: its stream, the index of its semantics, and its types with their semantics in order.
type LayoutOf = (i32, i32, &'static [(u32, u32)]);

/// Layouts, by what they are for.
pub(super) const LAYOUTS: [LayoutOf; 6] = [
    // Static with a normal's W.
    (0, 0, &[(FLOAT3, 0), (UBYTE4, 3), (UBYTE4, 6), (UBYTE4_NORM, 10), (SHORT2, 5)]),
    // Static without.
    (0, 0, &[(FLOAT3, 0), (FLOAT3, 3), (SHORT2, 5)]),
    // The three streams of deformed meshes.
    (0, 0, &[(FLOAT3, 0), (UBYTE4, 3), (UBYTE4, 6)]),
    (1, 0, &[(UBYTE4, 2), (UBYTE4_NORM, 1), (UBYTE4_NORM, 10), (SHORT2, 5), (SHORT2, 5)]),
    (2, 1, &[(FLOAT3, 0), (UBYTE4, 3), (UBYTE4, 6)]),
    // Dynamic in one buffer.
    (0, 0, &[(FLOAT3, 0), (UBYTE4, 3), (UBYTE4, 6), (USHORT4, 2), (UBYTE4_NORM, 1), (SHORT2, 5)]),
];

pub(super) fn member_size(kind: u32) -> i32 {
    match kind {
        FLOAT3 => 12,
        USHORT4 => 8,
        _ => 4,
    }
}

fn layouts() -> Vec<Vec<MemberRecord>> {
    let layout = |(stream, index, members): &LayoutOf| {
        let mut offset = 0;
        let record = |(i, (kind, semantic)): (usize, &(u32, u32))| {
            // A second set of coordinates in one layout has the next index.
            let repeated = members.iter().take(i).filter(|(_, other)| other == semantic).count() as i32;
            let record = MemberRecord {
                stream: *stream,
                offset,
                kind: *kind,
                semantic: *semantic,
                index: index + repeated,
            };
            offset += member_size(*kind);
            record
        };
        members.iter().enumerate().map(record).collect()
    };
    LAYOUTS.iter().map(layout).collect()
}

pub(super) fn empty() -> Parts {
    let header = Header {
        version: 0x2001A,
        data_offset: 0,
        data_size: 0,
        dummies: 0,
        materials: 0,
        nodes: 0,
        meshes: 0,
        vertex_buffers: 0,
        min: [0.0; 3],
        max: [0.0; 3],
        true_faces: 0,
        total_faces: 0,
        index_bits: 0,
        unicode: 1,
        unknown_4a: 0,
        unknown_4b: 0,
        unknown_4c: 0,
        face_sets: 0,
        layouts: 0,
        textures: 0,
        unknown_5c: 0,
        unknown_5d: 2,
        unknown_5e: [0; 10],
        unknown_68: [4, 0],
        unknown_6c: [0; 2],
        unknown_74: 0,
        unknown_78: [0; 2],
    };
    let material = Material {
        name_offset: 0,
        definition_offset: 0,
        texture_count: 1,
        first_texture: 0,
        string_bytes: 0,
        gx_offset: 0,
        index: 0,
        reserved: 0,
    };
    let texture = Texture {
        path_offset: 0,
        sampler_offset: 0,
        scale: [1.0; 2],
        tiling: [1; 2],
        reserved: [0; 2],
        unknown_14: [0.0; 3],
    };
    // The terminator alone.
    let gx = [i32::MAX, 100, 12].iter().flat_map(|word| word.to_le_bytes()).collect();
    Parts {
        header,
        endian: Endian::Little,
        dummies: Vec::new(),
        materials: vec![MaterialParts {
            record: material,
            name: "Synthetic".into(),
            definition: "N:\\synth\\C[AMSN].matxml".into(),
            gx,
        }],
        nodes: Vec::new(),
        meshes: Vec::new(),
        face_sets: Vec::new(),
        buffers: Vec::new(),
        layouts: layouts(),
        textures: vec![(texture, "N:\\synth\\a.tif".into(), "g_DiffuseTexture".into())],
        skeletons: [Vec::new(), Vec::new()],
        skeleton_reserved: [0; 20],
    }
}
