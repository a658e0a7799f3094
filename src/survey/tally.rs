//! What is counted for a claim, over one file or over many.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A figure that can be put together from many files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FigureTally {
    /// A count: files add up.
    Sum(u64),
    /// A largest value.
    Most(f64),
}

/// What was found for a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Cases looked at.
    pub cases: u64,
    /// Cases that agree with the statement.
    pub agree: u64,
    /// The first that do not, by name.
    pub named: Vec<String>,
    /// Cases left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Further figures by name.
    pub figures: BTreeMap<Cow<'static, str>, FigureTally>,
}

impl Tally {
    /// Cases that do not agree.
    pub fn exceptions(&self) -> u64 {
        self.cases.saturating_sub(self.agree)
    }

    /// Counts a case; one that does not agree is named while fewer than `most` are.
    pub fn case(&mut self, agrees: bool, most: usize, name: impl FnOnce() -> String) {
        self.cases += 1;
        if agrees {
            self.agree += 1;
        } else if self.named.len() < most {
            self.named.push(name());
        }
    }

    /// Counts cases that agree.
    pub fn agreeing(&mut self, cases: u64) {
        self.cases += cases;
        self.agree += cases;
    }

    /// Leaves cases out for a reason.
    pub fn leave_out(&mut self, reason: impl Into<String>, cases: u64) {
        if cases > 0 {
            *self.left_out.entry(reason.into()).or_default() += cases;
        }
    }

    /// Adds to a count. A count of nothing is a figure too.
    pub fn count(&mut self, figure: impl Into<Cow<'static, str>>, cases: u64) {
        match self.figures.entry(figure.into()).or_insert(FigureTally::Sum(0)) {
            FigureTally::Sum(sum) => *sum += cases,
            FigureTally::Most(_) => {}
        }
    }

    /// Keeps a largest value.
    pub fn most(&mut self, figure: impl Into<Cow<'static, str>>, value: f64) {
        match self.figures.entry(figure.into()).or_insert(FigureTally::Most(value)) {
            FigureTally::Most(most) => *most = most.max(value),
            FigureTally::Sum(_) => {}
        }
    }

    /// A count by name; `cases`, `agree` and `exceptions` are those of the tally.
    pub fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "cases" => Some(self.cases as f64),
            "agree" => Some(self.agree as f64),
            "exceptions" => Some(self.exceptions() as f64),
            _ => match self.figures.get(name)? {
                FigureTally::Sum(sum) => Some(*sum as f64),
                FigureTally::Most(most) => Some(*most),
            },
        }
    }

    /// A count by name, 0 where nothing was counted.
    pub fn sum(&self, name: &str) -> u64 {
        self.figure(name).map_or(0, |figure| figure as u64)
    }

    /// Takes in what was found over other files, naming no more than `most` exceptions.
    pub fn merge(&mut self, other: Self, most: usize) {
        self.cases += other.cases;
        self.agree += other.agree;
        self.named.extend(other.named.into_iter().take(most.saturating_sub(self.named.len())));
        for (reason, cases) in other.left_out {
            self.leave_out(reason, cases);
        }
        for (name, figure) in other.figures {
            match figure {
                FigureTally::Sum(sum) => self.count(name, sum),
                FigureTally::Most(most) => self.most(name, most),
            }
        }
    }
}

/// Tallies by claim, and how many exceptions of each are named.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    pub(super) by_claim: BTreeMap<&'static str, Tally>,
    pub(super) named: usize,
}

impl Tallies {
    pub(super) fn of(&mut self, claim: &'static str) -> &mut Tally {
        self.by_claim.entry(claim).or_default()
    }

    /// Counts a case of a claim.
    pub(super) fn case(&mut self, claim: &'static str, agrees: bool, name: impl FnOnce() -> String) {
        let most = self.named;
        self.of(claim).case(agrees, most, name);
    }
}
