//! Writes populations of model and grass files with known truth: every claim of a survey with cases on both sides, and
//! exceptions at a stated rate, each planted by a fault that says what it breaks.
//!
//! In: how many, and a seed. Out: a folder of files, some in binders, and `truth.json`: what a survey must find. The same
//! seed gives the same bytes. No game's data is in any of it.

mod build;
mod fault;
mod grass;
mod random;
mod records;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::formats::{bnd4, dcx};

pub use build::{Built, Kind, build_model};
pub use fault::{Fault, GRASS_FAULTS, MODEL_FAULTS};
pub use grass::build_grass;
pub use random::Random;

/// What to write.
#[derive(Clone, Debug)]
pub struct ModelsOptions {
    /// The folder; made where it is not there.
    pub out: PathBuf,
    /// Files to write; binders count as one.
    pub count: u64,
    /// The seed.
    pub seed: u64,
    /// One plain file in this many has a fault; 0 for none.
    pub fault_every: u64,
}

/// What a survey of the population must find.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The seed.
    pub seed: u64,
    /// Models that can be read.
    pub models: u64,
    /// Grass files that can be read.
    pub grass: u64,
    /// Files that cannot be read.
    pub unread: u64,
    /// Figures by claim: `cases` where the writer knows them, `exceptions` always.
    pub claims: BTreeMap<String, BTreeMap<String, u64>>,
    /// The files with faults, and the exceptions that each makes, by claim.
    pub planted: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Truth {
    fn add(&mut self, claim: &str, figure: &str, count: u64) {
        *self.claims.entry(claim.to_owned()).or_default().entry(figure.to_owned()).or_default() += count;
    }

    fn exceptions(&mut self, address: &str, exceptions: &[(&'static str, u64)]) {
        for (claim, count) in exceptions {
            self.add(claim, "exceptions", *count);
            let planted = self.planted.entry(address.to_owned()).or_default();
            *planted.entry((*claim).to_owned()).or_default() += count;
        }
    }
}

/// Files in a folder of the population.
const FOLDER: u64 = 1000;

/// Writes a population and its truth.
pub fn write(options: &ModelsOptions) -> io::Result<Truth> {
    let mut truth = Truth { seed: options.seed, ..Truth::default() };
    for i in 0..options.count {
        // Each file has a generator of its own, so that one file can be made again without the others.
        let mut random = Random::new(options.seed ^ i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        // Drawn and not counted, or a fault would fall on the same kind of file every time. Binders have none.
        let faulty = options.fault_every > 0 && random.bits().is_multiple_of(options.fault_every);
        let folder = format!("{:04}", i / FOLDER);
        fs::create_dir_all(options.out.join(&folder))?;
        let (name, bytes) = match i % 16 {
            15 => binder(i, &folder, &mut random, &mut truth),
            4 | 9 | 14 => grass_file(i, &folder, faulty, &mut random, &mut truth),
            _ => model_file(i, &folder, faulty, &mut random, &mut truth),
        };
        write_new(&options.out.join(&folder).join(name), &bytes)?;
    }
    let json = serde_json::to_vec_pretty(&truth).map_err(io::Error::from)?;
    fs::write(options.out.join("truth.json"), json)?;
    Ok(truth)
}

/// Writes a file, and says which where it cannot.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn model_file(
    i: u64,
    folder: &str,
    faulty: bool,
    random: &mut Random,
    truth: &mut Truth,
) -> (String, Vec<u8>) {
    let fault = faulty.then(|| *random.pick(MODEL_FAULTS).unwrap_or(&Fault::Magic));
    let kind = match fault {
        Some(fault) => fault.kind(),
        None => *random.pick(&Kind::ALL).unwrap_or(&Kind::Object),
    };
    let name = kind.file_name(i);
    let mut built = build_model(kind, random);
    let mut exceptions = built.exceptions.clone();
    if let Some(fault) = fault {
        exceptions.extend(fault.apply_model(&mut built));
    }
    let mut bytes = built.finish();
    if let Some(fault) = fault {
        fault.apply_bytes(&mut bytes);
    }
    let address = format!("{folder}/{name}");
    if fault.is_some_and(Fault::is_unreadable) {
        truth.unread += 1;
        truth.exceptions(&address, &[("read", 1)]);
    } else {
        truth.models += 1;
        count_model(&built, truth);
        truth.exceptions(&address, &exceptions);
    }
    (name, bytes)
}

fn count_model(built: &Built, truth: &mut Truth) {
    let parts = &built.parts;
    for claim in ["node-record", "node-siblings", "node-bounds", "node-flags", "node-scale-census"] {
        truth.add(claim, "cases", parts.nodes.len() as u64);
    }
    for claim in ["dummy-record", "dummy-colour", "dummy-use-upward", "dummy-place", "dummy-axes"] {
        truth.add(claim, "cases", parts.dummies.len() as u64);
    }
    truth.add("world-full-product", "cases", 1);
    truth.add("world-importer-rule", "cases", u64::from(built.under_scaled));
    truth.add("static-bone", "cases", built.static_vertices);
    truth.add("weight-sum", "cases", built.weighted_vertices);
    truth.add("stream-copy", "cases", built.copied_meshes);
}

fn grass_file(
    i: u64,
    folder: &str,
    faulty: bool,
    random: &mut Random,
    truth: &mut Truth,
) -> (String, Vec<u8>) {
    let name = format!("m10_00_00_00_{i:06}.grass");
    let fault = faulty.then(|| *random.pick(GRASS_FAULTS).unwrap_or(&Fault::GrassConstant));
    let mut grass = build_grass(random);
    let exceptions = fault.map(|fault| fault.apply_grass(&mut grass)).unwrap_or_default();
    let mut bytes = grass.write();
    if let Some(fault) = fault {
        fault.apply_bytes(&mut bytes);
    }
    let address = format!("{folder}/{name}");
    if fault.is_some_and(Fault::is_unreadable) {
        truth.unread += 1;
        truth.add("grass-header", "cases", 1);
    } else {
        truth.grass += 1;
        count_grass(&grass, truth);
    }
    truth.exceptions(&address, &exceptions);
    (name, bytes)
}

fn count_grass(grass: &crate::formats::grass::Grass, truth: &mut Truth) {
    truth.add("grass-header", "cases", 1);
    for claim in ["grass-volume", "grass-tree", "grass-types", "grass-box"] {
        truth.add(claim, "cases", grass.volumes.len() as u64);
    }
    truth.add("grass-vertex", "cases", grass.vertices.len() as u64);
    truth.add("grass-face", "cases", grass.faces.len() as u64);
}

/// A map piece with its grass, as the games have them: both in a binder in a DCX.
fn binder(i: u64, folder: &str, random: &mut Random, truth: &mut Truth) -> (String, Vec<u8>) {
    let piece = format!("m10_00_00_00_{i:06}");
    let mut built = build_model(Kind::MapPiece, random);
    let grass = build_grass(random);
    truth.models += 1;
    truth.grass += 1;
    count_model(&built, truth);
    count_grass(&grass, truth);
    let name = format!("{piece}.mapbnd.dcx");
    truth.exceptions(&format!("{folder}/{name}!{piece}.flver"), &built.exceptions.clone());
    let (model_path, grass_path) = (format!("N:\\synth\\{piece}.flver"), format!("N:\\synth\\{piece}.grass"));
    let members = [(200, &model_path[..], &built.finish()[..]), (1200, &grass_path[..], &grass.write()[..])];
    (name, dcx::pack_deflate(&bnd4::write(&members)))
}
