//! View-projections in Direct3D's clip space: y up, depth 0 at the near plane and 1 at the far one.

use glam::DVec3;

/// Four rows of four: `clip_i = dot(row_i, (p, 1))`.
pub(crate) type Rows = [[f32; 4]; 4];

/// Where an eye is and where it looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The eye.
    pub(crate) eye: DVec3,
    /// A point in the middle of the picture.
    pub(crate) target: DVec3,
}

impl View {
    /// The axes right, up and forward, and the eye's place along them.
    fn axes(&self) -> [(DVec3, f64); 3] {
        let forward = (self.target - self.eye).normalize();
        let right = DVec3::Y.cross(forward).normalize();
        let up = forward.cross(right);
        [right, up, forward].map(|axis| (axis, -axis.dot(self.eye)))
    }

    /// A perspective; `focal` is the cotangent of half the vertical angle, `aspect` width over height.
    pub(crate) fn perspective(&self, focal: f64, aspect: f64, near: f64, far: f64) -> Rows {
        let [right, up, forward] = self.axes();
        let depth = far / (far - near);
        [
            row(right, focal / aspect, 0.0),
            row(up, focal, 0.0),
            row(forward, depth, -near * depth),
            row(forward, 1.0, 0.0),
        ]
    }

    /// A parallel projection of a box of that half width, half height and depth.
    pub(crate) fn parallel(&self, half_width: f64, half_height: f64, depth: f64) -> Rows {
        let [right, up, forward] = self.axes();
        [
            row(right, 1.0 / half_width, 0.0),
            row(up, 1.0 / half_height, 0.0),
            row(forward, 1.0 / depth, 0.0),
            [0.0, 0.0, 0.0, 1.0],
        ]
    }
}

fn row((axis, at): (DVec3, f64), scale: f64, shift: f64) -> [f32; 4] {
    let scaled = axis * scale;
    [scaled.x as f32, scaled.y as f32, scaled.z as f32, (at * scale + shift) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::records::ViewProjections;

    const VIEW: View = View { eye: DVec3::new(0.0, 1.0, 5.0), target: DVec3::new(0.0, 1.0, 0.0) };

    #[test]
    fn the_target_is_in_the_middle_and_the_planes_have_depth_0_and_1() {
        let rows = VIEW.perspective(2.0, 1.5, 0.5, 50.0);
        let depth = |z: f64| {
            let clip = ViewProjections::clip(&rows, DVec3::new(0.0, 1.0, z));
            assert!(clip.x.abs() < 1e-6 && clip.y.abs() < 1e-6);
            clip.z / clip.w
        };
        assert!(depth(4.5).abs() < 1e-6 && (depth(-45.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_picture_s_right_is_the_eye_s_right() {
        for rows in [VIEW.perspective(2.0, 1.5, 0.5, 50.0), VIEW.parallel(4.0, 4.0, 20.0)] {
            // The world is left-handed: looking towards -z with y up, the right hand is at -x.
            let clip = ViewProjections::clip(&rows, DVec3::new(-1.0, 2.0, 0.0));
            assert!(clip.x > 0.0 && clip.y > 0.0, "{clip}");
        }
    }
}
