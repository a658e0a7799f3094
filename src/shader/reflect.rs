//! What a SPIR-V module declares: inputs by semantic, buffers by name, outputs. The only user of spirv-reflect.
//!
//! The crate's safe wrapper makes slices from null pointers, which is undefined and aborts debug builds; its raw `ffi`
//! module, Khronos's C library, is sound to call, and this file does that and nothing else.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::os::raw::c_char;

use spirv_reflect::ffi;

use crate::abi::{RegisterClass, Semantic};

/// Why a module could not be reflected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SPIR-V: {0}")]
pub(super) struct ReflectError(String);

/// What a module declares.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Reflection {
    /// Inputs with a semantic that is no system value, by location.
    pub(super) inputs: Vec<Variable>,
    /// Outputs, system values first, then by location.
    pub(super) outputs: Vec<Variable>,
    /// Buffers, by set and binding.
    pub(super) buffers: Vec<DeclaredBuffer>,
}

/// A declared input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Its semantic.
    pub(super) semantic: Semantic,
    /// Its location; `None` for a system value.
    pub(super) location: Option<u32>,
    /// Number of components.
    pub(super) components: u32,
}

/// A declared buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredBuffer {
    /// Its HLSL name; of the block's type where the binding has none.
    pub(super) name: String,
    /// Constant buffer or storage buffer.
    pub(super) class: RegisterClass,
    /// Descriptor set.
    pub(super) set: u32,
    /// Binding.
    pub(super) binding: u32,
    /// Declared bytes; 0 for an array without an end.
    pub(super) size: u64,
}

/// Reflects the first entry point of a module of this project. Not for foreign modules: the library asserts on some
/// that are damaged, so that those must be validated first.
///
/// # Errors
/// The bytes are no SPIR-V that the library can read.
pub(super) fn reflect(spirv: &[u8]) -> Result<Reflection, ReflectError> {
    let module = Module::new(spirv)?;
    let mut inputs: Vec<Variable> = Vec::new();
    for variable in module.list(ffi::spvReflectEnumerateInputVariables)? {
        inputs.extend(module.variable(variable).filter(|v| v.location.is_some()));
    }
    let mut outputs: Vec<Variable> = Vec::new();
    for variable in module.list(ffi::spvReflectEnumerateOutputVariables)? {
        outputs.extend(module.variable(variable));
    }
    let mut buffers: Vec<DeclaredBuffer> = Vec::new();
    for binding in module.list(ffi::spvReflectEnumerateDescriptorBindings)? {
        buffers.extend(module.buffer(binding)?);
    }
    inputs.sort_by_key(|v| v.location);
    outputs.sort_by_key(|v| v.location);
    buffers.sort_by_key(|b| (b.set, b.binding));
    Ok(Reflection { inputs, outputs, buffers })
}

/// A parsed module. It frees the library's memory when it goes; pointers handed out by [`list`](Self::list) live as
/// long.
struct Module(Box<ffi::SpvReflectShaderModule>);

type Enumerate<T> =
    unsafe extern "C" fn(*const ffi::SpvReflectShaderModule, *mut u32, *mut *mut T) -> ffi::SpvReflectResult;

impl Module {
    fn new(spirv: &[u8]) -> Result<Self, ReflectError> {
        const MAGIC: [u8; 4] = 0x0723_0203u32.to_le_bytes();
        if spirv.len() < 20 || !spirv.len().is_multiple_of(4) || !spirv.starts_with(&MAGIC) {
            return Err(ReflectError(format!("{} bytes do not start as a module does", spirv.len())));
        }
        // The library reads words, which must lie aligned.
        let words: Vec<u32> = spirv.as_chunks::<4>().0.iter().map(|le| u32::from_le_bytes(*le)).collect();
        // SAFETY: the struct is plain C data of integers and pointers, for which zero is a valid value.
        let mut module: Box<ffi::SpvReflectShaderModule> = Box::new(unsafe { std::mem::zeroed() });
        // SAFETY: `words` holds `len` bytes and `module` is a place to write to; the library copies the code.
        let result =
            unsafe { ffi::spvReflectCreateShaderModule(spirv.len(), words.as_ptr().cast(), module.as_mut()) };
        check(result)?;
        Ok(Self(module))
    }

    /// The non-null pointers an enumeration yields.
    fn list<T>(&self, enumerate: Enumerate<T>) -> Result<Vec<&T>, ReflectError> {
        let mut count = 0;
        // SAFETY: the module is parsed; a null list asks for the count alone.
        check(unsafe { enumerate(self.0.as_ref(), &mut count, std::ptr::null_mut()) })?;
        let mut list = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: `list` has room for `count` pointers.
        check(unsafe { enumerate(self.0.as_ref(), &mut count, list.as_mut_ptr()) })?;
        // SAFETY: the library yields null or pointers into the module, which the borrow of `self` keeps alive.
        Ok(list.into_iter().filter_map(|pointer| unsafe { pointer.as_ref() }).collect())
    }

    /// A string of the module; `None` where the pointer is null.
    fn text(&self, pointer: *const c_char) -> Option<String> {
        if pointer.is_null() {
            return None;
        }
        // SAFETY: not null, and the library's strings end in a zero and live as long as the module.
        Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
    }

    fn variable(&self, variable: &ffi::SpvReflectInterfaceVariable) -> Option<Variable> {
        let semantic = Semantic::parse(&self.text(variable.semantic).filter(|s| !s.is_empty())?);
        let system = semantic.name.to_ascii_uppercase().starts_with("SV_");
        let target = semantic.name.eq_ignore_ascii_case("SV_Target");
        Some(Variable {
            semantic,
            location: (!system || target).then_some(variable.location),
            components: variable.numeric.vector.component_count.max(1),
        })
    }

    fn buffer(
        &self,
        binding: &ffi::SpvReflectDescriptorBinding,
    ) -> Result<Option<DeclaredBuffer>, ReflectError> {
        let class = match binding.descriptor_type {
            ffi::SpvReflectDescriptorType_SPV_REFLECT_DESCRIPTOR_TYPE_UNIFORM_BUFFER => {
                RegisterClass::Constant
            }
            ffi::SpvReflectDescriptorType_SPV_REFLECT_DESCRIPTOR_TYPE_STORAGE_BUFFER => {
                RegisterClass::Resource
            }
            _ => return Ok(None),
        };
        let own = self.text(binding.name).filter(|name| !name.is_empty());
        // SAFETY: null or a description that the module owns.
        let described = unsafe { binding.type_description.as_ref() };
        let of_type = described.and_then(|d| self.text(d.type_name));
        let name = match class {
            // The binding of a cbuffer is nameless or named after nothing a person wrote; its type has the name.
            RegisterClass::Constant => of_type.or(own),
            RegisterClass::Resource => own.or(of_type),
        };
        let name = name.ok_or_else(|| ReflectError("a buffer without a name".into()))?;
        Ok(Some(DeclaredBuffer {
            name,
            class,
            set: binding.set,
            binding: binding.binding,
            size: binding.block.size.into(),
        }))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: made by spvReflectCreateShaderModule and destroyed once.
        unsafe { ffi::spvReflectDestroyShaderModule(self.0.as_mut()) };
    }
}

fn check(result: ffi::SpvReflectResult) -> Result<(), ReflectError> {
    if result == ffi::SpvReflectResult_SPV_REFLECT_RESULT_SUCCESS {
        return Ok(());
    }
    Err(ReflectError(format!("not readable (spirv-reflect result {result})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &[u8] = include_bytes!("../../shaders/spv/skinned_motion.vert.spv");

    #[test]
    fn semantics_names_and_sizes_come_out() {
        let found = reflect(MODULE).unwrap();
        let inputs: Vec<_> = found.inputs.iter().map(|v| v.semantic.full_name()).collect();
        assert_eq!(inputs, ["POSITION0", "POSITION1", "BLENDINDICES0", "BLENDWEIGHT0"]);
        let buffers: Vec<_> =
            found.buffers.iter().map(|b| (b.name.as_str(), b.set, b.binding, b.size)).collect();
        assert_eq!(
            buffers,
            [
                ("cbMatrixWVP", 0, 0, 128),
                ("cbObjMatrix", 0, 1, 12_288),
                ("cbPrevObjMatrix", 0, 2, 12_288),
                ("cbInstanceData", 0, 3, 65_536),
                ("g_InstanceIndexBuffer", 1, 0, 0),
                ("outputs", 2, 0, 0),
            ]
        );
        let outputs: Vec<_> = found.outputs.iter().map(|v| (v.semantic.full_name(), v.components)).collect();
        assert_eq!(
            outputs,
            [("SV_POSITION0".into(), 4), ("CURRENT_CLIP0".into(), 4), ("PREVIOUS_CLIP0".into(), 4)]
                as [(String, u32); 3]
        );
    }

    #[test]
    fn what_is_no_module_is_an_error() {
        assert!(reflect(b"").is_err());
        assert!(reflect(&MODULE[..MODULE.len() - 1]).is_err(), "no whole word");
        assert!(reflect(&[0; 64]).is_err());
        assert!(reflect(&MODULE[..20]).is_err(), "a header and nothing else");
    }
}
