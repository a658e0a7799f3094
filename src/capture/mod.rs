//! What is on disk: capture sets of the format `replay-capture/1`, read, checked and written, with no meaning added.
//!
//! In: a folder. Out: a [`CaptureSet`], whose frames load one at a time as a [`LoadedFrame`]. Every fault names the
//! file, the place, what was found and what was expected. This module knows no plan, no device and no game file.

// Foreign bytes never panic.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

mod blob;
pub mod error;
pub mod frame;
pub mod manifest;
mod parse;
pub mod read;
mod spell;
mod validate;
pub mod write;

pub use error::CaptureError;
pub use frame::{Dump, Dumps, Frame, LoadedFrame, PostVsDump};
pub use read::CaptureSet;
pub use write::SetWriter;
