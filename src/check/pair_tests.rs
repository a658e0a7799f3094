//! Every claim about position buffers holds on the tiny frames and fails where one thing of them is changed.

use serde_json::json;

use super::tiny_pairs::{PairFrame, SIZE, blob, check};
use super::*;
use crate::finding::Figure;

use PairingOutcome::{Differs, Identical, Reproduces};

/// The documented pairing alone reproduces the record.
const DOCUMENTED: [PairingOutcome; 8] =
    [Reproduces, Differs, Differs, Differs, Differs, Differs, Differs, Differs];

fn count(found: &ClaimFindings, figure: &str) -> Option<u64> {
    match found.figures.get(figure) {
        Some(Figure::Count(n)) => Some(*n),
        _ => None,
    }
}

fn number(found: &ClaimFindings, figure: &str) -> f64 {
    match found.figures.get(figure) {
        Some(Figure::Number(v)) => *v,
        other => panic!("{figure}: {other:?}"),
    }
}

fn sekiro(claim: &str) -> ClaimFindings {
    check(&[PairFrame::sekiro()], false, Some(DOCUMENTED), claim)
}

/// Claim and figures of the unchanged frames.
const SEKIRO: [(&str, &[(&str, u64)]); 10] = [
    ("pair-written", &[("pairs", 2), ("as_stated", 2), ("one_written", 2), ("before_draws", 2)]),
    (
        "pair-slot",
        &[
            ("draws", 3),
            ("position1_written", 3),
            ("position0_written", 0),
            ("motion_vector_draws", 1),
            ("meshes", 1),
        ],
    ),
    ("pair-slot-by-list", &[("instances", 1), ("position1", 1), ("mixed", 0)]),
    ("pair-newest", &[("pairs", 2), ("near_pairs", 1), ("far_pairs", 1)]),
    ("pair-delta", &[("pairs", 1), ("members_compared", 2)]),
    ("object-single", &[("objects", 1), ("frames", 1), ("draws", 1), ("single", 1)]),
    ("file-streams", &[("models", 1), ("draws", 1), ("dynamic_bound", 0)]),
    ("stream-copy", &[("meshes", 2), ("equal", 2), ("face_and_body_meshes", 1)]),
    ("late-contents", &[("contents", 11), ("late", 0), ("comparisons_left_out", 0)]),
    ("motion-program", &[("draws", 1), ("documented", 1), ("others_reproduce", 0), ("told_apart", 1)]),
];

#[test]
fn every_claim_has_a_case_in_the_tiny_frames_and_holds() {
    let cloth: [(&str, &[(&str, u64)]); 2] = [
        ("cloth-slot", &[("draws", 1), ("position0_copied", 1), ("from_upload", 1), ("untouched", 1)]),
        ("cloth-delta", &[("pairs", 1), ("newest", 1)]),
    ];
    let found = SEKIRO.iter().map(|(claim, figures)| (claim, figures, sekiro(claim)));
    let cloth = cloth
        .iter()
        .map(|(claim, figures)| (claim, figures, check(&[PairFrame::cloth()], false, None, claim)));
    for (claim, figures, found) in found.chain(cloth) {
        assert!(found.counted > 0, "{claim}: nothing to check");
        assert_eq!(found.agree, found.counted, "{claim}: {:?}", found.counterexamples);
        for (figure, expected) in *figures {
            assert_eq!(count(&found, figure), Some(*expected), "{claim}: {figure}");
        }
        let known = CLAIMS.iter().find(|c| c.id == *claim).unwrap().figures;
        for name in found.figures.keys().chain(found.by_frame.values().flat_map(|f| f.keys())) {
            assert!(known.iter().any(|(f, _)| f == name), "{claim}: figure {name} is not documented");
        }
    }
}

#[test]
fn measured_figures_are_those_of_the_bytes() {
    let newest = sekiro("pair-newest");
    assert!((number(&newest, "median_least") - 0.5).abs() < 1e-5);
    assert_eq!(number(&newest, "share_least"), 1.0);
    assert!((number(&newest, "far_separation_least") - 8.88).abs() < 0.01);
    let delta = sekiro("pair-delta");
    assert!((number(&delta, "face_greatest") - 0.12).abs() < 1e-3);
    assert!((number(&delta, "between_greatest") - 0.02).abs() < 1e-3);
    assert!((number(&sekiro("object-single"), "move_greatest") - 2.5).abs() < 0.01);
    let cloth = check(&[PairFrame::cloth()], false, None, "cloth-delta");
    assert!((number(&cloth, "greatest_older") - 0.002).abs() < 1e-5);
    assert!((number(&cloth, "greatest_newer") - 0.001).abs() < 1e-5);
    assert!((number(&cloth, "mean_older") - 0.002).abs() < 1e-5);
}

#[test]
fn no_frames_are_nothing_to_check() {
    for claim in SEKIRO.iter().map(|(claim, _)| *claim).chain(["cloth-slot", "cloth-delta"]) {
        let found = check(&[], true, Some(DOCUMENTED), claim);
        assert_eq!((found.counted, found.figures.len()), (0, 0), "{claim}");
    }
}

/// A claim, what is changed, and how.
type Row = (&'static str, &'static str, fn(&mut PairFrame));

fn fails(rows: &[Row], unchanged: fn() -> PairFrame) {
    for (claim, change, apply) in rows {
        let mut frame = unchanged();
        apply(&mut frame);
        let found = check(&[frame], false, Some(DOCUMENTED), claim);
        assert!(found.counted > found.agree, "{claim} holds in spite of {change}: {found:?}");
        assert!(!found.counterexamples.is_empty(), "{claim}, {change}: no counterexample");
    }
}

#[test]
fn each_claim_about_sekiro_fails_where_one_thing_is_changed() {
    let rows: [Row; 21] = [
        ("pair-written", "nothing written", |f| drop(f.commands(1).remove(0))),
        ("pair-written", "both written", |f| {
            let mut second = f.command(1).clone();
            second["event"] = json!(4);
            second["buffer"] = json!(1);
            f.commands(1).push(second);
        }),
        ("pair-written", "written twice", |f| {
            let mut second = f.command(1).clone();
            second["event"] = json!(4);
            f.commands(1).push(second);
        }),
        ("pair-written", "a part written", |f| {
            let part = json!({"op": "write", "event": 4, "buffer": 1, "offset": 0, "blob": blob(9)});
            f.blobs.insert(9, vec![0; 20]);
            f.commands(1).push(part);
        }),
        ("pair-written", "a plain write", |f| {
            f.command(1)["op"] = json!("write");
            f.command(1)["offset"] = json!(0);
        }),
        ("pair-written", "on the immediate list", |f| {
            let write = f.commands(1).remove(0);
            f.commands(0).insert(0, write);
        }),
        ("pair-written", "after the draws", |f| f.commands(0).swap(0, 1)),
        ("pair-written", "another slot", |f| {
            f.file["programs"][0]["inputs"][2]["slot"] = json!(3);
            for event in 11..=14 {
                f.command(event)["streams"][2]["slot"] = json!(3);
            }
        }),
        ("pair-slot", "one draw bound the other way round", |f| f.swap(12)),
        ("pair-slot", "the write moved to the partner", |f| f.command(1)["buffer"] = json!(1)),
        ("pair-slot", "nothing written", |f| drop(f.commands(1).remove(0))),
        ("pair-slot-by-list", "one draw bound the other way round", |f| f.swap(12)),
        ("pair-newest", "the other member newer than the written one", |f| {
            (0..4).for_each(|vertex| f.set_x(2, vertex, vertex as f32 + 0.2));
        }),
        ("pair-newest", "the other member older than the start", |f| {
            (0..4).for_each(|vertex| f.set_x(2, vertex, vertex as f32 + 0.02));
        }),
        ("pair-delta", "a member that is another shape", |f| f.set_x(2, 3, 40.0)),
        ("pair-delta", "a NaN", |f| f.set_x(4, 1, f32::NAN)),
        ("object-single", "not written", |f| drop(f.commands(1).remove(2))),
        ("object-single", "the file's own buffer", |f| f.command(15)["streams"][0]["buffer"] = json!(11)),
        ("file-streams", "a dynamic buffer", |f| f.command(16)["streams"][0]["buffer"] = json!(10)),
        ("stream-copy", "one byte of the copy", |f| {
            let mut bytes = f.blobs[&1].clone();
            bytes[SIZE - 1] ^= 1;
            f.blobs.insert(9, bytes);
            f.buffer(5)["initial"]["blob"] = json!(blob(9));
        }),
        ("stream-copy", "another stride", |f| {
            f.command(16)["streams"][2]["stride"] = json!(40);
        }),
    ];
    fails(&rows, PairFrame::sekiro);
}

#[test]
fn each_claim_about_cloth_fails_where_one_thing_is_changed() {
    let rows: [Row; 4] = [
        ("cloth-slot", "bound the other way round", |f| f.swap(11)),
        ("cloth-slot", "the copy from a buffer that is no upload buffer", |f| {
            f.buffer(9)["usage"] = json!("default");
        }),
        ("cloth-slot", "both copied", |f| {
            let mut second = f.command(2).clone();
            second["event"] = json!(3);
            second["dst"] = json!(1);
            f.commands(0).insert(2, second);
        }),
        ("cloth-delta", "the newer contents replaced", |f| {
            f.command(2)["dst"] = json!(1);
            f.swap(11);
        }),
    ];
    fails(&rows, PairFrame::cloth);
}

#[test]
fn an_untouched_pair_and_one_the_cpu_writes_are_no_case_of_cloth() {
    let mut frame = PairFrame::cloth();
    *frame.command(2) = json!({"op": "write", "event": 2, "buffer": 2, "offset": 0, "blob": blob(4)});
    let found = check(&[frame], false, None, "cloth-slot");
    assert_eq!((found.counted, found.left_out["draws of a pair that the CPU writes"]), (0, 1));
    assert_eq!(count(&found, "untouched"), Some(1));
}

#[test]
fn a_pairing_that_fails_or_is_not_alone_is_found() {
    let outcome = |place: usize, outcome| {
        let mut outcomes = DOCUMENTED;
        outcomes[place] = outcome;
        check(&[PairFrame::sekiro()], false, Some(outcomes), "motion-program")
    };
    let wrong = outcome(0, Differs);
    assert_eq!((count(&wrong, "documented"), wrong.agree), (Some(0), 0));
    let another = outcome(3, Reproduces);
    assert_eq!((count(&another, "others_reproduce"), another.agree), (Some(1), 0));
    assert!(another.counterexamples[0].contains("streams and palettes"), "{:?}", another.counterexamples);
    let same = outcome(4, Identical);
    assert_eq!((count(&same, "cannot_tell"), count(&same, "told_apart"), same.agree), (Some(1), Some(0), 1));
    let mut none = [Identical; 8];
    none[0] = Reproduces;
    let none = check(&[PairFrame::sekiro()], false, Some(none), "motion-program");
    assert_eq!((none.counted, count(&none, "cannot_tell")), (0, Some(7)));
    assert_eq!(check(&[PairFrame::sekiro()], false, None, "motion-program").counted, 0);
}

#[test]
fn late_contents_leave_comparisons_out_and_are_counted() {
    let late = |id, claim| {
        let mut frame = PairFrame::sekiro();
        frame.buffer(id)["initial"]["taken"] = json!("late");
        check(&[frame], false, None, claim)
    };
    // The other member of the near pair: no comparison is left of it.
    let newest = late(1, "pair-newest");
    assert_eq!((newest.counted, newest.left_out["contents taken late"]), (0, 1));
    let delta = late(1, "pair-delta");
    assert_eq!((delta.left_out["contents taken late"], count(&delta, "members_compared")), (2, Some(1)));
    let contents = late(1, "late-contents");
    assert_eq!((count(&contents, "late"), count(&contents, "pairs_left_out")), (Some(1), Some(1)));
    assert_eq!(count(&contents, "comparisons_left_out"), Some(3));
    // The start of the written one: pair-newest alone needs it.
    assert_eq!(late(2, "pair-newest").left_out["contents taken late"], 1);
    assert!(late(2, "pair-delta").left_out.is_empty());
    // The file's stream.
    assert_eq!(late(4, "stream-copy").left_out["contents taken late"], 1);
    assert_eq!(count(&late(4, "pair-delta"), "members_compared"), None);
}

#[test]
fn roles_are_judged_in_consecutive_frames_only() {
    let first = PairFrame::sekiro();
    let mut second = PairFrame { name: "0002", ..first.clone() };
    let found = |second: &PairFrame, consecutive| {
        check(&[first.clone(), second.clone()], consecutive, None, "pair-role-alternates")
    };
    assert_eq!(found(&second, false), ClaimFindings::default());
    let again = found(&second, true);
    assert_eq!((count(&again, "steps"), count(&again, "alternating"), again.agree), (Some(2), Some(0), 0));
    assert!(again.counterexamples[0].contains("is written again"), "{:?}", again.counterexamples);
    second.command(1)["buffer"] = json!(1);
    second.command(2)["buffer"] = json!(7);
    assert_eq!(count(&found(&second, true), "alternating"), Some(2));
    // A pair that the first frame lacks is no step.
    second.command(14)["mesh"]["mesh"] = json!(1);
    let found = found(&second, true);
    assert_eq!(
        (count(&found, "steps"), found.left_out["pairs that the frame before does not have"]),
        (Some(1), 1)
    );
}

#[test]
fn slices_of_a_pool_are_pairs_of_their_own() {
    let mut frame = PairFrame::cloth();
    // Two meshes in one pool: two vertices each, drawn with offsets.
    for (event, offset) in [(11, 0), (12, 40)] {
        let draw = frame.command(event);
        draw["vertex_count"] = json!(2);
        for (slot, buffer) in [(0, 2), (2, 1)] {
            draw["streams"][slot]["buffer"] = json!(buffer);
            draw["streams"][slot]["offset"] = json!(offset);
        }
    }
    frame.command(2)["size"] = json!(40);
    let found = check(&[frame.clone()], false, None, "cloth-slot");
    assert_eq!((count(&found, "draws"), count(&found, "untouched")), (Some(1), Some(1)));
    assert_eq!(count(&check(&[frame], false, None, "cloth-delta"), "pairs"), Some(1));
}

#[test]
fn static_streams_of_different_strides_or_lengths_are_no_pair() {
    let rows: [Row; 3] = [
        ("pair-slot", "a static stream", |f| f.buffer(1)["usage"] = json!("static")),
        ("pair-slot", "another stride", |f| f.command(13)["streams"][2]["stride"] = json!(40)),
        ("pair-slot", "another length", |f| {
            f.blobs.insert(9, vec![0; SIZE - 20]);
            f.buffer(1)["size"] = json!(SIZE - 20);
            f.buffer(1)["initial"]["blob"] = json!(blob(9));
        }),
    ];
    for (claim, change, apply) in rows {
        let mut frame = PairFrame::sekiro();
        apply(&mut frame);
        let found = check(&[frame], false, None, claim);
        assert!(found.left_out["draws that bind no pair"] > 0, "{change}");
    }
}
