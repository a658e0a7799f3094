//! Input and output semantics: a name and an index, equal whatever the case, as in HLSL.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A semantic such as `POSITION0` or `SV_Position`. Comparison ignores case; printing keeps the spelling given.
#[derive(Clone, Debug)]
pub struct Semantic {
    /// The name without its index, as spelled by whoever gave it.
    pub name: String,
    /// The index; an unnumbered semantic has 0.
    pub index: u32,
}

impl Semantic {
    /// A semantic of the given name and index.
    pub fn new(name: impl Into<String>, index: u32) -> Self {
        Self { name: name.into(), index }
    }

    /// Splits the trailing decimal index off: `POSITION1` is (`POSITION`, 1), `SV_Position` is (`SV_Position`, 0).
    pub fn parse(text: &str) -> Self {
        let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
        match text.get(name.len()..).and_then(|digits| digits.parse().ok()) {
            Some(index) if !name.is_empty() => Self::new(name, index),
            _ => Self::new(text, 0),
        }
    }

    fn key(&self) -> impl Iterator<Item = u8> + '_ {
        self.name.bytes().map(|b| b.to_ascii_uppercase())
    }

    /// The semantic in upper case with its index, `POSITION0`: the form reports sort and look up by.
    pub fn full_name(&self) -> String {
        format!("{}{}", self.name.to_ascii_uppercase(), self.index)
    }

    /// Whether this is the clip-space position a rasteriser reads.
    pub fn is_position(&self) -> bool {
        self.name.eq_ignore_ascii_case("SV_Position") && self.index == 0
    }
}

impl PartialEq for Semantic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Semantic {}

impl PartialOrd for Semantic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Semantic {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(other.key()).then(self.index.cmp(&other.index))
    }
}

impl Hash for Semantic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().for_each(|b| b.hash(state));
        self.index.hash(state);
    }
}

/// As HLSL code usually spells it: system values and outputs without a 0, vertex inputs with their number.
impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = self.name.eq_ignore_ascii_case("POSITION") || self.index != 0;
        let text = if numbered { format!("{}{}", self.name, self.index) } else { self.name.clone() };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_a_name_does_not_matter_but_its_index_does() {
        assert_eq!(Semantic::new("Position", 1), Semantic::parse("POSITION1"));
        assert_ne!(Semantic::parse("POSITION0"), Semantic::parse("POSITION1"));
        assert_eq!(Semantic::parse("SV_Position"), Semantic::new("sv_position", 0));
    }

    #[test]
    fn an_index_is_only_split_off_a_name() {
        assert_eq!(Semantic::parse("12").name, "12");
        assert_eq!(Semantic::parse("TEXCOORD").index, 0);
        assert_eq!(Semantic::parse("POSITION").to_string(), "POSITION0");
        assert_eq!(Semantic::parse("NORMAL0").to_string(), "NORMAL");
    }
}
