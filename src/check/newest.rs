//! How new the contents of position buffers are: which member of a pair is the newest, how far members differ from the
//! file and from each other, and objects with a single replaced buffer.

use std::collections::BTreeSet;

use glam::DVec3;

use super::pairs::{BODY, FACE, Pair, Pairs, all, file_stream, stream};
use super::{CheckInput, Claim, ClaimKind};
use crate::abi::records::PositionVertex;
use crate::capture::manifest::BufferUsage;
use crate::finding::{ClaimFindings, Figure};
use crate::plan::{Draw, PieceSource, VertexOrder, Writer};

const SECTION: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

/// A vertex that the frame moves less than this says nothing about the order of contents.
const DISPLACED: f64 = 1e-6;
/// Members further apart than this do not hold one shape at two moments. The documents' far pairs are 6.8 units apart,
/// the others at most 0.0053.
const FAR: f64 = 1.0;

pub(super) const PAIR_NEWEST: Claim = Claim {
    id: "pair-newest",
    statement: "The buffer a frame writes holds the newest positions: with S its contents at the frame's start, W the bytes \
                written and O the other buffer, O lies between S and W. In 21 of 27 pairs of one frame at a median \
                fraction of 0.45 to 0.59, with 99.7 to 100 % of the displaced vertices between 0.1 and 0.9; the other 6 \
                are 57-vertex buffers whose members are 6.8 units apart.",
    source: SECTION,
    how: "Every pair of which the frame writes one member, once a frame. For each vertex with |W - S| > 1e-6, \
          t = (O - S).(W - S) / |W - S|^2. A pair is far if a vertex of W and O is more than 1 unit apart. A near pair \
          agrees if its median t is in 0.1..0.9. Pairs with late S or O are left out.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs of which the frame writes one member, with known contents"),
        ("near_pairs", "pairs whose members are at most 1 unit apart"),
        ("far_pairs", "pairs whose members are further apart"),
        ("median_least", "least median fraction t of a near pair"),
        ("median_greatest", "greatest median fraction t of a near pair"),
        ("share_least", "least share, in 0..1, of a near pair's displaced vertices with t in 0.1..0.9"),
        ("share_greatest", "greatest such share"),
        (
            "far_separation_least",
            "least distance of a far pair's members, in units, at its most distant vertex",
        ),
        ("far_separation_greatest", "greatest such distance"),
        ("far_vertices_least", "least number of vertices of a far pair"),
        ("far_vertices_greatest", "greatest number of vertices of a far pair"),
    ],
    check: Some(pair_newest),
};

pub(super) const PAIR_DELTA: Claim = Claim {
    id: "pair-delta",
    statement: "The two members differ from the file's stream by up to 0.18 units (face) and 0.19 (body), and from each \
                other by 0.0002 to 0.0053.",
    source: SECTION,
    how: "Positions of both members after the frame's writes, at every vertex the draws fetch: greatest distance from the \
          file's stream (a static buffer whose origin is that mesh's stream 0, bound or not), and for each pair the \
          greatest distance between its members. Late contents are left out.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs with known contents and a file stream"),
        ("face_greatest", "greatest distance of an FC_M_0200 member from the file, in units"),
        ("body_greatest", "greatest distance of a BD_M_9040 member from the file, in units"),
        ("between_least", "least, over the pairs, of the greatest distance between the members, in units"),
        ("between_greatest", "greatest such distance, in units"),
    ],
    check: Some(pair_delta),
};

pub(super) const OBJECT_SINGLE: Claim = Claim {
    id: "object-single",
    statement: "The objects o113100, o113110 and o113120, whose meshes have two vertex buffers, have their first replaced \
                by one buffer written each frame, and move by up to 3 units from the stored positions.",
    source: SECTION,
    how: "Every mesh that draws its positions from one dynamic buffer (no pair) and has the file's stream 0 as a static \
          buffer, once a frame. It agrees if the frame writes every byte that the draw reads of the buffer. Distances \
          are those of its positions from the file's.",
    kind: ClaimKind::Capture,
    figures: &[
        ("objects", "different models"),
        ("buffers", "dynamic buffers, counted in each frame"),
        ("written", "of those, written in the frame"),
        ("move_least", "least, over the buffers, of the greatest distance from the file, in units"),
        ("move_greatest", "greatest such distance, in units"),
    ],
    check: Some(object_single),
};

fn pair_newest(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for pairs in all(&input.frames) {
        let frame = pairs.frame_name();
        for pair in pairs.pairs.values() {
            let Some(written) = pair.written_member() else { continue };
            let contents = pairs.at_start(pair, written).and_then(|s| {
                Ok((s, pairs.at_end(pair, written)?, pairs.at_start(pair, pair.partner(written))?))
            });
            let (start, new, other) = match contents {
                Ok(contents) => contents,
                Err(why) => {
                    found.leave_out(&format!("pairs with {why}"));
                    continue;
                }
            };
            found.add(frame, "pairs", 1);
            let separation = greatest_distance(&new, &other);
            found.add(frame, "near_pairs", u64::from(separation <= FAR));
            found.add(frame, "far_pairs", u64::from(separation > FAR));
            if separation > FAR {
                found.range(frame, "far_separation", separation);
                found.count_range(frame, "far_vertices", new.len() as u64);
                continue;
            }
            let fractions = fractions(&start, &new, &other);
            let Some(median) = median(fractions.clone()) else {
                found.leave_out("near pairs without a displaced vertex");
                continue;
            };
            let between = fractions.iter().filter(|t| (0.1..=0.9).contains(*t)).count();
            found.range(frame, "median", median);
            found.range(frame, "share", between as f64 / fractions.len() as f64);
            found.case((0.1..=0.9).contains(&median), || {
                format!("frame {frame} {} buffer {}: median fraction {median:.3}", pair.mesh, written.buffer)
            });
        }
    }
    found
}

/// How far along each displacement the other buffer lies.
fn fractions(start: &[DVec3], new: &[DVec3], other: &[DVec3]) -> Vec<f64> {
    let vertices = start.iter().zip(new).zip(other);
    let fraction = |((s, w), o): ((&DVec3, &DVec3), &DVec3)| {
        let path = *w - *s;
        (path.length() > DISPLACED).then(|| (*o - *s).dot(path) / path.length_squared())
    };
    vertices.filter_map(fraction).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = *values.get(half)?;
    Some(if values.len().is_multiple_of(2) { (values.get(half - 1)? + upper) / 2.0 } else { upper })
}

pub(super) fn greatest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    // A NaN is no small distance: it stays.
    let distances = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, |most, d| if d.is_nan() || d > most { d } else { most })
}

fn pair_delta(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for pairs in all(&input.frames) {
        let frame = pairs.frame_name();
        for pair in pairs.pairs.values() {
            let Some(file) = pairs.of_file(pair) else {
                found.leave_out("pairs without the file's stream");
                continue;
            };
            let [a, b] = pair.members.map(|member| pairs.at_end(pair, member));
            let (a, b) = match (a, b) {
                (Ok(a), Ok(b)) => (a, b),
                (Err(why), _) | (_, Err(why)) => {
                    found.leave_out(&format!("pairs with {why}"));
                    continue;
                }
            };
            found.add(frame, "pairs", 1);
            let delta = greatest_distance(&a, &file).max(greatest_distance(&b, &file));
            match pair.model.as_str() {
                FACE => found.greatest(frame, "face_greatest", delta),
                BODY => found.greatest(frame, "body_greatest", delta),
                _ => {}
            }
            let between = greatest_distance(&a, &b);
            found.range(frame, "between", between);
            found.case(delta.is_finite() && between.is_finite() && between <= FAR, || {
                format!(
                    "frame {frame} {}: {delta:.4} from the file, {between:.4} between the members",
                    pair.mesh
                )
            });
        }
    }
    found
}

fn object_single(input: &CheckInput<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut objects = BTreeSet::new();
    for (frame, pairs) in input.frames.iter().zip(all(&input.frames)) {
        let name = frame.plan.frame.as_str();
        let mut seen = BTreeSet::new();
        let mut here = BTreeSet::new();
        for draw in &frame.plan.draws {
            let Some(mesh) = &draw.mesh else { continue };
            let Some(positions) = stream(frame, draw, 0) else { continue };
            let usage = frame.plan.buffers.get(&positions.buffer).map(|b| b.usage);
            if usage != Some(BufferUsage::Dynamic) || pairs.bound(draw).is_some() {
                continue;
            }
            let Some(file) = file_stream(frame, &mesh.model, mesh.mesh, 0) else {
                found.leave_out("draws without the file's stream");
                continue;
            };
            if !seen.insert(positions) {
                continue;
            }
            here.insert(mesh.model.clone());
            let Some(bound) = draw.streams.values().find(|s| s.range.buffer == positions.buffer) else {
                continue;
            };
            let moved = moved(draw, &bound.range.gather(), &file, positions.stride);
            let written = read_writers(draw, positions.buffer);
            found.add(name, "buffers", 1);
            found.add(name, "written", u64::from(written));
            if let Some(moved) = moved {
                found.range(name, "move", moved);
            }
            found.case(written, || format!("frame {name} {mesh} buffer {}: not written", positions.buffer));
        }
        found.set_in(name, "objects", Figure::Count(here.len() as u64));
        objects.extend(here);
    }
    found.set("objects", Figure::Count(objects.len() as u64));
    found
}

/// Whether commands of the frame wrote everything that a draw reads of a buffer.
fn read_writers(draw: &Draw, buffer: crate::abi::BufferId) -> bool {
    let Some(stream) = draw.streams.values().find(|s| s.range.buffer == buffer) else { return false };
    let known =
        |source: &PieceSource| matches!(source, PieceSource::Known { writer: Writer::Command { .. }, .. });
    !stream.range.pieces.is_empty() && stream.range.pieces.iter().all(|p| known(&p.source))
}

/// Greatest distance of the drawn positions from the file's, vertex by vertex.
fn moved(draw: &Draw, bytes: &[u8], file: &[u8], stride: u32) -> Option<f64> {
    let (least, greatest) = VertexOrder::of(draw).range()?;
    let position = |bytes: &[u8], vertex: i64| {
        let at = usize::try_from(vertex).ok()?.checked_mul(stride as usize)?;
        let record: PositionVertex = crate::abi::records::read_at(bytes, at)?;
        Some(DVec3::from_array(record.position.map(f64::from)))
    };
    let vertices = least..=greatest.min(least + bytes.len() as i64);
    let distances = vertices.map(|v| Some(position(bytes, v)?.distance(position(file, v)?)));
    distances.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max)
}

/// The contents of a pair of which the frame writes one member: at the start, written, and of the other.
pub(super) fn differences(pairs: &Pairs<'_>, pair: &Pair) -> Result<[Vec<DVec3>; 3], &'static str> {
    let written = pair.written_member().ok_or("no single written member")?;
    Ok([
        pairs.at_start(pair, written)?,
        pairs.at_end(pair, written)?,
        pairs.at_start(pair, pair.partner(written))?,
    ])
}
