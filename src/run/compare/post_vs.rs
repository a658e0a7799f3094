//! Vertex-stage outputs: the replayed records brought into the recorded order and layout.

use std::collections::BTreeSet;

use super::{Entry, Sides, Sink, WORST};
use crate::abi::{DxgiFormat, Format, Semantic};
use crate::capture::manifest::{PostVsOrder, Taken};
use crate::capture::{LoadedFrame, PostVsDump};
use crate::diff::locate::VertexPlace;
use crate::diff::{self, Comparison, FieldLayout, Layout, Recorded, Replayed, Request, Rules, SizeMismatch};
use crate::execute::PostVs;
use crate::finding::DumpKind;
use crate::plan::{Binding, Draw, DrawIndex, Plan, StandIn, StandIns, VertexOrder};
use crate::report::{DumpOwner, DumpReport};

/// Compares every execution of a draw that has recorded outputs.
pub(super) fn reports(sides: &Sides<'_>, rules: &Rules, sink: &mut Sink<'_>) -> Vec<DumpReport> {
    let mut reports = Vec::new();
    for (index, draw) in sides.plan.draws() {
        let Some(dump) = sides.loaded.dumps.post_vs.get(&draw.event) else { continue };
        let execution = sides.plan.instance_of(draw).ordinal;
        let owner = DumpOwner::Draw {
            event: draw.event.0,
            execution,
            pass: sides.plan.pass_of(draw).id.0.clone(),
            mesh: draw.mesh.as_ref().map(ToString::to_string),
        };
        let entry = Entry { frame: &sides.plan.frame, owner: owner.clone(), name: "post_vs".into() };
        reports.push(match shape(sides, dump, index, draw) {
            Err(Shape::NotCompared(why)) => entry.not_compared(why),
            Err(Shape::Wrong(why)) => entry.differs(why),
            Ok(side) => {
                let wanted = sink.is_wanted();
                let mut take = |d| sink.take(&sides.plan.frame, &owner, "post_vs", &d);
                let take: Option<&mut dyn FnMut(_)> = if wanted { Some(&mut take) } else { None };
                match side.compare(sides.plan, draw, rules, take) {
                    Ok((rule, comparison)) => entry.compared(rule, comparison),
                    Err(mismatch) => entry.differs(mismatch.to_string()),
                }
            }
        });
    }
    reports
}

/// Whether `produced` reproduces everything recorded of a draw, and something is recorded.
pub(in crate::run) fn matches(
    loaded: &LoadedFrame,
    stand_ins: &StandIns,
    plan: &Plan,
    index: DrawIndex,
    produced: &PostVs,
    rules: &Rules,
) -> bool {
    let draw = &plan.draws[index.0];
    let (Some(dump), Some(stand_in), Ok(binding)) =
        (loaded.dumps.post_vs.get(&draw.event), stand_ins.get(&draw.program), &draw.replay)
    else {
        return false;
    };
    let Ok(side) = Laid::new(dump, draw, binding, stand_in, produced) else { return false };
    side.compare(plan, draw, rules, None).is_ok_and(|(_, c)| c.compared > 0 && c.different == 0)
}

enum Shape {
    NotCompared(String),
    Wrong(String),
}

fn shape<'a>(
    sides: &Sides<'a>,
    dump: &'a PostVsDump,
    index: DrawIndex,
    draw: &Draw,
) -> Result<Laid<'a>, Shape> {
    if dump.record.taken == Taken::Late {
        return Err(Shape::NotCompared("recorded late".into()));
    }
    let binding = draw.replay.as_ref().map_err(|why| Shape::NotCompared(why.to_string()))?;
    if let Some(why) = sides.outputs.not_executed.get(&index) {
        return Err(Shape::NotCompared(why.clone()));
    }
    let produced = sides.outputs.post_vs.get(&index);
    let produced =
        produced.ok_or_else(|| Shape::NotCompared("the executor produced no vertex outputs".into()))?;
    let stand_in = sides.stand_ins.get(&draw.program);
    let stand_in = stand_in.ok_or_else(|| Shape::NotCompared("no stand-in for its program".into()))?;
    Laid::new(dump, draw, binding, stand_in, produced).map_err(Shape::Wrong)
}

/// A field of the recorded layout.
struct Recording {
    semantic: Semantic,
    format: Format,
    offset: usize,
    /// First component in the stand-in's record; `None` where the stand-in has no such output.
    at: Option<usize>,
}

/// A dump and what was replayed of it, in one layout.
struct Laid<'a> {
    dump: &'a PostVsDump,
    fields: Vec<Recording>,
    stride: usize,
    replayed: Vec<u8>,
    /// Instance and vertex number of each record.
    records: Vec<(u32, i64)>,
    /// Vertex numbers that some index names.
    named: BTreeSet<i64>,
    /// Of each record, whether the replay has it.
    replayed_record: Vec<bool>,
}

impl<'a> Laid<'a> {
    /// # Errors
    /// The dump has another number of records than the draw, or a format that cannot be decoded.
    fn new(
        dump: &'a PostVsDump,
        draw: &Draw,
        binding: &Binding,
        stand_in: &StandIn,
        produced: &PostVs,
    ) -> Result<Self, String> {
        let (fields, stride) = fields(dump, binding, stand_in)?;
        let order = VertexOrder::of(draw);
        let named: BTreeSet<i64> = order.vertices().collect();
        let vertices: Vec<i64> = match dump.record.order {
            PostVsOrder::Index => order.vertices().collect(),
            PostVsOrder::Vertex => {
                let first = dump.record.first_vertex.unwrap_or(0);
                let count = dump.record.vertex_count.unwrap_or(0);
                // As many as the bytes hold, so that no claimed number is trusted.
                let held = dump.bytes.len() as u64 / stride.max(1) as u64;
                (0..count.min(held)).map(|i| first + i as i64).collect()
            }
        };
        let expected = vertices.len() as u64 * u64::from(draw.instance_count) * stride as u64;
        if dump.bytes.len() as u64 != expected {
            return Err(format!(
                "recorded {} bytes; {} records of {stride} bytes ({} vertices, {} instances) are {expected}",
                dump.bytes.len(),
                vertices.len() as u64 * u64::from(draw.instance_count),
                vertices.len(),
                draw.instance_count
            ));
        }
        let mut laid = Self {
            dump,
            fields,
            stride,
            replayed: Vec::with_capacity(dump.bytes.len()),
            records: Vec::new(),
            named,
            replayed_record: Vec::new(),
        };
        for instance in 0..draw.instance_count {
            for vertex in &vertices {
                laid.push(instance, *vertex, produced);
            }
        }
        Ok(laid)
    }

    fn push(&mut self, instance: u32, vertex: i64, produced: &PostVs) {
        let record = produced.record(instance, vertex);
        self.records.push((instance, vertex));
        self.replayed_record.push(record.is_some());
        for field in &self.fields {
            let mut value = [0.0; 4];
            if let (Some(record), Some(at)) = (record, field.at) {
                for (to, from) in value.iter_mut().zip(record.get(at..).unwrap_or_default()) {
                    *to = *from;
                }
            }
            if field.format.kind() == crate::abi::NumberKind::Float32 {
                // Bits as they are, so that a NaN keeps its payload.
                let bytes = value.iter().take(field.format.components()).flat_map(|v| v.to_le_bytes());
                self.replayed.extend(bytes);
            } else {
                field.format.encode(value.map(f64::from), &mut self.replayed);
            }
        }
    }

    fn compare(
        &self,
        plan: &Plan,
        draw: &Draw,
        rules: &Rules,
        take: Option<&mut dyn FnMut(crate::finding::Difference)>,
    ) -> Result<(String, Comparison), SizeMismatch> {
        let layout = Layout {
            fields: self
                .fields
                .iter()
                .filter(|field| field.at.is_some())
                .map(|field| FieldLayout {
                    name: field.semantic.to_string(),
                    format: field.format,
                    offset: field.offset,
                    rule: rules.find(DumpKind::PostVs, &field.semantic.to_string(), field.format),
                    vector_relative: is_clip(&field.semantic),
                })
                .collect(),
            stride: self.stride,
        };
        let mut rule: Vec<String> = layout.fields.iter().map(|f| format!("{}: {}", f.name, f.rule)).collect();
        rule.dedup();
        let place = |record: usize, field: usize, component: usize| {
            let (instance, vertex) = self.records.get(record).copied().unwrap_or_default();
            VertexPlace {
                frame: &plan.frame,
                event: draw.event,
                pass: &plan.pass_of(draw).id,
                mesh: draw.mesh.as_ref().map(ToString::to_string),
                execution: plan.instance_of(draw).ordinal,
                index: (self.dump.record.order == PostVsOrder::Index).then_some(record),
                instance: (draw.instance_count > 1).then_some(instance),
                vertex,
                field: layout.fields.get(field).map_or("", |f| &f.name),
                component,
            }
            .to_string()
        };
        let skip = |record: usize| {
            let vertex = self.records.get(record).map(|(_, v)| v);
            if vertex.is_some_and(|v| !self.named.contains(v)) {
                return Some("components of vertices that no index names");
            }
            let replayed = self.replayed_record.get(record).copied().unwrap_or(false);
            (!replayed).then_some("components of vertices that were not replayed")
        };
        let request = Request { layout: &layout, place: &place, skip: &skip, keep_worst: WORST };
        let (recorded, replayed) = (Recorded(&self.dump.bytes), Replayed(&self.replayed));
        let mut comparison = match take {
            Some(take) => diff::compare(recorded, replayed, &request, take)?,
            None => diff::count(recorded, replayed, &request)?,
        };
        for field in self.fields.iter().filter(|f| f.at.is_none()) {
            let components = (field.format.components() * self.records.len()) as u64;
            let reason = format!("components of {}, which the stand-in does not yield", field.semantic);
            *comparison.left_out.entry(reason).or_insert(0) += components;
        }
        Ok((rule.join("; "), comparison))
    }
}

fn fields(
    dump: &PostVsDump,
    binding: &Binding,
    stand_in: &StandIn,
) -> Result<(Vec<Recording>, usize), String> {
    let mut fields = Vec::new();
    let mut offset = 0;
    for element in &dump.record.layout {
        let recorded = Semantic::new(element.semantic.as_str(), element.index);
        let DxgiFormat::Executable(format) = element.format else {
            return Err(format!("{recorded} is recorded as {}, which is not decoded", element.format.name()));
        };
        let semantic = stand_in.outputs.get(&recorded).cloned().unwrap_or(recorded);
        let mut at = 0;
        let mut found = None;
        for output in &binding.interface.outputs {
            if output.semantic == semantic {
                if output.components as usize != format.components() {
                    return Err(format!(
                        "{semantic} is recorded as {}; the stand-in yields {} components",
                        format.name(),
                        output.components
                    ));
                }
                found = Some(at);
            }
            at += output.components as usize;
        }
        fields.push(Recording { semantic, format, offset, at: found });
        offset += format.size();
    }
    if fields.iter().all(|f| f.at.is_none()) {
        return Err(
            "no recorded output is one of the stand-in's; map them with `outputs` in capture.toml".into()
        );
    }
    Ok((fields, offset))
}

/// Clip-space positions: their error follows the vector's largest component, since each component is a sum of
/// products of that size.
fn is_clip(semantic: &Semantic) -> bool {
    semantic.is_position() || semantic.name.to_ascii_uppercase().ends_with("_CLIP")
}
