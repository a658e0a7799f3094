//! Files where users have them: plain, in DCX, in binders, members addressed as `FILE.bnd.dcx!member`.
//!
//! In: a path. Out: the bytes of every file of interest behind it, with the address it can be named by. Containers are
//! opened in memory; a binder is unpacked once for all its members.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use thiserror::Error;

use super::{FormatError, bnd4, dcx};

/// Why a path gives no bytes.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The file system says so.
    #[error("could not read {path}: {error}")]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The bytes say so.
    #[error("could not read {address}: {error}")]
    Format {
        /// The path, with `!member` where one is meant.
        address: String,
        /// Why.
        error: FormatError,
    },
}

/// A file, wherever it was.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its path, with `!member` for each binder on the way.
    pub address: String,
    /// Its bytes, unpacked.
    pub bytes: Bytes,
}

/// Binders within binders are followed this far.
const DEEPEST: usize = 4;

/// Reads the one file that an address names: `FILE`, or `FILE!member` in a binder, by the member's file name, its whole
/// path or `#id`. A binder without `!member` is itself the answer.
pub fn read(address: &str) -> Result<Item, SourceError> {
    let (path, members) = split(address);
    let mut bytes = unpacked(load(path)?).map_err(|error| format_error(address, error))?;
    for member in members.iter().take(DEEPEST) {
        bytes = find(&bytes, member).and_then(unpacked).map_err(|error| format_error(address, error))?;
    }
    Ok(Item { address: address.to_owned(), bytes })
}

/// Shows `visit` every file of interest behind an address, one at a time: the file itself, or the members of its binder
/// that `wanted` accepts by their file names. A member that cannot be unpacked is an error beside the others.
pub fn visit(address: &str, wanted: &dyn Fn(&str) -> bool, visit: &mut dyn FnMut(Result<Item, SourceError>)) {
    match read(address) {
        Ok(item) => expand(item, wanted, 0, visit),
        Err(error) => visit(Err(error)),
    }
}

fn expand(
    item: Item,
    wanted: &dyn Fn(&str) -> bool,
    depth: usize,
    visit: &mut dyn FnMut(Result<Item, SourceError>),
) {
    if !bnd4::is_bnd4(&item.bytes) || depth >= DEEPEST {
        return visit(Ok(item));
    }
    let members = match bnd4::entries(&item.bytes) {
        Ok(members) => members,
        Err(error) => return visit(Err(format_error(&item.address, error))),
    };
    for member in members {
        let name = member.file_name();
        if !wanted(&name) && !is_container(&name) {
            continue;
        }
        let address = format!("{}!{name}", item.address);
        let end = member.range.end.min(item.bytes.len());
        match unpacked(item.bytes.slice(member.range.start.min(end)..end)) {
            Ok(bytes) => expand(Item { address, bytes }, wanted, depth + 1, visit),
            Err(error) => visit(Err(format_error(&address, error))),
        }
    }
}

/// Whether a name is a binder's or a packed file's.
pub fn is_container(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".dcx").unwrap_or(&name);
    name.ends_with("bnd")
}

/// Splits `FILE!member!member`. A file whose own name holds a `!` is itself.
fn split(address: &str) -> (&Path, Vec<&str>) {
    if Path::new(address).exists() {
        return (Path::new(address), Vec::new());
    }
    let mut parts = address.split('!');
    let path = parts.next().unwrap_or_default();
    (Path::new(path), parts.collect())
}

fn load(path: &Path) -> Result<Bytes, SourceError> {
    fs::read(path).map(Bytes::from).map_err(|error| SourceError::Io { path: path.to_owned(), error })
}

fn format_error(address: &str, error: FormatError) -> SourceError {
    SourceError::Format { address: address.to_owned(), error }
}

/// The bytes inside a DCX, or the bytes themselves.
fn unpacked(bytes: Bytes) -> Result<Bytes, FormatError> {
    if dcx::is_dcx(&bytes) { dcx::unpack(&bytes).map(Bytes::from) } else { Ok(bytes) }
}

fn find(binder: &Bytes, wanted: &str) -> Result<Bytes, FormatError> {
    let entries = bnd4::entries(binder)?;
    let named = |entry: &&bnd4::Entry| {
        entry.name.eq_ignore_ascii_case(wanted)
            || entry.file_name().eq_ignore_ascii_case(wanted)
            || wanted.strip_prefix('#').is_some_and(|id| id.parse() == Ok(entry.id))
    };
    match entries.iter().find(named).filter(|entry| entry.range.end <= binder.len()) {
        Some(entry) => Ok(binder.slice(entry.range.clone())),
        None => {
            let names: Vec<_> = entries.iter().take(8).map(bnd4::Entry::file_name).collect();
            let more = if entries.len() > names.len() {
                format!(" and {} more", entries.len() - names.len())
            } else {
                String::new()
            };
            Err(FormatError::Member { name: wanted.to_owned(), members: names.join(", ") + &more })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_addressed_through_binder_and_dcx() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mapbnd.dcx");
        let inner = dcx::pack_deflate(b"inner");
        let binder = bnd4::write(&[(200, "N:\\a\\m.flver", b"FLVER"), (1200, "N:\\a\\m.grass.dcx", &inner)]);
        fs::write(&path, dcx::pack_deflate(&binder)).unwrap();
        let address = |member: &str| format!("{}!{member}", path.display());
        for member in ["m.flver", "N:\\a\\m.flver", "#200", "M.FLVER"] {
            assert_eq!(&read(&address(member)).unwrap().bytes[..], b"FLVER");
        }
        assert_eq!(&read(&address("#1200")).unwrap().bytes[..], b"inner");
        let missing = read(&address("other")).unwrap_err().to_string();
        assert!(missing.contains("no member other; it has m.flver, m.grass.dcx"), "{missing}");
        let mut all = Vec::new();
        visit(path.to_str().unwrap(), &|name| name.contains(".grass"), &mut |item| all.push(item));
        assert_eq!(all.len(), 1);
        assert!(all[0].as_ref().unwrap().address.ends_with("x.mapbnd.dcx!m.grass.dcx"));
        assert!(matches!(read("/no/such/file"), Err(SourceError::Io { .. })));
    }
}
