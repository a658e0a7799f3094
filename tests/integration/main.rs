//! One test binary; a module a topic.

mod plan;
mod agree_reference;
mod read;
mod small_set;
mod support;
