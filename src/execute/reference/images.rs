//! The attachments of a group of passes that share depth.

use std::collections::BTreeMap;

use crate::abi::{DxgiFormat, Format};
use crate::execute::{Image, PassOutput};
use crate::plan::{PassIndex, Plan, PlannedPass, Start};

/// Largest side of an image: that of a Direct3D 11 or 12 texture.
pub(super) const LARGEST_SIDE: u32 = 16_384;

/// Depth as it is tested and stored.
pub(super) struct Depth {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: Vec<f32>,
}

/// Attachments that have begun.
#[derive(Default)]
pub(super) struct Images {
    /// By pass, in the pass's order; `None` where the format is not executed.
    targets: BTreeMap<PassIndex, Vec<Option<Image>>>,
    /// By the pass that owns the image.
    depths: BTreeMap<PassIndex, Depth>,
}

/// What a draw writes to.
pub(super) struct Surface<'a> {
    pub(super) targets: &'a mut [Option<Image>],
    pub(super) depth: Option<&'a mut Depth>,
}

impl Images {
    /// Gives a pass's attachments their start contents. What is kept and was never there is zero.
    pub(super) fn begin(&mut self, plan: &Plan, index: PassIndex) {
        let pass = &plan.passes[index.0];
        let targets = pass.targets.iter().map(|target| {
            let format = target.format.executable()?;
            let size = pass.width as usize * pass.height as usize * format.size();
            let mut bytes = Vec::with_capacity(size);
            match &target.start {
                Start::Clear(colour) => {
                    format.encode(*colour, &mut bytes);
                    bytes = bytes.repeat(pass.width as usize * pass.height as usize);
                }
                Start::Keep(kept) => {
                    bytes.extend(kept.iter().flatten().take(size));
                    bytes.resize(size, 0);
                }
            }
            Some(Image { width: pass.width, height: pass.height, format, bytes })
        });
        self.targets.insert(index, targets.collect());
        self.begin_depth(plan, pass);
    }

    fn begin_depth(&mut self, plan: &Plan, pass: &PlannedPass) {
        let Some(planned) = &pass.depth else { return };
        if planned.format != DxgiFormat::Executable(Format::D32Float) {
            return;
        }
        let owner = &plan.passes[planned.owner.0];
        let (width, height) = (owner.width as usize, owner.height as usize);
        let depth = self.depths.entry(planned.owner).or_insert_with(|| Depth {
            width,
            height,
            values: vec![0.0; width * height],
        });
        match &planned.start {
            Start::Clear(value) => depth.values.fill(*value as f32),
            Start::Keep(None) => {}
            Start::Keep(Some(bytes)) => {
                for (to, from) in depth.values.iter_mut().zip(bytes.chunks_exact(4)) {
                    *to = Format::D32Float.component(from, 0) as f32;
                }
            }
        }
    }

    /// What a draw of a pass writes to; `None` before the pass has begun.
    pub(super) fn surface(&mut self, plan: &Plan, index: PassIndex) -> Option<Surface<'_>> {
        let depth = match &plan.passes[index.0].depth {
            None => None,
            Some(planned) => Some(self.depths.get_mut(&planned.owner)?),
        };
        Some(Surface { targets: self.targets.get_mut(&index)?, depth })
    }

    /// The attachments of a pass after its last draw. Its own targets are given away; depth may be drawn on to.
    pub(super) fn end(&mut self, plan: &Plan, index: PassIndex) -> PassOutput {
        let depth = plan.passes[index.0].depth.as_ref().and_then(|d| self.depths.get(&d.owner));
        let depth = depth.map(|depth| Image {
            width: depth.width as u32,
            height: depth.height as u32,
            format: Format::D32Float,
            bytes: depth.values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        });
        PassOutput { targets: self.targets.remove(&index).unwrap_or_default(), depth }
    }
}
