//! What each command of the command line does: runs it, writes the answer to whatever takes bytes, and hands back the
//! exit code.
//!
//! Nothing here knows a terminal, so that every command can be tested as a function.

use std::io::{self, Write};
use std::path::Path;

use crate::card::{self, LookUpError};
use crate::check::{CLAIMS, Claim, ClaimKind};
use crate::cli::{Cli, Command, EventArg, Format, ReplayArgs, SynthCommand};
use crate::execute::vulkan;
use crate::finding::{DumpKind, DumpVerdict};
use crate::inspect::InspectError;
use crate::plan::dump::PlanText;
use crate::report::devices::{Device, Devices};
use crate::report::draws::{self, DrawRow};
use crate::report::explain::{self, Explanation};
use crate::report::filter::{Filter, FilterError};
use crate::report::json::JsonOptions;
use crate::report::text::TextOptions;
use crate::report::{DumpOwner, DumpReport, Report, exit_code, expect, json, text};
use crate::run::{self, DeviceChoice, INSTALL_HINT, Options, Progress, RunError};
use crate::synth::{self, SynthError};

/// What a command has to say.
struct Answer {
    /// For standard output, with colours as escape sequences.
    text: String,
    /// The exit code.
    code: u8,
}

impl Answer {
    fn ok(text: String) -> Self {
        Self { text, code: 0 }
    }
}

/// Why a command could not be carried out. Each text fits after "could not".
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CommandError {
    /// A replay, or what begins like one.
    #[error("{what} {capture}")]
    Run { what: &'static str, capture: String, source: Box<RunError> },
    /// `--where`.
    #[error("read --where")]
    Filter(#[from] FilterError),
    /// The draw asked for.
    #[error("find the draw")]
    LookUp(#[from] LookUpError),
    /// A frame given twice, differently.
    #[error("find the draw")]
    TwoFrames(#[source] TwoFrames),
    /// `synth`.
    #[error("write the set {name}")]
    Synth { name: String, source: SynthError },
    /// `inspect`.
    #[error("inspect")]
    Inspect(#[from] InspectError),
    /// `survey`: a file or folder it was given, or the answer.
    #[error("survey")]
    Survey(#[source] io::Error),
    /// `synth models`.
    #[error("write the models")]
    Models(#[source] io::Error),
    /// The answer had nowhere to go.
    #[error("write the answer")]
    Write(#[source] io::Error),
    /// `explain`.
    #[error("explain `{0}`")]
    NoClaim(String, #[source] NoClaim),
}

/// `--frame A` beside `B:EVENT`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--frame says {0}, but the event is given as one of frame {1}")]
pub struct TwoFrames(String, String);

/// No claim has that id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no claim has that id; {0}")]
pub struct NoClaim(String);

impl CommandError {
    /// The exit code an error stands for.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Run { source, .. } => source.exit_code(),
            Self::Filter(_)
            | Self::LookUp(_)
            | Self::TwoFrames(_)
            | Self::Synth { .. }
            | Self::Inspect(_)
            | Self::Survey(_)
            | Self::Models(_)
            | Self::Write(_)
            | Self::NoClaim(..) => 2,
        }
    }

    /// Whether whoever read the answer stopped reading: `replay set | head -1`. That is no error.
    pub fn is_closed_pipe(&self) -> bool {
        let mut cause: Option<&dyn std::error::Error> = Some(self);
        while let Some(error) = cause {
            let closed = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
            if error.downcast_ref::<io::Error>().is_some_and(closed) {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// Carries a command out, writes its answer to `out`, and gives the exit code.
///
/// # Errors
/// What kept it from being carried out; what differs is an answer.
pub fn execute(cli: Cli, out: &mut dyn Write, progress: &mut dyn Progress) -> Result<u8, CommandError> {
    let answer = match cli.command {
        None => replay(&cli.replay, progress)?,
        Some(Command::Check { capture, frames, write_expect, format }) => {
            let report = check(&capture, &(&frames).into(), progress)?;
            if write_expect {
                Answer::ok(expect::tables(&report))
            } else {
                answer(&report, format.format, false)
            }
        }
        Some(Command::Plan { capture, frames }) => plan(&capture, &(&frames).into())?,
        Some(Command::Draws { capture, frames, filter, device, format }) => {
            let options = Options { device: device.device, ..(&frames).into() };
            list_draws(&capture, &options, filter.as_deref(), format.format, progress)?
        }
        Some(Command::Draw { capture, event, frame, device, format }) => {
            draw(&capture, &event, frame.as_deref(), &device.device, format.format, progress)?
        }
        Some(Command::Devices { format }) => devices(format.format),
        Some(Command::Synth { what: SynthCommand::AshinaGate(args) }) => {
            write_synthetic("ashina-gate", args.seed, &args.output)?
        }
        Some(Command::Synth { what: SynthCommand::StormveilGate(args) }) => {
            write_synthetic("stormveil-gate", args.seed, &args.output)?
        }
        Some(Command::Synth { what: SynthCommand::Models(args) }) => {
            return args.run(out).map(|()| 0).map_err(CommandError::Models);
        }
        Some(Command::Inspect(args)) => return Ok(args.run(out).map(|()| 0)?),
        Some(Command::Survey(args)) => return args.run(out).map(u8::from).map_err(CommandError::Survey),
        Some(Command::Explain { claim, format }) => explain(claim.as_deref(), format.format)?,
    };
    match out.write_all(answer.text.as_bytes()) {
        // Whoever stopped reading still gets the verdict.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Write(error)),
        Ok(()) | Err(_) => Ok(answer.code),
    }
}

/// Names the work and the set in an error.
fn failed<'a>(what: &'static str, capture: &'a Path) -> impl Fn(RunError) -> CommandError + 'a {
    move |source| CommandError::Run { what, capture: capture.display().to_string(), source: source.into() }
}

fn answer(report: &Report, format: Format, timings: bool) -> Answer {
    let text = match format {
        Format::Text => text::render(report, TextOptions { timings }),
        Format::Json => json::render(report, JsonOptions { timings }),
    };
    Answer { text, code: exit_code(report.verdict) }
}

fn replay(args: &ReplayArgs, progress: &mut dyn Progress) -> Result<Answer, CommandError> {
    // clap requires the capture where no command is given.
    let capture = args.capture.as_deref().unwrap_or(Path::new("."));
    let run = run::replay(capture, &args.into(), progress).map_err(failed("replay", capture))?;
    Ok(answer(&run.report, args.format.format, args.timings))
}

fn check(capture: &Path, options: &Options, progress: &mut dyn Progress) -> Result<Report, CommandError> {
    Ok(run::check(capture, options, progress).map_err(failed("check", capture))?.report)
}

fn plan(capture: &Path, options: &Options) -> Result<Answer, CommandError> {
    let frames = run::plan(capture, options).map_err(failed("plan", capture))?;
    let texts: Vec<String> = frames.iter().map(|frame| PlanText(&frame.plan).to_string()).collect();
    Ok(Answer::ok(texts.join("\n")))
}

fn list_draws(
    capture: &Path,
    options: &Options,
    filter: Option<&str>,
    format: Format,
    progress: &mut dyn Progress,
) -> Result<Answer, CommandError> {
    // Before the work: a slip in the expression is told at once.
    let filter = filter.map(Filter::parse::<DrawRow>).transpose()?;
    let run = run::replay(capture, options, progress).map_err(failed("replay", capture))?;
    let rows = card::rows(run.frames.iter().map(|frame| &frame.plan), &run.report);
    let all = rows.len();
    let rows = draws::wanted(rows, filter.as_ref());
    let text = match format {
        Format::Text => draws::text(&rows, all),
        Format::Json => draws::json(&rows),
    };
    Ok(Answer { text, code: differs(rows.iter().map(|row| row.verdict)) })
}

fn draw(
    capture: &Path,
    event: &EventArg,
    frame: Option<&str>,
    device: &DeviceChoice,
    format: Format,
    progress: &mut dyn Progress,
) -> Result<Answer, CommandError> {
    let frame = match (frame, event.frame.as_deref()) {
        (Some(a), Some(b)) if a != b => return Err(CommandError::TwoFrames(TwoFrames(a.into(), b.into()))),
        (given, of_event) => given.or(of_event),
    };
    let looked_at = Options { frames: frame.iter().map(|&f| f.to_owned()).collect(), ..Options::default() };
    let planned = run::plan(capture, &looked_at).map_err(failed("read", capture))?;
    let found = card::find(planned.iter().map(|frame| &frame.plan), event.event)?;
    let name = planned.get(found.frame).map(|f| f.plan.frame.clone()).unwrap_or_default();
    // Only that draw is replayed; what the frame did before it is resolved whatever is selected.
    let options = Options { draws: vec![(name, event.event)], device: device.clone(), ..Options::default() };
    let run = run::replay(capture, &options, progress).map_err(failed("replay", capture))?;
    let verdicts = of_draw(&run.report, event.event);
    let code = differs(verdicts.iter().map(|dump| dump.verdict));
    let card = run
        .frames
        .first()
        .and_then(|frame| card::build(&frame.loaded.frame, &frame.plan, found.draw, verdicts));
    // The frame was read twice: the draw was there the first time.
    let text = card.map_or_else(String::new, |card| match format {
        Format::Text => card.text(),
        Format::Json => card.json(),
    });
    Ok(Answer { text, code })
}

/// 1 where a draw that is shown differs, else 0: a list of draws is no claim that something was compared.
fn differs(mut verdicts: impl Iterator<Item = DumpVerdict>) -> u8 {
    u8::from(verdicts.any(|verdict| verdict == DumpVerdict::Differ))
}

/// The reports on a draw's own dumps.
fn of_draw(report: &Report, wanted: u64) -> Vec<DumpReport> {
    let own = |dump: &&DumpReport| {
        dump.kind() == DumpKind::PostVs
            && matches!(&dump.owner, DumpOwner::Draw { event, .. } if *event == wanted)
    };
    report.dumps.iter().filter(own).cloned().collect()
}

fn devices(format: Format) -> Answer {
    let mut devices = Devices {
        reference: format!("float64 on the CPU, replay {}", env!("CARGO_PKG_VERSION")),
        ..Devices::default()
    };
    match vulkan::devices() {
        Err(why) => devices.no_vulkan = Some(why.to_string()),
        Ok(found) => {
            devices.vulkan = found
                .into_iter()
                .map(|d| Device {
                    index: d.index,
                    name: d.name,
                    kind: d.kind.to_string(),
                    driver: d.driver,
                    api: d.api,
                    usable: d.usable.is_ok(),
                    lacks: d.usable.err().unwrap_or_default(),
                })
                .collect();
        }
    }
    if !devices.vulkan.iter().any(|device| device.usable) {
        devices.install = Some(INSTALL_HINT.into());
    }
    Answer::ok(match format {
        Format::Text => devices.text(),
        Format::Json => devices.json(),
    })
}

fn write_synthetic(name: &str, seed: u64, output: &Path) -> Result<Answer, CommandError> {
    synth::write(name, seed, output)
        .map_err(|source| CommandError::Synth { name: name.to_owned(), source })?;
    Ok(Answer::ok(format!("wrote {name}, seed {seed}, to {}\n", output.display())))
}

fn explain(id: Option<&str>, format: Format) -> Result<Answer, CommandError> {
    let Some(id) = id else {
        let all: Vec<_> = CLAIMS.iter().map(explanation).collect();
        return Ok(Answer::ok(match format {
            Format::Text => explain::list(&all),
            Format::Json => explain::json(&all),
        }));
    };
    let Some(claim) = CLAIMS.iter().find(|claim| claim.id == id) else {
        // Whoever misspells an id usually has its beginning right.
        let stem = id.split('-').next().unwrap_or(id);
        let near: Vec<&str> = CLAIMS.iter().map(|c| c.id).filter(|known| known.starts_with(stem)).collect();
        let hint = match near.as_slice() {
            [] => "`replay explain` lists all".to_owned(),
            near => format!("perhaps {}", near.join(" or ")),
        };
        return Err(CommandError::NoClaim(id.to_owned(), NoClaim(hint)));
    };
    Ok(Answer::ok(match format {
        Format::Text => explanation(claim).text(),
        Format::Json => explain::json(&[explanation(claim)]),
    }))
}

fn explanation(claim: &Claim) -> Explanation<'static> {
    Explanation {
        id: claim.id,
        statement: claim.statement,
        source: claim.source,
        how: claim.how,
        settled_by: match claim.kind {
            ClaimKind::Capture => "a capture",
            ClaimKind::Replay => "a replay",
            ClaimKind::Unknown => "nothing yet",
        },
        figures: claim.figures,
    }
}
