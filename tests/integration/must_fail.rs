//! A set that passes, with one thing changed: each change is found, at its place, and nothing else is.

use replay::capture::manifest::{Command, FrameFile, ListKind};
use replay::finding::{ClaimVerdict, DumpVerdict, RunVerdict};
use replay::report::{DumpOwner, Report};
use replay::run::{self, DeviceChoice, Options};

use crate::edited::{Edited, draw_mut, draws};
use crate::support::{ashina_gate, executors};

const FRAME: &str = "0001";

/// Replays an edited set on every executor at hand.
fn replayed(set: &Edited, check: impl Fn(&Report)) {
    for device in executors() {
        let options = Options { device: device.clone(), validation: true, ..Options::default() };
        let report = run::replay(&set.root(), &options, &mut ()).unwrap().report;
        if device != DeviceChoice::Reference {
            let messages: Vec<_> = report.notices.iter().filter(|n| n.starts_with("validation: ")).collect();
            assert!(messages.is_empty(), "{messages:?}");
        }
        check(&report);
    }
}

/// Every dump that differs, as `frame owner name`.
fn differing(report: &Report) -> Vec<String> {
    let owner = |owner: &DumpOwner| match owner {
        DumpOwner::Draw { event, .. } => format!("event {event}"),
        DumpOwner::Pass(pass) => pass.clone(),
        DumpOwner::Buffer(id, _) => format!("buffer {id}"),
    };
    let differ = report.dumps.iter().filter(|d| d.verdict == DumpVerdict::Differ);
    differ.map(|d| format!("{} {} {}", d.frame, owner(&d.owner), d.name)).collect()
}

fn failing(report: &Report) -> Vec<&str> {
    report.claims.iter().filter(|c| c.verdict == ClaimVerdict::Fails).map(|c| c.id.as_str()).collect()
}

/// The places of the worst differences of all differing dumps.
fn places(report: &Report) -> Vec<&str> {
    report.dumps.iter().flat_map(|d| &d.worst).filter(|w| w.differs).map(|w| w.place.as_str()).collect()
}

/// A draw of a deformed body mesh in the motion-vector pass: event, and places of its positions.
fn motion_event(file: &FrameFile) -> u64 {
    let (_, _, draw) = draws(file)
        .find(|(_, _, d)| d.pass.0 == "motion_vector" && d.mesh.as_ref().is_some_and(|m| m.model == "BD_M_9040"))
        .expect("a body mesh in the motion-vector pass");
    draw.event.0
}
