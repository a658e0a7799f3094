//! Which shader stands in for which captured program: `[[program]]` of `capture.toml` against a frame's program table.

use globset::Glob;

use super::RunError;
use crate::abi::{Register, Semantic};
use crate::capture::Frame;
use crate::capture::manifest::{ProgramEntry, ProgramRule};
use crate::plan::{StandIn, StandIns};
use crate::shader;

/// The stand-ins of a frame. A program that no rule matches has none; the first matching rule wins.
///
/// # Errors
/// A rule names a shader that this project has not.
pub(super) fn stand_ins(rules: &[ProgramRule], frame: &Frame) -> Result<StandIns, RunError> {
    let mut found = StandIns::new();
    for program in &frame.file().programs {
        if let Some(rule) = rules.iter().find(|rule| matches(rule, program)) {
            found.insert(program.id, stand_in(rule)?);
        }
    }
    Ok(found)
}

fn matches(rule: &ProgramRule, program: &ProgramEntry) -> bool {
    let by_hash = rule.hash.is_none_or(|hash| program.hash == Some(hash));
    let by_name = rule
        .name
        .as_ref()
        .is_none_or(|glob| Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(&program.name)));
    by_hash && by_name && (rule.hash.is_some() || rule.name.is_some())
}

fn stand_in(rule: &ProgramRule) -> Result<StandIn, RunError> {
    let shader = shader::find(&rule.shader).ok_or_else(|| {
        let known: Vec<_> = shader::all().iter().map(|s| s.name).collect();
        RunError::NoShader { name: rule.shader.clone(), known: known.join(", ") }
    })?;
    Ok(StandIn {
        shader: shader.name.to_owned(),
        interface: shader.interface.clone(),
        outputs: rule.outputs.iter().map(|(from, to)| (Semantic::parse(from), Semantic::parse(to))).collect(),
        targets: rule.targets.clone(),
        constants: rule
            .constants
            .iter()
            .filter_map(|(register, name)| Some((Register::parse(register)?, name.clone())))
            .collect(),
        inputs: rule
            .inputs
            .iter()
            .filter_map(|(place, semantic)| {
                Some((place.strip_prefix('v')?.parse().ok()?, Semantic::parse(semantic)))
            })
            .collect(),
    })
}
