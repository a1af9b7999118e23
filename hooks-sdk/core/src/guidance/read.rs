//! Reading a definition from the document's JSON.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::{
    Conditions, HookInput, InvalidHook,
    issue::{Issue, PathSegment},
    rule,
    vocabulary::UnknownWord,
};
use crate::Problem;

impl TryFrom<&Value> for HookInput {
    type Error = InvalidHook;

    /// Reads the document's camelCase members. Other members are ignored, and `null` counts as absent.
    ///
    /// # Errors
    ///
    /// Every member that is missing, of the wrong type, or breaks a rule.
    fn try_from(value: &Value) -> Result<HookInput, InvalidHook> {
        let mut issues = Vec::new();
        let members = MemberReader::of(value, Vec::new(), &mut issues);
        let input = members.and_then(|mut members| members.input());
        InvalidHook::check(issues)?;
        // Without an issue, every required member is present.
        input.ok_or_else(unreadable)
    }
}

fn unreadable() -> InvalidHook {
    let issues = vec![Issue::new(&[], "the definition cannot be read")];
    InvalidHook::check(issues).expect_err("one issue")
}

impl<'de> Deserialize<'de> for HookInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HookInput, D::Error> {
        let value = Value::deserialize(deserializer)?;
        HookInput::try_from(&value).map_err(de::Error::custom)
    }
}

/// Reads the members of an object one by one, and collects an issue for each wrong member.
struct MemberReader<'v, 'i> {
    object: &'v Map<String, Value>,
    path: Vec<PathSegment>,
    issues: &'i mut Vec<Issue>,
}

impl<'v, 'i> MemberReader<'v, 'i> {
    fn of(
        value: &'v Value,
        path: Vec<PathSegment>,
        issues: &'i mut Vec<Issue>,
    ) -> Option<MemberReader<'v, 'i>> {
        match value {
            Value::Object(object) => Some(MemberReader {
                object,
                path,
                issues,
            }),
            other => {
                issues.push(Issue::new(&path, expected("an object", other)));
                None
            }
        }
    }

    fn input(&mut self) -> Option<HookInput> {
        let app = self.optional("app", |value| text_with(value, rule::app));
        let tag = self.required("tag", |value| text_with(value, rule::tag));
        let hook_type = self.required("type", word);
        let lifecycle = self.required("lifecycle", word);
        let name = self.required("name", |value| text_with(value, rule::name));
        let description = self.optional("description", text);
        let requirement_level = self.required("requirementLevel", word);
        let priority = self.optional("priority", integer);
        let content_file = self.optional("contentFile", text);
        let conditions = self.conditions();
        let session_id = self.optional("sessionId", text);
        let request_id = self.optional("requestId", text);
        let tags = self.list("tags", text);
        let blocking = self.optional("blocking", boolean);
        let dependencies = self.list("dependencies", text);
        Some(HookInput {
            app,
            description,
            priority,
            content_file,
            conditions,
            request_id,
            session_id,
            tags: tags.unwrap_or_default(),
            blocking: blocking.unwrap_or_default(),
            dependencies: dependencies.unwrap_or_default(),
            ..HookInput::new(hook_type?, lifecycle?, tag?, name?, requirement_level?)
        })
    }

    fn conditions(&mut self) -> Option<Conditions> {
        let value = self.object.get("conditions")?;
        let mut members = MemberReader::of(value, self.below("conditions"), self.issues)?;
        Some(Conditions {
            requires_storage: members.list("requiresStorage", text),
            requires_features: members.list("requiresFeatures", word),
            requires_config: members.optional("requiresConfig", object),
        })
    }

    fn required<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Option<T> {
        if !self.object.contains_key(key) {
            self.issues
                .push(Issue::new(&self.below(key), "it is missing"));
        }
        self.optional(key, read)
    }

    fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Option<T> {
        match read(self.object.get(key)?) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.issues.push(Issue::new(&self.below(key), problem));
                None
            }
        }
    }

    fn list<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Option<Vec<T>> {
        let path = self.below(key);
        let Value::Array(items) = self.object.get(key)? else {
            let problem = expected("an array", &self.object[key]);
            self.issues.push(Issue::new(&path, problem));
            return None;
        };
        let mut list = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match read(item) {
                Ok(item) => list.push(item),
                Err(problem) => {
                    let path = [&path[..], &[at.into()]].concat();
                    self.issues.push(Issue::new(&path, problem));
                }
            }
        }
        Some(list)
    }

    fn below(&self, key: &'static str) -> Vec<PathSegment> {
        [&self.path[..], &[key.into()]].concat()
    }
}

fn expected(what: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("expected {what}, found {found}")
}

fn text(value: &Value) -> Result<Cow<'static, str>, String> {
    match value {
        Value::String(text) => Ok(text.clone().into()),
        other => Err(expected("a string", other)),
    }
}

fn text_with(
    value: &Value,
    rule: fn(&str) -> Option<Problem>,
) -> Result<Cow<'static, str>, String> {
    let text = text(value)?;
    rule(&text).map_or(Ok(text), |rule| Err(rule.to_string()))
}

fn word<T: std::str::FromStr<Err = UnknownWord>>(value: &Value) -> Result<T, String> {
    text(value)?
        .parse()
        .map_err(|problem: UnknownWord| problem.to_string())
}

fn boolean(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| expected("a boolean", value))
}

fn object(value: &Value) -> Result<Map<String, Value>, String> {
    value
        .as_object()
        .cloned()
        .ok_or_else(|| expected("an object", value))
}

fn integer(value: &Value) -> Result<i64, String> {
    let Value::Number(number) = value else {
        return Err(expected("an integer", value));
    };
    // JSON has one kind of number: `50.0` is the integer 50.
    let whole = number.as_f64().filter(|number| number.fract() == 0.0);
    let near = whole.filter(|number| number.abs() < i64::MAX as f64);
    let integer = number.as_i64().or_else(|| near.map(|number| number as i64));
    integer.ok_or_else(|| format!("`{number}` is no integer of 64 bits"))
}
