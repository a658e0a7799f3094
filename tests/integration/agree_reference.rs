//! The reference executor against real recordings: what another program's GPU work left, vertex by vertex and pixel by
//! pixel. The comparison here is its own, so that the evidence does not rest on the one under test elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use replay::abi::interface::{Interface, VertexOutput};
use replay::abi::{BufferNeed, Format, InputNeed, RegisterClass, Semantic};
use replay::capture::manifest::{PostVsOrder, Taken, Tolerance};
use replay::capture::{CaptureSet, Frame, LoadedFrame};
use replay::execute::reference::Reference;
use replay::execute::{Executor, Image, Outputs, PostVs};
use replay::finding::DumpKind;
use replay::plan::{Draw, Plan, StandIn, StandIns, Swaps, VertexOrder, lower};

#[test]
fn sekiro_recording_agrees() {
    agree("sekiro_1");
}

#[test]
fn elden_ring_recording_agrees() {
    agree("elden_1");
}

/// A comparison in which the wrong stream is read must not agree.
#[test]
fn exchanged_streams_disagree() {
    let Some(set) = open("sekiro_1") else { return };
    let mut tally = Tally::default();
    let swaps = Swaps { streams: true, ..Swaps::default() };
    compare_frame(&set, &set.frames()[0], swaps, &mut tally);
    let motion: u64 = tally
        .post_vs
        .iter()
        .filter(|(name, _)| name.starts_with("skinned_motion"))
        .map(|(_, c)| c.outside)
        .sum();
    assert!(motion > 1000, "{motion} components differ");
}

fn open(name: &str) -> Option<CaptureSet> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/gate");
    let root = Path::new(root).join(name).join("set");
    if root.is_dir() {
        return Some(CaptureSet::open(&root).unwrap());
    }
    println!("not checked: {} is not there", root.display());
    None
}

fn agree(name: &str) {
    let Some(set) = open(name) else { return };
    let mut tally = Tally::default();
    for frame in set.frames() {
        compare_frame(&set, frame, Swaps::default(), &mut tally);
    }
    for (title, counts) in tally.post_vs.iter().chain(&tally.images) {
        println!("{name} {title:32} {counts}");
    }
    println!("{name} buffers: {} final contents equal, {} different", tally.buffers, tally.buffers_different);
    assert!(tally.buffers > 0 && tally.buffers_different == 0);
    assert!(!tally.post_vs.is_empty() && !tally.images.is_empty());
    for (title, counts) in &tally.post_vs {
        assert!(counts.compared > 0 && counts.outside == 0, "{title}: {counts}");
    }
    for (title, counts) in &tally.images {
        let allowed = counts.rule.as_ref().map_or(0.0, |r| r.outliers) * counts.covered as f64;
        assert!(counts.covered > 0 && counts.outside as f64 <= allowed, "{title}: {counts}");
        // What it reached when it was written: a pixel whose corner another arithmetic snaps elsewhere.
        assert!(counts.outside <= 1, "{title}: {counts}");
    }
}

#[derive(Default)]
struct Tally {
    post_vs: BTreeMap<String, Counts>,
    images: BTreeMap<String, Counts>,
    buffers: u64,
    buffers_different: u64,
}

/// Components of vertices, or pixels of images.
#[derive(Default)]
struct Counts {
    rule: Option<Tolerance>,
    compared: u64,
    covered: u64,
    outside: u64,
    /// Largest difference of what the rule admits.
    worst_inside: f64,
    worst: f64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "compared {:7}  covered {:6}  outside {:4}  worst inside {:.2e}  worst {:.2e}",
            self.compared, self.covered, self.outside, self.worst_inside, self.worst
        )
    }
}

impl Counts {
    /// Notes a difference against the size of what it is relative to.
    fn note(&mut self, recorded: f64, replayed: f64, scale: f64) -> bool {
        let difference = (recorded - replayed).abs();
        let rule = self.rule.as_ref().expect("every dump of the samples has a rule");
        let inside = recorded == replayed || difference <= rule.abs || difference <= rule.rel * scale;
        if inside {
            self.worst_inside = self.worst_inside.max(difference);
        }
        self.worst = self.worst.max(if difference.is_nan() { f64::INFINITY } else { difference });
        inside
    }
}

fn rule(set: &CaptureSet, dump: DumpKind, name: &str) -> Option<Tolerance> {
    let mut rules = set.manifest().tolerances.iter();
    rules.find(|r| r.dump == dump && (r.name == "*" || r.name == name)).cloned()
}

fn compare_frame(set: &CaptureSet, frame: &str, swaps: Swaps, tally: &mut Tally) {
    let LoadedFrame { frame, dumps } = set.load(frame).unwrap();
    let plan = lower(&frame, &stand_ins(set, &frame), swaps);
    let start = std::time::Instant::now();
    let outputs = Reference::default().execute(&plan).unwrap();
    println!("{} {} draws in {:.1?}", set.name(), plan.draws.len(), start.elapsed());
    assert!(outputs.not_executed.is_empty(), "{:?}", outputs.not_executed);
    for (index, draw) in plan.draws() {
        let binding = draw.replay.as_ref().unwrap();
        let Some(dump) = dumps.post_vs.get(&draw.event) else { continue };
        let replayed = &outputs.post_vs[&index];
        let record = &dump.record;
        let stride: usize = record.layout.iter().map(|e| e.format.executable().unwrap().size()).sum();
        let mut offset = 0;
        for element in &record.layout {
            let semantic = Semantic::new(element.semantic.as_str(), element.index);
            let format = element.format.executable().unwrap();
            let counts =
                tally.post_vs.entry(format!("{} {}", binding.shader, semantic.name)).or_insert_with(|| {
                    Counts { rule: rule(set, DumpKind::PostVs, &semantic.name), ..Counts::default() }
                });
            let at = component_of(&binding.interface, &semantic);
            for (place, (instance, vertex)) in records(draw, replayed, record.order).enumerate() {
                // Records in vertex order start at the recorder's own first vertex.
                let place = match (record.order, record.first_vertex, record.vertex_count) {
                    (PostVsOrder::Vertex, Some(first), Some(count)) => {
                        instance as usize * count as usize + (vertex - first) as usize
                    }
                    _ => place,
                };
                let bytes = &dump.bytes[place * stride + offset..][..format.size()];
                let values = &replayed.record(instance, vertex).unwrap()[at..];
                compare_element(counts, format, bytes, values);
            }
            offset += format.size();
        }
    }
    compare_images(set, &plan, &dumps, &outputs, tally);
    for (buffer, dump) in dumps.finals.iter().filter(|(_, dump)| dump.taken != Taken::Late) {
        if outputs.buffers[buffer] == dump.bytes {
            tally.buffers += 1;
        } else {
            tally.buffers_different += 1;
        }
    }
}

fn compare_element(counts: &mut Counts, format: Format, bytes: &[u8], values: &[f32]) {
    let recorded: Vec<f64> = (0..format.components()).map(|c| format.component(bytes, c)).collect();
    let replayed = values.iter().map(|v| f64::from(*v));
    let scale = recorded.iter().copied().chain(replayed.clone().take(recorded.len()));
    let scale = scale.fold(0.0, |a: f64, v| a.max(v.abs()));
    for (recorded, replayed) in recorded.into_iter().zip(replayed) {
        counts.compared += 1;
        if !counts.note(recorded, replayed, scale) {
            counts.outside += 1;
        }
    }
}

/// Instance and vertex of every record, in the recorder's order; vertices that no index names are left out.
fn records(draw: &Draw, replayed: &PostVs, order: PostVsOrder) -> impl Iterator<Item = (u32, i64)> + use<> {
    let mut vertices: Vec<i64> = VertexOrder::of(draw).vertices().collect();
    if order == PostVsOrder::Vertex {
        vertices.sort_unstable();
        vertices.dedup();
    }
    (0..replayed.instance_count).flat_map(move |i| vertices.clone().into_iter().map(move |v| (i, v)))
}

fn component_of(interface: &Interface, semantic: &Semantic) -> usize {
    let before = interface.outputs.iter().take_while(|o| o.semantic != *semantic);
    before.map(|o| o.components as usize).sum()
}

fn compare_images(
    set: &CaptureSet,
    plan: &Plan,
    dumps: &replay::capture::Dumps,
    outputs: &Outputs,
    tally: &mut Tally,
) {
    for (pass, output) in plan.passes.iter().zip(&outputs.passes) {
        for (place, target) in pass.targets.iter().enumerate() {
            let Some(dump) = dumps.targets.get(&(pass.id.clone(), place)) else { continue };
            let image = output.targets[place].as_ref().unwrap();
            let counts = tally.images.entry(format!("{} {}", pass.id, target.name)).or_default();
            counts.rule = rule(set, DumpKind::Target, &target.name);
            compare_image(counts, image, &dump.bytes);
        }
        if let Some(dump) = dumps.depths.get(&pass.id) {
            let counts = tally.images.entry(format!("{} depth", pass.id)).or_default();
            counts.rule = rule(set, DumpKind::Depth, &pass.id.0);
            compare_image(counts, output.depth.as_ref().unwrap(), &dump.bytes);
        }
    }
}

/// A pixel is covered where either side differs from the corner pixel, which the samples leave clear.
fn compare_image(counts: &mut Counts, image: &Image, recorded: &[u8]) {
    let (format, size) = (image.format, image.format.size());
    assert_eq!(image.bytes.len(), recorded.len());
    let clear = &recorded[..size];
    for (recorded, replayed) in recorded.chunks(size).zip(image.bytes.chunks(size)) {
        counts.compared += 1;
        if recorded == clear && replayed == clear {
            continue;
        }
        counts.covered += 1;
        let inside = (0..format.components()).fold(true, |inside, c| {
            let (a, b) = (format.component(recorded, c), format.component(replayed, c));
            counts.note(a, b, a.abs().max(b.abs())) && inside
        });
        counts.outside += u64::from(!inside);
    }
}

fn stand_ins(set: &CaptureSet, frame: &Frame) -> StandIns {
    let rule = |name: &str| {
        let mut rules = set.manifest().programs.iter();
        rules.find(|r| r.name.as_deref() == Some(name)).map(|r| r.shader.clone())
    };
    let programs = frame.file().programs.iter();
    programs
        .filter_map(|p| {
            let shader = rule(&p.name)?;
            let interface = interface(&shader);
            Some((p.id, StandIn { shader, interface, ..StandIn::default() }))
        })
        .collect()
}

/// The interface that captures/README.md, "The draw model" gives a shader.
fn interface(shader: &str) -> Interface {
    let (kind, pass) = shader.split_once('_').unwrap();
    let mut inputs = vec!["POSITION0"];
    let mut buffers = vec![("cbMatrixWVP", 128, false)];
    buffers.push(if kind == "grass" {
        ("cbInstanceData", 65_536, false)
    } else {
        ("cbObjMatrix", 12_288, false)
    });
    let mut outputs = vec![("SV_Position", 4)];
    let mut targets = vec![];
    match pass {
        "gbuffer" => {
            inputs.push("NORMAL0");
            outputs.push(("NORMAL", 3));
            targets.push("normal");
        }
        "motion" => {
            inputs.push("POSITION1");
            buffers.push(("cbPrevObjMatrix", 12_288, false));
            outputs.extend([("CURRENT_CLIP", 4), ("PREVIOUS_CLIP", 4)]);
            targets.push("velocity");
        }
        _ => {}
    }
    match kind {
        "skinned" => inputs.extend(["BLENDINDICES0", "BLENDWEIGHT0"]),
        "grass" => outputs.push(("FADE", 1)),
        _ => {}
    }
    if kind != "grass" {
        buffers.push(("cbInstanceData", 65_536, true));
    }
    buffers.push(("g_InstanceIndexBuffer", 0, true));
    Interface {
        inputs: (0..)
            .zip(inputs)
            .map(|(location, name)| InputNeed { semantic: Semantic::parse(name), location })
            .collect(),
        buffers: (0..)
            .zip(buffers)
            .map(|(binding, (name, declared_size, optional))| BufferNeed {
                name: name.into(),
                class: if name.starts_with("g_") { RegisterClass::Resource } else { RegisterClass::Constant },
                optional,
                set: 0,
                binding,
                declared_size,
            })
            .collect(),
        outputs: outputs
            .into_iter()
            .map(|(name, components)| VertexOutput { semantic: Semantic::parse(name), components })
            .collect(),
        targets: targets.into_iter().map(String::from).collect(),
    }
}
