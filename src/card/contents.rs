//! What a bound buffer says: by its name where the documents describe it, else by the program's own reflection.

use std::collections::BTreeSet;

use super::palette;
use crate::abi::records::{Affine, Force, Instance, ViewProjections, read_all, read_at};
use crate::abi::{Register, RegisterClass};
use crate::capture::manifest::{Field, FieldType, ProgramEntry};
use crate::plan::binding::{INSTANCE_DATA, MATRIX_WVP, OBJ_MATRIX, PREV_OBJ_MATRIX};
use crate::plan::{BoundRange, Draw, PieceSource};
use crate::report::card::Content;

/// Palette entries, records and array elements that are shown.
const SHOWN: u64 = 3;
/// The name of the table of force records (claim `force-record`).
const FORCE_PARAM: &str = "g_forceParam";
/// Values shown of one buffer.
const MOST: usize = 32;
/// Structs in structs.
const DEPTH: usize = 4;

/// What a program declares at a register.
#[derive(Default)]
pub(super) struct Declaration<'a> {
    /// Name; `None` where the register is not declared or its name was lost.
    pub(super) name: Option<&'a str>,
    /// Bytes of a constant buffer, or of a resource's element.
    pub(super) size: Option<u64>,
    /// Fields.
    pub(super) fields: &'a [Field],
}

impl<'a> Declaration<'a> {
    /// What is declared at `register`.
    pub(super) fn of(program: Option<&'a ProgramEntry>, register: Register) -> Self {
        let Some(program) = program else { return Self::default() };
        let found = match register.class {
            RegisterClass::Constant => program
                .constants
                .iter()
                .find(|c| Register::constant(c.register, c.space) == register)
                .map(|c| (&c.name, Some(c.size), &c.fields)),
            RegisterClass::Resource => program
                .resources
                .iter()
                .find(|r| Register::resource(r.register, r.space) == register)
                .map(|r| (&r.name, r.stride, &r.fields)),
        };
        found.map_or_else(Self::default, |(name, size, fields)| Self {
            name: Some(name.as_str()).filter(|name| !name.is_empty()),
            size,
            fields,
        })
    }
}

/// The contents of a bound range.
pub(super) fn decode(
    name: &str,
    declared: &Declaration<'_>,
    bound: &BoundRange,
    draw: &Draw,
    program: Option<&ProgramEntry>,
) -> Vec<Content> {
    let mut out = Vec::new();
    if bound.pieces.iter().any(|piece| matches!(piece.source, PieceSource::Unknown(_))) {
        out.push(Content::Remark("unknown bytes are shown as zero".into()));
    }
    let bytes = bound.gather();
    match name {
        MATRIX_WVP => view_projections(&bytes, &mut out),
        OBJ_MATRIX | PREV_OBJ_MATRIX => entries(&bytes, draw, program, &mut out),
        INSTANCE_DATA if declared.fields.is_empty() => records(&bytes, draw, &mut out),
        FORCE_PARAM if declared.fields.is_empty() => forces(&bytes, &mut out),
        _ if declared.fields.is_empty() => raw(&bytes, &mut out),
        _ => {
            let mut reader = Reader { bytes: &bytes, out: &mut out, left_out: 0 };
            reader.fields("", declared.fields, 0, 0);
            let left_out = reader.left_out;
            if left_out > 0 {
                out.push(Content::Remark(format!("{left_out} more values are declared")));
            }
        }
    }
    out
}

fn matrix(label: impl Into<String>, rows: &[[f32; 4]], translation: bool) -> Content {
    Content::Matrix { label: label.into(), rows: rows.to_vec(), translation }
}

fn view_projections(bytes: &[u8], out: &mut Vec<Content>) {
    let Some(both) = read_at::<ViewProjections>(bytes, 0) else {
        out.push(Content::Remark(format!("{} bytes are too few for two view-projections", bytes.len())));
        return;
    };
    out.push(matrix("first view-projection, rows in the assumed memory order", &both.current, false));
    out.push(matrix("second view-projection", &both.previous, false));
}

fn entries(bytes: &[u8], draw: &Draw, program: Option<&ProgramEntry>, out: &mut Vec<Content>) {
    let bound = (bytes.len() / Affine::SIZE) as u64;
    let used = palette::used(draw, program);
    match &used {
        None => out.push(Content::Remark(format!("{bound} entries; which are used cannot be read"))),
        Some(used) if used.is_empty() => {
            out.push(Content::Remark(format!("{bound} entries, none used: no vertex has a weight")));
        }
        Some(used) => {
            let (count, spans) = (used.len(), palette::spans(used));
            out.push(Content::Remark(format!("{count} of {bound} entries used: {spans}")));
        }
    }
    let used = used.unwrap_or_else(|| BTreeSet::from([0]));
    for entry in used.iter().take(SHOWN as usize) {
        let at = usize::try_from(*entry).ok().and_then(|entry| entry.checked_mul(Affine::SIZE));
        match at.and_then(|at| read_at::<Affine>(bytes, at)) {
            Some(affine) => out.push(matrix(format!("entry {entry}"), &affine.rows, true)),
            None => out
                .push(Content::Remark(format!("entry {entry} lies past the bound range and reads as zero"))),
        }
    }
}

/// Instance records at the assumed offsets of captures/README.md, "The draw model".
fn records(bytes: &[u8], draw: &Draw, out: &mut Vec<Content>) {
    let size = draw.replay.as_ref().map_or(Instance::SIZE, |b| b.instances.record_size as usize).max(1);
    let bound = bytes.len() / size;
    out.push(Content::Remark(format!(
        "{bound} records of {size} bytes, {} instances drawn; offsets past the world matrix are assumed",
        draw.instance_count
    )));
    for record in 0..bound.min(SHOWN as usize).min(draw.instance_count as usize) {
        if let Some(instance) = read_at::<Instance>(bytes, record * size) {
            out.push(matrix(format!("record {record} world"), &instance.world.rows, true));
            let text = format!(
                "{}, forceNum {}, forceIndex {}",
                instance.fade_alpha, instance.force_num, instance.force_index
            );
            out.push(Content::Value { label: format!("record {record} fadeAlpha"), text });
        }
    }
}

/// The first force records that hold anything.
fn forces(bytes: &[u8], out: &mut Vec<Content>) {
    let records: Vec<Force> = read_all(bytes);
    let zero = |force: &Force| {
        let words =
            [force.pos_and_square_force, force.dir_and_sine_force, force.wind, force.gust, force.gust_time];
        force.system == [0; 4] && words.iter().flatten().all(|word| word.to_bits() == 0)
    };
    let held: Vec<(usize, &Force)> = records.iter().enumerate().filter(|(_, force)| !zero(force)).collect();
    out.push(Content::Remark(format!("{} of {} records hold anything", held.len(), records.len())));
    for (number, force) in held.into_iter().take(SHOWN as usize) {
        let system = force.system.map(|word| word.to_string()).join(", ");
        out.push(Content::Value { label: format!("record {number} SystemParam"), text: system });
        let label = format!(
            "record {number} PosAndSquareForce, DirAndSineForce, WindParam, GustParam, GustTimeParam"
        );
        let rows =
            [force.pos_and_square_force, force.dir_and_sine_force, force.wind, force.gust, force.gust_time];
        out.push(matrix(label, &rows, false));
    }
}

/// The first rows of what nobody describes.
fn raw(bytes: &[u8], out: &mut Vec<Content>) {
    out.push(Content::Remark("no fields are declared; the first bytes as float4".into()));
    let (rows, _) = bytes.as_chunks::<16>();
    let rows: Vec<[f32; 4]> = rows.iter().take(4).map(floats).collect();
    if !rows.is_empty() {
        out.push(matrix("bytes from 0", &rows, false));
    }
}

fn floats(bytes: &[u8; 16]) -> [f32; 4] {
    let mut row = [0.0; 4];
    for (value, four) in row.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *value = f32::from_le_bytes(*four);
    }
    row
}

/// Reads declared fields.
struct Reader<'a> {
    bytes: &'a [u8],
    out: &'a mut Vec<Content>,
    left_out: u64,
}

impl Reader<'_> {
    fn fields(&mut self, prefix: &str, fields: &[Field], base: u64, depth: usize) {
        for field in fields {
            let elements = field.count.max(1);
            let step = field.stride.unwrap_or_else(|| element_size(field.kind));
            for element in 0..elements.min(SHOWN) {
                let at = base.saturating_add(field.offset).saturating_add(element.saturating_mul(step));
                let number = if field.count > 1 { format!("[{element}]") } else { String::new() };
                let label = format!("{prefix}{}{number}", field.name);
                if field.kind == FieldType::Struct {
                    if depth < DEPTH {
                        self.fields(&format!("{label}."), &field.fields, at, depth + 1);
                    }
                } else if self.out.len() < MOST {
                    self.value(label, field.kind, at);
                } else {
                    self.left_out += 1;
                }
            }
            self.left_out = self.left_out.saturating_add(elements.saturating_sub(SHOWN));
        }
    }

    fn value(&mut self, label: String, kind: FieldType, at: u64) {
        let row = |row: u64| {
            let mut values = [0.0; 4];
            for (column, value) in (0..).zip(&mut values) {
                *value = f32::from_bits(self.word(at.saturating_add(row * 16 + column * 4))?);
            }
            Some(values)
        };
        let rows = match kind {
            FieldType::Float3x4 => (0..3).map(row).collect::<Option<Vec<_>>>(),
            FieldType::Float4x4 => (0..4).map(row).collect::<Option<Vec<_>>>(),
            _ => {
                let text =
                    self.words(kind, at).unwrap_or_else(|| "past the bound range, reads as zero".into());
                self.out.push(Content::Value { label, text });
                return;
            }
        };
        self.out.push(match rows {
            Some(rows) => matrix(label, &rows, kind == FieldType::Float3x4),
            None => Content::Value { label, text: "past the bound range, reads as zero".into() },
        });
    }

    fn words(&self, kind: FieldType, at: u64) -> Option<String> {
        let count = element_size(kind) / 4;
        let words = (0..count).map(|i| self.word(at.saturating_add(i * 4))).collect::<Option<Vec<u32>>>()?;
        let spell = |word: &u32| match kind {
            FieldType::Uint | FieldType::Uint2 | FieldType::Uint3 | FieldType::Uint4 => word.to_string(),
            FieldType::Int | FieldType::Int2 | FieldType::Int3 | FieldType::Int4 => {
                word.cast_signed().to_string()
            }
            _ => f32::from_bits(*word).to_string(),
        };
        Some(words.iter().map(spell).collect::<Vec<_>>().join(", "))
    }

    fn word(&self, at: u64) -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// Bytes of an element without padding; a struct's are its stride's to say.
fn element_size(kind: FieldType) -> u64 {
    match kind {
        FieldType::Float | FieldType::Uint | FieldType::Int => 4,
        FieldType::Float2 | FieldType::Uint2 | FieldType::Int2 => 8,
        FieldType::Float3 | FieldType::Uint3 | FieldType::Int3 => 12,
        FieldType::Float4 | FieldType::Uint4 | FieldType::Int4 => 16,
        FieldType::Float3x4 => 48,
        FieldType::Float4x4 => 64,
        FieldType::Struct => 0,
    }
}
