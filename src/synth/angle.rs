//! Sine and cosine by arithmetic that is correctly rounded everywhere.
//!
//! The standard library's come from the platform, whose last bit differs from one to the next: a set would then not be
//! reproducible. Additions, multiplications, divisions and square roots are exact by IEEE 754, so these use no other.

use glam::{DMat3, DVec3};

/// Sine and cosine of an angle in turns (1 is a full circle), within 1e-15.
pub(crate) fn sin_cos(turns: f64) -> (f64, f64) {
    let quarters = (turns * 4.0).round_ties_even();
    let x = (turns - quarters / 4.0) * std::f64::consts::TAU;
    let square = x * x;
    // The series by Horner's rule: term k is the one before times -x^2 / ((2k)(2k + 1)), or / ((2k - 1)(2k)).
    let series = |first: f64| {
        let terms = (1..=10).rev().map(|k| f64::from(k) * 2.0);
        terms.fold(1.0, |sum, k| 1.0 - square / ((k - 1.0 + first) * (k + first)) * sum)
    };
    let (sin, cos) = (x * series(1.0), series(0.0));
    match quarters.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The rotation about a unit axis by an angle in turns, right-handed (Rodrigues).
pub(crate) fn rotation(axis: DVec3, turns: f64) -> DMat3 {
    let (sin, cos) = sin_cos(turns);
    let DVec3 { x, y, z } = axis;
    let t = 1.0 - cos;
    DMat3::from_cols(
        DVec3::new(t * x * x + cos, t * x * y + sin * z, t * x * z - sin * y),
        DVec3::new(t * x * y - sin * z, t * y * y + cos, t * y * z + sin * x),
        DVec3::new(t * x * z + sin * y, t * y * z - sin * x, t * z * z + cos),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_agree_with_the_platform_s() {
        for i in -4000..4000 {
            let turns = f64::from(i) / 997.0;
            let (sin, cos) = sin_cos(turns);
            let angle = turns * std::f64::consts::TAU;
            assert!((sin - angle.sin()).abs() < 1e-13 && (cos - angle.cos()).abs() < 1e-13, "{turns}");
        }
    }

    #[test]
    fn quarter_turns_are_exact() {
        assert_eq!([0.0, 0.25, 0.5, 0.75].map(|t| sin_cos(t).1), [1.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn a_quarter_turn_about_y_takes_z_to_x() {
        let turned = rotation(DVec3::Y, 0.25) * DVec3::Z;
        assert!(turned.distance(DVec3::X) < 1e-15);
    }
}
