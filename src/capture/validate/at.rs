//! A place in a JSON file, spelled out only when a fault needs it.

use std::fmt;

use crate::capture::error::Fault;

/// A JSON path such as `lists[0].commands[3].streams[1]`, as a chain of steps that borrow the one before.
pub(super) struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
    /// An element of the array that a key holds.
    Item(&'a str, usize),
}

impl<'a> At<'a> {
    pub(super) const fn root() -> Self {
        Self { parent: None, step: Step::Root }
    }

    pub(super) const fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    pub(super) const fn item(&'a self, key: &'a str, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Item(key, index) }
    }

    /// A fault here.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Fault {
        Fault::new(self.to_string(), found, expected)
    }

    /// A fault here unless `right`.
    pub(super) fn expect(
        &self,
        right: bool,
        found: impl FnOnce() -> String,
        expected: &str,
    ) -> Result<(), Fault> {
        if right { Ok(()) } else { Err(self.fault(found(), expected)) }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        let top = self.parent.is_none_or(|p| matches!(p.step, Step::Root));
        match self.step {
            Step::Root => Ok(()),
            Step::Key(key) if top => f.write_str(key),
            Step::Key(key) => write!(f, ".{key}"),
            Step::Item(key, index) if top => write!(f, "{key}[{index}]"),
            Step::Item(key, index) => write!(f, ".{key}[{index}]"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_spelled_as_a_json_path() {
        let root = At::root();
        let lists = root.key("lists");
        let list = lists.index(0);
        let command = list.item("commands", 3);
        assert_eq!(command.key("blob").to_string(), "lists[0].commands[3].blob");
        assert_eq!(root.item("expect", 1).to_string(), "expect[1]");
        let fault = command.expect(false, || "1".into(), "2").unwrap_err();
        assert_eq!(fault, Fault::new("lists[0].commands[3]", "1", "2"));
    }
}
