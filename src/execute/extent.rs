//! How many vertex records a draw makes, and how many an executor lets it.

use crate::plan::{Draw, VertexOrder};

/// Most records of all draws of a plan together, and most vertices a draw may run through.
pub const MOST_RECORDS: u64 = 1 << 24;

/// The records a draw will make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Least vertex number, after `base_vertex`.
    pub first_vertex: i64,
    /// Vertex numbers from there.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
}

impl Extent {
    /// Looks through a draw's vertex numbers, and takes its records out of what is `left` to the plan.
    ///
    /// # Errors
    /// The draw makes more records than are left, or runs through its vertices too often.
    pub fn of(draw: &Draw, left: &mut u64) -> Result<Self, String> {
        let instances = draw.instance_count;
        let steps = u64::from(draw.count) * u64::from(instances);
        if steps > 16 * MOST_RECORDS {
            return Err(format!("it runs through {steps} vertices, more than {}", 16 * MOST_RECORDS));
        }
        let range = VertexOrder::of(draw).range();
        let (first_vertex, span) = match range {
            Some((least, greatest)) if instances > 0 => (least, least.abs_diff(greatest) + 1),
            _ => (0, 0),
        };
        let records = span.saturating_mul(instances.into());
        *left = left.checked_sub(records).ok_or_else(|| {
            format!("its {records} vertex records bring the frame's above the limit of {MOST_RECORDS}")
        })?;
        Ok(Self { first_vertex, vertices: span as u32, instances })
    }
}
