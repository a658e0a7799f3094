//! One test binary; a module a topic.

mod plan;
mod read;
mod support;
