//! The reading of a client's settings, for the checks of `doctor`.

use std::path::Path;

use serde_json::Value;

use super::{file, json, text::Text};

/// Returns the settings in a JSON file, with comments or without. `None` if there are none, or if they do not parse:
/// then the client does not read them either.
pub(in super::super) fn settings(file: &Path) -> Option<Value> {
    let content = file::read(file, file).ok()??;
    let text = Text::read(file, &content.bytes).ok()?;
    json::Json::parse(file, text.body).ok()?.root_value()
}
