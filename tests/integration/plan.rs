//! Plans of real frames: executions counted, versions followed to the contents the recorder read at the end.

use replay::capture::CaptureSet;
use replay::plan::{self, PieceSource, Plan, StandIns, Swaps};

use crate::support::sample;

fn end_of(plan: &Plan, buffer: replay::abi::BufferId) -> Vec<Option<u8>> {
    let mut bytes = Vec::new();
    for piece in &plan.buffers[&buffer].end {
        match &piece.source {
            PieceSource::Known { bytes: known, .. } => bytes.extend(known.iter().map(|b| Some(*b))),
            PieceSource::Unknown(_) => bytes.resize(bytes.len() + piece.len as usize, None),
        }
    }
    bytes
}

/// Every buffer whose contents a debugger read at a frame's end holds, byte for byte, what the plan says.
fn finals_are_what_the_plan_says(set: &str) -> (usize, usize, usize) {
    let Some(path) = sample(set) else { return (0, 0, 0) };
    let set = CaptureSet::open(&path).unwrap();
    let (mut draws, mut instances, mut finals) = (0, 0, 0);
    for name in set.frames() {
        let loaded = set.load(name).unwrap();
        let plan = plan::lower(&loaded.frame, &StandIns::new(), Swaps::default());
        draws += plan.draws.len();
        // The immediate list is no instance of a recorded list.
        instances += plan.instances.len() - 1;
        for (buffer, dump) in &loaded.dumps.finals {
            let recorded: Vec<_> = dump.bytes.iter().map(|b| Some(*b)).collect();
            assert!(end_of(&plan, *buffer) == recorded, "frame {name} buffer {buffer}");
            finals += 1;
        }
    }
    (draws, instances, finals)
}

#[test]
fn sekiro_frames_end_as_recorded() {
    if sample("gate/sekiro_1/set").is_some() {
        assert_eq!(finals_are_what_the_plan_says("gate/sekiro_1/set"), (152, 76, 65));
    }
}

#[test]
fn elden_ring_frames_with_copies_end_as_recorded() {
    if sample("gate/elden_1/set").is_some() {
        assert_eq!(finals_are_what_the_plan_says("gate/elden_1/set"), (87, 9, 27));
    }
}
