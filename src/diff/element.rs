//! One element against another: equal, tolerated, different, and by how much.

use super::Rule;
use crate::abi::{Format, NumberKind};

/// What a pair of elements is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Equal bits, or equal values under a rule that is not exact.
    Equal,
    /// Admitted by `abs`.
    Abs,
    /// Admitted by `rel`.
    Rel,
    /// Admitted by `ulp`.
    Ulp,
    /// Admitted by nothing.
    Different(Why),
}

/// Kinds of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Two numbers too far apart, or not of equal bits under the exact rule.
    Numbers,
    /// NaN or infinity on one side only, or infinities of other sign.
    OneSide,
    /// NaN on both sides, with other bits.
    BothNan,
}

/// A pair of elements, judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) outcome: Outcome,
    pub(super) recorded: f64,
    pub(super) replayed: f64,
    /// Infinite where only one is a number.
    pub(super) abs: f64,
    pub(super) rel: f64,
    /// `None` where a side is no number.
    pub(super) ulp: Option<u64>,
}

/// Judges component `index` of two elements. `scale` is what `rel` refers to; `None` takes the larger of the two.
/// Symmetric in its sides.
pub(super) fn judge(
    format: Format,
    recorded: &[u8],
    replayed: &[u8],
    index: usize,
    rule: &Rule,
    scale: Option<f64>,
) -> Judged {
    let bits = [format.raw(recorded, index), format.raw(replayed, index)];
    let [a, b] = [format.component(recorded, index), format.component(replayed, index)];
    let mut judged =
        Judged { outcome: Outcome::Equal, recorded: a, replayed: b, abs: 0.0, rel: 0.0, ulp: Some(0) };
    if bits[0] == bits[1] {
        return judged;
    }
    if !(a.is_finite() && b.is_finite()) {
        let both_nan = a.is_nan() && b.is_nan();
        let why = if both_nan { Why::BothNan } else { Why::OneSide };
        return Judged {
            outcome: Outcome::Different(why),
            abs: f64::INFINITY,
            rel: f64::INFINITY,
            ulp: None,
            ..judged
        };
    }
    let ulp = ulp_distance(format, index, bits);
    judged.abs = (a - b).abs();
    let scale = scale.unwrap_or(a.abs().max(b.abs()));
    judged.rel = if judged.abs == 0.0 { 0.0 } else { judged.abs / scale };
    judged.ulp = Some(ulp);
    judged.outcome = if rule.is_exact() {
        Outcome::Different(Why::Numbers)
    } else if judged.abs == 0.0 {
        Outcome::Equal
    } else if judged.abs <= rule.abs {
        Outcome::Abs
    } else if judged.abs <= rule.rel * scale {
        Outcome::Rel
    } else if ulp <= rule.ulp {
        Outcome::Ulp
    } else {
        Outcome::Different(Why::Numbers)
    };
    judged
}

/// How many representable values lie between two bit patterns of a component, counting across zero; +0 and -0 are the
/// same value, as are snorm's two codes for -1.
fn ulp_distance(format: Format, index: usize, bits: [u32; 2]) -> u64 {
    let ten = format == Format::R10G10B10A2Unorm;
    let width = match (ten, index) {
        (true, 3) => 2,
        (true, _) => 10,
        _ => format.size() as u32 * 8 / format.components() as u32,
    };
    let sign = 1u32 << (width - 1);
    let [a, b] = bits.map(|raw| -> i64 {
        match format.kind() {
            NumberKind::Float32 | NumberKind::Float16 => {
                let magnitude = i64::from(raw & (sign - 1));
                if raw & sign == 0 { magnitude } else { -magnitude }
            }
            NumberKind::Unorm | NumberKind::Uint => i64::from(raw),
            NumberKind::Sint => i64::from((raw << (32 - width)) as i32 >> (32 - width)),
            NumberKind::Snorm => {
                let code = i64::from((raw << (32 - width)) as i32 >> (32 - width));
                code.max(-i64::from(sign - 1))
            }
        }
    });
    a.abs_diff(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::RuleSource;

    fn rule(abs: f64, rel: f64, ulp: u64) -> Rule {
        Rule { abs, rel, ulp, outliers: 0.0, source: RuleSource::Default("test") }
    }

    fn f32s(a: f32, b: f32, rule: &Rule) -> Outcome {
        judge(Format::R32Float, &a.to_le_bytes(), &b.to_le_bytes(), 0, rule, None).outcome
    }

    const NUMBERS: Outcome = Outcome::Different(Why::Numbers);
    const ONE_SIDE: Outcome = Outcome::Different(Why::OneSide);

    #[test]
    fn a_number_is_never_nan_or_infinity_whatever_the_tolerance() {
        let wide = rule(f64::MAX, 1e9, u64::MAX);
        for (a, b) in [(0.5, f32::NAN), (0.5, f32::INFINITY), (f32::INFINITY, f32::NEG_INFINITY)] {
            assert_eq!(f32s(a, b, &wide), ONE_SIDE, "{a} {b}");
            assert_eq!(f32s(b, a, &wide), ONE_SIDE, "{b} {a}");
        }
    }

    #[test]
    fn nans_are_equal_only_in_equal_bits() {
        let wide = rule(1.0, 1.0, 9);
        let (a, b) = (f32::from_bits(0x7FC0_1234), f32::from_bits(0x7FC0_0000));
        assert_eq!(f32s(a, a, &wide), Outcome::Equal);
        assert_eq!(f32s(a, b, &wide), Outcome::Different(Why::BothNan));
    }

    #[test]
    fn zeros_differ_in_sign_only_under_the_exact_rule() {
        assert_eq!(f32s(0.0, -0.0, &rule(0.0, 0.0, 0)), NUMBERS);
        assert_eq!(f32s(0.0, -0.0, &rule(0.0, 1e-6, 0)), Outcome::Equal);
    }

    #[test]
    fn small_numbers_differ_under_a_relative_rule() {
        assert_eq!(f32s(1e-20, 3e-20, &rule(0.0, 1e-6, 0)), NUMBERS);
        assert_eq!(f32s(1e-20, 3e-20, &rule(1e-6, 0.0, 0)), Outcome::Abs);
        assert_eq!(f32s(70_000.0, 300.0, &rule(1e-6, 1e-6, 4)), NUMBERS);
    }

    #[test]
    fn units_of_the_last_place_count_across_zero() {
        let bits = |x: f32| x.to_bits();
        assert_eq!(ulp_distance(Format::R32Float, 0, [1, 0x8000_0001]), 2);
        assert_eq!(ulp_distance(Format::R32Float, 0, [bits(1.0), bits(1.0) + 3]), 3);
        assert_eq!(ulp_distance(Format::R32Float, 0, [0, 0x8000_0000]), 0);
        assert_eq!(ulp_distance(Format::R16G16Float, 1, [1, 0x8001]), 2);
        assert_eq!(ulp_distance(Format::R8G8B8A8Snorm, 0, [0x80, 0x81]), 0);
        assert_eq!(ulp_distance(Format::R8G8B8A8Snorm, 0, [0x7F, 0xFF]), 128);
        assert_eq!(ulp_distance(Format::R10G10B10A2Unorm, 3, [0, 3]), 3);
    }

    #[test]
    fn the_two_codes_of_minus_one_are_the_same_value_but_not_the_same_bits() {
        let judged = |rule| judge(Format::R8G8B8A8Snorm, &[0x80; 4], &[0x81; 4], 0, &rule, None).outcome;
        assert_eq!(judged(rule(1e-9, 0.0, 0)), Outcome::Equal);
        assert_eq!(judged(rule(0.0, 0.0, 0)), NUMBERS);
    }

    #[test]
    fn a_vector_relative_rule_refers_to_the_scale_given() {
        let (a, b) = (1e-6f32.to_le_bytes(), 2e-6f32.to_le_bytes());
        let judged = |scale| judge(Format::R32Float, &a, &b, 0, &rule(0.0, 1e-6, 0), scale).outcome;
        assert_eq!(judged(Some(10.0)), Outcome::Rel);
        assert_eq!(judged(None), NUMBERS);
    }
}
