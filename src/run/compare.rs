//! Holds everything a frame recorded against what was replayed: vertex outputs, attachments, buffers.
//!
//! It brings both sides into one layout and names places; what counts as the same is `diff`'s to say.

mod buffers;
mod images;
mod post_vs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) use post_vs::matches as post_vs_matches;

use super::RunError;
use crate::capture::LoadedFrame;
use crate::capture::manifest::CaptureFile;
use crate::diff::{Comparison, Rules, ToleranceEntry};
use crate::execute::Outputs;
use crate::finding::{Difference, DumpVerdict};
use crate::plan::dump::writer_name;
use crate::plan::{Plan, StandIns};
use crate::report::csv::CsvWriter;
use crate::report::{DumpOwner, DumpReport, InputsReport};

/// How many of the worst places a dump's report keeps.
const WORST: usize = 5;

/// The two sides of a frame's comparison.
pub(super) struct Sides<'a> {
    pub(super) loaded: &'a LoadedFrame,
    pub(super) stand_ins: &'a StandIns,
    pub(super) plan: &'a Plan,
    pub(super) outputs: &'a Outputs,
}

/// The rules of a set: its `[[tolerance]]` entries, then the defaults.
pub(super) fn rules(manifest: &CaptureFile) -> Rules {
    Rules::new(manifest.tolerances.iter().map(|t| ToleranceEntry {
        kind: t.dump,
        name: t.name.clone(),
        abs: t.abs,
        rel: t.rel,
        ulp: t.ulp,
        outliers: t.outliers,
    }))
}

/// Compares every dump of a frame. Each difference also goes to `file`.
///
/// # Errors
/// `file` could not be written.
pub(super) fn frame(
    sides: &Sides<'_>,
    rules: &Rules,
    file: Option<&mut DifferenceFile>,
) -> Result<Vec<DumpReport>, RunError> {
    let mut sink = Sink { file, failed: None };
    let mut reports = post_vs::reports(sides, rules, &mut sink);
    reports.extend(images::reports(sides, rules, &mut sink));
    reports.extend(buffers::reports(sides, rules, &mut sink));
    match sink.failed {
        Some(error) => Err(error),
        None => Ok(reports),
    }
}

/// What observations said, in words.
pub(super) fn inputs(plan: &Plan) -> InputsReport {
    let check = &plan.input_check;
    let word = |d: &crate::plan::InputDifference| {
        let name = plan.buffers.get(&d.buffer).map_or("", |b| b.name.as_str());
        format!(
            "event {}: buffer {} \"{name}\" byte {}: planned {:#04x} (by {}), observed {:#04x}; {} bytes differ",
            d.event,
            d.buffer,
            d.offset,
            d.planned,
            writer_name(plan, &d.writer),
            d.observed,
            d.bytes
        )
    };
    InputsReport {
        checked: check.checked,
        equal: check.equal,
        different: check.different.iter().map(word).collect(),
        unknown: check.unknown,
        late: check.late,
    }
}

/// Where differences go besides the report.
pub(super) struct Sink<'a> {
    file: Option<&'a mut DifferenceFile>,
    failed: Option<RunError>,
}

impl Sink<'_> {
    /// Whether anybody wants each difference.
    fn is_wanted(&self) -> bool {
        self.file.is_some()
    }

    /// Takes one difference of a dump.
    fn take(&mut self, frame: &str, owner: &DumpOwner, name: &str, difference: &Difference) {
        if let (Some(file), None) = (self.file.as_mut(), &self.failed) {
            self.failed = file.row(frame, owner, name, difference).err();
        }
    }
}

/// `--csv FILE`: every difference, a row each. The file appears when it is complete.
pub(super) struct DifferenceFile {
    writer: CsvWriter<std::fs::File>,
    temporary: tempfile::TempPath,
    dest: PathBuf,
}

impl DifferenceFile {
    /// Begins the file.
    ///
    /// # Errors
    /// Its folder cannot be written.
    pub(super) fn begin(dest: &Path) -> Result<Self, RunError> {
        let failed = |source| RunError::Write { file: dest.to_owned(), source };
        let parent = dest.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (file, temporary) =
            tempfile::Builder::new().prefix(".replay-csv-").tempfile_in(parent).map_err(failed)?.into_parts();
        let writer = CsvWriter::new(file).map_err(failed)?;
        Ok(Self { writer, temporary, dest: dest.to_owned() })
    }

    fn row(&mut self, frame: &str, owner: &DumpOwner, name: &str, d: &Difference) -> Result<(), RunError> {
        self.writer
            .row(frame, owner, name, d)
            .map_err(|source| RunError::Write { file: self.dest.clone(), source })
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// The file system said no.
    pub(super) fn finish(mut self) -> Result<(), RunError> {
        let failed = |source| RunError::Write { file: self.dest.clone(), source };
        self.writer.flush().map_err(failed)?;
        self.temporary
            .persist(&self.dest)
            .map_err(|e| RunError::Write { file: self.dest.clone(), source: e.error })
    }
}

/// The parts of a dump's report that no comparison decides.
struct Entry<'a> {
    frame: &'a str,
    owner: DumpOwner,
    name: String,
}

impl Entry<'_> {
    /// The report of a dump that was not compared.
    fn not_compared(self, reason: impl Into<String>) -> DumpReport {
        self.report(DumpVerdict::NotCompared, Some(reason.into()), String::new(), Comparison::default())
    }

    /// The report of a dump whose shape is not what the replay gives.
    fn differs(self, reason: impl Into<String>) -> DumpReport {
        self.report(DumpVerdict::Differ, Some(reason.into()), String::new(), Comparison::default())
    }

    /// The report of a comparison. One in which nothing was left to compare is none.
    fn compared(self, rule: String, comparison: Comparison) -> DumpReport {
        if comparison.compared == 0 {
            let reasons: Vec<_> = comparison.left_out.iter().map(|(why, n)| format!("{n} {why}")).collect();
            let reason = if reasons.is_empty() { "the dump is empty".into() } else { reasons.join(", ") };
            return self.report(DumpVerdict::NotCompared, Some(reason), rule, comparison);
        }
        let verdict = if comparison.different == 0 { DumpVerdict::Match } else { DumpVerdict::Differ };
        self.report(verdict, None, rule, comparison)
    }

    fn report(self, verdict: DumpVerdict, reason: Option<String>, rule: String, c: Comparison) -> DumpReport {
        let tolerated = [
            ("abs", c.tolerated.abs),
            ("rel", c.tolerated.rel),
            ("ulp", c.tolerated.ulp),
            ("outliers", c.tolerated.outliers),
        ];
        let tolerated: BTreeMap<String, u64> =
            tolerated.into_iter().filter(|(_, n)| *n > 0).map(|(by, n)| (by.to_owned(), n)).collect();
        DumpReport {
            frame: self.frame.to_owned(),
            owner: self.owner,
            name: self.name,
            verdict,
            reason,
            rule,
            compared: c.compared,
            equal: c.equal,
            tolerated,
            different: c.different,
            nonfinite_one_side: c.nonfinite_one_side,
            left_out: c.left_out,
            max_abs: c.max_abs,
            max_rel: c.max_rel,
            max_ulp: c.max_ulp,
            worst: c.worst,
        }
    }
}
