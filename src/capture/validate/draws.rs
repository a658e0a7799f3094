//! Draws: counts, bindings, state and recorded outputs.

use std::collections::HashSet;

use super::lists::range;
use super::tables::{outcome, register, semantics, slot};
use super::{At, Checked};
use crate::abi::Register;
use crate::capture::blob::Length;
use crate::capture::error::Fault;
use crate::capture::manifest::{Draw, DrawState, PostVsOrder, PostVsRecord, RangeBinding};

/// The most vertices a draw may shade, instances multiplied in. The games' largest draws are below a million.
pub(crate) const VERTICES_MOST: u64 = 1 << 28;
/// Bytes of the largest element DXGI has.
const ELEMENT_MOST: u64 = 16;

pub(super) fn check(at: &At<'_>, draw: &Draw, checked: &mut Checked<'_>) -> Result<(), Fault> {
    let known = checked.passes.contains_key(&draw.pass);
    at.key("pass").expect(known, || format!("`{}`", draw.pass), "the id of a pass of this frame")?;
    let known = checked.programs.contains_key(&draw.program);
    at.key("program").expect(known, || draw.program.to_string(), "the id of a program of this frame")?;
    let count = counts(at, draw)?;
    if let Some(index) = &draw.index {
        range(&at.key("index"), index.buffer, index.offset, 0, checked)?;
    }
    let mut slots = HashSet::new();
    for (index, stream) in draw.streams.iter().enumerate() {
        let at = &at.item("streams", index);
        slot(&at.key("slot"), stream.slot.0)?;
        let right = slots.insert(stream.slot);
        at.key("slot").expect(right, || format!("{} again", stream.slot), "each slot once")?;
        range(at, stream.buffer, stream.offset, 0, checked)?;
    }
    let mut seen = HashSet::new();
    bindings(&at.key("constants"), &draw.constants, Register::constant, &mut seen, checked)?;
    bindings(&at.key("resources"), &draw.resources, Register::resource, &mut seen, checked)?;
    if let Some(drawn) = &draw.state {
        state(&at.key("state"), drawn)?;
    }
    if let Some(record) = draw.recorded.as_ref().and_then(|r| r.post_vs.as_ref()) {
        let at = at.key("recorded");
        post_vs(&at.key("post_vs"), draw, count, record, checked)?;
    }
    Ok(())
}

/// The draw's indices or vertices, whichever it counts in.
fn counts(at: &At<'_>, draw: &Draw) -> Result<u32, Fault> {
    let (count, kind, wrong) = match draw.index {
        Some(_) => (
            draw.index_count.ok_or_else(|| at.fault("an `index` without `index_count`", "both or neither")),
            "an indexed draw",
            [
                ("vertex_count", draw.vertex_count.is_some()),
                ("first_vertex", draw.first_vertex.is_some()),
                ("", false),
            ],
        ),
        None => (
            draw.vertex_count.ok_or_else(|| at.fault("neither `index` nor `vertex_count`", "one of the two")),
            "a draw without `index`",
            [
                ("index_count", draw.index_count.is_some()),
                ("first_index", draw.first_index.is_some()),
                ("base_vertex", draw.base_vertex.is_some()),
            ],
        ),
    };
    for (key, there) in wrong {
        at.key(key).expect(!there, || format!("the key in {kind}"), "no such key")?;
    }
    let count = count?;
    let shaded = u64::from(count) * u64::from(draw.instance_count);
    let found = || format!("{count} vertices in {} instances", draw.instance_count);
    at.expect(shaded <= VERTICES_MOST, found, "at most 268435456 vertices in all")?;
    Ok(count)
}

fn bindings(
    at: &At<'_>,
    bindings: &[RangeBinding],
    class: fn(u32, u32) -> Register,
    seen: &mut HashSet<Register>,
    checked: &Checked<'_>,
) -> Result<(), Fault> {
    for (index, binding) in bindings.iter().enumerate() {
        let at = &at.index(index);
        register(at, class(binding.register, binding.space), seen)?;
        range(at, binding.buffer, binding.offset, binding.size, checked)?;
    }
    Ok(())
}

fn state(at: &At<'_>, state: &DrawState) -> Result<(), Fault> {
    if let Some(letters) = &state.color_write {
        let mut seen = HashSet::new();
        let right = letters.chars().all(|letter| "rgba".contains(letter) && seen.insert(letter));
        let expected = "letters of `rgba`, each at most once";
        at.key("color_write").expect(right, || format!("`{letters}`"), expected)?;
    }
    if let Some(scissor) = state.scissor {
        let [x, y, width, height] = scissor;
        let edge = |n: Option<i64>| n.is_some_and(|n| i32::try_from(n).is_ok());
        let edges = [Some(x), Some(y), x.checked_add(width), y.checked_add(height)];
        let right = width >= 0 && height >= 0 && edges.into_iter().all(edge);
        let expected = "x, y and no negative size, with edges of 32 bits";
        at.key("scissor").expect(right, || format!("{scissor:?}"), expected)?;
    }
    Ok(())
}

/// What of a post-VS dump can be known without the index buffer: in `index` order a strip's restarts have no record,
/// so that only the comparison knows the exact number.
fn post_vs(
    at: &At<'_>,
    draw: &Draw,
    count: u32,
    record: &PostVsRecord,
    checked: &mut Checked<'_>,
) -> Result<(), Fault> {
    outcome(at, record.taken)?;
    let layout = &at.key("layout");
    layout.expect(!record.layout.is_empty(), || "no element".into(), "the elements of a record")?;
    semantics(layout, &record.layout)?;
    let most = record.layout.len() as u64 * ELEMENT_MOST;
    let sizes: Option<Vec<u64>> =
        record.layout.iter().map(|e| e.format.executable().map(|f| f.size() as u64)).collect();
    let exact = sizes.map(|sizes| sizes.iter().sum::<u64>());
    let instances = u64::from(draw.instance_count);
    let records = match record.order {
        PostVsOrder::Vertex => {
            let (Some(first), Some(vertices)) = (record.first_vertex, record.vertex_count) else {
                return Err(at.fault("`vertex` order without its range", "`first_vertex` and `vertex_count`"));
            };
            let end = i64::try_from(vertices).ok().and_then(|n| first.checked_add(n));
            let found = || format!("{vertices} vertices from {first} on, {instances} instances");
            let shaded = vertices.checked_mul(instances.max(1)).filter(|n| *n <= VERTICES_MOST);
            at.expect(end.is_some() && shaded.is_some(), found, "at most 268435456 vertices in all")?;
            vertices.saturating_mul(instances)
        }
        PostVsOrder::Index => u64::from(count).saturating_mul(instances),
    };
    let why = |size: u64| format!("{records} records of {size} bytes");
    let strip = record.order == PostVsOrder::Index && draw.index.is_some() && is_strip(draw);
    let length = match exact {
        None => Length::AtMost { bytes: records.saturating_mul(most), why: why(most) },
        Some(size) if strip && instances > 0 => Length::Groups {
            group: size.saturating_mul(instances),
            most: records.saturating_mul(size),
            why: format!("{instances} instances of records of {size} bytes"),
        },
        Some(size) => Length::Exactly { bytes: records.saturating_mul(size), why: why(size) },
    };
    checked.uses(&at.key("blob"), record.blob, length);
    Ok(())
}

fn is_strip(draw: &Draw) -> bool {
    use crate::abi::state::Topology;
    match draw.topology {
        Topology::LineStrip
        | Topology::TriangleStrip
        | Topology::LineStripAdj
        | Topology::TriangleStripAdj => true,
        Topology::PointList
        | Topology::LineList
        | Topology::TriangleList
        | Topology::LineListAdj
        | Topology::TriangleListAdj
        | Topology::PatchList => false,
    }
}
