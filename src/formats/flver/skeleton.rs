//! The skeleton set after the textures, from version 0x2001A (claim `skeleton-set`).

use binrw::binrw;

use crate::formats::Record;

/// The set as stored.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkeletonSet {
    /// Entries of the base skeleton.
    pub base_count: i16,
    /// Entries of the list with control and ragdoll hierarchies.
    pub all_count: i16,
    /// Where the base skeleton begins.
    pub base_offset: u32,
    /// Where the other list begins.
    pub all_offset: u32,
    /// Zero in every file seen.
    pub reserved: [u8; 20],
}

impl Record for SkeletonSet {
    const SIZE: usize = 32;
}

/// An entry: a place in the hierarchy of its own list, and the node that stands there.
#[binrw]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkeletonEntry {
    /// Parent entry, -1 for none.
    pub parent: i16,
    /// First child entry, -1 for none.
    pub first_child: i16,
    /// Next sibling entry, -1 for none.
    pub next_sibling: i16,
    /// Previous sibling entry, -1 for none.
    pub previous_sibling: i16,
    /// The node.
    pub node: i32,
    /// Zero in every file seen.
    pub reserved: u32,
}

impl Record for SkeletonEntry {
    const SIZE: usize = 16;
}
