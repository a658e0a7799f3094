//! The synthetic Elden Ring set: reproducible, as committed, replayed alike by every executor, and showing the documents'
//! figures. The figures are computed here from the frames' own commands and bytes, apart from the checks of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use replay::abi::records::{Force, Instance, PositionVertex, ViewProjections, read_all, read_at};
use replay::abi::{BufferId, ListId};
use replay::capture::manifest::{BufferUsage, Command, Draw, RangeBinding};
use replay::capture::{CaptureSet, Frame, LoadedFrame};
use replay::finding::{ClaimVerdict, RunVerdict};
use replay::run::{self, Options};
use replay::synth;

use crate::support::executors;
use crate::synth::{different, files};

const LIMIT: u64 = 6_000_000;

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/stormveil_gate")
}

fn generate(seed: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dest = folder.path().join("stormveil_gate");
    synth::write("stormveil-gate", seed, &dest).unwrap();
    (folder, dest)
}

#[test]
fn a_seed_fixes_every_byte_and_the_committed_set_is_that_of_seed_1() {
    let (_keep, first) = generate(1);
    let (_keep, second) = generate(1);
    let [first, second] = [first, second].map(|root| files(&root));
    assert_eq!(different(&first, &second), Vec::<PathBuf>::new());
    assert_eq!(different(&first, &files(&committed())), Vec::<PathBuf>::new());
    let size: u64 = first.values().map(|bytes| bytes.len() as u64).sum();
    assert!(size < LIMIT, "{size} bytes");
}

#[test]
fn every_executor_matches_the_record_and_shows_every_claim() {
    for device in executors() {
        let options =
            Options { device, validation: true, require_coverage: Some(100.0), ..Options::default() };
        let report = run::replay(&committed(), &options, &mut ()).unwrap().report;
        let messages: Vec<_> = report.notices.iter().filter(|n| n.starts_with("validation: ")).collect();
        assert!(messages.is_empty(), "{messages:?}");
        let missed =
            report.claims.iter().filter(|c| !c.expected.is_empty() && c.verdict != ClaimVerdict::Holds);
        let missed: Vec<_> = missed.map(|c| (&c.id, &c.expected)).collect();
        assert!(missed.is_empty(), "{missed:?}");
        assert_eq!(report.verdict, RunVerdict::Match);
    }
}

#[test]
fn the_documents_figures_come_out_of_every_seed() {
    for seed in [1, 2] {
        let (_keep, root) = generate(seed);
        let set = CaptureSet::open(&root).unwrap();
        let mut figures = Figures::default();
        for name in set.frames() {
            let LoadedFrame { frame, .. } = set.load(name).unwrap();
            figures.add(&frame);
        }
        figures.check(seed);
    }
}

/// The buffers of a frame as its commands are carried out, and who wrote what.
struct Memory<'a> {
    frame: &'a Frame,
    bytes: BTreeMap<BufferId, Vec<u8>>,
    /// Ranges that copies wrote, from which buffer.
    copied: Vec<(BufferId, u64, u64, BufferId)>,
    /// Ranges that the CPU wrote.
    written: Vec<(BufferId, u64, u64)>,
}

impl<'a> Memory<'a> {
    fn new(frame: &'a Frame) -> Self {
        let known = frame.file().buffers.iter().filter_map(|b| Some((b.id, b.initial.as_ref()?)));
        let bytes = known.map(|(id, c)| (id, frame.blob(&c.blob).to_vec())).collect();
        Self { frame, bytes, copied: vec![], written: vec![] }
    }

    /// Carries out a list; `see` is shown every draw with memory as it is there.
    fn run(&mut self, list: ListId, see: &mut dyn FnMut(&Self, &'a Draw)) {
        let frame = self.frame;
        let list = frame.file().lists.iter().find(|l| l.id == list).unwrap();
        for command in &list.commands {
            match command {
                Command::Execute(execute) => self.run(execute.list, see),
                Command::Write(w) => {
                    let bytes = frame.blob(&w.blob);
                    let at = w.offset as usize;
                    self.bytes.get_mut(&w.buffer).unwrap()[at..at + bytes.len()].copy_from_slice(&bytes);
                    self.written.push((w.buffer, w.offset, w.offset + bytes.len() as u64));
                }
                Command::Copy(c) => {
                    let src = self.part(c.src, c.src_offset, c.size).to_vec();
                    let at = c.dst_offset as usize;
                    self.bytes.get_mut(&c.dst).unwrap()[at..at + src.len()].copy_from_slice(&src);
                    self.copied.push((c.dst, c.dst_offset, c.dst_offset + c.size, c.src));
                }
                Command::Observe(o) => assert_eq!(self.bytes[&o.buffer], frame.blob(&o.blob).to_vec()),
                Command::Draw(draw) => see(self, draw),
                other => panic!("{other:?}"),
            }
        }
    }

    fn part(&self, buffer: BufferId, offset: u64, size: u64) -> &[u8] {
        &self.bytes[&buffer][offset as usize..(offset + size) as usize]
    }

    fn range(&self, range: &RangeBinding) -> &[u8] {
        self.part(range.buffer, range.offset, range.size)
    }

    /// What the frame started with.
    fn start(&self, buffer: BufferId, offset: u64, size: u64) -> Vec<u8> {
        let content = self.frame.buffer(buffer).unwrap().initial.as_ref().unwrap();
        self.frame.blob(&content.blob)[offset as usize..(offset + size) as usize].to_vec()
    }

    fn usage(&self, buffer: BufferId) -> BufferUsage {
        self.frame.buffer(buffer).unwrap().usage
    }

    /// The range bound at what the draw's program calls by that name.
    fn named<'d>(&self, draw: &'d Draw, name: &str) -> Option<&'d RangeBinding> {
        let program = self.frame.program(draw.program).unwrap();
        let constant = program.constants.iter().find(|c| c.name == name).map(|c| c.register);
        let resource = program.resources.iter().find(|r| r.name == name).map(|r| r.register);
        let constant = constant.and_then(|r| draw.constants.iter().find(|c| c.register == r));
        constant.or_else(|| resource.and_then(|r| draw.resources.iter().find(|c| c.register == r)))
    }

    /// The vertices a draw's indices name.
    fn vertices(&self, draw: &Draw) -> Vec<u64> {
        let index = draw.index.as_ref().unwrap();
        let at = index.offset + u64::from(draw.first_index.unwrap()) * 2;
        let words = self.part(index.buffer, at, u64::from(draw.index_count.unwrap()) * 2).chunks_exact(2);
        words.map(|w| u64::from(u16::from_le_bytes([w[0], w[1]]))).collect()
    }
}

#[derive(Debug, PartialEq)]
struct FarDraw {
    triangles: u32,
    clumps: Vec<Instance>,
    eye: [f64; 3],
}

/// What the frames of a set show.
#[derive(Debug, Default)]
struct Figures {
    copied_at_first: u32,
    untouched: u32,
    /// Draws with the copied buffer at POSITION0, by frame.
    cloth_frames: BTreeMap<String, u32>,
    /// Distances to what the copy replaced, and the greatest to the other member's contents.
    to_older: Vec<f64>,
    to_newer: f64,
    soldier_draws: u32,
    largest_joint: u8,
    far: Vec<FarDraw>,
    far_frames: BTreeSet<String>,
    placed: BTreeSet<u32>,
    /// Frame, its speedtree_time, its records that are not zero.
    forces: Vec<(String, f64, Vec<Force>)>,
}

impl Figures {
    fn add(&mut self, frame: &Frame) {
        let mut memory = Memory::new(frame);
        let mut pairs = BTreeSet::new();
        memory.run(ListId::IMMEDIATE, &mut |memory, draw| {
            let program = &memory.frame.program(draw.program).unwrap().name;
            match program.as_str() {
                p if p.starts_with("Cloth_") => self.cloth(memory, draw, &mut pairs),
                p if p.ends_with("_Skin") => self.soldier(memory, draw),
                "Grass2_LOD1_GBuffer" => self.far(memory, draw),
                "Grass_GBuffer" | "Grass2_GBuffer" => {
                    assert!(
                        draw.instance_count == 1 && draw.mesh.as_ref().unwrap().model.starts_with("AEG210")
                    );
                    self.placed.insert(draw.index_count.unwrap());
                }
                other => panic!("{other}"),
            }
            if let Some(range) = memory.named(draw, "g_forceParam") {
                self.table(memory, range);
            }
        });
    }

    fn cloth(&mut self, memory: &Memory<'_>, draw: &Draw, pairs: &mut BTreeSet<(BufferId, u64)>) {
        let [first, third] = [0, 2].map(|slot| draw.streams.iter().find(|s| s.slot.0 == slot).unwrap());
        assert_eq!(
            [first, third].map(|s| (memory.usage(s.buffer), s.stride)),
            [(BufferUsage::Default, 20); 2]
        );
        let size = (memory.vertices(draw).into_iter().max().unwrap() + 1) * 20;
        let copied = [first, third].map(|s| {
            let within = |(dst, from, to, src): &(BufferId, u64, u64, BufferId)| {
                *dst == s.buffer
                    && *from == s.offset
                    && *to == s.offset + size
                    && memory.usage(*src) == BufferUsage::Upload
            };
            memory.copied.iter().any(within)
        });
        match copied {
            [true, false] => self.copied_at_first += 1,
            [false, false] => return self.untouched += 1,
            other => panic!("{other:?}"),
        }
        *self.cloth_frames.entry(memory.frame.name.clone()).or_default() += 1;
        if pairs.insert((first.buffer, first.offset)) {
            let now: Vec<PositionVertex> = read_all(memory.part(first.buffer, first.offset, size));
            let older = read_all(&memory.start(first.buffer, first.offset, size));
            let newer = read_all(&memory.start(third.buffer, third.offset, size));
            self.to_older.extend(distances(&now, &older));
            self.to_newer = distances(&now, &newer).fold(self.to_newer, f64::max);
        }
    }

    fn soldier(&mut self, memory: &Memory<'_>, draw: &Draw) {
        assert_eq!(draw.mesh.as_ref().unwrap().model, "c3000");
        let program = memory.frame.program(draw.program).unwrap();
        for name in ["cbObjMatrix", "cbPrevObjMatrix"] {
            let Some(declared) = program.constants.iter().find(|c| c.name == name) else { continue };
            let bound = memory.named(draw, name).unwrap();
            assert_eq!((declared.size, bound.size), (96, 12_288));
            let from_ring = memory.copied.iter().any(|(dst, _, _, _)| *dst == bound.buffer);
            assert!(from_ring, "copied early");
        }
        self.soldier_draws += 1;
        let second = draw.streams.iter().find(|s| s.slot.0 == 1).unwrap();
        for vertex in memory.vertices(draw) {
            let at = second.offset + vertex * u64::from(second.stride);
            let bytes = memory.part(second.buffer, at, 8);
            let used = (0..4).filter(|k| bytes[4 + k] > 0).map(|k| bytes[k]);
            self.largest_joint = used.fold(self.largest_joint, u8::max);
        }
    }

    fn far(&mut self, memory: &Memory<'_>, draw: &Draw) {
        let records = memory.named(draw, "cbInstanceData").unwrap();
        assert_eq!(records.size, 65_536);
        let size = u64::from(draw.instance_count) * 208;
        let end = records.offset + size;
        let by_cpu = |(b, from, to): &(BufferId, u64, u64)| {
            *b == records.buffer && *from <= records.offset && end <= *to
        };
        assert!(memory.usage(records.buffer) == BufferUsage::Upload && memory.written.iter().any(by_cpu));
        let table = memory.named(draw, "g_InstanceIndexBuffer").unwrap();
        let words = memory.range(table).chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap()));
        assert!(words.eq(0..table.size as u32 / 4), "identity");
        let views: ViewProjections =
            read_at(memory.range(memory.named(draw, "cbMatrixWVP").unwrap()), 0).unwrap();
        let clumps = read_all(memory.part(records.buffer, records.offset, size));
        self.far.push(FarDraw { triangles: draw.index_count.unwrap() / 3, clumps, eye: eye(&views) });
        self.far_frames.insert(memory.frame.name.clone());
    }

    fn table(&mut self, memory: &Memory<'_>, range: &RangeBinding) {
        let name = memory.frame.name.clone();
        if self.forces.last().is_some_and(|(last, _, _)| *last == name) {
            return;
        }
        let copied =
            memory.copied.iter().find(|(dst, from, to, _)| (*dst, *from, *to) == (range.buffer, 0, 24_576));
        assert_eq!(copied.map(|c| memory.usage(c.3)), Some(BufferUsage::Upload));
        let records: Vec<Force> = read_all(memory.range(range));
        assert_eq!(records.len(), 256);
        let zero: Force = read_at(&[0; 96], 0).unwrap();
        let held = records.into_iter().filter(|r| *r != zero).collect();
        self.forces.push((name, memory.frame.file().values["speedtree_time"], held));
    }

    fn check(&self, seed: u64) {
        assert_eq!((self.copied_at_first, self.untouched), (190, 9), "seed {seed}");
        assert_eq!(self.cloth_frames.values().copied().collect::<Vec<_>>(), [19; 10]);
        let farthest = self.to_older.iter().copied().fold(self.to_newer, f64::max);
        let mean = self.to_older.iter().sum::<f64>() / self.to_older.len() as f64;
        assert!((0.002_15..=0.002_2).contains(&farthest), "seed {seed}: {farthest}");
        assert!((0.000_35..0.000_45).contains(&mean), "seed {seed}: {mean}");
        assert_eq!((self.soldier_draws, self.largest_joint), (20, 101));
        assert_eq!((self.placed.first(), self.placed.last()), (Some(&534), Some(&68_871)));
        assert_eq!(self.far_frames.len(), 1);
        self.check_bands(seed);
        self.check_placement(seed);
        self.check_forces(seed);
    }

    fn check_bands(&self, seed: u64) {
        let expected = [
            (14, (61.0, 91.0), (2, 1283)),
            (14, (91.0, 108.0), (2, 1283)),
            (14, (105.0, 129.0), (2, 1283)),
            (4, (142.0, 164.0), (1, 5)),
            (4, (175.0, 210.0), (1, 1)),
        ];
        assert_eq!(self.far.len(), expected.len());
        for (draw, (triangles, (near, far), force)) in self.far.iter().zip(expected) {
            assert!(draw.triangles == triangles && (160..=315).contains(&draw.clumps.len()));
            assert!(draw.clumps.iter().all(|c| (c.force_num, c.force_index) == force));
            for parts in [[1.0, 0.0, 1.0], [1.0; 3]] {
                let distance = |c: &Instance| {
                    (0..3).map(|i| parts[i] * (at(c)[i] - draw.eye[i]).powi(2)).sum::<f64>().sqrt()
                };
                let (least, greatest) = bounds(draw.clumps.iter().map(distance));
                assert_eq!((least.round(), greatest.round()), (near, far), "seed {seed}: {least} {greatest}");
            }
        }
        let (least, greatest) = bounds(self.far.iter().map(|d| d.clumps.len() as f64));
        assert_eq!((least, greatest), (160.0, 315.0));
    }

    fn check_placement(&self, seed: u64) {
        let clumps: Vec<_> = self.far.iter().filter(|d| d.triangles == 14).flat_map(|d| &d.clumps).collect();
        assert_eq!(clumps.len(), 825);
        let places: Vec<_> = clumps.iter().map(|c| (at(c)[0], at(c)[2])).collect();
        let to_nearest = |(i, a): (usize, &(f64, f64))| {
            let others = places.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(f64::INFINITY, f64::min)
        };
        let mut nearest: Vec<f64> = places.iter().enumerate().map(to_nearest).collect();
        nearest.sort_by(f64::total_cmp);
        let [least, median, greatest] = [nearest[0], nearest[412], nearest[824]];
        assert!((0.145..0.155).contains(&least), "seed {seed}: {least}");
        assert!((0.835..0.845).contains(&median), "seed {seed}: {median}");
        assert!((3.5..3.65).contains(&greatest), "seed {seed}: {greatest}");

        let mut squares: BTreeMap<(i64, i64), u32> = BTreeMap::new();
        for (x, z) in &places {
            *squares.entry(((x / 8.0).floor() as i64, (z / 8.0).floor() as i64)).or_default() += 1;
        }
        assert_eq!((squares.values().min(), squares.values().max()), (Some(&1), Some(&83)));

        let mut bins = [0.0f64; 36];
        for clump in &clumps {
            let turn = f64::from(clump.world.rows[2][0]).atan2(f64::from(clump.world.rows[0][0]));
            bins[((turn / std::f64::consts::TAU).rem_euclid(1.0) * 36.0) as usize % 36] += 1.0;
        }
        let even = 825.0 / 36.0;
        let chi_square: f64 = bins.iter().map(|n| (n - even).powi(2) / even).sum();
        assert!(chi_square < 57.34, "seed {seed}: {chi_square}");

        let across: Vec<_> = clumps.iter().map(|c| column(c, 0)).collect();
        let up: Vec<_> = clumps.iter().map(|c| column(c, 1)).collect();
        assert!(within(&across, 0.9, 1.1) && within(&up, 0.55, 1.2), "seed {seed}");
        let r = correlation(&across, &up);
        assert!(r.abs() < 0.1, "seed {seed}: {r}");
        let small: Vec<_> = self.far.iter().filter(|d| d.triangles == 4).flat_map(|d| &d.clumps).collect();
        assert!(within(&small.iter().map(|c| column(c, 2)).collect::<Vec<_>>(), 0.6, 1.1));
    }

    fn check_forces(&self, seed: u64) {
        let names: Vec<_> = self.forces.iter().map(|(name, _, _)| name.as_str()).collect();
        assert_eq!(names, ["0001", "0002", "0003", "0004", "0005"]);
        let clocks = [155.07f32, 161.5, 167.91, 169.35, 169.8];
        let (mut words, mut extras_of, mut near_eye) = (vec![], BTreeSet::new(), 0);
        let stand = |r: &Force| {
            let [x, y, z, _] = r.pos_and_square_force.map(f32::to_bits);
            let [dx, dy, dz, _] = r.dir_and_sine_force.map(f32::to_bits);
            [x, y, z, dx, dy, dz]
        };
        let mut same: Option<BTreeSet<_>> = None;
        for ((_, time, records), clock) in self.forces.iter().zip(clocks) {
            assert!((8..=9).contains(&records.len()));
            let steady: Vec<_> = records.iter().filter(|r| r.wind[2] == clock).collect();
            let extras: Vec<_> = records.iter().filter(|r| r.wind[2] == 0.99).collect();
            let near: Vec<_> = records.iter().filter(|r| r.gust_time[0] == 2.0).collect();
            assert_eq!((steady.len(), steady.len() + extras.len() + near.len()), (6, records.len()));
            let word = steady[0].pos_and_square_force[3];
            for r in &steady {
                assert_eq!(
                    (r.system, r.gust, r.gust_time),
                    ([1, 1, 0, 0], [1.0, 1.0, 1.0, 0.0], [3.0, 5.0, 10.0, 60.0])
                );
                assert_eq!((r.wind[0], r.wind[3]), (1.0, 0.1));
                assert_eq!([r.pos_and_square_force[3], r.dir_and_sine_force[3]], [word; 2]);
            }
            words.push(f64::from(word));
            let (least, greatest) = bounds(steady.iter().map(|r| f64::from(r.wind[1])));
            assert_eq!([least, greatest].map(|y| (y * 10.0).round()), [1238.0, 1796.0]);
            let ratio = f64::from(clock) / time;
            assert!((1.696..=1.698).contains(&ratio), "{ratio}");
            let stands: BTreeSet<_> = steady.iter().map(|r| (stand(r), r.wind[1].to_bits())).collect();
            assert!(same.get_or_insert_with(|| stands.clone()) == &stands, "seed {seed}: the same six");
            for r in &extras {
                assert!(steady.iter().any(|s| stand(s) == stand(r)));
                assert!((12.05..12.15).contains(&r.pos_and_square_force[3]));
            }
            for r in &near {
                assert_eq!(r.pos_and_square_force[..3], [3.7, 7.3, 10.0]);
                assert_eq!(r.dir_and_sine_force[..3], [-0.579, 0.0, -0.816]);
                assert_eq!([r.wind[0], r.wind[1], r.wind[3]], [0.8, 55.4, 0.3]);
                assert!((7.25..7.35).contains(&r.pos_and_square_force[3]));
            }
            extras_of.insert(extras.len());
            near_eye += near.len();
        }
        let (least, greatest) = bounds(words.iter().map(|w| (w * 10.0).round()));
        assert_eq!((least, greatest), (127.0, 142.0));
        assert_eq!((extras_of.first(), extras_of.last(), near_eye), (Some(&1), Some(&3), 2));
    }
}

fn distances(a: &[PositionVertex], b: &[PositionVertex]) -> impl Iterator<Item = f64> {
    let distance = |(a, b): (&PositionVertex, &PositionVertex)| {
        (0..3).map(|i| (f64::from(a.position[i]) - f64::from(b.position[i])).powi(2)).sum::<f64>().sqrt()
    };
    a.iter().zip(b).map(distance)
}

fn at(clump: &Instance) -> [f64; 3] {
    clump.world.rows.map(|row| f64::from(row[3]))
}

/// The length of a column of the world matrix.
fn column(clump: &Instance, n: usize) -> f64 {
    clump.world.rows.iter().map(|row| f64::from(row[n]).powi(2)).sum::<f64>().sqrt()
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), v| (l.min(v), g.max(v)))
}

/// Whether values fill a range: none outside, the outermost near its ends.
fn within(values: &[f64], least: f64, greatest: f64) -> bool {
    let (l, g) = bounds(values.iter().copied());
    (least..least + 0.01).contains(&l) && (greatest - 0.01..=greatest).contains(&g)
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - ma, b - mb)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Where rows 0, 1 and 3 of the first view-projection are all zero: Cramer's rule.
fn eye(views: &ViewProjections) -> [f64; 3] {
    let rows = [0, 1, 3].map(|i| views.current[i].map(f64::from));
    let det = |m: [[f64; 3]; 3]| {
        let minor = |a: usize, b: usize| m[1][a] * m[2][b] - m[1][b] * m[2][a];
        m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
    };
    let linear = rows.map(|[x, y, z, _]| [x, y, z]);
    [0, 1, 2].map(|axis| {
        let mut replaced = linear;
        (0..3).for_each(|i| replaced[i][axis] = -rows[i][3]);
        det(replaced) / det(linear)
    })
}
