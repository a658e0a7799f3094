//! Poses models: node hierarchies to world maps under two rules of scale, vertices and dummies to where the model has
//! them, and the extents of all of it.
//!
//! In: a [`Model`](crate::formats::flver::Model). Out: float64 maps and positions. It does not know what its answers are
//! held against, nor of captures.
//!
//! The documents give two rules (claims `world-full-product` and `world-importer-rule`): the full affine product, which
//! reproduces the stored extents, and the community importer's, which leaves a parent's scale out of what is below it.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::expect_used)
)]

mod bounds;
mod dummies;
mod vertices;
mod worlds;

pub use bounds::{Extents, bounds, mesh_box_error};
pub use dummies::{PlacedDummy, place_dummies};
pub use vertices::{Carrier, MeshVertices, NodeSource, PoseVertex};
pub use worlds::{Rule, Worlds, local};
