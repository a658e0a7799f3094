//! The committed SPIR-V is what the committed HLSL compiles to, and is valid.
//!
//! A missing compiler or validator is said and fails only where `REPLAY_REQUIRE_VULKAN=1`; `REPLAY_SKIP_SHADER_SYNC=1`
//! leaves the recompilation out, for a compiler of another version.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use replay::shader;

fn shaders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders")
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value == "1")
}

/// Whether a tool is there; if not, whether that is allowed.
fn available(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|out| out.status.success());
    if !found {
        assert!(!is_set("REPLAY_REQUIRE_VULKAN"), "REPLAY_REQUIRE_VULKAN=1, and {tool} is not installed");
        println!("not checked: {tool} is not installed");
    }
    found
}

/// The names of a folder's files with that ending, without it.
fn named(folder: &Path, ending: &str) -> BTreeSet<String> {
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
}

#[test]
fn every_entry_has_its_module_and_every_module_its_entry() {
    let entries = named(&shaders(), ".hlsl");
    assert!(!entries.is_empty());
    assert_eq!(entries, named(&shaders().join("spv"), ".spv"));
    let vertex: BTreeSet<_> = shader::all().iter().map(|s| format!("{}.vert", s.name)).collect();
    let committed: BTreeSet<_> = entries.iter().filter(|name| name.ends_with(".vert")).cloned().collect();
    assert_eq!(committed, vertex, "a stand-in for every vertex stage");
}

#[test]
fn the_committed_modules_are_what_the_sources_compile_to() {
    if is_set("REPLAY_SKIP_SHADER_SYNC") {
        println!("not checked: REPLAY_SKIP_SHADER_SYNC=1");
        return;
    }
    if !available("glslc") {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let run = Command::new("bash").arg(shaders().join("compile.sh")).arg(out.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let made = named(out.path(), ".spv");
    assert_eq!(made, named(&shaders().join("spv"), ".spv"));
    let stale: Vec<_> = made
        .iter()
        .filter(|name| {
            let file = format!("{name}.spv");
            fs::read(out.path().join(&file)).unwrap() != fs::read(shaders().join("spv").join(&file)).unwrap()
        })
        .collect();
    assert!(stale.is_empty(), "other bytes than shaders/compile.sh makes: {stale:?}");
}

#[test]
fn every_module_is_valid() {
    if !available("spirv-val") {
        return;
    }
    for name in named(&shaders().join("spv"), ".spv") {
        let file = shaders().join("spv").join(format!("{name}.spv"));
        let run = Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{name}: {said}");
    }
}
