//! `capture.toml`: numbers, globs, registers and paths.

use globset::{Glob, GlobSetBuilder};

use super::At;
use crate::abi::Register;
use crate::capture::error::Fault;
use crate::capture::manifest::{CaptureFile, Expected, FORMAT, ProgramRule, Tolerance};

/// Checks what `capture.toml` says, without looking at other files.
pub(in crate::capture) fn check(file: &CaptureFile) -> Result<(), Fault> {
    let root = At::root();
    let right = file.format == FORMAT;
    root.key("format").expect(right, || format!("`{}`", file.format), &format!("`{FORMAT}`"))?;
    for (index, rule) in file.programs.iter().enumerate() {
        program(&root.item("program", index), rule)?;
    }
    for (index, rule) in file.tolerances.iter().enumerate() {
        tolerance(&root.item("tolerance", index), rule)?;
    }
    for (index, expectation) in file.expectations.iter().enumerate() {
        let at = &root.item("expect", index);
        for (name, value) in &expectation.figures {
            let (right, expected) = match value {
                Expected::Number(n) => (n.is_finite(), "a finite number"),
                Expected::Range([least, greatest]) => {
                    (least <= greatest, "a range whose least value comes first")
                }
                Expected::Text(_) => (true, "a text"),
            };
            at.key(name).expect(right, || value.to_string(), expected)?;
        }
    }
    Ok(())
}

/// Expectations of one frame name a frame that is there.
pub(in crate::capture) fn check_frames(file: &CaptureFile, frames: &[String]) -> Result<(), Fault> {
    let root = At::root();
    for (index, expectation) in file.expectations.iter().enumerate() {
        if let Some(frame) = &expectation.frame
            && !frames.contains(frame)
        {
            let at = root.item("expect", index);
            return Err(at.key("frame").fault(format!("`{frame}`"), format!("one of {}", frames.join(", "))));
        }
    }
    Ok(())
}

fn program(at: &At<'_>, rule: &ProgramRule) -> Result<(), Fault> {
    match (&rule.name, &rule.hash) {
        (None, None) => return Err(at.fault("neither `name` nor `hash`", "one of the two")),
        (Some(name), _) => glob(&at.key("name"), name)?,
        (None, Some(_)) => {}
    }
    shader(&at.key("shader"), rule)?;
    for register in rule.constants.keys() {
        let right = Register::parse(register).is_some();
        let at = at.key("constants");
        at.expect(right, || format!("the key `{register}`"), "a register such as `b5` or `t3`")?;
    }
    for input in rule.inputs.keys() {
        let digits = input.strip_prefix('v').unwrap_or_default();
        let right =
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && digits.parse::<u32>().is_ok();
        let at = at.key("inputs");
        at.expect(right, || format!("the key `{input}`"), "an input register such as `v0`")?;
    }
    for (table, map) in [("constants", &rule.constants), ("inputs", &rule.inputs)] {
        for (key, name) in map {
            at.key(table).key(key).expect(!name.trim().is_empty(), || "no name".into(), "a name")?;
        }
    }
    Ok(())
}

/// A name of a shader, or a path that stays inside the set. `A..B.spv` is a name like any other; a step `..` is not.
fn shader(at: &At<'_>, rule: &ProgramRule) -> Result<(), Fault> {
    let found = || format!("`{}`", rule.shader);
    match rule.shader_path() {
        Some(path) => {
            let expected = "a relative path inside the set, its steps parted by `/`";
            at.expect(is_inside(path), found, expected)
        }
        None => {
            let right = !rule.shader.is_empty()
                && rule.shader.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let expected = "the name of a shader, `captured`, or a path inside the set to .hlsl or .spv";
            at.expect(right, found, expected)
        }
    }
}

/// Whether a path means a file inside the set on every system: relative, no step up, no drive, no address.
pub(in crate::capture) fn is_inside(path: &str) -> bool {
    let plain = |step: &str| {
        !step.is_empty()
            && step != "."
            && step != ".."
            && !step.contains(['\\', ':'])
            && !step.chars().any(char::is_control)
    };
    path.split('/').all(plain)
}

fn tolerance(at: &At<'_>, rule: &Tolerance) -> Result<(), Fault> {
    glob(&at.key("name"), &rule.name)?;
    for (key, number) in [("abs", rule.abs), ("rel", rule.rel)] {
        let right = number.is_finite() && number >= 0.0;
        at.key(key).expect(right, || number.to_string(), "a finite number, 0 or more")?;
    }
    let right = (0.0..=1.0).contains(&rule.outliers);
    at.key("outliers").expect(right, || rule.outliers.to_string(), "a share within 0 to 1")
}

/// A glob that can be compiled: a set of globs says so, a single one panics where its automaton grows too large.
fn glob(at: &At<'_>, text: &str) -> Result<(), Fault> {
    let compiled = Glob::new(text).and_then(|glob| GlobSetBuilder::new().add(glob).build());
    match compiled {
        Ok(_) => Ok(()),
        Err(error) => Err(at.fault(format!("`{text}` ({})", error.kind()), "a glob")),
    }
}
