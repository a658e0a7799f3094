//! A set that passes, with one thing changed: each change is found, at its place, on every executor at hand.

use replay::abi::{BufferId, Format};
use replay::capture::manifest::{BlobHash, Command, Content, FrameFile, Observe, Taken};
use replay::finding::{ClaimVerdict, DumpVerdict, RunVerdict};
use replay::report::{DumpOwner, Report};
use replay::run::{self, DeviceChoice, Options};

use crate::edited::{Edited, draw_mut, draws};
use crate::support::{ashina_gate, executors};

const FRAME: &str = "0001";
/// The skinned body mesh whose motion-vector draw most tests change.
const BODY: (&str, u32) = ("BD_M_9040", 0);

/// Replays an edited set on every executor at hand, with the validation layer on; its expectations are judged.
fn replayed(set: &Edited, check: impl Fn(&Report)) {
    replayed_frames(set, Vec::new(), check);
}

/// Replays the edited frame alone; expectations are not judged.
fn replayed_frame(set: &Edited, check: impl Fn(&Report)) {
    replayed_frames(set, vec![FRAME.to_owned()], check);
}

fn replayed_frames(set: &Edited, frames: Vec<String>, check: impl Fn(&Report)) {
    for device in executors() {
        let options = Options {
            device: device.clone(),
            validation: true,
            frames: frames.clone(),
            ..Options::default()
        };
        let report = run::replay(&set.root(), &options, &mut ()).unwrap().report;
        let messages: Vec<_> = report.notices.iter().filter(|n| n.starts_with("validation: ")).collect();
        assert!(messages.is_empty(), "{messages:?}");
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
    let fails = report.claims.iter().filter(|c| c.verdict == ClaimVerdict::Fails);
    fails.map(|c| c.id.as_str()).collect()
}

/// The places of the differences that the report names.
fn places(report: &Report) -> Vec<&str> {
    report.dumps.iter().flat_map(|d| &d.worst).filter(|w| w.differs).map(|w| w.place.as_str()).collect()
}

/// Asserts that exactly these dumps differ and that every place named starts with `place`.
fn assert_only(report: &Report, dumps: &[String], place: &str) {
    assert_eq!(report.verdict, RunVerdict::Differ);
    assert_eq!(differing(report), dumps);
    assert!(!places(report).is_empty());
    for named in places(report) {
        assert!(named.starts_with(place), "{named} does not start with {place}");
    }
}

/// The motion-vector draw of [`BODY`]: its event, the buffers of POSITION0 and POSITION1.
fn body(file: &FrameFile) -> (u64, BufferId, BufferId) {
    let (_, _, draw) = draws(file).find(|(_, _, d)| is_body(d)).expect("the set draws the body");
    let buffer = |slot| draw.streams.iter().find(|s| s.slot.0 == slot).unwrap().buffer;
    (draw.event.0, buffer(0), buffer(2))
}

fn is_body(draw: &replay::capture::manifest::Draw) -> bool {
    draw.pass.0 == "motion_vector" && draw.mesh.as_ref().is_some_and(|m| (m.model.as_str(), m.mesh) == BODY)
}

/// The map-discard that writes a buffer.
fn discard_of(file: &mut FrameFile, buffer: BufferId) -> &mut replay::capture::manifest::MapDiscard {
    let commands = file.lists.iter_mut().flat_map(|l| &mut l.commands);
    let discards = commands.filter_map(|c| match c {
        Command::MapDiscard(discard) if discard.buffer == buffer => Some(discard),
        _ => None,
    });
    discards.last().expect("the frame writes that buffer")
}

#[test]
fn the_unchanged_set_passes() {
    let set = Edited::copy_of(&ashina_gate());
    replayed(&set, |report| {
        assert_eq!(report.verdict, RunVerdict::Match, "{:?} {:?}", differing(report), failing(report));
        assert_eq!(report.coverage.compared, report.coverage.draws);
    });
}

#[test]
fn one_byte_of_a_vertex_dump() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, ..) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, set| {
        let record = draw_mut(file, is_body).recorded.as_mut().unwrap().post_vs.as_mut().unwrap();
        // Vertex 5, CURRENT_CLIP.y, the byte of the exponent.
        record.blob = set.changed(&record.blob, |bytes| bytes[5 * 48 + 16 + 4 + 3] ^= 1);
    });
    replayed_frame(&set, |report| {
        let place =
            format!("frame {FRAME} event {event} (motion_vector, BD_M_9040/0) vertex 5 CURRENT_CLIP.y");
        assert_only(report, &[format!("{FRAME} event {event} post_vs")], &place);
    });
}

#[test]
fn one_byte_of_an_image_dump() {
    let set = Edited::copy_of(&ashina_gate());
    set.edit(FRAME, |file, set| {
        let pass = file.passes.iter_mut().find(|p| p.id.0 == "gbuffer").unwrap();
        let (width, content) = (pass.width as usize, pass.depth.as_mut().unwrap().recorded.as_mut().unwrap());
        content.blob = set.changed(&content.blob, |bytes| bytes[(10 * width + 7) * 4 + 3] ^= 0x40);
    });
    replayed_frame(&set, |report| {
        assert_only(
            report,
            &[format!("{FRAME} gbuffer depth")],
            &format!("frame {FRAME} gbuffer depth x 7 y 10"),
        );
    });
}

#[test]
fn one_byte_of_a_buffer_dump() {
    let set = Edited::copy_of(&ashina_gate());
    let mut id = 0;
    set.edit(FRAME, |file, set| {
        let (_, _, written) = body(file);
        id = written.0;
        let buffer = file.buffers.iter_mut().find(|b| b.id == written).unwrap();
        let content = buffer.final_.as_mut().unwrap();
        // Vertex 3, POSITION.z.
        content.blob = set.changed(&content.blob, |bytes| bytes[3 * 20 + 8] ^= 1);
    });
    let id = id;
    replayed_frame(&set, |report| {
        assert_only(report, &[format!("{FRAME} buffer {id} final")], &format!("frame {FRAME} buffer {id} "));
        assert!(places(report)[0].contains("byte 68 (record 3 POSITION"), "{}", places(report)[0]);
    });
}

#[test]
fn two_streams_of_a_draw_swapped() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, ..) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, _| {
        let draw = draw_mut(file, is_body);
        let place = |slot| draw.streams.iter().position(|s| s.slot.0 == slot).unwrap();
        let (first, third) = (place(0), place(2));
        let (a, b) = (draw.streams[first].buffer, draw.streams[third].buffer);
        draw.streams[first].buffer = b;
        draw.streams[third].buffer = a;
    });
    replayed(&set, |report| {
        let differ = differing(report);
        assert!(differ.contains(&format!("{FRAME} event {event} post_vs")), "{differ:?}");
        assert!(differ.iter().all(|d| d.contains(&format!("event {event} ")) || d.contains("motion_vector")));
        assert!(places(report)[0].contains("BD_M_9040/0"));
        // The binding order is what the claims are about, and the pairing no longer reproduces the record.
        let failed = failing(report);
        assert!(failed.contains(&"pair-slot") && failed.contains(&"motion-program"), "{failed:?}");
    });
}

#[test]
fn one_used_palette_entry_changed() {
    let set = Edited::copy_of(&ashina_gate());
    let mut palette = BufferId(0);
    set.edit(FRAME, |file, set| {
        let draw = draw_mut(file, is_body);
        palette = draw.constants.iter().find(|c| c.register == 5).unwrap().buffer;
        let (slot, program) = (draw.streams.iter().find(|s| s.slot.0 == 1).unwrap().clone(), draw.program);
        let indices = file.programs.iter().find(|p| p.id == program).unwrap();
        let indices = indices.inputs.iter().find(|i| i.semantic == "BLENDINDICES").unwrap().offset as usize;
        let stream = file.buffers.iter().find(|b| b.id == slot.buffer).unwrap().initial.unwrap();
        // The first joint of vertex 0 has the greatest weight.
        let entry = usize::from(set.blob(&stream.blob)[slot.offset as usize + indices]);
        let discard = discard_of(file, palette);
        discard.blob = set.changed(&discard.blob, |bytes| {
            // The translation's x, moved by half a unit.
            let at = entry * 48 + 12;
            let x = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + 0.5;
            bytes[at..at + 4].copy_from_slice(&x.to_le_bytes());
        });
    });
    replayed_frame(&set, |report| {
        assert_eq!(report.verdict, RunVerdict::Differ);
        let places = places(report);
        assert!(places.iter().any(|p| p.contains("BD_M_9040/0) vertex ")), "{places:?}");
        assert!(differing(report).contains(&format!("{FRAME} buffer {palette} final")));
        assert!(report.dumps.iter().all(|d| d.frame == FRAME || d.verdict == DumpVerdict::Match));
    });
}

#[test]
fn a_map_discard_moved_to_its_partner() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, other, written) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, _| discard_of(file, written).buffer = other);
    replayed(&set, |report| {
        let differ = differing(report);
        assert!(differ.contains(&format!("{FRAME} event {event} post_vs")), "{differ:?}");
        assert!(differ.contains(&format!("{FRAME} buffer {written} final")), "{differ:?}");
        assert!(failing(report).contains(&"pair-slot"), "{:?}", failing(report));
    });
}

#[test]
fn a_writing_list_executed_after_its_reader() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, ..) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, _| {
        let deform = file.lists.iter().find(|l| l.name.as_deref() == Some("deform body A")).unwrap().id;
        let commands = &mut file.lists[0].commands;
        let place =
            commands.iter().position(|c| matches!(c, Command::Execute(e) if e.list == deform)).unwrap();
        // The list moves to the end; the events keep their places, which must increase.
        let events: Vec<_> = commands.iter().map(Command::event).collect();
        let moved = commands.remove(place);
        commands.push(moved);
        for (command, event) in commands.iter_mut().zip(events) {
            set_event(command, event);
        }
    });
    replayed(&set, |report| {
        let differ = differing(report);
        assert!(differ.contains(&format!("{FRAME} event {event} post_vs")), "{differ:?}");
        assert!(failing(report).contains(&"pair-written"), "{:?}", failing(report));
    });
}

fn set_event(command: &mut Command, event: replay::abi::EventId) {
    match command {
        Command::MapDiscard(c) => c.event = event,
        Command::Write(c) => c.event = event,
        Command::Copy(c) => c.event = event,
        Command::Execute(c) => c.event = event,
        Command::Draw(c) => c.event = event,
        Command::Opaque(c) => c.event = event,
        Command::Observe(c) => c.event = event,
    }
}

#[test]
fn one_vertex_made_nan() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, _, written) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, set| {
        let discard = discard_of(file, written);
        discard.blob = set.changed(&discard.blob, |bytes| {
            bytes[7 * 20..7 * 20 + 4].copy_from_slice(&f32::NAN.to_le_bytes())
        });
    });
    replayed_frame(&set, |report| {
        let of = |d: &&replay::report::DumpReport| matches!(d.owner, DumpOwner::Draw { event: e, .. } if e == event);
        let dump = report.dumps.iter().find(of).unwrap();
        assert_eq!(dump.verdict, DumpVerdict::Differ);
        assert!(dump.nonfinite_one_side > 0);
        let worst = &dump.worst[0];
        assert!(worst.place.contains("vertex 7 ") && worst.replayed.is_nan(), "{worst:?}");
    });
}

/// The recorded image is drawn once more without one small mesh; everything else of the record stays.
#[test]
fn a_small_mesh_missing_from_one_image() {
    let set = Edited::copy_of(&ashina_gate());
    let without = Edited::copy_of(&ashina_gate());
    let small = |draw: &replay::capture::manifest::Draw| {
        draw.pass.0 == "gbuffer" && draw.mesh.as_ref().is_some_and(|m| m.model == "FC_M_0200" && m.mesh == 2)
    };
    without.edit(FRAME, |file, _| {
        for list in &mut file.lists {
            list.commands.retain(|c| !matches!(c, Command::Draw(draw) if small(draw)));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("out");
    let options = Options {
        device: DeviceChoice::Reference,
        dump: Some(dump.clone()),
        frames: vec![FRAME.into()],
        ..Options::default()
    };
    run::replay(&without.root(), &options, &mut ()).unwrap();
    let pass = set.frame(FRAME).passes.into_iter().find(|p| p.id.0 == "gbuffer").unwrap();
    let file = format!("gbuffer.depth.{}x{}.{}", pass.width, pass.height, Format::D32Float.name());
    let image = std::fs::read(dump.join(FRAME).join("passes").join(file)).unwrap();
    set.edit(FRAME, |file, set| {
        let pass = file.passes.iter_mut().find(|p| p.id.0 == "gbuffer").unwrap();
        let depth = pass.depth.as_mut().unwrap();
        depth.recorded = Some(Content { blob: set.add_blob(&image), taken: Taken::FrameEnd });
    });
    replayed_frame(&set, |report| {
        assert_only(report, &[format!("{FRAME} gbuffer depth")], &format!("frame {FRAME} gbuffer depth x "));
    });
}

#[test]
fn an_observation_that_disagrees() {
    let set = Edited::copy_of(&ashina_gate());
    let mut at = (0, 0);
    set.edit(FRAME, |file, set| {
        let (_, _, written) = body(file);
        let bytes = set.blob(&discard_of(file, written).blob.clone());
        let mut seen = bytes[40..60].to_vec();
        seen[3] ^= 0x80;
        let event = file.lists[0].commands.iter().map(|c| c.event().0).max().unwrap() + 1000;
        at = (event, written.0);
        file.lists[0].commands.push(Command::Observe(Observe {
            event: replay::abi::EventId(event),
            buffer: written,
            offset: 40,
            blob: set.add_blob(&seen),
            extra: None,
        }));
    });
    let (event, buffer) = at;
    replayed_frame(&set, |report| {
        assert_eq!(report.verdict, RunVerdict::Differ);
        assert!(differing(report).is_empty(), "the outputs are as recorded: {:?}", differing(report));
        let frame = report.frames.iter().find(|f| f.name == FRAME).unwrap();
        assert_eq!(frame.inputs.different.len(), 1);
        let said = &frame.inputs.different[0];
        assert!(
            said.starts_with(&format!("event {event}: buffer {buffer} ")) && said.contains("byte 43"),
            "{said}"
        );
        assert!(said.contains("map_discard"), "who wrote the planned byte: {said}");
    });
}

#[test]
fn an_unsupported_draw_lowers_the_coverage() {
    let set = Edited::copy_of(&ashina_gate());
    let (event, ..) = body(&set.frame(FRAME));
    set.edit(FRAME, |file, _| draw_mut(file, is_body).unsupported = vec!["geometry shader".into()]);
    for device in executors() {
        let options = Options { device, require_coverage: Some(100.0), ..Options::default() };
        let report = run::replay(&set.root(), &options, &mut ()).unwrap().report;
        assert_eq!(report.verdict, RunVerdict::Differ);
        assert_eq!(report.required_coverage, Some((100.0, false)));
        let frame = &report.frames[0];
        assert_eq!(frame.not_replayed, [(event, "unsupported: geometry shader".into())]);
        let pass = |d: &&replay::report::DumpReport| {
            d.frame == FRAME && d.owner == DumpOwner::Pass("motion_vector".into())
        };
        for dump in report.dumps.iter().filter(pass) {
            assert_eq!(dump.verdict, DumpVerdict::NotCompared);
            assert!(dump.reason.as_ref().unwrap().starts_with("incomplete pass: 1 of "), "{:?}", dump.reason);
        }
        assert!(differing(&report).is_empty());
    }
}

/// A record of the wrong length is bad input, refused with what was found and expected.
#[test]
fn a_record_with_a_vertex_too_few() {
    let set = Edited::copy_of(&ashina_gate());
    set.edit(FRAME, |file, set| {
        let record = draw_mut(file, is_body).recorded.as_mut().unwrap().post_vs.as_mut().unwrap();
        let size: usize = record.layout.iter().map(|e| e.format.executable().unwrap().size()).sum();
        record.blob = set.changed(&record.blob, |bytes| bytes.truncate(bytes.len() - size));
    });
    let options = Options { device: DeviceChoice::Reference, ..Options::default() };
    let error = run::replay(&set.root(), &options, &mut ()).err().expect("refused");
    assert_eq!(error.exit_code(), 2);
    let text = error.to_string();
    assert!(text.contains("post_vs.blob") && text.contains("expected"), "{text}");
}

/// A blob whose bytes are changed without its name is refused before anything is replayed.
#[test]
fn a_byte_changed_behind_the_hash() {
    let set = Edited::copy_of(&ashina_gate());
    let (_, _, written) = body(&set.frame(FRAME));
    let mut file = set.frame(FRAME);
    let hash: BlobHash = discard_of(&mut file, written).blob;
    let mut bytes = set.blob(&hash);
    bytes[0] ^= 1;
    let path = set.root().join("blobs").join(format!("{hash}.bin"));
    let compressed = path.with_extension("bin.zst");
    if compressed.exists() {
        std::fs::remove_file(compressed).unwrap();
    }
    std::fs::write(path, bytes).unwrap();
    let options = Options { device: DeviceChoice::Reference, ..Options::default() };
    let error = run::replay(&set.root(), &options, &mut ()).err().expect("refused");
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains(&hash.to_string()), "{error}");
}
