//! Buffer contents, made by applying the plan's writes in order.
//!
//! Draws do not read here: each names the exact bytes it reads. That both agree is what [`Memory::agrees`] checks.

use std::collections::BTreeMap;

use crate::abi::BufferId;
use crate::execute::ExecuteError;
use crate::plan::{BoundRange, Command, PieceSource, Plan};

/// Largest buffer that is held, in bytes. Nothing the games or a recorder make comes near it.
const LARGEST: u64 = 1 << 31;

/// What each written buffer holds. A buffer appears when something is first written to it.
#[derive(Default)]
pub(super) struct Memory(BTreeMap<BufferId, Vec<u8>>);

impl Memory {
    /// Carries out a write; other commands change nothing.
    ///
    /// # Errors
    /// The command leaves its buffer, or the buffer is too large to hold.
    pub(super) fn apply(&mut self, plan: &Plan, command: &Command) -> Result<(), ExecuteError> {
        match command {
            Command::Discard { buffer, bytes, .. } => {
                self.0.insert(*buffer, bytes.to_vec());
                Ok(())
            }
            Command::Write { buffer, offset, bytes, .. } => self.write(plan, *buffer, *offset, bytes),
            Command::Copy { src, src_offset, dst, dst_offset, size, .. } => {
                let bytes = self.hold(plan, *src)?.get(range(*src_offset, *size)).map(<[u8]>::to_vec);
                let bytes = bytes.ok_or_else(|| outside(*src, *src_offset, *size))?;
                self.write(plan, *dst, *dst_offset, &bytes)
            }
            Command::BeginPass(_) | Command::Draw(_) => Ok(()),
        }
    }

    fn write(
        &mut self,
        plan: &Plan,
        buffer: BufferId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), ExecuteError> {
        let size = bytes.len() as u64;
        let place = self.hold(plan, buffer)?.get_mut(range(offset, size));
        place.ok_or_else(|| outside(buffer, offset, size))?.copy_from_slice(bytes);
        Ok(())
    }

    fn hold(&mut self, plan: &Plan, buffer: BufferId) -> Result<&mut Vec<u8>, ExecuteError> {
        let size = plan.buffers.get(&buffer).map_or(0, |b| b.size);
        if size > LARGEST {
            return Err(ExecuteError(format!(
                "buffer {buffer} has {size} bytes; the reference executor holds at most {LARGEST}"
            )));
        }
        Ok(self.0.entry(buffer).or_insert_with(|| vec![0; size as usize]))
    }

    /// Whether the known bytes of a draw's range are what the buffer holds now.
    pub(super) fn agrees(&self, bound: &BoundRange) -> bool {
        let mut at = bound.offset;
        bound.pieces.iter().all(|piece| {
            let place = range(at, piece.len);
            at += piece.len;
            match &piece.source {
                PieceSource::Known { bytes, .. } => {
                    self.0.get(&bound.buffer).and_then(|held| held.get(place)) == Some(bytes)
                }
                PieceSource::Unknown(_) => true,
            }
        })
    }

    pub(super) fn into_contents(self) -> BTreeMap<BufferId, Vec<u8>> {
        self.0
    }
}

/// A range that no slice has where it does not fit the address space.
fn range(offset: u64, size: u64) -> std::ops::Range<usize> {
    let to = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    to(offset)..to(offset.saturating_add(size))
}

fn outside(buffer: BufferId, offset: u64, size: u64) -> ExecuteError {
    ExecuteError(format!("bytes {offset}..{} lie outside buffer {buffer}", offset.saturating_add(size)))
}
