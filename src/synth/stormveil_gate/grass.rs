//! Grass: the two tiny meshes of the far clumps with their instance records, and the placed models of many indices.

use glam::{DMat3, DVec3, dvec3};

use super::clumps::{Batch, Clump};
use super::scene::place;
use crate::abi::records::{Affine, Instance, write_all};
use crate::synth::angle::{rotation, sin_cos};
use crate::synth::geometry::Surface;
use crate::synth::mesh::Mesh;
use crate::synth::skeleton::Map;

/// A closed bud of 14 triangles: seven sides between two points.
pub(crate) fn larger() -> Mesh {
    let rim = (0..7).map(|i| {
        let (sin, cos) = sin_cos(f64::from(i) / 7.0);
        dvec3(0.42 * cos, 0.7, -0.38 * sin)
    });
    let points = rim.chain([dvec3(0.02, 0.0, 0.01), dvec3(-0.03, 1.35, 0.02)]).collect();
    let sides = (0..7).flat_map(|i| [[(i + 1) % 7, i, 7], [i, (i + 1) % 7, 8]]).collect();
    Mesh::rigid("AEG210_000_L", 0, Surface::soup(points, sides))
}

/// A closed tuft of 4 triangles.
pub(crate) fn smaller() -> Mesh {
    let base = (0..3).map(|i| {
        let (sin, cos) = sin_cos(f64::from(i) / 3.0);
        dvec3(0.7 * cos, 0.0, -0.66 * sin)
    });
    let points = base.chain([dvec3(0.03, 1.5, 0.0)]).collect();
    Mesh::rigid("AEG210_000_L", 1, Surface::soup(points, vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]]))
}

/// The instance records of a batch. Four colour palettes go round.
pub(crate) fn records(batch: &Batch) -> Vec<u8> {
    let record = |(n, clump): (usize, &Clump)| {
        let linear = rotation(DVec3::Y, clump.heading)
            * DMat3::from_diagonal(dvec3(clump.across, clump.up, clump.across));
        let tint = |i: usize| {
            let base = (n % 4) as f32 * 0.0625 + i as f32 * 0.03125;
            [0.25 + base, 0.5 + 0.5 * base, 0.125 + 0.25 * base, 1.0]
        };
        Instance {
            world: Map::new(linear, clump.at).affine(),
            // Whole to 150 m, then thinner by steps.
            fade_alpha: if batch.band.0 < 150.0 { 1.0 } else { 0.5 + 0.0625 * (n % 8) as f32 },
            force_num: batch.force.0,
            force_index: batch.force.1,
            pad: 0,
            palette: std::array::from_fn(tint),
        }
    };
    write_all(&batch.clumps.iter().enumerate().map(record).collect::<Vec<_>>())
}

/// Indices of the placed models' draws, each with its place in metres before the eye, to its right and above it.
pub(crate) const PLACED: [(u32, (f64, f64, f64)); 4] = [
    (534, (7.2, -2.6, -2.3)),
    (68_871, (7.6, 2.9, -2.4)),
    (5_121, (8.9, -0.9, -2.7)),
    (21_360, (10.6, 4.9, -2.8)),
];

/// A placed model: blades side by side, 178 triangles.
pub(crate) fn placed() -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for n in 0..9u32 {
        let height = 0.6 + 0.04 * f64::from(n * 5 % 9);
        let lean = 0.1 + 0.015 * f64::from(n * 4 % 9);
        let middle = dvec3(0.16 * (f64::from(n) - 4.0), 0.0, 0.05 * f64::from(n % 2));
        // Ten steps to a blade, one less to the last: 178 triangles.
        let steps = if n == 8 { 10 } else { 11 };
        let blade = Surface::sheet(2, steps, |u, v| {
            let wide = 0.05 * (1.15 - v);
            middle + dvec3(wide * (0.5 - u) * 2.0, height * v, lean * v * v)
        });
        let first = points.len() as u32;
        points.extend(blade.points);
        triangles.extend(blade.triangles.iter().map(|t| t.map(|i| i + first)));
    }
    Mesh::rigid("AEG210_022", 0, Surface::soup(points, triangles))
}

/// The placed model's triangles over and over, as many indices as the largest draw has: the documents give the numbers of
/// indices and nothing of the shapes.
pub(crate) fn placed_indices(mesh: &Mesh) -> Vec<u32> {
    let most = PLACED.iter().map(|(count, _)| *count as usize).max().unwrap_or(0);
    mesh.surface.triangles.iter().flatten().copied().cycle().take(most).collect()
}

/// Where the n-th placed model stands.
pub(crate) fn world(n: usize) -> Affine {
    let (before, right, above) = PLACED[n].1;
    // Blades are wide in x; their backs are towards the eye, more or less.
    let turns = 0.39 + 0.012 * n as f64;
    Map::new(rotation(DVec3::Y, turns) * DMat3::from_diagonal(DVec3::splat(1.4)), place(before, right, above))
        .affine()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_have_the_documents_triangles() {
        assert_eq!([larger(), smaller(), placed()].map(|m| m.surface.triangles.len()), [14, 4, 178]);
        assert_eq!(placed_indices(&placed()).len(), 68_871);
    }

    #[test]
    fn closed_meshes_face_outward() {
        for mesh in [larger(), smaller()] {
            let corners = mesh.surface.triangles.iter().map(|t| t.map(|i| mesh.surface.points[i as usize]));
            let volume: f64 = corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
            assert!(volume > 0.0, "{volume}");
        }
    }
}
