//! Vertex fetch, constants and shaders, depth and targets, buffers: whole plans with known answers.

use std::collections::BTreeMap;

use super::fixture::*;
use crate::abi::state::{Compare, Topology};
use crate::abi::{BufferId, DxgiFormat, Format, PassId};
use crate::capture::manifest::{BufferUsage, Taken};
use crate::execute::Outputs;
use crate::plan::{
    Command, Draw, DrawIndex, NotReplayed, PassIndex, Plan, PlannedBuffer, PlannedPass, Start, Writer,
};

/// A quarter turn about z and a translation by (1, 2, 3).
const TURN: [f32; 12] = [0., -1., 0., 1., 1., 0., 0., 2., 0., 0., 1., 3.];

fn skinned(palette: &[f32], weights: [u8; 4]) -> Draw {
    let mut draw = draw("skinned_shadow", 1);
    draw.positions(&[1., 0., 0.]);
    draw.input("BLENDINDICES0", Format::R8G8B8A8Uint, 4, vec![0; 4]);
    draw.input("BLENDWEIGHT0", Format::R8G8B8A8Unorm, 4, weights.to_vec());
    draw.bind("cbObjMatrix", floats(palette));
    draw
}

#[test]
fn a_bone_turns_and_moves_a_vertex_by_its_rows() {
    for weights in [[255, 0, 0, 0], [128, 127, 0, 0]] {
        assert_eq!(position(skinned(&TURN, weights), 0), [1., 3., 3.], "{weights:?}");
    }
}

#[test]
fn a_transposed_palette_moves_it_elsewhere() {
    let transposed = [0., 1., 0., 0., -1., 0., 0., 0., 0., 0., 1., 0.];
    assert_eq!(position(skinned(&transposed, [255, 0, 0, 0]), 0), [0., -1., 0.]);
}

#[test]
fn weights_that_sum_to_less_than_one_are_not_made_to() {
    let share = 252.0 / 255.0;
    let expected = [1.0 * share, 3.0 * share, 3.0 * share].map(|v| v as f32);
    assert_eq!(position(skinned(&TURN, [252, 0, 0, 0]), 0), expected);
}

#[test]
fn a_uint_weight_is_a_byte_of_255_and_other_integers_are_refused() {
    let mut draw = skinned(&TURN, [255, 0, 0, 0]);
    draw.input("BLENDWEIGHT0", Format::R8G8B8A8Uint, 4, vec![255, 0, 0, 0]);
    assert_eq!(position(draw.clone(), 0), [1., 3., 3.]);
    draw.input("BLENDWEIGHT0", Format::R16G16B16A16Sint, 8, vec![0; 8]);
    assert_eq!(reason(draw), "weights of format r16g16b16a16_sint");
}

#[test]
fn palette_indices_of_a_float_format_are_refused() {
    let mut draw = skinned(&TURN, [255, 0, 0, 0]);
    draw.input("BLENDINDICES0", Format::R8G8B8A8Unorm, 4, vec![0; 4]);
    assert_eq!(reason(draw), "palette indices of format r8g8b8a8_unorm");
}

fn reason(draw: Draw) -> String {
    execute(&plan(vec![draw])).not_executed.remove(&DrawIndex(0)).expect("the draw is not executed")
}

#[test]
fn a_palette_entry_past_the_bound_range_is_zero_and_every_bound_one_is_reached() {
    let mut palette = IDENTITY.repeat(255);
    palette.extend(TURN);
    let mut draw = skinned(&palette, [255, 0, 0, 0]);
    draw.input("BLENDINDICES0", Format::R8G8B8A8Uint, 4, vec![255, 0, 0, 0]);
    assert_eq!(position(draw.clone(), 0), [1., 3., 3.]);
    draw.bind("cbObjMatrix", floats(&IDENTITY.repeat(255)));
    assert_eq!(position(draw.clone(), 0), [0., 0., 0.]);
    // Our shaders declare 768 rows: what a larger range holds behind them is out of reach.
    palette.extend(TURN);
    draw.bind("cbObjMatrix", floats(&palette));
    draw.input("BLENDINDICES0", Format::R16G16B16A16Sint, 8, vec![0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(position(draw, 0), [0., 0., 0.]);
}

#[test]
fn fetches_follow_direct3d() {
    let positions = [1., 2., 3., 4., 5., 6.];
    for (what, stride, number, expected) in [
        ("the first element", 12, 0, [1., 2., 3.]),
        ("the last element", 12, 1, [4., 5., 6.]),
        ("one past the end", 12, 2, [0.; 3]),
        ("partly past the end", 16, 1, [0.; 3]),
        ("far past the end", 12, i32::MAX, [0.; 3]),
        ("below zero", 12, -1, [0.; 3]),
        ("a stride of 0", 0, 77, [1., 2., 3.]),
        ("a stride smaller than the element", 4, 1, [2., 3., 4.]),
    ] {
        let mut draw = draw("rigid_shadow", 1);
        draw.input("POSITION0", Format::R32G32B32Float, stride, floats(&positions));
        draw.index(Topology::TriangleList, &[0]);
        draw.base_vertex = number;
        assert_eq!(position(draw, number.into()), expected, "{what}");
    }
    assert_eq!(position(draw("rigid_shadow", 1), 0), [0.; 3], "an unbound slot");
}

#[test]
fn per_instance_streams_advance_by_rate_from_the_first_instance() {
    let positions: Vec<f32> = (0..24).map(|i| i as f32).collect();
    for (rate, expected) in [(1, [6., 9., 12., 15.]), (2, [6., 6., 9., 9.]), (0, [6.; 4])] {
        let mut draw = draw("rigid_shadow", 1);
        draw.positions(&positions);
        draw.binding().inputs[0].step_rate = Some(rate);
        (draw.instance_count, draw.first_instance) = (4, 2);
        let outputs = execute(&plan(vec![draw]));
        let first = |i| outputs.post_vs[&DrawIndex(0)].record(i, 0).unwrap()[0];
        assert_eq!([0, 1, 2, 3].map(first), expected, "rate {rate}");
    }
}

#[test]
fn records_stand_for_the_vertices_named_from_the_least_to_the_greatest() {
    let positions: Vec<f32> = (0..30).map(|i| i as f32).collect();
    let mut draw = draw("rigid_shadow", 0);
    draw.positions(&positions);
    draw.index(Topology::TriangleStrip, &[2, 0xFFFF, 5, 3]);
    draw.base_vertex = 1;
    let outputs = execute(&plan(vec![draw]));
    let post_vs = &outputs.post_vs[&DrawIndex(0)];
    assert_eq!((post_vs.first_vertex, post_vs.vertex_count, post_vs.instance_count), (3, 4, 1));
    let x: Vec<_> = (3..7).map(|v| post_vs.record(0, v).unwrap()[0]).collect();
    assert_eq!(x, [9., 12., 0., 18.], "5 is named by no index");
}

#[test]
fn in_a_list_the_greatest_index_is_a_vertex() {
    let mut draw = draw("rigid_shadow", 0);
    draw.positions(&vec![1.0; 65_536 * 3]);
    draw.index(Topology::TriangleList, &[0xFFFF]);
    assert_eq!(position(draw, 0xFFFF), [1.; 3]);
}

#[test]
fn normals_are_decoded_by_format_turned_and_made_unit_vectors() {
    let normal = |format, bytes: Vec<u8>| {
        let mut draw = draw("rigid_gbuffer", 1);
        draw.bind("cbObjMatrix", floats(&TURN));
        draw.input("NORMAL0", format, 4, bytes);
        record(draw, 0)[4..].to_vec()
    };
    assert_eq!(normal(Format::R8G8B8A8Snorm, vec![64, 0, 0, 0]), [0., 1., 0.]);
    assert_eq!(normal(Format::R8G8B8A8Unorm, vec![255, 255, 0, 0])[0], -(1.0 / 3f64.sqrt()) as f32);
    assert_eq!(normal(Format::R8G8B8A8Snorm, vec![0; 4]), [0.; 3], "a zero vector stays zero");
    assert!(
        normal(Format::R8G8B8A8Unorm, vec![])[2] < 0.0,
        "the shader decodes the zero of an outside fetch"
    );
}

#[test]
fn motion_takes_each_position_through_its_own_palette_and_view() {
    let mut draw = draw("rigid_motion", 1);
    draw.positions(&[1., 0., 0.]);
    draw.input("POSITION1", Format::R32G32B32Float, 12, floats(&[0., 1., 0.]));
    draw.bind("cbPrevObjMatrix", floats(&TURN));
    let mut views = VIEWS;
    (views[16], views[31]) = (2., 4.);
    draw.bind("cbMatrixWVP", floats(&views));
    let (current, previous) = ([1., 0., 0., 1.], [0., 2., 3., 4.]);
    assert_eq!(record(draw.clone(), 0), [current, current, previous].concat());
    draw.binding().swap_views = true;
    let (current, previous) = ([2., 0., 0., 4.], [0., 2., 3., 1.]);
    assert_eq!(record(draw, 0), [current, current, previous].concat());
}

/// Records of 208 bytes: world moved by the record's number, fade half of it.
fn instance_records(count: u32) -> Vec<u8> {
    let record = |i: u32| {
        let mut words = IDENTITY.to_vec();
        words[3] = i as f32;
        words.resize(52, 0.0);
        words[12] = i as f32 / 2.0;
        words
    };
    floats(&(0..count).flat_map(record).collect::<Vec<_>>())
}

#[test]
fn an_instance_reads_the_record_its_index_buffer_names_and_zero_past_the_range() {
    let mut draw = draw("grass_gbuffer", 1);
    draw.positions(&[0.5, 0., 0.]);
    draw.bind("cbInstanceData", instance_records(5));
    (draw.instance_count, draw.first_instance) = (3, 9);
    let seen = |draw: Draw| {
        let outputs = execute(&plan(vec![draw]));
        let post_vs = &outputs.post_vs[&DrawIndex(0)];
        [0, 1, 2].map(|i| (post_vs.record(i, 0).unwrap()[0], post_vs.record(i, 0).unwrap()[7]))
    };
    assert_eq!(seen(draw.clone()), [(0.5, 0.), (1.5, 0.5), (2.5, 1.)], "first_instance moves no record");
    let order: Vec<u8> = [7u32, 4, 5, 2].iter().flat_map(|i| i.to_le_bytes()).collect();
    draw.bind("g_InstanceIndexBuffer", order);
    draw.binding().instances.index_offset = 1;
    assert_eq!(seen(draw.clone()), [(4.5, 2.), (0., 0.), (2.5, 1.)], "record 5 is past the range");
    draw.binding().instances.index_offset = 3;
    assert_eq!(seen(draw)[1], (0.5, 0.), "an index past its range is 0");
}

#[test]
fn an_instance_may_start_further_in_the_palette() {
    let mut draw = skinned(&[IDENTITY, IDENTITY, TURN].concat(), [255, 0, 0, 0]);
    draw.input("BLENDINDICES0", Format::R8G8B8A8Uint, 4, vec![1, 0, 0, 0]);
    let mut records = instance_records(2);
    records[208 + 64] = 1;
    draw.bind("cbInstanceData", records);
    draw.binding().instances.palette_first_offset = Some(64);
    draw.instance_count = 2;
    let outputs = execute(&plan(vec![draw]));
    let at = |i| outputs.post_vs[&DrawIndex(0)].record(i, 0).unwrap()[..3].to_vec();
    assert_eq!((at(0), at(1)), (vec![1., 0., 0.], vec![1., 3., 3.]));
}

#[test]
fn what_cannot_be_executed_says_why() {
    let mut huge = draw("rigid_shadow", 0);
    huge.index(Topology::TriangleList, &[0, 0xFFFF, 1]);
    huge.instance_count = 1000;
    assert!(reason(huge).contains("above the limit"));
    let mut endless = draw("rigid_shadow", u32::MAX);
    endless.instance_count = u32::MAX;
    assert!(reason(endless).contains("runs through"));
    let mut other = draw("rigid_shadow", 1);
    other.binding().shader = "captured".into();
    assert!(reason(other).contains("no shader captured"));
    let mut short = draw("rigid_motion", 1);
    short.binding().interface.outputs.truncate(2);
    assert!(reason(short).contains("other outputs"));
    let mut unbound = draw("rigid_shadow", 1);
    unbound.binding().buffers.clear();
    assert!(reason(unbound).contains("nothing is bound to its buffer cbMatrixWVP"));
}

#[test]
fn draws_that_are_not_replayed_and_draws_of_nothing_leave_nothing() {
    let mut left_out = Draw::cover(0.5, [1., 0., 0.]);
    left_out.replay = Err(NotReplayed::NotSelected);
    let mut none = Draw::cover(0.5, [1., 0., 0.]);
    none.instance_count = 0;
    let outputs = execute(&plan(vec![left_out, none]));
    assert_eq!(outputs.post_vs.keys().collect::<Vec<_>>(), [&DrawIndex(1)]);
    assert!(outputs.not_executed.is_empty());
    assert_eq!(pixel(&outputs, 3, 3), [0.; 4]);
}

fn pixel(outputs: &Outputs, x: usize, y: usize) -> [f64; 4] {
    let image = outputs.passes[0].targets[0].as_ref().unwrap();
    image.format.decode(&image.bytes[(y * 8 + x) * image.format.size()..])
}

fn depth(outputs: &Outputs) -> f64 {
    let image = outputs.passes[0].depth.as_ref().unwrap();
    image.format.component(&image.bytes, 0)
}

#[test]
fn depth_is_compared_as_f32_and_stored_where_it_passes() {
    let near_half = f64::from(0.5f32) as f32;
    for (compare, new, passes) in [
        (Compare::Less, 0.5, false),
        (Compare::Less, 0.25, true),
        (Compare::LessEqual, near_half, true),
        (Compare::Equal, 0.5, true),
        (Compare::Equal, 0.25, false),
        (Compare::NotEqual, 0.25, true),
        (Compare::Greater, 0.75, true),
        (Compare::Greater, 0.5, false),
        (Compare::GreaterEqual, 0.5, true),
        (Compare::Never, 0.25, false),
        (Compare::Always, 0.75, true),
    ] {
        let mut second = Draw::cover(new, [0., 1., 0.]);
        second.state.depth_compare = compare;
        let outputs = execute(&plan(vec![Draw::cover(0.5, [1., 0., 0.]), second]));
        let expected = if passes { ([0., 1., 0., 0.], f64::from(new)) } else { ([1., 0., 0., 0.], 0.5) };
        assert_eq!((pixel(&outputs, 0, 0), depth(&outputs)), expected, "{compare:?} {new}");
    }
}

#[test]
fn without_depth_write_colour_changes_and_depth_stays() {
    let mut second = Draw::cover(0.25, [0., 1., 0.]);
    second.state.depth_write = false;
    second.state.color_write = [false, true, true, true];
    let outputs = execute(&plan(vec![Draw::cover(0.5, [1., 0., 0.]), second]));
    assert_eq!((pixel(&outputs, 7, 7), depth(&outputs)), ([1., 1., 0., 0.], 0.5));
}

#[test]
fn the_scissor_bounds_a_draw() {
    let mut draw = Draw::cover(0.5, [1., 0., 0.]);
    draw.state.scissor = [-3, 2, 5, 1];
    let outputs = execute(&plan(vec![draw]));
    let covered = (0..64).filter(|i| pixel(&outputs, i % 8, i / 8)[0] == 1.0).collect::<Vec<_>>();
    assert_eq!(covered, [16, 17]);
}

#[test]
fn a_pass_that_keeps_shared_depth_draws_on_to_it_and_each_shows_its_own_state() {
    let mut far = Draw::cover(0.75, [1., 0., 0.]);
    far.pass = PassIndex(1);
    let mut near = Draw::cover(0.25, [0., 1., 0.]);
    near.pass = PassIndex(1);
    let mut plan = plan(vec![Draw::cover(0.5, [1., 1., 1.]), far, near]);
    let mut second = PlannedPass { id: PassId("second".into()), ..plan.passes[0].clone() };
    second.depth.as_mut().unwrap().start = Start::Keep(None);
    plan.passes.push(second);
    let after_first = plan.commands.len() - 2;
    plan.commands.insert(after_first, Command::BeginPass(PassIndex(1)));
    let outputs = execute(&plan);
    let depth = |pass: usize| {
        let image = outputs.passes[pass].depth.as_ref().unwrap();
        image.format.component(&image.bytes, 0)
    };
    assert_eq!((depth(0), depth(1)), (0.5, 0.25));
    let image = outputs.passes[1].targets[0].as_ref().unwrap();
    assert_eq!(image.format.decode(&image.bytes), [0., 1., 0., 0.]);
}

#[test]
fn attachments_start_with_what_they_kept_and_formats_outside_the_list_have_no_image() {
    let mut plan = plan(vec![]);
    let kept = Format::R8G8B8A8Unorm;
    plan.passes[0].targets[0].format = DxgiFormat::Executable(kept);
    plan.passes[0].targets[0].start = Start::Keep(Some(vec![7; 64 * 4].into()));
    let mut other = plan.passes[0].targets[0].clone();
    other.format = DxgiFormat::parse("bc7_unorm").unwrap();
    plan.passes[0].targets.push(other);
    let outputs = execute(&plan);
    let [first, second] = outputs.passes[0].targets.as_slice() else { panic!("two targets") };
    assert_eq!(first.as_ref().unwrap().bytes, [7; 64 * 4]);
    assert_eq!(*second, None);
}

#[test]
fn a_plan_of_the_vertex_stage_alone_has_no_images() {
    let mut plan = plan(vec![Draw::cover(0.5, [1., 0., 0.])]);
    plan.vertex_stage_only = true;
    let outputs = execute(&plan);
    assert!(outputs.passes.is_empty() && outputs.post_vs.len() == 1);
}

#[test]
fn a_target_the_pass_lacks_is_written_nowhere() {
    let mut draw = Draw::cover(0.5, [1., 0., 0.]);
    draw.binding().targets = vec![None];
    let outputs = execute(&plan(vec![draw]));
    assert_eq!((pixel(&outputs, 0, 0), depth(&outputs)), ([0.; 4], 0.5));
}

fn with_buffers(commands: Vec<Command>) -> Plan {
    let buffer =
        PlannedBuffer { name: String::new(), size: 4, usage: BufferUsage::Default, versions: 1, end: vec![] };
    let buffers = [1, 2, 3].map(|id| (BufferId(id), buffer.clone()));
    Plan { buffers: BTreeMap::from(buffers), commands, ..plan(vec![]) }
}

#[test]
fn buffers_end_as_discards_writes_and_copies_leave_them() {
    let writer = Writer::Initial(Taken::FrameStart);
    let discard = |buffer, bytes: [u8; 4]| Command::Discard {
        buffer: BufferId(buffer),
        version: 0,
        writer,
        bytes: bytes.to_vec().into(),
    };
    let copy = |src_offset, dst_offset, size| Command::Copy {
        instance: crate::plan::InstanceIndex(0),
        event: crate::abi::EventId(3),
        src: BufferId(1),
        src_offset,
        dst: BufferId(2),
        version: 1,
        dst_offset,
        size,
    };
    let write =
        Command::Write { buffer: BufferId(1), version: 1, writer, offset: 2, bytes: vec![9, 9].into() };
    let plan = with_buffers(vec![
        discard(1, [1, 2, 3, 4]),
        copy(0, 1, 3),
        write.clone(),
        copy(3, 0, 1),
        discard(1, [5, 6, 7, 8]),
    ]);
    let buffers = execute(&plan).buffers;
    assert_eq!(buffers[&BufferId(1)], [5, 6, 7, 8]);
    assert_eq!(buffers[&BufferId(2)], [9, 1, 2, 3], "a copy takes what its source held then");
    assert!(!buffers.contains_key(&BufferId(3)), "nothing wrote it");

    use crate::execute::{Executor, reference::Reference};
    for bad in [copy(2, 0, 3), copy(0, 3, 2), copy(u64::MAX, 0, 2)] {
        let error = Reference::default().execute(&with_buffers(vec![discard(1, [0; 4]), bad])).unwrap_err();
        assert!(error.to_string().contains("outside buffer"), "{error}");
    }
    let mut plan = with_buffers(vec![write]);
    plan.buffers.get_mut(&BufferId(1)).unwrap().size = u64::MAX;
    assert!(Reference::default().execute(&plan).is_err());
}

#[test]
fn the_result_is_the_same_each_time() {
    let draws: Vec<_> = (0..20).map(|i| Draw::cover(0.5 - i as f32 / 64.0, [i as f32, 0., 1.])).collect();
    let plan = plan(draws);
    let first = execute(&plan);
    for _ in 0..5 {
        let again = execute(&plan);
        assert_eq!((&again.post_vs, &again.passes), (&first.post_vs, &first.passes));
    }
}

#[test]
#[should_panic(expected = "names other bytes than its buffers hold")]
#[cfg(debug_assertions)]
fn a_draw_whose_bytes_are_not_its_buffers_is_a_fault_of_the_plan() {
    let mut plan = plan(vec![Draw::cover(0.5, [1., 0., 0.])]);
    let Some(Command::Discard { bytes, .. }) = plan.commands.first_mut() else { panic!("a discard") };
    *bytes = vec![1; bytes.len()].into();
    execute(&plan);
}
