//! Each draw and each copy sees the bytes that its place in the stream gives it.

use serde_json::json;

use super::set::{OddSet, affine, draw, vertices};
use super::twins::Twins;

/// Three vertices on one point.
fn point(x: f32) -> Vec<u8> {
    vertices(&[([x, 0.0, 0.5], [0.0, 0.0, 1.0]); 3])
}

const SIZE: usize = 72;

/// A set with a rigid program.
fn start() -> (OddSet, u64) {
    let mut set = OddSet::with_pass();
    let program = set.rigid();
    (set, program)
}

fn expect(set: &OddSet, xs: &[f32], finals: &[(u64, Vec<u8>)]) {
    let both = Twins::open().replay(set);
    for (draw, x) in xs.iter().enumerate() {
        for vertex in 0..3 {
            both.expect_position(draw, 0, vertex, [*x, 0.0, 0.5]);
        }
    }
    for (id, bytes) in finals {
        both.expect_buffer(*id, bytes);
    }
}

#[test]
fn every_draw_sees_the_version_it_was_recorded_with() {
    let (mut set, program) = start();
    let buffer = set.buffer("dynamic", &point(0.0));
    set.draw(program, buffer, json!({}));
    for x in [0.25, 0.5] {
        set.discard(buffer, &point(x));
        set.draw(program, buffer, json!({}));
    }
    set.discard(buffer, &point(0.75));
    expect(&set, &[0.0, 0.25, 0.5], &[(buffer, point(0.75))]);
}

#[test]
fn a_constant_buffer_is_versioned_too_bound_whole_or_in_part() {
    for offset in [0, 48] {
        let (mut set, program) = start();
        let stream = set.buffer("static", &point(0.0));
        let held = |x: f32| [affine([9.0; 3]).repeat(offset / 48), affine([x, 0.0, 0.0])].concat();
        let palette = set.buffer("dynamic", &held(0.125));
        let bound = json!({"constants": [super::set::range(0, super::set::VIEWS, 0, 128),
                                         super::set::range(5, palette, offset, 48)]});
        set.draw(program, stream, bound.clone());
        set.discard(palette, &held(0.25));
        set.draw(program, stream, bound.clone());
        set.write(palette, offset, &affine([0.375, 0.0, 0.0]));
        set.draw(program, stream, bound.clone());
        set.draw(program, stream, bound);
        expect(&set, &[0.125, 0.25, 0.375, 0.375], &[(palette, held(0.375))]);
    }
}

#[test]
fn a_partial_write_reaches_only_later_draws() {
    for usage in ["dynamic", "default", "upload", "static"] {
        let (mut set, program) = start();
        let buffer = set.buffer(usage, &point(0.25));
        // Before anything uses the buffer, and after.
        set.write(buffer, 0, &point(0.5)[..24]);
        set.draw(program, buffer, json!({}));
        set.write(buffer, 24, &point(0.5)[24..]);
        set.draw(program, buffer, json!({}));
        set.write(buffer, 0, &point(0.75));
        let both = Twins::open().replay(&set);
        for (vertex, x) in [(0, 0.5), (1, 0.25), (2, 0.25)] {
            both.expect_position(0, 0, vertex, [x, 0.0, 0.5]);
        }
        for vertex in 0..3 {
            both.expect_position(1, 0, vertex, [0.5, 0.0, 0.5]);
        }
        both.expect_buffer(buffer, &point(0.75));
    }
}

/// What one staging buffer is rewritten with must not reach the copy before.
#[test]
fn an_upload_buffer_that_is_rewritten_between_copies_gives_each_its_own() {
    let (mut set, program) = start();
    let ring = set.unknown("upload", SIZE);
    let one = set.unknown("default", SIZE);
    let other = set.unknown("default", SIZE);
    set.write(ring, 0, &point(0.25));
    set.copy((ring, 0), (one, 0), SIZE);
    set.write(ring, 0, &point(0.5));
    set.copy((ring, 0), (other, 0), SIZE);
    set.draw(program, one, json!({}));
    set.draw(program, other, json!({}));
    expect(&set, &[0.25, 0.5], &[(one, point(0.25)), (other, point(0.5)), (ring, point(0.5))]);
}

#[test]
fn a_discard_of_a_copys_source_leaves_the_copy() {
    let (mut set, program) = start();
    let source = set.buffer("dynamic", &point(0.25));
    let target = set.unknown("default", SIZE);
    set.copy((source, 0), (target, 0), SIZE);
    set.discard(source, &point(0.5));
    set.draw(program, target, json!({}));
    set.copy((source, 0), (target, 0), SIZE);
    set.discard(source, &point(0.75));
    set.draw(program, target, json!({}));
    set.draw(program, source, json!({}));
    expect(&set, &[0.25, 0.5, 0.75], &[(target, point(0.5)), (source, point(0.75))]);
}

#[test]
fn a_copy_between_two_draws_is_between_them() {
    let (mut set, program) = start();
    let source = set.buffer("default", &point(0.5));
    let target = set.buffer("default", &point(0.25));
    set.draw(program, target, json!({}));
    set.copy((source, 0), (target, 0), SIZE);
    set.draw(program, target, json!({}));
    // The other way round, after it was read.
    set.write(target, 0, &point(0.75));
    set.copy((target, 24), (source, 24), 24);
    set.draw(program, source, json!({}));
    let both = Twins::open().replay(&set);
    for (draw, vertex, x) in [(0, 1, 0.25), (1, 1, 0.5), (2, 0, 0.5), (2, 1, 0.75), (2, 2, 0.5)] {
        both.expect_position(draw, 0, vertex, [x, 0.0, 0.5]);
    }
}

#[test]
fn a_list_that_runs_twice_sees_what_was_written_between() {
    let (mut set, program) = start();
    let buffer = set.buffer("dynamic", &point(0.125));
    let inner = set.buffer("default", &point(0.0));
    let copy =
        json!({"op": "copy", "src": buffer, "src_offset": 0, "dst": inner, "dst_offset": 0, "size": SIZE});
    let commands = vec![draw(program, buffer, json!({})), draw(program, inner, json!({})), copy];
    let list = set.deferred(commands);
    set.command(json!({"op": "execute", "list": list}));
    set.write(buffer, 0, &point(0.25));
    set.command(json!({"op": "execute", "list": list}));
    set.discard(buffer, &point(0.5));
    set.command(json!({"op": "execute", "list": list}));
    expect(&set, &[0.125, 0.0, 0.25, 0.125, 0.5, 0.25], &[(inner, point(0.5)), (buffer, point(0.5))]);
}

#[test]
fn ranges_that_share_bytes_of_one_buffer_share_what_is_written() {
    let (mut set, program) = start();
    let held = [point(0.25), point(0.5)].concat();
    let buffer = set.buffer("default", &held);
    let at =
        |offset: usize| json!({"streams": [{"slot": 0, "buffer": buffer, "offset": offset, "stride": 24}]});
    set.draw(program, buffer, at(0));
    set.draw(program, buffer, at(48));
    // The second half on to the first, then a write across both.
    set.copy((buffer, 72), (buffer, 0), SIZE);
    set.draw(program, buffer, at(0));
    set.write(buffer, 48, &[point(0.75)[..24].to_vec(), point(0.875)[..24].to_vec()].concat());
    set.draw(program, buffer, at(0));
    set.draw(program, buffer, at(48));
    let both = Twins::open().replay(&set);
    for (draw, xs) in
        [[0.25, 0.25, 0.25], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 0.5, 0.75], [0.75, 0.875, 0.5]]
            .iter()
            .enumerate()
    {
        for (vertex, x) in xs.iter().enumerate() {
            both.expect_position(draw, 0, vertex as i64, [*x, 0.0, 0.5]);
        }
    }
}

/// A palette range that cannot be bound where it lies is copied for the draw: each draw gets the bytes of its place.
#[test]
fn a_copied_range_follows_its_buffer_through_copies() {
    let (mut set, program) = start();
    let stream = set.buffer("static", &point(0.0));
    let moved = |x: f32| affine([x, 0.0, 0.0]);
    let ring = set.buffer("upload", &[moved(0.25), moved(0.5)].concat());
    let palette = set.buffer("default", &[moved(9.0), moved(0.125)].concat());
    let bound = json!({"constants": [super::set::range(0, super::set::VIEWS, 0, 128),
                                     super::set::range(5, palette, 48, 48)]});
    set.draw(program, stream, bound.clone());
    for source in [0, 48] {
        set.copy((ring, source), (palette, 48), 48);
        set.draw(program, stream, bound.clone());
    }
    expect(&set, &[0.125, 0.25, 0.5], &[(palette, [moved(9.0), moved(0.5)].concat())]);
}
