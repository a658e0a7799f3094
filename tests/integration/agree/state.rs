//! Fixed-function state, attachments and the way passes use them.

use serde_json::{Value, json};

use super::set::{OddSet, cover, floats, vertices};
use super::twins::Twins;

const UP: [f64; 4] = [0.0, 1.0, 0.0, 0.0];
const NOTHING: [f64; 4] = [0.0; 4];

/// A pass for each case, one draw in it; `expected` is the pixel in the middle.
fn each(cases: &[(Value, Value, [f64; 4])], mesh: &[u8]) {
    let mut set = OddSet::new();
    let program = set.rigid();
    let stream = set.buffer("static", mesh);
    for (place, (pass, draw, _)) in cases.iter().enumerate() {
        let id = format!("case {place}");
        set.pass(&id, pass.clone());
        set.draw(program, stream, super::set::with(draw.clone(), json!({"pass": id})));
    }
    let both = Twins::open().replay_where_possible(&set);
    for (place, (_, _, expected)) in cases.iter().enumerate() {
        both.expect_pixel(place, (8, 8), *expected);
    }
}

#[test]
fn culling_goes_by_the_winding_on_the_screen() {
    let clockwise = cover(0.5, [0.0, 1.0, 0.0]);
    let turned = [&clockwise[..24], &clockwise[48..], &clockwise[24..48]].concat();
    for (mesh, is_clockwise) in [(clockwise, true), (turned, false)] {
        let mut cases = vec![(json!({}), json!({}), UP)];
        for (cull, front) in
            [("front", "cw"), ("front", "ccw"), ("back", "cw"), ("back", "ccw"), ("none", "ccw")]
        {
            let is_front = is_clockwise == (front == "cw");
            let dropped = (cull == "front" && is_front) || (cull == "back" && !is_front);
            let state = json!({"state": {"cull": cull, "front": front}});
            cases.push((json!({}), state, if dropped { NOTHING } else { UP }));
        }
        each(&cases, &mesh);
    }
}

#[test]
fn the_depth_test_is_the_draws_or_the_passs() {
    let drawn = |yes: bool| if yes { UP } else { NOTHING };
    let mut cases = Vec::new();
    for (name, against) in [
        ("never", [false, false, false]),
        ("less", [true, false, false]),
        ("equal", [false, true, false]),
        ("less_equal", [true, true, false]),
        ("greater", [false, false, true]),
        ("not_equal", [true, false, true]),
        ("greater_equal", [false, true, true]),
        ("always", [true, true, true]),
    ] {
        // 0.5 against a greater, an equal and a lesser depth.
        for (clear, expected) in [0.75, 0.5, 0.25].into_iter().zip(against) {
            let depth =
                |compare: &str| json!({"depth": {"format": "d32_float", "clear": clear, "compare": compare}});
            cases.push((depth("never"), json!({"state": {"depth_compare": name}}), drawn(expected)));
            cases.push((depth(name), json!({}), drawn(expected)));
        }
    }
    each(&cases, &cover(0.5, [0.0, 1.0, 0.0]));
}

#[test]
fn depth_is_stored_only_where_it_is_asked_for_and_only_if_the_test_passes() {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    let [near, far] = [0.25, 0.5].map(|z| set.buffer("static", &cover(z, [0.0, 1.0, 0.0])));
    let other = set.buffer("static", &cover(0.375, [1.0, 0.0, 0.0]));
    set.draw(program, near, json!({"state": {"depth_write": false}}));
    set.draw(program, far, json!({}));
    set.draw(program, other, json!({"state": {"depth_compare": "greater", "color_write": ""}}));
    set.draw(program, other, json!({"state": {"color_write": "r", "scissor": [0, 0, 8, 16]}}));
    let both = Twins::open().replay(&set);
    both.expect_pixel(0, (3, 8), [1.0, 1.0, 0.0, 0.0]);
    both.expect_depth(0, (3, 8), 0.375);
    both.expect_pixel(0, (12, 8), UP);
    both.expect_depth(0, (12, 8), 0.5);
}

#[test]
fn only_the_channels_named_are_written() {
    let half = 64.0 / 127.0;
    let clear = json!({"targets": [{"name": "normal", "format": "r8g8b8a8_snorm", "clear": [-1.0, half, -half, 1.0]}]});
    let mask = |letters: &str| json!({"state": {"color_write": letters}});
    let cases = [
        (clear.clone(), mask("rgba"), [0.0, 1.0, 0.0, 0.0]),
        (clear.clone(), mask("a"), [-1.0, half, -half, 0.0]),
        (clear.clone(), mask("bg"), [-1.0, 1.0, 0.0, 1.0]),
        (clear, mask(""), [-1.0, half, -half, 1.0]),
    ];
    each(&cases, &cover(0.5, [0.0, 1.0, 0.0]));
}

const FACTORS: [&str; 10] = [
    "zero",
    "one",
    "src_color",
    "inv_src_color",
    "src_alpha",
    "inv_src_alpha",
    "dest_alpha",
    "inv_dest_alpha",
    "dest_color",
    "inv_dest_color",
];
const OPERATIONS: [&str; 5] = ["add", "subtract", "rev_subtract", "min", "max"];

/// The blend equation in words of its own: one channel of a colour.
fn blended(equation: &[&str; 3], source: [f64; 2], stored: [f64; 2]) -> f64 {
    let factor = |name: &str| match name {
        "zero" => 0.0,
        "one" => 1.0,
        "src_color" => source[0],
        "inv_src_color" => 1.0 - source[0],
        "src_alpha" => source[1],
        "inv_src_alpha" => 1.0 - source[1],
        "dest_alpha" => stored[1],
        "inv_dest_alpha" => 1.0 - stored[1],
        "dest_color" => stored[0],
        "inv_dest_color" => 1.0 - stored[0],
        other => panic!("{other}"),
    };
    let (new, old) = (source[0] * factor(equation[0]), stored[0] * factor(equation[1]));
    match equation[2] {
        "add" => new + old,
        "subtract" => new - old,
        "rev_subtract" => old - new,
        "min" => source[0].min(stored[0]),
        "max" => source[0].max(stored[0]),
        other => panic!("{other}"),
    }
}

/// Every factor on either side and every operation, for colour and for alpha. The normal's alpha is 0.
#[test]
fn every_blend_factor_and_operation_is_that_of_direct3d() {
    let normal = [0.6f32, 0.8, 0.0];
    for (format, clear, least) in [
        ("r8g8b8a8_snorm", [64.0 / 127.0, -32.0 / 127.0, 96.0 / 127.0, 80.0 / 127.0], -1.0),
        ("r16g16b16a16_float", [0.5, -0.25, 0.75, 0.625], f64::MIN),
        ("r8g8b8a8_unorm", [51.0 / 255.0, 102.0 / 255.0, 0.2, 204.0 / 255.0], 0.0),
    ] {
        let greatest = if least == f64::MIN { f64::MAX } else { 1.0 };
        let mut equations = Vec::new();
        for (i, factor) in FACTORS.into_iter().enumerate() {
            let operation = OPERATIONS[i % 3];
            equations.push(([factor, "one", operation], ["zero", factor, "add"]));
            equations.push((["one", factor, operation], [factor, "one", operation]));
        }
        equations.extend(OPERATIONS.map(|o| (["one", "src_color", o], ["dest_alpha", "one", o])));
        let target = json!({"targets": [{"name": "normal", "format": format, "clear": clear}]});
        let cases: Vec<_> = equations
            .iter()
            .map(|(color, alpha)| {
                let source = [normal[0], normal[1], normal[2], 0.0].map(f64::from);
                let mut expected =
                    [0, 1, 2].map(|i| blended(color, [source[i], source[3]], [clear[i], clear[3]])).to_vec();
                expected.push(blended(alpha, [source[3]; 2], [clear[3]; 2]));
                let expected: Vec<_> = expected.into_iter().map(|v| v.clamp(least, greatest)).collect();
                let state = json!({"state": {"blend": {"color": color, "alpha": alpha}}});
                (target.clone(), state, expected.try_into().unwrap())
            })
            .collect();
        each(&cases, &cover(0.5, normal));
    }
}

#[test]
fn a_scissor_bounds_also_from_outside_the_image() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let stream = set.buffer("static", &cover(0.5, [0.0, 1.0, 0.0]));
    let cases: [([i64; 4], [std::ops::Range<u32>; 2]); 6] = [
        ([3, 4, 5, 6], [3..8, 4..10]),
        ([-4, -2, 10, 5], [0..6, 0..3]),
        ([12, 12, 100, 100], [12..16, 12..16]),
        ([-9, -9, 5, 5], [0..0, 0..0]),
        ([20, 0, 5, 16], [0..0, 0..0]),
        ([4, 4, 0, 9], [0..0, 0..0]),
    ];
    for (place, (scissor, _)) in cases.iter().enumerate() {
        let id = format!("case {place}");
        set.pass(&id, json!({}));
        set.draw(program, stream, json!({"pass": id, "state": {"scissor": scissor}}));
    }
    let both = Twins::open().replay(&set);
    for (place, (_, [columns, rows])) in cases.iter().enumerate() {
        for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
            let inside = columns.contains(&x) && rows.contains(&y);
            both.expect_pixel(place, (x, y), if inside { UP } else { NOTHING });
        }
    }
}

#[test]
fn the_viewport_moves_scales_and_bounds() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let stream = set.buffer("static", &cover(0.5, [0.0, 1.0, 0.0]));
    // A triangle in the upper left quarter of the viewport.
    let corner = |x: f32, y: f32| ([x, y, 1.0], [1.0, 0.0, 0.0]);
    let small = set.buffer("static", &vertices(&[corner(-1.0, 1.0), corner(0.0, 1.0), corner(-1.0, 0.0)]));
    let viewports = [
        ([4.0, 2.0, 8.0, 6.0, 0.25, 0.75], [4..12, 2..8]),
        ([-8.0, -4.0, 16.0, 16.0, 0.0, 1.0], [0..8, 0..12]),
        ([2.5, 3.25, 5.0, 4.5, 0.75, 0.25], [2..7, 3..8]),
        ([4.0, 4.0, 0.0, 8.0, 0.0, 1.0], [0..0, 0..0]),
        ([4.0, 4.0, 8.0, 0.0, 0.0, 1.0], [0..0, 0..0]),
        ([0.0, 0.0, 16.0, 16.0, 0.5, 0.5], [0..16, 0..16]),
    ];
    for (place, (viewport, _)) in viewports.iter().enumerate() {
        let id = format!("case {place}");
        set.pass(&id, json!({"viewport": viewport}));
        set.draw(program, stream, json!({"pass": id}));
        set.draw(
            program,
            small,
            json!({"pass": id, "state": {"depth_compare": "always", "depth_write": false}}),
        );
    }
    let both = Twins::open().replay(&set);
    for (place, (viewport, [columns, rows])) in viewports.iter().enumerate() {
        let [_, _, _, _, near, far] = *viewport;
        for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
            let inside = columns.contains(&x) && rows.contains(&y);
            both.expect_depth(place, (x, y), if inside { (near + far) / 2.0 } else { 1.0 });
        }
    }
    both.expect_pixel(0, (4, 2), [1.0, 0.0, 0.0, 0.0]);
    both.expect_pixel(0, (8, 2), UP);
    both.expect_pixel(0, (4, 5), UP);
}

#[test]
fn a_shared_depth_buffer_is_kept_or_cleared_again() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let [near, middle, far] = [0.25, 0.5, 0.75].map(|z| set.buffer("static", &cover(z, [0.0, 1.0, 0.0])));
    set.pass("owner", json!({}));
    set.pass("kept", json!({"depth": {"shared_with": "owner"}}));
    set.pass("cleared", json!({"depth": {"shared_with": "owner", "clear": 0.625, "compare": "greater"}}));
    set.draw(program, middle, json!({"pass": "owner"}));
    set.draw(program, far, json!({"pass": "kept", "state": {"scissor": [0, 0, 8, 16]}}));
    set.draw(program, near, json!({"pass": "kept", "state": {"scissor": [8, 0, 8, 16]}}));
    set.draw(program, far, json!({"pass": "cleared", "state": {"scissor": [0, 0, 8, 16]}}));
    set.draw(program, middle, json!({"pass": "cleared"}));
    let both = Twins::open().replay(&set);
    for (pass, left, right, depths) in
        [(0, UP, UP, [0.5, 0.5]), (1, NOTHING, UP, [0.5, 0.25]), (2, UP, NOTHING, [0.75, 0.625])]
    {
        both.expect_pixel(pass, (2, 2), left);
        both.expect_pixel(pass, (12, 2), right);
        both.expect_depth(pass, (2, 2), depths[0]);
        both.expect_depth(pass, (12, 2), depths[1]);
    }
}

/// The pass that shares draws first: its owner begins later and clears, or keeps what it finds.
#[test]
fn a_shared_depth_buffer_may_be_used_before_its_owner_begins() {
    for (clear, expected) in [(json!(1.0), 0.5), (Value::Null, 0.25)] {
        let mut set = OddSet::new();
        let program = set.rigid();
        let [near, middle] = [0.25, 0.5].map(|z| set.buffer("static", &cover(z, [0.0, 1.0, 0.0])));
        let own = super::set::with(
            json!({"format": "d32_float", "compare": "less_equal"}),
            if clear.is_null() { json!({}) } else { json!({"clear": clear}) },
        );
        set.pass("owner", json!({"depth": own}));
        set.pass("first", json!({"depth": {"shared_with": "owner", "clear": 1.0}}));
        set.draw(program, near, json!({"pass": "first"}));
        set.draw(program, middle, json!({"pass": "owner"}));
        let both = Twins::open().replay(&set);
        both.expect_depth(1, (8, 8), 0.25);
        both.expect_depth(0, (8, 8), expected);
    }
}

#[test]
fn what_an_attachment_held_stays_where_it_is_not_cleared() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let stream = set.buffer("static", &cover(0.5, [0.0, 1.0, 0.0]));
    let colours: Vec<u8> = (0..256u32).flat_map(|i| [i as u8, 127, 0x81, 64]).collect();
    let depths = floats(&(0..256).map(|i| i as f32 / 256.0).collect::<Vec<_>>());
    let colours = json!({"blob": set.blob(&colours), "taken": "frame_start"});
    let depths = json!({"blob": set.blob(&depths), "taken": "frame_start"});
    let held = json!({
        "targets": [{"name": "normal", "format": "r8g8b8a8_snorm", "clear": null, "initial": colours}],
        "depth": {"format": "d32_float", "clear": null, "compare": "less_equal", "initial": depths},
    });
    set.pass("drawn", held.clone());
    set.pass("empty", held);
    set.draw(program, stream, json!({"pass": "drawn", "state": {"scissor": [0, 0, 8, 16]}}));
    let both = Twins::open().replay(&set);
    // Row 3: pixel 48 + x holds a depth below 0.5, row 12 one above.
    let old = |i: u32| [f64::from(i as u8 as i8) / 127.0, 1.0, -1.0, 64.0 / 127.0];
    both.expect_pixel(0, (3, 3), old(51));
    both.expect_pixel(0, (3, 12), UP);
    both.expect_pixel(0, (11, 4), old(75));
    both.expect_depth(0, (3, 12), 0.5);
    both.expect_depth(0, (3, 3), 51.0 / 256.0);
    both.expect_pixel(1, (3, 4), old(67));
    both.expect_depth(1, (3, 12), 195.0 / 256.0);
}

#[test]
fn passes_without_draws_are_cleared() {
    let mut set = OddSet::new();
    let target = |format: &str, clear: [f64; 4]| json!([{"name": "a", "format": format, "clear": clear}]);
    set.pass(
        "half",
        json!({"targets": target("r16g16_float", [0.25, -0.5, 0.0, 0.0]),
                            "depth": {"format": "d32_float", "clear": 0.125}}),
    );
    set.pass("packed", json!({"targets": target("r10g10b10a2_unorm", [1.0, 0.5, 0.25, 1.0])}));
    set.pass("without depth", json!({"depth": null, "targets": target("r32_float", [0.1, 0.0, 0.0, 0.0])}));
    set.pass("whole", json!({"targets": target("r8g8b8a8_uint", [3.0, 200.0, 255.0, 1.0])}));
    let both = Twins::open().replay(&set);
    both.expect_pixel(0, (15, 15), [0.25, -0.5, 0.0, 0.0]);
    both.expect_depth(0, (0, 15), 0.125);
    both.expect_pixel(1, (7, 3), [1.0, 0.5, 0.25, 1.0]);
    both.expect_pixel(2, (7, 3), [0.1, 0.0, 0.0, 0.0]);
    both.expect_pixel(3, (7, 3), [3.0, 200.0, 255.0, 1.0]);
}

#[test]
fn interleaved_passes_go_on_where_they_were() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let [near, far] =
        [(0.25, [0.0, 1.0, 0.0]), (0.75, [1.0, 0.0, 0.0])].map(|(z, n)| set.buffer("static", &cover(z, n)));
    set.pass("a", json!({}));
    set.pass("b", json!({}));
    let left = json!({"scissor": [0, 0, 8, 16]});
    set.draw(program, near, json!({"pass": "a", "state": left}));
    set.draw(program, far, json!({"pass": "b"}));
    set.draw(program, far, json!({"pass": "a"}));
    set.draw(program, near, json!({"pass": "b", "state": left}));
    let both = Twins::open().replay(&set);
    for pass in [0, 1] {
        both.expect_pixel(pass, (4, 8), UP);
        both.expect_pixel(pass, (12, 8), [1.0, 0.0, 0.0, 0.0]);
        both.expect_depth(pass, (4, 8), 0.25);
        both.expect_depth(pass, (12, 8), 0.75);
    }
}

/// A pass with other targets than the stand-in writes, in another order, and a draw that writes none of them.
#[test]
fn a_target_is_found_by_its_name() {
    let mut set = OddSet::new();
    let program = set.rigid();
    let stream = set.buffer("static", &cover(0.5, [0.0, 1.0, 0.0]));
    let target = |name: &str| json!({"name": name, "format": "r8g8b8a8_snorm", "clear": [0, 0, 0, 0]});
    set.pass("second", json!({"targets": [target("albedo"), target("normal")]}));
    set.pass("none", json!({"targets": [target("albedo")]}));
    set.draw(program, stream, json!({"pass": "second"}));
    set.draw(program, stream, json!({"pass": "none"}));
    let both = Twins::open().replay(&set);
    both.expect_pixel(0, (8, 8), NOTHING);
    both.expect_pixel(1, (8, 8), NOTHING);
    both.expect_depth(1, (8, 8), 0.5);
    for (name, outputs) in &both.sides {
        let image = outputs.passes[0].targets[1].as_ref().unwrap();
        assert!(image.bytes.chunks(4).all(|texel| texel == [0, 127, 0, 0]), "{name}");
    }
}

/// A floor from behind the eye to the horizon, by a view that looks along z with w = z.
#[test]
fn what_lies_behind_the_eye_is_cut_off() {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    let (near, far) = (0.5f32, 100.0f32);
    let (a, b) = (far / (far - near), -near * far / (far - near));
    let view = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., a, b, 0., 0., 1., 0.];
    let views = set.buffer("default", &floats(&[view, view].concat()));
    let corner = |x: f32, z: f32| ([x, -1.0, z], [0.0, 1.0, 0.0]);
    let floor = [
        [corner(-50.0, -10.0), corner(-50.0, 90.0), corner(50.0, 90.0)],
        [corner(-50.0, -10.0), corner(50.0, 90.0), corner(50.0, -10.0)],
    ];
    let stream = set.buffer("static", &vertices(&floor.concat()));
    let constants =
        json!([super::set::range(0, views, 0, 128), super::set::range(5, super::set::PALETTE, 0, 48)]);
    set.draw(program, stream, json!({"constants": constants, "vertex_count": 6}));
    let both = Twins::open().replay(&set);
    for x in 0..16 {
        both.expect_pixel(0, (x, 3), NOTHING);
        both.expect_pixel(0, (x, 7), NOTHING);
        both.expect_pixel(0, (x, 12), UP);
        both.expect_pixel(0, (x, 15), UP);
        // A row's centre at -y/z = s sees the floor at z = 1 / s.
        let seen = |row: f64| 1.0 / ((row + 0.5) / 8.0 - 1.0);
        let depth = |z: f64| f64::from(a) + f64::from(b) / z;
        both.expect_depth(0, (x, 12), depth(seen(12.0)));
    }
}

/// A position that is no number drops its triangle and no other.
#[test]
fn positions_that_are_no_numbers_draw_nothing() {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    let normal = [0.0, 1.0, 0.0];
    let corner = |x: f32, y: f32| ([x, y, 0.5], normal);
    let mut list = Vec::new();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        list.extend([corner(-1.0, 1.0), corner(1.0, 1.0), ([bad, -1.0, 0.5], normal)]);
        list.extend([corner(-1.0, 1.0), corner(1.0, 1.0), ([0.0, bad, 0.5], normal)]);
    }
    list.extend([corner(-1.0, 0.0), corner(0.0, 0.0), corner(-1.0, -1.0)]);
    let stream = set.buffer("static", &vertices(&list));
    set.draw(program, stream, json!({"vertex_count": list.len()}));
    let both = Twins::open().execute_unlike(set.plan(replay::plan::Swaps::default()));
    both.expect_pixel(0, (1, 9), UP);
    both.expect_pixel(0, (8, 2), NOTHING);
    both.expect_pixel(0, (12, 12), NOTHING);
}
