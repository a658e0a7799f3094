//! Instance records and the table that maps instance numbers to them.

use std::collections::BTreeSet;

use super::bound::{InstanceTable, place, range, word};
use super::{Claim, ClaimKind, Evidence};
use crate::abi::records::Instance;
use crate::capture::manifest::Taken;
use crate::finding::ClaimFindings;
use crate::plan::binding::INSTANCE_INDEX_BUFFER;

pub(super) const INSTANCE_RECORD: Claim = Claim {
    id: "instance-record",
    statement: "A record of cbInstanceData is 208 bytes: a 3 x 4 world matrix with the translation in the fourth column, \
                fade alpha, forceNum, forceIndex, a colour palette; a range of 65,536 bytes holds 315.",
    source: "Grass definitions and pivots, \"Grass in the running game\"",
    how: "Every draw of more than one instance that binds cbInstanceData: the record size its program declares (208 where \
          it declares none), the bound bytes, and whether each instance's record lies in the range, is known and has a \
          finite world matrix that is not singular. A draw agrees if all do and its records are 208 bytes.",
    kind: ClaimKind::Capture,
    figures: &[
        ("draws", "executed draws of more than one instance that bind cbInstanceData"),
        ("record_bytes", "bytes of a record, as declared"),
        ("range_bytes", "bytes bound"),
        ("capacity", "whole records that a bound range holds"),
        ("records", "records read, each once an instance"),
        ("regular", "of these, those with a finite world matrix that is not singular"),
    ],
    check: Some(instance_record),
};

pub(super) const INSTANCE_INDEX_IDENTITY: Claim = Claim {
    id: "instance-index-identity",
    statement: "g_InstanceIndexBuffer holds, at the frame's start, the numbers 0, 1, 2, ... in order.",
    source: "Grass definitions and pivots, \"How grass moves\"",
    how: "The contents at the frame's start of every range that a draw binds as g_InstanceIndexBuffer, word by word \
          against its place in the range. Contents taken late are left out.",
    kind: ClaimKind::Capture,
    figures: &[
        ("tables", "ranges bound as g_InstanceIndexBuffer, each once a frame"),
        ("identity", "of these, those in which every word is its own number"),
        ("entries_least", "words of a range"),
        ("entries_greatest", "words of a range"),
    ],
    check: Some(instance_index_identity),
};

fn instance_record(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        for draw in frame.plan.draws.iter().filter(|draw| draw.instance_count > 1) {
            let Some(table) = InstanceTable::of(frame, draw) else { continue };
            let regular = |w: &crate::abi::records::Affine| {
                let [x, y, z] = w.rows_f64().map(|row| row.truncate());
                w.rows.iter().flatten().all(|v| v.is_finite()) && x.cross(y).dot(z) != 0.0
            };
            let regulars = table.records().filter(|record| regular(&record.world)).count() as u64;
            let instances = u64::from(draw.instance_count);
            found.add(name, "draws", 1);
            found.same(name, "record_bytes", crate::finding::Figure::Count(table.size));
            found.same(name, "range_bytes", crate::finding::Figure::Count(table.range.size));
            found.same(name, "capacity", crate::finding::Figure::Count(table.capacity()));
            found.add(name, "records", instances);
            found.add(name, "regular", regulars);
            found.case(table.size == Instance::SIZE as u64 && regulars == instances, || {
                let (place, size) = (place(frame, draw), table.size);
                format!("{place}: records of {size} bytes, {regulars} of {instances} known and regular")
            });
        }
    }
    found
}

fn instance_index_identity(Evidence { input, .. }: &Evidence<'_>) -> ClaimFindings {
    let mut found = ClaimFindings::default();
    for frame in &input.frames {
        let name = frame.plan.frame.as_str();
        let bound = frame.plan.draws.iter().filter_map(|d| range(frame, d, INSTANCE_INDEX_BUFFER));
        let tables: BTreeSet<_> = bound.map(|range| (range.buffer, range.offset, range.size)).collect();
        for (id, offset, size) in tables {
            let Some(initial) = frame.frame.buffer(id).and_then(|b| b.initial) else {
                found.leave_out("tables without contents at the frame's start");
                continue;
            };
            if initial.taken == Taken::Late {
                found.leave_out("tables whose contents were taken late");
                continue;
            }
            let bytes = frame.frame.blob(&initial.blob);
            let held = (bytes.len() as u64).saturating_sub(offset).min(size) / 4;
            let wrong = (0..held).find(|&entry| u64::from(word(&bytes, offset + entry * 4)) != entry);
            found.add(name, "tables", 1);
            found.add(name, "identity", wrong.is_none().into());
            found.count_range(name, "entries", held);
            found.case(wrong.is_none() && held > 0, || match wrong {
                Some(entry) => {
                    format!("frame {name} buffer {id}: entry {entry} is {}", word(&bytes, offset + entry * 4))
                }
                None => format!("frame {name} buffer {id}: no entry"),
            });
        }
    }
    found
}
