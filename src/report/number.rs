//! How numbers and lists of them are written in text.

use crate::finding::Figure;

/// The width that text keeps to where it can.
pub(super) const WIDTH: usize = 100;

/// A count with its thousands apart: `3,204`.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 draw`, `3,204 draws`. The plural is the noun with an s.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A measured number, short: up to six significant digits, an exponent where it is very small or large.
pub(super) fn short(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() || value == 0.0 {
        return plain(value);
    }
    if !(1e-4..1e9).contains(&magnitude) {
        let text = format!("{value:.2e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if digits.contains('.') => {
                format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        };
    }
    let before = magnitude.log10().floor().max(0.0) as usize + 1;
    let text = format!("{value:.*}", 6usize.saturating_sub(before).max(usize::from(magnitude < 1.0) * 6));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with every digit that tells it from its neighbours; NaN and the infinities in words.
pub(super) fn plain(value: f64) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "inf".into() } else { "-inf".into() }
    } else if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A figure of a claim, its thousands apart where it is a count.
pub(super) fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Count(count) => grouped(*count),
        Figure::Number(_) | Figure::Text(_) => figure.to_string(),
    }
}

/// Seconds, to the millisecond.
pub(super) fn seconds(value: f64) -> String {
    format!("{value:.3} s")
}

/// The first few of a list, then how many more there are: `12, 14, 16 and 5 more`.
pub(super) fn first_few(items: &[String], most: usize) -> String {
    let shown = items.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {} more", grouped(more as u64)),
    }
}

/// Breaks text at spaces so that no line passes [`WIDTH`]; later lines start at `indent`. The first line is taken to
/// begin at `begun` already. A word longer than a line stays whole.
pub(super) fn wrap(text: &str, begun: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = begun;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let first = out.is_empty();
        if !first && column + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if !first {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let cases = [
            (0, "0"),
            (7, "7"),
            (999, "999"),
            (1000, "1,000"),
            (12288, "12,288"),
            (1 << 40, "1,099,511,627,776"),
        ];
        for (count, text) in cases {
            assert_eq!(grouped(count), text);
        }
        assert_eq!((counted(1, "draw"), counted(0, "draw")), ("1 draw".into(), "0 draws".into()));
    }

    #[test]
    fn numbers_keep_what_matters() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (-1.5, "-1.5"),
            (123456.789, "123457"),
            (0.123456789, "0.123457"),
            (2.384e-7, "2.38e-7"),
            (1e-20, "1e-20"),
            (3e12, "3e12"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(plain(0.1f32.into()), "0.10000000149011612", "every digit");
        assert_eq!(plain(1e-20), "1e-20");
    }

    #[test]
    fn text_is_broken_at_spaces_only() {
        let long = "x".repeat(120);
        assert_eq!(wrap(&long, 0, 4), long);
        assert_eq!(wrap(&format!("a {long} b"), 2, 4), format!("a\n    {long}\n    b"));
        assert_eq!(wrap("one  two\nthree", 0, 0), "one two three");
    }

    #[test]
    fn long_lists_say_how_much_is_missing() {
        let items: Vec<String> = (1..=5).map(|i| i.to_string()).collect();
        assert_eq!(first_few(&items, 3), "1, 2, 3 and 2 more");
        assert_eq!(first_few(&items, 5), "1, 2, 3, 4, 5");
        assert_eq!(first_few(&[], 3), "");
    }
}
