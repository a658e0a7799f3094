//! The output merger: blending, the write mask, and the rounding of a target's format.

use crate::abi::state::{Blend, BlendEquation, BlendFactor, BlendOp};
use crate::abi::{Format, NumberKind};

/// Puts a pixel shader's output into a pixel of a target.
pub(super) struct Merger {
    pub(super) format: Format,
    pub(super) blend: Option<Blend>,
    pub(super) write: [bool; 4],
}

impl Merger {
    /// `pixel` is the stored element; `scratch` is any vector, kept to spare an allocation for each pixel.
    pub(super) fn merge(&self, pixel: &mut [u8], source: [f64; 4], scratch: &mut Vec<u8>) {
        let value = match &self.blend {
            None => source,
            Some(blend) => blended(blend, clamped(self.format, source), self.format.decode(pixel)),
        };
        scratch.clear();
        if self.write == [true; 4] {
            self.format.encode(value, scratch);
            pixel.copy_from_slice(scratch);
            return;
        }
        let stored = self.format.decode(pixel);
        let mixed = std::array::from_fn(|i| if self.write[i] { value[i] } else { stored[i] });
        self.format.encode(mixed, scratch);
        if self.format == Format::R10G10B10A2Unorm {
            pixel.copy_from_slice(scratch);
            return;
        }
        // A channel that is not written keeps its bits, also those that decoding does not tell apart.
        let size = self.format.size() / self.format.components();
        for ((to, from), write) in pixel.chunks_mut(size).zip(scratch.chunks(size)).zip(self.write) {
            if write {
                to.copy_from_slice(from);
            }
        }
    }
}

/// A fixed-point target clamps what the shader gives before it is blended.
fn clamped(format: Format, value: [f64; 4]) -> [f64; 4] {
    match format.kind() {
        NumberKind::Unorm => value.map(|v| v.clamp(0.0, 1.0)),
        NumberKind::Snorm => value.map(|v| v.clamp(-1.0, 1.0)),
        NumberKind::Float32 | NumberKind::Float16 | NumberKind::Uint | NumberKind::Sint => value,
    }
}

fn blended(blend: &Blend, source: [f64; 4], stored: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| {
        let BlendEquation(source_factor, stored_factor, operation) =
            if i == 3 { blend.alpha } else { blend.color };
        let factor = |f: BlendFactor| match f {
            BlendFactor::Zero => 0.0,
            BlendFactor::One => 1.0,
            BlendFactor::SrcColor => source[i],
            BlendFactor::InvSrcColor => 1.0 - source[i],
            BlendFactor::SrcAlpha => source[3],
            BlendFactor::InvSrcAlpha => 1.0 - source[3],
            BlendFactor::DestAlpha => stored[3],
            BlendFactor::InvDestAlpha => 1.0 - stored[3],
            BlendFactor::DestColor => stored[i],
            BlendFactor::InvDestColor => 1.0 - stored[i],
        };
        let (new, old) = (source[i] * factor(source_factor), stored[i] * factor(stored_factor));
        match operation {
            BlendOp::Add => new + old,
            BlendOp::Subtract => new - old,
            BlendOp::RevSubtract => old - new,
            BlendOp::Min => source[i].min(stored[i]),
            BlendOp::Max => source[i].max(stored[i]),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BlendFactor::*;

    fn merged(merger: &Merger, stored: [f64; 4], source: [f64; 4]) -> [f64; 4] {
        let mut pixel = Vec::new();
        merger.format.encode(stored, &mut pixel);
        merger.merge(&mut pixel, source, &mut Vec::new());
        merger.format.decode(&pixel)
    }

    #[test]
    fn blend_equations_are_those_of_direct3d() {
        let source = [0.5, 0.25, 1.0, 0.25];
        let stored = [1.0, 0.5, 0.25, 0.75];
        let keep = BlendEquation(Zero, One, BlendOp::Add);
        for (color, red) in [
            (BlendEquation(One, Zero, BlendOp::Add), 0.5),
            (BlendEquation(SrcAlpha, InvSrcAlpha, BlendOp::Add), 0.125 + 0.75),
            (BlendEquation(One, One, BlendOp::Subtract), -0.5),
            (BlendEquation(One, One, BlendOp::RevSubtract), 0.5),
            (BlendEquation(Zero, Zero, BlendOp::Min), 0.5),
            (BlendEquation(Zero, Zero, BlendOp::Max), 1.0),
            (BlendEquation(SrcColor, InvSrcColor, BlendOp::Add), 0.25 + 0.5),
            (BlendEquation(DestAlpha, InvDestAlpha, BlendOp::Add), 0.375 + 0.25),
            (BlendEquation(DestColor, InvDestColor, BlendOp::Add), 0.5),
        ] {
            let merger = Merger {
                format: Format::R32G32B32A32Float,
                blend: Some(Blend { color, alpha: keep }),
                write: [true; 4],
            };
            let out = merged(&merger, stored, source);
            assert_eq!((out[0], out[3]), (red, 0.75), "{color:?}");
        }
    }

    #[test]
    fn in_the_alpha_equation_a_colour_factor_is_alpha() {
        let blend = Blend {
            color: BlendEquation(One, Zero, BlendOp::Add),
            alpha: BlendEquation(SrcColor, DestColor, BlendOp::Add),
        };
        let merger = Merger { format: Format::R32G32B32A32Float, blend: Some(blend), write: [true; 4] };
        assert_eq!(merged(&merger, [9.0, 9.0, 9.0, 0.5], [7.0, 7.0, 7.0, 0.25])[3], 0.0625 + 0.25);
    }

    #[test]
    fn fixed_point_targets_clamp_before_and_after_blending() {
        let add = BlendEquation(One, One, BlendOp::Add);
        let merger =
            |format| Merger { format, blend: Some(Blend { color: add, alpha: add }), write: [true; 4] };
        // -2 becomes -1 before it is added to 1.
        assert_eq!(merged(&merger(Format::R8G8B8A8Snorm), [1.0; 4], [-2.0; 4]), [0.0; 4]);
        assert_eq!(merged(&merger(Format::R8G8B8A8Unorm), [0.6; 4], [3.0; 4]), [1.0; 4]);
        assert_eq!(merged(&merger(Format::R16G16Float), [1.0; 4], [-2.0; 4])[0], -1.0);
    }

    #[test]
    fn a_target_without_alpha_blends_as_if_it_held_one() {
        let color = BlendEquation(DestAlpha, Zero, BlendOp::Add);
        let merger = Merger {
            format: Format::R16G16Float,
            blend: Some(Blend { color, alpha: color }),
            write: [true; 4],
        };
        assert_eq!(merged(&merger, [0.0; 4], [0.5, 0.25, 0.0, 0.0])[..2], [0.5, 0.25]);
    }

    #[test]
    fn channels_that_are_not_written_keep_their_bits() {
        let merger = Merger { format: Format::R8G8B8A8Snorm, blend: None, write: [false, true, false, true] };
        let mut pixel = [0x80, 1, 0x80, 2];
        merger.merge(&mut pixel, [1.0; 4], &mut Vec::new());
        assert_eq!(pixel, [0x80, 0x7F, 0x80, 0x7F]);
        let merger = Merger { format: Format::R10G10B10A2Unorm, ..merger };
        assert_eq!(merged(&merger, [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]), [1.0, 0.0, 0.0, 1.0]);
    }
}
