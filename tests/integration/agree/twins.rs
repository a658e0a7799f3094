//! Both executors on one plan, and the comparison of what they produced.

use replay::abi::Format;
use replay::diff::edges::ScreenTriangle;
use replay::diff::rule::default_rule;
use replay::diff::{
    Comparison, FieldLayout, ImageRequest, Layout, Recorded, Replayed, Request, compare, compare_image,
};
use replay::execute::reference::Reference;
use replay::execute::vulkan::Vulkan;
use replay::execute::{Executor, Image, Outputs, PostVs, primitives};
use replay::finding::DumpKind;
use replay::plan::{Draw, DrawIndex, PassIndex, PieceSource, Plan, Start, Swaps, VertexOrder};
use replay::run::DeviceChoice;

use super::set::OddSet;
use crate::support::vulkan_device;

/// The executors. Without a Vulkan device the reference is alone, and only the values computed by hand are checked.
pub(crate) struct Twins {
    reference: Reference,
    vulkan: Option<Vulkan>,
}

/// A plan and what each executor made of it.
pub(crate) struct Both {
    pub(crate) plan: Plan,
    pub(crate) sides: Vec<(&'static str, Outputs)>,
}

impl Twins {
    pub(crate) fn open() -> Self {
        let vulkan = vulkan_device().map(|choice| {
            let DeviceChoice::Index(index) = choice else { panic!("{choice:?}") };
            let vulkan = Vulkan::open(index, true).unwrap();
            if !vulkan.validation_active() {
                let required = std::env::var_os("REPLAY_REQUIRE_VULKAN").is_some_and(|v| v == "1");
                assert!(!required, "REPLAY_REQUIRE_VULKAN=1, and the validation layer is not installed");
                println!("not checked: the validation layer is not installed");
            }
            vulkan
        });
        Self { reference: Reference::default(), vulkan }
    }

    /// Replays a set on each executor: both must execute every draw and agree by the default rules, and the validation
    /// layer must be silent.
    pub(crate) fn replay(&mut self, set: &OddSet) -> Both {
        self.execute(set.plan(Swaps::default()))
    }

    /// As [`replay`](Self::replay), of what a device may lack: then it must say so, and the reference is alone.
    pub(crate) fn replay_where_possible(&mut self, set: &OddSet) -> Both {
        let plan = set.plan(Swaps::default());
        let mut both = self.execute_unlike(plan.clone());
        let refused: Vec<_> = both.sides.last().unwrap().1.not_executed.values().cloned().collect();
        let Some(reason) = refused.first() else { return self.execute(plan) };
        assert!(refused.iter().all(|r| r.starts_with("the device cannot")), "{refused:?}");
        println!("not checked on the device: {reason}");
        both.sides.truncate(1);
        both
    }

    /// As [`replay`](Self::replay), of a plan.
    pub(crate) fn execute(&mut self, plan: Plan) -> Both {
        let both = self.execute_unlike(plan);
        for (name, outputs) in &both.sides {
            assert!(outputs.not_executed.is_empty(), "{name}: {:?}", outputs.not_executed);
        }
        if let [(_, reference), (_, vulkan)] = both.sides.as_slice() {
            let found = differences(&both.plan, reference, vulkan);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
        both
    }

    /// As [`execute`](Self::execute), but the executors need not agree.
    pub(crate) fn execute_unlike(&mut self, plan: Plan) -> Both {
        let mut sides = vec![("reference", self.reference.execute(&plan).unwrap())];
        if let Some(vulkan) = &mut self.vulkan {
            let said = vulkan.validation_messages().len();
            sides.push(("vulkan", vulkan.execute(&plan).unwrap()));
            let messages = vulkan.validation_messages();
            assert!(messages.len() == said, "{}", messages.join("\n"));
        }
        for (name, outputs) in &sides {
            check_buffers(name, &plan, outputs);
        }
        Both { plan, sides }
    }
}

impl Both {
    /// Asserts a vertex's outputs on each executor, within 1e-6 of the expected ones or of their size.
    pub(crate) fn expect(&self, draw: usize, instance: u32, vertex: i64, expected: &[f32]) {
        for (name, outputs) in &self.sides {
            let post_vs = &outputs.post_vs[&DrawIndex(draw)];
            let found = post_vs.record(instance, vertex).unwrap();
            let near = found.len() == expected.len()
                && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
            let at = format!("{name}, draw {draw}, instance {instance}, vertex {vertex}");
            assert!(near, "{at}: {found:?}, expected {expected:?}");
        }
    }

    /// Asserts a vertex's clip-space position.
    pub(crate) fn expect_position(&self, draw: usize, instance: u32, vertex: i64, expected: [f32; 3]) {
        for (name, outputs) in &self.sides {
            let found = &outputs.post_vs[&DrawIndex(draw)].record(instance, vertex).unwrap()[..4];
            let [x, y, z] = expected;
            let near =
                found.iter().zip([x, y, z, 1.0]).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
            let at = format!("{name}, draw {draw}, instance {instance}, vertex {vertex}");
            assert!(near, "{at}: {found:?}, expected {expected:?}");
        }
    }

    /// Asserts a pixel of a pass's first target on each executor, within one step of the format.
    pub(crate) fn expect_pixel(&self, pass: usize, (x, y): (u32, u32), expected: [f64; 4]) {
        for (name, outputs) in &self.sides {
            let image = outputs.passes[pass].targets[0].as_ref().unwrap();
            let found = pixel(image, x, y);
            let step = image.format.step(1.0) * 1.001;
            let channels = image.format.components();
            let near = found.iter().zip(expected).take(channels).all(|(a, b)| (a - b).abs() <= step);
            assert!(near, "{name}, pass {pass}, pixel {x}, {y}: {found:?}, expected {expected:?}");
        }
    }

    /// Asserts a depth on each executor.
    pub(crate) fn expect_depth(&self, pass: usize, (x, y): (u32, u32), expected: f64) {
        for (name, outputs) in &self.sides {
            let found = pixel(outputs.passes[pass].depth.as_ref().unwrap(), x, y)[0];
            assert!(
                (found - expected).abs() <= 1e-6,
                "{name}, pass {pass}, depth at {x}, {y}: {found}, expected {expected}"
            );
        }
    }

    /// Asserts the final contents of a buffer.
    pub(crate) fn expect_buffer(&self, id: u64, expected: &[u8]) {
        for (name, outputs) in &self.sides {
            assert_eq!(outputs.buffers[&replay::abi::BufferId(id)], expected, "{name}, buffer {id}");
        }
    }
}

fn pixel(image: &Image, x: u32, y: u32) -> [f64; 4] {
    let size = image.format.size();
    image.format.decode(&image.bytes[(y * image.width + x) as usize * size..][..size])
}

/// Known bytes at the frame's end, of every buffer that the executor holds, are those that the plan follows.
fn check_buffers(name: &str, plan: &Plan, outputs: &Outputs) {
    for (id, buffer) in &plan.buffers {
        let mut at = 0;
        for piece in &buffer.end {
            let len = piece.len as usize;
            if let PieceSource::Known { bytes, .. } = &piece.source {
                let held = &outputs.buffers[id][at..at + len];
                assert!(held == &bytes[..], "{name}: buffer {id} differs in bytes {at}..{}", at + len);
            }
            at += len;
        }
    }
}

/// What of two executors' outputs is not admitted by the default rules, worded.
pub(crate) fn differences(plan: &Plan, one: &Outputs, other: &Outputs) -> Vec<String> {
    let mut found = Vec::new();
    if one.not_executed.keys().ne(other.not_executed.keys()) {
        found.push(format!("not executed: {:?} and {:?}", one.not_executed, other.not_executed));
    }
    if one.post_vs.keys().ne(other.post_vs.keys()) {
        found.push("vertex outputs of other draws".to_owned());
    }
    for (index, a) in &one.post_vs {
        let draw = &plan.draws[index.0];
        let Some(b) = other.post_vs.get(index) else { continue };
        let shape =
            |p: &PostVs| (p.components, p.first_vertex, p.vertex_count, p.instance_count, p.data.len());
        if shape(a) != shape(b) {
            found.push(format!("event {}: records {:?} and {:?}", draw.event, shape(a), shape(b)));
            continue;
        }
        let comparison = compare_records(draw, a, b);
        note(&mut found, &format!("event {} of {}", draw.event, draw.program_name), &comparison);
    }
    if one.passes.len() != other.passes.len() {
        found.push(format!("{} and {} passes", one.passes.len(), other.passes.len()));
    }
    for (place, (a, b)) in one.passes.iter().zip(&other.passes).enumerate() {
        let pass = &plan.passes[place];
        let pairs = a.targets.iter().zip(&b.targets).zip(&pass.targets);
        for ((a, b), target) in pairs {
            let clear = match &target.start {
                Start::Clear(color) => Some(*color),
                Start::Keep(_) => None,
            };
            let at = At { plan, outputs: one, place: PassIndex(place), name: &target.name, clear };
            image(&mut found, &at, DumpKind::Target, a.as_ref(), b.as_ref());
        }
        let clear = pass.depth.as_ref().and_then(|d| match &d.start {
            Start::Clear(depth) => Some([*depth, 0.0, 0.0, 0.0]),
            Start::Keep(_) => None,
        });
        let at = At { plan, outputs: one, place: PassIndex(place), name: "depth", clear };
        image(&mut found, &at, DumpKind::Depth, a.depth.as_ref(), b.depth.as_ref());
    }
    found
}

fn note(found: &mut Vec<String>, what: &str, comparison: &Comparison) {
    if comparison.different > 0 {
        let worst: Vec<_> = comparison
            .worst
            .iter()
            .map(|d| {
                format!("{} {}[{}]: {:?} and {:?}", d.place, d.field, d.component, d.recorded, d.replayed)
            })
            .collect();
        let (different, compared) = (comparison.different, comparison.compared);
        found.push(format!("{what}: {different} of {compared} differ\n  {}", worst.join("\n  ")));
    }
}

fn compare_records(draw: &Draw, a: &PostVs, b: &PostVs) -> Comparison {
    let binding = draw.replay.as_ref().unwrap();
    let mut offset = 0;
    let fields = binding.interface.outputs.iter().map(|output| {
        let format = match output.components {
            1 => Format::R32Float,
            2 => Format::R32G32Float,
            3 => Format::R32G32B32Float,
            _ => Format::R32G32B32A32Float,
        };
        let name = output.semantic.name.to_string();
        let rule = default_rule(DumpKind::PostVs, &name, format);
        let vector_relative = name.eq_ignore_ascii_case("SV_POSITION") || name.ends_with("_CLIP");
        let field = FieldLayout { name, format, offset, rule, vector_relative };
        offset += format.size();
        field
    });
    let fields: Vec<_> = fields.collect();
    let layout = Layout { fields, stride: a.components as usize * 4 };
    let count = a.vertex_count.max(1) as usize;
    let mut named = vec![false; count];
    for vertex in VertexOrder::of(draw).vertices().filter(|_| a.vertex_count > 0) {
        named[(vertex - a.first_vertex) as usize] = true;
    }
    let place = |record: usize, _: usize, _: usize| {
        format!("instance {}, vertex {}", record / count, a.first_vertex + (record % count) as i64)
    };
    let skip = |record: usize| (!named[record % count]).then_some("vertices that no index names");
    let request = Request { layout: &layout, place: &place, skip: &skip, keep_worst: 8 };
    let bytes = |p: &PostVs| p.data.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    compare(Recorded(&bytes(a)), Replayed(&bytes(b)), &request, &mut |_| {}).unwrap()
}

struct At<'a> {
    plan: &'a Plan,
    outputs: &'a Outputs,
    place: PassIndex,
    name: &'a str,
    clear: Option<[f64; 4]>,
}

fn image(found: &mut Vec<String>, at: &At<'_>, kind: DumpKind, a: Option<&Image>, b: Option<&Image>) {
    let pass = &at.plan.passes[at.place.0];
    let what = format!("pass {} {}", pass.id, at.name);
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (None, None) => return,
        _ => return found.push(format!("{what}: an image of one side only")),
    };
    let rule = default_rule(kind, at.name, a.format);
    let triangles = || screen_triangles(at.plan, at.outputs, at.place);
    let request = ImageRequest {
        frame: &at.plan.frame,
        pass: &pass.id,
        name: at.name,
        width: a.width,
        height: a.height,
        format: a.format,
        clear: at.clear,
        rule: &rule,
        triangles: &triangles,
        keep_worst: 8,
    };
    note(
        found,
        &what,
        &compare_image(Recorded(&a.bytes), Replayed(&b.bytes), &request, &mut |_| {}).unwrap(),
    );
}

/// The triangles of a pass on the screen, cut off before the eye and at the far plane.
fn screen_triangles(plan: &Plan, outputs: &Outputs, pass: PassIndex) -> Vec<ScreenTriangle> {
    let [x, y, width, height, ..] = plan.passes[pass.0].viewport.map(f64::from);
    let mut triangles = Vec::new();
    for (index, draw) in plan.draws().filter(|(_, draw)| draw.pass == pass) {
        let Some(post_vs) = outputs.post_vs.get(&index) else { continue };
        for triangle in primitives::triangles(draw) {
            for instance in 0..draw.instance_count {
                let mut polygon: Vec<[f64; 4]> = triangle
                    .iter()
                    .map(|vertex| post_vs.record(instance, *vertex).unwrap())
                    .map(|record| std::array::from_fn(|i| f64::from(record[i])))
                    .collect();
                if polygon.iter().flatten().any(|v| !v.is_finite()) {
                    continue;
                }
                let planes: [fn(&[f64; 4]) -> f64; 3] = [|p| p[3] - 1e-9, |p| p[2], |p| p[3] - p[2]];
                for inside in planes {
                    polygon = clipped(&polygon, inside);
                }
                let screen = polygon
                    .iter()
                    .map(|p| [x + (p[0] / p[3] + 1.0) / 2.0 * width, y + (1.0 - p[1] / p[3]) / 2.0 * height]);
                let screen: Vec<_> = screen.collect();
                if let [first, rest @ ..] = screen.as_slice() {
                    triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                }
            }
        }
    }
    triangles
}

fn clipped(polygon: &[[f64; 4]], inside: fn(&[f64; 4]) -> f64) -> Vec<[f64; 4]> {
    let mut out = Vec::new();
    for (i, from) in polygon.iter().enumerate() {
        let to = &polygon[(i + 1) % polygon.len()];
        let (a, b) = (inside(from), inside(to));
        if a >= 0.0 {
            out.push(*from);
        }
        if (a >= 0.0) != (b >= 0.0) {
            out.push(std::array::from_fn(|k| from[k] + (to[k] - from[k]) * (a / (a - b))));
        }
    }
    out
}
