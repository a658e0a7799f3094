//! Meshes as a model file stores them, and the vertex streams that come of them.

use glam::DVec3;

use super::geometry::{Surface, frame};
use super::skeleton::{Joint, influences};
use crate::abi::records::{PositionVertex, write_all};

/// Bytes of a vertex of a skinned mesh's second buffer: bone indices, weights, colour, two 16-bit texture coordinates.
pub(crate) const SKIN_STRIDE: u32 = 16;
/// Bytes of a vertex of a rigid mesh's second buffer: colour, two 16-bit texture coordinates.
pub(crate) const PAINT_STRIDE: u32 = 8;

/// A mesh of a model file.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// The model.
    pub(crate) model: &'static str,
    /// Its number in the model.
    pub(crate) number: u32,
    /// The stored surface.
    pub(crate) surface: Surface,
    /// The second vertex buffer.
    pub(crate) second: Vec<u8>,
    /// Bytes of a vertex of it.
    pub(crate) second_stride: u32,
}

impl Mesh {
    /// A mesh whose vertices hang on joints; `sum` gives the weights' sum of each vertex, of 255.
    pub(crate) fn skinned(
        model: &'static str,
        number: u32,
        surface: Surface,
        joints: &[Joint],
        candidates: &[usize],
        mut sum: impl FnMut() -> u8,
    ) -> Self {
        let mut second = Vec::new();
        for p in &surface.points {
            let (indices, weights) = influences(*p, joints, candidates, sum());
            second.extend(indices);
            second.extend(weights);
            second.extend(paint(*p));
        }
        Self { model, number, surface, second, second_stride: SKIN_STRIDE }
    }

    /// A mesh without bones.
    pub(crate) fn rigid(model: &'static str, number: u32, surface: Surface) -> Self {
        let second = surface.points.iter().flat_map(|p| paint(*p)).collect();
        Self { model, number, surface, second, second_stride: PAINT_STRIDE }
    }

    /// The first vertex buffer of the file, of which the third is a copy.
    pub(crate) fn stored(&self) -> Vec<u8> {
        position_stream(&self.surface)
    }

    /// The stream of the mesh with its vertices moved to `points`.
    pub(crate) fn moved(&self, points: Vec<DVec3>) -> Vec<u8> {
        position_stream(&self.surface.with_points(points))
    }
}

/// A colour and a texture coordinate, planar in x and y.
fn paint(p: DVec3) -> [u8; PAINT_STRIDE as usize] {
    let shade = |v: f64| (v.abs() * 97.0) as u8 | 0x80;
    let [u, v] = [p.x, p.y].map(|c| ((c * 1024.0) as i16).to_le_bytes());
    [shade(p.x), shade(p.y), shade(p.z), 255, u[0], u[1], v[0], v[1]]
}

/// 20 bytes a vertex: position, normal and tangent, with the normals of the surface as it stands.
fn position_stream(surface: &Surface) -> Vec<u8> {
    let unorm = |v: f64| ((v * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
    let bytes = |d: DVec3, w: u8| [unorm(d.x), unorm(d.y), unorm(d.z), w];
    let vertices = surface.points.iter().zip(surface.normals());
    let records: Vec<_> = vertices
        .map(|(p, normal)| PositionVertex {
            position: p.as_vec3().to_array(),
            normal: bytes(normal, 0),
            tangent: bytes(frame(normal).0, 255),
        })
        .collect();
    write_all(&records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::records::read_all;

    #[test]
    fn a_stream_holds_positions_and_unit_normals() {
        let surface = Surface::ring(DVec3::Y, 0.3, 0.1, 12, 8);
        let mesh = Mesh::rigid("ring", 0, surface.clone());
        let vertices: Vec<PositionVertex> = read_all(&mesh.stored());
        assert_eq!(vertices.len(), surface.points.len());
        for (vertex, p) in vertices.iter().zip(&surface.points) {
            assert_eq!(vertex.position, p.as_vec3().to_array());
            let normal = DVec3::from_array([0, 1, 2].map(|i| f64::from(vertex.normal[i]) / 127.5 - 1.0));
            assert!((normal.length() - 1.0).abs() < 0.02);
        }
    }
}
