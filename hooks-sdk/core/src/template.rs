//! Substitutes `{variables}` in one pass: an inserted value is never expanded again.

use std::borrow::Cow;

use hooks_text::variables;
use serde_json::{Map, Value};

/// Replaces each `{word}` of `text` for which `value` returns a value. Every other one stays as it is.
pub(crate) fn substitute<'t, 'v>(
    text: &'t str,
    value: impl Fn(&str) -> Option<Cow<'v, str>>,
) -> Cow<'t, str> {
    let mut out = String::new();
    let mut copied = 0;
    for variable in variables(text) {
        if let Some(value) = value(variable.name) {
            out.push_str(&text[copied..variable.start]);
            out.push_str(&value);
            copied = variable.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Replaces variables in every string value of `object`, at any depth. Keys and other types stay as they are.
pub(crate) fn substitute_object<'v>(
    object: &Map<String, Value>,
    value: &dyn Fn(&str) -> Option<Cow<'v, str>>,
) -> Map<String, Value> {
    object
        .iter()
        .map(|(key, item)| (key.clone(), substitute_value(item, value)))
        .collect()
}

fn substitute_value<'v>(item: &Value, value: &dyn Fn(&str) -> Option<Cow<'v, str>>) -> Value {
    match item {
        Value::String(text) => Value::String(substitute(text, value).into_owned()),
        Value::Array(items) => items
            .iter()
            .map(|item| substitute_value(item, value))
            .collect(),
        Value::Object(object) => Value::Object(substitute_object(object, value)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(name: &str) -> Option<Cow<'static, str>> {
        match name {
            "tool_output" => Some("{session_id}".into()),
            "session_id" => Some("s1".into()),
            _ => None,
        }
    }

    #[test]
    fn what_is_put_in_is_not_expanded_again() {
        assert_eq!(
            substitute("[{tool_output}] {session_id}", value),
            "[{session_id}] s1"
        );
    }

    #[test]
    fn unknown_words_and_loose_braces_stay() {
        for text in [
            "{nobody} {",
            "}{ {}",
            "{{session}}",
            "plain",
            "{session_id",
            "{Session-Id}",
        ] {
            assert_eq!(substitute(text, value), text);
        }
        assert_eq!(substitute("{{session_id}}", value), "{s1}");
        assert_eq!(substitute("é{session_id}é", value), "és1é");
    }

    #[test]
    fn strings_at_any_depth_and_nothing_else() {
        let args = json!({"{session_id}": ["{session_id}", 1, {"a": "{session_id}!"}], "n": null});
        let Value::Object(args) = args else {
            unreachable!()
        };
        assert_eq!(
            Value::Object(substitute_object(&args, &value)),
            json!({"{session_id}": ["s1", 1, {"a": "s1!"}], "n": null})
        );
    }
}
