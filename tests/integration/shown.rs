//! What a reviewer reads: plans, buffer contents before and after a frame, the binding order, and whole reports.
//!
//! Reports are those of the reference executor, which gives the same on every machine; times are struck out.

use std::fmt::Write;

use replay::abi::BufferId;
use replay::abi::records::{Affine, PositionVertex, ViewProjections, read_all};
use replay::capture::CaptureSet;
use replay::execute::Executor;
use replay::execute::reference::Reference;
use replay::plan::dump::PlanText;
use replay::report::json::{self, JsonOptions};
use replay::report::text::{self, TextOptions};
use replay::run::{self, DeviceChoice, Options};

use crate::support::{ashina_gate, vulkan_device};

const FRAME: &str = "0001";

#[test]
fn the_plan_of_a_frame() {
    let options = Options { frames: vec![FRAME.into()], ..Options::default() };
    let frames = run::plan(&ashina_gate(), &options).unwrap();
    insta::assert_snapshot!("plan_0001", PlanText(&frames[0].plan));
}

/// The buffer of that name in the frame.
fn named(run: &[run::RunFrame], name: &str) -> BufferId {
    let buffers = &run[0].loaded.frame.file().buffers;
    buffers.iter().find(|b| b.name == name).unwrap_or_else(|| panic!("no buffer {name}")).id
}

/// Decoded contents at the frame's start (as recorded) and at its end (as an executor left them).
#[test]
fn buffers_before_and_after_a_frame() {
    let options = Options { frames: vec![FRAME.into()], ..Options::default() };
    let frames = run::plan(&ashina_gate(), &options).unwrap();
    let set = CaptureSet::open(&ashina_gate()).unwrap();
    let loaded = set.load(FRAME).unwrap();
    let reference = Reference::default().execute(&frames[0].plan).unwrap().buffers;
    let mut out = String::new();
    let stream = named(&frames, "FC_M_0200 mesh 0 positions A");
    let palette = named(&frames, "player palettes");
    let draw = frames[0].plan.draws.iter().find(|d| d.program_name.contains("Motion")).unwrap();
    let views = draw.buffers.values().next().unwrap().buffer;
    for (what, id) in [("position stream", stream), ("palette", palette), ("constant block", views)] {
        let initial = loaded.frame.buffer(id).unwrap().initial;
        let before = initial.map(|content| loaded.frame.blob(&content.blob).to_vec());
        let name = &frames[0].plan.buffers[&id].name;
        for (when, bytes) in [("before", before.as_ref()), ("after", reference.get(&id))] {
            writeln!(out, "{what} \"{name}\" {when} the frame").unwrap();
            match bytes {
                None => writeln!(out, "  unknown").unwrap(),
                Some(bytes) => decode(&mut out, what, bytes),
            }
        }
    }
    insta::assert_snapshot!("buffers_0001", out);
}

fn decode(out: &mut String, what: &str, bytes: &[u8]) {
    match what {
        "position stream" => {
            for (i, v) in read_all::<PositionVertex>(bytes).iter().enumerate().take(6) {
                writeln!(out, "  {i}: {:?} normal {:?} tangent {:?}", v.position, v.normal, v.tangent)
                    .unwrap();
            }
        }
        "palette" => {
            for (i, entry) in read_all::<Affine>(bytes).iter().enumerate().take(3) {
                for row in entry.rows {
                    writeln!(out, "  {i}: {row:?}").unwrap();
                }
            }
        }
        _ => {
            for v in read_all::<ViewProjections>(bytes).iter().take(1) {
                for row in v.current.iter().chain(&v.previous) {
                    writeln!(out, "  {row:?}").unwrap();
                }
            }
        }
    }
}

/// What the device leaves in its buffers is what the reference leaves there.
#[test]
fn buffers_end_alike_on_the_device() {
    let Some(DeviceChoice::Index(index)) = vulkan_device() else { return };
    let frames = run::plan(&ashina_gate(), &Options::default()).unwrap();
    let mut device = replay::execute::vulkan::Vulkan::open(index, true).unwrap();
    for frame in &frames {
        let reference = Reference::default().execute(&frame.plan).unwrap().buffers;
        let replayed = device.execute(&frame.plan).unwrap().buffers;
        for (id, bytes) in &reference {
            let mut at = 0;
            for piece in &frame.plan.buffers[id].end {
                let end = at + piece.len as usize;
                if matches!(piece.source, replay::plan::PieceSource::Known { .. }) {
                    assert!(
                        replayed[id][at..end] == bytes[at..end],
                        "frame {} buffer {id}",
                        frame.plan.frame
                    );
                }
                at = end;
            }
        }
    }
    assert!(device.validation_messages().is_empty(), "{:?}", device.validation_messages());
}

#[test]
fn the_binding_order_table() {
    let run = run::check(&ashina_gate(), &Options::default(), &mut ()).unwrap();
    let claim = run.report.claims.iter().find(|c| c.id == "pair-slot").unwrap();
    insta::assert_snapshot!("binding_order", claim.findings.notes.join("\n"));
}

#[test]
fn the_text_report() {
    let options = Options { device: DeviceChoice::Reference, ..Options::default() };
    let run = run::replay(&ashina_gate(), &options, &mut ()).unwrap();
    let text = text::render(&run.report, TextOptions::default());
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(?m)^took .*$", "took [time]");
    settings.bind(|| insta::assert_snapshot!("report_text", anstream::adapter::strip_str(&text)));
}

/// Of one draw, to stay readable: the other dumps say that they were not selected.
#[test]
fn the_json_report() {
    let options =
        Options { device: DeviceChoice::Reference, draws: vec![(FRAME.into(), 93)], ..Options::default() };
    let run = run::replay(&ashina_gate(), &options, &mut ()).unwrap();
    insta::assert_snapshot!("report_json", json::render(&run.report, JsonOptions::default()));
}
