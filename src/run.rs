//! The main flow: open -> plan -> execute -> diff, check -> report.
//!
//! [`replay`] is all of it in order; [`check`] leaves execution out. Nothing here parses arguments or prints.

mod claims;
mod compare;
mod coverage;
mod device;
mod edges;
mod pairing;
mod produced;
mod repeats;
mod stand_ins;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::abi::{EventId, PassId};
use crate::capture::{CaptureError, CaptureSet, LoadedFrame};
use crate::check::CheckError;
use crate::execute::{ExecuteError, Executor, Outputs};
use crate::finding::{ClaimVerdict, DumpVerdict, RunVerdict};
use crate::plan::{self, Plan, Selection, StandIns, Swaps};
use crate::report::{FrameReport, Report};

pub use device::INSTALL_HINT;

/// Which executor carries out the plan.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The first Vulkan device, or the reference executor with a notice where there is none.
    #[default]
    Auto,
    /// The reference executor.
    Reference,
    /// The Vulkan device of that index in `replay devices`.
    Index(usize),
    /// The only Vulkan device whose name contains this, whatever the case.
    Name(String),
}

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Frames, or all.
    pub frames: Vec<String>,
    /// Passes, or all.
    pub passes: Vec<String>,
    /// Draws by frame and event, or all.
    pub draws: Vec<(String, u64)>,
    /// The executor.
    pub device: DeviceChoice,
    /// Whether the Vulkan validation layer is on, where it is installed.
    pub validation: bool,
    /// Hypotheses.
    pub swaps: Swaps,
    /// Replays of every frame; at least 1.
    pub repeat: u32,
    /// Least share of draws that must be compared, in percent.
    pub require_coverage: Option<f64>,
    /// Folder for what was produced.
    pub dump: Option<PathBuf>,
    /// File for every difference.
    pub csv: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            passes: Vec::new(),
            draws: Vec::new(),
            device: DeviceChoice::Auto,
            validation: false,
            swaps: Swaps::default(),
            repeat: 1,
            require_coverage: None,
            dump: None,
            csv: None,
        }
    }
}

impl Options {
    /// Whether expectations cannot be judged: only a part of the set is looked at, or a hypothesis is tried.
    fn narrowed(&self) -> bool {
        !(self.frames.is_empty() && self.passes.is_empty() && self.draws.is_empty() && self.swaps.none())
    }

    fn wants(&self, frame: &str) -> bool {
        let by_name = self.frames.is_empty() || self.frames.iter().any(|f| f == frame);
        let by_draw = self.draws.is_empty() || self.draws.iter().any(|(f, _)| f == frame);
        by_name && by_draw
    }

    fn selection(&self, frame: &str) -> Selection {
        let events = self.draws.iter().filter(|(f, _)| f == frame).map(|(_, event)| EventId(*event));
        Selection { passes: self.passes.iter().cloned().map(PassId).collect(), events: events.collect() }
    }
}

/// Why a run could not be carried out. A difference is none of these.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The set is faulty.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// An expectation names what is not there.
    #[error("capture.toml: {0}")]
    Expectation(#[from] CheckError),
    /// `[[program]]` names a shader that this project has not.
    #[error("capture.toml: [[program]]: found shader `{name}`; expected one of {known}")]
    NoShader {
        /// As given.
        name: String,
        /// What there is.
        known: String,
    },
    /// A frame, pass or draw that the set has not.
    #[error("{what} `{name}` is not in the set; it has {known}")]
    NotInSet {
        /// Frame, pass or draw.
        what: &'static str,
        /// As given.
        name: String,
        /// What there is.
        known: String,
    },
    /// The device asked for is not there. Exit code 3.
    #[error("{0}")]
    NoDevice(String),
    /// The executor could not do the work.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// A product could not be written.
    #[error("{}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `--dump` would mix with what is there.
    #[error("{} is there and not an empty folder", .0.display())]
    DumpExists(PathBuf),
    /// An image could not be encoded.
    #[error("PNG: {0}")]
    Png(String),
}

impl RunError {
    /// The process exit code this error stands for.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NoDevice(_) => 3,
            _ => 2,
        }
    }
}

/// Told how far a run is.
pub trait Progress {
    /// `done` of `total` steps are behind; `doing` is the one begun.
    fn step(&mut self, done: u64, total: u64, doing: &str);
}

/// Shows nothing.
impl Progress for () {
    fn step(&mut self, _: u64, _: u64, _: &str) {}
}

/// One frame of a run: what was read, what was meant, what came out.
pub struct RunFrame {
    /// The frame and its dumps.
    pub loaded: LoadedFrame,
    /// The plan.
    pub plan: Plan,
}

/// What a run hands back: the report, and the frames it was made from.
pub struct Run {
    /// The report.
    pub report: Report,
    /// The frames, in order.
    pub frames: Vec<RunFrame>,
}

/// Replays a capture set and compares everything.
///
/// # Errors
/// What kept the run from being carried out; differences are in the report.
pub fn replay(path: &Path, options: &Options, progress: &mut dyn Progress) -> Result<Run, RunError> {
    let mut clock = Clock::start();
    let set = CaptureSet::open(path)?;
    let names = selected(&set, options)?;
    let rules = compare::rules(set.manifest());
    claims::known(set.manifest(), set.frames())?;
    let mut opened = device::open(options)?;
    clock.lap("start-up");

    let produced = options.dump.as_deref().map(produced::Produced::begin).transpose()?;
    let mut differences = options.csv.as_deref().map(compare::DifferenceFile::begin).transpose()?;
    let mut report = Report::new(&set.name(), &set.manifest().title);
    let mut repeats = repeats::Repeats::default();
    let mut trials = pairing::Trials::new();
    let mut frames = Vec::new();

    for (done, name) in names.iter().enumerate() {
        progress.step(done as u64, names.len() as u64, name);
        let loaded = set.load(name)?;
        clock.lap("reading");
        let (stand_ins, plan) = planned(&set, &loaded, options)?;
        clock.lap("planning");
        let outputs = opened.execute(&plan)?;
        clock.lap("execution");
        clock.split("execution", &outputs);
        repeats.add(&plan, &outputs);
        for _ in 1..options.repeat {
            repeats.add(&plan, &opened.execute(&plan)?);
        }
        clock.lap("repeats");
        if let Some(produced) = &produced {
            produced.frame(&plan, &outputs)?;
        }
        let side = compare::Sides { loaded: &loaded, stand_ins: &stand_ins, plan: &plan, outputs: &outputs };
        report.dumps.extend(compare::frame(&side, &rules, differences.as_mut())?);
        report.frames.push(frame_report(&plan, &outputs));
        clock.lap("comparison");
        if options.swaps.none() {
            let tried = pairing::try_pairings(&loaded, &stand_ins, &plan, &rules, &mut opened)?;
            trials.extend(tried);
        }
        clock.lap("pairings");
        frames.push(RunFrame { loaded, plan });
    }
    progress.step(names.len() as u64, names.len() as u64, "claims");

    report.executor = Some(device::executor_report(&opened.info));
    report.claims = claims::judged(&set, &frames, Some(trials), !options.narrowed())?;
    clock.lap("claims");
    report.coverage = coverage::coverage(&frames, &report.dumps);
    report.required_coverage =
        options.require_coverage.map(|least| (least, report.coverage.percent() >= least));
    report.repeats = repeats.hashes();
    report.notices = device::notices(set.manifest(), options, &opened, repeats.distinct());
    report.timings = clock.laps;
    report.verdict = verdict(&report);
    if let Some(produced) = produced {
        produced.finish()?;
    }
    if let Some(differences) = differences {
        differences.finish()?;
    }
    Ok(Run { report, frames })
}

/// Checks the claims that need no execution.
///
/// # Errors
/// What kept the check from being carried out; failed expectations are in the report.
pub fn check(path: &Path, options: &Options, progress: &mut dyn Progress) -> Result<Run, RunError> {
    let set = CaptureSet::open(path)?;
    let names = selected(&set, options)?;
    claims::known(set.manifest(), set.frames())?;
    let mut report = Report::new(&set.name(), &set.manifest().title);
    let mut frames = Vec::new();
    for (done, name) in names.iter().enumerate() {
        progress.step(done as u64, names.len() as u64, name);
        let loaded = set.load(name)?;
        let (_, plan) = planned(&set, &loaded, options)?;
        report.frames.push(frame_report(&plan, &Outputs::default()));
        frames.push(RunFrame { loaded, plan });
    }
    report.claims = claims::judged(&set, &frames, None, !options.narrowed())?;
    report.coverage = coverage::coverage(&frames, &report.dumps);
    report.verdict = verdict(&report);
    Ok(Run { report, frames })
}

/// Plans the selected frames, without execution.
///
/// # Errors
/// What kept the set from being read.
pub fn plan(path: &Path, options: &Options) -> Result<Vec<RunFrame>, RunError> {
    let set = CaptureSet::open(path)?;
    let plan_one = |name: &String| {
        let loaded = set.load(name)?;
        let (_, plan) = planned(&set, &loaded, options)?;
        Ok(RunFrame { loaded, plan })
    };
    selected(&set, options)?.iter().map(plan_one).collect()
}

fn planned(set: &CaptureSet, loaded: &LoadedFrame, options: &Options) -> Result<(StandIns, Plan), RunError> {
    let stand_ins = stand_ins::stand_ins(&set.manifest().programs, &loaded.frame)?;
    let mut plan = plan::lower(&loaded.frame, &stand_ins, options.swaps);
    let selection = options.selection(&loaded.frame.name);
    in_frame(&plan, &selection)?;
    plan::select(&mut plan, &selection);
    Ok((stand_ins, plan))
}

/// The frames a run looks at.
fn selected(set: &CaptureSet, options: &Options) -> Result<Vec<String>, RunError> {
    let asked = options.frames.iter().chain(options.draws.iter().map(|(frame, _)| frame));
    for name in asked {
        if !set.frames().contains(name) {
            let known = format!("the frames {}", set.frames().join(", "));
            return Err(RunError::NotInSet { what: "frame", name: name.clone(), known });
        }
    }
    Ok(set.frames().iter().filter(|name| options.wants(name)).cloned().collect())
}

/// Whether a selection names only what the frame has.
fn in_frame(plan: &Plan, selection: &Selection) -> Result<(), RunError> {
    if let Some(pass) = selection.passes.iter().find(|id| plan.passes.iter().all(|p| p.id != **id)) {
        let known: Vec<_> = plan.passes.iter().map(|p| p.id.0.as_str()).collect();
        let known = format!("the passes {}", known.join(", "));
        return Err(RunError::NotInSet { what: "pass", name: pass.0.clone(), known });
    }
    if let Some(event) = selection.events.iter().find(|e| plan.draws.iter().all(|d| d.event != **e)) {
        let (first, last) = (plan.draws.first(), plan.draws.last());
        let known = match (first, last) {
            (Some(first), Some(last)) => {
                format!(
                    "{} draws, of which events {} and {} are the first and the last executed",
                    plan.draws.len(),
                    first.event,
                    last.event
                )
            }
            _ => "no draws".into(),
        };
        return Err(RunError::NotInSet { what: "draw", name: format!("{}:{event}", plan.frame), known });
    }
    Ok(())
}

fn frame_report(plan: &Plan, outputs: &Outputs) -> FrameReport {
    let not_replayed: Vec<(u64, String)> = plan
        .draws()
        .filter_map(|(index, draw)| {
            let planned = draw.replay.as_ref().err().map(ToString::to_string);
            let reason = planned.or_else(|| outputs.not_executed.get(&index).cloned())?;
            Some((draw.event.0, reason))
        })
        .collect();
    FrameReport {
        name: plan.frame.clone(),
        draws: plan.draws.len() as u64,
        replayed: plan.draws.len() as u64 - not_replayed.len() as u64,
        not_replayed,
        inputs: compare::inputs(plan),
        warnings: plan
            .warnings
            .0
            .iter()
            .map(|(what, (count, first))| format!("{count} {what} (first: event {first})"))
            .collect(),
    }
}

/// The verdict of a report, by "What counts as a pass of a set".
fn verdict(report: &Report) -> RunVerdict {
    let differs = report.dumps.iter().any(|d| d.verdict == DumpVerdict::Differ)
        || report.frames.iter().any(|f| !f.inputs.different.is_empty())
        || report.claims.iter().any(|c| c.verdict == ClaimVerdict::Fails || c.fails_for_want_of_cases())
        || report.required_coverage.is_some_and(|(_, reached)| !reached)
        || report.repeats.len() > 1;
    let judged = |verdict| matches!(verdict, ClaimVerdict::Holds | ClaimVerdict::Fails);
    let compared = match report.executor {
        Some(_) => report.dumps.iter().any(|d| d.verdict != DumpVerdict::NotCompared),
        None => report.claims.iter().any(|c| judged(c.verdict) || c.findings.counted > 0),
    };
    match (differs, compared) {
        (true, _) => RunVerdict::Differ,
        (false, true) => RunVerdict::Match,
        (false, false) => RunVerdict::NothingCompared,
    }
}

/// Measures the steps of a run.
struct Clock {
    last: Instant,
    laps: Vec<(String, f64)>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    /// Adds the time since the last lap to a step.
    fn lap(&mut self, step: &str) {
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        self.add(step, seconds);
    }

    /// Breaks the executor's own account out of a step.
    fn split(&mut self, step: &str, outputs: &Outputs) {
        let t = outputs.timings;
        let parts = [("pipelines", t.pipelines), ("upload", t.upload), ("readback", t.readback)];
        for (name, duration) in parts {
            self.add(step, -duration.as_secs_f64());
            self.add(name, duration.as_secs_f64());
        }
    }

    fn add(&mut self, step: &str, seconds: f64) {
        match self.laps.iter_mut().find(|(name, _)| name == step) {
            Some((_, total)) => *total += seconds,
            None => self.laps.push((step.to_owned(), seconds)),
        }
    }
}
