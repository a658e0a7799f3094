//! `capture.toml`: identity, stand-ins, tolerances, expectations.

use std::collections::BTreeMap;
use std::fmt;

use crate::finding::DumpKind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::BlobHash;
use super::keys::without_extra;

/// `capture.toml`: what a person may edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureFile {
    /// Must be [`FORMAT`](super::FORMAT).
    pub format: String,
    /// What the set shows.
    pub title: String,
    /// Whose documents its claims come from.
    pub game: Game,
    /// Whether the frames are known to follow one another.
    #[serde(default)]
    pub consecutive: bool,
    /// Where the set comes from.
    pub source: Source,
    /// Which shader stands in for which captured program; the first match wins.
    #[serde(default, rename = "program", skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramRule>,
    /// How dumps are compared; the first match wins, then the documented defaults.
    #[serde(default, rename = "tolerance", skip_serializing_if = "Vec::is_empty")]
    pub tolerances: Vec<Tolerance>,
    /// What this set must show.
    #[serde(default, rename = "expect", skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expectation>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// The games whose engines the documents describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Game {
    /// Direct3D 11.
    Sekiro,
    /// Direct3D 12.
    EldenRing,
}

/// `[source]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Made by arithmetic, or recorded from a running program.
    pub kind: SourceKind,
    /// The command or tool that made the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_with: Option<String>,
    /// Version of the recording tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// API driver of the recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// What the recorder could not know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_known: Vec<String>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// How a set came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Computed.
    Synthetic,
    /// Recorded by RenderDoc.
    Renderdoc,
}

/// `[[program]]`: a stand-in for captured programs, matched by name (a glob) or by hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRule {
    /// Glob over program names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of the captured bytecode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<BlobHash>,
    /// A shader of this project, `captured`, or a path inside the set to `.hlsl` or `.spv`.
    pub shader: String,
    /// Recorded output semantics -> the stand-in's.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// Captured attachment names -> the stand-in's.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
    /// Registers (`b5`, `t3`) -> names the capture lost.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, String>,
    /// Input registers (`v0`) -> semantics the capture lost.
    #[serde(default, deserialize_with = "without_extra", skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

impl ProgramRule {
    /// The path inside the set, where `shader` is one: what ends in `.hlsl` or `.spv`.
    pub fn shader_path(&self) -> Option<&str> {
        let path = self.shader.as_str();
        (path.ends_with(".hlsl") || path.ends_with(".spv")).then_some(path)
    }
}

/// `[[tolerance]]`: a value passes if any of `abs`, `rel`, `ulp` admits it. A missing number admits nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The dumps meant.
    pub dump: DumpKind,
    /// Glob over the semantic, target, pass or buffer name.
    pub name: String,
    /// |a - b| <= abs.
    #[serde(default)]
    pub abs: f64,
    /// |a - b| <= rel * max(|a|, |b|); positions in clip space by the vector's largest component.
    #[serde(default)]
    pub rel: f64,
    /// Distance in units of the last place.
    #[serde(default)]
    pub ulp: u64,
    /// Images only: the share of covered pixels allowed to miss near a triangle's edge.
    #[serde(default)]
    pub outliers: f64,
    /// Ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<toml::Value>,
}

/// `[[expect]]`: the figures a claim must show in this set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The claim's id.
    pub claim: String,
    /// The frame the figures are of; all frames together without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Figure name -> number, string or `[least, greatest]`.
    #[serde(flatten, deserialize_with = "figures")]
    pub figures: BTreeMap<String, Expected>,
}

/// The value an expectation states.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// Exactly this number.
    Number(f64),
    /// A number in this closed range.
    Range([f64; 2]),
    /// Exactly this text.
    Text(String),
}

/// Figures by name; serde alone would not say which one is wrong.
fn figures<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Expected>, D::Error> {
    let figure = |(name, value): (String, toml::Value)| match Expected::deserialize(value.clone()) {
        Ok(expected) => Ok((name, expected)),
        Err(_) => Err(D::Error::custom(format!(
            "`{name} = {value}`; expected a number, a text or a range [least, greatest]"
        ))),
    };
    without_extra(deserializer)?.into_iter().map(figure).collect()
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Range([least, greatest]) => write!(f, "[{least}, {greatest}]"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Whole numbers are written without a fraction, as people write counts.
impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Number(f64);

        impl Serialize for Number {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let whole = self.0 as i64;
                let same = whole as f64 == self.0 && whole.unsigned_abs() < 1 << 53;
                if same { serializer.serialize_i64(whole) } else { serializer.serialize_f64(self.0) }
            }
        }

        match self {
            Self::Number(n) => Number(*n).serialize(serializer),
            Self::Range(range) => range.map(Number).serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}
