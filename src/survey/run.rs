//! A survey from paths to tallies: files in parallel, a batch at a time, in the order of their names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;

use super::claims::{CLAIMS, Standing};
use super::documented::{DOCUMENTED, Game};
use super::facts::ModelFacts;
use super::tally::{Tallies, Tally};
use super::walk::{Found, Partition, is_model_or_grass, walk};
use super::{dummies, grass, meshes, nodes, scale};
use crate::finding::ClaimVerdict;
use crate::formats::flver::Model;
use crate::formats::grass::Grass;
use crate::formats::source;

/// What to look at and how much to say.
#[derive(Clone, Debug, Default)]
pub struct SurveyOptions {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// The game whose documented figures are held against what is found.
    pub game: Option<Game>,
    /// The share of the files to look at.
    pub partition: Option<Partition>,
    /// Exceptions named a claim.
    pub named: usize,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A model.
    Model,
    /// A grass file.
    Grass,
    /// Neither could be read.
    Unread,
}

impl FileKind {
    /// Its name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Grass => "grass",
            Self::Unread => "unread",
        }
    }
}

/// What was found in one file.
#[derive(Clone, Debug)]
pub struct FileFindings {
    /// Its address.
    pub address: String,
    /// What it is.
    pub kind: FileKind,
    /// Tallies by claim.
    pub claims: BTreeMap<&'static str, Tally>,
}

/// How far a survey is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Paths done.
    pub done: usize,
    /// Paths in all.
    pub of: usize,
}

/// All files together.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Models read.
    pub models: u64,
    /// Grass files read.
    pub grass: u64,
    /// Files that could not be read.
    pub unread: u64,
    /// The game whose figures are held against what was found.
    pub game: Option<Game>,
    /// The share looked at: figures of whole installs are then not judged.
    pub partition: Option<Partition>,
    /// Tallies by claim.
    pub claims: BTreeMap<&'static str, Tally>,
}

impl Summary {
    /// The tally of a claim.
    pub fn tally(&self, claim: &str) -> Tally {
        self.claims.get(claim).cloned().unwrap_or_default()
    }

    /// The verdict on a claim: judged only against documented figures of a game, over all of its files.
    pub fn verdict(&self, claim: &super::SurveyClaim) -> ClaimVerdict {
        if claim.standing == Standing::NotEstablished {
            return ClaimVerdict::NotEstablished;
        }
        let tally = self.tally(claim.id);
        let mut met = DOCUMENTED
            .iter()
            .filter(|documented| documented.claim == claim.id && self.partition.is_none())
            .filter_map(|documented| documented.is_met(self.game?, &tally))
            .peekable();
        let expected = met.peek().is_some();
        match (tally.cases, expected) {
            (0, _) => ClaimVerdict::NothingToCheck,
            (_, false) => ClaimVerdict::Observed,
            (_, true) if met.all(|met| met) => ClaimVerdict::Holds,
            _ => ClaimVerdict::Fails,
        }
    }

    /// Whether a claim fails, or one with documented figures has nothing to check.
    pub fn fails(&self) -> bool {
        CLAIMS.iter().any(|claim| match self.verdict(claim) {
            ClaimVerdict::Fails => true,
            ClaimVerdict::NothingToCheck => {
                let expects = |d: &&super::Documented| {
                    d.claim == claim.id && self.game.is_some_and(|g| d.of(g).is_some())
                };
                self.partition.is_none() && DOCUMENTED.iter().any(|d| expects(&d))
            }
            _ => false,
        })
    }

    fn take(&mut self, file: FileFindings, named: usize) {
        match file.kind {
            FileKind::Model => self.models += 1,
            FileKind::Grass => self.grass += 1,
            FileKind::Unread => self.unread += 1,
        }
        for (claim, tally) in file.claims {
            self.claims.entry(claim).or_default().merge(tally, named);
        }
    }
}

/// Paths read at a time. Their findings wait for one another, so that what comes out is in the order of the names.
const BATCH: usize = 256;

/// Surveys files. `each` sees the findings of every file in order before they are put together; `progress` is told after
/// each path, from any thread.
pub fn run<E>(
    options: &SurveyOptions,
    progress: &(dyn Fn(Progress) + Sync),
    each: &mut dyn FnMut(&FileFindings) -> Result<(), E>,
) -> Result<Summary, E> {
    let (mut found, errors) = walk(&options.paths);
    if let Some(partition) = options.partition {
        found.retain(|file| partition.holds(&file.below));
    }
    let mut summary = Summary { game: options.game, partition: options.partition, ..Summary::default() };
    for (path, error) in errors {
        let file = unread(path.display().to_string(), &error.to_string());
        each(&file)?;
        summary.take(file, options.named);
    }
    let done = std::sync::atomic::AtomicUsize::new(0);
    let of = found.len();
    for batch in found.chunks(BATCH) {
        let read = |file: &Found| {
            let findings = check_path(&file.path.to_string_lossy(), options.named);
            let done = 1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            progress(Progress { done, of });
            findings
        };
        let batch: Vec<Vec<FileFindings>> = batch.par_iter().map(read).collect();
        for file in batch.into_iter().flatten() {
            each(&file)?;
            summary.take(file, options.named);
        }
    }
    Ok(summary)
}

fn check_path(path: &str, named: usize) -> Vec<FileFindings> {
    let mut findings = Vec::new();
    source::visit(path, &is_model_or_grass, &mut |item| {
        findings.push(match item {
            Ok(item) => check_bytes(item.address, item.bytes, named),
            Err(source::SourceError::Format { address, error }) => unread(address, &error.to_string()),
            Err(error) => unread(path.to_owned(), &error.to_string()),
        });
    });
    findings
}

/// Checks every claim on one file's bytes.
pub fn check_bytes(address: String, bytes: bytes::Bytes, named: usize) -> FileFindings {
    let mut tallies = Tallies { named, ..Tallies::default() };
    let lower = address.to_ascii_lowercase();
    let is_grass =
        lower.strip_suffix(".dcx").unwrap_or(&lower).ends_with(".grass") || Grass::is_grass(&bytes);
    let kind = if is_grass {
        match Grass::read(&bytes) {
            Ok(file) => {
                grass::check(&file, &address, &mut tallies);
                FileKind::Grass
            }
            Err(error) => {
                tallies.case("grass-header", false, || format!("{address}: {error}"));
                tallies.case("read", false, || format!("{address}: {error}"));
                return FileFindings { address, kind: FileKind::Unread, claims: tallies.by_claim };
            }
        }
    } else {
        match Model::read(bytes) {
            Ok(model) => {
                let facts = ModelFacts::of(&model, &address);
                nodes::check(&facts, &mut tallies);
                scale::check(&facts, &mut tallies);
                meshes::check(&facts, &mut tallies);
                dummies::check(&facts, &mut tallies);
                FileKind::Model
            }
            Err(error) => return unread(address, &error.to_string()),
        }
    };
    tallies.of("read").agreeing(1);
    FileFindings { address, kind, claims: tallies.by_claim }
}

fn unread(address: String, why: &str) -> FileFindings {
    let mut tallies = Tallies { named: 1, ..Tallies::default() };
    tallies.case("read", false, || format!("{address}: {why}"));
    FileFindings { address, kind: FileKind::Unread, claims: tallies.by_claim }
}
