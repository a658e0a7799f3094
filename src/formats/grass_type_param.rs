//! Rows of GrassTypeParam: what a grass type looks like (claim `grass-type-param`).
//!
//! The eight fields of the documents are named as theirs. The rest of the row follows the community's definition; what
//! those fields do is not explained by the documents.

use binrw::{Endian, binrw};

use super::table::{self, Record};
use super::{FormatError, Problem};

/// Which game's row: Elden Ring's has a second model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowGame {
    /// 244 bytes; its LOD range may be -1, the map's own.
    Sekiro,
    /// 276 bytes.
    EldenRing,
}

impl RowGame {
    /// The least bytes of a row.
    pub fn row_size(self) -> usize {
        match self {
            Self::Sekiro => GrassTypeRow::SIZE,
            Self::EldenRing => GrassTypeRow::SIZE + 32,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sekiro => "Sekiro",
            Self::EldenRing => "Elden Ring",
        }
    }
}

/// The row as stored, up to the fields that both games have.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct GrassTypeRow {
    /// LOD range; signed in Sekiro.
    pub lod_range: u16,
    /// How each LOD clusters.
    pub lod_cluster_types: [u8; 3],
    /// Padding.
    pub pad_05: [u8; 2],
    /// How it is distributed.
    pub distribution_type: u8,
    /// Density.
    pub base_density: f32,
    /// Model, UTF-16.
    pub model0: [u16; 16],
    /// Texture of flat blades, UTF-16.
    pub flat_texture: [u16; 32],
    /// Texture of billboards, UTF-16.
    pub billboard_texture: [u16; 32],
    /// Influence of the ground's normal.
    pub normal_influence: u8,
    /// Greatest inclination and its jitter.
    pub inclination: [u8; 2],
    /// Least and greatest base scale in percent.
    pub scale_base: [u8; 2],
    /// Least and greatest height scale in percent.
    pub scale_height: [u8; 2],
    /// First shade.
    pub colour1: [u8; 3],
    /// Second shade.
    pub colour2: [u8; 3],
    /// How flat blades split.
    pub flat_split_type: u8,
    /// Flat blades.
    pub flat_blade_count: u8,
    /// Their slant.
    pub flat_slant: i8,
    /// Their radius.
    pub flat_radius: f32,
    /// Whether it casts a shadow.
    pub cast_shadow: u8,
    /// Wind amplitude.
    pub wind_amplitude: u8,
    /// Padding.
    pub pad_c2: u8,
    /// Wind cycle.
    pub wind_cycle: u8,
    /// Heading, -1 for random.
    pub orientation_angle: f32,
    /// Range of headings.
    pub orientation_range: f32,
    /// Spacing.
    pub spacing: f32,
    /// Dithering.
    pub dithering: u8,
    /// Padding.
    pub pad_d1: [u8; 3],
    /// Simplified model, UTF-16.
    pub simple_model: [u16; 16],
}

impl Record for GrassTypeRow {
    const SIZE: usize = 244;
}

/// A row with what follows the common fields.
#[derive(Clone, Debug, PartialEq)]
pub struct GrassType {
    /// The common fields.
    pub row: GrassTypeRow,
    /// Second model, in Elden Ring.
    pub model1: Option<[u16; 16]>,
    /// Bytes after the known fields, kept as they are.
    pub rest: Vec<u8>,
}

impl GrassType {
    /// Reads one row; bytes beyond the fields are kept.
    pub fn read(bytes: &[u8], game: RowGame) -> Result<Self, FormatError> {
        let needed = game.row_size();
        if bytes.len() < needed {
            return Err(FormatError::Row { game: game.name(), len: bytes.len(), needed });
        }
        let row = table::one(bytes, 0, Endian::Little, "the row")?;
        let mut model1 = [0; 16];
        for (i, unit) in model1.iter_mut().enumerate() {
            *unit = table::u16_at(bytes, GrassTypeRow::SIZE + 2 * i, Endian::Little);
        }
        let model1 = (game == RowGame::EldenRing).then_some(model1);
        Ok(Self { row, model1, rest: bytes.get(needed..).unwrap_or_default().to_vec() })
    }

    /// Reads rows that stand `stride` bytes apart; the last may be as short as its fields.
    pub fn read_rows(bytes: &[u8], game: RowGame, stride: usize) -> Result<Vec<Self>, FormatError> {
        if stride < game.row_size() {
            return Err(FormatError::Row { game: game.name(), len: stride, needed: game.row_size() });
        }
        bytes.chunks(stride).map(|row| Self::read(row, game)).collect()
    }

    /// The row's bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        table::write(&mut bytes, &self.row, Endian::Little);
        bytes.extend(self.model1.iter().flatten().flat_map(|unit| unit.to_le_bytes()));
        bytes.extend_from_slice(&self.rest);
        bytes
    }

    /// The named resources, each with its field: an empty name is none.
    pub fn names(&self) -> Vec<(&'static str, Option<String>)> {
        let mut names = vec![
            ("model0", name(&self.row.model0)),
            ("flat_texture", name(&self.row.flat_texture)),
            ("billboard_texture", name(&self.row.billboard_texture)),
            ("simple_model", name(&self.row.simple_model)),
        ];
        if let Some(model1) = &self.model1 {
            names.push(("model1", name(model1)));
        }
        names
    }

    /// What is odd in the row.
    pub fn problems(&self) -> Vec<Problem> {
        let numbers = [("base density", self.row.base_density), ("spacing", self.row.spacing)];
        let odd = numbers.into_iter().filter(|(_, n)| !(n.is_finite() && *n >= 0.0));
        odd.map(|(field, n)| Problem::new("not a length or a density", field, n.to_string())).collect()
    }
}

/// A fixed-width name up to its first zero, if any; `None` where it is empty.
fn name(units: &[u16]) -> Option<String> {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    let text = String::from_utf16_lossy(units.get(..end).unwrap_or_default());
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(len: usize) -> Vec<u8> {
        (0..len).map(|i| i as u8).collect()
    }

    #[test]
    fn the_documented_fields_stand_at_their_offsets() {
        let bytes = counting(300);
        let read = GrassType::read(&bytes, RowGame::EldenRing).unwrap();
        let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        assert_eq!(read.row.lod_range, u16_at(0));
        assert_eq!(read.row.base_density.to_bits(), f32_at(0x8).to_bits());
        assert_eq!(read.row.model0[0], u16_at(0xC));
        assert_eq!(read.row.flat_texture[0], u16_at(0x2C));
        assert_eq!(read.row.billboard_texture[0], u16_at(0x6C));
        assert_eq!(read.row.normal_influence, bytes[0xAC]);
        assert_eq!(read.row.flat_slant, bytes[0xBB].cast_signed());
        assert_eq!(read.row.flat_radius.to_bits(), f32_at(0xBC).to_bits());
        assert_eq!(read.row.orientation_angle.to_bits(), f32_at(0xC4).to_bits());
        assert_eq!(read.row.spacing.to_bits(), f32_at(0xCC).to_bits());
        assert_eq!(read.row.simple_model[0], u16_at(0xD4));
        assert_eq!(read.model1.unwrap()[0], u16_at(0xF4));
        assert_eq!(read.rest, bytes[276..]);
        assert_eq!(read.write(), bytes);
    }

    #[test]
    fn a_row_shorter_than_its_fields_is_refused() {
        assert_eq!(RowGame::EldenRing.row_size(), 276);
        let short = GrassType::read(&counting(275), RowGame::EldenRing).unwrap_err();
        assert_eq!(short.rule(), "row too short");
        let sekiro = GrassType::read(&counting(244), RowGame::Sekiro).unwrap();
        assert_eq!((sekiro.model1, sekiro.write()), (None, counting(244)));
    }

    #[test]
    fn rows_stand_a_stride_apart() {
        let bytes = [counting(280), counting(276)].concat();
        let rows = GrassType::read_rows(&bytes, RowGame::EldenRing, 280).unwrap();
        assert_eq!((rows.len(), rows[0].rest.len(), rows[1].rest.len()), (2, 4, 0));
        assert!(GrassType::read_rows(&bytes, RowGame::EldenRing, 100).is_err());
        assert!(GrassType::read_rows(&bytes[..500], RowGame::EldenRing, 280).is_err());
    }

    #[test]
    fn a_full_name_need_not_end_and_an_empty_one_is_none() {
        assert_eq!(name(&[65; 16]), Some("A".repeat(16)));
        assert_eq!(name(&[0; 16]), None);
        assert_eq!(name(&[65, 0, 66]), Some("A".into()));
    }
}
