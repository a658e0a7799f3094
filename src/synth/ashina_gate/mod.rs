//! The set `ashina_gate`: five frames laid out as the documents describe Sekiro's at the Ashina Castle gate.

mod buffers;
mod costume;
mod deform;
mod expect;
mod frame;
mod objects;
mod player;
mod programs;
mod scene;
mod sculptor;

use std::path::Path;

use super::SynthError;
use super::builder::FrameBuilder;
use super::record::record;
use crate::capture::manifest::{CaptureFile, FORMAT, Game, Source, SourceKind};
use crate::capture::write::SetWriter;
use scene::{MOMENTS, Moment, Scene};

/// Writes the set of that seed to `dest`, which must not hold anything yet.
///
/// # Errors
/// See [`SynthError`].
pub fn ashina_gate(seed: u64, dest: &Path) -> Result<(), SynthError> {
    let scene = Scene::new(seed);
    let mut writer = SetWriter::new(dest)?;
    let rules = programs::rules();
    for moment in &MOMENTS {
        let mut frame = lay_out(&mut writer, &scene, moment)?;
        // Every fifth mesh is recorded as a graphics debugger exports it, one record an index.
        record(&mut frame, &rules, |draw| draw.mesh.as_ref().is_some_and(|m| m.mesh % 5 == 4))?;
        let file = frame.file;
        writer.frame(moment.name, &file)?;
    }
    writer.text("README.md", include_str!("README.md"))?;
    writer.finish(&CaptureFile {
        format: FORMAT.to_owned(),
        title: "Ashina Castle gate".to_owned(),
        game: Game::Sekiro,
        consecutive: false,
        source: Source {
            kind: SourceKind::Synthetic,
            made_with: Some(format!("replay synth ashina-gate --seed {seed}")),
            version: None,
            driver: None,
            not_known: vec![],
            extra: None,
        },
        programs: rules,
        tolerances: vec![],
        expectations: expect::expectations(),
        extra: None,
    })?;
    Ok(())
}

/// A frame with everything but its dumps.
fn lay_out<'w>(
    writer: &'w mut SetWriter,
    scene: &Scene,
    moment: &Moment,
) -> Result<FrameBuilder<'w>, SynthError> {
    let mut frame = FrameBuilder::new(writer, moment.name, format!("frame {} of the walk", moment.clock));
    frame.file.programs = programs::programs();
    frame.file.passes = frame::pass_table();
    let buffers = buffers::add(&mut frame, scene, moment)?;
    frame::record_lists(&mut frame, scene, moment, &buffers)?;
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::capture::LoadedFrame;
    use crate::execute::reference::Reference;
    use crate::execute::{Executor, Outputs, primitives};
    use crate::plan::{Plan, Swaps, lower};
    use crate::synth::record::stand_ins;

    fn vertex_stage(frame: &FrameBuilder<'_>, swaps: Swaps) -> (Plan, Outputs) {
        let loaded = LoadedFrame::part(frame.name.clone(), frame.file.clone(), frame.blobs.clone());
        let stand_ins = stand_ins(&frame.file.programs, &programs::rules());
        let mut plan = lower(&loaded.frame, &stand_ins, swaps);
        plan.vertex_stage_only = true;
        let outputs = Reference::default().execute(&plan).unwrap();
        (plan, outputs)
    }

    /// How far the farthest component of a draw moves, against the largest component of its vector.
    fn difference(a: &Outputs, b: &Outputs, draw: crate::plan::DrawIndex) -> f32 {
        let vectors = a.post_vs[&draw].data.chunks(4).zip(b.post_vs[&draw].data.chunks(4));
        let apart = vectors.map(|(a, b)| {
            let largest = a.iter().chain(b).fold(0.0f32, |m, v| m.max(v.abs()));
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / largest
        });
        apart.fold(0.0, f32::max)
    }

    /// Claim `motion-program` rests on this: were two pairings alike, the record could not tell them apart.
    #[test]
    fn every_pairing_of_a_pair_s_motion_draw_gives_outputs_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SetWriter::new(&folder.path().join("set")).unwrap();
        let scene = Scene::new(1);
        for moment in &MOMENTS {
            let frame = lay_out(&mut writer, &scene, moment).unwrap();
            let (plan, documented) = vertex_stage(&frame, Swaps::default());
            for n in 1..8 {
                let swaps = Swaps { streams: n & 1 != 0, palettes: n & 2 != 0, views: n & 4 != 0 };
                let (_, other) = vertex_stage(&frame, swaps);
                let motion = |d: &crate::plan::Draw| d.pass.0 == 2 && d.streams.len() == 3;
                let pairs = plan.draws().filter(|(_, d)| motion(d));
                let pairs = pairs.filter(|(_, d)| d.mesh.as_ref().is_some_and(|m| m.model != "c1010"));
                let least = pairs.map(|(i, _)| difference(&documented, &other, i)).fold(1.0, f32::min);
                // Far above what float32 execution may differ by.
                assert!(least > 4e-5, "{} {swaps:?}: {least:e}", moment.name);
            }
        }
    }

    /// A mesh of the picture as the eye sees it: corners of its triangles, after the perspective division.
    type Seen = (String, Vec<[DVec3; 3]>);

    fn seen(plan: &Plan, outputs: &Outputs) -> Vec<Seen> {
        let draws = plan.draws().filter(|(_, d)| d.pass.0 == 1);
        // The floor runs under the eye, where the division has no sense.
        let draws = draws.filter(|(_, d)| d.indices.is_some());
        draws
            .map(|(i, draw)| {
                let corner = |v: i64| {
                    let r = outputs.post_vs[&i].record(0, v).unwrap();
                    let [x, y, z, w] = [0, 1, 2, 3].map(|k| f64::from(r[k]));
                    assert!(w > 0.1, "behind the eye");
                    DVec3::new(x, y, z) / w
                };
                let name = format!("event {} {}", draw.event, draw.mesh.as_ref().unwrap());
                (name, primitives::triangles(draw).map(|t| t.map(corner)).collect())
            })
            .collect()
    }

    fn least_and_greatest<'a>(points: impl Iterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
        points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, g), p| (l.min(*p), g.max(*p)))
    }

    fn boxes_meet(a: (DVec3, DVec3), b: (DVec3, DVec3)) -> bool {
        a.0.cmple(b.1).all() && b.0.cmple(a.1).all()
    }

    /// Whether the segment pierces the triangle (Moller and Trumbore, 1997).
    fn pierces(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
        let (way, ab, ac, offset) = (to - from, b - a, c - a, from - a);
        let across = way.cross(ac);
        let volume = ab.dot(across);
        let (u, v) = (offset.dot(across) / volume, way.dot(offset.cross(ab)) / volume);
        let t = ac.dot(offset.cross(ab)) / volume;
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)
    }

    #[test]
    fn a_segment_through_a_triangle_is_noticed_and_one_beside_it_is_not() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let down = |x: f64, y: f64| pierces(DVec3::new(x, y, 1.0), DVec3::new(x, y, -1.0), triangle);
        assert!(down(0.2, 0.2) && !down(0.6, 0.6) && !down(-0.1, 0.2));
        assert!(!pierces(DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.2, 0.2, 0.1), triangle));
    }

    /// Where two surfaces cross, a pixel's depth would hang on the last bit.
    #[test]
    fn no_two_meshes_touch() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SetWriter::new(&folder.path().join("set")).unwrap();
        let scene = Scene::new(1);
        for moment in &MOMENTS {
            let frame = lay_out(&mut writer, &scene, moment).unwrap();
            let (plan, outputs) = vertex_stage(&frame, Swaps::default());
            let meshes = seen(&plan, &outputs);
            for (name, a) in &meshes {
                let whole = least_and_greatest(a.iter().flatten());
                for (other, b) in meshes.iter().filter(|(other, _)| other != name) {
                    let near = b.iter().filter(|t| boxes_meet(whole, least_and_greatest(t.iter())));
                    for triangle in near {
                        let reach = least_and_greatest(triangle.iter());
                        let edges = a.iter().flat_map(|[p, q, r]| [(*p, *q), (*q, *r), (*r, *p)]);
                        let crossed = edges
                            .filter(|(p, q)| boxes_meet(reach, least_and_greatest([*p, *q].iter())))
                            .any(|(p, q)| pierces(p, q, *triangle));
                        assert!(!crossed, "{}: {name} goes through {other}", moment.name);
                    }
                }
            }
        }
    }
}
