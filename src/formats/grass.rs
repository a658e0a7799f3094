//! `.grass` files: a triangle mesh whose vertices store how densely each of six types grows, and a binary tree of
//! volumes over its triangles (claims `grass-header` to `grass-box`). It holds no blade.
//!
//! Little-endian; the tables fill the file exactly. [`Grass::read`] refuses what breaks the header's constants or the
//! length; [`Grass::problems`] tells every other rule that a file breaks.

pub mod check;

use binrw::{Endian, binrw};

use super::table::{self, Record};
use super::{FormatError, Problem};

/// The header: the size of each record beside its count.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrassHeader {
    /// 1.
    pub version: u32,
    /// 40.
    pub header_size: u32,
    /// 20.
    pub volume_size: u32,
    /// Volumes.
    pub volumes: u32,
    /// 36.
    pub vertex_size: u32,
    /// Vertices.
    pub vertices: u32,
    /// 24.
    pub face_size: u32,
    /// Faces.
    pub faces: u32,
    /// 24.
    pub box_size: u32,
    /// Boxes: as many as volumes.
    pub boxes: u32,
}

/// A volume of the tree. Its first two words are two children, not a range of them.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrassVolume {
    /// First and second child, 0 for none.
    pub children: [u32; 2],
    /// First face under it.
    pub first_face: u32,
    /// The face after its last.
    pub end_face: u32,
    /// Bit `k`: a vertex of one of its faces grows type `k`.
    pub types: u32,
}

/// A vertex.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct GrassVertex {
    /// Position in the model's space.
    pub position: [f32; 3],
    /// Density of each type, 0 to 1; they need not sum to one.
    pub densities: [f32; 6],
}

/// A triangle.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct GrassFace {
    /// Against the right-hand cross product of its edges; what its length stands for is not established (claim
    /// `face-normal-length`), and some faces store none.
    pub normal: [f32; 3],
    /// Its vertices.
    pub vertices: [u32; 3],
}

/// The box of the volume of the same index.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct GrassBox {
    /// Least corner.
    pub min: [f32; 3],
    /// Greatest corner.
    pub max: [f32; 3],
}

impl Record for GrassHeader {
    const SIZE: usize = 40;
}
impl Record for GrassVolume {
    const SIZE: usize = 20;
}
impl Record for GrassVertex {
    const SIZE: usize = 36;
}
impl Record for GrassFace {
    const SIZE: usize = 24;
}
impl Record for GrassBox {
    const SIZE: usize = 24;
}

/// A grass file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grass {
    /// Volumes; the root is the first.
    pub volumes: Vec<GrassVolume>,
    /// Vertices.
    pub vertices: Vec<GrassVertex>,
    /// Faces.
    pub faces: Vec<GrassFace>,
    /// Boxes.
    pub boxes: Vec<GrassBox>,
}

/// How a stored face normal lies to the right-hand cross product of the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NormalSense {
    /// Against it: cosine below -0.999.
    Against,
    /// The face stores none: a zero vector.
    None,
    /// Any other, not-a-number and degenerate triangles included.
    Other,
}

impl Grass {
    /// Reads a grass file.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let first = table::slice(bytes, 0, GrassHeader::SIZE as u64, "the header")?;
        let header: GrassHeader = table::one(first, 0, Endian::Little, "the header")?;
        let constants = [
            ("version", 0x00, header.version, 1),
            ("header size", 0x04, header.header_size, GrassHeader::SIZE),
            ("volume size", 0x08, header.volume_size, GrassVolume::SIZE),
            ("vertex size", 0x10, header.vertex_size, GrassVertex::SIZE),
            ("face size", 0x18, header.face_size, GrassFace::SIZE),
            ("box size", 0x20, header.box_size, GrassBox::SIZE),
            ("box count", 0x24, header.boxes, header.volumes as usize),
        ];
        for (field, offset, found, expected) in constants {
            if found as usize != expected {
                let (expected, found) = (expected as u64, found.into());
                return Err(FormatError::Constant { field, offset, expected, found });
            }
        }
        let mut at = GrassHeader::SIZE as u64;
        let volumes = next(bytes, &mut at, header.volumes, "volumes")?;
        let vertices = next(bytes, &mut at, header.vertices, "vertices")?;
        let faces = next(bytes, &mut at, header.faces, "faces")?;
        let boxes = next(bytes, &mut at, header.boxes, "boxes")?;
        if at != bytes.len() as u64 {
            return Err(FormatError::LeftOver { needed: at, len: bytes.len() as u64 });
        }
        Ok(Self { volumes, vertices, faces, boxes })
    }

    /// Whether bytes begin with the six constants.
    pub fn is_grass(bytes: &[u8]) -> bool {
        let word = |i: usize| table::u32_at(bytes, 4 * i, Endian::Little);
        bytes.len() >= GrassHeader::SIZE
            && [(1, 40), (2, 20), (4, 36), (6, 24), (8, 24)]
                .iter()
                .filter(|(i, size)| word(*i) == *size)
                .count()
                >= 4
    }

    /// The file's bytes.
    pub fn write(&self) -> Vec<u8> {
        let header = GrassHeader {
            version: 1,
            header_size: GrassHeader::SIZE as u32,
            volume_size: GrassVolume::SIZE as u32,
            volumes: self.volumes.len() as u32,
            vertex_size: GrassVertex::SIZE as u32,
            vertices: self.vertices.len() as u32,
            face_size: GrassFace::SIZE as u32,
            faces: self.faces.len() as u32,
            box_size: GrassBox::SIZE as u32,
            boxes: self.boxes.len() as u32,
        };
        let mut bytes = Vec::new();
        table::write(&mut bytes, &header, Endian::Little);
        table::write_all(&mut bytes, &self.volumes, Endian::Little);
        table::write_all(&mut bytes, &self.vertices, Endian::Little);
        table::write_all(&mut bytes, &self.faces, Endian::Little);
        table::write_all(&mut bytes, &self.boxes, Endian::Little);
        bytes
    }

    /// The rules the file breaks, in the order of its tables.
    pub fn problems(&self) -> Vec<Problem> {
        check::problems(self)
    }

    /// The faces under a volume; none where its range is not one.
    pub fn faces_of(&self, volume: &GrassVolume) -> &[GrassFace] {
        self.faces.get(volume.first_face as usize..volume.end_face as usize).unwrap_or_default()
    }

    /// The corners of a face; `None` where an index is past the vertices.
    pub fn corners(&self, face: &GrassFace) -> Option<[&GrassVertex; 3]> {
        let [a, b, c] = face.vertices.map(|i| self.vertices.get(i as usize));
        Some([a?, b?, c?])
    }

    /// How a face's normal lies to its winding.
    pub fn normal_sense(&self, face: &GrassFace) -> NormalSense {
        if face.normal == [0.0; 3] {
            return NormalSense::None;
        }
        let Some(corners) = self.corners(face) else { return NormalSense::Other };
        let [a, b, c] = corners.map(|v| glam::DVec3::from(v.position.map(f64::from)));
        let cross = (b - a).cross(c - a);
        let normal = glam::DVec3::from(face.normal.map(f64::from));
        let cosine = cross.dot(normal) / (cross.length() * normal.length());
        if cosine < -0.999 { NormalSense::Against } else { NormalSense::Other }
    }
}

impl GrassVolume {
    /// The children there are.
    pub fn children(&self) -> impl Iterator<Item = u32> + use<> {
        self.children.into_iter().filter(|child| *child != 0)
    }
}

fn next<T: Record>(bytes: &[u8], at: &mut u64, count: u32, what: &str) -> Result<Vec<T>, FormatError> {
    let records = table::read(bytes, *at, count.into(), Endian::Little, what)?;
    *at += u64::from(count) * T::SIZE as u64;
    Ok(records)
}
