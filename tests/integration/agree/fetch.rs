//! Vertex fetch and vertex order where Direct3D allows what is rarely meant.

use replay::plan::DrawIndex;
use serde_json::{Value, json};

use super::set::{OddSet, floats, input, shorts, words};
use super::twins::{Both, Twins};

/// `rigid_gbuffer` with POSITION at slot 0 and NORMAL at slot 1.
fn program(set: &mut OddSet) -> u64 {
    let inputs =
        json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, "r32g32b32_float", 1, 0)]);
    set.program("rigid_gbuffer", inputs, json!({}))
}

/// A stream: slot, buffer, offset, stride.
fn stream(slot: u32, buffer: u64, offset: usize, stride: u32) -> Value {
    json!({"slot": slot, "buffer": buffer, "offset": offset, "stride": stride})
}

/// `n / 8` for every component of position n.
fn positions(count: usize) -> Vec<u8> {
    floats(&(0..3 * count).map(|i| (i / 3) as f32 / 8.0).collect::<Vec<_>>())
}

/// Draws three positions per component value; `expected` are the values of vertices, by vertex number.
fn expect_values(both: &Both, draw: usize, expected: &[(i64, f32)]) {
    for (vertex, value) in expected {
        both.expect_position(draw, 0, *vertex, [*value; 3]);
    }
}

#[test]
fn strides_of_zero_and_below_the_element_are_what_they_say() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &floats(&[0.0, 0.125, 0.25, 0.5, 0.75, 1.0]));
    let normals = set.buffer("static", &floats(&[0.0, 0.0, 4.0]));
    let streams = |offset, stride_of| json!([stream(0, buffer, offset, stride_of), stream(1, normals, 0, 0)]);
    set.draw(program, 0, json!({"streams": streams(4, 0), "vertex_count": 6}));
    set.draw(program, 0, json!({"streams": streams(0, 4), "vertex_count": 4}));
    let both = Twins::open().replay(&set);
    for vertex in 0..6 {
        both.expect(0, 0, vertex, &[0.125, 0.25, 0.5, 1.0, 0.0, 0.0, 1.0]);
    }
    both.expect(1, 0, 0, &[0.0, 0.125, 0.25, 1.0, 0.0, 0.0, 1.0]);
    both.expect(1, 0, 1, &[0.125, 0.25, 0.5, 1.0, 0.0, 0.0, 1.0]);
    both.expect(1, 0, 3, &[0.5, 0.75, 1.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_fetch_past_the_stream_is_zero_also_where_a_part_of_the_element_is_there() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    // Two elements and eight bytes of a third.
    let buffer = set.buffer("static", &positions(3)[..32]);
    let normals = set.buffer("dynamic", &floats(&[0.0, 1.0, 0.0, 0.0, 1.0]));
    let streams = json!([stream(0, buffer, 0, 12), stream(1, normals, 0, 12)]);
    set.draw(program, 0, json!({"streams": streams, "vertex_count": 6}));
    // Bound so that every element but the first is past the end, and past the buffer altogether.
    let streams = json!([stream(0, buffer, 12, 24), stream(1, normals, 20, 12)]);
    set.draw(program, 0, json!({"streams": streams, "vertex_count": 3}));
    let both = Twins::open().replay(&set);
    both.expect(0, 0, 0, &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    both.expect(0, 0, 1, &[0.125, 0.125, 0.125, 1.0, 0.0, 0.0, 0.0]);
    for vertex in 2..6 {
        both.expect(0, 0, vertex, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }
    both.expect(1, 0, 0, &[0.125, 0.125, 0.125, 1.0, 0.0, 0.0, 0.0]);
    both.expect(1, 0, 1, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn an_unbound_slot_reads_as_zeros() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(3));
    set.draw(program, 0, json!({"streams": [stream(0, buffer, 0, 12)]}));
    set.draw(program, 0, json!({"streams": [stream(1, buffer, 12, 0)]}));
    set.draw(program, 0, json!({"streams": []}));
    let both = Twins::open().replay(&set);
    both.expect(0, 0, 2, &[0.25, 0.25, 0.25, 1.0, 0.0, 0.0, 0.0]);
    let third = (1.0f32 / 3.0).sqrt();
    both.expect(1, 0, 2, &[0.0, 0.0, 0.0, 1.0, third, third, third]);
    both.expect(2, 0, 2, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

fn indexed(buffer: u64, format: &str, count: u32, other: Value) -> Value {
    let base =
        json!({"index": {"buffer": buffer, "format": format}, "index_count": count, "vertex_count": null});
    super::set::with(base, other)
}

/// The vertex numbers that a draw's records run through.
fn spans(both: &Both, draw: usize, first: i64, count: u32) {
    for (name, outputs) in &both.sides {
        let post_vs = &outputs.post_vs[&DrawIndex(draw)];
        assert_eq!((post_vs.first_vertex, post_vs.vertex_count), (first, count), "{name}, draw {draw}");
    }
}

#[test]
fn an_index_past_its_buffer_reads_as_zero() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(8));
    let streams = json!([stream(0, buffer, 0, 12)]);
    for (format, held) in [("u16", shorts(&[7, 5, 6, 4])), ("u32", words(&[7, 5, 6, 4]))] {
        let indices = set.buffer("default", &held);
        set.draw(program, 0, indexed(indices, format, 9, json!({"streams": streams, "first_index": 1})));
        set.draw(program, 0, indexed(indices, format, 6, json!({"streams": streams, "first_index": 1000})));
        set.draw(
            program,
            0,
            indexed(
                indices,
                format,
                3,
                json!({"streams": streams, "base_vertex": 1,
                                                                  "first_index": 3}),
            ),
        );
    }
    let both = Twins::open().replay(&set);
    for first in [0, 3] {
        spans(&both, first, 0, 7);
        expect_values(&both, first, &[(0, 0.0), (4, 0.5), (5, 0.625), (6, 0.75)]);
        spans(&both, first + 1, 0, 1);
        spans(&both, first + 2, 1, 5);
        expect_values(&both, first + 2, &[(1, 0.125), (5, 0.625)]);
    }
}

#[test]
fn indices_at_an_odd_offset_are_read() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(8));
    let mut bytes = vec![0xEE];
    bytes.extend(shorts(&[3, 0xFFFF, 1, 2, 4]));
    let indices = set.buffer("default", &bytes);
    let index = json!({"buffer": indices, "format": "u16", "offset": 1});
    let other = json!({"streams": [stream(0, buffer, 0, 12)], "index": index, "topology": "triangle_strip"});
    set.draw(program, 0, indexed(indices, "u16", 5, other));
    let both = Twins::open().replay(&set);
    spans(&both, 0, 1, 4);
    expect_values(&both, 0, &[(1, 0.125), (2, 0.25), (3, 0.375), (4, 0.5)]);
}

#[test]
fn a_strip_restarts_before_base_vertex_is_added() {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    let corner = |x: f32, y: f32| ([x, y, 0.5], [0.0, 0.0, 1.0]);
    // Two quads as strips: the left half of the screen and the right quarter.
    let quads = [-1.0, 0.0, 0.5, 1.0].into_iter().flat_map(|x| [corner(x, 1.0), corner(x, -1.0)]);
    let buffer = set.buffer("static", &super::set::vertices(&quads.collect::<Vec<_>>()));
    let list = [1u16, 2, 3, 4, 0xFFFF, 5, 6, 7, 8, 0xFFFF];
    let short = set.buffer("static", &shorts(&list));
    let wide = list.map(|i| if i == 0xFFFF { u32::MAX } else { i.into() });
    let long = set.buffer("static", &words(&wide));
    for (pass, (indices, format)) in [(short, "u16"), (long, "u32")].into_iter().enumerate() {
        let id = format!("strip {pass}");
        set.pass(&id, json!({}));
        let strip = json!({"topology": "triangle_strip", "base_vertex": -1, "pass": id});
        set.draw(program, buffer, indexed(indices, format, 10, strip));
    }
    let both = Twins::open().replay(&set);
    for (draw, pass) in [(0, 1), (1, 2)] {
        spans(&both, draw, 0, 8);
        for x in 0..16 {
            let covered = !(8..12).contains(&x);
            both.expect_pixel(pass, (x, 7), [0.0, 0.0, f64::from(u8::from(covered)), 0.0]);
        }
    }
}

/// Vertices of triangles that are never finished have outputs all the same, and cover nothing.
#[test]
fn unfinished_triangles_are_shaded_and_not_drawn() {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    let corner = |x: f32, y: f32| ([x, y, 0.5], [0.0, 0.0, 1.0]);
    let list = [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.5, -0.5]].map(|[x, y]| corner(x, y));
    let buffer = set.buffer("static", &super::set::vertices(&list));
    let short = set.buffer("static", &shorts(&[4, 0xFFFF, 0xFFFF, 0, 1, 2, 0xFFFF, 3, 1]));
    set.draw(program, buffer, json!({"vertex_count": 5}));
    set.draw(program, buffer, json!({"vertex_count": 2, "first_vertex": 3, "instance_count": 2}));
    set.draw(program, buffer, json!({"vertex_count": 1, "topology": "triangle_strip"}));
    set.draw(program, buffer, indexed(short, "u16", 9, json!({"topology": "triangle_strip"})));
    set.draw(program, buffer, indexed(short, "u16", 2, json!({"first_index": 7, "base_vertex": 1})));
    let both = Twins::open().replay(&set);
    let expect = |draw: usize, instance: u32, vertex: usize| {
        let ([x, y, z], _) = list[vertex];
        both.expect_position(draw, instance, vertex as i64, [x, y, z]);
    };
    (0..5).for_each(|vertex| expect(0, 0, vertex));
    [(0, 3), (0, 4), (1, 3), (1, 4)].into_iter().for_each(|(instance, vertex)| expect(1, instance, vertex));
    expect(2, 0, 0);
    (0..5).for_each(|vertex| expect(3, 0, vertex));
    [2, 4].into_iter().for_each(|vertex| expect(4, 0, vertex));
    both.expect_pixel(0, (3, 3), [0.0, 0.0, 1.0, 0.0]);
    both.expect_pixel(0, (12, 12), [0.0; 4]);
}

#[test]
fn the_restart_index_is_a_vertex_in_a_list() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(8));
    let streams = json!([stream(0, buffer, 0, 12)]);
    let short = set.buffer("static", &shorts(&[0xFFFF, 0xFFFE, 0xFFFD]));
    set.draw(program, 0, indexed(short, "u16", 3, json!({"streams": streams, "base_vertex": -65_530})));
    // Past the end of the stream, and so zeros.
    set.draw(program, 0, indexed(short, "u16", 3, json!({"streams": streams})));
    let long = set.buffer("static", &words(&[u32::MAX; 3]));
    set.draw(program, 0, indexed(long, "u32", 3, json!({"streams": streams})));
    let both = Twins::open().replay(&set);
    spans(&both, 0, 3, 3);
    expect_values(&both, 0, &[(3, 0.375), (4, 0.5), (5, 0.625)]);
    spans(&both, 1, 65_533, 3);
    expect_values(&both, 1, &[(65_533, 0.0), (65_535, 0.0)]);
    spans(&both, 2, u32::MAX.into(), 1);
    expect_values(&both, 2, &[(u32::MAX.into(), 0.0)]);
}

#[test]
fn vertices_below_zero_are_zeros() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(8));
    let indices = set.buffer("static", &shorts(&[0, 1, 5, 6, 7, 5]));
    let streams = json!([stream(0, buffer, 24, 12)]);
    set.draw(program, 0, indexed(indices, "u16", 6, json!({"streams": streams, "base_vertex": -5})));
    let streams = json!([stream(0, buffer, 24, 0)]);
    set.draw(program, 0, indexed(indices, "u16", 6, json!({"streams": streams, "base_vertex": -5})));
    let both = Twins::open().replay(&set);
    spans(&both, 0, -5, 8);
    // Also those whose bytes would lie in the buffer, before the stream's start.
    expect_values(&both, 0, &[(-5, 0.0), (-4, 0.0), (0, 0.25), (1, 0.375), (2, 0.5)]);
    expect_values(&both, 1, &[(-5, 0.25), (-4, 0.25), (0, 0.25)]);
}

#[test]
fn instance_streams_step_from_first_instance_on() {
    let mut set = OddSet::with_pass();
    let rates = [0u32, 1, 2, 3];
    let programs = rates.map(|rate| {
        let instance = json!({"per_instance": true, "step_rate": rate});
        let position = super::set::with(input("POSITION", 0, "r32g32b32_float", 0, 0), instance);
        set.program(
            "rigid_gbuffer",
            json!([position, input("NORMAL", 0, "r32g32b32_float", 1, 0)]),
            json!({}),
        )
    });
    let buffer = set.buffer("static", &positions(6));
    let normals = set.buffer("static", &floats(&[0.0, 0.0, 1.0]));
    let streams = json!([stream(0, buffer, 0, 12), stream(1, normals, 0, 0)]);
    for program in programs {
        set.draw(program, 0, json!({"streams": streams, "first_instance": 2, "instance_count": 5}));
    }
    let both = Twins::open().replay(&set);
    for (draw, rate) in rates.into_iter().enumerate() {
        for instance in 0..5u32 {
            let element = 2 + instance.checked_div(rate).unwrap_or(0);
            // Element 6 is past the stream's end.
            let value = if element < 6 { element as f32 / 8.0 } else { 0.0 };
            both.expect(draw, instance, 1, &[value, value, value, 1.0, 0.0, 0.0, 1.0]);
        }
    }
}

#[test]
fn draws_of_nothing_and_from_a_first_vertex() {
    let mut set = OddSet::with_pass();
    let program = program(&mut set);
    let buffer = set.buffer("static", &positions(8));
    let streams = json!([stream(0, buffer, 0, 12)]);
    let indices = set.buffer("static", &shorts(&[0, 1, 2]));
    set.draw(program, 0, json!({"streams": streams, "instance_count": 0}));
    set.draw(program, 0, json!({"streams": streams, "vertex_count": 0}));
    set.draw(program, 0, indexed(indices, "u16", 0, json!({"streams": streams})));
    set.draw(
        program,
        0,
        json!({"streams": streams, "first_vertex": 4, "vertex_count": 3, "instance_count": 2}),
    );
    let both = Twins::open().replay(&set);
    for (name, outputs) in &both.sides {
        for draw in 0..3 {
            assert!(outputs.post_vs[&DrawIndex(draw)].data.is_empty(), "{name}, draw {draw}");
        }
    }
    spans(&both, 3, 4, 3);
    for instance in 0..2 {
        for (vertex, value) in [(4, 0.5), (5, 0.625), (6, 0.75)] {
            both.expect_position(3, instance, vertex, [value; 3]);
        }
    }
}
