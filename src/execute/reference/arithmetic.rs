//! The arithmetic of captures/README.md, "The draw model", "Arithmetic", that the shaders share.

use glam::{DVec3, DVec4};

use super::resources::Rows;

/// `affine(M, p)`.
pub(super) fn affine(rows: [DVec4; 3], p: DVec3) -> DVec3 {
    let [x, y, z] = rows.map(|row| row.dot(p.extend(1.0)));
    DVec3::new(x, y, z)
}

/// The 3 x 3 part of an affine map, applied to a direction.
pub(super) fn direction(rows: [DVec4; 3], d: DVec3) -> DVec3 {
    let [x, y, z] = rows.map(|row| row.truncate().dot(d));
    DVec3::new(x, y, z)
}

/// `skin(P, i, w, p)`: the weights as they come, never made to sum to 1.
pub(super) fn skin(palette: &Rows, bones: [u32; 4], weights: [f64; 4], p: DVec3) -> DVec3 {
    blend(bones, weights, |bone| affine(palette.entry(bone), p))
}

/// As [`skin`], for a direction.
pub(super) fn skin_direction(palette: &Rows, bones: [u32; 4], weights: [f64; 4], d: DVec3) -> DVec3 {
    blend(bones, weights, |bone| direction(palette.entry(bone), d))
}

fn blend(bones: [u32; 4], weights: [f64; 4], map: impl Fn(u32) -> DVec3) -> DVec3 {
    bones.into_iter().zip(weights).map(|(bone, weight)| weight * map(bone)).sum()
}

/// `clip(V, p)`.
pub(super) fn clip(rows: [DVec4; 4], p: DVec3) -> DVec4 {
    let [x, y, z, w] = rows.map(|row| row.dot(p.extend(1.0)));
    DVec4::new(x, y, z, w)
}

/// A vector of length 1; a zero vector stays zero.
pub(super) fn normalised(v: DVec3) -> DVec3 {
    if v == DVec3::ZERO { v } else { v / v.length() }
}
