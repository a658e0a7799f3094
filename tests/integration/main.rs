//! One test binary; a module a topic.

mod plan;
mod read;
mod small_set;
mod support;
