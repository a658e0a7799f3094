//! The `replay` command: parse, run, print, exit code.

mod progress;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Parser;
use replay::cli::{Cli, Color};
use replay::commands;

use progress::Bar;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let choice = match cli.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let mut bar = Bar::new();
    let answer = commands::execute(&cli, &mut bar);
    bar.clear();
    match answer {
        Ok(answer) => match print(&answer.text, choice) {
            // Whoever reads may stop reading: `replay set | head -1` is no error.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                fail(&error, "write the answer", choice, 2)
            }
            Ok(()) | Err(_) => ExitCode::from(answer.code),
        },
        Err(error) => {
            let code = error.exit_code();
            fail_with_chain(&error, choice, code)
        }
    }
}

fn print(text: &str, choice: ColorChoice) -> io::Result<()> {
    let stdout = AutoStream::new(io::stdout().lock(), choice);
    let mut out = io::BufWriter::new(stdout);
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn fail(error: &dyn std::error::Error, what: &str, choice: ColorChoice, code: u8) -> ExitCode {
    say(&format!("could not {what}: {error}"), choice);
    ExitCode::from(code)
}

/// An error with what caused it, each cause once.
fn fail_with_chain(error: &dyn std::error::Error, choice: ColorChoice, code: u8) -> ExitCode {
    let mut text = format!("could not {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.ends_with(&words) {
            text += &format!(": {words}");
        }
        cause = error.source();
    }
    say(&text, choice);
    ExitCode::from(code)
}

fn say(text: &str, choice: ColorChoice) {
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let mut stderr = AutoStream::new(io::stderr().lock(), choice);
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(stderr, "{red}replay:{red:#} {text}");
}
