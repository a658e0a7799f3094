//! Materials (32 bytes), their textures (32 bytes) and the items of a material's GX list.

use binrw::{Endian, binrw};

use super::header::Version;
use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// A material as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// Where its name begins.
    pub name_offset: u32,
    /// Where the path of its definition begins.
    pub definition_offset: u32,
    /// Textures.
    pub texture_count: i32,
    /// The first of them in the file's table.
    pub first_texture: i32,
    /// Bytes of its strings, in files from 0x20010 up.
    pub string_bytes: i32,
    /// Where its GX list begins, 0 for none.
    pub gx_offset: u32,
    /// Its own index, from Sekiro on.
    pub index: i32,
    /// Zero in every file seen.
    pub reserved: i32,
}

impl Record for Material {
    const SIZE: usize = 32;
}

/// A texture as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Where its path begins.
    pub path_offset: u32,
    /// Where the name of its sampler begins.
    pub sampler_offset: u32,
    /// Scale of the coordinates.
    pub scale: [f32; 2],
    /// Tiling along U and V.
    pub tiling: [u8; 2],
    /// Zero in every file seen.
    pub reserved: [u8; 2],
    /// Not explained.
    pub unknown_14: [f32; 3],
}

impl Record for Texture {
    const SIZE: usize = 32;
}

/// An item of a GX list: shader parameters this reader does not interpret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GxItem {
    /// Its number, or four characters in later versions.
    pub id: [u8; 4],
    /// The word after it.
    pub unknown_4: i32,
    /// Where its bytes begin.
    pub offset: u64,
    /// How many they are.
    pub len: u64,
}

/// The items of the GX list at `offset` and its bytes, terminator included: one item below version 0x20010, else as many
/// as stand before the terminator.
pub(crate) fn gx_items(
    bytes: &[u8],
    offset: u32,
    version: Version,
    endian: Endian,
) -> Result<(Vec<GxItem>, u64), FormatError> {
    const HEAD: u64 = 12;
    let mut items = Vec::new();
    let mut at = u64::from(offset);
    loop {
        let head = table::slice(bytes, at, HEAD, "a GX item")?;
        let id = table::u32_at(head, 0, endian);
        if version.0 >= 0x20010 && (id == 0x7FFF_FFFF || id == u32::MAX) {
            // The terminator's length takes in its own head; one reader describes a kind that does not, which is at least
            // the head all the same.
            let len = u64::from(table::u32_at(head, 8, endian)).max(HEAD);
            return Ok((items, at + len - u64::from(offset)));
        }
        let stored = table::i32_at(head, 8, endian);
        let len = u64::try_from(stored).ok().and_then(|len| len.checked_sub(HEAD)).ok_or_else(|| {
            FormatError::Count { what: "bytes of a GX item".into(), offset: at, count: stored.into() }
        })?;
        table::slice(bytes, at + HEAD, len, "a GX item")?;
        let id = head.first_chunk().copied().unwrap_or_default();
        items.push(GxItem { id, unknown_4: table::i32_at(head, 4, endian), offset: at + HEAD, len });
        at += HEAD + len;
        if version.0 < 0x20010 {
            return Ok((items, at - u64::from(offset)));
        }
    }
}
