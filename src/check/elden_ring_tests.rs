//! Every Elden Ring claim holds on the tiny frame and fails where one thing of it is changed; and what the recorded
//! sample shows.

use std::path::PathBuf;

use serde_json::json;

use super::tiny::{LARGER, Tiny, check};
use super::*;
use crate::abi::records::Affine;
use crate::capture::CaptureSet;
use crate::finding::Figure;
use crate::plan::{StandIns, Swaps, lower};

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

const CHECKED: [&str; 14] = [
    "palette-extent",
    "affine-record",
    "instance-record",
    "grass-draws",
    "grass-batches",
    "grass-placement",
    "grass-force-index",
    "grass-placed",
    "force-record",
    "force-census",
    "force-clock",
    "force-shared-word",
    "force-near-eye",
    "instance-index-identity",
];

#[test]
fn every_claim_has_a_case_in_the_tiny_frame_and_holds() {
    for claim in CHECKED {
        let found = check(&[Tiny::new()], claim);
        assert!(found.counted > 0, "{claim}: nothing to check");
        assert_eq!(found.agree, found.counted, "{claim}: {:?}", found.counterexamples);
        let known = CLAIMS.iter().find(|c| c.id == claim).unwrap().figures;
        let figures = found.figures.keys().chain(found.by_frame.values().flat_map(|f| f.keys()));
        for name in figures {
            assert!(
                known.iter().any(|(figure, _)| figure == name),
                "{claim}: figure {name} is not documented"
            );
        }
    }
}

#[test]
fn no_frames_are_nothing_to_check() {
    for claim in CHECKED {
        let found = check(&[], claim);
        assert_eq!((found.counted, found.figures.len()), (0, 0), "{claim}");
    }
}

/// A claim, what is changed, and how.
type Row = (&'static str, &'static str, fn(&mut Tiny));

#[test]
fn each_claim_fails_where_one_thing_is_changed() {
    let rows: [Row; 21] = [
        ("palette-extent", "a shorter range", |t| t.command(13)["constants"][0]["size"] = json!(6144)),
        ("palette-extent", "as many rows declared", |t| {
            t.file["programs"][1]["constants"][0]["size"] = json!(12288);
        }),
        ("affine-record", "a singular entry in use", |t| t.palette[101].rows[1] = [0.0; 4]),
        ("affine-record", "a NaN in an entry in use", |t| t.palette[101].rows[2][3] = f32::NAN),
        ("instance-record", "a record past the range", |t| {
            t.command(10)["constants"][1]["size"] = json!(2080)
        }),
        ("instance-record", "a NaN world", |t| t.instances[5].world.rows[0][3] = f32::NAN),
        ("instance-record", "another record size", |t| {
            t.file["programs"][0]["constants"][1]["fields"][4]["count"] = json!(13);
        }),
        ("grass-draws", "records from before the frame", |t| {
            t.file["buffers"][1]["initial"] = json!({"blob": super::tiny::blob(2), "taken": "frame_start"});
            t.command(3)["op"] = json!("observe");
        }),
        ("grass-draws", "more instances than records", |t| t.command(11)["instance_count"] = json!(9)),
        ("grass-batches", "one near clump of the smaller mesh", |t| {
            t.instances[LARGER].world.rows[0][3] = 62.0;
            t.instances[LARGER].world.rows[2][3] = 0.0;
        }),
        ("grass-placement", "all headings alike", |t| {
            t.instances.iter_mut().take(LARGER).for_each(|i| {
                let place = i.world.rows.map(|row| row[3]);
                i.world = Affine::IDENTITY;
                i.world.rows.iter_mut().zip(place).for_each(|(row, at)| row[3] = at);
            });
        }),
        ("grass-placement", "height follows width", |t| {
            t.instances.iter_mut().take(LARGER).for_each(|i| {
                i.world.rows[1][1] = i.world.rows[0][0].hypot(i.world.rows[2][0]);
            });
        }),
        ("grass-force-index", "one instance's own index", |t| t.instances[3].force_index = 7),
        ("grass-placed", "two instances", |t| t.command(12)["instance_count"] = json!(2)),
        ("force-record", "written by the CPU", |t| {
            let write =
                json!({"op": "write", "event": 2, "buffer": 11, "offset": 0, "blob": super::tiny::blob(1)});
            *t.command(2) = write;
        }),
        ("force-record", "half the records", |t| {
            t.command(10)["resources"][0]["size"] = json!(12_288);
        }),
        ("force-census", "a word of one record", |t| t.forces[4].gust[3] = 0.5),
        ("force-census", "an extra of another place", |t| t.forces[6].pos_and_square_force[0] = 77.0),
        ("force-clock", "one clock of its own", |t| t.forces[1].wind[2] = 169.81),
        ("force-shared-word", "one word of its own", |t| t.forces[1].dir_and_sine_force[3] = 12.8),
        ("instance-index-identity", "two entries swapped", |t| t.index_table.swap(3, 4)),
    ];
    for (claim, change, apply) in rows {
        let mut tiny = Tiny::new();
        apply(&mut tiny);
        let found = check(&[tiny], claim);
        assert!(found.counted > found.agree, "{claim} holds in spite of {change}");
        assert!(!found.counterexamples.is_empty(), "{claim}, {change}: no counterexample");
    }
}

#[test]
fn a_steady_record_that_moves_between_frames_is_found() {
    let mut second = Tiny::new();
    second.name = "0002";
    assert_eq!(count(&check(&[Tiny::new(), second.clone()], "force-census"), "same_in_all"), Some(6));
    second.forces[3].wind[1] += 1.0;
    let found = check(&[Tiny::new(), second], "force-census");
    assert_eq!((count(&found, "same_in_all"), found.counted - found.agree), (Some(5), 2));
    assert!(found.counterexamples[0].contains("frame 0001 force record 3"), "{:?}", found.counterexamples);
}

#[test]
fn a_frame_without_a_record_near_the_eye_or_a_clock_is_counted() {
    let mut tiny = Tiny::new();
    tiny.forces.pop();
    tiny.file["values"] = json!({});
    let near = check(&[tiny.clone(), Tiny { name: "0002", ..Tiny::new() }], "force-near-eye");
    assert_eq!((count(&near, "frames"), count(&near, "frames_with")), (Some(2), Some(1)));
    let clock = check(&[tiny], "force-clock");
    assert_eq!((clock.counted, clock.left_out["frames without the value speedtree_time"]), (0, 1));
}

#[test]
fn late_or_absent_index_tables_are_left_out() {
    let mut tiny = Tiny::new();
    tiny.file["buffers"][6]["initial"]["taken"] = json!("late");
    let found = check(&[tiny], "instance-index-identity");
    assert_eq!((found.counted, found.left_out["tables whose contents were taken late"]), (0, 1));
}

#[test]
fn unbound_and_unknown_force_tables_are_no_records() {
    let mut tiny = Tiny::new();
    *tiny.command(2) = json!({"op": "opaque", "event": 2, "kind": "dispatch", "writes": []});
    let found = check(&[tiny], "force-census");
    assert_eq!((found.counted, found.left_out["frames whose force records are not known"]), (0, 1));
}

#[test]
fn the_recorded_sample_shows_the_figures_its_maker_counted() {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/gate/elden_1/set"));
    if !root.exists() {
        println!("skipped: the sample elden_1 is not there");
        return;
    }
    let set = CaptureSet::open(&root).unwrap();
    let frames: Vec<_> = set
        .frames()
        .iter()
        .map(|name| {
            let loaded = set.load(name).unwrap();
            let plan = lower(&loaded.frame, &StandIns::new(), Swaps::default());
            (loaded, plan)
        })
        .collect();
    let input = CheckInput {
        frames: frames.iter().map(|(l, plan)| CheckFrame { frame: &l.frame, plan }).collect(),
        consecutive: true,
        pairings: None,
    };
    let found = run(&input);
    for (id, f) in &found {
        println!("{id}: {} of {} {:?} {:?}", f.agree, f.counted, f.figures, f.left_out);
        f.counterexamples.iter().chain(&f.notes).for_each(|line| println!("    {line}"));
    }
    let figures = |claim: &str, names: &[&str]| -> Vec<_> {
        names.iter().map(|name| count(&found[claim], name).unwrap_or(u64::MAX)).collect()
    };
    assert_eq!(figures("palette-extent", &["draws", "whole"]), [54, 54]);
    assert_eq!(figures("grass-draws", &["draws", "meshes", "cpu_written"]), [15, 2, 15]);
    assert_eq!(figures("grass-draws", &["instances_least", "instances_greatest"]), [160, 315]);
    assert_eq!(figures("grass-draws", &["triangles_least", "triangles_greatest"]), [4, 14]);
    assert_eq!(figures("instance-record", &["record_bytes", "capacity"]), [208, 315]);
    assert_eq!(figures("grass-placement", &["clumps"]), [3 * 825]);
    assert_eq!(figures("force-census", &["same_in_all", "nonzero_least", "nonzero_greatest"]), [6, 8, 9]);
    assert_eq!(figures("force-record", &["tables", "copied"]), [3, 3]);
    assert_eq!(figures("force-near-eye", &["frames", "frames_with"]), [3, 1]);
    let index = |n: usize| found["grass-force-index"].figures[&format!("batch_{n}")].to_string();
    assert_eq!([1, 2, 3, 4, 5].map(index), ["2/1283", "2/1283", "2/1283", "1/5", "1/1"]);
    let placement = &found["grass-placement"];
    assert!((number(placement, "nearest_least") - 0.15).abs() < 0.01);
    for claim in CHECKED {
        let f = &found[claim];
        if !["force-near-eye", "force-clock"].contains(&claim) {
            assert_eq!(f.agree, f.counted, "{claim}: {:?}", f.counterexamples);
        }
    }
}
