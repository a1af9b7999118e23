//! A question to the user, and the user's answer.

use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{schema, secret_label::asks_for_secret};
use hooks_core::{HookError, internal::setters};

/// How long a user has to answer, unless the question sets another time.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest string in an answer, in characters.
const MAX_STRING: usize = 10_000;

/// A question to the user (document §5.1.3, `ElicitationRequest`).
///
/// The schema describes a flat object: strings, numbers, booleans and enumerations. A map of properties without
/// `type` and `properties` around it, as in the document's table (§5.3.3), counts as such an object with every property
/// required.
///
/// A plugin's configuration can hold a question: `question: { message: "Sure?", schema: { confirm: { type: boolean } } }`.
/// It is checked as [`asked`](Question::asked) does when it is read, so a wrong one is a mistake of the file. `timeout_seconds` is a whole
/// number of seconds, 30 unless it is written; `null` is the longest time that the server's settings allow.
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::plugin::Question;
///
/// let question = Question::confirm("Delete 3 notes?").timeout(Duration::from_secs(60));
/// assert_eq!(question.message, "Delete 3 notes?");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
#[non_exhaustive]
pub struct Question {
    /// What the user reads.
    pub message: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// How long the user has to answer. `None` means the longest time that the server's settings allow.
    #[serde(rename = "timeout_seconds", serialize_with = "as_seconds")]
    pub timeout: Option<Duration>,
    #[serde(skip_serializing_if = "is_false")]
    allows_secrets: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Writes whole seconds, of which the last may be a part.
fn as_seconds<S: Serializer>(timeout: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    let seconds = timeout.map(|it| it.as_secs() + u64::from(it.subsec_nanos() > 0));
    seconds.serialize(serializer)
}

/// A question as it is written down, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    message: String,
    schema: Value,
    #[serde(default = "default_timeout")]
    timeout_seconds: Option<u64>,
    #[serde(default)]
    allows_secrets: bool,
}

fn default_timeout() -> Option<u64> {
    Some(DEFAULT_TIMEOUT.as_secs())
}

impl TryFrom<Written> for Question {
    type Error = HookError;

    fn try_from(written: Written) -> Result<Question, HookError> {
        let question = Question {
            message: written.message,
            schema: written.schema,
            timeout: written.timeout_seconds.map(Duration::from_secs),
            allows_secrets: written.allows_secrets,
        };
        question.asked()?;
        Ok(question)
    }
}

impl Question {
    /// Creates a question that waits 30 s for its answer.
    pub fn new(message: impl Into<String>, schema: Value) -> Question {
        Question {
            message: message.into(),
            schema,
            timeout: Some(DEFAULT_TIMEOUT),
            allows_secrets: false,
        }
    }

    /// Creates a question that is answered by yes or no, in the field `confirm`.
    pub fn confirm(message: impl Into<String>) -> Question {
        Question::new(message, json!({"confirm": {"type": "boolean"}}))
    }

    setters! {
        /// Sets how long the user has to answer.
        fn timeout(mut self, timeout: Duration) { self.timeout = Some(timeout) }

        /// Allows fields whose name, title or description asks for a secret, such as `password` or "Your PIN".
        ///
        /// A client shows and stores an answer like any text, and MCP forbids servers to ask for secrets this way. A one-time
        /// code is no secret in this sense, and needs no permission.
        fn allow_secrets(mut self) { self.allows_secrets = true }
    }

    /// Returns the schema of the answer as an object schema.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the question: no message, a schema that is not flat, or a field that asks for a
    /// secret.
    pub fn asked(&self) -> Result<Asking, HookError> {
        if self.message.trim().is_empty() {
            return Err(HookError::new(
                "the question has no message; write what the user is asked",
            ));
        }
        let mut full = object(&self.schema)?;
        let properties = full.get_mut("properties").and_then(Value::as_object_mut);
        let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
            return Err(HookError::new(
                "the question has no field; name at least one property in its schema",
            ));
        };
        let mut sent = Map::new();
        for (name, property) in properties.iter_mut() {
            sent.insert(name.clone(), primitive(name, property)?);
            let property = property.as_object();
            let asks = property.and_then(|property| asks_for_secret(name, property));
            if let Some(part) = asks.filter(|_| !self.allows_secrets) {
                return Err(HookError::new(format!(
                    "the {part} of the field `{name}` asks for a secret; write another one if the field does not, or \
                     call `allow_secrets()`"
                )));
            }
        }
        // A member that is not in the question is refused.
        full.insert("additionalProperties".into(), json!(false));
        let mut wire = Map::new();
        wire.insert("type".into(), json!("object"));
        wire.insert("properties".into(), Value::Object(sent));
        if let Some(required) = full.get("required") {
            wire.insert("required".into(), required.clone());
        }
        Ok(Asking {
            full: Value::Object(full),
            sent: wire,
        })
    }
}

/// A checked question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Asking {
    /// The author's schema, as an object schema. The answer is validated against it.
    pub full: Value,
    /// The part of it that MCP lets a client see.
    pub sent: Map<String, Value>,
}

/// Returns the schema as the schema of an object.
fn object(schema: &Value) -> Result<Map<String, Value>, HookError> {
    let not_object = || HookError::new("the schema of a question is not an object");
    let schema = schema.as_object().ok_or_else(not_object)?;
    let is_schema = schema.get("type").is_some_and(Value::is_string)
        || schema.get("properties").is_some_and(Value::is_object);
    if is_schema {
        if schema.get("type").is_some_and(|word| word != "object") {
            return Err(not_object());
        }
        let mut schema = schema.clone();
        schema.insert("type".into(), json!("object"));
        return Ok(schema);
    }
    let required: Vec<&String> = schema.keys().collect();
    let object = json!({"type": "object", "required": required, "properties": schema});
    object.as_object().cloned().ok_or_else(not_object)
}

/// Adds the type that an enumeration lacks, and returns what MCP lets a client see.
fn primitive(name: &str, property: &mut Value) -> Result<Value, HookError> {
    let wrong = |what: &str| {
        HookError::new(format!(
            "the field `{name}` {what}; use a string, a number, an integer, a boolean, or an enumeration of strings"
        ))
    };
    let property = property
        .as_object_mut()
        .ok_or_else(|| wrong("is no schema"))?;
    if property.contains_key("enum") && !property.contains_key("type") {
        property.insert("type".into(), json!("string"));
    }
    let word = property.get("type").and_then(Value::as_str);
    let members: &[&str] = match word.ok_or_else(|| wrong("has no type"))? {
        "string" if property.contains_key("enum") => &["enum", "enumNames", "default"],
        "string" => &["minLength", "maxLength", "format", "default"],
        "number" | "integer" => &["minimum", "maximum", "default"],
        "boolean" => &["default"],
        "object" | "array" => return Err(wrong("is nested")),
        _ => return Err(wrong("has an unknown type")),
    };
    let kept = property.iter().filter(|(member, _)| {
        members.contains(&member.as_str())
            || matches!(member.as_str(), "type" | "title" | "description")
    });
    let mut sent: Map<String, Value> = kept.map(|(m, v)| (m.clone(), v.clone())).collect();
    if let Some(pattern) = property.get("pattern").and_then(Value::as_str) {
        let rule = format!("Format: {pattern}");
        let description = match sent.get("description").and_then(Value::as_str) {
            Some(description) => format!("{description} {rule}"),
            None => rule,
        };
        sent.insert("description".into(), json!(description));
    }
    Ok(Value::Object(sent))
}

/// What the user did (document §5.1.3).
///
/// ```
/// use hooks_sdk::plugin::{Action, ElicitationResponse};
///
/// assert!(!ElicitationResponse::new(Action::Decline).confirmed("confirm"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "MCP defines these three")]
pub enum Action {
    /// The user sent an answer.
    Accept,
    /// The user said no.
    Decline,
    /// The user closed the question.
    Cancel,
}

/// The user's answer (document §5.1.3, `ElicitationResponse`).
///
/// ```
/// use hooks_sdk::plugin::ElicitationResponse;
/// use serde_json::{Map, json};
///
/// let answer = ElicitationResponse::accept(Map::from_iter([("confirm".to_owned(), json!(true))]));
/// assert!(answer.confirmed("confirm"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ElicitationResponse {
    /// What the user did.
    pub action: Action,
    /// The fields of an accepted answer. They are data: strings are trimmed at their ends and never escaped for HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// A message of the user. MCP's answer has none, so it is absent unless a program that calls
    /// [`Chain::resume`](crate::Chain::resume) sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ElicitationResponse {
    /// Creates an answer without data.
    pub fn new(action: Action) -> ElicitationResponse {
        ElicitationResponse {
            action,
            data: None,
            message: None,
        }
    }

    /// Creates an accepted answer.
    pub fn accept(data: Map<String, Value>) -> ElicitationResponse {
        ElicitationResponse {
            data: Some(data),
            ..ElicitationResponse::new(Action::Accept)
        }
    }

    /// Returns whether the user accepted, and the field `name` is true.
    pub fn confirmed(&self, name: &str) -> bool {
        let data = self.data.as_ref().filter(|_| self.action == Action::Accept);
        data.and_then(|data| data.get(name)) == Some(&Value::Bool(true))
    }

    /// Trims the strings of an accepted answer, and checks the answer against the question: its members, their types,
    /// lengths and formats. A member that the question does not have is an error.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the answer.
    pub(crate) fn checked(mut self, question: &Asking) -> Result<ElicitationResponse, String> {
        if self.action != Action::Accept {
            self.data = None;
            return Ok(self);
        }
        let mut data = self.data.take().unwrap_or_default();
        for (name, value) in &mut data {
            if let Value::String(text) = value {
                if text.chars().nth(MAX_STRING).is_some() {
                    return Err(format!("`{name}` is longer than {MAX_STRING} characters"));
                }
                *text = text.trim().to_owned();
            }
        }
        let data = Value::Object(data);
        schema::validate_formats(&question.full, &data)?;
        if let Value::Object(data) = data {
            self.data = Some(data);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(schema: Value, data: Value) -> Result<Option<Map<String, Value>>, String> {
        let asking = Question::new("Please.", schema).asked().unwrap();
        let answer = ElicitationResponse::accept(data.as_object().cloned().unwrap());
        answer.checked(&asking).map(|answer| answer.data)
    }

    #[test]
    fn a_question_is_written_as_the_document_has_it() {
        let read = |text: &str| serde_json::from_str::<Question>(text);
        let question = |timeout: &str| {
            read(&format!(
                r#"{{"message": "Sure?", "schema": {{"confirm": {{"type": "boolean"}}}}{timeout}}}"#
            ))
        };
        for (timeout, seconds) in [
            ("", Some(30)),
            (r#", "timeout_seconds": 60"#, Some(60)),
            (r#", "timeout_seconds": null"#, None),
        ] {
            let question = question(timeout).unwrap();
            assert_eq!(question.timeout, seconds.map(Duration::from_secs));
            let written = json!({
                "message": "Sure?", "schema": {"confirm": {"type": "boolean"}}, "timeout_seconds": seconds,
            });
            assert_eq!(serde_json::to_value(&question).unwrap(), written);
        }
        for wrong in [r#""60s""#, "-1", "1.5", r#"{"secs": 1, "nanos": 0}"#] {
            question(&format!(r#", "timeout_seconds": {wrong}"#)).unwrap_err();
        }
        question(r#", "timeout": 60"#).unwrap_err();
        let short = Question::confirm("Sure?").timeout(Duration::from_millis(1_500));
        assert_eq!(serde_json::to_value(short).unwrap()["timeout_seconds"], 2);
    }

    #[test]
    fn a_format_is_checked() {
        let schema = json!({"mail": {"type": "string", "format": "email"}});
        assert!(checked(schema.clone(), json!({"mail": "ann@example.com"})).is_ok());
        assert!(checked(schema, json!({"mail": "nobody"})).is_err());
    }

    #[test]
    fn a_text_has_at_most_ten_thousand_characters() {
        let schema = json!({"note": {"type": "string"}});
        let of = |length: usize| json!({"note": "é".repeat(length)});
        assert!(checked(schema.clone(), of(10_000)).is_ok());
        assert!(checked(schema, of(10_001)).is_err());
    }
}
