//! Valid grass files: a strip of ground, its densities, and a tree over its triangles.

use super::random::Random;
use crate::formats::grass::{Grass, GrassBox, GrassFace, GrassVertex, GrassVolume};

/// Builds a grass file whose tree has volumes with two children, with one, and leaves.
pub fn build_grass(random: &mut Random) -> Grass {
    let (columns, rows) = (3 + random.below(4), 3 + random.below(4));
    let mut grass = Grass::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let height = random.between(-0.3, 0.3);
            // The first vertex always grows type 0: faults that change a density keep the types.
            let bare = random.one_in(6) && !grass.vertices.is_empty();
            let mut densities = [0.0; 6];
            for density in densities.iter_mut().take(if bare { 0 } else { 1 + random.below(3) }) {
                *density = random.between(0.05, 1.0);
            }
            let position = [column as f32, height, row as f32];
            grass.vertices.push(GrassVertex { position, densities });
        }
    }
    let at = |row: usize, column: usize| (row * (columns + 1) + column) as u32;
    for row in 0..rows {
        for column in 0..columns {
            let [a, b] = [at(row, column), at(row, column + 1)];
            let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
            for vertices in [[a, b, c], [b, d, c]] {
                grass.faces.push(GrassFace { normal: [0.0; 3], vertices });
            }
        }
    }
    for i in 0..grass.faces.len() {
        let length = if random.one_in(8) { random.between(0.1, 5.0) } else { 1.0 };
        let normal = against_winding(&grass, i, length);
        if let Some(face) = grass.faces.get_mut(i) {
            face.normal = normal;
        }
    }
    split(&mut grass, 0, (columns * rows * 2) as u32, 0, random);
    describe(&mut grass);
    grass
}

/// A face's normal against the cross product of its edges.
fn against_winding(grass: &Grass, face: usize, length: f32) -> [f32; 3] {
    let corners = grass.faces.get(face).and_then(|face| grass.corners(face));
    let Some([a, b, c]) = corners.map(|corners| corners.map(|v| glam::Vec3::from(v.position))) else {
        return [0.0; 3];
    };
    (-(b - a).cross(c - a).normalize_or_zero() * length).to_array()
}

/// Adds the volume over faces `first..end` and what is below it; gives its index.
fn split(grass: &mut Grass, first: u32, end: u32, depth: u32, random: &mut Random) -> u32 {
    let index = grass.volumes.len() as u32;
    grass.volumes.push(GrassVolume { children: [0; 2], first_face: first, end_face: end, types: 0 });
    let faces = end - first;
    let children = if faces < 4 || depth > 4 {
        [0; 2]
    } else if depth > 0 && random.one_in(5) {
        // An only child holds fewer.
        [split(grass, first, end - 1, depth + 1, random), 0]
    } else {
        let middle = first + faces / 2;
        let left = split(grass, first, middle, depth + 1, random);
        [left, split(grass, middle, end, depth + 1, random)]
    };
    if let Some(volume) = grass.volumes.get_mut(index as usize) {
        volume.children = children;
    }
    index
}

/// Gives every volume the types of its faces and a box around them.
pub(super) fn describe(grass: &mut Grass) {
    let mut boxes = Vec::new();
    let mut types = Vec::new();
    for volume in &grass.volumes {
        types.push(grass.types_under(volume));
        let mut bounds = GrassBox { min: [f32::MAX; 3], max: [-f32::MAX; 3] };
        for corner in grass.faces_of(volume).iter().filter_map(|face| grass.corners(face)).flatten() {
            for ((p, min), max) in corner.position.iter().zip(&mut bounds.min).zip(&mut bounds.max) {
                (*min, *max) = (min.min(*p), max.max(*p));
            }
        }
        boxes.push(bounds);
    }
    for (volume, types) in grass.volumes.iter_mut().zip(types) {
        volume.types = types;
    }
    grass.boxes = boxes;
}
