//! The `replay` command: parse, run, print, exit code.

mod progress;

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Parser;
use replay::cli::{Cli, Color};
use replay::commands::{self, CommandError};

use progress::Bar;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let choice = match cli.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    // Colours are stripped where nobody sees them: not on a terminal, or with NO_COLOR set.
    let mut out = BufWriter::new(AutoStream::new(io::stdout().lock(), choice));
    let mut bar = Bar::new();
    let done = commands::execute(cli, &mut out, &mut bar);
    bar.clear();
    let flushed = out.flush().map_err(CommandError::Write);
    let done = done.and_then(|code| match flushed {
        Err(error) if !error.is_closed_pipe() => Err(error),
        Ok(()) | Err(_) => Ok(code),
    });
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error, choice);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Says an error and what caused it, each cause once.
fn complain(error: &CommandError, choice: ColorChoice) {
    let mut text = format!("could not {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.ends_with(&words) {
            text += &format!(": {words}");
        }
        cause = error.source();
    }
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let mut stderr = AutoStream::new(io::stderr().lock(), choice);
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(stderr, "{red}replay:{red:#} {text}");
}
