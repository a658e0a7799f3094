//! Game files: models ([`flver`]), grass ([`grass`], [`grass_type_param`]) and the containers users have them in
//! ([`dcx`], [`bnd4`], [`source`]).
//!
//! In: bytes of any origin. Out: records exactly as stored and typed views of what they mean; what cannot be read is a
//! [`FormatError`] that names the place, never a panic. Layout (binrw records) stands apart from meaning (methods and
//! `check` modules). Nothing here knows of captures, plans or reports. No size read from a file decides an
//! allocation: a table is only allocated once its bytes are known to be there, and lists that several records may share
//! (strings, palettes, indices, vertices) stay in the file's own bytes and are read where they are asked for.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::expect_used)
)]

pub mod bnd4;
pub mod dcx;
mod error;
pub mod flver;
pub mod grass;
pub mod grass_type_param;
pub mod source;
mod table;

pub use error::{FormatError, Problem};
pub use table::Record;
