//! `--repeat N`: whether a replay gives the same bytes every time.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::execute::Outputs;
use crate::plan::{PieceSource, Plan};

/// Hashes of what every frame produced, with how often each came out.
#[derive(Default)]
pub(super) struct Repeats {
    frames: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Repeats {
    /// Adds one replay of a frame.
    pub(super) fn add(&mut self, plan: &Plan, outputs: &Outputs) {
        let frame = self.frames.entry(plan.frame.clone()).or_default();
        *frame.entry(hash(plan, outputs)).or_insert(0) += 1;
    }

    /// The most results any one frame gave; 1 proves nothing but repeatability.
    pub(super) fn distinct(&self) -> usize {
        self.frames.values().map(BTreeMap::len).max().unwrap_or(0)
    }

    /// One hash over all frames where every frame gave one result, with the number of repeats; else each frame's.
    pub(super) fn hashes(&self) -> Vec<(String, u32)> {
        if self.distinct() <= 1 {
            let mut all = Sha256::new();
            let mut count = 0;
            for (frame, results) in &self.frames {
                all.update(frame.as_bytes());
                for (hash, repeats) in results {
                    all.update(hash.as_bytes());
                    count = *repeats;
                }
            }
            return vec![(hex(&all.finalize()), count)];
        }
        let each = |(frame, results): (&String, &BTreeMap<String, u32>)| {
            results.iter().map(|(hash, count)| (format!("{frame} {hash}"), *count)).collect::<Vec<_>>()
        };
        self.frames.iter().flat_map(each).collect()
    }
}

/// A hash of everything a frame produced that means something: vertex records, attachments, known buffer bytes.
fn hash(plan: &Plan, outputs: &Outputs) -> String {
    let mut hasher = Sha256::new();
    for (index, post_vs) in &outputs.post_vs {
        hasher.update(index.0.to_le_bytes());
        for value in &post_vs.data {
            hasher.update(value.to_bits().to_le_bytes());
        }
    }
    for pass in &outputs.passes {
        for image in pass.targets.iter().flatten().chain(&pass.depth) {
            hasher.update(&image.bytes);
        }
    }
    for (id, bytes) in &outputs.buffers {
        hasher.update(id.0.to_le_bytes());
        let mut at = 0;
        for piece in plan.buffers.get(id).map(|b| b.end.as_slice()).unwrap_or_default() {
            let end = at + piece.len as usize;
            if let (PieceSource::Known { .. }, Some(part)) = (&piece.source, bytes.get(at..end)) {
                hasher.update(part);
            }
            at = end;
        }
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
