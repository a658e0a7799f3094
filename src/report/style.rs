//! What colours mean: a verdict that is good, bad, or of interest; a heading; what matters less.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Matches, holds.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// Differs, fails.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Worth a look; no verdict.
pub(super) const NOTE: Style = AnsiColor::Yellow.on_default();
/// Headings.
pub(super) const HEADING: Style = Style::new().bold();
/// What matters less than what stands beside it.
pub(super) const FAINT: Style = Style::new().dimmed();
/// No emphasis.
pub(super) const PLAIN: Style = Style::new();

/// The text in a style. Pad before painting: escape sequences count as characters.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if style == PLAIN || text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}
