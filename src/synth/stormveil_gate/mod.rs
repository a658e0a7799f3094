//! The set `stormveil_gate`: ten frames laid out as the documents describe Elden Ring's at the Stormveil gate.

mod buffers;
mod cloth;
mod clumps;
mod expect;
mod forces;
mod frame;
mod grass;
mod programs;
mod ring;
mod scene;
mod soldier;

use std::path::Path;

use super::SynthError;
use super::builder::FrameBuilder;
use super::mesh::Mesh;
use super::record::record;
use super::skeleton::Joint;
use crate::capture::manifest::{CaptureFile, FORMAT, Game, Source, SourceKind};
use crate::capture::write::SetWriter;

/// Everything that frames share.
struct Scene {
    seed: u64,
    /// The cloths; the last is the banner that hangs still.
    cloths: Vec<cloth::Cloth>,
    joints: Vec<Joint>,
    soldier: Vec<Mesh>,
    /// The larger and the smaller mesh of the far grass.
    far: [Mesh; 2],
    placed: Mesh,
    batches: Vec<clumps::Batch>,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let joints = soldier::joints();
        Self {
            seed,
            cloths: cloth::cloths(),
            soldier: soldier::meshes(&joints),
            joints,
            far: [grass::larger(), grass::smaller()],
            placed: grass::placed(),
            batches: clumps::batches(seed),
        }
    }
}

/// Writes the set of that seed to `dest`, which must not hold anything yet.
///
/// # Errors
/// See [`SynthError`].
pub fn stormveil_gate(seed: u64, dest: &Path) -> Result<(), SynthError> {
    let scene = Scene::new(seed);
    let mut writer = SetWriter::new(dest)?;
    let rules = programs::rules();
    for moment in &scene::MOMENTS {
        let label = format!("frame {} at the gate", moment.clock);
        let mut frame = FrameBuilder::new(&mut writer, moment.name, label);
        frame.file.programs = programs::programs();
        frame.file.passes = frame::pass_table();
        let buffers = buffers::add(&mut frame, &scene, moment)?;
        frame::record_lists(&mut frame, &buffers)?;
        // One of the cloths is recorded as a graphics debugger exports it, one record an index.
        record(&mut frame, &rules, |draw| draw.mesh.as_ref().is_some_and(|m| m.model == "AEG001_100"))?;
        let file = frame.file;
        writer.frame(moment.name, &file)?;
    }
    writer.text("README.md", include_str!("README.md"))?;
    writer.finish(&CaptureFile {
        format: FORMAT.to_owned(),
        title: "Stormveil gate".to_owned(),
        game: Game::EldenRing,
        consecutive: false,
        source: Source {
            kind: SourceKind::Synthetic,
            made_with: Some(format!("replay synth stormveil-gate --seed {seed}")),
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
