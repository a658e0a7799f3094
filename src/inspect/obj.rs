//! Posed meshes as Wavefront OBJ, for any viewer.

use std::io::{self, Write};

use crate::formats::flver::hierarchy::Hierarchy;
use crate::formats::flver::{FaceSet, Model};
use crate::pose::{MeshVertices, Rule, Worlds};

/// Writes every mesh, posed by the full product, with the triangles of its full detail. A vertex that is no number is
/// written as `NaN`, so that the numbers of the others stay what they are; a triangle that names no vertex is left out
/// and counted in a comment.
pub(super) fn write(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let worlds = Worlds::of(&model.nodes, &Hierarchy::of(&model.nodes));
    writeln!(out, "# posed by the full product; meters, as stored")?;
    let mut base = 1u64;
    for mesh in 0..model.meshes.len() {
        let Some(vertices) = MeshVertices::of(model, mesh) else { continue };
        writeln!(out, "o mesh{mesh}")?;
        for i in 0..vertices.len() {
            let posed = vertices.get(i).and_then(|vertex| vertex.posed(&worlds, Rule::Full));
            let p = posed.unwrap_or(glam::DVec3::NAN);
            // As f32: what the file could hold.
            writeln!(out, "v {} {} {}", p.x as f32, p.y as f32, p.z as f32)?;
        }
        faces(model, mesh, vertices.len(), base, out)?;
        base += vertices.len() as u64;
    }
    Ok(())
}

fn faces(model: &Model, mesh: usize, count: usize, base: u64, out: &mut dyn Write) -> io::Result<()> {
    let reduced = FaceSet::LOD1 | FaceSet::LOD2 | FaceSet::LOD_EX | FaceSet::MOTION_BLUR;
    let mut past = 0u64;
    for set in model.mesh_face_sets(mesh).into_iter().flat_map(|sets| sets.iter()) {
        let Ok(number) = usize::try_from(set) else { continue };
        if model.face_sets.get(number).is_none_or(|set| set.flags & reduced != 0) {
            continue;
        }
        for triangle in model.triangles(number, count).into_iter().flatten() {
            if triangle.iter().any(|i| *i as usize >= count) {
                past += 1;
                continue;
            }
            let [a, b, c] = triangle.map(|i| base + u64::from(i));
            writeln!(out, "f {a} {b} {c}")?;
        }
    }
    if past > 0 {
        writeln!(out, "# {past} triangles name vertices past the {count} of mesh{mesh}")?;
    }
    Ok(())
}
