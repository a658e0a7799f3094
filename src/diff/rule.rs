//! How two values are compared: the rule a dump falls under, and where it comes from.

use std::fmt;

use globset::{Glob, GlobMatcher};

use crate::abi::Format;
use crate::finding::DumpKind;

/// When two values count as the same: bits equal, or any of `abs`, `rel`, `ulp` admits them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// |a - b| <= abs.
    pub abs: f64,
    /// |a - b| <= rel * max(|a|, |b|), or the vector's largest component.
    pub rel: f64,
    /// Distance in units of the last place.
    pub ulp: u64,
    /// Images: share of covered pixels allowed to miss beside a triangle's edge.
    pub outliers: f64,
    /// Where the rule comes from.
    pub source: RuleSource,
}

/// Where a rule comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// `capture.toml`, the n-th `[[tolerance]]`, counted from 1.
    Capture(usize),
    /// A default of this project, with its reason.
    Default(&'static str),
}

impl Rule {
    /// Whether only equal bits count as the same.
    pub fn is_exact(&self) -> bool {
        self.abs == 0.0 && self.rel == 0.0 && self.ulp == 0
    }
}

/// `abs 2e-6, rel 2e-6 (capture.toml, tolerance 3)`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.abs > 0.0 {
            parts.push(format!("abs {}", short(self.abs)));
        }
        if self.rel > 0.0 {
            parts.push(format!("rel {}", short(self.rel)));
        }
        if self.ulp > 0 {
            parts.push(format!("{} ulp", self.ulp));
        }
        if parts.is_empty() {
            parts.push("equal bits".into());
        }
        if self.outliers > 0.0 {
            parts.push(format!("{} of covered pixels beside edges", self.outliers));
        }
        f.write_str(&parts.join(", "))?;
        match &self.source {
            RuleSource::Capture(place) => write!(f, " (capture.toml, tolerance {place})"),
            RuleSource::Default(_) => f.write_str(" (default)"),
        }
    }
}

/// A tolerance with at most four digits; the report is no place for the rest.
fn short(value: f64) -> String {
    let exact = format!("{value:e}");
    if exact.len() > 8 { format!("{value:.3e}") } else { exact }
}

/// One `[[tolerance]]`.
#[derive(Clone, Debug)]
pub struct ToleranceEntry {
    /// The dumps meant.
    pub kind: DumpKind,
    /// Glob over the semantic, target, pass or buffer name.
    pub name: String,
    /// See [`Rule::abs`].
    pub abs: f64,
    /// See [`Rule::rel`].
    pub rel: f64,
    /// See [`Rule::ulp`].
    pub ulp: u64,
    /// See [`Rule::outliers`].
    pub outliers: f64,
}

/// The rules of a set: its tolerances in order, then the defaults. The first that matches wins.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    entries: Vec<Option<(GlobMatcher, ToleranceEntry)>>,
}

impl Rules {
    /// The rules of a set's tolerances. Reading the set has checked the globs; a faulty one matches nothing.
    pub fn new(entries: impl IntoIterator<Item = ToleranceEntry>) -> Self {
        let matcher = |entry: ToleranceEntry| Some((Glob::new(&entry.name).ok()?.compile_matcher(), entry));
        Self { entries: entries.into_iter().map(matcher).collect() }
    }

    /// The rule for a dump, or a field of one. `format` is that of the compared elements.
    pub fn find(&self, kind: DumpKind, name: &str, format: Format) -> Rule {
        let matching = |entry: &Option<(GlobMatcher, ToleranceEntry)>| {
            entry
                .as_ref()
                .filter(|(glob, entry)| entry.kind == kind && glob.is_match(name))
                .map(|(_, e)| e.clone())
        };
        match self.entries.iter().enumerate().find_map(|(place, entry)| Some((place, matching(entry)?))) {
            Some((place, e)) => Rule {
                abs: e.abs,
                rel: e.rel,
                ulp: e.ulp,
                outliers: e.outliers,
                source: RuleSource::Capture(place + 1),
            },
            None => default_rule(kind, name, format),
        }
    }
}

/// The default rules: as tight as float32 execution of the same arithmetic allows.
pub fn default_rule(kind: DumpKind, name: &str, format: Format) -> Rule {
    let upper = name.to_ascii_uppercase();
    let clip = upper == "SV_POSITION" || upper.ends_with("_CLIP");
    let rule =
        |abs, rel, ulp, outliers, why| Rule { abs, rel, ulp, outliers, source: RuleSource::Default(why) };
    match kind {
        DumpKind::PostVs if clip => rule(
            1e-6,
            1e-6,
            0,
            0.0,
            "skinning and projection are sums of about 20 products in float32: each rounding is 6e-8 of the largest \
             term, and the terms are of the order of the vector's largest component",
        ),
        DumpKind::PostVs if upper == "NORMAL" => rule(
            1e-6,
            0.0,
            0,
            0.0,
            "a unit vector from about 10 float32 operations, each off by at most 6e-8",
        ),
        DumpKind::PostVs => rule(0.0, 0.0, 0, 0.0, "copied, not computed"),
        DumpKind::Target => {
            // Half floats step by 2^-11 of the value; a velocity is a difference of quotients and keeps the error of
            // its terms, not of its result, so small ones need an absolute allowance.
            if format.kind() == crate::abi::NumberKind::Float16 {
                let why = "one step of the half format, and the float32 error of the two quotients it is the \
                           difference of; an edge that rounding moves flips whole pixels";
                rule(3e-5, 1e-3, 0, 0.002, why)
            } else {
                let why = "one step of the format; an edge that rounding moves flips whole pixels";
                rule(format.step(1.0) * 1.001, 0.0, 0, 0.002, why)
            }
        }
        DumpKind::Depth => rule(
            2e-6,
            0.0,
            0,
            0.002,
            "interpolated in float32 from three depths, each off by at most 6e-8, over a plane whose slope amplifies \
             it; an edge that rounding moves flips whole pixels",
        ),
        DumpKind::Buffer => rule(0.0, 0.0, 0, 0.0, "copied, not computed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: DumpKind, name: &str, abs: f64) -> ToleranceEntry {
        ToleranceEntry { kind, name: name.into(), abs, rel: 0.0, ulp: 0, outliers: 0.0 }
    }

    #[test]
    fn the_first_tolerance_that_matches_wins() {
        let rules = Rules::new([
            entry(DumpKind::Target, "*", 9.0),
            entry(DumpKind::PostVs, "NORMAL", 1.0),
            entry(DumpKind::PostVs, "*", 2.0),
        ]);
        let find = |name| rules.find(DumpKind::PostVs, name, Format::R32G32B32A32Float);
        assert_eq!((find("NORMAL").abs, find("NORMAL").source), (1.0, RuleSource::Capture(2)));
        assert_eq!(find("SV_Position").abs, 2.0);
        let depth = rules.find(DumpKind::Depth, "shadow", Format::D32Float);
        assert!(matches!(depth.source, RuleSource::Default(_)));
    }

    #[test]
    fn a_rule_reads_as_what_it_admits() {
        let mut rule = default_rule(DumpKind::Buffer, "x", Format::R32Uint);
        assert!(rule.is_exact());
        assert_eq!(rule.to_string(), "equal bits (default)");
        rule = Rule { abs: 2e-6, rel: 1e-3, ulp: 3, outliers: 0.002, source: RuleSource::Capture(4) };
        assert_eq!(
            rule.to_string(),
            "abs 2e-6, rel 1e-3, 3 ulp, 0.002 of covered pixels beside edges (capture.toml, tolerance 4)"
        );
    }
}
