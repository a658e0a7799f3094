//! DCX: a compressed file inside a header whose words are big-endian.
//!
//! In: the container's bytes. Out: the file inside. Deflate, zstd and Kraken (through an open decoder) are read; any
//! other kind is an error that prints it. The unpacked size in the header bounds what comes out and never decides an
//! allocation on its own.

use std::io::Read;

use binrw::Endian;

use super::FormatError;
use super::table;

/// Where the packed bytes begin, whatever the header's own words say.
const DATA: u64 = 0x4C;

/// More than this is no game file: the largest binders unpack to a few hundred megabytes.
const MOST_UNPACKED: u64 = 1 << 31;

/// How many times its packed bytes a Kraken stream may unpack to. The decoder wants the whole output at once, so this
/// bounds what a header can claim; real files stay far below.
const MOST_KRAKEN_RATIO: u64 = 4096;

/// Whether bytes are a DCX container.
pub fn is_dcx(bytes: &[u8]) -> bool {
    bytes.starts_with(b"DCX\0")
}

/// Unpacks a DCX container.
pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    if !is_dcx(bytes) {
        return Err(FormatError::magic("DCX", bytes));
    }
    let header = table::slice(bytes, 0, DATA, "the DCX header")?;
    let word = |at: usize| u64::from(table::u32_at(header, at, Endian::Big));
    let kind = header.get(0x28..0x2C).unwrap_or_default();
    let fail = |reason: String| FormatError::Compression { kind: kind.escape_ascii().to_string(), reason };
    for (at, mark) in [(0x18, b"DCS\0"), (0x24, b"DCP\0")] {
        if header.get(at..at + 4) != Some(mark) {
            return Err(fail(format!("no {} at {at:#x}", mark.escape_ascii())));
        }
    }
    let (unpacked, packed) = (word(0x1C), word(0x20));
    if unpacked > MOST_UNPACKED {
        return Err(fail(format!("it claims to unpack to {unpacked} bytes")));
    }
    let data = table::slice(bytes, DATA, packed, "the packed bytes")?;
    let out = match kind {
        b"DFLT" => stream(flate2::read::ZlibDecoder::new(data), unpacked).map_err(|e| fail(e.to_string()))?,
        b"ZSTD" => zstd::stream::read::Decoder::new(data)
            .and_then(|decoder| stream(decoder, unpacked))
            .map_err(|e| fail(e.to_string()))?,
        b"KRAK" => kraken(data, unpacked).map_err(fail)?,
        b"EDGE" => return Err(fail("deflate in 64 KiB chunks (Demon's Souls) is not supported".into())),
        _ => return Err(fail("unknown".into())),
    };
    if out.len() as u64 != unpacked {
        return Err(fail(format!("{} bytes came out, and the header says {unpacked}", out.len())));
    }
    Ok(out)
}

/// Everything a decoder gives, stopping one byte past what is expected.
fn stream(decoder: impl Read, unpacked: u64) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    decoder.take(unpacked + 1).read_to_end(&mut out)?;
    Ok(out)
}

fn kraken(data: &[u8], unpacked: u64) -> Result<Vec<u8>, String> {
    let most = (data.len() as u64).saturating_mul(MOST_KRAKEN_RATIO);
    let size = usize::try_from(unpacked).ok().filter(|_| unpacked <= most);
    let size = size.ok_or_else(|| format!("{} bytes cannot unpack to {unpacked}", data.len()))?;
    let mut out = vec![0; size];
    // The decoder is another's, and panics on about one broken stream in ten.
    let decode = || oozextract::Extractor::new().read_from_slice(data, &mut out);
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode)) {
        Ok(Ok(len)) if len == size => Ok(out),
        Ok(Ok(len)) => Err(format!("{len} bytes came out, and the header says {unpacked}")),
        Ok(Err(_)) => Err("the Kraken stream is broken".into()),
        Err(_) => Err("the Kraken decoder gave up on the stream".into()),
    }
}

/// Wraps a file in a DCX of zlib deflate, as Sekiro does, for tests and synthetic populations.
pub fn pack_deflate(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    // A vector takes every byte.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    wrap(b"DFLT", 9, bytes.len(), &packed)
}

fn wrap(kind: &[u8; 4], level: u8, unpacked: usize, packed: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(DATA as usize + packed.len());
    let mut word = |value: u32| out.extend_from_slice(&value.to_be_bytes());
    word(u32::from_be_bytes(*b"DCX\0"));
    for value in [0x10000, 0x18, 0x24, 0x44, 0x4C, u32::from_be_bytes(*b"DCS\0")] {
        word(value);
    }
    word(unpacked as u32);
    word(packed.len() as u32);
    for value in [u32::from_be_bytes(*b"DCP\0"), u32::from_be_bytes(*kind), 0x20, u32::from(level) << 24] {
        word(value);
    }
    for value in [0, 0, 0, 0x0001_0100, u32::from_be_bytes(*b"DCA\0"), 8] {
        word(value);
    }
    out.extend_from_slice(packed);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        (0..5000u32).flat_map(|i| (i / 7).to_le_bytes()).collect()
    }

    #[test]
    fn deflate_and_zstd_come_back() {
        let file = sample();
        assert_eq!(unpack(&pack_deflate(&file)).unwrap(), file);
        let packed = zstd::encode_all(&file[..], 3).unwrap();
        assert_eq!(unpack(&wrap(b"ZSTD", 0, file.len(), &packed)).unwrap(), file);
    }

    /// A Kraken stream of one block stored as it is: the two-byte block header (0x4C: uncompressed) and the bytes.
    #[test]
    fn a_stored_kraken_block_comes_back() {
        let file = vec![0xAB; 0x4000];
        let stored = [&[0x4C, 0x06][..], &file].concat();
        assert_eq!(unpack(&wrap(b"KRAK", 6, file.len(), &stored)).unwrap(), file);
        assert!(unpack(&wrap(b"KRAK", 6, file.len(), &stored[..100])).is_err());
    }

    #[test]
    fn a_kind_that_is_not_known_is_printed() {
        let error = unpack(&wrap(b"ZZZZ", 0, 4, b"abcd")).unwrap_err().to_string();
        assert_eq!(error, "DCX of kind ZZZZ: unknown");
        assert!(unpack(&wrap(b"EDGE", 0, 4, b"abcd")).unwrap_err().to_string().contains("EDGE"));
    }

    #[test]
    fn sizes_that_lie_are_refused() {
        let file = sample();
        let good = pack_deflate(&file);
        for (at, value) in [(0x1C, 100u32), (0x1C, 30_000), (0x1C, u32::MAX), (0x20, 10), (0x20, u32::MAX)] {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&value.to_be_bytes());
            assert!(unpack(&bad).is_err(), "{value} at {at:#x}");
        }
        assert!(unpack(&wrap(b"KRAK", 6, 1 << 30, &[0x4C, 0x06])).is_err());
        for len in 0..good.len() {
            assert!(unpack(&good[..len]).is_err(), "prefix of {len}");
        }
    }
}
