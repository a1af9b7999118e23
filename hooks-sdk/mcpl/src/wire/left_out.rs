//! Members that the other side may omit: read as their defaults, and always written.

use serde::{Deserialize, Deserializer};

/// Reads `null` as the default. `#[serde(default)]` beside it handles an absent member.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
