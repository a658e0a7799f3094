//! DXGI formats: sizes, and what their bits mean.
//!
//! Conversions follow the Direct3D 11.3 functional specification, section 3.2.3: snorm has two codes for -1, unorm
//! and snorm are correctly rounded quotients, halves keep denormals, and a missing component reads as 0 but alpha as 1.

use half::f16;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a component's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NumberKind {
    /// IEEE float of 32 bits.
    Float32,
    /// IEEE float of 16 bits.
    Float16,
    /// Unsigned, divided by its greatest value.
    Unorm,
    /// Signed, divided by its greatest value, never below -1.
    Snorm,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
}

impl NumberKind {
    /// Whether a component may be fractional.
    pub const fn is_float(self) -> bool {
        !matches!(self, Self::Uint | Self::Sint)
    }
}

macro_rules! formats {
    ($($variant:ident $name:literal $kind:ident $components:literal x $bits:literal),+ $(,)?) => {
        /// The formats this project executes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format { $(#[doc = concat!("`", $name, "`")] $variant),+ }

        impl Format {
            /// All of them, in the order of the capture format's list.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The DXGI name in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// How its components are read.
            pub const fn kind(self) -> NumberKind {
                match self { $(Self::$variant => NumberKind::$kind),+ }
            }

            /// Number of components.
            pub const fn components(self) -> usize {
                match self { $(Self::$variant => $components),+ }
            }

            /// Bits of the first component.
            const fn bits(self) -> u32 {
                match self { $(Self::$variant => $bits),+ }
            }
        }
    };
}

formats!(
    R32G32B32A32Float "r32g32b32a32_float" Float32 4 x 32,
    R32G32B32Float "r32g32b32_float" Float32 3 x 32,
    R32G32Float "r32g32_float" Float32 2 x 32,
    R32Float "r32_float" Float32 1 x 32,
    R16G16B16A16Float "r16g16b16a16_float" Float16 4 x 16,
    R16G16Float "r16g16_float" Float16 2 x 16,
    R16G16B16A16Snorm "r16g16b16a16_snorm" Snorm 4 x 16,
    R16G16Sint "r16g16_sint" Sint 2 x 16,
    R16G16B16A16Sint "r16g16b16a16_sint" Sint 4 x 16,
    R8G8B8A8Unorm "r8g8b8a8_unorm" Unorm 4 x 8,
    R8G8B8A8Snorm "r8g8b8a8_snorm" Snorm 4 x 8,
    R8G8B8A8Uint "r8g8b8a8_uint" Uint 4 x 8,
    R8G8B8A8Sint "r8g8b8a8_sint" Sint 4 x 8,
    R10G10B10A2Unorm "r10g10b10a2_unorm" Unorm 4 x 10,
    R16Uint "r16_uint" Uint 1 x 16,
    R32Uint "r32_uint" Uint 1 x 32,
    D32Float "d32_float" Float32 1 x 32,
);

impl Format {
    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::R10G10B10A2Unorm => 4,
            _ => self.components() * self.bits() as usize / 8,
        }
    }

    /// The format of that DXGI name, whatever its case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name().eq_ignore_ascii_case(name))
    }

    /// The raw bits of component `index`, for comparisons that must tell NaNs and zeros apart. Sign bits of signed
    /// integers are not extended. `bytes` must hold an element; what is missing reads as zero.
    pub fn raw(self, bytes: &[u8], index: usize) -> u32 {
        let word = |at: usize, len: usize| {
            let mut le = [0u8; 4];
            for (to, from) in le.iter_mut().zip(bytes.iter().skip(at).take(len)) {
                *to = *from;
            }
            u32::from_le_bytes(le)
        };
        if self == Self::R10G10B10A2Unorm {
            let packed = word(0, 4);
            return if index == 3 { packed >> 30 } else { (packed >> (10 * index as u32)) & 0x3FF };
        }
        let size = self.bits() as usize / 8;
        word(index * size, size)
    }

    /// Component `index` as a number. Every value of every format is exact in float64 but the quotients of unorm and
    /// snorm, which are correctly rounded.
    pub fn component(self, bytes: &[u8], index: usize) -> f64 {
        let raw = self.raw(bytes, index);
        let bits = if self == Self::R10G10B10A2Unorm && index == 3 { 2 } else { self.bits() };
        let signed = || i64::from((raw << (32 - bits)) as i32 >> (32 - bits)) as f64;
        match self.kind() {
            NumberKind::Float32 => f64::from(f32::from_bits(raw)),
            NumberKind::Float16 => f16::from_bits(raw as u16).to_f64(),
            NumberKind::Unorm => f64::from(raw) / f64::from(u32::MAX >> (32 - bits)),
            NumberKind::Snorm => (signed() / f64::from(u32::MAX >> (33 - bits))).max(-1.0),
            NumberKind::Uint => f64::from(raw),
            NumberKind::Sint => signed(),
        }
    }

    /// All four components as a shader sees them: absent ones are 0, an absent fourth is 1.
    pub fn decode(self, bytes: &[u8]) -> [f64; 4] {
        let mut out = [0.0, 0.0, 0.0, 1.0];
        for (index, value) in out.iter_mut().enumerate().take(self.components()) {
            *value = self.component(bytes, index);
        }
        out
    }

    /// Appends one element that holds `value`, rounded to nearest even and clamped to the format's range as an output
    /// merger does; NaN becomes 0 in every format that cannot hold it.
    pub fn encode(self, value: [f64; 4], out: &mut Vec<u8>) {
        let quantise = |v: f64, least: f64, greatest: f64, scale: f64| {
            let v = if v.is_nan() { 0.0 } else { v.clamp(least, greatest) };
            (v * scale).round_ties_even() as i64 as u32
        };
        if self == Self::R10G10B10A2Unorm {
            let [r, g, b] = [0, 1, 2].map(|i| quantise(value[i], 0.0, 1.0, 1023.0));
            let packed = r | (g << 10) | (b << 20) | (quantise(value[3], 0.0, 1.0, 3.0) << 30);
            out.extend_from_slice(&packed.to_le_bytes());
            return;
        }
        let bits = self.bits();
        let unsigned_max = f64::from(u32::MAX >> (32 - bits));
        let signed_max = f64::from(u32::MAX >> (33 - bits));
        for v in value.into_iter().take(self.components()) {
            let raw = match self.kind() {
                NumberKind::Float32 => (v as f32).to_bits(),
                NumberKind::Float16 => u32::from(f16::from_f64(v).to_bits()),
                NumberKind::Unorm => quantise(v, 0.0, 1.0, unsigned_max),
                NumberKind::Snorm => quantise(v, -1.0, 1.0, signed_max),
                NumberKind::Uint => quantise(v, 0.0, unsigned_max, 1.0),
                NumberKind::Sint => quantise(v, -signed_max - 1.0, signed_max, 1.0),
            };
            out.extend(raw.to_le_bytes().into_iter().take(bits as usize / 8));
        }
    }

    /// The distance between two neighbouring values of the format near `value`, in the units it decodes to.
    pub fn step(self, value: f64) -> f64 {
        match self.kind() {
            NumberKind::Unorm => 1.0 / f64::from(u32::MAX >> (32 - self.bits())),
            NumberKind::Snorm => 1.0 / f64::from(u32::MAX >> (33 - self.bits())),
            NumberKind::Uint | NumberKind::Sint => 1.0,
            NumberKind::Float16 => {
                let exponent = if value == 0.0 { -14.0 } else { value.abs().log2().floor().max(-14.0) };
                (exponent - 10.0).exp2()
            }
            NumberKind::Float32 => {
                let exponent = if value == 0.0 { -126.0 } else { value.abs().log2().floor().max(-126.0) };
                (exponent - 23.0).exp2()
            }
        }
    }
}

/// A format by any DXGI name: one this project executes, or one it carries and says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DxgiFormat {
    /// One of [`Format`].
    Executable(Format),
    /// A DXGI format outside that list; a draw that would have to execute it is not replayed.
    Other(&'static str),
}

impl DxgiFormat {
    /// The format of that name; `None` if DXGI has none.
    pub fn parse(name: &str) -> Option<Self> {
        Format::parse(name).map(Self::Executable).or_else(|| {
            OTHER_DXGI_NAMES.iter().find(|n| n.eq_ignore_ascii_case(name)).map(|n| Self::Other(n))
        })
    }

    /// The DXGI name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Executable(format) => format.name(),
            Self::Other(name) => name,
        }
    }

    /// The format, where this project executes it.
    pub const fn executable(self) -> Option<Format> {
        match self {
            Self::Executable(format) => Some(format),
            Self::Other(_) => None,
        }
    }
}

impl Serialize for DxgiFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DxgiFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{name}` is no DXGI format; expected a DXGI name in lower case such as `r32g32b32_float`"
            ))
        })
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The other members of DXGI_FORMAT, by their names without the prefix.
const OTHER_DXGI_NAMES: &[&str] = &[
    "unknown",
    "r32g32b32a32_typeless",
    "r32g32b32a32_uint",
    "r32g32b32a32_sint",
    "r32g32b32_typeless",
    "r32g32b32_uint",
    "r32g32b32_sint",
    "r16g16b16a16_typeless",
    "r16g16b16a16_unorm",
    "r16g16b16a16_uint",
    "r32g32_typeless",
    "r32g32_uint",
    "r32g32_sint",
    "r32g8x24_typeless",
    "d32_float_s8x24_uint",
    "r32_float_x8x24_typeless",
    "x32_typeless_g8x24_uint",
    "r10g10b10a2_typeless",
    "r10g10b10a2_uint",
    "r11g11b10_float",
    "r8g8b8a8_typeless",
    "r8g8b8a8_unorm_srgb",
    "r16g16_typeless",
    "r16g16_unorm",
    "r16g16_uint",
    "r16g16_snorm",
    "r32_typeless",
    "r32_sint",
    "r24g8_typeless",
    "d24_unorm_s8_uint",
    "r24_unorm_x8_typeless",
    "x24_typeless_g8_uint",
    "r8g8_typeless",
    "r8g8_unorm",
    "r8g8_uint",
    "r8g8_snorm",
    "r8g8_sint",
    "r16_typeless",
    "r16_float",
    "d16_unorm",
    "r16_unorm",
    "r16_snorm",
    "r16_sint",
    "r8_typeless",
    "r8_unorm",
    "r8_uint",
    "r8_snorm",
    "r8_sint",
    "a8_unorm",
    "r1_unorm",
    "r9g9b9e5_sharedexp",
    "r8g8_b8g8_unorm",
    "g8r8_g8b8_unorm",
    "bc1_typeless",
    "bc1_unorm",
    "bc1_unorm_srgb",
    "bc2_typeless",
    "bc2_unorm",
    "bc2_unorm_srgb",
    "bc3_typeless",
    "bc3_unorm",
    "bc3_unorm_srgb",
    "bc4_typeless",
    "bc4_unorm",
    "bc4_snorm",
    "bc5_typeless",
    "bc5_unorm",
    "bc5_snorm",
    "b5g6r5_unorm",
    "b5g5r5a1_unorm",
    "b8g8r8a8_unorm",
    "b8g8r8x8_unorm",
    "r10g10b10_xr_bias_a2_unorm",
    "b8g8r8a8_typeless",
    "b8g8r8a8_unorm_srgb",
    "b8g8r8x8_typeless",
    "b8g8r8x8_unorm_srgb",
    "bc6h_typeless",
    "bc6h_uf16",
    "bc6h_sf16",
    "bc7_typeless",
    "bc7_unorm",
    "bc7_unorm_srgb",
    "ayuv",
    "y410",
    "y416",
    "nv12",
    "p010",
    "p016",
    "420_opaque",
    "yuy2",
    "y210",
    "y216",
    "nv11",
    "ai44",
    "ia44",
    "p8",
    "a8p8",
    "b4g4r4a4_unorm",
    "p208",
    "v208",
    "v408",
    "sampler_feedback_min_mip_opaque",
    "sampler_feedback_mip_region_used_opaque",
    "a4b4g4r4_unorm",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_dxgi() {
        let sizes: Vec<_> = Format::ALL.iter().map(|f| f.size()).collect();
        assert_eq!(sizes, [16, 12, 8, 4, 8, 4, 8, 4, 8, 4, 4, 4, 4, 4, 2, 4, 4]);
    }

    #[test]
    fn snorm_has_two_codes_for_minus_one() {
        let f = Format::R8G8B8A8Snorm;
        assert_eq!(f.decode(&[0x80, 0x81, 0x7F, 0]), [-1.0, -1.0, 1.0, 0.0]);
    }

    #[test]
    fn halves_keep_denormals_infinities_and_nans() {
        let f = Format::R16G16Float;
        let value = |raw: u16| f.component(&raw.to_le_bytes(), 0);
        assert_eq!(value(0x0001), 2f64.powi(-24));
        assert_eq!(value(0x03FF), 1023.0 * 2f64.powi(-24));
        assert_eq!(value(0x8001), -(2f64.powi(-24)));
        assert_eq!(value(0x7C00), f64::INFINITY);
        assert!(value(0x7E00).is_nan());
    }

    #[test]
    fn ten_ten_ten_two_packs_from_the_low_bits() {
        let f = Format::R10G10B10A2Unorm;
        let bytes = (1023u32 | (512 << 20) | (2 << 30)).to_le_bytes();
        assert_eq!(f.decode(&bytes), [1.0, 0.0, 512.0 / 1023.0, 2.0 / 3.0]);
        let mut out = Vec::new();
        f.encode(f.decode(&bytes), &mut out);
        assert_eq!(out, bytes);
    }

    #[test]
    fn absent_components_are_zero_and_an_absent_alpha_is_one() {
        assert_eq!(Format::R32Float.decode(&2f32.to_le_bytes()), [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(Format::R8G8B8A8Uint.decode(&[1, 2]), [1.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn every_code_of_a_small_format_survives_decoding_and_encoding() {
        for format in Format::ALL.iter().copied().filter(|f| f.bits() == 8 || f.bits() == 16) {
            for code in 0..=u16::MAX {
                let bytes: Vec<u8> = code.to_le_bytes().into_iter().cycle().take(format.size()).collect();
                let value = format.decode(&bytes);
                let twin = format.kind() == NumberKind::Snorm && value.contains(&-1.0);
                if twin || value.iter().any(|v| v.is_nan()) {
                    continue;
                }
                let mut out = Vec::new();
                format.encode(value, &mut out);
                assert_eq!(out, bytes, "{} {code:04X}", format.name());
            }
        }
    }

    #[test]
    fn names_are_found_whatever_their_case_and_foreign_ones_are_refused() {
        assert_eq!(DxgiFormat::parse("R8G8B8A8_UNORM"), Some(DxgiFormat::Executable(Format::R8G8B8A8Unorm)));
        assert_eq!(DxgiFormat::parse("bc7_unorm"), Some(DxgiFormat::Other("bc7_unorm")));
        assert_eq!(DxgiFormat::parse("r32g32b32"), None);
    }
}
