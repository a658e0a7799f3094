//! Bytes at offsets, and tables of records of a fixed size: every read of foreign bytes goes through here.

use std::io::Cursor;

use binrw::{BinRead, BinWrite, Endian};

use super::FormatError;

/// A record of a fixed size in files.
pub trait Record: for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()> {
    /// Its bytes.
    const SIZE: usize;
}

/// `len` bytes at `offset`, or what is missing.
pub(crate) fn slice<'a>(bytes: &'a [u8], offset: u64, len: u64, what: &str) -> Result<&'a [u8], FormatError> {
    offset
        .checked_add(len)
        .and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?))
        .ok_or_else(|| FormatError::Truncated {
            what: what.to_owned(),
            offset,
            needed: len,
            len: bytes.len() as u64,
        })
}

/// A count as files store it, checked to be one.
pub(crate) fn count(count: i32, what: &str, offset: u64) -> Result<u64, FormatError> {
    u64::try_from(count).map_err(|_| FormatError::Count {
        what: what.to_owned(),
        offset,
        count: count.into(),
    })
}

/// `len` records in a row at `offset`. Nothing is allocated before the bytes are known to be there.
pub(crate) fn read<T: Record>(
    bytes: &[u8],
    offset: u64,
    len: u64,
    endian: Endian,
    what: &str,
) -> Result<Vec<T>, FormatError> {
    let size = len.checked_mul(T::SIZE as u64).ok_or_else(|| FormatError::Count {
        what: what.to_owned(),
        offset,
        count: i64::try_from(len).unwrap_or(i64::MAX),
    })?;
    let table = slice(bytes, offset, size, what)?;
    let mut records = Vec::with_capacity(table.len() / T::SIZE);
    for record in table.chunks_exact(T::SIZE) {
        records.push(one(record, offset, endian, what)?);
    }
    Ok(records)
}

/// The record whose bytes begin `bytes`, which stand at `offset`.
pub(crate) fn one<T: Record>(
    bytes: &[u8],
    offset: u64,
    endian: Endian,
    what: &str,
) -> Result<T, FormatError> {
    T::read_options(&mut Cursor::new(bytes), endian, ()).map_err(|_| FormatError::Truncated {
        what: what.to_owned(),
        offset,
        needed: T::SIZE as u64,
        len: bytes.len() as u64,
    })
}

/// Appends a record.
pub(crate) fn write<T: Record>(to: &mut Vec<u8>, record: &T, endian: Endian) {
    let mut cursor = Cursor::new(Vec::with_capacity(T::SIZE));
    // A vector takes every byte, and no record of ours has a field that cannot be written.
    if record.write_options(&mut cursor, endian, ()).is_ok() {
        to.append(&mut cursor.into_inner());
    }
}

/// Appends records in a row.
pub(crate) fn write_all<T: Record>(to: &mut Vec<u8>, records: &[T], endian: Endian) {
    for record in records {
        write(to, record, endian);
    }
}

/// Numbers inside a vertex or a list, by byte order.
macro_rules! number {
    ($name:ident, $type:ty) => {
        /// The number at `offset` of `bytes`; zero past their end (callers have checked the range).
        pub(crate) fn $name(bytes: &[u8], offset: usize, endian: Endian) -> $type {
            const SIZE: usize = size_of::<$type>();
            let raw =
                bytes.get(offset..).and_then(|rest| rest.first_chunk::<SIZE>()).copied().unwrap_or_default();
            match endian {
                Endian::Little => <$type>::from_le_bytes(raw),
                Endian::Big => <$type>::from_be_bytes(raw),
            }
        }
    };
}
number!(u16_at, u16);
number!(u32_at, u32);
number!(i32_at, i32);
number!(f32_at, f32);
number!(u64_at, u64);
