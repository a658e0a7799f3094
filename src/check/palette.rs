//! Joint palettes: what skinned draws bind against what their programs declare.

use std::collections::BTreeSet;

use super::bound::{place, range};
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::abi::Semantic;
use crate::abi::records::Affine;
use crate::capture::manifest::InputElement;
use crate::finding::ClaimFindings;
use crate::plan::binding::OBJ_MATRIX;
use crate::plan::{Draw, VertexOrder};

/// Bytes the documents give for the joint buffer: 256 matrices of 48.
const WHOLE: u64 = (Affine::PALETTE * Affine::SIZE) as u64;
/// The model whose draws the documents count.
const MODEL: &str = "c3000";

pub(super) const PALETTE_EXTENT: Claim = Claim {
    id: "palette-extent",
    statement: "Skinned draws bind a joint buffer of 12,288 bytes, 256 affine matrices of 48, although their shader \
                declares six rows: the bound range, not the reflected extent, is the palette.",
    source: "FLVER nodes and skinning, \"Rigid and dynamic data\"",
    how: "Every draw whose program declares BLENDINDICES and cbObjMatrix: the bytes bound to cbObjMatrix, the bytes \
          declared, and the greatest entry that a vertex of the draw names with a weight above zero. A draw agrees if \
          it binds 12,288 bytes and its program declares fewer.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed skinned draws"),
        ("whole", "draws that bind 12,288 bytes"),
        ("c3000_draws", "of the draws, those of the model c3000"),
        ("c3000_whole", "of these, those that bind 12,288 bytes"),
        ("declared_rows_least", "rows of four floats that the program declares"),
        ("declared_rows_greatest", "rows of four floats that the program declares"),
        ("past_declared", "draws that use an entry past the declared rows"),
        ("entry_used_greatest", "greatest palette entry that a weight above zero names, counted from 0"),
    ],
    check: Some(palette_extent),
};

pub(super) const AFFINE_RECORD: Claim = Claim {
    id: "affine-record",
    statement: "A palette entry is 48 bytes: three rows of four floats, row i = (m_i0, m_i1, m_i2, t_i), the translation \
                in the fourth column.",
    source: "FLVER nodes and skinning, \"Rigid and dynamic data\"; Grass definitions and pivots, \"Grass in the running \
             game\"",
    how: "Every palette that a skinned draw binds is a whole number of 48-byte records, and every entry that a weight \
          above zero names has finite numbers and a 3 x 3 part that is not singular. That replayed draws reproduce the \
          record shows the rest.",
    kind: ClaimKind::Capture,
    figures: &[
        ("palettes", "palettes bound by skinned draws, each draw's counted"),
        ("whole_records", "of these, those of a whole number of 48-byte records"),
        ("entries", "entries named by weights above zero, each once a draw"),
        ("regular", "of these, those of finite numbers and a 3 x 3 part that is not singular"),
    ],
    check: Some(affine_record),
};

/// A skinned draw and its palette.
struct Skinned<'a> {
    draw: &'a Draw,
    declared: u64,
    bound: &'a crate::plan::BoundRange,
    used: BTreeSet<u64>,
}

fn skinned<'a>(frame: &CheckFrame<'a>) -> Vec<Skinned<'a>> {
    let of = |draw: &'a Draw| {
        let program = frame.frame.program(draw.program)?;
        let element = |name: &str| {
            let semantic = Semantic::new(name, 0);
            program.inputs.iter().find(|e| Semantic::new(e.semantic.as_str(), e.index) == semantic)
        };
        let indices = element("BLENDINDICES")?;
        let declared = program.constants.iter().find(|c| c.name == OBJ_MATRIX)?.size;
        let bound = range(frame, draw, OBJ_MATRIX)?;
        Some(Skinned { draw, declared, bound, used: used(draw, indices, element("BLENDWEIGHT")) })
    };
    frame.plan.draws.iter().filter_map(of).collect()
}

/// Entries that vertices of a draw name with a weight above zero.
fn used(draw: &Draw, indices: &InputElement, weights: Option<&InputElement>) -> BTreeSet<u64> {
    let vertices: BTreeSet<i64> = VertexOrder::of(draw).vertices().collect();
    let fetch = |element: &InputElement| {
        let (stream, format) = (draw.streams.get(&element.slot)?, element.format.executable()?);
        let bytes = stream.range.gather();
        let (stride, offset) = (i64::from(stream.stride), i64::from(element.offset));
        Some(move |vertex: i64| {
            let at = usize::try_from(vertex.checked_mul(stride)?.checked_add(offset)?).ok()?;
            bytes.get(at..at.checked_add(format.size())?).map(|bytes| format.decode(bytes))
        })
    };
    let (Some(indices), Some(weights)) = (fetch(indices), weights.and_then(fetch)) else {
        return BTreeSet::new();
    };
    let named = vertices.into_iter().filter_map(|v| Some((indices(v)?, weights(v)?)));
    named.flat_map(|(i, w)| i.into_iter().zip(w)).filter(|(_, w)| *w > 0.0).map(|(i, _)| i as u64).collect()
}

fn palette_extent(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        for Skinned { draw, declared, bound, used } in skinned(frame) {
            let whole = bound.size == WHOLE;
            found.add(name, "draws", 1);
            found.add(name, "whole", whole.into());
            if draw.mesh.as_ref().is_some_and(|mesh| mesh.model == MODEL) {
                found.add(name, "c3000_draws", 1);
                found.add(name, "c3000_whole", whole.into());
            }
            found.count_range(name, "declared_rows", declared / 16);
            let greatest = used.last().copied();
            if let Some(greatest) = greatest {
                found.most(name, "entry_used_greatest", greatest);
            }
            let past = greatest.is_some_and(|entry| (entry + 1) * Affine::SIZE as u64 > declared);
            found.add(name, "past_declared", past.into());
            found.case(whole && declared < bound.size, || {
                format!("{} binds {} bytes and declares {declared}", place(frame, draw), bound.size)
            });
        }
    }
    found
}

fn affine_record(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        for Skinned { draw, bound, used, .. } in skinned(frame) {
            let whole = bound.size.is_multiple_of(Affine::SIZE as u64);
            let bytes = bound.gather();
            let regular = |entry: &&u64| {
                let at = usize::try_from(**entry).ok().and_then(|e| e.checked_mul(Affine::SIZE));
                at.and_then(|at| crate::abi::records::read_at(&bytes, at)).is_some_and(is_regular)
            };
            let regulars = used.iter().filter(regular).count() as u64;
            found.add(name, "palettes", 1);
            found.add(name, "whole_records", whole.into());
            found.add(name, "entries", used.len() as u64);
            found.add(name, "regular", regulars);
            found.case(whole && regulars == used.len() as u64, || {
                let odd = used.len() as u64 - regulars;
                format!(
                    "{}: palette of {} bytes, {odd} entries in use not regular",
                    place(frame, draw),
                    bound.size
                )
            });
        }
    }
    found
}

fn is_regular(entry: Affine) -> bool {
    let [x, y, z] = entry.rows_f64().map(|row| row.truncate());
    entry.rows.iter().flatten().all(|v| v.is_finite()) && x.cross(y).dot(z) != 0.0
}
