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
    use super::*;
    use crate::capture::LoadedFrame;
    use crate::execute::reference::Reference;
    use crate::execute::{Executor, Outputs};
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
}
