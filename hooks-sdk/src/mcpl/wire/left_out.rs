//! Members that a peer may leave out: read with their defaults, and always written.

use serde::{Deserialize, Deserializer};

/// Reads `null` as the default; beside `#[serde(default)]`, which does so for an absent member.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
