//! What a comparison or a check finds: verdicts, places and figures. A mismatch is a value here, never an error.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpKind {
    /// Outputs of the vertex stage.
    PostVs,
    /// A colour attachment.
    Target,
    /// A depth attachment.
    Depth,
    /// A buffer's contents at the frame's end.
    Buffer,
}

/// The verdict on one dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpVerdict {
    /// Something was compared and nothing differs.
    Match,
    /// Something differs.
    Differ,
    /// Nothing was compared; the reason stands beside it.
    NotCompared,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// The set expects figures, and they came out.
    Holds,
    /// The set expects figures, and others came out.
    Fails,
    /// Nobody expects figures: these were found.
    Observed,
    /// The set has no case of it. Where figures are expected this fails the run.
    NothingToCheck,
    /// The documents do not establish it.
    NotEstablished,
    /// Only executing draws can show it, and this command executes none.
    NeedsExecution,
}

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Something was compared, nothing differs, no input check and no expected claim failed.
    Match,
    /// Something differs or fails.
    Differ,
    /// Nothing was compared.
    NothingCompared,
}

/// One element that differs (or is among the worst that were tolerated).
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, in domain words: `frame 0003 event 41 (motion_vector, BD_M_9040/4) vertex 17 CURRENT_CLIP.x`.
    pub place: String,
    /// The field of the record: a semantic, an attachment, a field of a buffer's layout.
    pub field: String,
    /// The component of the field, from 0.
    pub component: usize,
    /// The recorded value.
    pub recorded: f64,
    /// The replayed value.
    pub replayed: f64,
    /// |recorded - replayed|; infinite where only one is a number.
    pub abs: f64,
    /// `abs` against the larger magnitude of what the rule refers to.
    pub rel: f64,
    /// Distance in units of the last place of the element's own format; `None` where it has none.
    pub ulp: Option<u64>,
    /// Whether no rule admits it.
    pub differs: bool,
}

/// A figure of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A count.
    Count(u64),
    /// A measured number.
    Number(f64),
    /// A word.
    Text(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::Number(n) if *n != 0.0 && n.abs() < 1e-3 => write!(f, "{n:.3e}"),
            Self::Number(n) => write!(f, "{}", (n * 1e6).round() / 1e6),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Figures by name.
pub type Figures = BTreeMap<String, Figure>;

/// What a check of one claim found over a set of frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimFindings {
    /// Cases looked at.
    pub counted: u64,
    /// Cases that agree with the statement.
    pub agree: u64,
    /// Cases left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Figures of all frames together.
    pub figures: Figures,
    /// Figures of each frame alone, by frame name.
    pub by_frame: BTreeMap<String, Figures>,
    /// The first cases that do not agree, by name.
    pub counterexamples: Vec<String>,
    /// More of interest to a reader, line by line: the binding-order table, the pairs.
    pub notes: Vec<String>,
}

/// Counterexamples kept; the counts say how many there are.
const COUNTEREXAMPLES: usize = 10;

impl ClaimFindings {
    /// Counts a case; `what` names it where it does not agree.
    pub fn case(&mut self, agrees: bool, what: impl FnOnce() -> String) {
        self.counted += 1;
        if agrees {
            self.agree += 1;
        } else if self.counterexamples.len() < COUNTEREXAMPLES {
            self.counterexamples.push(what());
        }
    }

    /// Counts a case that is not looked at.
    pub fn leave_out(&mut self, reason: &str) {
        match self.left_out.get_mut(reason) {
            Some(count) => *count += 1,
            None => drop(self.left_out.insert(reason.to_owned(), 1)),
        }
    }

    /// Adds to a count, of the frame and of all frames. Adding 0 makes the figure appear.
    pub fn add(&mut self, frame: &str, name: &str, n: u64) {
        self.fold(frame, name, Figure::Count(n), |old, new| match (old, new) {
            (Figure::Count(a), Figure::Count(b)) => Figure::Count(a + b),
            (_, new) => new,
        });
    }

    /// Raises a count to `n`, of the frame and of all frames.
    pub fn most(&mut self, frame: &str, name: &str, n: u64) {
        self.fold(frame, name, Figure::Count(n), |old, new| match (old, new) {
            (Figure::Count(a), Figure::Count(b)) => Figure::Count(a.max(b)),
            (_, new) => new,
        });
    }

    /// Lowers a measured number to `value`, of the frame and of all frames.
    pub fn least(&mut self, frame: &str, name: &str, value: f64) {
        self.fold(frame, name, Figure::Number(value), |old, new| match (old, new) {
            (Figure::Number(a), Figure::Number(b)) => Figure::Number(a.min(b)),
            (_, new) => new,
        });
    }

    /// Raises a measured number to `value`, of the frame and of all frames.
    pub fn greatest(&mut self, frame: &str, name: &str, value: f64) {
        self.fold(frame, name, Figure::Number(value), |old, new| match (old, new) {
            (Figure::Number(a), Figure::Number(b)) => Figure::Number(a.max(b)),
            (_, new) => new,
        });
    }

    /// Both ends of a range of counts: `{name}_least` and `{name}_greatest`.
    pub fn count_range(&mut self, frame: &str, name: &str, n: u64) {
        let pick = |take: fn(u64, u64) -> u64| {
            move |old: Figure, new: Figure| match (old, new) {
                (Figure::Count(a), Figure::Count(b)) => Figure::Count(take(a, b)),
                (_, new) => new,
            }
        };
        self.fold(frame, &format!("{name}_least"), Figure::Count(n), pick(u64::min));
        self.fold(frame, &format!("{name}_greatest"), Figure::Count(n), pick(u64::max));
    }

    /// Both ends of a range of measured numbers: `{name}_least` and `{name}_greatest`.
    pub fn range(&mut self, frame: &str, name: &str, value: f64) {
        self.least(frame, &format!("{name}_least"), value);
        self.greatest(frame, &format!("{name}_greatest"), value);
    }

    /// Sets a figure of all frames together.
    pub fn set(&mut self, name: &str, figure: Figure) {
        self.figures.insert(name.to_owned(), figure);
    }

    /// Sets a figure of one frame.
    pub fn set_in(&mut self, frame: &str, name: &str, figure: Figure) {
        self.by_frame.entry(frame.to_owned()).or_default().insert(name.to_owned(), figure);
    }

    /// A value that should be one and the same: of a frame, and of all frames. Different ones are listed, parted by
    /// bars, as a text.
    pub fn same(&mut self, frame: &str, name: &str, value: Figure) {
        self.fold(frame, name, value, |old, new| match (old, new) {
            (old, new) if old == new => old,
            (Figure::Text(old), new) if old.split(" | ").any(|one| one == new.to_string()) => {
                Figure::Text(old)
            }
            (old, new) => Figure::Text(format!("{old} | {new}")),
        });
    }

    fn fold(&mut self, frame: &str, name: &str, new: Figure, join: impl Fn(Figure, Figure) -> Figure) {
        let of_frame = self.by_frame.entry(frame.to_owned()).or_default();
        for figures in [of_frame, &mut self.figures] {
            match figures.get_mut(name) {
                Some(old) => *old = join(old.clone(), new.clone()),
                None => drop(figures.insert(name.to_owned(), new.clone())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_frames_and_of_all_frames_grow_together() {
        let mut found = ClaimFindings::default();
        found.add("1", "draws", 2);
        found.add("2", "draws", 3);
        found.range("1", "distance", 4.0);
        found.range("2", "distance", 1.5);
        found.count_range("1", "instances", 7);
        found.count_range("1", "instances", 9);
        assert_eq!(found.figures["draws"], Figure::Count(5));
        assert_eq!(found.by_frame["2"]["draws"], Figure::Count(3));
        assert_eq!(found.figures["distance_least"], Figure::Number(1.5));
        assert_eq!(found.by_frame["1"]["distance_least"], Figure::Number(4.0));
        assert_eq!(found.figures["instances_greatest"], Figure::Count(9));
    }

    #[test]
    fn values_that_should_be_one_are_listed_where_they_are_not() {
        let mut found = ClaimFindings::default();
        for value in [5, 5, 1, 5, 1] {
            found.same("1", "index", Figure::Count(value));
        }
        assert_eq!(found.figures["index"], Figure::Text("5 | 1".into()));
    }

    #[test]
    fn counterexamples_end_but_counts_go_on() {
        let mut found = ClaimFindings::default();
        for i in 0..30 {
            found.case(i % 3 == 0, || i.to_string());
        }
        assert_eq!((found.counted, found.agree, found.counterexamples.len()), (30, 10, COUNTEREXAMPLES));
    }
}
