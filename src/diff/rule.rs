//! How two values are compared.

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

/// The rules of a set: its tolerances, then the defaults.
#[derive(Clone, Debug, Default)]
pub struct Rules {}
