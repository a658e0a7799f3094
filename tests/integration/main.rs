//! One test binary; a module a topic.

mod formats;
mod inspect;
mod support;
mod survey;
