//! The captured programs and the shaders that stand in for them.

use crate::abi::records::{Affine, Force, Instance};
use crate::abi::{Format, ProgramId};
use crate::capture::manifest::{
    ConstantEntry, Field, FieldType, InputElement, ProgramEntry, ProgramRule, ResourceEntry,
};
use crate::synth::builder::{array, field, input, program, rule};

/// cbMatrixWVP.
pub(crate) const VIEWS: u32 = 1;
/// cbObjMatrix.
pub(crate) const PALETTE: u32 = 4;
/// cbPrevObjMatrix.
pub(crate) const PREVIOUS: u32 = 5;
/// cbInstanceData.
pub(crate) const INSTANCES: u32 = 6;
/// g_InstanceIndexBuffer.
pub(crate) const INSTANCE_INDICES: u32 = 2;
/// g_forceParam.
pub(crate) const FORCES: u32 = 3;

/// Rows of four floats that skinned programs declare of a palette (claim `palette-extent`).
const DECLARED_ROWS: u64 = 6;

/// What a captured program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ClothShadow,
    ClothGbuffer,
    ClothMotion,
    SkinGbuffer,
    SkinMotion,
    /// Placed grass of the `Grass_` family.
    Grass,
    /// Placed grass of the `Grass2_` family.
    Grass2,
    FarGrass,
}

/// The programs in the table's order.
const PROGRAMS: [(Kind, &str); 8] = [
    (Kind::ClothShadow, "Cloth_ShadowMap"),
    (Kind::ClothGbuffer, "Cloth_GBuffer"),
    (Kind::ClothMotion, "Cloth_MotionVector"),
    (Kind::SkinGbuffer, "C_GBuffer_Skin"),
    (Kind::SkinMotion, "C_MotionVector_Skin"),
    (Kind::Grass, "Grass_GBuffer"),
    (Kind::Grass2, "Grass2_GBuffer"),
    (Kind::FarGrass, "Grass2_LOD1_GBuffer"),
];

impl Kind {
    /// Its number in the table.
    pub(crate) fn id(self) -> ProgramId {
        let place = PROGRAMS.iter().position(|(kind, _)| *kind == self).unwrap_or(0);
        ProgramId(place as u64 + 1)
    }

    fn skinned(self) -> bool {
        matches!(self, Self::SkinGbuffer | Self::SkinMotion)
    }

    fn grass(self) -> bool {
        matches!(self, Self::Grass | Self::Grass2 | Self::FarGrass)
    }

    fn motion(self) -> bool {
        matches!(self, Self::ClothMotion | Self::SkinMotion)
    }
}

/// The program table.
pub(crate) fn programs() -> Vec<ProgramEntry> {
    let entry = |(kind, name): (Kind, &str)| ProgramEntry {
        resources: resources(kind),
        ..program(kind.id().0, name, inputs(kind), constants(kind))
    };
    PROGRAMS.into_iter().map(entry).collect()
}

fn inputs(kind: Kind) -> Vec<InputElement> {
    let mut inputs = vec![input("POSITION", 0, Format::R32G32B32Float, 0, 0)];
    if kind != Kind::ClothShadow {
        inputs.push(input("NORMAL", 0, Format::R8G8B8A8Unorm, 0, 12));
        inputs.push(input("TANGENT", 0, Format::R8G8B8A8Unorm, 0, 16));
    }
    let paint = if kind.skinned() { 8 } else { 0 };
    if kind.skinned() {
        inputs.push(input("BLENDINDICES", 0, Format::R8G8B8A8Uint, 1, 0));
        inputs.push(input("BLENDWEIGHT", 0, Format::R8G8B8A8Unorm, 1, 4));
    }
    inputs.push(input("COLOR", 0, Format::R8G8B8A8Unorm, 1, paint));
    inputs.push(input("TEXCOORD", 0, Format::R16G16Sint, 1, paint + 4));
    if !kind.grass() {
        inputs.push(input("POSITION", 1, Format::R32G32B32Float, 2, 0));
    }
    inputs
}

/// As reflection declares them.
fn constants(kind: Kind) -> Vec<ConstantEntry> {
    let mut constants = vec![array("cbMatrixWVP", VIEWS, "viewProjection", FieldType::Float4x4, 2)];
    if kind == Kind::FarGrass {
        constants.push(instance_data());
        return constants;
    }
    let rows = if kind.skinned() { DECLARED_ROWS } else { 3 };
    constants.push(array("cbObjMatrix", PALETTE, "objRows", FieldType::Float4, rows));
    if kind.motion() {
        constants.push(array("cbPrevObjMatrix", PREVIOUS, "prevObjRows", FieldType::Float4, rows));
    }
    constants
}

/// An array of records, as many as a range holds.
fn instance_data() -> ConstantEntry {
    let records = (Instance::RANGE / Instance::SIZE) as u64;
    let size = Instance::SIZE as u64;
    let record = Field {
        stride: Some(size),
        fields: vec![
            field("world", 0, FieldType::Float3x4, 1),
            field("fadeAlpha", Affine::SIZE as u64, FieldType::Float, 1),
            field("forceNum", 52, FieldType::Uint, 1),
            field("forceIndex", 56, FieldType::Uint, 1),
            field("pad", 60, FieldType::Uint, 1),
            field("palette", 64, FieldType::Float4, 9),
        ],
        ..field("instances", 0, FieldType::Struct, records)
    };
    let fields = vec![record];
    let name = "cbInstanceData".to_owned();
    ConstantEntry { name, register: INSTANCES, space: 0, size: records * size, fields, extra: None }
}

/// The far grass program's two buffers are the documents'; that placed grass declares the force table is assumed.
fn resources(kind: Kind) -> Vec<ResourceEntry> {
    let resource = |name: &str, register, stride| ResourceEntry {
        name: name.to_owned(),
        register,
        space: 0,
        stride,
        fields: vec![],
        extra: None,
    };
    let mut resources = Vec::new();
    if kind == Kind::FarGrass {
        resources.push(resource("g_InstanceIndexBuffer", INSTANCE_INDICES, None));
    }
    if kind.grass() {
        let words = ["PosAndSquareForce", "DirAndSineForce", "WindParam", "GustParam", "GustTimeParam"];
        let mut fields = vec![field("SystemParam", 0, FieldType::Uint4, 1)];
        fields.extend(words.into_iter().zip(1..).map(|(name, n)| field(name, 16 * n, FieldType::Float4, 1)));
        let forces = resource("g_forceParam", FORCES, Some(Force::SIZE as u64));
        resources.push(ResourceEntry { fields, ..forces });
    }
    resources
}

/// The stand-ins, as capture.toml names them.
pub(crate) fn rules() -> Vec<ProgramRule> {
    [
        ("Cloth_ShadowMap", "rigid_shadow"),
        ("Cloth_GBuffer", "rigid_gbuffer"),
        ("Cloth_MotionVector", "rigid_motion"),
        ("*_GBuffer_Skin*", "skinned_gbuffer"),
        ("*_MotionVector_Skin*", "skinned_motion"),
        ("Grass2_LOD1_*", "grass_gbuffer"),
        ("Grass*_GBuffer", "rigid_gbuffer"),
    ]
    .map(|(name, shader)| rule(name, shader))
    .to_vec()
}
