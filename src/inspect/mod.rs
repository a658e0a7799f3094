//! Shows one file: a model, a grass file, or rows of GrassTypeParam.
//!
//! In: addresses (`FILE`, or `FILE!member` in a binder) and what to show. Out: text, JSON, vertices as CSV or .npy, a posed
//! mesh as OBJ. It shows what is stored beside what is made of it, and names what is not established.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::expect_used)
)]

mod grass;
mod model;
mod model_json;
mod obj;
mod row;
mod vertices;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error;

use crate::formats::flver::Model;
use crate::formats::grass::Grass;
use crate::formats::grass_type_param::{GrassType, RowGame};
use crate::formats::source::{self, Item, SourceError};
use crate::formats::{FormatError, Problem, bnd4};

pub use vertices::VertexTable;

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// A FLVER2 model.
    Model,
    /// A .grass file.
    Grass,
    /// GrassTypeParam rows of Elden Ring.
    GrassType,
    /// GrassTypeParam rows of Sekiro.
    GrassTypeSekiro,
}

/// How it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For reading.
    #[default]
    Text,
    /// For programs: an object a file.
    Json,
}

/// What to show.
#[derive(Clone, Debug, Default)]
pub struct InspectOptions {
    /// Addresses.
    pub files: Vec<String>,
    /// What they are; by their first bytes and names where it is not said.
    pub kind: Option<Kind>,
    /// Bytes from one parameter row to the next; the whole file is one row where it is not said.
    pub stride: Option<usize>,
    /// Text or JSON.
    pub format: Format,
    /// Show nodes.
    pub nodes: bool,
    /// Show meshes.
    pub meshes: bool,
    /// Show dummies.
    pub dummies: bool,
    /// Write this mesh's vertices in place of the summary: as CSV, or to `npy`.
    pub vertices: Option<usize>,
    /// Where the vertices go as .npy.
    pub npy: Option<PathBuf>,
    /// Where the posed meshes go as OBJ.
    pub obj: Option<PathBuf>,
}

/// Why something could not be shown.
#[derive(Debug, Error)]
pub enum InspectError {
    /// A file could not be opened or unpacked.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file could not be read.
    #[error("could not read {address}: {error}")]
    Format {
        /// The file.
        address: String,
        /// Why.
        error: FormatError,
    },
    /// Nothing says what a file is.
    #[error("could not tell what {0} is: neither a model nor a grass file; --as says what else it is")]
    Kind(String),
    /// A binder was named without a member.
    #[error("{address} is a binder; name a member after it, as in {address}!{first} (it has {count})")]
    Binder {
        /// The file.
        address: String,
        /// Its first member.
        first: String,
        /// Its members.
        count: usize,
    },
    /// There is no such mesh.
    #[error("{address} has no mesh {mesh}, only {count}")]
    Mesh {
        /// The file.
        address: String,
        /// The mesh asked for.
        mesh: usize,
        /// Meshes there are.
        count: usize,
    },
    /// Something that only a model has was asked of another file.
    #[error("{0} is no model: it has no vertices to write")]
    NoModel(String),
    /// One output file was named for several inputs.
    #[error("an output file takes one input, and {0} are given")]
    OneInput(usize),
    /// The output could not be written.
    #[error("could not write: {0}")]
    Write(#[from] io::Error),
}

/// A file that was read.
enum Read {
    Model(Box<Model>),
    Grass(Grass),
    Rows(Vec<GrassType>),
}

/// Shows every file on `out`.
pub fn run(options: &InspectOptions, out: &mut dyn Write) -> Result<(), InspectError> {
    if (options.npy.is_some() || options.obj.is_some()) && options.files.len() != 1 {
        return Err(InspectError::OneInput(options.files.len()));
    }
    for (i, address) in options.files.iter().enumerate() {
        let item = source::read(address)?;
        let file = read(&item, options)?;
        if options.vertices.is_some() || options.obj.is_some() {
            let Read::Model(model) = &file else { return Err(InspectError::NoModel(address.clone())) };
            export(model, address, options, out)?;
        } else if options.format == Format::Json {
            serde_json::to_writer_pretty(&mut *out, &to_json(&file, &item, options))
                .map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            if i > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{address}")?;
            match &file {
                Read::Model(model) => model::write_text(model, options, out)?,
                Read::Grass(grass) => grass::write_text(grass, out)?,
                Read::Rows(rows) => row::write_text(rows, out)?,
            }
        }
    }
    Ok(())
}

fn to_json(file: &Read, item: &Item, options: &InspectOptions) -> Value {
    let (kind, mut value) = match file {
        Read::Model(model) => ("model", model_json::to_json(model, options)),
        Read::Grass(grass) => ("grass", grass::to_json(grass)),
        Read::Rows(rows) => ("grass type rows", row::to_json(rows)),
    };
    if let Some(object) = value.as_object_mut() {
        object.insert("file".into(), item.address.clone().into());
        object.insert("kind".into(), kind.into());
        object.insert("bytes".into(), item.bytes.len().into());
    }
    value
}

fn read(item: &Item, options: &InspectOptions) -> Result<Read, InspectError> {
    let fail = |error| InspectError::Format { address: item.address.clone(), error };
    let rows = |game: RowGame| {
        let stride = options.stride.unwrap_or(item.bytes.len());
        GrassType::read_rows(&item.bytes, game, stride).map(Read::Rows).map_err(fail)
    };
    let lower = item.address.to_ascii_lowercase();
    let guessed = if item.bytes.starts_with(b"FLVER\0") {
        Some(Kind::Model)
    } else if Grass::is_grass(&item.bytes) || lower.contains(".grass") {
        Some(Kind::Grass)
    } else if lower.contains("grasstype") {
        Some(Kind::GrassType)
    } else {
        None
    };
    match options.kind.or(guessed) {
        Some(Kind::Model) => Model::read(item.bytes.clone()).map(|m| Read::Model(Box::new(m))).map_err(fail),
        Some(Kind::Grass) => Grass::read(&item.bytes).map(Read::Grass).map_err(fail),
        Some(Kind::GrassType) => rows(RowGame::EldenRing),
        Some(Kind::GrassTypeSekiro) => rows(RowGame::Sekiro),
        None if bnd4::is_bnd4(&item.bytes) => {
            let members = bnd4::entries(&item.bytes).map_err(fail)?;
            let first = members.first().map(bnd4::Entry::file_name).unwrap_or_default();
            Err(InspectError::Binder { address: item.address.clone(), first, count: members.len() })
        }
        None => Err(InspectError::Kind(item.address.clone())),
    }
}

fn export(
    model: &Model,
    address: &str,
    options: &InspectOptions,
    out: &mut dyn Write,
) -> Result<(), InspectError> {
    if let Some(mesh) = options.vertices {
        let table = VertexTable::of(model, mesh).ok_or_else(|| InspectError::Mesh {
            address: address.to_owned(),
            mesh,
            count: model.meshes.len(),
        })?;
        match &options.npy {
            Some(path) => {
                let mut file = BufWriter::new(File::create(path)?);
                table.write_npy(&mut file)?;
                file.flush()?;
            }
            None => table.write_csv(out)?,
        }
    }
    if let Some(path) = &options.obj {
        let mut file = BufWriter::new(File::create(path)?);
        obj::write(model, &mut file)?;
        file.flush()?;
    }
    Ok(())
}

/// The problems of a file, a line each.
fn write_problems(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    if problems.is_empty() {
        return writeln!(out, "  problems: none");
    }
    writeln!(out, "  problems: {}", problems.len())?;
    problems.iter().try_for_each(|problem| writeln!(out, "    {problem}"))
}

fn problems_json(problems: &[Problem]) -> Value {
    let one = |p: &Problem| serde_json::json!({ "rule": p.rule, "place": p.place, "text": p.text });
    problems.iter().map(one).collect()
}
