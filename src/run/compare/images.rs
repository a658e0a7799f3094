//! Attachments: colour targets and depth after a pass's last draw.

use super::super::edges::screen_triangles;
use super::{Entry, Sides, Sink, WORST};
use crate::capture::Dump;
use crate::capture::manifest::Taken;
use crate::diff::{ImageRequest, Recorded, Replayed, Rules, compare_image};
use crate::execute::Image;
use crate::finding::DumpKind;
use crate::plan::{PassIndex, PlannedPass, Start};
use crate::report::{DumpOwner, DumpReport};

/// Compares every recorded attachment of a frame.
pub(super) fn reports(sides: &Sides<'_>, rules: &Rules, sink: &mut Sink<'_>) -> Vec<DumpReport> {
    let mut reports = Vec::new();
    for (place, pass) in sides.plan.passes.iter().enumerate() {
        let output = sides.outputs.passes.get(place);
        for (index, target) in pass.targets.iter().enumerate() {
            let Some(dump) = sides.loaded.dumps.targets.get(&(pass.id.clone(), index)) else { continue };
            let clear = match &target.start {
                Start::Clear(color) => Some(*color),
                Start::Keep(_) => None,
            };
            let attachment = Attachment {
                sides,
                pass,
                place: PassIndex(place),
                dump,
                kind: DumpKind::Target,
                name: &target.name,
                rule_name: &target.name,
                image: output.and_then(|o| o.targets.get(index)?.as_ref()),
                start_known: !matches!(target.start, Start::Keep(None)),
                clear,
                target: Some(index),
            };
            reports.push(attachment.report(rules, sink));
        }
        if let (Some(depth), Some(dump)) = (&pass.depth, sides.loaded.dumps.depths.get(&pass.id)) {
            let clear = match &depth.start {
                Start::Clear(depth) => Some([*depth, 0.0, 0.0, 0.0]),
                Start::Keep(_) => None,
            };
            let attachment = Attachment {
                sides,
                pass,
                place: PassIndex(place),
                dump,
                kind: DumpKind::Depth,
                name: "depth",
                rule_name: &pass.id.0,
                image: output.and_then(|o| o.depth.as_ref()),
                // Kept contents of a shared depth buffer are those of its owner.
                start_known: depth.owner.0 != place || !matches!(depth.start, Start::Keep(None)),
                clear,
                target: None,
            };
            reports.push(attachment.report(rules, sink));
        }
    }
    reports
}

/// One recorded attachment and its replay.
struct Attachment<'a> {
    sides: &'a Sides<'a>,
    pass: &'a PlannedPass,
    place: PassIndex,
    dump: &'a Dump,
    kind: DumpKind,
    name: &'a str,
    rule_name: &'a str,
    image: Option<&'a Image>,
    start_known: bool,
    clear: Option<[f64; 4]>,
    /// The colour target; `None` for depth.
    target: Option<usize>,
}

impl Attachment<'_> {
    fn report(&self, rules: &Rules, sink: &mut Sink<'_>) -> DumpReport {
        let frame = self.sides.plan.frame.as_str();
        let owner = DumpOwner::Pass(self.pass.id.0.clone());
        let entry = Entry { frame, owner: owner.clone(), name: self.name.to_owned() };
        if let Some(reason) = self.reason_against() {
            return entry.not_compared(reason);
        }
        let Some(image) = self.image else {
            return entry.not_compared("the executor produced no image of this attachment");
        };
        let rule = rules.find(self.kind, self.rule_name, image.format);
        let triangles = || screen_triangles(self.sides.plan, self.sides.outputs, self.place);
        let request = ImageRequest {
            frame,
            pass: &self.pass.id,
            name: self.name,
            width: image.width,
            height: image.height,
            format: image.format,
            clear: self.clear,
            rule: &rule,
            triangles: &triangles,
            keep_worst: WORST,
        };
        let mut take = |d| sink.take(frame, &owner, self.name, &d);
        match compare_image(Recorded(&self.dump.bytes), Replayed(&image.bytes), &request, &mut take) {
            Ok(compared) => entry.compared(rule.to_string(), compared),
            Err(mismatch) => entry.differs(mismatch.to_string()),
        }
    }

    /// Why this attachment is not compared, if it is not.
    fn reason_against(&self) -> Option<String> {
        if self.dump.taken == Taken::Late {
            return Some("recorded late".into());
        }
        if !self.start_known {
            return Some("what it held before the pass is not recorded".into());
        }
        let draws = || self.sides.plan.draws().filter(|(_, draw)| draw.pass == self.place);
        let missing = draws()
            .filter(|(index, draw)| {
                draw.replay.is_err() || self.sides.outputs.not_executed.contains_key(index)
            })
            .count();
        if missing > 0 {
            return Some(format!("incomplete pass: {missing} of {} draws not replayed", draws().count()));
        }
        let target = self.target?;
        let writes =
            |draw: &crate::plan::Draw| draw.replay.as_ref().is_ok_and(|b| b.targets.contains(&Some(target)));
        let unwritten = draws().next().is_some() && !draws().any(|(_, draw)| writes(draw));
        unwritten.then(|| "no stand-in of its pass writes it; map it with `targets` in capture.toml".into())
    }
}
