//! Buffers at a frame's end.

use std::borrow::Cow;

use super::{Entry, Sides, Sink, WORST};
use crate::abi::records::Affine;
use crate::abi::{BufferId, Format, Semantic};
use crate::capture::manifest::Taken;
use crate::capture::{Dump, Frame};
use crate::diff::locate::BufferPlace;
use crate::diff::{self, FieldLayout, Layout, Recorded, Replayed, Request, Rule, Rules};
use crate::finding::DumpKind;
use crate::plan::binding::{OBJ_MATRIX, PREV_OBJ_MATRIX};
use crate::plan::{Piece, PieceSource, Plan, unknown_at_end};
use crate::report::{DumpOwner, DumpReport};

/// Compares every recorded final content of a frame.
pub(super) fn reports(sides: &Sides<'_>, rules: &Rules, sink: &mut Sink<'_>) -> Vec<DumpReport> {
    let finals = &sides.loaded.dumps.finals;
    finals.iter().map(|(id, dump)| report(sides, *id, dump, rules, sink)).collect()
}

fn report(sides: &Sides<'_>, id: BufferId, dump: &Dump, rules: &Rules, sink: &mut Sink<'_>) -> DumpReport {
    let frame = sides.plan.frame.as_str();
    let planned = sides.plan.buffers.get(&id);
    let name = planned.map_or("", |b| b.name.as_str());
    let owner = DumpOwner::Buffer(id.0, name.to_owned());
    let entry = Entry { frame, owner: owner.clone(), name: "final".into() };
    if dump.taken == Taken::Late {
        return entry.not_compared("recorded late");
    }
    if sides.loaded.frame.buffer(id).is_some_and(|b| b.gpu_written) {
        return entry.not_compared("work that is not replayed also writes it");
    }
    let (Some(planned), Some(bytes)) = (planned, sides.outputs.buffers.get(&id)) else {
        return entry.not_compared("the executor produced no contents of this buffer");
    };
    if bytes.len() != dump.bytes.len() {
        return entry.differs(format!("recorded {} bytes, replayed {}", dump.bytes.len(), bytes.len()));
    }
    let rule = rules.find(DumpKind::Buffer, name, Format::R32Uint);
    let named = NamedLayout::of(sides.plan, &sides.loaded.frame, id);
    let layout = named.with_rule(&rule);
    let stride = layout.stride;
    let spans = comparable(&planned.end);
    // Records reach to a whole number past the end, filled alike on both sides.
    let (recorded, replayed) = (padded(&dump.bytes, stride), padded(bytes, stride));
    let skip = |record: usize| skip_reason(&spans, record * stride, (record + 1) * stride);
    let place = |record: usize, field: usize, component: usize| {
        let field = layout.fields.get(field);
        let at = field.map_or(0, |f| f.offset + component * f.format.size() / f.format.components());
        let field = field.map_or("", |f| f.name.as_str());
        BufferPlace {
            frame,
            buffer: id,
            name,
            offset: (record * stride + at) as u64,
            record,
            field,
            component,
        }
        .to_string()
    };
    let request = Request { layout: &layout, place: &place, skip: &skip, keep_worst: WORST };
    let mut take = |d| sink.take(frame, &owner, "final", &d);
    let comparison = diff::compare(Recorded(&recorded), Replayed(&replayed), &request, &mut take);
    match (comparison, unknown_at_end(sides.plan, id)) {
        (Err(mismatch), _) => entry.differs(mismatch.to_string()),
        (Ok(comparison), Some(why)) if comparison.compared == 0 => entry.not_compared(why),
        (Ok(comparison), _) => entry.compared(rule.to_string(), comparison),
    }
}

/// A run of a buffer's bytes that is left out, with the reason.
type Span = (usize, usize, &'static str);

/// What is left out of a buffer's comparison: bytes the plan does not know, and bytes that rest on late contents.
fn comparable(end: &[Piece]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    for piece in end {
        let next = at + piece.len as usize;
        match piece.source {
            PieceSource::Unknown(_) => spans.push((at, next, "elements of unknown bytes")),
            PieceSource::Known { late: true, .. } => spans.push((at, next, "elements of late bytes")),
            PieceSource::Known { .. } => {}
        }
        at = next;
    }
    spans
}

fn skip_reason(spans: &[Span], from: usize, to: usize) -> Option<&'static str> {
    let after = spans.partition_point(|(_, end, _)| *end <= from);
    spans.get(after).filter(|(start, ..)| *start < to).map(|(.., why)| *why)
}

fn padded(bytes: &[u8], stride: usize) -> Cow<'_, [u8]> {
    if bytes.len().is_multiple_of(stride) {
        return Cow::Borrowed(bytes);
    }
    let mut all = bytes.to_vec();
    all.resize(bytes.len().next_multiple_of(stride), 0);
    Cow::Owned(all)
}

/// The record a buffer is made of, as far as the frame's draws tell.
struct NamedLayout {
    fields: Vec<(String, Format, usize)>,
    stride: usize,
}

impl NamedLayout {
    /// The layout of the vertices of a buffer that is bound as a stream from its start, of the entries of one that is
    /// bound as a palette; else plain words.
    fn of(plan: &Plan, frame: &Frame, id: BufferId) -> Self {
        for draw in &plan.draws {
            let stream = draw.streams.iter().find(|(_, s)| s.range.buffer == id && s.range.offset == 0);
            if let (Some((slot, stream)), Some(program)) = (stream, frame.program(draw.program)) {
                let stride = stream.stride as usize;
                let elements = program.inputs.iter().filter(|e| e.slot == *slot);
                let fields: Vec<_> = elements
                    .filter_map(|e| {
                        let semantic = Semantic::new(e.semantic.as_str(), e.index).to_string();
                        Some((semantic, e.format.executable()?, e.offset as usize))
                    })
                    .collect();
                let words = Self::gaps(&fields, stride);
                if let Some(words) = words {
                    return Self { fields: fields.into_iter().chain(words).collect(), stride };
                }
            }
            let palette = draw.replay.as_ref().is_ok_and(|binding| {
                let mut palettes = binding
                    .buffers
                    .iter()
                    .filter(|b| [OBJ_MATRIX, PREV_OBJ_MATRIX].contains(&b.need.name.as_str()));
                palettes.any(|b| {
                    let range = b.register.and_then(|register| draw.buffers.get(&register));
                    range.is_some_and(|r| r.buffer == id && r.offset == 0)
                })
            });
            if palette {
                let row = |i: usize| (format!("entry row {i}"), Format::R32G32B32A32Float, 16 * i);
                return Self { fields: (0..3).map(row).collect(), stride: Affine::SIZE };
            }
        }
        Self { fields: vec![("word".into(), Format::R32Uint, 0)], stride: 4 }
    }

    /// Words for the bytes of a stride that no field covers, so that every byte is compared; `None` where fields
    /// overlap, reach past the stride or leave bytes that make no whole word.
    fn gaps(fields: &[(String, Format, usize)], stride: usize) -> Option<Vec<(String, Format, usize)>> {
        let mut spans: Vec<_> = fields.iter().map(|(_, format, at)| (*at, at + format.size())).collect();
        spans.sort_unstable();
        let mut words = Vec::new();
        let mut at = 0;
        for (start, end) in spans.into_iter().chain([(stride, stride)]) {
            if start < at || (start - at) % 4 != 0 {
                return None;
            }
            words.extend((at..start).step_by(4).map(|o| (format!("byte {o}"), Format::R32Uint, o)));
            at = end;
        }
        (stride > 0 && at == stride).then_some(words)
    }

    fn with_rule(&self, rule: &Rule) -> Layout {
        let field = |(name, format, offset): &(String, Format, usize)| FieldLayout {
            name: name.clone(),
            format: *format,
            offset: *offset,
            rule: rule.clone(),
            vector_relative: false,
        };
        Layout { fields: self.fields.iter().map(field).collect(), stride: self.stride }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_between_fields_are_compared_as_words() {
        let fields = vec![
            ("POSITION0".into(), Format::R32G32B32Float, 0),
            ("NORMAL".into(), Format::R8G8B8A8Unorm, 16),
        ];
        let words: Vec<_> = NamedLayout::gaps(&fields, 24).unwrap().into_iter().map(|w| w.2).collect();
        assert_eq!(words, [12, 20]);
    }

    #[test]
    fn overlapping_fields_make_no_layout() {
        let fields = vec![("A".into(), Format::R32Uint, 0), ("B".into(), Format::R32Uint, 2)];
        assert!(NamedLayout::gaps(&fields, 8).is_none());
        assert!(NamedLayout::gaps(&[("A".into(), Format::R32G32B32Float, 0)], 8).is_none());
    }

    #[test]
    fn a_record_is_left_out_when_any_of_its_bytes_is_unknown() {
        let spans = [(10, 20, "unknown")];
        let skipped: Vec<_> = (0..6).map(|r| skip_reason(&spans, r * 5, r * 5 + 5).is_some()).collect();
        assert_eq!(skipped, [false, false, true, true, false, false]);
    }
}
