//! One test binary; a module a topic.

mod support;
