//! Ranges of constant buffers as draws bind them: shorter and longer than declared, at any offset.

use serde_json::json;

use super::set::{OddSet, VIEWS, affine, floats, input, range};
use super::twins::Twins;

/// A skinned shadow whose vertex n names entry `named[n]` alone, over a palette range.
fn skinned(set: &mut OddSet, named: [u8; 3], palette: (u64, usize, usize)) {
    let inputs = json!([
        input("POSITION", 0, "r32g32b32_float", 0, 0),
        input("BLENDINDICES", 0, "r8g8b8a8_uint", 1, 0),
        input("BLENDWEIGHT", 0, "r8g8b8a8_unorm", 1, 4),
    ]);
    let program = set.program("skinned_shadow", inputs, json!({}));
    let position = set.buffer("static", &floats(&[0.0, 0.5, 0.25]));
    let skin: Vec<u8> = named.iter().flat_map(|n| [*n, 0, 0, 0, 255, 0, 0, 0]).collect();
    let skin = set.buffer("static", &skin);
    let streams =
        json!([{"slot": 0, "buffer": position, "stride": 0}, {"slot": 1, "buffer": skin, "stride": 8}]);
    let (buffer, offset, size) = palette;
    let constants = json!([range(0, VIEWS, 0, 128), range(5, buffer, offset, size)]);
    set.draw(program, 0, json!({"streams": streams, "constants": constants}));
}

/// Entries that move by their number along x.
fn entries(count: usize) -> Vec<u8> {
    (0..count).flat_map(|entry| affine([entry as f32, 0.0, 0.0])).collect()
}

const NOTHING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

fn moved(x: f32) -> [f32; 4] {
    [x, 0.5, 0.25, 1.0]
}

#[test]
fn only_the_bound_bytes_of_a_palette_are_there() {
    let mut set = OddSet::with_pass();
    let palette = set.buffer("dynamic", &entries(256));
    // 96 bytes are declared each time.
    skinned(&mut set, [0, 1, 255], (palette, 0, 48));
    skinned(&mut set, [0, 1, 255], (palette, 0, 12_288));
    skinned(&mut set, [0, 1, 2], (palette, 0, 96));
    let both = Twins::open().replay(&set);
    for (draw, expected) in [
        [moved(0.0), NOTHING, NOTHING],
        [moved(0.0), moved(1.0), moved(255.0)],
        [moved(0.0), moved(1.0), NOTHING],
    ]
    .iter()
    .enumerate()
    {
        for (vertex, expected) in expected.iter().enumerate() {
            both.expect(draw, 0, vertex as i64, expected);
        }
    }
}

#[test]
fn a_range_may_start_at_any_register_of_its_buffer() {
    let mut set = OddSet::with_pass();
    for offset in [16, 48, 208, 256, 4096] {
        let mut held = floats(&vec![f32::NAN; offset / 4]);
        held.extend(entries(4));
        held.extend(floats(&[f32::NAN; 12]));
        let palette = set.buffer("default", &held);
        skinned(&mut set, [1, 3, 4], (palette, offset, 4 * 48));
    }
    let both = Twins::open().replay(&set);
    for draw in 0..5 {
        both.expect(draw, 0, 0, &moved(1.0));
        both.expect(draw, 0, 1, &moved(3.0));
        both.expect(draw, 0, 2, &NOTHING);
    }
}

/// A range that ends inside an entry, and inside a row of it: what is past it reads as zero, component by component.
#[test]
fn a_range_may_end_inside_a_row() {
    let mut set = OddSet::with_pass();
    let palette = set.buffer("dynamic", &affine([2.0, 3.0, 4.0]));
    for (size, _) in ENDS {
        skinned(&mut set, [0; 3], (palette, 0, size));
    }
    let both = Twins::open().replay(&set);
    for (draw, (_, expected)) in ENDS.iter().enumerate() {
        both.expect(draw, 0, 0, expected);
    }
}

/// Bytes bound of a translation by (2, 3, 4), and what becomes of (0, 0.5, 0.25).
const ENDS: [(usize, [f32; 4]); 5] = [
    (12, [0.0, 0.0, 0.0, 1.0]),
    (16, [2.0, 0.0, 0.0, 1.0]),
    (24, [2.0, 0.5, 0.0, 1.0]),
    (44, [2.0, 3.5, 0.25, 1.0]),
    (0, [0.0, 0.0, 0.0, 1.0]),
];

/// Of `cbMatrixWVP` only the first view is bound: the second reads as zeros, whichever way the swap is.
#[test]
fn a_view_that_is_not_bound_is_zero() {
    let mut set = OddSet::new();
    set.pass(
        "p",
        json!({"kind": "motion_vector",
                         "targets": [{"name": "velocity", "format": "r16g16_float", "clear": [0, 0, 0, 0]}]}),
    );
    let constant = super::set::constant;
    let constants = json!([
        constant("cbMatrixWVP", 0, 128),
        constant("cbObjMatrix", 5, 96),
        constant("cbPrevObjMatrix", 6, 96)
    ]);
    let position = |index: u32| input("POSITION", index, "r32g32b32_float", 0, 0);
    let program =
        set.program("rigid_motion", json!([position(0), position(1)]), json!({"constants": constants}));
    let stream = set.buffer("static", &floats(&[0.25, 0.5, 0.75]));
    let bound = json!([
        range(0, VIEWS, 0, 64),
        range(5, super::set::PALETTE, 0, 48),
        range(6, super::set::PALETTE, 0, 48)
    ]);
    // Every vertex is one point, so that nothing is drawn and no quotient by a zero w reaches the target.
    set.draw(
        program,
        0,
        json!({"streams": [{"slot": 0, "buffer": stream, "stride": 0}], "constants": bound}),
    );
    let (held, nothing) = ([0.25, 0.5, 0.75, 1.0], [0.0; 4]);
    let mut twins = Twins::open();
    for views in [false, true] {
        let both = twins.execute(set.plan(replay::plan::Swaps { views, ..Default::default() }));
        let [current, before] = if views { [nothing, held] } else { [held, nothing] };
        both.expect(0, 0, 0, &[current, current, before].concat());
    }
}
