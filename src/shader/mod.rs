//! The stand-ins: our shaders by name, with the interface their SPIR-V reflects.
//!
//! Sources are `shaders/*.hlsl`, compiled by `shaders/compile.sh`; the committed SPIR-V is built in. What a shader
//! needs and gives is read from the module, not written down a second time. This module knows no draw and no device.

mod reflect;

use std::sync::LazyLock;

use reflect::{Reflection, reflect};

use crate::abi::interface::VertexOutput;
use crate::abi::{BufferNeed, InputNeed, Interface};

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

/// The name of the buffer that takes the vertex stage's outputs; it is ours, not the game's.
pub const OUTPUTS: &str = "outputs";

/// What no captured program need have: without it instance i reads record i, and the palette starts at entry 0.
const OPTIONAL: [&str; 2] = ["g_InstanceIndexBuffer", "cbInstanceData"];

macro_rules! shaders {
    ($($name:literal $fragment:expr, $targets:expr, $required:expr;)+) => {
        fn build() -> Vec<Shader> {
            vec![$(shader(
                $name,
                include_bytes!(concat!("../../shaders/spv/", $name, ".vert.spv")),
                $fragment,
                &$targets,
                &$required,
            )),+]
        }
    };
}

const GBUFFER: Option<&[u8]> = Some(include_bytes!("../../shaders/spv/gbuffer.frag.spv"));
const MOTION: Option<&[u8]> = Some(include_bytes!("../../shaders/spv/motion.frag.spv"));

// Name, fragment stage, targets in order, and which of the optional buffers this shader cannot do without.
shaders!(
    "rigid_shadow" None, [], [];
    "skinned_shadow" None, [], [];
    "rigid_gbuffer" GBUFFER, ["normal"], [];
    "skinned_gbuffer" GBUFFER, ["normal"], [];
    "rigid_motion" MOTION, ["velocity"], [];
    "skinned_motion" MOTION, ["velocity"], [];
    "grass_gbuffer" GBUFFER, ["normal"], ["cbInstanceData"];
);

/// All of them, by name.
pub fn all() -> &'static [Shader] {
    static ALL: LazyLock<Vec<Shader>> = LazyLock::new(build);
    &ALL
}

/// The shader of that name.
pub fn find(name: &str) -> Option<&'static Shader> {
    all().iter().find(|s| s.name == name)
}

fn shader(
    name: &'static str,
    vertex: &'static [u8],
    fragment: Option<&'static [u8]>,
    targets: &[&str],
    required: &[&str],
) -> Shader {
    // The module is built in, and a test reflects every one: an error here is a fault of the build, not of any input.
    let found = reflect(vertex).unwrap_or_else(|e| panic!("shader {name}: {e}"));
    Shader { name, interface: interface(&found, targets, required), vertex, fragment }
}

fn interface(found: &Reflection, targets: &[&str], required: &[&str]) -> Interface {
    let inputs = found
        .inputs
        .iter()
        .filter_map(|v| Some(InputNeed { semantic: v.semantic.clone(), location: v.location? }));
    let buffers = found.buffers.iter().filter(|b| b.name != OUTPUTS).map(|b| BufferNeed {
        name: b.name.clone(),
        class: b.class,
        optional: OPTIONAL.contains(&b.name.as_str()) && !required.contains(&b.name.as_str()),
        set: b.set,
        binding: b.binding,
        declared_size: if b.size == 0 { u64::MAX } else { b.size },
    });
    let outputs =
        found.outputs.iter().map(|v| VertexOutput { semantic: v.semantic.clone(), components: v.components });
    Interface {
        inputs: inputs.collect(),
        buffers: buffers.collect(),
        outputs: outputs.collect(),
        targets: targets.iter().map(|t| (*t).to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the draw model.
    #[test]
    fn every_shader_needs_and_gives_what_the_draw_model_says() {
        let told = |name: &str| {
            let i = &find(name).unwrap().interface;
            let inputs: Vec<_> = i.inputs.iter().map(|n| n.semantic.full_name()).collect();
            let needs: Vec<_> = i.buffers.iter().filter(|b| !b.optional).map(|b| b.name.as_str()).collect();
            let outputs: Vec<_> =
                i.outputs.iter().map(|o| format!("{}:{}", o.semantic.full_name(), o.components)).collect();
            format!(
                "{} | {} | {} | {}",
                inputs.join(" "),
                needs.join(" "),
                outputs.join(" "),
                i.targets.join(" ")
            )
        };
        let rows = [
            ("rigid_shadow", "POSITION0 | cbMatrixWVP cbObjMatrix | SV_POSITION0:4 | "),
            (
                "skinned_shadow",
                "POSITION0 BLENDINDICES0 BLENDWEIGHT0 | cbMatrixWVP cbObjMatrix | SV_POSITION0:4 | ",
            ),
            (
                "rigid_gbuffer",
                "POSITION0 NORMAL0 | cbMatrixWVP cbObjMatrix | SV_POSITION0:4 NORMAL0:3 | normal",
            ),
            (
                "skinned_gbuffer",
                "POSITION0 NORMAL0 BLENDINDICES0 BLENDWEIGHT0 | cbMatrixWVP cbObjMatrix | SV_POSITION0:4 NORMAL0:3 | normal",
            ),
            (
                "rigid_motion",
                "POSITION0 POSITION1 | cbMatrixWVP cbObjMatrix cbPrevObjMatrix | SV_POSITION0:4 CURRENT_CLIP0:4 PREVIOUS_CLIP0:4 | velocity",
            ),
            (
                "skinned_motion",
                "POSITION0 POSITION1 BLENDINDICES0 BLENDWEIGHT0 | cbMatrixWVP cbObjMatrix cbPrevObjMatrix | SV_POSITION0:4 CURRENT_CLIP0:4 PREVIOUS_CLIP0:4 | velocity",
            ),
            (
                "grass_gbuffer",
                "POSITION0 NORMAL0 | cbMatrixWVP cbInstanceData | SV_POSITION0:4 NORMAL0:3 FADE0:1 | normal",
            ),
        ];
        assert_eq!(rows.len(), all().len());
        for (name, expected) in rows {
            assert_eq!(told(name), expected, "{name}");
        }
    }

    /// HLSL's register classes collide silently on one set and binding: each has a space of its own.
    #[test]
    fn every_set_and_binding_is_used_once() {
        for shader in all() {
            for (code, is_vertex) in
                [Some((shader.vertex, true)), shader.fragment.map(|f| (f, false))].into_iter().flatten()
            {
                let found = reflect(code).unwrap();
                let mut places = std::collections::BTreeSet::new();
                for buffer in &found.buffers {
                    let place = (buffer.set, buffer.binding);
                    assert!(places.insert(place), "{}: {} shares its place", shader.name, buffer.name);
                }
                let outputs = found.buffers.iter().find(|b| b.name == OUTPUTS).map(|b| (b.set, b.binding));
                assert_eq!(outputs, is_vertex.then_some((2, 0)), "{}", shader.name);
            }
        }
    }
}
