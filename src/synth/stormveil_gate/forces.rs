//! The force tables: 256 records of which eight or nine are not zero. What the words mean to a program is not
//! established; they are laid out as the documents list them.

use glam::{DVec2, dvec2};

use super::scene::{Moment, rng};
use crate::abi::records::{Force, write_all};
use crate::synth::angle::sin_cos;
use crate::synth::rng::Rng;

/// What a frame says of the wind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wind {
    /// `WindParam.z` of the steady records.
    pub(crate) clock: f32,
    /// The clock of the SpeedTree wind.
    pub(crate) speedtree_time: f64,
    /// Records that repeat a steady one's place and direction.
    pub(crate) extras: usize,
    /// There is a record near the eye.
    pub(crate) near_eye: bool,
}

/// Steady records: the same in every frame.
const STEADY: usize = 6;

/// The table of a moment as it is before the frame.
pub(crate) fn table_before(seed: u64, moment: &Moment, wind: &Wind) -> Vec<u8> {
    table(seed, moment, &Wind { clock: wind.clock - 0.056_5, ..*wind })
}

/// The table of a moment.
pub(crate) fn table(seed: u64, moment: &Moment, wind: &Wind) -> Vec<u8> {
    let mut rng = rng(seed, moment, "forces");
    let word = shared_word(moment, &mut rng);
    let steady: Vec<Force> = steady(seed)
        .into_iter()
        .map(|record| Force { wind: [1.0, record.wind[1], wind.clock, 0.1], ..with_word(record, word) })
        .collect();
    let first = rng.below(STEADY);
    let extras = (0..wind.extras).map(|n| {
        let repeated = &steady[(first + 2 * n) % STEADY];
        let word = rng.range(12.06, 12.14) as f32;
        Force { wind: [1.0, repeated.wind[1], 0.99, 0.1], ..with_word(*repeated, word) }
    });
    let mut records: Vec<Force> = steady.iter().copied().chain(extras).collect();
    if wind.near_eye {
        let word = rng.range(7.26, 7.34) as f32;
        records.push(Force {
            pos_and_square_force: [3.7, 7.3, 10.0, word],
            dir_and_sine_force: [-0.579, 0.0, -0.816, word],
            wind: [0.8, 55.4, rng.range(20.0, 60.0) as f32, 0.3],
            gust_time: [2.0, 5.0, 10.0, 60.0],
            ..steady[0]
        });
    }
    let mut bytes = write_all(&records);
    bytes.resize(Force::COUNT * Force::SIZE, 0);
    bytes
}

/// The number that the steady records of a frame share: 12.7 to 14.2, and both of these in a frame.
fn shared_word(moment: &Moment, rng: &mut Rng) -> f32 {
    match moment.name {
        "0002" => 12.7,
        "0005" => 14.2,
        _ => rng.range(12.8, 14.1) as f32,
    }
}

fn with_word(mut record: Force, word: f32) -> Force {
    record.pos_and_square_force[3] = word;
    record.dir_and_sine_force[3] = word;
    record
}

/// The six, without what changes from frame to frame. The first stands where the documents' example does.
fn steady(seed: u64) -> Vec<Force> {
    let mut rng = Rng::new(seed, "steady forces");
    (0..STEADY)
        .map(|n| {
            let (sin, cos) = sin_cos(rng.unit());
            let (x, z) = (rng.range(-90.0, 90.0), rng.range(-90.0, 90.0));
            let y = rng.range(20.0, 60.0);
            let strength = rng.range(126.0, 177.0);
            let (place, way) = match n {
                0 => ([-48.1, 48.5, 57.8], dvec2(0.899, 0.437)),
                _ => ([x, y, z], dvec2(cos, sin)),
            };
            record(place, way, [123.8, 179.6].get(n).copied().unwrap_or(strength))
        })
        .collect()
}

fn record(place: [f64; 3], way: DVec2, strength: f64) -> Force {
    let [x, y, z] = place.map(|c| c as f32);
    Force {
        system: [1, 1, 0, 0],
        pos_and_square_force: [x, y, z, 0.0],
        dir_and_sine_force: [way.x as f32, 0.0, way.y as f32, 0.0],
        wind: [1.0, strength as f32, 0.0, 0.1],
        gust: [1.0, 1.0, 1.0, 0.0],
        gust_time: [3.0, 5.0, 10.0, 60.0],
    }
}
