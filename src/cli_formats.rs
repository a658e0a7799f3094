//! Arguments of `inspect`, `survey` and `synth models`: clap types and what they become.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use crate::inspect::{self, InspectError, InspectOptions};
use crate::survey::{self, CsvRows, Game, Partition, SurveyOptions};
use crate::synth::models::{self, ModelsOptions};

/// Show a model, a grass file or rows of GrassTypeParam.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Files; a member of a binder is FILE!member.
    #[arg(required = true)]
    pub files: Vec<String>,
    /// What the files are, where their first bytes do not say.
    #[arg(long = "as", value_name = "KIND")]
    pub kind: Option<inspect::Kind>,
    /// Bytes from one parameter row to the next.
    #[arg(long, value_name = "BYTES")]
    pub stride: Option<usize>,
    /// Text, or JSON with an object a file.
    #[arg(long, default_value = "text")]
    pub format: inspect::Format,
    /// Show nodes (all sections are shown where none is asked for).
    #[arg(long)]
    pub nodes: bool,
    /// Show meshes.
    #[arg(long)]
    pub meshes: bool,
    /// Show dummies.
    #[arg(long)]
    pub dummies: bool,
    /// Write the vertices of a mesh as CSV.
    #[arg(long, value_name = "MESH")]
    pub vertices: Option<usize>,
    /// Write the vertices as a structured NumPy array in place of CSV.
    #[arg(long, value_name = "FILE", requires = "vertices")]
    pub npy: Option<PathBuf>,
    /// Write the posed meshes as OBJ.
    #[arg(long, value_name = "FILE")]
    pub obj: Option<PathBuf>,
}

impl InspectArgs {
    /// Shows what is asked for on `out`.
    pub fn run(self, out: &mut dyn Write) -> Result<(), InspectError> {
        let options = InspectOptions {
            files: self.files,
            kind: self.kind,
            stride: self.stride,
            format: self.format,
            nodes: self.nodes,
            meshes: self.meshes,
            dummies: self.dummies,
            vertices: self.vertices,
            npy: self.npy,
            obj: self.obj,
        };
        inspect::run(&options, out)
    }
}

/// How a survey is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SurveyFormat {
    /// A table, and a sentence a claim.
    #[default]
    Text,
    /// One object.
    Json,
    /// A line of JSON a file and claim.
    Jsonl,
    /// A row a file and claim.
    Csv,
}

/// Check every claim about files over any number of them.
#[derive(Args, Debug)]
pub struct SurveyArgs {
    /// Files and folders; folders are walked for models, grass files and binders, packed or not.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Hold the documented figures of a game against those found.
    #[arg(long)]
    pub game: Option<Game>,
    /// Look at the Kth of N shares alone, shared out by a hash of the paths below those given.
    #[arg(long, value_name = "K/N")]
    pub partition: Option<Partition>,
    /// How to show it.
    #[arg(long, default_value = "text")]
    pub format: SurveyFormat,
    /// Exceptions named a claim.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub exceptions: usize,
}

impl SurveyArgs {
    /// Surveys and shows. Gives whether a documented figure was not met.
    pub fn run(self, out: &mut dyn Write) -> io::Result<bool> {
        let options = SurveyOptions {
            paths: self.paths,
            game: self.game,
            partition: self.partition,
            named: self.exceptions,
        };
        let bar = progress_bar();
        let progress = |progress: survey::Progress| {
            bar.set_length(progress.of as u64);
            bar.inc(1);
        };
        let summary = match self.format {
            SurveyFormat::Text | SurveyFormat::Json => {
                survey::run::<io::Error>(&options, &progress, &mut |_| Ok(()))?
            }
            SurveyFormat::Jsonl => {
                survey::run(&options, &progress, &mut |file| survey::jsonl_rows(file, out))?
            }
            SurveyFormat::Csv => {
                let mut rows = CsvRows::new(&mut *out).map_err(io::Error::from)?;
                let summary =
                    survey::run(&options, &progress, &mut |file| rows.rows(file).map_err(io::Error::from))?;
                rows.finish()?;
                summary
            }
        };
        bar.finish_and_clear();
        match self.format {
            SurveyFormat::Text => out.write_all(survey::render_text(&summary).as_bytes())?,
            SurveyFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &survey::render_json(&summary))?;
                writeln!(out)?;
            }
            SurveyFormat::Jsonl | SurveyFormat::Csv => {}
        }
        Ok(summary.fails())
    }
}

/// A bar on a terminal, nothing elsewhere.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Write valid model and grass files with known truth (truth.json).
#[derive(Args, Debug)]
pub struct SynthModelsArgs {
    /// The folder to write into; made where it is not there.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Files to write.
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// The seed; the same gives the same bytes.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// One file in this many has a fault; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub fault_every: u64,
}

impl SynthModelsArgs {
    /// Writes the files and says on `out` what is in them.
    pub fn run(self, out: &mut dyn Write) -> io::Result<()> {
        let Self { out: folder, count, seed, fault_every } = self;
        let truth = models::write(&ModelsOptions { out: folder.clone(), count, seed, fault_every })?;
        writeln!(
            out,
            "{}: {} models, {} grass files, {} that cannot be read, {} with exceptions (truth.json)",
            folder.display(),
            truth.models,
            truth.grass,
            truth.unread,
            truth.planted.len()
        )
    }
}
