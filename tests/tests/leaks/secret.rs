//! The secrets of this property, the forms in which a server sends them, and the search for them in what leaves.

use serde_json::{Value, json};

/// A secret that each policy of these tests finds by its shape.
pub(crate) const SHAPED: &str = "ghp_a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2";

/// A secret that is one because of its name only.
pub(crate) const NAMED: &str = "YWJjMTIzZGVmNDU2Z2hpNzg5amts";

/// What an item that is hidden answers with.
pub(crate) const HIDDEN: &str = "shown although it is hidden";

/// A handle that a tool or an upstream server would give to the client.
pub(crate) const HANDLE: &str = "a handle that nobody minted";

const ALL: [&str; 4] = [SHAPED, NAMED, HIDDEN, HANDLE];

/// How many times JSON may lie in the text of JSON.
const DEPTH: usize = 6;

/// How a secret is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// No secret: the answer is to arrive.
    Harmless,
    Plain,
    /// In the text of JSON, behind an escaped line break.
    AfterBreak,
    /// In the text of JSON, behind an escaped tab.
    AfterTab,
    /// In the text of JSON, with an escaped letter.
    Escaped,
    /// In the text of JSON in the text of JSON.
    Nested,
    /// As the value of a member whose name says that it is one.
    Named,
}

impl Form {
    pub(crate) const ALL: [Form; 7] = [
        Form::Harmless,
        Form::Plain,
        Form::AfterBreak,
        Form::AfterTab,
        Form::Escaped,
        Form::Nested,
        Form::Named,
    ];

    /// The secret as a text.
    pub(crate) fn text(self) -> String {
        match self {
            Form::Harmless => "nothing to hide".to_owned(),
            Form::Plain => format!("the token is {SHAPED}"),
            Form::AfterBreak => json!({"log": format!("x\n{SHAPED}")}).to_string(),
            Form::AfterTab => json!({"log": format!("x\t{SHAPED}\r")}).to_string(),
            Form::Escaped => format!(r#"{{"log":"\u0067{}"}}"#, &SHAPED[1..]),
            Form::Nested => json!({"log": Form::AfterBreak.text()}).to_string(),
            Form::Named => json!({"apiKey": NAMED}).to_string(),
        }
    }

    /// The secret as a value.
    pub(crate) fn value(self) -> Value {
        match self {
            Form::Named => json!({"apiKey": NAMED}),
            Form::AfterBreak => json!({"log": format!("x\n{SHAPED}")}),
            other => json!({"log": other.text()}),
        }
    }
}

/// Returns whether bytes have a secret, as they are or in any text of their JSON.
pub(crate) fn in_bytes(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    in_text(&text, DEPTH)
        || text.lines().any(|line| {
            let line = line.strip_prefix("data:").unwrap_or(line).trim();
            in_text(line, DEPTH)
        })
}

/// Returns whether a value has a secret.
pub(crate) fn in_value(value: &Value) -> bool {
    within(value, DEPTH)
}

fn in_text(text: &str, depth: usize) -> bool {
    ALL.iter().any(|secret| text.contains(secret))
        || depth > 0
            && text.starts_with(['{', '[', '"'])
            && serde_json::from_str::<Value>(text).is_ok_and(|value| within(&value, depth - 1))
}

fn within(value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => in_text(text, depth),
        Value::Array(items) => items.iter().any(|item| within(item, depth)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| in_text(name, depth) || within(value, depth)),
        _ => false,
    }
}

/// Returns the value with each secret replaced, wherever it is.
pub(crate) fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) => mask(text).into(),
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (mask(name), masked(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

fn mask(text: &str) -> String {
    if !in_text(text, DEPTH) {
        return text.to_owned();
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) if text.starts_with(['{', '[', '"']) => masked(&value).to_string(),
        _ => ALL.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret, "[masked]")
        }),
    }
}

#[test]
fn each_form_of_a_secret_is_found_and_masked() {
    for form in Form::ALL {
        let is_secret = form != Form::Harmless;
        for value in [json!({"text": form.text()}), json!({"a": [form.value()]})] {
            assert_eq!(
                in_bytes(value.to_string().as_bytes()),
                is_secret,
                "{form:?}"
            );
            assert!(!in_value(&masked(&value)), "{form:?}");
        }
    }
}
