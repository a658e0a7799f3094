//! Nodes: 128 bytes each (claim `node-record`).

use binrw::binrw;

use crate::formats::Record;

/// A node as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Translation under the parent.
    pub translation: [f32; 3],
    /// Where its name begins in the file.
    pub name_offset: u32,
    /// Euler angles in radians, applied X, then Z, then Y.
    pub rotation: [f32; 3],
    /// Parent, -1 for a root.
    pub parent: i16,
    /// First child, -1 for none.
    pub first_child: i16,
    /// Scale, applied first.
    pub scale: [f32; 3],
    /// Next child of the same parent, -1 for none.
    pub next_sibling: i16,
    /// Previous child of the same parent, -1 for none.
    pub previous_sibling: i16,
    /// Least corner, or +3.4028235e38 thrice.
    pub min: [f32; 3],
    /// Flags; 4 and 8 are not explained (claim `node-flag-4-8`).
    pub flags: u32,
    /// Greatest corner, or -3.4028235e38 thrice.
    pub max: [f32; 3],
    /// Zero in every file seen.
    pub reserved: [u8; 52],
}

impl Record for Node {
    const SIZE: usize = 128;
}

/// What the two corners of a node are (claim `node-bounds`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeBounds {
    /// A box: least not above greatest on every axis.
    Box,
    /// The inverted sentinel of a node without bound vertices.
    Sentinel,
    /// Something else.
    Neither,
}

/// The values the flags word takes in both games (claim `node-flags`).
pub const NODE_FLAGS: [u32; 9] = [0, 1, 2, 4, 6, 8, 10, 12, 14];

impl Node {
    /// The sentinel's least corner.
    pub const SENTINEL_MIN: f32 = f32::MAX;
    /// The sentinel's greatest corner.
    pub const SENTINEL_MAX: f32 = -f32::MAX;

    /// Which of the two the corners are. The sentinel is compared by its bits; a NaN makes neither.
    pub fn bounds(&self) -> NodeBounds {
        let sentinel = |corner: [f32; 3], value: f32| corner.iter().all(|c| c.to_bits() == value.to_bits());
        if sentinel(self.min, Self::SENTINEL_MIN) && sentinel(self.max, Self::SENTINEL_MAX) {
            NodeBounds::Sentinel
        } else if self.min.iter().zip(self.max).all(|(min, max)| *min <= max) {
            NodeBounds::Box
        } else {
            NodeBounds::Neither
        }
    }

    /// Whether a component of the scale is off one by more than 0.001 (claim `node-scale-census`).
    pub fn is_scaled(&self) -> bool {
        // Written so that a NaN counts as scaled.
        !self.scale.iter().all(|s| (f64::from(*s) - 1.0).abs() <= 0.001)
    }
}
