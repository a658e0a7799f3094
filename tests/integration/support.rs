//! What several topics need: sets, executors, edits.

use std::path::PathBuf;

/// A folder of the recorded samples, which lie beside the project's checkout where its makers work. Without them a
/// test says so and has nothing to do.
pub(crate) fn sample(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples")).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: the sample {name} is not there");
    None
}
