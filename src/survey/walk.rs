//! Which files a survey looks at: files named, folders walked in order, one share of them where there are several jobs.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::formats::source::is_container;

/// One of `count` shares of a population, the `number`th, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Which, from 1.
    pub number: u64,
    /// Of how many.
    pub count: u64,
}

/// Not `K/N` with 1 <= K <= N.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a share is K/N with K from 1 to N, as in 3/8")]
pub struct PartitionError;

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, count) = text.split_once('/').ok_or(PartitionError)?;
        let (number, count) =
            (number.parse().map_err(|_| PartitionError)?, count.parse().map_err(|_| PartitionError)?);
        if number == 0 || number > count { Err(PartitionError) } else { Ok(Self { number, count }) }
    }
}

impl Partition {
    /// Whether a path is in the share: by the FNV-1a hash of its text, which is the same on every machine and in every
    /// version of this tool.
    pub fn holds(&self, path: &str) -> bool {
        let hash = path.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        // The low bits of the hash alone are weak: fold the high half in.
        (hash ^ (hash >> 32)) % self.count == self.number - 1
    }
}

/// Whether a file is one a survey reads, by its name: a model, a grass file, a binder, or one of them in a .dcx.
pub fn is_wanted(name: &str) -> bool {
    is_model_or_grass(name) || is_container(name)
}

/// Whether a name is a model's or a grass file's, packed or not.
pub(super) fn is_model_or_grass(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".dcx").unwrap_or(&name);
    [".flver", ".flv", ".grass"].iter().any(|end| name.ends_with(end))
}

/// A file to read: its path, and the part of it below the path that was asked for, which shares are made by.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) below: String,
}

/// Every wanted file at and below the paths, in the order of their names, and the folders that could not be read.
pub(super) fn walk(paths: &[PathBuf]) -> (Vec<Found>, Vec<(PathBuf, std::io::Error)>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            folder(path, "", &mut found, &mut errors);
        } else {
            // A file named by hand is read whatever its name.
            let below = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            found.push(Found { path: path.clone(), below });
        }
    }
    (found, errors)
}

fn folder(path: &Path, below: &str, found: &mut Vec<Found>, errors: &mut Vec<(PathBuf, std::io::Error)>) {
    let entries = match fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
        Ok(entries) => entries,
        Err(error) => return errors.push((path.to_owned(), error)),
    };
    let mut entries: Vec<_> = entries.into_iter().map(|entry| (entry.file_name(), entry)).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, entry) in entries {
        let name = name.to_string_lossy();
        let below = if below.is_empty() { name.to_string() } else { format!("{below}/{name}") };
        // Links to folders are not followed: a walk must end.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder(&entry.path(), &below, found, errors),
            Ok(_) if is_wanted(&name) => found.push(Found { path: entry.path(), below }),
            Ok(_) => {}
            Err(error) => errors.push((entry.path(), error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_and_disjoint() {
        let paths: Vec<String> = (0..1000).map(|i| format!("chr/c{i:04}.chrbnd.dcx")).collect();
        let shares: Vec<usize> = (1..=7)
            .map(|number| paths.iter().filter(|path| Partition { number, count: 7 }.holds(path)).count())
            .collect();
        assert_eq!(shares.iter().sum::<usize>(), 1000);
        assert!(shares.iter().all(|share| (100..190).contains(share)), "{shares:?}");
    }

    #[test]
    fn a_share_is_counted_from_one() {
        assert_eq!("3/8".parse(), Ok(Partition { number: 3, count: 8 }));
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2"] {
            assert_eq!(text.parse::<Partition>(), Err(PartitionError), "{text}");
        }
    }

    #[test]
    fn files_are_wanted_by_their_names() {
        for name in ["a.flver", "A.FLVER.DCX", "m.grass", "x.mapbnd.dcx", "x.chrbnd", "c.geombnd.dcx"] {
            assert!(is_wanted(name), "{name}");
        }
        for name in ["a.tpf", "a.dcx", "bnd.txt", "a.flver.bak"] {
            assert!(!is_wanted(name), "{name}");
        }
    }
}
