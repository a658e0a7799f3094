//! The records the games put into buffers, byte for byte (captures/README.md, "The draw model", "Records").
//!
//! Row `i` of an affine record is `(m_i0, m_i1, m_i2, t_i)`: the translation is the fourth column, bytes 12, 28 and 44
//! (claim `affine-record`).

use binrw::{BinRead, BinWrite, binrw};
use glam::{DMat3, DVec3, DVec4};

/// A palette entry: three rows of four floats, 48 bytes (claim `affine-record`).
#[binrw]
#[brw(little)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The rows; the fourth number of each is the translation.
    pub rows: [[f32; 4]; 3],
}

impl Affine {
    /// Bytes of a record.
    pub const SIZE: usize = 48;
    /// Records of the 12,288-byte range the games bind as a palette (claim `palette-extent`).
    pub const PALETTE: usize = 256;
    /// The map that moves nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// The rows in float64.
    pub fn rows_f64(&self) -> [DVec4; 3] {
        self.rows.map(|[x, y, z, w]| DVec4::new(x.into(), y.into(), z.into(), w.into()))
    }

    /// Applies the map to a position.
    pub fn point(&self, p: DVec3) -> DVec3 {
        let [x, y, z] = self.rows_f64().map(|row| row.dot(p.extend(1.0)));
        DVec3::new(x, y, z)
    }

    /// Applies the 3 x 3 part to a direction.
    pub fn direction(&self, d: DVec3) -> DVec3 {
        let [x, y, z] = self.rows_f64().map(|row| row.truncate().dot(d));
        DVec3::new(x, y, z)
    }

    /// The record of a linear part (as a column-vector matrix) and a translation, rounded to f32.
    pub fn from_parts(linear: DMat3, translation: DVec3) -> Self {
        let row = |i: usize| {
            let r = linear.row(i);
            [r.x as f32, r.y as f32, r.z as f32, translation[i] as f32]
        };
        Self { rows: [row(0), row(1), row(2)] }
    }
}

/// A vertex of the deformed position streams, 20 bytes (seed document, "Skinned vertex streams at run time").
#[binrw]
#[brw(little)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionVertex {
    /// Position in model bind space.
    pub position: [f32; 3],
    /// Normal, four 8-bit numbers.
    pub normal: [u8; 4],
    /// Tangent, four 8-bit numbers.
    pub tangent: [u8; 4],
}

impl PositionVertex {
    /// Bytes of a record.
    pub const SIZE: usize = 20;
}

/// `cbMatrixWVP`: this frame's view-projection and the last one's, each four rows of four with
/// `clip_i = dot(row_i, (p, 1))`. The memory order is *assumed* (captures/README.md, "The draw model").
#[binrw]
#[brw(little)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewProjections {
    /// Rows of the first matrix.
    pub current: [[f32; 4]; 4],
    /// Rows of the second matrix.
    pub previous: [[f32; 4]; 4],
}

impl ViewProjections {
    /// Bytes of a record.
    pub const SIZE: usize = 128;

    /// Clip-space position of `p` under one of the matrices.
    pub fn clip(rows: &[[f32; 4]; 4], p: DVec3) -> DVec4 {
        let [x, y, z, w] =
            rows.map(|[x, y, z, w]| DVec4::new(x.into(), y.into(), z.into(), w.into()).dot(p.extend(1.0)));
        DVec4::new(x, y, z, w)
    }
}

/// An instance record of `cbInstanceData`, 208 bytes (claim `instance-record`). The documents give the size and the
/// order of the fields; the offsets past the world matrix are *assumed* (captures/README.md, "The draw model"), and a capture's own reflection
/// overrides them.
#[binrw]
#[brw(little)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// World matrix.
    pub world: Affine,
    /// Fade alpha, assumed at 48.
    pub fade_alpha: f32,
    /// Number of forces, assumed at 52.
    pub force_num: u32,
    /// What it indexes is not established (claim `force-index-meaning`), assumed at 56.
    pub force_index: u32,
    /// Assumed padding.
    pub pad: u32,
    /// Colour palette, assumed at 64.
    pub palette: [[f32; 4]; 9],
}

impl Instance {
    /// Bytes of a record in the documents' Elden Ring frame.
    pub const SIZE: usize = 208;
    /// Bytes of the range a grass draw binds; it holds 315 records.
    pub const RANGE: usize = 65_536;
}

/// `ForceParamStruct`, 96 bytes (claim `force-record`). What a program makes of the words is not established (claim
/// `grass-motion`).
#[binrw]
#[brw(little)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    /// `SystemParam`.
    pub system: [u32; 4],
    /// `PosAndSquareForce`.
    pub pos_and_square_force: [f32; 4],
    /// `DirAndSineForce`.
    pub dir_and_sine_force: [f32; 4],
    /// `WindParam`.
    pub wind: [f32; 4],
    /// `GustParam`.
    pub gust: [f32; 4],
    /// `GustTimeParam`.
    pub gust_time: [f32; 4],
}

impl Force {
    /// Bytes of a record.
    pub const SIZE: usize = 96;
    /// Records of the table.
    pub const COUNT: usize = 256;
}

/// Reads as many whole records as `bytes` holds; a rest shorter than a record is left out.
pub fn read_all<T>(bytes: &[u8]) -> Vec<T>
where
    T: for<'a> BinRead<Args<'a> = ()> + binrw::meta::ReadEndian,
{
    let mut cursor = std::io::Cursor::new(bytes);
    std::iter::from_fn(|| T::read(&mut cursor).ok()).collect()
}

/// Reads the record at `offset`; `None` where the bytes end before it does.
pub fn read_at<T>(bytes: &[u8], offset: usize) -> Option<T>
where
    T: for<'a> BinRead<Args<'a> = ()> + binrw::meta::ReadEndian,
{
    T::read(&mut std::io::Cursor::new(bytes.get(offset..)?)).ok()
}

/// The bytes of records in a row.
pub fn write_all<T>(records: &[T]) -> Vec<u8>
where
    T: for<'a> BinWrite<Args<'a> = ()> + binrw::meta::WriteEndian,
{
    let mut cursor = std::io::Cursor::new(Vec::new());
    for record in records {
        record.write(&mut cursor).expect("a vector takes every byte");
    }
    cursor.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: u32) -> Vec<u8> {
        (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect()
    }

    #[test]
    fn an_affine_record_has_its_translation_in_the_fourth_column() {
        let bytes = words(12);
        let affine: Affine = read_at(&bytes, 0).unwrap();
        assert_eq!(affine.rows[1], [4.0, 5.0, 6.0, 7.0]);
        assert_eq!(affine.point(DVec3::ZERO), DVec3::new(3.0, 7.0, 11.0));
        assert_eq!(write_all(&[affine]), bytes);
        assert_eq!(write_all(&[affine]).len(), Affine::SIZE);
    }

    #[test]
    fn sizes_are_those_of_the_documents() {
        assert_eq!(write_all(&read_all::<Instance>(&words(52))).len(), Instance::SIZE);
        assert_eq!(write_all(&read_all::<Force>(&words(24))).len(), Force::SIZE);
        assert_eq!(write_all(&read_all::<ViewProjections>(&words(32))).len(), ViewProjections::SIZE);
        assert_eq!(write_all(&read_all::<PositionVertex>(&words(5))).len(), PositionVertex::SIZE);
        assert_eq!(Instance::RANGE / Instance::SIZE, 315);
        assert_eq!(Affine::PALETTE * Affine::SIZE, 12_288);
    }

    #[test]
    fn a_rest_shorter_than_a_record_is_left_out() {
        assert_eq!(read_all::<Affine>(&words(13)).len(), 1);
        assert!(read_at::<Affine>(&words(12), 4).is_none());
        assert!(read_at::<Affine>(&words(12), usize::MAX).is_none());
    }

    #[test]
    fn an_instance_record_keeps_its_fields_at_the_assumed_offsets() {
        let mut bytes = vec![0u8; Instance::SIZE];
        bytes[48..52].copy_from_slice(&0.5f32.to_le_bytes());
        bytes[52..56].copy_from_slice(&2u32.to_le_bytes());
        bytes[56..60].copy_from_slice(&1283u32.to_le_bytes());
        bytes[64..68].copy_from_slice(&7f32.to_le_bytes());
        let i: Instance = read_at(&bytes, 0).unwrap();
        assert_eq!((i.fade_alpha, i.force_num, i.force_index, i.palette[0][0]), (0.5, 2, 1283, 7.0));
    }
}
