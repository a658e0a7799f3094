//! Surveys: every file-level claim of the documents, checked over any number of model and grass files.
//!
//! In: paths of files and folders, containers included. Out: for every file and claim how many cases there are, how many
//! agree, the exceptions by name and what was left out and why ([`Tally`]); and all files together ([`Summary`]). Files
//! are read in parallel, a batch at a time, so memory does not grow with their number; a file that cannot be read is told
//! and stops nothing. It knows of no capture.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::expect_used)
)]

mod claims;
mod documented;
mod dummies;
mod facts;
mod grass;
mod meshes;
mod nodes;
mod render;
mod run;
mod scale;
mod tally;
mod walk;

pub use claims::{CLAIMS, Standing, SurveyClaim};
pub use documented::{DOCUMENTED, Documented, Game};
pub use facts::ModelFacts;
pub use render::{CsvRows, jsonl_rows, render_json, render_text};
pub use run::{FileFindings, FileKind, Progress, Summary, SurveyOptions, check_bytes, run};
pub use tally::{FigureTally, Tally};
pub use walk::{Partition, PartitionError, is_wanted};
