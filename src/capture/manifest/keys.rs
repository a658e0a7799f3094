//! Keys that serde needs a word about: maps that may hold `extra`, defaults, and what is left out when written.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::abi::state::{Blend, BlendEquation};

/// A map of names to values that may hold an ignored `extra`, and no name twice.
pub(super) fn without_extra<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Names<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Names<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of names to values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut names = BTreeMap::new();
            while let Some(name) = map.next_key::<String>()? {
                if name == "extra" {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                let value = map.next_value()?;
                if names.insert(name.clone(), value).is_some() {
                    return Err(A::Error::custom(format!("duplicate field `{name}`")));
                }
            }
            Ok(names)
        }
    }

    deserializer.deserialize_map(Names(PhantomData))
}

/// A blend state that may hold an ignored `extra`.
pub(super) fn blend<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Blend>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        color: BlendEquation,
        alpha: BlendEquation,
        #[serde(default, rename = "extra")]
        _extra: Option<IgnoredAny>,
    }

    let entry = Option::<Entry>::deserialize(deserializer)?;
    Ok(entry.map(|Entry { color, alpha, .. }| Blend { color, alpha }))
}

pub(super) fn one() -> u64 {
    1
}

pub(super) fn one_u32() -> u32 {
    1
}

pub(super) fn is_one(n: &u64) -> bool {
    *n == 1
}

pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}
