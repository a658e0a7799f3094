//! One test binary; a module a topic.

mod agree_reference;
mod read;
mod support;
