//! `--where EXPR`: which draws a reader wants to see.
//!
//! ```text
//! pass=shadow and mesh~FC_* and not verdict=match
//! event>=40 and (count<100 or instances>1)
//! ```
//!
//! A comparison is a field, an operator and a value: `=` and `!=` compare whole values, `~` and `!~` match a glob,
//! `<`, `<=`, `>`, `>=` compare numbers. `not` binds tighter than `and`, `and` tighter than `or`. A value with spaces
//! or parentheses stands in quotes. Errors point at the column.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Compared as text.
    Text,
    /// Compared as a number.
    Number,
}

/// A field's value in one row.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// Text; empty where a row has none.
    Text(&'a str),
    /// A number.
    Number(u64),
}

/// Something with fields.
pub trait Row {
    /// Fields by name, in the order in which errors list them.
    const FIELDS: &'static [(&'static str, FieldKind)];

    /// The value of a field of [`Row::FIELDS`], by its place there.
    fn field(&self, place: usize) -> FieldValue<'_>;
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Filter(Node);

#[derive(Clone, Debug)]
enum Node {
    Or(Box<Self>, Box<Self>),
    And(Box<Self>, Box<Self>),
    Not(Box<Self>),
    Is(usize, Test),
}

#[derive(Clone, Debug)]
enum Test {
    Equal(String),
    Glob(GlobMatcher),
    Number(Order, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Why an expression cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    text: String,
    /// Characters before the fault.
    column: usize,
    found: String,
    expected: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "column {}: found {}; expected {}", self.column + 1, self.found, self.expected)?;
        writeln!(f, "  {}", self.text)?;
        write!(f, "  {:column$}^", "", column = self.column)
    }
}

impl std::error::Error for FilterError {}

impl Filter {
    /// Reads an expression over the fields of `R`.
    ///
    /// # Errors
    /// The first fault, with its column.
    pub fn parse<R: Row>(text: &str) -> Result<Self, FilterError> {
        let mut parser = Parser { text, tokens: tokens(text)?, at: 0, fields: R::FIELDS };
        let node = parser.or()?;
        match parser.peek() {
            None => Ok(Self(node)),
            Some(_) => Err(parser.fault("`and`, `or` or the end")),
        }
    }

    /// Whether a row is wanted. The row's type is that the expression was parsed for.
    pub fn matches<R: Row>(&self, row: &R) -> bool {
        self.0.holds(row)
    }
}

impl Node {
    fn holds<R: Row>(&self, row: &R) -> bool {
        match self {
            Self::Or(a, b) => a.holds(row) || b.holds(row),
            Self::And(a, b) => a.holds(row) && b.holds(row),
            Self::Not(inner) => !inner.holds(row),
            Self::Is(place, test) => match (test, row.field(*place)) {
                (Test::Equal(wanted), FieldValue::Text(text)) => wanted == text,
                (Test::Glob(glob), FieldValue::Text(text)) => glob.is_match(text),
                (Test::Glob(glob), FieldValue::Number(number)) => glob.is_match(number.to_string()),
                (Test::Number(order, wanted), FieldValue::Number(number)) => order.holds(number, *wanted),
                (Test::Equal(_), FieldValue::Number(_)) | (Test::Number(..), FieldValue::Text(_)) => false,
            },
        }
    }
}

impl Order {
    fn holds(self, a: u64, b: u64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Operator(&'static str),
    Word(String),
    Quoted(String),
}

/// The operators, longer before shorter.
const OPERATORS: [&str; 8] = ["!=", "!~", "<=", ">=", "=", "~", "<", ">"];

/// Tokens with the column each begins at.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, FilterError> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let begin = at;
        let rest = characters.get(at..).unwrap_or_default();
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        let operator = OPERATORS
            .into_iter()
            .find(|op| op.chars().zip(rest).all(|(a, b)| a == *b) && op.len() <= rest.len());
        let token = if let Some(operator) = operator {
            at += operator.len();
            Token::Operator(operator)
        } else if character == '(' || character == ')' {
            at += 1;
            if character == '(' { Token::Open } else { Token::Close }
        } else if character == '"' || character == '\'' {
            let Some(length) = rest.iter().skip(1).position(|c| *c == character) else {
                return Err(FilterError {
                    text: text.into(),
                    column: begin,
                    found: "a quotation that does not end".into(),
                    expected: format!("a closing {character}"),
                });
            };
            at += length + 2;
            Token::Quoted(rest.iter().skip(1).take(length).collect())
        } else {
            let ends = |c: &char| c.is_whitespace() || "()=!<>\"'".contains(*c);
            let length = rest.iter().position(ends).filter(|n| *n > 0);
            let length = length.unwrap_or(if ends(&character) { 1 } else { rest.len() });
            // A `~` ends a field's name, but a value may hold one.
            let after_operator = matches!(tokens.last(), Some((_, Token::Operator(_))));
            let word: String = rest.iter().take(length).collect();
            let word = match word.find('~').filter(|_| !after_operator) {
                Some(end) => word.get(..end).unwrap_or_default().to_owned(),
                None => word,
            };
            at += word.chars().count();
            Token::Word(word)
        };
        tokens.push((begin, token));
    }
    Ok(tokens)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token)>,
    at: usize,
    fields: &'static [(&'static str, FieldKind)],
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// A fault at the next token.
    fn fault(&self, expected: impl Into<String>) -> FilterError {
        let (column, found) = match self.tokens.get(self.at) {
            Some((column, token)) => (*column, format!("`{}`", token.spelling())),
            None => (self.text.chars().count(), "the end".to_owned()),
        };
        FilterError { text: self.text.into(), column, found, expected: expected.into() }
    }

    /// Takes a keyword, if it is next.
    fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn or(&mut self) -> Result<Node, FilterError> {
        let mut node = self.and()?;
        while self.keyword("or") {
            node = Node::Or(Box::new(node), Box::new(self.and()?));
        }
        Ok(node)
    }

    fn and(&mut self) -> Result<Node, FilterError> {
        let mut node = self.not()?;
        while self.keyword("and") {
            node = Node::And(Box::new(node), Box::new(self.not()?));
        }
        Ok(node)
    }

    fn not(&mut self) -> Result<Node, FilterError> {
        // A loop, so that no text is deep enough to overflow the stack by `not not not ...`.
        let mut negated = false;
        while self.keyword("not") {
            negated = !negated;
        }
        let node = if self.peek() == Some(&Token::Open) { self.parenthesised()? } else { self.comparison()? };
        Ok(if negated { Node::Not(Box::new(node)) } else { node })
    }

    fn parenthesised(&mut self) -> Result<Node, FilterError> {
        const DEPTH: usize = 64;
        let open = self.tokens.iter().take(self.at + 1).filter(|(_, t)| *t == Token::Open).count();
        let closed = self.tokens.iter().take(self.at).filter(|(_, t)| *t == Token::Close).count();
        if open.saturating_sub(closed) > DEPTH {
            return Err(self.fault(format!("at most {DEPTH} parentheses in each other")));
        }
        self.at += 1;
        let node = self.or()?;
        if self.peek() != Some(&Token::Close) {
            return Err(self.fault("`)`, `and` or `or`"));
        }
        self.at += 1;
        Ok(node)
    }

    fn comparison(&mut self) -> Result<Node, FilterError> {
        let names = || self.fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let Some(Token::Word(name)) = self.peek() else {
            return Err(self.fault(format!("a field ({})", names())));
        };
        let Some(place) = self.fields.iter().position(|(field, _)| field.eq_ignore_ascii_case(name)) else {
            return Err(self.fault(format!("a field ({})", names())));
        };
        let kind = self.fields.get(place).map_or(FieldKind::Text, |(_, kind)| *kind);
        self.at += 1;
        let Some(Token::Operator(operator)) = self.peek() else {
            return Err(self.fault(format!("one of {}", OPERATORS.join(" "))));
        };
        let operator = *operator;
        if kind == FieldKind::Text && matches!(operator, "<" | "<=" | ">" | ">=") {
            return Err(self.fault("= != ~ or !~: the field is text"));
        }
        self.at += 1;
        let value = match self.peek() {
            Some(Token::Word(value) | Token::Quoted(value)) => value.clone(),
            _ => return Err(self.fault("a value")),
        };
        let test = self.test(kind, operator, value)?;
        self.at += 1;
        let node = Node::Is(place, test);
        Ok(if operator.starts_with('!') { Node::Not(Box::new(node)) } else { node })
    }

    fn test(&self, kind: FieldKind, operator: &str, value: String) -> Result<Test, FilterError> {
        if operator.ends_with('~') {
            let glob = GlobBuilder::new(&value).literal_separator(false).build();
            return Ok(Test::Glob(
                glob.map_err(|e| self.fault(format!("a glob ({})", e.kind())))?.compile_matcher(),
            ));
        }
        if kind == FieldKind::Text {
            return Ok(Test::Equal(value));
        }
        let number = value.parse().map_err(|_| self.fault("a whole number: the field is one"))?;
        let order = match operator {
            "<" => Order::Less,
            "<=" => Order::LessEqual,
            ">" => Order::Greater,
            ">=" => Order::GreaterEqual,
            _ => Order::Equal,
        };
        Ok(Test::Number(order, number))
    }
}

impl Token {
    fn spelling(&self) -> &str {
        match self {
            Self::Open => "(",
            Self::Close => ")",
            Self::Operator(operator) => operator,
            Self::Word(word) | Self::Quoted(word) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing {
        event: u64,
        pass: &'static str,
        mesh: &'static str,
    }

    impl Row for Thing {
        const FIELDS: &'static [(&'static str, FieldKind)] =
            &[("event", FieldKind::Number), ("pass", FieldKind::Text), ("mesh", FieldKind::Text)];

        fn field(&self, place: usize) -> FieldValue<'_> {
            match place {
                0 => FieldValue::Number(self.event),
                1 => FieldValue::Text(self.pass),
                _ => FieldValue::Text(self.mesh),
            }
        }
    }

    const THINGS: [Thing; 4] = [
        Thing { event: 9, pass: "shadow", mesh: "FC_M_0200/0" },
        Thing { event: 40, pass: "gbuffer", mesh: "FC_M_0200/1" },
        Thing { event: 100, pass: "shadow", mesh: "BD_M_9040/4" },
        Thing { event: 101, pass: "the sky", mesh: "" },
    ];

    #[test]
    fn expressions_pick_rows() {
        let cases: [(&str, &[u64]); 19] = [
            ("event=40", &[40]),
            ("event>=40", &[40, 100, 101]),
            ("event>9 and event<=100", &[40, 100]),
            ("event!=40", &[9, 100, 101]),
            ("pass=shadow", &[9, 100]),
            ("pass!=shadow", &[40, 101]),
            ("mesh~FC_*", &[9, 40]),
            ("mesh~*/4", &[100]),
            ("mesh!~*_M_*", &[101]),
            ("event~10?", &[100, 101]),
            ("not pass=shadow", &[40, 101]),
            ("not not pass=shadow", &[9, 100]),
            ("pass=shadow and mesh~FC_* or event=101", &[9, 101]),
            ("pass=shadow and (mesh~FC_* or event=100)", &[9, 100]),
            ("event=101 or pass=shadow and mesh~BD*", &[100, 101]),
            ("not (pass=shadow or pass=gbuffer)", &[101]),
            ("pass=\"the sky\"", &[101]),
            ("  PASS = 'the sky'  AND  Event > 1 ", &[101]),
            ("mesh=\"\"", &[101]),
        ];
        for (text, events) in cases {
            let filter = Filter::parse::<Thing>(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let found: Vec<u64> = THINGS.iter().filter(|t| filter.matches(*t)).map(|t| t.event).collect();
            assert_eq!(found, events, "{text}");
        }
    }

    #[test]
    fn faults_point_at_their_column() {
        let cases = [
            ("", 0, "found the end; expected a field (event, pass, mesh)"),
            ("colour=red", 0, "found `colour`"),
            ("pass", 4, "found the end; expected one of"),
            ("pass shadow", 5, "found `shadow`; expected one of"),
            ("pass=", 5, "found the end; expected a value"),
            ("pass=shadow event=1", 12, "found `event`; expected `and`, `or` or the end"),
            ("pass=shadow and", 15, "found the end; expected a field"),
            ("(pass=shadow", 12, "found the end; expected `)`"),
            ("pass=shadow)", 11, "found `)`"),
            ("event>=forty", 7, "expected a whole number"),
            ("event=-1", 6, "expected a whole number"),
            ("pass>shadow", 4, "the field is text"),
            ("mesh~[", 5, "expected a glob"),
            ("pass=\"open", 5, "a quotation that does not end"),
            ("Märchen=1", 0, "found `Märchen`"),
            ("pass=ö and x=1", 11, "found `x`"),
            ("pass!shadow", 4, "found `!`"),
            ("and", 0, "found `and`"),
        ];
        for (text, column, message) in cases {
            let fault = Filter::parse::<Thing>(text).expect_err(text);
            assert_eq!(fault.column, column, "{text}: {fault}");
            assert!(fault.to_string().contains(message), "{text}: {fault}");
        }
        let shown = Filter::parse::<Thing>("pass=a or b=1").unwrap_err().to_string();
        assert_eq!(
            shown,
            "column 11: found `b`; expected a field (event, pass, mesh)\n  pass=a or b=1\n            ^"
        );
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |n: usize| format!("{}event=1{}", "(".repeat(n), ")".repeat(n));
        assert!(Filter::parse::<Thing>(&deep(64)).is_ok());
        assert!(Filter::parse::<Thing>(&deep(65)).is_err());
        assert!(Filter::parse::<Thing>(&deep(100_000)).is_err());
        assert!(Filter::parse::<Thing>(&format!("{}event=1", "not ".repeat(100_000))).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-z =~<>!()\"'*\\[{]{0,24}|\\PC{0,16}") {
            if let Ok(filter) = Filter::parse::<Thing>(&text) {
                THINGS.iter().for_each(|t| { filter.matches(t); });
            }
        }
    }
}
