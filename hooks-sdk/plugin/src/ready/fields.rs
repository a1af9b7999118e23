//! `fields`: masks members of structured results for users without the role to see them.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use super::{
    super::{GlobalContext, PluginContext, ToolResult},
    globs::Globs,
};
use hooks_core::{HookError, Verdict};

/// The text that replaces a masked text.
const MASK: &str = "[MASKED]";
/// The shortest masked value that is looked for in plain texts, in bytes; `0` and `no` are everywhere.
const SHORTEST: usize = 3;

/// Masks members of structured results for users without the role to see them.
///
/// ```yaml
/// kind: fields
/// config:
///   tools: ["get_employee*"]
///   roles: { payroll: ["*@payroll.example.org"] }
///   mask:
///     - fields: ["employees[*].salary", "account.iban"]
///       roles: [payroll]
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::Fields;
///
/// let fields = Fields::new()
///     .role("payroll", "*@payroll.example.org")
///     .mask("employees[*].salary", &["payroll"])?;
/// # Ok::<(), hooks_sdk::core::HookError>(())
/// ```
///
/// A user has the roles whose globs match the user's name, and those that a hook before put into `roles` of the shared
/// metadata, as a list of texts. A request without a user has no role from globs. A masked text becomes `[MASKED]`,
/// everything else `null`; with `remove: true` the member is removed. If the tool's `outputSchema` does not allow this,
/// the answer is withheld.
///
/// A path is `member.member`, and `[*]` for each item of a list; a list without it means each item as well. Text content
/// that is JSON is masked alike. In other text content, the masked values are replaced where they occur; words that say
/// them otherwise stay.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    tools: Globs,
    roles: BTreeMap<String, Globs>,
    mask: Vec<Mask>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mask {
    fields: Vec<Path>,
    /// The roles that see the fields.
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    remove: bool,
}

/// The members on the way to a field. Items of lists need no step.
#[derive(Clone, Debug)]
struct Path(Vec<String>);

impl Fields {
    /// Creates a plugin that masks nothing.
    pub fn new() -> Fields {
        Fields::default()
    }

    /// Limits the plugin to the tools that match a glob.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn tool(mut self, glob: &str) -> Fields {
        self.tools.add(glob);
        self
    }

    /// Gives a role to the users that match a glob.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn role(mut self, role: impl Into<String>, users: &str) -> Fields {
        self.roles.entry(role.into()).or_default().add(users);
        self
    }

    /// Masks a field for everybody without one of these roles.
    ///
    /// # Errors
    ///
    /// The path is malformed.
    pub fn mask(self, field: &str, roles: &[&str]) -> Result<Fields, HookError> {
        self.hide(field, roles, false)
    }

    /// As [`mask`](Fields::mask), but removes the member.
    ///
    /// # Errors
    ///
    /// The path is malformed.
    pub fn remove(self, field: &str, roles: &[&str]) -> Result<Fields, HookError> {
        self.hide(field, roles, true)
    }

    fn hide(mut self, field: &str, roles: &[&str], remove: bool) -> Result<Fields, HookError> {
        self.mask.push(Mask {
            fields: vec![Path::parse(field).map_err(HookError::new)?],
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            remove,
        });
        Ok(self)
    }

    fn has(&self, role: &str, global: &GlobalContext) -> bool {
        let users = self.roles.get(role);
        let by_name = users.is_some_and(|users| {
            global
                .user
                .as_deref()
                .is_some_and(|user| users.matches(user))
        });
        let given = global.metadata.get("roles").and_then(Value::as_array);
        by_name || given.is_some_and(|roles| roles.iter().any(|given| given.as_str() == Some(role)))
    }

    fn check(
        &self,
        answer: &ToolResult,
        cx: &PluginContext,
    ) -> Result<Verdict<ToolResult>, HookError> {
        let sees = |mask: &Mask| mask.roles.iter().any(|role| self.has(role, &cx.global));
        let hidden: Vec<&Mask> = self.mask.iter().filter(|mask| !sees(mask)).collect();
        if hidden.is_empty() || !self.tools.admits(&answer.name) {
            return Ok(Verdict::Allow);
        }
        let mut result = answer.result.clone();
        let mut values = Vec::new();
        let mut apply = |value: &mut Value| {
            for mask in &hidden {
                for path in &mask.fields {
                    hide(value, &path.0, mask.remove, &mut values);
                }
            }
        };
        if let Some(structured) = result.get_mut("structuredContent") {
            apply(structured);
        }
        let blocks = result.get_mut("content").and_then(Value::as_array_mut);
        let mut plain = Vec::new();
        for block in blocks.into_iter().flatten() {
            let text = match block.get("resource") {
                Some(_) => block.pointer_mut("/resource/text"),
                None => block.get_mut("text"),
            };
            let Some(Value::String(text)) = text else {
                continue;
            };
            match serde_json::from_str::<Value>(text) {
                Ok(mut value) if value.is_object() || value.is_array() => {
                    let before = value.clone();
                    apply(&mut value);
                    if value != before {
                        *text = value.to_string();
                    }
                }
                _ => plain.push(text),
            }
        }
        replace(plain, values)?;
        if result == answer.result {
            return Ok(Verdict::Allow);
        }
        Ok(Verdict::Modify(ToolResult {
            name: answer.name.clone(),
            result,
        }))
    }
}

/// Masks what a path leads to, and notes the values that were there.
fn hide(value: &mut Value, path: &[String], remove: bool, values: &mut Vec<String>) {
    let Some((member, rest)) = path.split_first() else {
        note(value, values);
        *value = match value {
            Value::String(_) => MASK.into(),
            _ => Value::Null,
        };
        return;
    };
    match value {
        // Items of lists in each other come one level at a time; a list is as deep as the author's own result.
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| hide(item, path, remove, values)),
        Value::Object(members) if rest.is_empty() && remove => {
            if let Some(removed) = members.remove(member) {
                note(&removed, values);
            }
        }
        Value::Object(members) => {
            if let Some(value) = members.get_mut(member) {
                hide(value, rest, remove, values);
            }
        }
        _ => {}
    }
}

/// Notes the texts and numbers within a value.
fn note(value: &Value, values: &mut Vec<String>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => values.push(text.clone()),
            Value::Number(number) => values.push(number.to_string()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// Replaces the masked values in plain texts.
fn replace(texts: Vec<&mut String>, mut values: Vec<String>) -> Result<(), HookError> {
    values.retain(|value| value.len() >= SHORTEST && value != MASK);
    if values.is_empty() || texts.is_empty() {
        return Ok(());
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&values)?;
    let masks = vec![MASK; values.len()];
    for text in texts {
        *text = automaton.replace_all(text, &masks);
    }
    Ok(())
}

impl Path {
    fn parse(text: &str) -> Result<Path, String> {
        let steps = text.split('.').map(|step| step.replace("[*]", ""));
        let steps: Vec<String> = steps
            .enumerate()
            .filter(|(at, step)| *at > 0 || !step.is_empty())
            .map(|(_, step)| step)
            .collect();
        if steps.is_empty()
            || steps
                .iter()
                .any(|step| step.is_empty() || step.contains(['[', ']', '*']))
        {
            return Err(format!(
                "`{text}` is no path of a field; write `member.member`, with `[*]` for each item"
            ));
        }
        Ok(Path(steps))
    }
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Path, D::Error> {
        Path::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

ready!(Fields = "fields" { tool_post_invoke => Fields::check; });
