//! Claims on whole sets. The figures of the recorded samples are those that the program which drew them counted as it
//! drew; those of the bundled set are the documents'.

use std::collections::BTreeMap;
use std::path::Path;

use replay::capture::{CaptureSet, LoadedFrame};
use replay::check::{CheckFrame, CheckInput, run};
use replay::finding::{ClaimFindings, Figure};
use replay::plan::{Plan, StandIns, Swaps, lower};

use crate::support::{ashina_gate, sample};

/// The findings on a set, without execution.
fn findings(path: &Path) -> BTreeMap<&'static str, ClaimFindings> {
    let set = CaptureSet::open(path).unwrap();
    let load = |name: &String| {
        let loaded = set.load(name).unwrap();
        let plan = lower(&loaded.frame, &StandIns::new(), Swaps::default());
        (loaded, plan)
    };
    let frames: Vec<(LoadedFrame, Plan)> = set.frames().iter().map(load).collect();
    let frames = frames.iter().map(|(loaded, plan)| CheckFrame { frame: &loaded.frame, plan }).collect();
    run(&CheckInput { frames, consecutive: set.manifest().consecutive, pairings: None })
}

fn counts(found: &BTreeMap<&str, ClaimFindings>, expected: &[(&str, &[(&str, u64)])]) {
    for (claim, figures) in expected {
        for (figure, n) in *figures {
            let value = found[claim].figures.get(*figure);
            assert_eq!(value, Some(&Figure::Count(*n)), "{claim}: {figure}");
        }
    }
}

fn number(found: &BTreeMap<&str, ClaimFindings>, claim: &str, figure: &str) -> f64 {
    match found[claim].figures.get(figure) {
        Some(Figure::Number(v)) => *v,
        other => panic!("{claim}: {figure}: {other:?}"),
    }
}

/// Each to the six digits it was written down with.
fn numbers(found: &BTreeMap<&str, ClaimFindings>, expected: &[(&str, &str, f64)]) {
    for (claim, figure, value) in expected {
        let v = number(found, claim, figure);
        assert!((v - value).abs() <= 5e-6 * value.abs(), "{claim}: {figure}: expected {value}, found {v}");
    }
}

#[test]
fn sekiro_frames_show_what_was_counted_as_they_were_drawn() {
    let Some(path) = sample("gate/sekiro_1/set") else { return };
    let found = findings(&path);
    let alternates: &[(&str, u64)] = &[("steps", 28), ("alternating", 28)];
    counts(
        &found,
        &[
            ("pair-written", &[("pairs", 35), ("as_stated", 35)]),
            (
                "pair-slot",
                &[
                    ("draws", 120),
                    ("position1_written", 109),
                    ("position0_written", 11),
                    ("unwritten", 0),
                    ("gbuffer_position0_written", 3),
                    ("gbuffer_position1_written", 37),
                    ("motion_vector_position1_written", 40),
                    ("shadow_position0_written", 8),
                    ("shadow_position1_written", 32),
                ],
            ),
            ("pair-slot-by-list", &[("position1", 41), ("position0", 4), ("mixed", 0)]),
            ("pair-newest", &[("pairs", 35), ("near_pairs", 35), ("far_pairs", 0)]),
            ("object-single", &[("objects", 1), ("frames", 5), ("single", 5)]),
            ("file-streams", &[("meshes", 1), ("dynamic_bound", 0)]),
            ("stream-copy", &[("meshes", 1), ("equal", 1)]),
            ("late-contents", &[("late", 0), ("comparisons_left_out", 0)]),
            ("pair-role-alternates", alternates),
        ],
    );
    numbers(
        &found,
        &[
            ("pair-newest", "median_least", 0.486951),
            ("pair-newest", "median_greatest", 0.519691),
            ("pair-newest", "share_least", 1.0),
            ("pair-delta", "between_vertex_least", 9.32498e-05),
            ("pair-delta", "between_greatest", 0.00500127),
            ("object-single", "move_vertex_least", 0.257726),
            ("object-single", "move_greatest", 2.52369),
        ],
    );
}

#[test]
fn elden_ring_frames_show_what_was_counted_as_they_were_drawn() {
    let Some(path) = sample("gate/elden_1/set") else { return };
    let found = findings(&path);
    counts(
        &found,
        &[
            (
                "cloth-slot",
                &[
                    ("draws", 45),
                    ("position0_copied", 45),
                    ("position1_copied", 0),
                    ("from_upload", 45),
                    ("untouched", 9),
                ],
            ),
            ("cloth-delta", &[("pairs", 12), ("newest", 12)]),
            ("pair-written", &[("none_written", 3), ("one_written", 12)]),
        ],
    );
    numbers(
        &found,
        &[("pair-newest", "median_least", 0.489795), ("pair-newest", "median_greatest", 0.516459)],
    );
}

#[test]
fn the_bundled_set_shows_the_documents_figures() {
    let found = findings(&ashina_gate());
    counts(
        &found,
        &[
            ("pair-written", &[("pairs", 135), ("as_stated", 135)]),
            (
                "pair-slot",
                &[
                    ("draws", 315),
                    ("meshes", 21),
                    ("position1_written", 282),
                    ("position0_written", 33),
                    ("motion_vector_position1_written", 105),
                    ("gbuffer_position0_written", 12),
                    ("shadow_position0_written", 21),
                ],
            ),
            ("object-single", &[("objects", 3), ("frames", 5)]),
            ("file-streams", &[("models", 1), ("dynamic_bound", 0)]),
            ("stream-copy", &[("face_and_body_meshes", 21), ("face_and_body_equal", 21)]),
        ],
    );
    let in_frame = |claim: &str, frame: &str, figure: &str| found[claim].by_frame[frame][figure].clone();
    let by_list = ["instances", "position1", "position0", "mixed"];
    let by_list = by_list.map(|figure| in_frame("pair-slot-by-list", "0003", figure));
    assert_eq!(by_list, [24, 18, 6, 0].map(Figure::Count));
    let newest = ["pairs", "near_pairs", "far_pairs", "far_vertices_least", "far_vertices_greatest"];
    let newest = newest.map(|figure| in_frame("pair-newest", "0001", figure));
    assert_eq!(newest, [27, 21, 6, 57, 57].map(Figure::Count));
    for (claim, figure, least, greatest) in [
        ("pair-newest", "median_least", 0.45, 0.59),
        ("pair-newest", "median_greatest", 0.45, 0.59),
        ("pair-newest", "share_least", 0.997, 1.0),
        ("pair-newest", "far_separation_least", 6.75, 6.85),
        ("pair-newest", "far_separation_greatest", 6.75, 6.85),
        ("pair-delta", "face_greatest", 0.175, 0.185),
        ("pair-delta", "body_greatest", 0.185, 0.195),
        ("pair-delta", "between_least", 0.00015, 0.00025),
        ("pair-delta", "between_greatest", 0.00525, 0.00535),
        ("object-single", "move_greatest", 0.0, 3.0),
    ] {
        let v = number(&found, claim, figure);
        assert!((least..=greatest).contains(&v), "{claim}: {figure}: {v}");
    }
    // The fifth frame's late contents are left out, and the frames are not known to follow one another.
    assert!(number_of(&found["late-contents"], "late") > 0);
    assert!(number_of(&found["late-contents"], "pairs_left_out") > 0);
    assert_eq!(found["pair-role-alternates"].counted, 0);
}

fn number_of(found: &ClaimFindings, figure: &str) -> u64 {
    match found.figures.get(figure) {
        Some(Figure::Count(n)) => *n,
        other => panic!("{figure}: {other:?}"),
    }
}
