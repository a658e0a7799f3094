//! The stand-ins: our shaders by name, with the interface their SPIR-V reflects.

pub mod reflect;

use crate::abi::Interface;

/// One of our shaders.
#[derive(Debug)]
pub struct Shader {
    /// Its name, such as `skinned_motion`.
    pub name: &'static str,
    /// What it needs and gives, from reflection.
    pub interface: Interface,
    /// SPIR-V of the vertex stage.
    pub vertex: &'static [u8],
    /// SPIR-V of the fragment stage; `None` for depth only.
    pub fragment: Option<&'static [u8]>,
}

/// HACK local only
pub fn all() -> &'static [Shader] {
    static ALL: std::sync::OnceLock<Vec<Shader>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        [
            "rigid_shadow",
            "rigid_gbuffer",
            "rigid_motion",
            "skinned_shadow",
            "skinned_gbuffer",
            "skinned_motion",
        ]
        .into_iter()
        .map(|name| Shader { name, interface: interface(name), vertex: &[], fragment: None })
        .collect()
    })
}
use crate::abi::interface::*;
use crate::abi::{RegisterClass, Semantic};
fn interface(shader: &str) -> Interface {
    let (kind, pass) = shader.split_once('_').unwrap();
    let mut inputs = vec!["POSITION0"];
    let mut buffers = vec![("cbMatrixWVP", 128, false)];
    buffers.push(if kind == "grass" {
        ("cbInstanceData", 65_536, false)
    } else {
        ("cbObjMatrix", 12_288, false)
    });
    let mut outputs = vec![("SV_Position", 4)];
    let mut targets = vec![];
    match pass {
        "gbuffer" => {
            inputs.push("NORMAL0");
            outputs.push(("NORMAL", 3));
            targets.push("normal");
        }
        "motion" => {
            inputs.push("POSITION1");
            buffers.push(("cbPrevObjMatrix", 12_288, false));
            outputs.extend([("CURRENT_CLIP", 4), ("PREVIOUS_CLIP", 4)]);
            targets.push("velocity");
        }
        _ => {}
    }
    match kind {
        "skinned" => inputs.extend(["BLENDINDICES0", "BLENDWEIGHT0"]),
        "grass" => outputs.push(("FADE", 1)),
        _ => {}
    }
    if kind != "grass" {
        buffers.push(("cbInstanceData", 65_536, true));
    }
    buffers.push(("g_InstanceIndexBuffer", 0, true));
    Interface {
        inputs: (0..)
            .zip(inputs)
            .map(|(location, name)| InputNeed { semantic: Semantic::parse(name), location })
            .collect(),
        buffers: (0..)
            .zip(buffers)
            .map(|(binding, (name, declared_size, optional))| BufferNeed {
                name: name.into(),
                class: if name.starts_with("g_") { RegisterClass::Resource } else { RegisterClass::Constant },
                optional,
                set: 0,
                binding,
                declared_size,
            })
            .collect(),
        outputs: outputs
            .into_iter()
            .map(|(name, components)| VertexOutput { semantic: Semantic::parse(name), components })
            .collect(),
        targets: targets.into_iter().map(String::from).collect(),
    }
}
/// The shader of that name.
pub fn find(name: &str) -> Option<&'static Shader> {
    all().iter().find(|s| s.name == name)
}
