//! Vertex inputs in the formats a game may capture.

use serde_json::{Value, json};

use super::set::{OddSet, VIEWS, affine, constant, floats, input, range, shorts, with};
use super::twins::Twins;

/// Halves of a few numbers, by hand.
const HALF: [(f32, u16); 6] =
    [(0.0, 0), (1.0, 0x3C00), (-2.0, 0xC000), (0.5, 0x3800), (0.333_251_95, 0x3555), (65_504.0, 0x7BFF)];

fn half(value: f32) -> u16 {
    HALF.iter().find(|(v, _)| *v == value).unwrap().1
}

fn stream(slot: u32, buffer: u64, stride: usize) -> Value {
    json!({"slot": slot, "buffer": buffer, "stride": stride})
}

#[test]
fn positions_of_halves_and_of_four_floats() {
    let mut set = OddSet::with_pass();
    let list = [[0.5, -2.0, 1.0], [0.333_251_95, 0.0, 0.5], [1.0, 0.5, 0.333_251_95]];
    let halves: Vec<u16> =
        list.iter().flat_map(|[x, y, z]| [half(*x), half(*y), half(*z), half(65_504.0)]).collect();
    let wide: Vec<f32> = list.iter().flat_map(|[x, y, z]| [*x, *y, *z, 77.0]).collect();
    for (format, bytes, stride) in
        [("r16g16b16a16_float", shorts(&halves), 8), ("r32g32b32a32_float", floats(&wide), 16)]
    {
        let inputs = json!([input("POSITION", 0, format, 0, 0)]);
        let program = set.program("rigid_shadow", inputs, json!({}));
        let buffer = set.buffer("static", &bytes);
        // Nothing is drawn: this is about vertices, and an edge runs through a pixel's centre.
        let state = json!({"scissor": [0, 0, 0, 0]});
        set.draw(program, 0, json!({"streams": [stream(0, buffer, stride)], "state": state}));
    }
    let both = Twins::open().replay(&set);
    for draw in 0..2 {
        for (vertex, [x, y, z]) in list.iter().enumerate() {
            both.expect(draw, 0, vertex as i64, &[*x, *y, *z, 1.0]);
        }
    }
}

/// The unit vector of three numbers.
fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 { v.map(|c| (f64::from(c) / length) as f32) } else { v }
}

#[test]
fn normals_of_every_format_that_has_three_components() {
    let mut set = OddSet::with_pass();
    let position = set.buffer("static", &[0; 12]);
    let byte = |b: u8| 2.0 * f32::from(b) / 255.0 - 1.0;
    let ten = |v: u32| 2.0 * v as f32 / 1023.0 - 1.0;
    let packed = |x: u32, y: u32, z: u32| (x | (y << 10) | (z << 20) | (3 << 30)).to_le_bytes();
    let cases: Vec<(&str, Vec<u8>, [f32; 3])> = vec![
        ("r8g8b8a8_snorm", vec![127, 0x81, 64, 9], [1.0, -1.0, 64.0 / 127.0]),
        // -128 and -127 are the same number.
        ("r8g8b8a8_snorm", vec![0x80, 0, 0, 0], [-1.0, 0.0, 0.0]),
        ("r8g8b8a8_snorm", vec![0, 0, 0, 0], [0.0; 3]),
        ("r8g8b8a8_unorm", vec![255, 0, 127, 0], [byte(255), byte(0), byte(127)]),
        ("r8g8b8a8_unorm", vec![128, 128, 128, 0], [byte(128); 3]),
        ("r10g10b10a2_unorm", packed(1023, 0, 700).into(), [ten(1023), ten(0), ten(700)]),
        ("r10g10b10a2_unorm", packed(1, 2, 511).into(), [ten(1), ten(2), ten(511)]),
        ("r16g16b16a16_snorm", shorts(&[0x7FFF, 0x8000, 0xC001, 0]), [1.0, -1.0, -16_383.0 / 32_767.0]),
        ("r16g16b16a16_float", shorts(&[half(0.5), half(-2.0), half(1.0), 0]), [0.5, -2.0, 1.0]),
        ("r32g32b32_float", floats(&[3.0, -4.0, 0.0]), [3.0, -4.0, 0.0]),
        ("r32g32b32a32_float", floats(&[0.0, -4.0, 0.0, 9.0]), [0.0, -4.0, 0.0]),
    ];
    for (format, bytes, _) in &cases {
        let inputs = json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, format, 1, 0)]);
        let program = set.program("rigid_gbuffer", inputs, json!({}));
        let buffer = set.buffer("static", bytes);
        set.draw(program, 0, json!({"streams": [stream(0, position, 0), stream(1, buffer, 0)]}));
    }
    let both = Twins::open().replay(&set);
    for (draw, (_, _, stored)) in cases.iter().enumerate() {
        let [x, y, z] = unit(*stored);
        both.expect(draw, 0, 1, &[0.0, 0.0, 0.0, 1.0, x, y, z]);
    }
}

/// A set with a palette of entries that move by their number along x.
fn skinned(entries: usize) -> (OddSet, u64, u64) {
    let mut set = OddSet::with_pass();
    let position = set.buffer("static", &floats(&[0.0, 0.5, 0.25]));
    let palette: Vec<u8> = (0..entries).flat_map(|e| affine([e as f32, 0.0, 0.0])).collect();
    let palette = set.buffer("dynamic", &palette);
    (set, position, palette)
}

/// Draws one vertex of a skinned shadow: indices and weights in their formats.
fn one(
    set: &mut OddSet,
    (position, palette, entries): (u64, u64, usize),
    (index_format, indices): (&str, &[u8]),
    (weight_format, weights): (&str, &[u8]),
) {
    let inputs = json!([
        input("POSITION", 0, "r32g32b32_float", 0, 0),
        input("BLENDINDICES", 0, index_format, 1, 0),
        input("BLENDWEIGHT", 0, weight_format, 2, 0),
    ]);
    let program = set.program("skinned_shadow", inputs, json!({}));
    let (indices, weights) = (set.buffer("static", indices), set.buffer("static", weights));
    let streams = json!([stream(0, position, 0), stream(1, indices, 0), stream(2, weights, 0)]);
    let constants = json!([range(0, VIEWS, 0, 128), range(5, palette, 0, entries * 48)]);
    set.draw(program, 0, json!({"streams": streams, "constants": constants}));
}

#[test]
fn palette_indices_of_every_integer_format() {
    let (mut set, position, palette) = skinned(250);
    let quarter = ("r8g8b8a8_unorm", [51u8, 51, 51, 102].as_slice());
    let cases: Vec<(&str, Vec<u8>, [f64; 4])> = vec![
        ("r8g8b8a8_uint", vec![0, 1, 200, 249], [0.0, 1.0, 200.0, 249.0]),
        ("r8g8b8a8_sint", vec![127, 5, 6, 7], [127.0, 5.0, 6.0, 7.0]),
        ("r16g16b16a16_sint", shorts(&[248, 0, 3, 4]), [248.0, 0.0, 3.0, 4.0]),
        // A format with fewer components has 0 for the second and third and 1 for the fourth.
        ("r16g16_sint", shorts(&[7, 9]), [7.0, 9.0, 0.0, 1.0]),
        ("r16_uint", shorts(&[9]), [9.0, 0.0, 0.0, 1.0]),
        ("r32_uint", 11u32.to_le_bytes().into(), [11.0, 0.0, 0.0, 1.0]),
    ];
    for (format, bytes, _) in &cases {
        one(&mut set, (position, palette, 250), (format, bytes), quarter);
    }
    let both = Twins::open().replay(&set);
    for (draw, (_, _, [a, b, c, d])) in cases.iter().enumerate() {
        let x = (0.2 * (a + b + c) + 0.4 * d) as f32;
        both.expect(draw, 0, 1, &[x, 0.5, 0.25, 1.0]);
    }
}

/// An index below zero or past the range names no entry: its share of the position is missing.
#[test]
fn indices_that_name_no_entry_move_to_nothing() {
    let (mut set, position, palette) = skinned(8);
    let half_each = ("r8g8b8a8_unorm", [51u8, 204, 0, 0].as_slice());
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("r8g8b8a8_uint", vec![8, 5, 0, 0]),
        ("r8g8b8a8_uint", vec![255, 5, 0, 0]),
        ("r8g8b8a8_sint", vec![0xFF, 5, 0, 0]),
        ("r8g8b8a8_sint", vec![0x80, 5, 0, 0]),
        ("r16g16b16a16_sint", shorts(&[0xFFFF, 5, 0, 0])),
        ("r16g16b16a16_sint", shorts(&[0x7FFF, 5, 0, 0])),
        ("r16g16b16a16_sint", shorts(&[0x8000, 5, 0, 0])),
    ];
    for (format, bytes) in &cases {
        one(&mut set, (position, palette, 8), (format, bytes), half_each);
    }
    let both = Twins::open().replay(&set);
    for draw in 0..cases.len() {
        both.expect(draw, 0, 0, &[4.0, 0.4, 0.2, 1.0]);
    }
}

#[test]
fn weights_are_taken_as_they_are_stored() {
    let (mut set, position, palette) = skinned(8);
    let indices = ("r8g8b8a8_uint", [1u8, 2, 4, 7].as_slice());
    let bytes = |w: [u8; 4]| w.map(|b| f64::from(b) / 255.0);
    let cases: Vec<(&str, Vec<u8>, [f64; 4])> = vec![
        ("r8g8b8a8_unorm", vec![255, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
        // Not renormalised: 252 of 255.
        ("r8g8b8a8_unorm", vec![84, 84, 84, 0], bytes([84, 84, 84, 0])),
        ("r8g8b8a8_uint", vec![84, 84, 84, 0], bytes([84, 84, 84, 0])),
        ("r8g8b8a8_uint", vec![255, 255, 255, 255], [1.0; 4]),
        ("r8g8b8a8_unorm", vec![0; 4], [0.0; 4]),
        ("r8g8b8a8_uint", vec![0; 4], [0.0; 4]),
        ("r16g16b16a16_float", shorts(&[half(0.5), half(0.5), half(0.0), half(0.0)]), [0.5, 0.5, 0.0, 0.0]),
        ("r16g16b16a16_float", shorts(&[half(-2.0), half(1.0), half(1.0), half(1.0)]), [-2.0, 1.0, 1.0, 1.0]),
        ("r32g32b32a32_float", floats(&[0.25, 0.125, 0.5, 0.0]), [0.25, 0.125, 0.5, 0.0]),
    ];
    for (format, bytes, _) in &cases {
        one(&mut set, (position, palette, 8), indices, (format, bytes));
    }
    let both = Twins::open().replay(&set);
    for (draw, (_, _, w)) in cases.iter().enumerate() {
        let x = w[0] + 2.0 * w[1] + 4.0 * w[2] + 7.0 * w[3];
        let sum: f64 = w.iter().sum();
        both.expect(draw, 0, 2, &[x as f32, (0.5 * sum) as f32, (0.25 * sum) as f32, 1.0]);
    }
}

/// Scale, shear and normals: the 3 x 3 part turns a normal, which is then of length 1.
#[test]
fn normals_are_turned_by_the_palettes_3_x_3_part() {
    let mut set = OddSet::with_pass();
    let inputs = json!([
        input("POSITION", 0, "r32g32b32_float", 0, 0),
        input("NORMAL", 0, "r8g8b8a8_snorm", 0, 12),
        input("BLENDINDICES", 0, "r8g8b8a8_uint", 0, 16),
        input("BLENDWEIGHT", 0, "r8g8b8a8_unorm", 0, 20),
    ]);
    let program = set.program("skinned_gbuffer", inputs, json!({}));
    let mut vertex = floats(&[1.0, 2.0, 3.0]);
    vertex.extend([127, 0, 0, 0, 0, 1, 0, 0, 51, 204, 0, 0]);
    let buffer = set.buffer("static", &vertex.repeat(3));
    let one = [0., -1., 0., 5., 1., 0., 0., 0., 0., 0., 1., 0.];
    let other = [2., 0., 0., 0., 0., 2., 0., 0., 1., 0., 2., -1.];
    let palette = set.buffer("dynamic", &floats(&[one, other].concat()));
    let constants = json!([range(0, VIEWS, 0, 128), range(5, palette, 0, 96)]);
    set.draw(program, 0, json!({"streams": [stream(0, buffer, 24)], "constants": constants}));
    let both = Twins::open().replay(&set);
    // 0.2 of (-2 + 5, 1, 3) and 0.8 of (2, 4, 6); 0.2 of (0, 1, 0) and 0.8 of (2, 0, 1).
    let [x, y, z] = unit([1.6, 0.2, 0.8]);
    both.expect(0, 0, 0, &[2.2, 3.4, 5.4, 1.0, x, y, z]);
}

/// Both positions, both palettes, both views, each with its own partner; and each swap.
#[test]
fn every_swap_exchanges_its_pair_and_nothing_else() {
    let mut set = OddSet::new();
    set.pass(
        "p",
        json!({"kind": "motion_vector",
                         "targets": [{"name": "velocity", "format": "r16g16_float", "clear": [0, 0, 0, 0]}]}),
    );
    let view = |x: f32| [1., 0., 0., x, 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let views = set.buffer("dynamic", &floats(&[view(0.015_625), view(0.031_25)].concat()));
    let now = set.buffer("dynamic", &affine([0.0, 0.125, 0.0]));
    let before = set.buffer("dynamic", &affine([0.0, 0.25, 0.0]));
    let corners = |z: f32| floats(&[-0.5, -0.5, z, 0.5, -0.5, z, 0.0, 0.5, z]);
    let (newest, oldest) = (set.buffer("dynamic", &corners(0.25)), set.buffer("dynamic", &corners(0.5)));
    let skin = set.buffer("static", &[0, 0, 0, 0, 255, 0, 0, 0]);
    let position = |index: u32, slot: u32| input("POSITION", index, "r32g32b32_float", slot, 0);
    let constants = json!([
        constant("cbMatrixWVP", 0, 128),
        constant("cbObjMatrix", 5, 96),
        constant("cbPrevObjMatrix", 6, 96)
    ]);
    let rigid =
        set.program("rigid_motion", json!([position(0, 0), position(1, 2)]), json!({"constants": constants}));
    let bones =
        [input("BLENDINDICES", 0, "r8g8b8a8_uint", 1, 0), input("BLENDWEIGHT", 0, "r8g8b8a8_unorm", 1, 4)];
    let inputs = json!([position(0, 0), position(1, 2), bones[0], bones[1]]);
    let skinned = set.program("skinned_motion", inputs, json!({"constants": constants}));
    let bound = json!({
        "streams": [stream(0, newest, 12), stream(1, skin, 0), stream(2, oldest, 12)],
        "constants": [range(0, views, 0, 128), range(5, now, 0, 48), range(6, before, 0, 48)],
    });
    set.draw(rigid, 0, bound.clone());
    set.draw(skinned, 0, with(bound, json!({"first_vertex": 0})));
    let mut twins = Twins::open();
    for bits in 0..8 {
        let [streams, palettes, views] = [1, 2, 4].map(|bit| bits & bit != 0);
        let both = twins.execute(set.plan(replay::plan::Swaps { streams, palettes, views }));
        let pick = |swapped: bool, pair: [f32; 2]| if swapped { [pair[1], pair[0]] } else { pair };
        let (x, y, z) =
            (pick(views, [0.015_625, 0.031_25]), pick(palettes, [0.125, 0.25]), pick(streams, [0.25, 0.5]));
        let clip = |i: usize| [-0.5 + x[i], -0.5 + y[i], z[i], 1.0];
        for draw in 0..2 {
            both.expect(draw, 0, 0, &[clip(0), clip(0), clip(1)].concat());
        }
        let velocity = [f64::from(x[0] - x[1]) * 0.5, f64::from(y[0] - y[1]) * -0.5, 0.0, 0.0];
        for (name, outputs) in &both.sides {
            let image = outputs.passes[0].targets[0].as_ref().unwrap();
            let found = image.format.decode(&image.bytes[(8 * 16 + 8) * 4..][..4]);
            let near = found.iter().zip(velocity).take(2).all(|(a, b)| (a - b).abs() <= 3e-5);
            assert!(near, "{name}, swaps {bits}: {found:?}, expected {velocity:?}");
        }
    }
}
