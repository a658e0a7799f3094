//! The captured programs and the shaders that stand in for them.

use crate::abi::state::PassKind;
use crate::abi::{Format, ProgramId};
use crate::capture::manifest::{ConstantEntry, FieldType, InputElement, ProgramEntry, ProgramRule};
use crate::synth::builder::{array, input, program, rule};

/// Registers of a family of programs; skinned ones have the palettes where the documents say.
#[derive(Clone, Copy)]
pub(crate) struct Registers {
    pub(crate) views: u32,
    pub(crate) palette: u32,
    pub(crate) previous: u32,
}

/// Of the skinned programs: cbObjMatrix at 5, cbPrevObjMatrix at 6 (seed document, "Skinned vertex streams at run time").
pub(crate) const SKINNED: Registers = Registers { views: 0, palette: 5, previous: 6 };
/// Of the rigid programs; others, so that only names can find them.
pub(crate) const RIGID: Registers = Registers { views: 1, palette: 3, previous: 2 };

const PASSES: [PassKind; 3] = [PassKind::Shadow, PassKind::Gbuffer, PassKind::MotionVector];

/// The passes, in order.
pub(crate) fn passes() -> [PassKind; 3] {
    PASSES
}

/// The program that draws in a pass.
pub(crate) fn program_of(pass: PassKind, skinned: bool) -> ProgramId {
    let place = PASSES.iter().position(|p| *p == pass).unwrap_or(0) as u64;
    ProgramId(1 + place + if skinned { 0 } else { 3 })
}

/// The program table.
pub(crate) fn programs() -> Vec<ProgramEntry> {
    let skinned = [("FC_ShadowMap_Skin", false), ("FC_GBuffer_Skin", true), ("FC_MotionVector_Skin", false)];
    let rigid = [("Obj_ShadowMap", false), ("Obj_GBuffer", true), ("Obj_MotionVector", false)];
    let families = [(skinned, true), (rigid, false)];
    families
        .into_iter()
        .flat_map(|(names, skinned)| names.into_iter().zip(PASSES).map(move |n| (n, skinned)))
        .zip(1..)
        .map(|((((name, shaded), pass), skinned), id)| {
            program(id, name, inputs(skinned, shaded), constants(skinned, pass == PassKind::MotionVector))
        })
        .collect()
}

fn inputs(skinned: bool, shaded: bool) -> Vec<InputElement> {
    let mut inputs = vec![input("POSITION", 0, Format::R32G32B32Float, 0, 0)];
    if shaded {
        inputs.push(input("NORMAL", 0, Format::R8G8B8A8Unorm, 0, 12));
        inputs.push(input("TANGENT", 0, Format::R8G8B8A8Unorm, 0, 16));
    }
    let paint = if skinned {
        inputs.push(input("BLENDINDICES", 0, Format::R8G8B8A8Uint, 1, 0));
        inputs.push(input("BLENDWEIGHT", 0, Format::R8G8B8A8Unorm, 1, 4));
        8
    } else {
        0
    };
    if shaded {
        inputs.push(input("COLOR", 0, Format::R8G8B8A8Unorm, 1, paint));
        inputs.push(input("TEXCOORD", 0, Format::R16G16Sint, 1, paint + 4));
    }
    // Rigid meshes have no third buffer: the last frame's position is this frame's.
    inputs.push(input("POSITION", 1, Format::R32G32B32Float, if skinned { 2 } else { 0 }, 0));
    inputs
}

/// As reflection declares them: the palettes with two matrices, whatever is bound.
fn constants(skinned: bool, motion: bool) -> Vec<ConstantEntry> {
    let registers = if skinned { SKINNED } else { RIGID };
    let declared = if skinned { 2 } else { 1 };
    let mut constants = vec![
        array("cbMatrixWVP", registers.views, "VC_MatrixViewProj", FieldType::Float4x4, 2),
        array("cbObjMatrix", registers.palette, "VC_aObjMatrix", FieldType::Float3x4, declared),
    ];
    if motion {
        let field = "VC_aPrevObjMatrix";
        constants.push(array("cbPrevObjMatrix", registers.previous, field, FieldType::Float3x4, declared));
    }
    constants
}

/// The stand-ins, as capture.toml names them.
pub(crate) fn rules() -> Vec<ProgramRule> {
    [
        ("*_ShadowMap_Skin*", "skinned_shadow"),
        ("*_GBuffer_Skin*", "skinned_gbuffer"),
        ("*_MotionVector_Skin*", "skinned_motion"),
        ("Obj_ShadowMap", "rigid_shadow"),
        ("Obj_GBuffer", "rigid_gbuffer"),
        ("Obj_MotionVector", "rigid_motion"),
    ]
    .map(|(name, shader)| rule(name, shader))
    .to_vec()
}
