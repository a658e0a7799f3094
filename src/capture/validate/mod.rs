//! Everything about the files of a set that their types cannot say: references, ranges, sums, cycles.
//!
//! In: a file as serde read it. Out: nothing, or for a frame the blobs it uses with the lengths its tables imply.
//! Checks take time linear in the file: tables are looked up by maps. This module reads no file.

mod at;
mod draws;
mod lists;
pub(super) mod manifest;
mod passes;
mod tables;

use std::collections::HashMap;

use at::At;

use super::blob::{BlobUse, Length};
use super::error::Fault;
use super::manifest::{BlobHash, BufferEntry, FrameFile, PassEntry};
use crate::abi::{BufferId, PassId, ProgramId};

/// What the checks of commands look up, and the uses of blobs they gather.
struct Checked<'a> {
    buffers: HashMap<BufferId, &'a BufferEntry>,
    programs: HashMap<ProgramId, ()>,
    passes: HashMap<&'a PassId, &'a PassEntry>,
    uses: Vec<BlobUse>,
}

impl Checked<'_> {
    fn uses(&mut self, at: &At<'_>, hash: BlobHash, length: Length) {
        self.uses.push(BlobUse { hash, place: at.to_string(), length });
    }
}

/// Checks a frame file and lists the blobs it uses, in the file's order.
pub(super) fn check(file: &FrameFile) -> Result<Vec<BlobUse>, Fault> {
    let mut checked = Checked {
        buffers: HashMap::with_capacity(file.buffers.len()),
        programs: HashMap::with_capacity(file.programs.len()),
        passes: HashMap::with_capacity(file.passes.len()),
        uses: Vec::new(),
    };
    let root = At::root();
    tables::values(&root.key("values"), &file.values)?;
    tables::buffers(&root.key("buffers"), &file.buffers, &mut checked)?;
    tables::programs(&root.key("programs"), &file.programs, &mut checked)?;
    passes::check(&root.key("passes"), &file.passes, &mut checked)?;
    lists::check(&root.key("lists"), &file.lists, &mut checked)?;
    Ok(checked.uses)
}
