//! The reading of a client's settings, for the checks of `doctor`.

use std::path::Path;

use serde_json::Value;

use super::{file, json::Json, servers::Format, text::Text, toml::Toml};

/// Returns the settings in a file of JSON, with comments or without, or of TOML. `None` if there are none, or if they do not
/// parse: then the client does not read them either.
pub(in super::super) fn settings(file: &Path) -> Option<Value> {
    let content = file::read(file, file).ok()??;
    let text = Text::read(file, &content.bytes).ok()?;
    match Format::of(file) {
        Format::Json => Json::parse(file, text.body).ok()?.value(),
        Format::Toml => Some(Toml::parse(file, text.body).ok()?.value()),
    }
}

/// Returns the names in a table of a TOML file.
pub(in super::super) fn toml_names(file: &Path, table: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let document = toml_edit::Document::parse(text).ok();
    let table = document
        .as_ref()
        .and_then(|it| it.get(table)?.as_table_like());
    let names = table.into_iter().flat_map(|table| table.iter());
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Returns whether a TOML file has this truth value at a path of two names.
pub(in super::super) fn has_toml(file: &Path, path: [&str; 2], value: bool) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(document) = toml_edit::Document::parse(text) else {
        return false;
    };
    let table = document.get(path[0]).and_then(|table| table.get(path[1]));
    table.and_then(toml_edit::Item::as_bool) == Some(value)
}
