//! The only user of spirv-reflect.
