//! Dummies: named points, 64 bytes each (claim `dummy-record`).

use binrw::binrw;

use super::header::Version;
use crate::formats::Record;

/// A dummy as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Dummy {
    /// Position in its parent node's space.
    pub position: [f32; 3],
    /// Four bytes of colour as stored; see [`Dummy::argb`].
    pub colour: [u8; 4],
    /// Forward direction in its parent node's space.
    pub forward: [f32; 3],
    /// The number scripts and effects know it by.
    pub reference_id: i16,
    /// The node whose space it is in, -1 for the model's.
    pub parent: i16,
    /// Upward direction in its parent node's space.
    pub upward: [f32; 3],
    /// The node it follows, -1 for none.
    pub attach: i16,
    /// Unknown flag at 0x2E (claim `dummy-flag-2e`).
    pub flag_2e: u8,
    /// Whether the upward direction counts.
    pub use_upward: u8,
    /// Not explained.
    pub unknown_30: i32,
    /// Not explained.
    pub unknown_34: i32,
    /// Zero in every file seen.
    pub reserved: [u8; 8],
}

impl Record for Dummy {
    const SIZE: usize = 64;
}

impl Dummy {
    /// Alpha, red, green, blue: as stored, and the other way round in version 0x20010.
    pub fn argb(&self, version: Version) -> [u8; 4] {
        let [a, b, c, d] = self.colour;
        if version == Version(0x20010) { [d, c, b, a] } else { [a, b, c, d] }
    }
}
