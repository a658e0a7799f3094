//! The figures of the documents that the set must show, as `[[expect]]` tables.
//!
//! These are the documents' figures, written down by hand; what a check finds is computed from the frames.

use crate::capture::manifest::{Expectation, Expected};

/// The tables.
pub(crate) fn expectations() -> Vec<Expectation> {
    let all = |claim: &str, figures: &[(&str, Expected)]| expect(claim, None, figures);
    vec![
        // 27 written pairs a frame, in five frames.
        all(
            "pair-written",
            &[
                ("pairs", count(135)),
                ("one_written", count(135)),
                ("by_map_discard", count(135)),
                ("on_deferred_list", count(135)),
                ("before_draws", count(135)),
            ],
        ),
        all(
            "pair-slot",
            &[
                ("draws", count(315)),
                ("meshes", count(21)),
                ("position1_written", count(282)),
                ("position0_written", count(33)),
                ("unwritten", count(0)),
                ("motion_vector_draws", count(105)),
                ("motion_vector_position1_written", count(105)),
                ("gbuffer_position0_written", count(12)),
                ("shadow_position0_written", count(21)),
            ],
        ),
        expect(
            "pair-slot",
            Some("0003"),
            &[
                ("draws", count(63)),
                ("position1_written", count(51)),
                ("gbuffer_position0_written", count(12)),
            ],
        ),
        expect(
            "pair-slot",
            Some("0004"),
            &[
                ("draws", count(63)),
                ("position1_written", count(42)),
                ("shadow_position0_written", count(21)),
            ],
        ),
        expect(
            "pair-slot-by-list",
            Some("0003"),
            &[
                ("instances", count(24)),
                ("position1", count(18)),
                ("position0", count(6)),
                ("mixed", count(0)),
            ],
        ),
        // The documents tell this of one frame; here it holds in every frame whose contents are not late.
        expect("pair-newest", Some("0001"), &newest()),
        expect("pair-newest", Some("0003"), &newest()),
        all(
            "pair-delta",
            &[
                ("face_greatest", range(0.15, 0.18)),
                ("body_greatest", range(0.16, 0.19)),
                ("between_least", range(0.0002, 0.0053)),
                ("between_greatest", range(0.0002, 0.0053)),
            ],
        ),
        all(
            "object-single",
            &[
                ("objects", count(3)),
                ("buffers", count(15)),
                ("written", count(15)),
                ("move_greatest", range(1.0, 3.0)),
            ],
        ),
        all("file-streams", &[("models", count(1)), ("dynamic_bound", count(0))]),
        all("stream-copy", &[("face_and_body_meshes", count(21)), ("face_and_body_equal", count(21))]),
        all("late-contents", &[("late", count(27)), ("pairs_left_out", count(27))]),
        expect("late-contents", Some("0005"), &[("late", count(27))]),
        // The 105 of the player, the costume's, the objects', the Sculptor's, the gate's and the floor's.
        all(
            "motion-program",
            &[
                ("draws", count(174)),
                ("documented", count(174)),
                ("others_reproduce", count(0)),
                ("told_apart", count(135)),
            ],
        ),
    ]
}

/// 21 of 27 pairs at 0.45-0.59, with 99.7-100 % of the displaced vertices between 0.1 and 0.9; the members of the other
/// 6, of 57 vertices, are 6.8 units apart.
fn newest() -> [(&'static str, Expected); 10] {
    [
        ("pairs", count(27)),
        ("near_pairs", count(21)),
        ("far_pairs", count(6)),
        ("median_least", range(0.45, 0.59)),
        ("median_greatest", range(0.45, 0.59)),
        ("share_least", range(0.997, 1.0)),
        ("far_vertices_least", count(57)),
        ("far_vertices_greatest", count(57)),
        ("far_separation_least", range(6.75, 6.85)),
        ("far_separation_greatest", range(6.75, 6.85)),
    ]
}

fn count(n: u32) -> Expected {
    Expected::Number(n.into())
}

fn range(least: f64, greatest: f64) -> Expected {
    Expected::Range([least, greatest])
}

fn expect(claim: &str, frame: Option<&str>, figures: &[(&str, Expected)]) -> Expectation {
    let figures = figures.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Expectation { claim: claim.to_owned(), frame: frame.map(str::to_owned), figures: figures.collect() }
}
