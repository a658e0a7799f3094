//! The triangles of a pass on the screen: where a covered pixel may honestly differ by rounding.

use crate::execute::{Outputs, primitives};
use crate::plan::{DrawIndex, PassIndex, Plan};

/// A triangle in pixels, origin top-left.
pub(super) type ScreenTriangle = [[f64; 2]; 3];

/// Every triangle that the executed draws of a pass put on the screen, clipped to the view volume; a clipped one comes
/// as a fan.
pub(super) fn screen_triangles(plan: &Plan, outputs: &Outputs, pass: PassIndex) -> Vec<ScreenTriangle> {
    let mut triangles = Vec::new();
    for (index, draw) in plan.draws().filter(|(_, draw)| draw.pass == pass) {
        let Ok(binding) = &draw.replay else { continue };
        let Some(at) = position_offset(&binding.interface) else { continue };
        for triangle in primitives::triangles(draw) {
            for instance in 0..draw.instance_count {
                let corner = |vertex| clip_position(outputs, index, instance, vertex, at);
                if let [Some(a), Some(b), Some(c)] = triangle.map(corner) {
                    add(&mut triangles, [a, b, c], plan.passes[pass.0].viewport);
                }
            }
        }
    }
    triangles
}

/// Where the clip-space position lies in a post-VS record.
fn position_offset(interface: &crate::abi::Interface) -> Option<usize> {
    let mut at = 0;
    for output in &interface.outputs {
        if output.semantic.is_position() {
            return Some(at);
        }
        at += output.components as usize;
    }
    None
}

fn clip_position(
    outputs: &Outputs,
    draw: DrawIndex,
    instance: u32,
    vertex: i64,
    at: usize,
) -> Option<[f64; 4]> {
    let record = outputs.post_vs.get(&draw)?.record(instance, vertex)?;
    let position: [f32; 4] = record.get(at..at + 4)?.try_into().ok()?;
    let position = position.map(f64::from);
    position.iter().all(|v| v.is_finite()).then_some(position)
}

fn add(triangles: &mut Vec<ScreenTriangle>, corners: [[f64; 4]; 3], viewport: [f32; 6]) {
    let [vx, vy, vw, vh, ..] = viewport.map(f64::from);
    let mut polygon = corners.to_vec();
    let planes: [fn(&[f64; 4]) -> f64; 7] = [
        |p| p[3] - 1e-9,
        |p| p[3] + p[0],
        |p| p[3] - p[0],
        |p| p[3] + p[1],
        |p| p[3] - p[1],
        |p| p[2],
        |p| p[3] - p[2],
    ];
    for plane in planes {
        polygon = clip(&polygon, plane);
    }
    let screen = |p: &[f64; 4]| [vx + (p[0] / p[3] + 1.0) * 0.5 * vw, vy + (1.0 - p[1] / p[3]) * 0.5 * vh];
    let points: Vec<[f64; 2]> = polygon.iter().map(screen).collect();
    if let [first, rest @ ..] = points.as_slice() {
        triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    }
}

/// The part of a convex polygon where `inside` is not negative.
fn clip(polygon: &[[f64; 4]], inside: fn(&[f64; 4]) -> f64) -> Vec<[f64; 4]> {
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for (i, from) in polygon.iter().enumerate() {
        let to = &polygon[(i + 1) % polygon.len()];
        let (a, b) = (inside(from), inside(to));
        if a >= 0.0 {
            out.push(*from);
        }
        if (a >= 0.0) != (b >= 0.0) {
            let t = a / (a - b);
            out.push(std::array::from_fn(|k| from[k] + (to[k] - from[k]) * t));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(corners: [[f64; 4]; 3]) -> Vec<ScreenTriangle> {
        let mut triangles = Vec::new();
        add(&mut triangles, corners, [0.0, 0.0, 100.0, 100.0, 0.0, 1.0]);
        triangles
    }

    #[test]
    fn a_triangle_inside_comes_as_it_is() {
        let found = screen([[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]]);
        assert_eq!(found, [[[50.0, 50.0], [100.0, 50.0], [50.0, 0.0]]]);
    }

    #[test]
    fn a_corner_behind_the_eye_is_cut_off() {
        let found = screen([[0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 0.5, 1.0], [0.0, 1.0, -1.0, -1.0]]);
        assert!(!found.is_empty());
        assert!(found.iter().flatten().flatten().all(|v| (-1e-9..=100.0 + 1e-9).contains(v)));
    }

    #[test]
    fn a_triangle_outside_leaves_nothing() {
        assert!(screen([[2.0, 0.0, 0.5, 1.0], [3.0, 0.0, 0.5, 1.0], [2.0, 1.0, 0.5, 1.0]]).is_empty());
    }
}
