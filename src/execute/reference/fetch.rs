//! Vertex fetch as Direct3D has it: what a vertex program finds in its inputs.

use bytes::Bytes;

use crate::abi::{Format, NumberKind};
use crate::plan::{BoundInput, Draw};

/// The vertex a program runs for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    /// Number in the vertex buffer, after `base_vertex`.
    pub(super) number: i64,
    /// `SV_InstanceID`: 0 for the first instance whatever `first_instance` is.
    pub(super) instance: u32,
}

/// One input of a draw, tied to its stream.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// Of the stream, from its first element on; empty for an unbound slot, where every fetch yields zero.
    bytes: Bytes,
    stride: u64,
    offset: u64,
    pub(super) format: Format,
    step_rate: Option<u32>,
    first_instance: u32,
}

impl Attribute {
    /// An input that always yields zero.
    pub(super) const ABSENT: Self = Self {
        bytes: Bytes::new(),
        stride: 0,
        offset: 0,
        format: Format::R32G32B32A32Float,
        step_rate: None,
        first_instance: 0,
    };

    pub(super) fn of(draw: &Draw, input: &BoundInput) -> Self {
        let stream = draw.streams.get(&input.slot);
        Self {
            bytes: stream.map(|s| s.range.gather()).unwrap_or_default(),
            stride: stream.map_or(0, |s| s.stride.into()),
            offset: input.offset.into(),
            format: input.format,
            step_rate: input.step_rate,
            first_instance: draw.first_instance,
        }
    }

    /// The bytes of the element a vertex reads; `None` where any of them lies outside the stream.
    fn element(&self, vertex: Vertex) -> Option<&[u8]> {
        let number = match self.step_rate {
            None => vertex.number,
            Some(rate) => {
                let steps = vertex.instance.checked_div(rate).unwrap_or(0);
                i64::from(self.first_instance) + i64::from(steps)
            }
        };
        // With a stride of 0 every number, even one below 0, reads the same element.
        let start = i128::from(number) * i128::from(self.stride) + i128::from(self.offset);
        self.bytes.get(usize::try_from(start).ok()?..)?.get(..self.format.size())
    }

    /// The four components; all zero outside the stream.
    pub(super) fn fetch(&self, vertex: Vertex) -> [f64; 4] {
        self.element(vertex).map_or([0.0; 4], |bytes| self.format.decode(bytes))
    }

    /// The four components of an integer format as `uint4`; all zero outside the stream.
    pub(super) fn fetch_uint(&self, vertex: Vertex) -> [u32; 4] {
        let signed = self.format.kind() == NumberKind::Sint;
        self.fetch(vertex).map(|v| if signed { v as i32 as u32 } else { v as u32 })
    }
}
