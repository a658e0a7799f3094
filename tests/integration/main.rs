//! One test binary; a module a topic.

mod agree;
mod agree_reference;
mod claims;
mod cli;
mod edited;
mod faults;
mod formats;
mod inspect;
mod must_fail;
mod plan;
mod read;
mod shown;
mod small_set;
mod support;
mod survey;
mod synth;
mod synth_storm;
mod write;
