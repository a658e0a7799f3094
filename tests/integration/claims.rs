//! Claims on recorded frames: the figures are those that the program which drew them counted as it drew.

use std::collections::BTreeMap;

use replay::capture::{CaptureSet, LoadedFrame};
use replay::check::{CheckFrame, CheckInput, run};
use replay::finding::{ClaimFindings, Figure};
use replay::plan::{Plan, StandIns, Swaps, lower};

use crate::support::sample;

/// The findings on a sample set, without execution; `None` where it is not there.
fn findings(name: &str) -> Option<BTreeMap<&'static str, ClaimFindings>> {
    let set = CaptureSet::open(&if name == "ashina" { crate::support::ashina_gate() } else { sample(name)? })
        .unwrap();
    let frames: Vec<(LoadedFrame, Plan)> = set
        .frames()
        .iter()
        .map(|name| {
            let loaded = set.load(name).unwrap();
            let plan = lower(&loaded.frame, &StandIns::new(), Swaps::default());
            (loaded, plan)
        })
        .collect();
    let frames = frames.iter().map(|(loaded, plan)| CheckFrame { frame: &loaded.frame, plan }).collect();
    Some(run(&CheckInput { frames, consecutive: set.manifest().consecutive, pairings: None }))
}

#[test]
fn dump() {
    for s in ["gate/sekiro_1/set", "gate/elden_1/set", "ashina"] {
        let Some(f) = findings(s) else { return };
        for (id, f) in f {
            println!("{s} {id}: counted {} agree {} left {:?}", f.counted, f.agree, f.left_out);
            for (n, v) in &f.figures {
                println!("    {n} = {v}");
            }
            for c in f.counterexamples.iter().take(3).chain(f.notes.iter().take(5)) {
                println!("    - {c}");
            }
        }
    }
}
