//! One test binary; a module a topic.

mod agree_reference;
mod faults;
mod plan;
mod read;
mod small_set;
mod support;
mod synth;
mod write;
