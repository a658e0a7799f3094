//! Twins: the reference and a Vulkan device carry out the same plans. On every capture both agree with the record and
//! with each other; on sets made for the purpose also with values worked out by hand. The validation layer is on, and
//! any message of it fails the test.

mod buffers;
mod fetch;
mod formats;
mod instances;
mod ranges;
mod set;
mod state;
mod twins;

use std::path::{Path, PathBuf};

use replay::finding::{DumpVerdict, RunVerdict};
use replay::run::{self, Options};

use self::twins::{Twins, differences};
use crate::support::{ashina_gate, executors, sample, vulkan_device};

/// The captures that are there.
fn captures() -> Vec<PathBuf> {
    let recorded = ["gate/sekiro_1/set", "gate/elden_1/set"].into_iter().filter_map(sample);
    std::iter::once(ashina_gate()).chain(recorded).collect()
}

/// Every recorded dump of a capture matches what an executor makes, and repeats make the same bits.
fn agrees_with_the_record(set: &Path) {
    for device in executors() {
        let options = Options { device: device.clone(), validation: true, repeat: 10, ..Options::default() };
        let report = run::replay(set, &options, &mut ()).unwrap().report;
        let at = format!("{} on {device:?}", set.display());
        assert_eq!(report.repeats.len(), 1, "{at}: hashes {:?}", report.repeats);
        let said: Vec<_> = report.notices.iter().filter(|n| n.starts_with("validation: ")).collect();
        assert!(said.is_empty(), "{at}: {said:#?}");
        let differing: Vec<_> =
            report.dumps.iter().filter(|d| d.verdict == DumpVerdict::Differ).map(|d| &d.name).collect();
        assert!(differing.is_empty(), "{at}: {differing:?}");
        assert!(report.dumps.iter().any(|d| d.verdict != DumpVerdict::NotCompared), "{at}");
        for frame in &report.frames {
            assert!(frame.inputs.different.is_empty(), "{at}, frame {}", frame.name);
        }
        if set == ashina_gate() {
            assert_eq!(report.verdict, RunVerdict::Match, "{at}");
        }
    }
}

#[test]
fn every_capture_agrees_with_its_record_and_repeats_bit_by_bit() {
    captures().iter().for_each(|set| agrees_with_the_record(set));
}

#[test]
fn both_executors_agree_on_every_capture() {
    if vulkan_device().is_none() {
        return;
    }
    let mut twins = Twins::open();
    for set in captures() {
        for frame in run::plan(&set, &Options::default()).unwrap() {
            let both = twins.execute_unlike(frame.plan);
            let found = differences(&both.plan, &both.sides[0].1, &both.sides[1].1);
            assert!(found.is_empty(), "{}: {}", set.display(), found.join("\n"));
            assert!(!both.sides[0].1.post_vs.is_empty(), "{}", set.display());
        }
    }
}

/// The comparison above can fail: a bit of one side is changed.
#[test]
fn a_difference_between_the_executors_is_found() {
    let mut twins = Twins::open();
    let mut set = set::OddSet::with_pass();
    let (program, stream) = (set.rigid(), set.buffer("static", &set::cover(0.5, [0.0, 1.0, 0.0])));
    set.draw(program, stream, serde_json::json!({}));
    let both = twins.replay(&set);
    let (plan, right) = (&both.plan, &both.sides[0].1);
    assert!(differences(plan, right, right).is_empty());
    let mut wrong = right.clone();
    wrong.post_vs.values_mut().next().unwrap().data[5] += 1e-3;
    assert_eq!(differences(plan, right, &wrong).len(), 1);
    let mut wrong = right.clone();
    wrong.passes[0].targets[0].as_mut().unwrap().bytes[4 * (16 * 8 + 8)] = 64;
    assert_eq!(differences(plan, right, &wrong).len(), 1);
    let mut wrong = right.clone();
    wrong.passes[0].depth = None;
    assert_eq!(differences(plan, right, &wrong).len(), 1);
    let mut wrong = right.clone();
    wrong.post_vs.clear();
    assert_eq!(differences(plan, right, &wrong).len(), 1);
}
