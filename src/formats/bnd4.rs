//! BND4 binders (.mapbnd, .geombnd, .chrbnd, .partsbnd, .objbnd and others): files by name in one file.
//!
//! In: the binder's bytes, unpacked. Out: members with their ranges of it. What the format byte says decides which fields
//! an entry has.

use std::ops::Range;

use binrw::Endian;

use super::FormatError;
use super::table;

const HEADER: u64 = 0x40;

/// A member of a binder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number; -1 where the binder stores none.
    pub id: i32,
    /// Its name as stored, often a whole path; empty where the binder stores none.
    pub name: String,
    /// Its bytes in the binder. Where they are a DCX of their own they are unpacked by whoever reads them.
    pub range: Range<usize>,
}

impl Entry {
    /// The last part of its name, or `#id` where it has none.
    pub fn file_name(&self) -> String {
        match self.name.rsplit(['\\', '/']).next() {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("#{}", self.id),
        }
    }
}

/// What an entry stores, from the format byte.
#[derive(Clone, Copy)]
struct Fields {
    ids: bool,
    names: bool,
    long_offsets: bool,
    compression: bool,
    names_alone: bool,
}

impl Fields {
    const BIG: u8 = 0x01;
    const IDS: u8 = 0x02;
    const NAMES: u8 = 0x04 | 0x08;
    const LONG_OFFSETS: u8 = 0x10;
    const COMPRESSION: u8 = 0x20;

    /// The byte's bits are stored the other way round, unless the header says that they are not.
    fn of(raw: u8, as_they_are: bool) -> Self {
        let as_they_are = as_they_are || (raw & Self::BIG != 0 && raw & 0x80 == 0);
        let bits = if as_they_are { raw } else { raw.reverse_bits() };
        Self {
            ids: bits & Self::IDS != 0,
            names: bits & Self::NAMES != 0,
            long_offsets: bits & Self::LONG_OFFSETS != 0,
            compression: bits & Self::COMPRESSION != 0,
            names_alone: bits == 0x04,
        }
    }

    /// Bytes of an entry.
    fn entry_size(self) -> u64 {
        let mut size = 16;
        size += if self.compression { 8 } else { 0 };
        size += if self.long_offsets { 8 } else { 4 };
        size += if self.ids { 4 } else { 0 };
        size += if self.names { 4 } else { 0 };
        size + if self.names_alone { 8 } else { 0 }
    }
}

/// Whether bytes are a BND4 binder.
pub fn is_bnd4(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BND4")
}

/// The members of a binder, in its order.
pub fn entries(bytes: &[u8]) -> Result<Vec<Entry>, FormatError> {
    if !is_bnd4(bytes) {
        return Err(FormatError::magic("BND4", bytes));
    }
    let header = table::slice(bytes, 0, HEADER, "the binder's header")?;
    let byte = |at: usize| header.get(at).copied().unwrap_or_default();
    let endian = if byte(0x09) != 0 { Endian::Big } else { Endian::Little };
    let fields = Fields::of(byte(0x31), byte(0x0A) == 0);
    let unicode = byte(0x30) != 0;
    let count = table::count(table::i32_at(header, 0x0C, endian), "the binder's members", HEADER)?;
    let size = table::u64_at(header, 0x20, endian);
    if size != fields.entry_size() {
        let expected = fields.entry_size();
        return Err(FormatError::Constant { field: "entry size", offset: 0x20, expected, found: size });
    }
    let len = count.saturating_mul(size);
    let records = table::slice(bytes, HEADER, len, "the binder's members")?;
    let records = records.chunks_exact(usize::try_from(size).unwrap_or(usize::MAX));
    records.map(|record| entry(bytes, record, fields, unicode, endian)).collect()
}

fn entry(
    bytes: &[u8],
    record: &[u8],
    fields: Fields,
    unicode: bool,
    endian: Endian,
) -> Result<Entry, FormatError> {
    let len = table::u64_at(record, 0x08, endian);
    let mut at = if fields.compression { 0x18 } else { 0x10 };
    let offset = if fields.long_offsets {
        table::u64_at(record, at, endian)
    } else {
        table::u32_at(record, at, endian).into()
    };
    at += if fields.long_offsets { 8 } else { 4 };
    let id = if fields.ids { table::i32_at(record, at, endian) } else { -1 };
    at += if fields.ids { 4 } else { 0 };
    let name = if fields.names {
        text(bytes, table::u32_at(record, at, endian), unicode, endian)?
    } else {
        String::new()
    };
    table::slice(bytes, offset, len, &format!("member {name}"))?;
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    Ok(Entry { id, name, range: start..start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)) })
}

/// Longer names are no paths: what a member costs stays bounded however many share a name.
const LONGEST_NAME: usize = 1024;

fn text(bytes: &[u8], offset: u32, unicode: bool, endian: Endian) -> Result<String, FormatError> {
    let none = || FormatError::Text { offset: offset.into() };
    let from = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).ok_or_else(none)?;
    if unicode {
        let units = from.chunks_exact(2).map(|raw| table::u16_at(raw, 0, endian));
        let len = units.clone().take(LONGEST_NAME).position(|unit| unit == 0).ok_or_else(none)?;
        Ok(char::decode_utf16(units.take(len)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    } else {
        let len = from.iter().take(LONGEST_NAME).position(|b| *b == 0).ok_or_else(none)?;
        Ok(from.get(..len).unwrap_or_default().escape_ascii().to_string().replace("\\\\", "\\"))
    }
}

/// A binder as Sekiro and Elden Ring store them, for tests and synthetic populations: members by number, path and bytes.
pub fn write(members: &[(i32, &str, &[u8])]) -> Vec<u8> {
    const ENTRY: usize = 0x24;
    let names: Vec<Vec<u8>> = members
        .iter()
        .map(|(_, name, _)| name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect())
        .collect();
    let names_at = HEADER as usize + ENTRY * members.len();
    let data_at = (names_at + names.iter().map(Vec::len).sum::<usize>()).next_multiple_of(16);
    let mut out = b"BND4\0\0\0\0\0\0\x01\0".to_vec();
    out.extend_from_slice(&(members.len() as u32).to_le_bytes());
    out.extend_from_slice(&HEADER.to_le_bytes());
    out.extend_from_slice(b"07D7R6\0\0");
    out.extend_from_slice(&(ENTRY as u64).to_le_bytes());
    out.extend_from_slice(&(data_at as u64).to_le_bytes());
    // Unicode names; identifiers, both name bits and compression, with the bits turned round.
    out.extend_from_slice(&[1, 0x74, 0, 0]);
    out.resize(HEADER as usize, 0);
    let (mut name_at, mut at) = (names_at, data_at);
    for ((id, _, bytes), name) in members.iter().zip(&names) {
        out.extend_from_slice(&[0x40, 0, 0, 0]);
        out.extend_from_slice(&(-1i32).to_le_bytes());
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        out.extend_from_slice(&(at as u32).to_le_bytes());
        out.extend_from_slice(&id.to_le_bytes());
        out.extend_from_slice(&(name_at as u32).to_le_bytes());
        name_at += name.len();
        at = (at + bytes.len()).next_multiple_of(16);
    }
    names.iter().for_each(|name| out.extend_from_slice(name));
    for (_, _, bytes) in members {
        out.resize(out.len().next_multiple_of(16), 0);
        out.extend_from_slice(bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_by_name() {
        let binder = write(&[(200, "N:\\x\\m10.flver", b"FLVER"), (1200, "N:\\x\\m10.grass", b"g")]);
        let members = entries(&binder).unwrap();
        assert_eq!(members[0].file_name(), "m10.flver");
        assert_eq!((members[1].id, &binder[members[1].range.clone()]), (1200, &b"g"[..]));
    }

    #[test]
    fn every_prefix_and_every_changed_byte_is_an_error_or_a_value() {
        let binder = write(&[(200, "a.flver", b"FLVER"), (1200, "b.grass", b"g")]);
        for len in 0..binder.len() {
            assert!(entries(&binder[..len]).is_err(), "prefix of {len}");
        }
        for i in 0..binder.len() {
            for bit in 0..8 {
                let mut changed = binder.clone();
                changed[i] ^= 1 << bit;
                for member in entries(&changed).unwrap_or_default() {
                    assert!(changed.get(member.range).is_some());
                }
            }
        }
    }

    #[test]
    fn a_format_byte_decides_the_fields() {
        assert_eq!(Fields::of(0x74, false).entry_size(), 0x24);
        assert_eq!(Fields::of(0x2E, true).entry_size(), 0x24);
        let mut binder = write(&[(1, "a", b"x")]);
        binder[0x31] = 0x34;
        assert_eq!(entries(&binder).unwrap_err().rule(), "entry size");
    }
}
