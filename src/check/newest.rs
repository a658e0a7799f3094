//! Claims about what the members of a pair hold: which is the newer, how far they are from the file's positions.

use glam::DVec3;

use super::evidence::FrameEvidence;
use super::files::{FACE, file_positions, is_deformed};
use super::pairs::{Pair, Written};
use super::streams::{LATE, Moment, greatest_distance, least_distance, positions};
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::finding::ClaimFindings;

const SOURCE: &str = "FLVER nodes and skinning, \"Skinned vertex streams at run time\"";

/// A vertex has moved when the write puts it further away than this, in model units.
const MOVED: f64 = 1e-6;
/// Members further apart than this, in model units, are no two states of one deformation.
const FAR: f64 = 1.0;

pub(super) const PAIR_NEWEST: Claim = Claim {
    id: "pair-newest",
    statement: "The buffer a frame writes is the newest: the other one lies between what the written buffer held at the \
                frame's start and what the frame writes to it, for 21 of 27 pairs at a median fraction of 0.45 to 0.59; the \
                other 6 are 57-vertex buffers whose members are 6.8 units apart.",
    source: SOURCE,
    how: "For every pair with one written member and every vertex that the write moves by more than 1e-6: \
          t = (O - S).(W - S) / |W - S|^2, with S the start contents and W the written bytes of the written member and O the \
          other one. A pair is near where no vertex of O is more than 1 unit from W; the fractions are those of near pairs.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs with one written member, counted in each frame"),
        ("near_pairs", "pairs whose members are within 1 unit of each other, with a vertex that moves"),
        ("far_pairs", "pairs whose members are further apart"),
        ("median_least", "least median of t among near pairs"),
        ("median_greatest", "greatest median of t among near pairs"),
        ("share_least", "least share of a near pair's moved vertices with t in 0.1 to 0.9"),
        ("share_greatest", "greatest such share"),
        ("far_separation_least", "least of the far pairs' greatest distances between members, model units"),
        ("far_separation_greatest", "greatest of them, model units"),
        ("far_vertices_least", "fewest vertices of a far pair"),
        ("far_vertices_greatest", "most vertices of a far pair"),
    ],
    check: Some(newest),
};

pub(super) const PAIR_DELTA: Claim = Claim {
    id: "pair-delta",
    statement: "The two buffers of a face or body mesh stay in model bind space: they differ from the file's stream by up \
                to 0.18 (face) and 0.19 (body) units, and from each other by 0.0002 to 0.0053.",
    source: SOURCE,
    how: "The greatest distance between equal vertices: each member at the frame's end against the static buffer whose \
          origin is stream 0 of the mesh, bound or not; the members against each other.",
    kind: ClaimKind::Capture,
    figures: &[
        ("pairs", "pairs of face and body meshes, counted in each frame"),
        ("members_compared", "members held against the file's stream"),
        ("face_greatest", "greatest distance of a face member from the file's stream, model units"),
        ("body_greatest", "greatest distance of a body member from the file's stream, model units"),
        ("between_least", "least of the pairs' greatest distances between members, model units"),
        ("between_greatest", "greatest of them, model units"),
        ("between_vertex_least", "least distance between members of any vertex, model units"),
    ],
    check: Some(delta),
};

/// What one pair says about `pair-newest`.
enum Newest {
    Near {
        median: f64,
        share: f64,
    },
    Far(f64),
    /// The write moves no vertex.
    Still,
}

/// `pair-newest`.
fn newest(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        let name = frame.name();
        for pair in &frame.pairs.pairs {
            let Written::One(written) = pair.written() else { continue };
            let newest = match newest_of(frame.at, pair, written) {
                Ok(newest) => newest,
                Err(reason) => {
                    found.leave_out(reason);
                    continue;
                }
            };
            found.add(name, "pairs", 1);
            found.add(name, "near_pairs", matches!(newest, Newest::Near { .. }).into());
            found.add(name, "far_pairs", matches!(newest, Newest::Far(_)).into());
            match newest {
                Newest::Near { median, share } => {
                    found.range(name, "median", median);
                    found.range(name, "share", share);
                    found.case((0.1..=0.9).contains(&median), || {
                        format!("frame {name}: {}: median fraction {median:.4}", pair.name())
                    });
                    found.notes.push(format!(
                        "frame {name}: {}: median fraction {median:.4}, {:.1} % of moved vertices in 0.1 to 0.9",
                        pair.name(),
                        share * 100.0
                    ));
                }
                Newest::Far(distance) => {
                    found.range(name, "far_separation", distance);
                    found.count_range(name, "far_vertices", pair.members[0].slice.count);
                    found.leave_out("members further apart than 1 unit");
                }
                Newest::Still => found.leave_out("the write moves no vertex"),
            }
        }
    }
    found
}

fn newest_of(at: CheckFrame<'_>, pair: &Pair, written: usize) -> Result<Newest, &'static str> {
    let [member, other] = [&pair.members[written], &pair.members[1 - written]];
    let start = positions(at, &member.slice, &member.element, Moment::Start)?;
    let now = positions(at, &member.slice, &member.element, Moment::End)?;
    let other = positions(at, &other.slice, &other.element, Moment::End)?;
    let apart = greatest_distance(&now, &other);
    if apart > FAR {
        return Ok(Newest::Far(apart));
    }
    let mut fractions: Vec<f64> = fractions(&start, &now, &other).collect();
    if fractions.is_empty() {
        return Ok(Newest::Still);
    }
    let inside = fractions.iter().filter(|t| (0.1..=0.9).contains(*t)).count();
    Ok(Newest::Near { share: inside as f64 / fractions.len() as f64, median: median(&mut fractions) })
}

/// How far of the way from the start to the written positions the other member's are, for every vertex that moves.
fn fractions<'a>(start: &'a [DVec3], now: &'a [DVec3], other: &'a [DVec3]) -> impl Iterator<Item = f64> + 'a {
    start.iter().zip(now).zip(other).filter_map(|((s, w), o)| {
        let way = *w - *s;
        (way.length() > MOVED).then(|| (*o - *s).dot(way) / way.length_squared())
    })
}

/// The median; of an even number the mean of the middle two. `values` is not empty.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// `pair-delta`.
fn delta(evidence: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &evidence.frames {
        for pair in frame.pairs.pairs.iter().filter(|p| is_deformed(p.mesh.as_ref())) {
            delta_of(&mut found, frame, pair);
        }
    }
    found
}

fn delta_of(found: &mut ClaimFindings, frame: &FrameEvidence<'_>, pair: &Pair) {
    let Some(mesh) = &pair.mesh else { return };
    let name = frame.name();
    let figure = if mesh.model == FACE { "face_greatest" } else { "body_greatest" };
    let members = pair.members.each_ref().map(|m| positions(frame.at, &m.slice, &m.element, Moment::End));
    found.add(name, "pairs", 1);
    match &members {
        [Ok(a), Ok(b)] => {
            let apart = greatest_distance(a, b);
            found.range(name, "between", apart);
            found.least(name, "between_vertex_least", least_distance(a, b));
            found.case(apart <= FAR, || format!("frame {name}: {}: members {apart:.4} apart", pair.name()));
        }
        [Err(reason), _] | [_, Err(reason)] => found.leave_out(reason),
    }
    for (member, moved) in pair.members.iter().zip(&members) {
        let file = file_positions(frame.at, mesh, member.slice.stride, &member.element);
        match (moved.as_ref().map_err(|reason| *reason), file) {
            (Err(LATE), _) | (_, Err(LATE)) => found.leave_out(LATE),
            (Ok(moved), Ok(file)) if moved.len() == file.len() => {
                found.greatest(name, figure, greatest_distance(moved, &file));
                found.add(name, "members_compared", 1);
            }
            (Ok(_), Ok(_)) => found.leave_out("the file's stream has another number of vertices"),
            (Err(reason), _) | (_, Err(reason)) => found.leave_out(reason),
        }
    }
}
