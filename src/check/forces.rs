//! The force records of a frame: `g_forceParam`, 256 records of 96 bytes.
//!
//! The documents find three kinds of non-zero records, told apart here as they describe them: the record *near the eye*
//! (`GustTimeParam.x` is 2), the *extras* (`WindParam.z` is 0.99; they repeat places of others), and the *steady* ones,
//! which are the same in every frame. What the words mean to a program is not established (claim `grass-motion`).

use std::collections::{BTreeMap, BTreeSet};

use super::bound::{is_known, is_written, place, range};
use super::{CheckFrame, CheckInput, Claim, ClaimKind, Evidence};
use crate::abi::records::{Force, read_all};
use crate::capture::manifest::BufferUsage;
use crate::finding::{ClaimFindings, Figure};
use crate::plan::{BoundRange, Command, Draw, WriteKind};

const SOURCE: &str = "Grass definitions and pivots, \"How grass moves\"";
/// The structured buffer.
const TABLE: &str = "g_forceParam";
/// The frame value that holds the clock of the SpeedTree wind.
const CLOCK: &str = "speedtree_time";

pub(super) const FORCE_RECORD: Claim = Claim {
    id: "force-record",
    statement: "ForceParamStruct is 96 bytes: uint4 SystemParam, float4 PosAndSquareForce, DirAndSineForce, WindParam, \
                GustParam, GustTimeParam; its 256 records are filled by a buffer copy from the upload ring early in the \
                frame.",
    source: SOURCE,
    how: "Every range bound as g_forceParam, each once a frame: the declared stride, the whole records it holds, and who \
          wrote it. It agrees if the stride is 96, it holds 256 records, and copies from an upload buffer that come before \
          any draw wrote all of it.",
    kind: ClaimKind::Capture,
    figures: &[
        ("tables", "ranges bound as g_forceParam, each once a frame"),
        ("stride", "bytes of a record, as declared"),
        ("records", "whole records of 96 bytes that the range holds"),
        ("copied", "tables that copies from an upload buffer filled before any draw"),
    ],
    check: Some(force_record),
};

pub(super) const FORCE_CENSUS: Claim = Claim {
    id: "force-census",
    statement: "8 or 9 records are not zero: the same six in all frames (SystemParam 1, 1, 0, 0; GustParam 1, 1, 1, 0; \
                GustTimeParam 3, 5, 10, 60; WindParam.x 1, .w 0.1, .y constant per record, .z shared and growing), and one \
                to three that repeat some of their places with WindParam.z 0.99.",
    source: SOURCE,
    how: "The first g_forceParam that a frame binds. A steady record agrees if its words are the documented ones and its \
          place, direction and WindParam.y are bit for bit those of a steady record of every other frame; an extra if a \
          steady record of the frame has its place and direction. The record near the eye is counted by its own claim.",
    kind: ClaimKind::Capture,
    figures: &[
        ("nonzero_least", "records of a frame that are not zero"),
        ("nonzero_greatest", "records of a frame that are not zero"),
        ("steady_least", "steady records of a frame"),
        ("steady_greatest", "steady records of a frame"),
        ("same_in_all", "steady records that every frame has, by place, direction and WindParam.y"),
        ("extras_least", "extras of a frame"),
        ("extras_greatest", "extras of a frame"),
        ("wind_y_least", "WindParam.y of steady records"),
        ("wind_y_greatest", "WindParam.y of steady records"),
        ("wind_z_least", "WindParam.z of steady records"),
        ("wind_z_greatest", "WindParam.z of steady records"),
        ("wind_z_values", "different WindParam.z among a frame's steady records, the most of any frame"),
    ],
    check: Some(force_census),
};

pub(super) const FORCE_CLOCK: Claim = Claim {
    id: "force-clock",
    statement: "WindParam.z of the steady records is 1.696 to 1.698 times the clock of the SpeedTree wind, bit-equal across \
                them.",
    source: SOURCE,
    how: "WindParam.z of each frame's steady records, over the frame value speedtree_time; frames without that value are \
          left out. A frame agrees if its steady records share the word bit for bit.",
    kind: ClaimKind::Capture,
    figures: &[
        ("frames", "frames with steady records and a clock"),
        ("ratio_least", "WindParam.z over the clock"),
        ("ratio_greatest", "WindParam.z over the clock"),
        ("shared", "frames whose steady records share WindParam.z bit for bit"),
    ],
    check: Some(force_clock),
};

pub(super) const FORCE_SHARED_WORD: Claim = Claim {
    id: "force-shared-word",
    statement: "The fourth words of PosAndSquareForce and DirAndSineForce are one number that a frame's steady records share \
                (12.7 to 14.2); the extras' are near 12.1, the near-eye record's near 7.3.",
    source: SOURCE,
    how: "Both words of every record, by kind. A frame agrees if all those of its steady records are bit for bit one.",
    kind: ClaimKind::Capture,
    figures: &[
        ("frames", "frames with steady records"),
        ("shared", "frames whose steady records share one word"),
        ("word_least", "the words of steady records"),
        ("word_greatest", "the words of steady records"),
        ("extra_word_least", "the words of extras"),
        ("extra_word_greatest", "the words of extras"),
        ("near_eye_word_least", "the words of records near the eye"),
        ("near_eye_word_greatest", "the words of records near the eye"),
    ],
    check: Some(force_shared_word),
};

pub(super) const FORCE_NEAR_EYE: Claim = Claim {
    id: "force-near-eye",
    statement: "Two of the five frames hold a record near the eye, at (3.7, 7.3, 10.0), with GustTimeParam.x 2, which the \
                other three lack.",
    source: SOURCE,
    how: "Records whose GustTimeParam.x is 2; every frame with force records is a case, and agrees if it has one.",
    kind: ClaimKind::Capture,
    figures: &[
        ("frames", "frames with force records"),
        ("frames_with", "of these, those with a record near the eye"),
        ("records", "records near the eye"),
        ("x_least", "PosAndSquareForce.x of these records"),
        ("x_greatest", "PosAndSquareForce.x of these records"),
        ("y_least", "PosAndSquareForce.y"),
        ("y_greatest", "PosAndSquareForce.y"),
        ("z_least", "PosAndSquareForce.z"),
        ("z_greatest", "PosAndSquareForce.z"),
    ],
    check: Some(force_near_eye),
};

/// The kinds of record that the documents tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Steady,
    Extra,
    NearEye,
}

fn kind(record: &Force) -> Kind {
    if record.gust_time[0] == 2.0 {
        Kind::NearEye
    } else if (record.wind[2] - 0.99).abs() < 0.005 {
        Kind::Extra
    } else {
        Kind::Steady
    }
}

/// The non-zero records of the first table that a frame binds, with their numbers.
struct Census {
    records: Vec<(usize, Force)>,
}

impl Census {
    fn of(frame: &CheckFrame<'_>) -> Option<Self> {
        let bytes = frame.plan.draws.iter().find_map(|draw| {
            let range = range(frame, draw, TABLE)?;
            is_known(range, 0, range.size).then(|| range.gather())
        })?;
        // Zero is zero bits: a record of negative zeros is one that somebody wrote.
        let is_zero = |n: usize| {
            let record = bytes.get(n * Force::SIZE..(n + 1) * Force::SIZE);
            record.is_none_or(|record| record.iter().all(|b| *b == 0))
        };
        let records =
            read_all::<Force>(&bytes).into_iter().enumerate().filter(|(n, _)| !is_zero(*n)).collect();
        Some(Self { records })
    }

    fn all(&self, wanted: Kind) -> impl Iterator<Item = (usize, &Force)> {
        self.records.iter().filter(move |(_, r)| kind(r) == wanted).map(|(n, r)| (*n, r))
    }
}

/// Frames that bind a known table; the others are left out of `found`.
fn censuses<'a>(input: &'a CheckInput<'_>, found: &mut ClaimFindings) -> Vec<(&'a str, Census)> {
    let mut censuses = Vec::new();
    for frame in &input.frames {
        let binds = frame.plan.draws.iter().any(|draw| range(frame, draw, TABLE).is_some());
        match Census::of(frame) {
            Some(census) => censuses.push((frame.plan.frame.as_str(), census)),
            None if binds => found.leave_out("frames whose force records are not known"),
            None => {}
        }
    }
    censuses
}

/// Place and direction, bit for bit.
fn stand(record: &Force) -> [u32; 6] {
    let [x, y, z, _] = record.pos_and_square_force.map(f32::to_bits);
    let [dx, dy, dz, _] = record.dir_and_sine_force.map(f32::to_bits);
    [x, y, z, dx, dy, dz]
}

fn force_record(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let mut tables: BTreeMap<_, (&Draw, &BoundRange)> = BTreeMap::new();
        for draw in &frame.plan.draws {
            if let Some(range) = range(frame, draw, TABLE) {
                tables.entry((range.buffer, range.offset, range.size)).or_insert((draw, range));
            }
        }
        for (draw, range) in tables.into_values() {
            let program = frame.frame.program(draw.program);
            let declared = program.and_then(|p| p.resources.iter().find(|r| r.name == TABLE)?.stride);
            let records = range.size / Force::SIZE as u64;
            let copied = is_copied_early(frame, range);
            found.add(name, "tables", 1);
            if let Some(stride) = declared {
                found.same(name, "stride", Figure::Count(stride));
            }
            found.same(name, "records", Figure::Count(records));
            found.add(name, "copied", copied.into());
            let whole = records == Force::COUNT as u64;
            found.case(declared == Some(Force::SIZE as u64) && whole && copied, || {
                let stride = declared.map_or("none".into(), |stride| stride.to_string());
                let copied = if copied { "copied" } else { "not copied from an upload buffer" };
                format!("{}: declared stride {stride}, {records} records, {copied}", place(frame, draw))
            });
        }
    }
    found
}

/// Whether copies from upload buffers, executed before the frame's first draw, wrote all of a range last.
fn is_copied_early(frame: &CheckFrame<'_>, range: &BoundRange) -> bool {
    let early = frame.plan.commands.iter().take_while(|command| !matches!(command, Command::Draw(_)));
    let from_upload: BTreeSet<_> = early
        .filter_map(|command| match command {
            Command::Copy { event, src, dst, .. } if *dst == range.buffer => {
                let source = frame.plan.buffers.get(src)?;
                (source.usage == BufferUsage::Upload).then_some(*event)
            }
            _ => None,
        })
        .collect();
    let by_them = range.writers().iter().all(|writer| match writer {
        crate::plan::Writer::Command { event, .. } => from_upload.contains(event),
        crate::plan::Writer::Initial(_) => false,
    });
    by_them && is_written(range, 0, range.size, &[WriteKind::Copy])
}

fn force_census(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let censuses = censuses(input, &mut found);
    let identity = |record: &Force| (stand(record), record.wind[1].to_bits());
    let steady_of = |census: &Census| census.all(Kind::Steady).map(|(_, r)| identity(r)).collect();
    let sets: Vec<BTreeSet<_>> = censuses.iter().map(|(_, census)| steady_of(census)).collect();
    let in_all = sets.iter().cloned().reduce(|all, set| &all & &set).unwrap_or_default();
    for (name, census) in &censuses {
        found.count_range(name, "nonzero", census.records.len() as u64);
        found.count_range(name, "steady", census.all(Kind::Steady).count() as u64);
        found.count_range(name, "extras", census.all(Kind::Extra).count() as u64);
        let mut clocks = BTreeSet::new();
        for (number, record) in census.all(Kind::Steady) {
            clocks.insert(record.wind[2].to_bits());
            found.range(name, "wind_y", record.wind[1].into());
            found.range(name, "wind_z", record.wind[2].into());
            let same = in_all.contains(&identity(record));
            found.case(is_documented(record) && same, || {
                let why = if same { "has other words than documented" } else { "is not in every frame" };
                format!("frame {name} force record {number} {why}")
            });
        }
        found.most(name, "wind_z_values", clocks.len() as u64);
        for (number, record) in census.all(Kind::Extra) {
            let repeats = census.all(Kind::Steady).any(|(_, steady)| stand(steady) == stand(record));
            found.case(repeats, || {
                format!("frame {name} force record {number} repeats no place of the frame")
            });
        }
    }
    if !censuses.is_empty() {
        found.set("same_in_all", Figure::Count(in_all.len() as u64));
    }
    found
}

/// Whether the words are those the documents give for the six.
fn is_documented(record: &Force) -> bool {
    record.system == [1, 1, 0, 0]
        && record.gust == [1.0, 1.0, 1.0, 0.0]
        && record.gust_time == [3.0, 5.0, 10.0, 60.0]
        && record.wind[0] == 1.0
        && record.wind[3] == 0.1
}

fn force_clock(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (name, census) in censuses(input, &mut found) {
        let clocks: Vec<f32> = census.all(Kind::Steady).map(|(_, r)| r.wind[2]).collect();
        let frame = input.frames.iter().find(|f| f.plan.frame == name);
        let clock = frame.and_then(|f| f.frame.file().values.get(CLOCK).copied());
        let Some(clock) = clock.filter(|clock| clock.is_finite() && *clock != 0.0) else {
            found.leave_out("frames without the value speedtree_time");
            continue;
        };
        if clocks.is_empty() {
            found.leave_out("frames without steady records");
            continue;
        }
        let bits: BTreeSet<_> = clocks.iter().map(|z| z.to_bits()).collect();
        found.add(name, "frames", 1);
        found.add(name, "shared", (bits.len() == 1).into());
        clocks.iter().for_each(|z| found.range(name, "ratio", f64::from(*z) / clock));
        found.case(bits.len() == 1, || format!("frame {name}: {} different WindParam.z", bits.len()));
    }
    found
}

fn force_shared_word(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (name, census) in censuses(input, &mut found) {
        let words =
            |kind| census.all(kind).flat_map(|(_, r)| [r.pos_and_square_force[3], r.dir_and_sine_force[3]]);
        for (kind, figure) in
            [(Kind::Steady, "word"), (Kind::Extra, "extra_word"), (Kind::NearEye, "near_eye_word")]
        {
            words(kind).for_each(|word| found.range(name, figure, word.into()));
        }
        let shared: BTreeSet<_> = words(Kind::Steady).map(f32::to_bits).collect();
        if shared.is_empty() {
            found.leave_out("frames without steady records");
            continue;
        }
        found.add(name, "frames", 1);
        found.add(name, "shared", (shared.len() == 1).into());
        found.case(shared.len() == 1, || format!("frame {name}: {} different words", shared.len()));
    }
    found
}

fn force_near_eye(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for (name, census) in censuses(input, &mut found) {
        let near: Vec<_> = census.all(Kind::NearEye).collect();
        found.add(name, "frames", 1);
        found.add(name, "frames_with", (!near.is_empty()).into());
        found.add(name, "records", near.len() as u64);
        for (_, record) in &near {
            for (axis, value) in ["x", "y", "z"].into_iter().zip(record.pos_and_square_force) {
                found.range(name, axis, value.into());
            }
        }
        found.case(!near.is_empty(), || format!("frame {name} has no record near the eye"));
    }
    found
}
