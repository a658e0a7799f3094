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
