//! The buffer and program tables, and the frame's numbers.

use std::collections::{BTreeMap, HashSet};

use super::{At, Checked};
use crate::abi::{Register, Semantic};
use crate::capture::blob::Length;
use crate::capture::error::Fault;
use crate::capture::manifest::{
    BufferEntry, Content, Field, FieldType, InputElement, OutputElement, ProgramEntry, Taken,
};

/// The greatest buffer: 4 GiB. The games' greatest are 128 MiB.
pub(crate) const BUFFER_MOST: u64 = 1 << 32;
/// The greatest bytecode: 64 MiB.
const CODE_MOST: u64 = 64 << 20;
/// Input slots of Direct3D 11 and 12.
pub(super) const SLOTS: u32 = 32;

pub(super) fn values(at: &At<'_>, values: &BTreeMap<String, f64>) -> Result<(), Fault> {
    for (name, value) in values {
        at.key(name).expect(value.is_finite(), || value.to_string(), "a finite number")?;
    }
    Ok(())
}

/// Contents that stand for what was there before: not bytes of the end.
pub(super) fn initial(at: &At<'_>, content: &Content) -> Result<(), Fault> {
    let right = content.taken != Taken::FrameEnd;
    at.key("taken").expect(right, || "`frame_end`".into(), "`frame_start` or `late`")
}

/// Contents that stand for an outcome: not bytes of the start.
pub(super) fn outcome(at: &At<'_>, taken: Taken) -> Result<(), Fault> {
    let right = taken != Taken::FrameStart;
    at.key("taken").expect(right, || "`frame_start`".into(), "`frame_end` or `late`")
}

pub(super) fn buffers<'a>(
    at: &At<'_>,
    buffers: &'a [BufferEntry],
    checked: &mut Checked<'a>,
) -> Result<(), Fault> {
    for (index, buffer) in buffers.iter().enumerate() {
        let at = &at.index(index);
        if checked.buffers.insert(buffer.id, buffer).is_some() {
            return Err(at.key("id").fault(format!("{} again", buffer.id), "an id unique in the table"));
        }
        let size = buffer.size;
        let right = size <= BUFFER_MOST;
        at.key("size").expect(right, || format!("{size} bytes"), "at most 4294967296 bytes (4 GiB)")?;
        let length = || Length::Exactly { bytes: size, why: format!("the size of buffer {}", buffer.id) };
        if let Some(content) = &buffer.initial {
            initial(&at.key("initial"), content)?;
            checked.uses(&at.key("initial"), content.blob, length());
        }
        if let Some(content) = &buffer.final_ {
            outcome(&at.key("final"), content.taken)?;
            checked.uses(&at.key("final"), content.blob, length());
        }
    }
    Ok(())
}

pub(super) fn programs<'a>(
    at: &At<'_>,
    programs: &'a [ProgramEntry],
    checked: &mut Checked<'a>,
) -> Result<(), Fault> {
    for (index, program) in programs.iter().enumerate() {
        let at = &at.index(index);
        if checked.programs.insert(program.id, ()).is_some() {
            return Err(at.key("id").fault(format!("{} again", program.id), "an id unique in the table"));
        }
        if let Some(code) = program.code {
            if let Some(hash) = program.hash
                && hash != code
            {
                return Err(at
                    .key("code")
                    .fault(format!("the blob {code}"), format!("that of `hash`, {hash}")));
            }
            let why = "the greatest bytecode".to_owned();
            checked.uses(&at.key("code"), code, Length::AtMost { bytes: CODE_MOST, why });
        }
        inputs(&at.key("inputs"), &program.inputs)?;
        if let Some(outputs) = &program.stage_outputs {
            semantics(&at.key("stage_outputs"), outputs)?;
        }
        let mut registers = HashSet::new();
        for (index, constant) in program.constants.iter().enumerate() {
            let at = &at.item("constants", index);
            register(at, Register::constant(constant.register, constant.space), &mut registers)?;
            fields(&at.key("fields"), &constant.fields)?;
        }
        for (index, resource) in program.resources.iter().enumerate() {
            let at = &at.item("resources", index);
            register(at, Register::resource(resource.register, resource.space), &mut registers)?;
            fields(&at.key("fields"), &resource.fields)?;
        }
    }
    Ok(())
}

/// Each register holds one thing.
pub(super) fn register(at: &At<'_>, register: Register, seen: &mut HashSet<Register>) -> Result<(), Fault> {
    let right = seen.insert(register);
    at.key("register").expect(right, || format!("{register} again"), "each register once")
}

fn inputs(at: &At<'_>, inputs: &[InputElement]) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for (index, input) in inputs.iter().enumerate() {
        let at = &at.index(index);
        let semantic = Semantic::new(input.semantic.as_str(), input.index);
        // A capture may have lost its names: nameless inputs are told apart by `inputs` of capture.toml.
        if !input.semantic.is_empty() && !seen.insert(semantic.clone()) {
            return Err(
                at.fault(format!("the semantic {} again", semantic.full_name()), "each semantic once")
            );
        }
        slot(&at.key("slot"), input.slot.0)?;
        if !input.per_instance && input.step_rate.is_some_and(|rate| rate != 0) {
            return Err(at.key("step_rate").fault("a step rate", "one only with `per_instance`"));
        }
    }
    Ok(())
}

pub(super) fn slot(at: &At<'_>, slot: u32) -> Result<(), Fault> {
    at.expect(slot < SLOTS, || slot.to_string(), "an input slot below 32")
}

/// Output elements have names, each once.
pub(super) fn semantics(at: &At<'_>, elements: &[OutputElement]) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for (index, element) in elements.iter().enumerate() {
        let at = &at.index(index);
        let right = !element.semantic.is_empty();
        at.key("semantic").expect(right, || "no name".into(), "the name of a semantic")?;
        let semantic = Semantic::new(element.semantic.as_str(), element.index);
        if !seen.insert(semantic.clone()) {
            return Err(
                at.fault(format!("the semantic {} again", semantic.full_name()), "each semantic once")
            );
        }
    }
    Ok(())
}

/// Fields end below 4 GiB, so that no reader's sum overflows; structs say how far their elements lie apart. JSON's
/// own limit of 128 levels bounds the recursion.
fn fields(at: &At<'_>, fields: &[Field]) -> Result<(), Fault> {
    for (index, field) in fields.iter().enumerate() {
        let at = &at.index(index);
        at.key("count").expect(field.count > 0, || "0".into(), "at least 1")?;
        let is_struct = field.kind == FieldType::Struct;
        if is_struct != field.stride.is_some() && is_struct {
            return Err(at.fault("a struct without `stride`", "the bytes from one element to the next"));
        }
        if !is_struct && !field.fields.is_empty() {
            return Err(at.key("fields").fault("fields of no struct", "`\"type\": \"struct\"`"));
        }
        let end = field
            .stride
            .unwrap_or(64)
            .checked_mul(field.count)
            .and_then(|size| size.checked_add(field.offset))
            .filter(|end| *end <= u64::from(u32::MAX));
        if end.is_none() {
            let found = format!("offset {}, {} elements", field.offset, field.count);
            return Err(at.fault(found, "a field that ends below 4 GiB"));
        }
        self::fields(&at.key("fields"), &field.fields)?;
    }
    Ok(())
}
