//! Constant buffers and resources as a shader reads them: little-endian words, and zero past the end.

use bytes::Bytes;
use glam::DVec4;

use crate::abi::RegisterClass;
use crate::plan::{BoundBuffer, Draw};

/// The bytes a shader can reach of a buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct View(Bytes);

impl View {
    /// The bound range. A constant buffer ends where our shaders' declaration of it does (768 palette rows, 4,096
    /// rows of instance data), whatever the captured program declares; a resource ends with its range.
    pub(super) fn of(draw: &Draw, buffer: &BoundBuffer) -> Option<Self> {
        let range = draw.buffers.get(&buffer.register?)?;
        let bytes = range.gather();
        let declared = usize::try_from(buffer.need.declared_size).unwrap_or(usize::MAX);
        let reach = match buffer.need.class {
            RegisterClass::Constant => bytes.len().min(declared),
            RegisterClass::Resource => bytes.len(),
        };
        Some(Self(bytes.slice(..reach)))
    }

    /// The word at a byte offset.
    pub(super) fn uint(&self, offset: u32) -> u32 {
        let word = self.0.get(offset as usize..).and_then(|rest| rest.first_chunk());
        word.map_or(0, |le| u32::from_le_bytes(*le))
    }

    /// The float at a byte offset.
    pub(super) fn float(&self, offset: u32) -> f64 {
        f32::from_bits(self.uint(offset)).into()
    }

    /// Four floats from a byte offset on.
    pub(super) fn float4(&self, offset: u32) -> DVec4 {
        let [x, y, z, w] = [0, 4, 8, 12].map(|at| self.float(offset.wrapping_add(at)));
        DVec4::new(x, y, z, w)
    }

    /// As many `float4` rows as the view reaches, a part of one filled up with zeros.
    pub(super) fn rows(&self) -> Rows {
        let starts = (0..self.0.len()).step_by(16);
        Rows(starts.map(|at| self.float4(at as u32)).collect())
    }
}

/// `float4 rows[]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows(Vec<DVec4>);

impl Rows {
    /// A row; zero past the last.
    pub(super) fn row(&self, index: u32) -> DVec4 {
        self.0.get(index as usize).copied().unwrap_or(DVec4::ZERO)
    }

    /// The three rows of a palette entry; zero where its number is past every palette.
    pub(super) fn entry(&self, index: u32) -> [DVec4; 3] {
        let first = index.saturating_mul(3);
        [0, 1, 2].map(|row| self.row(first.saturating_add(row)))
    }
}
