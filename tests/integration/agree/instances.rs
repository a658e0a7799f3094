//! How instances find their records: an index buffer, an offset in it, records of another size with fields elsewhere,
//! and the palette's first entry.

use serde_json::{Value, json};

use super::set::{OddSet, PALETTE, VIEWS, affine, constant, floats, input, range, vertices, words};
use super::twins::Twins;

/// Bytes of a record as it is reported for Sekiro.
const RECORD: usize = 272;
const WORLD: usize = 32;
const MATRICES: usize = 96;
const FADE: usize = 132;

/// `cbInstanceData` at b9, declared as an array of structs.
fn instance_data(count: usize) -> Value {
    let field = |name: &str, offset: usize, kind: &str| json!({"name": name, "offset": offset, "type": kind});
    let fields = json!([
        field("unknown", 0, "float4"),
        field("mWorld", WORLD, "float3x4"),
        field("matricesData", MATRICES, "uint4"),
        field("fadeAlpha", FADE, "float"),
    ]);
    let records = json!({"name": "records", "offset": 0, "type": "struct", "stride": RECORD, "count": count,
                         "fields": fields});
    json!({"name": "cbInstanceData", "register": 9, "size": RECORD * count, "fields": [records]})
}

/// A constant buffer that holds nothing of interest but the offset, 20 bytes in.
fn index_offset() -> Value {
    let field = json!({"name": "VC_InstanceIdxOffset", "offset": 20, "type": "uint"});
    json!({"name": "cbOther", "register": 11, "size": 32, "fields": [field]})
}

/// Records whose world moves by their number along x, with a fade of an eighth of it, and a palette from `8 + number`.
fn records(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        let mut record = floats(&[f32::NAN; RECORD / 4]);
        record[WORLD..WORLD + 48].copy_from_slice(&affine([number as f32, 0.0, 0.0]));
        record[MATRICES..MATRICES + 4].copy_from_slice(&(8 + number as u32).to_le_bytes());
        record[FADE..FADE + 4].copy_from_slice(&(number as f32 / 8.0).to_le_bytes());
        bytes.extend(record);
    }
    bytes
}

/// Entries that move by their number along y.
fn palette(count: usize) -> Vec<u8> {
    (0..count).flat_map(|entry| affine([0.0, entry as f32, 0.0])).collect()
}

/// Adds what `instance_data` and `index_offset` need, and gives the constants and resources of a draw.
fn bind(
    set: &mut OddSet,
    held: usize,
    numbers: &[u32],
    offset: u32,
    palette: u64,
    palette_size: usize,
) -> Value {
    let data = set.buffer("default", &records(held));
    let other = set.buffer("dynamic", &words(&[7, 7, 7, 7, 7, offset, 7, 7]));
    let numbers = words(numbers);
    let indices = set.buffer("default", &numbers);
    json!({
        "constants": [range(0, VIEWS, 0, 128), range(5, palette, 0, palette_size),
                      range(9, data, 0, RECORD * held), range(11, other, 0, 32)],
        "resources": [range(3, indices, 0, numbers.len())],
    })
}

fn declared(count: usize) -> Value {
    json!({
        "constants": [constant("cbMatrixWVP", 0, 128), constant("cbObjMatrix", 5, 96), instance_data(count),
                      index_offset()],
        "resources": [{"name": "g_InstanceIndexBuffer", "register": 3, "stride": 4}],
    })
}

fn instanced(mut bound: Value, count: usize) -> Value {
    bound["instance_count"] = count.into();
    bound
}

const MESH: [([f32; 3], [f32; 3]); 3] =
    [([0.0, 0.5, 0.5], [0.0, 0.0, 2.0]), ([1.0, 0.0, 0.25], [0.0, 3.0, 0.0]), ([0.0; 3], [0.0; 3])];

#[test]
fn grass_reads_the_record_that_the_index_buffer_names() {
    let mut set = OddSet::with_pass();
    let inputs =
        json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, "r32g32b32_float", 0, 12)]);
    // More are declared than are bound: the rest is past the range.
    let program = set.program("grass_gbuffer", inputs, declared(240));
    let stream = set.buffer("static", &vertices(&MESH));
    // The first two are left out by the offset; from 4 on they are past the range (272 times 2^28 has 32 zero bits at its
    // end), the last instance past the index buffer, which reads as record 0.
    let numbers = [9, 9, 3, 0, 2, 1, 4, u32::MAX, 1 << 28];
    let bound = bind(&mut set, 4, &numbers, 2, PALETTE, 48);
    set.draw(program, stream, instanced(bound, 8));
    let both = Twins::open().replay(&set);
    for (instance, record) in [(0, 3.0), (1, 0.0), (2, 2.0), (3, 1.0), (7, 0.0)] {
        let fade = record / 8.0;
        both.expect(0, instance, 0, &[record, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, fade]);
        both.expect(0, instance, 1, &[1.0 + record, 0.0, 0.25, 1.0, 0.0, 1.0, 0.0, fade]);
        both.expect(0, instance, 2, &[record, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, fade]);
    }
    for past in [4, 5, 6] {
        both.expect(0, past, 0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn first_instance_moves_no_record() {
    let mut set = OddSet::with_pass();
    let inputs =
        json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, "r32g32b32_float", 0, 12)]);
    let program = set.program("grass_gbuffer", inputs, declared(4));
    let stream = set.buffer("static", &vertices(&MESH));
    let mut bound = instanced(bind(&mut set, 4, &[2, 1, 0, 3], 1, PALETTE, 48), 2);
    bound["first_instance"] = 3.into();
    set.draw(program, stream, bound);
    let both = Twins::open().replay(&set);
    both.expect(0, 0, 0, &[1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.125]);
    both.expect(0, 1, 0, &[0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn the_palette_of_a_rigid_thing_starts_where_its_record_says() {
    let mut set = OddSet::with_pass();
    let inputs =
        json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, "r32g32b32_float", 0, 12)]);
    let program = set.program("rigid_gbuffer", inputs, declared(4));
    let stream = set.buffer("static", &vertices(&MESH));
    let entries = set.buffer("dynamic", &palette(11));
    let bound = bind(&mut set, 4, &[1, 0, 2, 3], 0, entries, 11 * 48);
    set.draw(program, stream, instanced(bound, 4));
    let both = Twins::open().replay(&set);
    for (instance, entry) in [(0, 9.0), (1, 8.0), (2, 10.0)] {
        both.expect(0, instance, 0, &[0.0, 0.5 + entry, 0.5, 1.0, 0.0, 0.0, 1.0]);
    }
    // Entry 11 is past the palette's range.
    both.expect(0, 3, 0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_palette_of_a_skinned_thing_starts_where_its_record_says() {
    let mut set = OddSet::with_pass();
    let inputs = json!([
        input("POSITION", 0, "r32g32b32_float", 0, 0),
        input("NORMAL", 0, "r32g32b32_float", 0, 12),
        input("BLENDINDICES", 0, "r8g8b8a8_uint", 1, 0),
        input("BLENDWEIGHT", 0, "r8g8b8a8_unorm", 1, 4),
    ]);
    let program = set.program("skinned_gbuffer", inputs, declared(2));
    let stream = set.buffer("static", &vertices(&MESH));
    let skin: Vec<u8> = [0, 1, 2, 3, 51, 102, 102, 0].repeat(3);
    let skin = set.buffer("static", &skin);
    let entries = set.buffer("dynamic", &palette(12));
    let mut bound = instanced(bind(&mut set, 2, &[1, 0], 0, entries, 12 * 48), 2);
    bound["streams"] =
        json!([{"slot": 0, "buffer": stream, "stride": 24}, {"slot": 1, "buffer": skin, "stride": 8}]);
    set.draw(program, stream, bound);
    let both = Twins::open().replay(&set);
    // 0.2 of the first entry, 0.4 of each of the next two: 1.2 entries on.
    both.expect(0, 0, 0, &[0.0, 0.5 + 9.0 + 1.2, 0.5, 1.0, 0.0, 0.0, 1.0]);
    both.expect(0, 1, 0, &[0.0, 0.5 + 8.0 + 1.2, 0.5, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn without_an_index_buffer_instances_count_and_records_have_208_bytes() {
    let mut set = OddSet::with_pass();
    let inputs =
        json!([input("POSITION", 0, "r32g32b32_float", 0, 0), input("NORMAL", 0, "r32g32b32_float", 0, 12)]);
    let constants = json!([constant("cbMatrixWVP", 0, 128), constant("cbInstanceData", 9, 65_536)]);
    let program = set.program("grass_gbuffer", inputs, json!({"constants": constants}));
    let stream = set.buffer("static", &vertices(&MESH));
    let mut data = Vec::new();
    for number in 0..315u16 {
        let mut record = affine([f32::from(number % 16), 0.0, 0.0]);
        record.extend(f32::from(number).to_le_bytes());
        record.resize(208, 0xFF);
        data.extend(record);
    }
    data.resize(65_536, 0);
    let data = set.buffer("default", &data);
    let constants = json!([range(0, VIEWS, 0, 128), range(9, data, 0, 65_536)]);
    set.draw(program, stream, json!({"constants": constants, "instance_count": 316}));
    let both = Twins::open().replay(&set);
    for instance in [0u32, 1, 17, 255] {
        let x = (instance % 16) as f32;
        both.expect(0, instance, 0, &[x, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, instance as f32]);
    }
    // Sixteen bytes are left after 315 records: the 316th is zeros there and past the range.
    both.expect(0, 315, 0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}
