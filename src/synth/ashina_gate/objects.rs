//! The rigid things about the gate: three cloths of two vertex buffers whose first is replaced by one buffer written
//! each frame, and a gate that nothing moves.

use glam::{DMat3, DVec3, dvec3};

use crate::abi::records::Affine;
use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::skeleton::Map;

/// The cloths.
pub(crate) const CLOTHS: [&str; 3] = ["o113100", "o113110", "o113120"];
/// The gate.
pub(crate) const GATE: &str = "m110100";
/// The farthest a cloth's vertex gets from its stored place; the documents say up to 3 units.
pub(crate) const REACH: f64 = 2.96;

/// The cloths as stored: flat, hanging from the origin.
pub(crate) fn cloths() -> Vec<Mesh> {
    let size = [(9, 11), (8, 12), (10, 9)];
    let cloth = |(model, (columns, rows)): (&'static str, (usize, usize))| {
        Mesh::rigid(model, 0, Surface::sheet(columns, rows, |u, v| dvec3(1.1 - 2.2 * u, -3.4 * v, 0.0)))
    };
    CLOTHS.into_iter().zip(size).map(cloth).collect()
}

/// The n-th cloth in the wind at a moment, in frames: held at the top, blown back towards the hem.
pub(crate) fn blown(mesh: &Mesh, n: usize, frame: f64) -> Vec<DVec3> {
    let strength = [1.0, 0.86, 0.93][n] * REACH;
    let blow = |p: &DVec3| {
        let (across, fall) = ((1.1 - p.x) / 2.2, -p.y / 3.4);
        let gust = sin_cos(frame / 90.0 + 0.31 * n as f64 + 0.35 * across + 0.2 * fall).0;
        // Back by up to the whole strength, up and aside by parts of it: the three never add up to more than it.
        let back = 0.72 + 0.2 * gust;
        let pull = dvec3(0.18 * sin_cos(0.4 * across + frame / 130.0).0, 0.3, -back);
        *p + pull * (strength * fall * fall / 1.01)
    };
    mesh.surface.points.iter().map(blow).collect()
}

/// Where the n-th rigid thing stands at a moment, in frames; the gate and the floor come after the cloths.
pub(crate) fn world(n: usize, frame: f64) -> Affine {
    if n >= CLOTHS.len() {
        return Affine::IDENTITY;
    }
    let sway = 0.004 * sin_cos(frame / 70.0 + 0.2 * n as f64).0;
    let place = [dvec3(-3.4, 3.9, -5.6), dvec3(-0.3, 4.1, -6.4), dvec3(2.9, 3.8, -5.2)][n];
    let scale = DMat3::from_diagonal(dvec3(0.95, 0.9, 0.92));
    Map::new(rotation(DVec3::Y, 0.03 * (1.0 - n as f64) + sway) * scale, place).affine()
}

/// The floor, a path that runs under the eye, as a soup of triangles behind six vertices that are not drawn.
pub(crate) fn floor() -> Mesh {
    let grid = Surface::sheet(5, 9, |u, v| dvec3(-2.3 + 3.0 * u, -0.05, 5.0 - 8.8 * v));
    let corners = grid.triangles.iter().flatten().map(|i| grid.points[*i as usize]);
    let points: Vec<_> = std::iter::repeat_n(DVec3::ZERO, UNDRAWN as usize).chain(corners).collect();
    let triangles = (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::rigid(GATE, 0, Surface::soup(points, triangles))
}

/// Vertices in front of the floor's that no draw names.
pub(crate) const UNDRAWN: u32 = 6;
/// Vertices of the floor that are drawn: two triangles for each of its 4 x 8 tiles.
pub(crate) const FLOOR_VERTICES: u32 = 192;

/// Two pillars and a lintel, 24 vertices each, which share the triangles of a box.
pub(crate) fn gate() -> Mesh {
    let boxes = [
        (dvec3(-5.2, 1.98, -11.0), dvec3(0.5, 2.0, 0.5)),
        (dvec3(5.2, 1.98, -11.0), dvec3(0.5, 2.0, 0.5)),
        (dvec3(0.0, 4.35, -11.0), dvec3(6.4, 0.3, 0.6)),
    ];
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for (middle, half) in boxes {
        let first = points.len() as u32;
        for (normal, u, v) in
            [(DVec3::X, DVec3::Y, DVec3::Z), (DVec3::Y, DVec3::Z, DVec3::X), (DVec3::Z, DVec3::X, DVec3::Y)]
        {
            for side in [1.0, -1.0] {
                let corner = |a: f64, b: f64| middle + half * (normal * side + u * (a * side) + v * b);
                points.extend([corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)]);
            }
        }
        triangles.extend(box_triangles().map(|t| t.map(|i| i + first)));
    }
    Mesh::rigid(GATE, 1, Surface::soup(points, triangles))
}

/// The twelve triangles of a box of 24 vertices.
pub(crate) fn box_triangles() -> impl Iterator<Item = [u32; 3]> {
    (0..6).flat_map(|face| [[0, 1, 2], [2, 1, 3]].map(|t| t.map(|i| i + 4 * face)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloths_move_by_up_to_three_units() {
        for frame in 0..400 {
            for (n, mesh) in cloths().iter().enumerate() {
                let moved = blown(mesh, n, f64::from(frame) * 2.5);
                let pairs = moved.iter().zip(&mesh.surface.points);
                let reach = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                assert!(reach < 3.0 && reach > 1.5, "{n} {frame}: {reach}");
            }
        }
    }

    #[test]
    fn the_gate_s_boxes_face_outward() {
        let gate = gate();
        for t in &gate.surface.triangles {
            let [a, b, c] = t.map(|i| gate.surface.points[i as usize]);
            let boxed = &gate.surface.points[(t[0] / 24 * 24) as usize..][..24];
            let middle = boxed.iter().sum::<DVec3>() / 24.0;
            assert!((b - a).cross(c - a).dot(a - middle) > 0.0);
        }
    }
}
