//! Changes of what the server declares.

use serde_json::{Map, Value, json};

use crate::{
    mcpl::wire::{FeatureSetsChanged, ManifestChanged},
    testing::mcpl::shared::SharedHost,
};
use serde::Deserialize;

/// Adds and removes feature sets (MCPL 0.4.1 §6.7).
pub(super) fn changed(shared: &SharedHost, params: &Value) -> Result<(), String> {
    let change = FeatureSetsChanged::deserialize(params).map_err(|error| error.to_string())?;
    let added = change.added.unwrap_or_default().into_iter();
    let added: Map<_, _> = added.map(|(name, set)| (name, json!(set))).collect();
    let removed = change.removed.unwrap_or_default();
    shared.state().gate.change(added, &removed);
    Ok(())
}

/// Sees whether the announcement is one; the manifest is read besides.
pub(super) fn manifest_changed(params: &Value) -> Result<(), String> {
    let read = ManifestChanged::deserialize(params);
    read.map(drop).map_err(|error| error.to_string())
}
