//! The command line as types. What they do is in `commands`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cli_formats::{InspectArgs, SurveyArgs, SynthModelsArgs};
use crate::plan::Swaps;
use crate::run::{DeviceChoice, Options};

/// Replays recorded frames on Vulkan and compares what comes out with the record.
#[derive(Debug, Parser)]
#[command(
    name = "replay",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    disable_help_subcommand = true,
    after_help = AFTER_HELP,
)]
pub struct Cli {
    /// Something other than a replay.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A replay.
    #[command(flatten)]
    pub replay: ReplayArgs,
    /// When text is coloured.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

const AFTER_HELP: &str = "\
Exit codes: 0 all that was compared matches and every expected claim holds; 1 something differs or an
expected claim fails; 2 bad input or usage; 3 nothing was compared, or the device asked for is not there.

Examples:
  replay captures/ashina_gate
  replay captures/ashina_gate --frame 0003 --pass motion_vector --device reference
  replay captures/ashina_gate --require-coverage 100% --csv differences.csv
  replay captures/ashina_gate --swap streams        what the other pairing would have given
  replay draw captures/ashina_gate 0003:41          one draw, laid open
  replay explain pair-slot                          what a claim says and how it is checked

A capture set in a folder that is named like a command is given as ./check.";

/// A replay of a capture set.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The capture set: a folder that holds capture.toml.
    #[arg(required = true)]
    pub capture: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub frames: FrameArgs,
    /// Replay only the draws of this pass; may be repeated.
    #[arg(long = "pass", value_name = "ID")]
    pub passes: Vec<String>,
    /// Replay only this draw; may be repeated.
    #[arg(long = "draw", value_name = "FRAME:EVENT", value_parser = frame_event)]
    pub draws: Vec<FrameEvent>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub device: DeviceArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub format: FormatArgs,
    /// Write what was produced into this folder, raw and as PNG. It must be empty or not there.
    #[arg(long, value_name = "DIR")]
    pub dump: Option<PathBuf>,
    /// Write every difference into this file, a row each.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Replay every frame this many times and report how many different results came out.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Exchange the two of something and see what the record says to it; may be repeated.
    #[arg(long = "swap", value_enum, value_name = "WHAT")]
    pub swaps: Vec<Swap>,
    /// Fail (exit code 1) unless at least this share of the draws was compared: 95%, or 95.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub require_coverage: Option<f64>,
    /// Show where the time went, step by step.
    #[arg(long)]
    pub timings: bool,
    /// Turn the Vulkan validation layer on, where it is installed.
    #[arg(long)]
    pub validation: bool,
}

/// Other commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the claims that need no execution.
    Check {
        /// The capture set.
        capture: PathBuf,
        #[command(flatten)]
        #[allow(missing_docs)]
        frames: FrameArgs,
        /// Print `[[expect]]` tables of what was found, to be judged and pasted into capture.toml.
        #[arg(long, conflicts_with = "format")]
        write_expect: bool,
        #[command(flatten)]
        #[allow(missing_docs)]
        format: FormatArgs,
    },
    /// Print the resolved plan: every command, and which bytes every draw reads.
    Plan {
        /// The capture set.
        capture: PathBuf,
        #[command(flatten)]
        #[allow(missing_docs)]
        frames: FrameArgs,
    },
    /// List the draws, a line each, with what was replayed or why not and the verdict.
    #[command(after_help = DRAWS_HELP)]
    Draws {
        /// The capture set.
        capture: PathBuf,
        #[command(flatten)]
        #[allow(missing_docs)]
        frames: FrameArgs,
        /// Only the draws that this expression is true of.
        #[arg(long = "where", value_name = "EXPR")]
        filter: Option<String>,
        #[command(flatten)]
        #[allow(missing_docs)]
        device: DeviceArgs,
        #[command(flatten)]
        #[allow(missing_docs)]
        format: FormatArgs,
    },
    /// Lay one draw open: program, bindings with the writers of their bytes, constants, verdict.
    Draw {
        /// The capture set.
        capture: PathBuf,
        /// The draw: its event, or FRAME:EVENT where several frames have that event.
        #[arg(value_name = "EVENT", value_parser = event)]
        event: EventArg,
        /// The frame.
        #[arg(long, value_name = "NAME")]
        frame: Option<String>,
        #[command(flatten)]
        #[allow(missing_docs)]
        device: DeviceArgs,
        #[command(flatten)]
        #[allow(missing_docs)]
        format: FormatArgs,
    },
    /// List what can replay here, and what keeps the rest from it.
    Devices {
        #[command(flatten)]
        #[allow(missing_docs)]
        format: FormatArgs,
    },
    /// Show a model, a grass file or parameter rows.
    Inspect(InspectArgs),
    /// Check the claims about files over any number of models and grass files.
    Survey(SurveyArgs),
    /// Write synthetic data with known truth.
    Synth {
        /// What to write.
        #[command(subcommand)]
        what: SynthCommand,
    },
    /// Say what a claim states, where, and how it is checked; without an id, list all.
    Explain {
        /// The claim's id, as reports print it.
        claim: Option<String>,
        #[command(flatten)]
        #[allow(missing_docs)]
        format: FormatArgs,
    },
}

/// Synthetic data.
#[derive(Debug, Subcommand)]
pub enum SynthCommand {
    /// A capture set of five Sekiro frames.
    #[command(after_help = "Example:\n  replay synth ashina-gate -o captures/ashina_gate")]
    AshinaGate(SynthSetArgs),
    /// A capture set of ten Elden Ring frames.
    #[command(after_help = "Example:\n  replay synth stormveil-gate -o captures/stormveil_gate")]
    StormveilGate(SynthSetArgs),
    /// Model and grass files.
    Models(SynthModelsArgs),
}

/// A synthetic capture set.
#[derive(Debug, Args)]
pub struct SynthSetArgs {
    /// The folder to write; it must be empty or not there.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// One seed gives one set, bit for bit.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

const DRAWS_HELP: &str = "\
Expressions compare fields with values:
  pass=shadow and mesh~FC_* and not verdict=match
  event>=40 and (count<100 or instances>1)
= and != compare whole values, ~ and !~ match a glob, < <= > >= compare numbers. `not` binds tighter
than `and`, `and` tighter than `or`. Values with spaces stand in quotes.
Fields: frame event list execution pass program mesh topology count instances shader reason
replayed (yes, no) verdict (match, differ, not_compared) different";

/// Which frames.
#[derive(Clone, Debug, Default, Args)]
pub struct FrameArgs {
    /// Look only at this frame; may be repeated.
    #[arg(long = "frame", value_name = "NAME")]
    pub frames: Vec<String>,
}

/// Which executor.
#[derive(Clone, Debug, Args)]
pub struct DeviceArgs {
    /// What replays: auto (the first Vulkan device, else the reference executor), reference, or a
    /// Vulkan device by its index or a part of its name.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
}

/// Which form of output.
#[derive(Clone, Copy, Debug, Args)]
pub struct FormatArgs {
    /// Text to read, or JSON for programs.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// When text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What an analyst may exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Swap {
    /// POSITION0 and POSITION1.
    Streams,
    /// cbObjMatrix and cbPrevObjMatrix.
    Palettes,
    /// The two view-projections of cbMatrixWVP.
    Views,
}

/// A draw of a named frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameEvent {
    /// The frame.
    pub frame: String,
    /// The event.
    pub event: u64,
}

/// A draw, perhaps of a named frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventArg {
    /// The frame, where given.
    pub frame: Option<String>,
    /// The event.
    pub event: u64,
}

/// A frame's name may hold colons; an event may not.
fn frame_event(text: &str) -> Result<FrameEvent, String> {
    let Some((frame, number)) = text.rsplit_once(':') else {
        return Err("expected FRAME:EVENT, such as 0003:41".into());
    };
    if frame.is_empty() {
        return Err("the frame before the colon is missing".into());
    }
    let event = number.parse().map_err(|_| format!("`{number}` is no event: expected a whole number"))?;
    Ok(FrameEvent { frame: frame.into(), event })
}

fn event(text: &str) -> Result<EventArg, String> {
    if text.contains(':') {
        let FrameEvent { frame, event } = frame_event(text)?;
        return Ok(EventArg { frame: Some(frame), event });
    }
    let event =
        text.parse().map_err(|_| "expected EVENT or FRAME:EVENT, such as 41 or 0003:41".to_owned())?;
    Ok(EventArg { frame: None, event })
}

/// A share such as `95%` or `95`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    match number.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("expected a share between 0 and 100, such as 95%".into()),
    }
}

/// A number is an index, whatever devices are called.
#[allow(clippy::unnecessary_wraps, reason = "clap's parsers may fail")]
fn device(text: &str) -> Result<DeviceChoice, String> {
    Ok(match text {
        "auto" => DeviceChoice::Auto,
        "reference" => DeviceChoice::Reference,
        "" => return Err("expected auto, reference, an index or a part of a name".into()),
        other => other.parse().map_or_else(|_| DeviceChoice::Name(other.into()), DeviceChoice::Index),
    })
}

impl From<&ReplayArgs> for Options {
    fn from(args: &ReplayArgs) -> Self {
        Self {
            frames: args.frames.frames.clone(),
            passes: args.passes.clone(),
            draws: args.draws.iter().map(|draw| (draw.frame.clone(), draw.event)).collect(),
            device: args.device.device.clone(),
            validation: args.validation,
            swaps: swaps(&args.swaps),
            repeat: args.repeat,
            require_coverage: args.require_coverage,
            dump: args.dump.clone(),
            csv: args.csv.clone(),
        }
    }
}

impl From<&FrameArgs> for Options {
    fn from(args: &FrameArgs) -> Self {
        Self { frames: args.frames.clone(), ..Self::default() }
    }
}

fn swaps(asked: &[Swap]) -> Swaps {
    let has = |swap| asked.contains(&swap);
    Swaps { streams: has(Swap::Streams), palettes: has(Swap::Palettes), views: has(Swap::Views) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("replay").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_replay_takes_everything() {
        let cli = parse(
            "set --frame 0001 --frame 0002 --pass shadow --draw 0001:41 --device llvm --format json --dump out \
             --repeat 3 --swap streams --swap views --require-coverage 99.5% --timings --csv all.csv --color never",
        )
        .unwrap();
        let options = Options::from(&cli.replay);
        assert_eq!(options.frames, ["0001", "0002"]);
        assert_eq!(options.draws, [("0001".to_owned(), 41)]);
        assert_eq!(options.device, DeviceChoice::Name("llvm".into()));
        assert_eq!(options.swaps, Swaps { streams: true, palettes: false, views: true });
        assert_eq!((options.repeat, options.require_coverage), (3, Some(99.5)));
        assert_eq!((cli.color, cli.replay.format.format), (Color::Never, Format::Json));
    }

    #[test]
    fn commands_are_told_from_captures() {
        assert!(matches!(parse("check set").unwrap().command, Some(Command::Check { .. })));
        let cli = parse("./check").unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.replay.capture, Some(PathBuf::from("./check")));
        let Some(Command::Draw { event, .. }) = parse("draw set 0003:41").unwrap().command else { panic!() };
        assert_eq!(event, EventArg { frame: Some("0003".into()), event: 41 });
        let Some(Command::Explain { claim, .. }) = parse("explain").unwrap().command else { panic!() };
        assert_eq!(claim, None);
    }

    #[test]
    fn wrong_use_is_refused() {
        for (line, kind) in [
            ("", ErrorKind::MissingRequiredArgument),
            ("set --repeat 0", ErrorKind::ValueValidation),
            ("set --repeat -1", ErrorKind::UnknownArgument),
            ("set --draw 41", ErrorKind::ValueValidation),
            ("set --draw :41", ErrorKind::ValueValidation),
            ("set --draw 0001:x", ErrorKind::ValueValidation),
            ("set --require-coverage 101", ErrorKind::ValueValidation),
            ("set --require-coverage NaN", ErrorKind::ValueValidation),
            ("set --swap colours", ErrorKind::InvalidValue),
            ("set --format yaml", ErrorKind::InvalidValue),
            ("set other", ErrorKind::ArgumentConflict),
            ("--frame 0001 check set", ErrorKind::ArgumentConflict),
            ("check", ErrorKind::MissingRequiredArgument),
            ("check set --write-expect --format json", ErrorKind::ArgumentConflict),
            ("draw set", ErrorKind::MissingRequiredArgument),
            ("synth ashina-gate", ErrorKind::MissingRequiredArgument),
            ("synth sekiro -o x", ErrorKind::InvalidSubcommand),
        ] {
            assert_eq!(parse(line).expect_err(line).kind(), kind, "{line}");
        }
    }

    #[test]
    fn values_are_read_as_they_are_meant() {
        assert_eq!((percent("100%"), percent("100"), percent("0.5 %")), (Ok(100.0), Ok(100.0), Ok(0.5)));
        assert_eq!(device("2"), Ok(DeviceChoice::Index(2)));
        assert_eq!(device("reference"), Ok(DeviceChoice::Reference));
        assert_eq!(device("RTX 4090"), Ok(DeviceChoice::Name("RTX 4090".into())));
        assert!(device("").is_err());
        assert_eq!(frame_event("a:b:7"), Ok(FrameEvent { frame: "a:b".into(), event: 7 }));
        assert_eq!(event("7"), Ok(EventArg { frame: None, event: 7 }));
        assert!(event("0003:").is_err() && event("-1").is_err());
    }
}
