//! One test binary; a module a topic.

mod faults;
mod plan;
mod read;
mod small_set;
mod support;
mod write;
