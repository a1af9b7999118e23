//! What is added to a TOML text.

use serde_json::Value;
use toml_edit::Key;

pub(super) fn key(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

/// A table with a header of its own.
pub(super) fn block(path: &[String], name: &str, value: &Value, newline: &str) -> String {
    let names = path.iter().map(String::as_str).chain([name]);
    let header: Vec<String> = names.map(key).collect();
    let mut text = format!("[{}]{newline}", header.join("."));
    for (name, value) in value.as_object().into_iter().flatten() {
        if !value.is_null() {
            text.push_str(&format!("{} = {}{newline}", key(name), inline(value)));
        }
    }
    text
}

pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(inline).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            let members: Vec<String> = members
                .map(|(name, value)| format!("{} = {}", key(name), inline(value)))
                .collect();
            if members.is_empty() {
                return "{}".to_owned();
            }
            format!("{{ {} }}", members.join(", "))
        }
        Value::String(text) => toml_edit::Value::from(text).to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.to_string(),
            None => toml_edit::Value::from(number.as_f64().unwrap_or(f64::NAN)).to_string(),
        },
        Value::Bool(boolean) => boolean.to_string(),
        // TOML has none; a list keeps its length.
        Value::Null => "''".to_owned(),
    }
}
