//! Grass: the far clumps drawn as instances, and the placed models.
//!
//! A batch is one draw of a `Grass2_LOD1` program; its clumps are the instances' world matrices. Distances are from the
//! eye, which solves row 0 = row 1 = row 3 = 0 of the draw's first view-projection.

use std::collections::BTreeSet;

use glam::{DMat3, DVec3};

use super::bound::{InstanceRecord, InstanceTable, place, range};
use super::{CheckFrame, Claim, ClaimKind, Evidence};
use crate::abi::records::{ViewProjections, read_at};
use crate::abi::state::Topology;
use crate::finding::{ClaimFindings, Figure};
use crate::plan::binding::MATRIX_WVP;
use crate::plan::{Draw, WriteKind};

const SOURCE: &str = "Grass definitions and pivots, \"Grass in the running game\"";
/// What the names of the programs hold that draw the far clumps.
const FAR: &str = "Grass2_LOD1";
/// What the names of the programs hold that draw the placed models.
const PLACED: [&str; 2] = ["Grass_", "Grass2_"];

pub(super) const GRASS_DRAWS: Claim = Claim {
    id: "grass-draws",
    statement: "Grass2_LOD1 programs draw two tiny meshes, of 14 and 4 triangles, 160 to 315 instances a draw, from \
                records that the CPU writes each frame.",
    source: SOURCE,
    how: "Every executed draw of a program whose name holds Grass2_LOD1. It agrees if map-discards or writes of the frame \
          put every record there that its instances read, and the bound range holds as many records as it has instances.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws"),
        ("meshes", "different meshes among them: index range and first stream"),
        ("triangles_least", "triangles of a draw, one instance's"),
        ("triangles_greatest", "triangles of a draw, one instance's"),
        ("instances_least", "instances of a draw"),
        ("instances_greatest", "instances of a draw"),
        ("cpu_written", "draws whose records the frame's map-discards or writes put there"),
    ],
    check: Some(grass_draws),
};

pub(super) const GRASS_BATCHES: Claim = Claim {
    id: "grass-batches",
    statement: "The far clumps are drawn in batches by distance: 61-91, 91-108 and 105-129 m (larger mesh), 142-164 and \
                175-210 m (smaller mesh).",
    source: SOURCE,
    how: "The distances of a batch's clumps from the eye, in the horizontal plane and in space; batches are numbered by \
          their least horizontal distance. A batch agrees if its band overlaps none of a batch of the other mesh.",
    kind: ClaimKind::Capture,
    figures: &[
        ("batches", "batches, of all frames"),
        ("batch_1_least", "m, horizontal, nearest clump of the nearest batch"),
        ("batch_1_greatest", "m, horizontal, farthest clump of the nearest batch"),
        ("batch_2_least", "m, horizontal"),
        ("batch_2_greatest", "m, horizontal"),
        ("batch_3_least", "m, horizontal"),
        ("batch_3_greatest", "m, horizontal"),
        ("batch_4_least", "m, horizontal"),
        ("batch_4_greatest", "m, horizontal"),
        ("batch_5_least", "m, horizontal"),
        ("batch_5_greatest", "m, horizontal"),
        ("batch_1_space_least", "m, in space"),
        ("batch_1_space_greatest", "m, in space"),
        ("batch_2_space_least", "m, in space"),
        ("batch_2_space_greatest", "m, in space"),
        ("batch_3_space_least", "m, in space"),
        ("batch_3_space_greatest", "m, in space"),
        ("batch_4_space_least", "m, in space"),
        ("batch_4_space_greatest", "m, in space"),
        ("batch_5_space_least", "m, in space"),
        ("batch_5_space_greatest", "m, in space"),
    ],
    check: Some(grass_batches),
};

pub(super) const GRASS_FORCE_INDEX: Claim = Claim {
    id: "grass-force-index",
    statement: "All instances of a batch carry one forceNum and forceIndex: 2 and 1283 in the three batches of the larger \
                mesh, 1 and 5 at 142-164 m, 1 and 1 at 175-210 m.",
    source: "Grass definitions and pivots, \"How grass moves\"",
    how: "The two words of every instance's record; batches are numbered by their least horizontal distance. A batch \
          agrees if its instances carry one pair.",
    kind: ClaimKind::Capture,
    figures: &[
        ("batches", "batches, of all frames"),
        ("batch_1", "forceNum/forceIndex of the nearest batch; different ones are parted by bars"),
        ("batch_2", "forceNum/forceIndex"),
        ("batch_3", "forceNum/forceIndex"),
        ("batch_4", "forceNum/forceIndex"),
        ("batch_5", "forceNum/forceIndex"),
    ],
    check: Some(grass_force_index),
};

pub(super) const GRASS_PLACED: Claim = Claim {
    id: "grass-placed",
    statement: "Placed grass models (the AEG210 family, Grass_ and Grass2_ G-buffer programs) are indexed draws of one \
                instance and 534 to 68,871 indices.",
    source: SOURCE,
    how: "Every executed draw of a program whose name holds Grass_ or Grass2_, but not Grass2_LOD1. It agrees if it is \
          indexed and of one instance.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws"),
        ("indices_least", "indices of a draw"),
        ("indices_greatest", "indices of a draw"),
    ],
    check: Some(grass_placed),
};

/// Batches that have figures of their own.
const NUMBERED: usize = 5;

/// One draw of far clumps.
pub(super) struct Batch<'a> {
    pub(super) draw: &'a Draw,
    pub(super) triangles: u64,
    pub(super) clumps: Vec<InstanceRecord>,
    /// Nothing where the view-projection has no eye (a parallel projection) or is not bound.
    eye: Option<DVec3>,
}

impl Batch<'_> {
    /// Least and greatest distance of the clumps from the eye, of what is left of the difference vector by `part`.
    fn band(&self, part: fn(DVec3) -> DVec3) -> Option<(f64, f64)> {
        let eye = self.eye?;
        let distances = self.clumps.iter().map(|clump| part(position(clump) - eye).length());
        let (least, greatest) =
            distances.fold((f64::INFINITY, 0.0f64), |(least, greatest), d| (least.min(d), greatest.max(d)));
        (!self.clumps.is_empty()).then_some((least, greatest))
    }

    fn horizontal(&self) -> Option<(f64, f64)> {
        self.band(|d| DVec3::new(d.x, 0.0, d.z))
    }
}

/// Where a clump stands.
pub(super) fn position(clump: &InstanceRecord) -> DVec3 {
    clump.world.point(DVec3::ZERO)
}

fn is_far(draw: &Draw) -> bool {
    draw.program_name.contains(FAR)
}

fn triangles(draw: &Draw) -> u64 {
    match draw.topology {
        Topology::TriangleStrip => u64::from(draw.count).saturating_sub(2),
        _ => u64::from(draw.count) / 3,
    }
}

/// The batches of a frame, nearest first; those without an eye come last, in execution order.
pub(super) fn batches<'a>(frame: &CheckFrame<'a>) -> Vec<Batch<'a>> {
    let batch = |draw: &'a Draw| {
        let clumps = InstanceTable::of(frame, draw)?.records().collect();
        Some(Batch { draw, triangles: triangles(draw), clumps, eye: eye(frame, draw) })
    };
    let mut batches: Vec<_> = frame.plan.draws.iter().filter(|d| is_far(d)).filter_map(batch).collect();
    let nearest = |batch: &Batch<'_>| batch.horizontal().map_or(f64::INFINITY, |(least, _)| least);
    batches.sort_by(|a, b| nearest(a).total_cmp(&nearest(b)));
    batches
}

/// The point that the draw's first view-projection looks from.
fn eye(frame: &CheckFrame<'_>, draw: &Draw) -> Option<DVec3> {
    let views: ViewProjections = read_at(&range(frame, draw, MATRIX_WVP)?.gather(), 0)?;
    let [row0, row1, _, row3] =
        views.current.map(|row| (DVec3::new(row[0].into(), row[1].into(), row[2].into()), f64::from(row[3])));
    let rows = DMat3::from_cols(row0.0, row1.0, row3.0).transpose();
    let eye = rows.inverse() * -DVec3::new(row0.1, row1.1, row3.1);
    (rows.determinant() != 0.0 && eye.is_finite()).then_some(eye)
}

fn grass_draws(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    let mut all = BTreeSet::new();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let mut meshes = BTreeSet::new();
        for draw in frame.plan.draws.iter().filter(|draw| is_far(draw)) {
            let table = InstanceTable::of(frame, draw);
            let instances = u64::from(draw.instance_count);
            let written =
                table.as_ref().is_some_and(|t| t.is_written(&[WriteKind::MapDiscard, WriteKind::Write]));
            let holds = table.as_ref().is_some_and(|t| t.capacity() >= instances);
            let indices = draw.indices.as_ref().map(|i| (i.range.buffer, i.range.offset));
            let stream = draw.streams.values().next().map(|s| (s.range.buffer, s.range.offset));
            meshes.insert((indices, stream, draw.first, draw.count, draw.base_vertex));
            found.add(name, "draws", 1);
            found.count_range(name, "triangles", triangles(draw));
            found.count_range(name, "instances", instances);
            found.add(name, "cpu_written", written.into());
            found.case(written && holds, || match table {
                None => format!("{} binds no cbInstanceData", place(frame, draw)),
                Some(table) if !holds => {
                    format!("{}: {instances} instances, {} records", place(frame, draw), table.capacity())
                }
                Some(_) => format!("{}: records that the CPU did not write in the frame", place(frame, draw)),
            });
        }
        if !meshes.is_empty() {
            found.set_in(name, "meshes", Figure::Count(meshes.len() as u64));
        }
        all.extend(meshes);
    }
    if found.counted > 0 {
        found.set("meshes", Figure::Count(all.len() as u64));
    }
    found
}

fn grass_batches(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let batches = batches(frame);
        for (n, batch) in batches.iter().enumerate() {
            let (Some(flat), Some(space)) = (batch.horizontal(), batch.band(|d| d)) else {
                found.leave_out("batches without an eye or without a clump");
                continue;
            };
            found.add(name, "batches", 1);
            if n < NUMBERED {
                for (figure, band) in
                    [(format!("batch_{}", n + 1), flat), (format!("batch_{}_space", n + 1), space)]
                {
                    found.least(name, &format!("{figure}_least"), band.0);
                    found.greatest(name, &format!("{figure}_greatest"), band.1);
                }
            }
            found.notes.push(format!(
                "{}: {} clumps of {} triangles, {:.1} to {:.1} m on the plane, {:.1} to {:.1} m in space",
                place(frame, batch.draw),
                batch.clumps.len(),
                batch.triangles,
                flat.0,
                flat.1,
                space.0,
                space.1
            ));
            let overlapped = batches.iter().find(|other| {
                other.triangles != batch.triangles
                    && other.horizontal().is_some_and(|band| band.0 <= flat.1 && flat.0 <= band.1)
            });
            found.case(overlapped.is_none(), || {
                let other = overlapped.map_or(String::new(), |other| place(frame, other.draw));
                format!("{} overlaps {other}", place(frame, batch.draw))
            });
        }
    }
    found
}

fn grass_force_index(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        for (n, batch) in batches(frame).iter().enumerate() {
            let pairs: BTreeSet<_> = batch.clumps.iter().map(|clump| clump.force).collect();
            if pairs.is_empty() {
                found.leave_out("batches without a clump");
                continue;
            }
            found.add(name, "batches", 1);
            for (number, index) in pairs.iter().filter(|_| n < NUMBERED) {
                found.same(name, &format!("batch_{}", n + 1), Figure::Text(format!("{number}/{index}")));
            }
            found.case(pairs.len() == 1, || {
                format!("{}: {} different pairs", place(frame, batch.draw), pairs.len())
            });
        }
    }
    found
}

fn grass_placed(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let placed = |draw: &&Draw| PLACED.iter().any(|p| draw.program_name.contains(p)) && !is_far(draw);
        for draw in frame.plan.draws.iter().filter(placed) {
            found.add(name, "draws", 1);
            found.count_range(name, "indices", draw.count.into());
            found.case(draw.indices.is_some() && draw.instance_count == 1, || {
                let indexed = if draw.indices.is_some() { "indexed" } else { "not indexed" };
                format!("{}: {indexed}, {} instances", place(frame, draw), draw.instance_count)
            });
        }
    }
    found
}
