//! The definition that a front matter contains.

use hooks_text::{Declaration, Fault, declaration};
use serde_json::Value;

use super::HookInput;
use crate::BuildError;

/// Makes a problem of the server from a file's fault.
pub(super) fn in_file(fault: Fault, file: &str) -> BuildError {
    let message = format!("{file}:{}: {}", fault.line, fault.message);
    BuildError::new(None, message, fault.help)
}

/// Reads the hook that the file `name` declares.
pub(super) fn hook(name: &str, text: &str) -> Result<HookInput, Vec<Fault>> {
    let mut declared = declaration(name, text);
    let faults = std::mem::take(&mut declared.faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    // A file in which nothing is wrong has the keys that every hook needs.
    input(name, &declared).ok_or_else(|| vec![Fault::new(1, "this is no hook", "write it anew")])
}

fn input(name: &str, declared: &Declaration<'_>) -> Option<HookInput> {
    let one = |key| declared.one(key).map(str::to_owned);
    let several = |key| {
        let values = declared.several(key)?.map(str::to_owned);
        Some(values.collect::<Vec<_>>())
    };
    let flag = |key| declared.one(key) == Some("true");
    let level = declared.one("requirement")?.replace('_', " ");
    let mut input = HookInput::new(
        declared.one("type")?.parse().ok()?,
        declared.one("lifecycle")?.parse().ok()?,
        one("tag")?,
        one("name")?,
        level.parse().ok()?,
    );
    if let Some(storage) = several("storage") {
        input = input.requires_storage(storage);
    }
    if let Some(features) = declared.several("features") {
        input = input.requires_features(features.filter_map(|word| word.parse().ok()));
    }
    if let Some(config) = declared.settings("config") {
        let config = config.map(|(name, value)| (name.to_owned(), json(value)));
        input = input.requires_config(config.collect());
    }
    input.app = one("app").map(Into::into);
    input.priority = declared
        .one("priority")
        .and_then(|number| number.parse().ok());
    input.description = one("description").map(Into::into);
    input.tool = one("tool").map(Into::into);
    let input = input
        .tags(several("tags").unwrap_or_default())
        .blocking(flag("blocking"))
        .required(flag("required"))
        .dependencies(several("dependencies").unwrap_or_default());
    Some(input.text(declared.text).content_file(name.to_owned()))
}

/// Reads a value of the configuration: JSON, or otherwise a text.
fn json(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use hooks_text::KEYS;

    use crate::guidance::{HookType, Lifecycle, McpFeature, RequirementLevel};

    #[test]
    fn messages_name_the_words_that_are_read() {
        for (key, words) in [
            ("type", HookType::WORDS),
            ("lifecycle", Lifecycle::WORDS),
            ("requirement", RequirementLevel::WORDS),
            ("features", McpFeature::WORDS),
        ] {
            let key = KEYS.iter().find(|known| known.name == key).unwrap();
            assert_eq!(key.words, words, "{}", key.name);
        }
    }
}
