//! Ties a stand-in to what a draw binds: inputs by semantic, buffers by name, targets by name, never by position.

use std::collections::BTreeMap;

use super::{BoundBuffer, BoundInput, DrawState, InstanceAddressing, NotReplayed, PlannedPass, Swaps};
use crate::abi::interface::Interface;
use crate::abi::records::Instance;
use crate::abi::{ProgramId, Register, Semantic};
use crate::capture::manifest::{Draw, Field, FieldType, InputElement, PassEntry, ProgramEntry};

/// A shader that stands in for a captured program, with what `capture.toml` says about names.
#[derive(Clone, Debug, Default)]
pub struct StandIn {
    /// The shader's name.
    pub shader: String,
    /// What it needs and gives.
    pub interface: Interface,
    /// Recorded output semantics -> the stand-in's.
    pub outputs: BTreeMap<Semantic, Semantic>,
    /// Captured attachment names -> the stand-in's.
    pub targets: BTreeMap<String, String>,
    /// Names of registers the capture could not name.
    pub constants: BTreeMap<Register, String>,
    /// Semantics of inputs whose names were lost, by place in the captured layout.
    pub inputs: BTreeMap<u32, Semantic>,
}

/// The stand-ins of a frame's programs.
pub type StandIns = BTreeMap<ProgramId, StandIn>;

/// The name of the buffer that maps an instance number to its record's number.
pub const INSTANCE_INDEX_BUFFER: &str = "g_InstanceIndexBuffer";
/// The name of the buffer of instance records.
pub const INSTANCE_DATA: &str = "cbInstanceData";
/// The name of the palette.
pub const OBJ_MATRIX: &str = "cbObjMatrix";
/// The name of the last frame's palette.
pub const PREV_OBJ_MATRIX: &str = "cbPrevObjMatrix";
/// The name of the two view-projections.
pub const MATRIX_WVP: &str = "cbMatrixWVP";
/// The field that offsets reads of [`INSTANCE_INDEX_BUFFER`].
const INSTANCE_INDEX_OFFSET: &str = "VC_InstanceIdxOffset";

/// What a captured program declares, read through the names `capture.toml` adds.
pub(super) struct Declared<'a> {
    pub(super) program: &'a ProgramEntry,
    pub(super) stand_in: &'a StandIn,
    pub(super) swaps: Swaps,
}

impl Declared<'_> {
    /// The element of the input layout with that semantic.
    fn input(&self, semantic: &Semantic) -> Option<&InputElement> {
        self.program.inputs.iter().enumerate().find_map(|(place, element)| {
            let given = self.stand_in.inputs.get(&(place as u32));
            let found = match given {
                Some(given) => given == semantic,
                None => Semantic::new(element.semantic.as_str(), element.index) == *semantic,
            };
            found.then_some(element)
        })
    }

    /// The register declared for a buffer of that name.
    fn register(&self, name: &str) -> Option<Register> {
        let renamed = |register: Register, declared: &str| {
            let given = self.stand_in.constants.get(&Register { space: 0, ..register });
            given.map_or(declared, String::as_str) == name
        };
        let constants =
            self.program.constants.iter().map(|c| (Register::constant(c.register, c.space), &c.name));
        let resources =
            self.program.resources.iter().map(|r| (Register::resource(r.register, r.space), &r.name));
        let declared = constants.chain(resources).find(|(register, declared)| renamed(*register, declared));
        // A register that the capture does not even declare may still be named in capture.toml.
        declared.map(|(register, _)| register).or_else(|| {
            self.stand_in.constants.iter().find(|(_, given)| *given == name).map(|(register, _)| *register)
        })
    }

    /// The declared fields of the buffer of that name, with its declared size.
    fn fields(&self, name: &str) -> Option<(&[Field], Option<u64>)> {
        let register = self.register(name)?;
        let constant =
            self.program.constants.iter().find(|c| Register::constant(c.register, c.space) == register);
        let resource =
            self.program.resources.iter().find(|r| Register::resource(r.register, r.space) == register);
        constant
            .map(|c| (c.fields.as_slice(), None))
            .or_else(|| resource.map(|r| (r.fields.as_slice(), r.stride)))
    }

    /// The semantic to fetch for `semantic`, after an analyst's swap; unchanged where the other one is not declared.
    fn swapped_input(&self, semantic: &Semantic) -> Semantic {
        let position = semantic.name.eq_ignore_ascii_case("POSITION") && semantic.index < 2;
        let other = Semantic::new(semantic.name.as_str(), 1 - semantic.index.min(1));
        if self.swaps.streams && position && self.input(&other).is_some() { other } else { semantic.clone() }
    }

    /// The buffer to read for `name`, after an analyst's swap; unchanged where the other one is not declared.
    fn swapped_buffer<'n>(&self, name: &'n str) -> &'n str {
        let other = match name {
            OBJ_MATRIX => PREV_OBJ_MATRIX,
            PREV_OBJ_MATRIX => OBJ_MATRIX,
            _ => return name,
        };
        if self.swaps.palettes && self.register(other).is_some() { other } else { name }
    }

    /// The stand-in's inputs, each tied to an element of the captured layout.
    pub(super) fn bind_inputs(&self) -> Result<Vec<BoundInput>, NotReplayed> {
        self.stand_in
            .interface
            .inputs
            .iter()
            .map(|need| {
                let semantic = self.swapped_input(&need.semantic);
                let element = self.input(&semantic).ok_or_else(|| {
                    NotReplayed::Missing(format!("input {semantic}, which the captured layout lacks"))
                })?;
                let format = element.format.executable().ok_or_else(|| {
                    NotReplayed::NotExecutable(format!(
                        "input {semantic} of format {}",
                        element.format.name()
                    ))
                })?;
                Ok(BoundInput {
                    need: need.clone(),
                    slot: element.slot,
                    offset: element.offset,
                    format,
                    step_rate: element.per_instance.then(|| element.step_rate.unwrap_or(1)),
                })
            })
            .collect()
    }

    /// The stand-in's buffers, each tied to a register that the draw binds.
    pub(super) fn bind_buffers(&self, draw: &Draw) -> Result<Vec<BoundBuffer>, NotReplayed> {
        let bound = |register: &Register| {
            let ranges = match register.class {
                crate::abi::RegisterClass::Constant => &draw.constants,
                crate::abi::RegisterClass::Resource => &draw.resources,
            };
            ranges.iter().any(|r| r.register == register.index && r.space == register.space)
        };
        self.stand_in
            .interface
            .buffers
            .iter()
            .map(|need| {
                let name = self.swapped_buffer(&need.name);
                let declared = self.register(name);
                let register = declared.filter(bound);
                match (register, declared) {
                    (None, _) if need.optional => {}
                    (None, None) => {
                        return Err(NotReplayed::Missing(format!(
                            "{name}, which the captured program lacks"
                        )));
                    }
                    (None, Some(at)) => {
                        return Err(NotReplayed::Missing(format!(
                            "{name} at {at}, which the draw does not bind"
                        )));
                    }
                    (Some(_), _) => {}
                }
                Ok(BoundBuffer { need: need.clone(), register })
            })
            .collect()
    }

    /// How instances find their records. `constant` reads a u32 of a bound constant buffer.
    pub(super) fn instance_addressing(
        &self,
        constant: impl Fn(Register, u64) -> Option<u32>,
    ) -> InstanceAddressing {
        let index_offset = self.program.constants.iter().find_map(|entry| {
            let field = entry.fields.iter().find(|f| f.name == INSTANCE_INDEX_OFFSET)?;
            constant(Register::constant(entry.register, entry.space), field.offset)
        });
        let record = self.fields(INSTANCE_DATA).and_then(|(fields, stride)| record_of(fields, stride));
        let (fields, size) = record.unwrap_or((&[], Instance::SIZE as u64));
        let offset_of = |names: &[&str]| {
            let field = fields.iter().find(|f| names.contains(&f.name.as_str()))?;
            u32::try_from(field.offset).ok()
        };
        InstanceAddressing {
            record_size: u32::try_from(size).unwrap_or(Instance::SIZE as u32),
            index_offset: index_offset.unwrap_or(0),
            world_offset: offset_of(&["world", "mWorld"]).unwrap_or(0),
            fade_offset: offset_of(&["fadeAlpha"]).unwrap_or(48),
            palette_first_offset: offset_of(&["matricesData"]),
        }
    }
}

/// Fields and size of one record of `cbInstanceData`, as declared: an array of structs, the stride of a structured
/// buffer, or the fields of one record after another, of which the last ends the record.
pub fn record_of(fields: &[Field], stride: Option<u64>) -> Option<(&[Field], u64)> {
    if let [only] = fields
        && only.kind == FieldType::Struct
    {
        let size = only.stride.or(stride).or_else(|| end_of(&only.fields))?;
        return Some((only.fields.as_slice(), size)).filter(|(_, size)| *size > 0);
    }
    let is_record = fields.iter().any(|f| matches!(f.name.as_str(), "world" | "mWorld"));
    let size = stride.or_else(|| end_of(fields).filter(|_| is_record))?;
    Some((fields, size)).filter(|(_, size)| *size > 0)
}

/// Where the last field ends, rounded up to a register of 16 bytes.
fn end_of(fields: &[Field]) -> Option<u64> {
    let ends = fields.iter().map(|f| {
        let element = f.stride.unwrap_or_else(|| f.kind.size());
        f.offset.saturating_add(element.saturating_mul(f.count))
    });
    ends.max().map(|end| end.saturating_add(15) / 16 * 16)
}

impl FieldType {
    /// Bytes of one element; a struct has none of its own.
    pub fn size(self) -> u64 {
        match self {
            Self::Float | Self::Uint | Self::Int => 4,
            Self::Float2 | Self::Uint2 | Self::Int2 => 8,
            Self::Float3 | Self::Uint3 | Self::Int3 => 12,
            Self::Float4 | Self::Uint4 | Self::Int4 => 16,
            Self::Float3x4 => 48,
            Self::Float4x4 => 64,
            Self::Struct => 0,
        }
    }
}

/// For each target of the stand-in the pass target it is written to.
pub(super) fn bind_targets(
    stand_in: &StandIn,
    pass: &PlannedPass,
) -> Result<Vec<Option<usize>>, NotReplayed> {
    stand_in
        .interface
        .targets
        .iter()
        .map(|name| {
            let place =
                pass.targets.iter().position(|t| stand_in.targets.get(&t.name).unwrap_or(&t.name) == name);
            match place.and_then(|p| pass.targets.get(p)) {
                Some(target) if target.format.executable().is_none() => Err(NotReplayed::NotExecutable(
                    format!("target {} of format {}", target.name, target.format.name()),
                )),
                // Every stand-in's output is a float; Direct3D leaves undefined what an integer target makes of one.
                Some(target) if target.format.executable().is_some_and(|f| !f.kind().is_float()) => {
                    Err(NotReplayed::NotExecutable(format!(
                        "target {} of integer format {}",
                        target.name,
                        target.format.name()
                    )))
                }
                _ => Ok(place),
            }
        })
        .collect()
}

/// The draw's state with the format's defaults filled in.
pub(super) fn draw_state(
    draw: &Draw,
    pass: &PassEntry,
    pass_compare: crate::abi::state::Compare,
) -> DrawState {
    use crate::abi::state::{Cull, Front};
    let given = draw.state.clone().unwrap_or_default();
    DrawState {
        cull: given.cull.unwrap_or(Cull::None),
        front: given.front.unwrap_or(Front::Cw),
        depth_write: given.depth_write.unwrap_or(true),
        depth_compare: given.depth_compare.unwrap_or(pass_compare),
        color_write: given
            .color_write
            .map_or([true; 4], |letters| ['r', 'g', 'b', 'a'].map(|channel| letters.contains(channel))),
        blend: given.blend,
        scissor: given.scissor.unwrap_or([0, 0, pass.width.into(), pass.height.into()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, offset: u64, kind: FieldType, count: u64) -> Field {
        Field { name: name.into(), offset, kind, count, stride: None, fields: vec![], extra: None }
    }

    #[test]
    fn a_record_ends_where_its_last_field_does() {
        let fields = [field("world", 0, FieldType::Float4, 3), field("palette", 64, FieldType::Float4, 9)];
        assert_eq!(record_of(&fields, None).map(|r| r.1), Some(208));
    }

    #[test]
    fn an_array_of_structs_gives_its_stride() {
        let inner = vec![field("mWorld", 0, FieldType::Float4, 3)];
        let outer = Field { stride: Some(272), fields: inner, ..field("rec", 0, FieldType::Struct, 2) };
        assert_eq!(record_of(&[outer], None).map(|r| r.1), Some(272));
    }

    #[test]
    fn fields_that_are_no_record_give_none() {
        assert_eq!(record_of(&[field("rows", 0, FieldType::Float4, 6)], None), None);
    }
}
