//! One test binary; a module a topic.

mod formats;
mod support;
mod survey;
