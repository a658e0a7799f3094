//! How the bytes of a vertex member read, by its type and what it is.

use binrw::Endian;

use super::header::Version;
use super::layout::VertexSemantic;
use crate::formats::table;

/// How a layout member's bytes read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoded {
    /// Three numbers.
    Position([f32; 3]),
    /// Four weights, as stored: they need not sum to one (claim `weight-sum`).
    Weights([f32; 4]),
    /// Indices, two or four of them.
    Indices([u16; 4], usize),
    /// A direction and its fourth number: an integer of a normal (its node in static meshes), the handedness of a
    /// tangent, nothing in three-float types.
    Direction([f32; 3], Option<f32>),
    /// One or two pairs of coordinates.
    Uv([f32; 4], usize),
    /// Red, green, blue, alpha.
    Colour([f32; 4]),
    /// A type that no reader describes for this semantic: its bytes stand for themselves.
    Bytes,
}

/// Reads a member's bytes, all of them there.
pub(super) fn read(
    semantic: VertexSemantic,
    kind: u32,
    bytes: &[u8],
    endian: Endian,
    version: Version,
) -> Decoded {
    let raw = Raw { bytes, endian };
    let read = match semantic {
        VertexSemantic::Position => position(kind, &raw),
        VertexSemantic::Weights => weights(kind, &raw),
        VertexSemantic::Indices => indices(kind, &raw),
        VertexSemantic::Normal => direction(kind, &raw, Fourth::Integer),
        VertexSemantic::Tangent | VertexSemantic::Bitangent => direction(kind, &raw, Fourth::Handedness),
        VertexSemantic::Uv => uv(kind, &raw, version.uv_factor()),
        VertexSemantic::Colour => colour(kind, &raw),
        VertexSemantic::Other(_) => None,
    };
    read.unwrap_or(Decoded::Bytes)
}

/// A member's bytes, read as numbers.
struct Raw<'v> {
    bytes: &'v [u8],
    endian: Endian,
}

impl Raw<'_> {
    fn u8(&self, i: usize) -> u8 {
        self.bytes.get(i).copied().unwrap_or_default()
    }
    fn i8(&self, i: usize) -> i8 {
        self.u8(i).cast_signed()
    }
    fn u16(&self, i: usize) -> u16 {
        table::u16_at(self.bytes, 2 * i, self.endian)
    }
    fn i16(&self, i: usize) -> i16 {
        self.u16(i).cast_signed()
    }
    fn f32(&self, i: usize) -> f32 {
        table::f32_at(self.bytes, 4 * i, self.endian)
    }
    fn floats(&self) -> [f32; 3] {
        [self.f32(0), self.f32(1), self.f32(2)]
    }
}

fn position(kind: u32, raw: &Raw<'_>) -> Option<Decoded> {
    matches!(kind, 0x02 | 0x03).then(|| Decoded::Position(raw.floats()))
}

fn weights(kind: u32, raw: &Raw<'_>) -> Option<Decoded> {
    let each: fn(&Raw<'_>, usize) -> f32 = match kind {
        0x10 => |raw, i| f32::from(raw.i8(i)) / 127.0,
        0x13 => |raw, i| f32::from(raw.u8(i)) / 255.0,
        // The top bit is stored flipped.
        0x16 => |raw, i| f32::from(raw.u16(i) ^ 0x8000) / 65535.0,
        0x1A => |raw, i| f32::from(raw.i16(i)) / 32767.0,
        _ => return None,
    };
    Some(Decoded::Weights([0, 1, 2, 3].map(|i| each(raw, i))))
}

fn indices(kind: u32, raw: &Raw<'_>) -> Option<Decoded> {
    Some(match kind {
        0x11 | 0x12 | 0x2F => Decoded::Indices([0, 1, 2, 3].map(|i| raw.u8(i).into()), 4),
        0x17 => Decoded::Indices([raw.u16(0), raw.u16(1), 0, 0], 2),
        0x18 => Decoded::Indices([0, 1, 2, 3].map(|i| raw.u16(i)), 4),
        _ => return None,
    })
}

/// What the fourth number of a direction is: a normal's goes by as the integer it is, a tangent's is scaled as X, Y and Z.
#[derive(Clone, Copy, PartialEq)]
enum Fourth {
    Integer,
    Handedness,
}

fn direction(kind: u32, raw: &Raw<'_>, fourth: Fourth) -> Option<Decoded> {
    let biased = |b: u8| (f32::from(b) - 127.0) / 127.0;
    let signed = |b: i8| f32::from(b) / 127.0;
    let w = |integer: f32, scaled: f32| Some(if fourth == Fourth::Integer { integer } else { scaled });
    let (xyz, w) = match kind {
        0x02 => (raw.floats(), None),
        0x03 => (raw.floats(), Some(raw.f32(3))),
        0x10 | 0x11 | 0x13 | 0x2F => {
            ([0, 1, 2].map(|i| biased(raw.u8(i))), w(raw.u8(3).into(), biased(raw.u8(3))))
        }
        // W first, then Z, Y, X. The other reading, biased and X first, would reach -2.
        0x12 => ([3, 2, 1].map(|i| signed(raw.i8(i))), w(raw.u8(0).into(), signed(raw.i8(0)))),
        0x14 if fourth == Fourth::Handedness => {
            ([3, 2, 1].map(|i| signed(raw.i8(i))), Some(signed(raw.i8(0))))
        }
        0x18 => (
            [0, 1, 2].map(|i| f32::from(raw.i16(i)) / 127.0 - 1.0),
            w(raw.i16(3).into(), f32::from(raw.i16(3)) / 127.0 - 1.0),
        ),
        0x1A => (
            [0, 1, 2].map(|i| f32::from(raw.i16(i)) / 32767.0),
            w(raw.i16(3).into(), f32::from(raw.i16(3)) / 32767.0),
        ),
        0x2E => {
            let wide = |i: usize| (f32::from(raw.u16(i)) - 32767.0) / 32767.0;
            ([0, 1, 2].map(wide), w(raw.i16(3).into(), wide(3)))
        }
        _ => return None,
    };
    Some(Decoded::Direction(xyz, w))
}

fn uv(kind: u32, raw: &Raw<'_>, factor: f32) -> Option<Decoded> {
    let short = |i: usize| f32::from(raw.i16(i)) / factor;
    Some(match kind {
        0x01 => Decoded::Uv([raw.f32(0), raw.f32(1), 0.0, 0.0], 2),
        0x02 => Decoded::Uv([raw.f32(0), raw.f32(1), raw.f32(2), 0.0], 3),
        0x03 => Decoded::Uv([raw.f32(0), raw.f32(1), raw.f32(2), raw.f32(3)], 4),
        0x10 | 0x11 | 0x12 | 0x15 | 0x2D => Decoded::Uv([short(0), short(1), 0.0, 0.0], 2),
        0x13 => Decoded::Uv([0, 1, 2, 3].map(|i| f32::from(raw.u8(i)) / 255.0), 4),
        0x16 | 0x1A | 0x2E => Decoded::Uv([short(0), short(1), short(2), short(3)], 4),
        _ => return None,
    })
}

fn colour(kind: u32, raw: &Raw<'_>) -> Option<Decoded> {
    Some(Decoded::Colour(match kind {
        0x03 => [raw.f32(0), raw.f32(1), raw.f32(2), raw.f32(3)],
        0x10 | 0x13 => [0, 1, 2, 3].map(|i| f32::from(raw.u8(i)) / 255.0),
        _ => return None,
    }))
}
