//! One test binary; a module a topic.

mod read;
mod support;
