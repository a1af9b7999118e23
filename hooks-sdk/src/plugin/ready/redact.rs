//! `redact`: replaces secrets and personal data in answers, and in arguments if the author wants it.

use std::collections::BTreeMap;

use futures::future;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{
    Plugin, PluginContext, PluginHooks, PromptFetch, PromptResult, ResourceResult, ToolCall,
    ToolResult,
    finder::{self, FindingKind},
    point,
};
use crate::core::{HookError, Verdict};

/// How deep values may lie in each other; an answer that is deeper is a failure.
const DEPTH: usize = 256;

/// Replaces what the [finder](super::super::finder) finds by `[REDACTED]`, in the answers of tools, prompts and resources.
///
/// ```yaml
/// kind: redact
/// config: { keep: [email_address, phone_number], arguments: true }
/// ```
///
/// ```
/// use hooks_sdk::plugin::{finder::FindingKind, ready::Redact};
///
/// let redact = Redact::new().keep(FindingKind::EmailAddress).keep(FindingKind::PhoneNumber);
/// ```
///
/// Without more it replaces every [`FindingKind`]: secrets, numbers, e-mail addresses and phone numbers. It looks at
/// every text: text content, structured content with the names of its members, messages, text resources and links. The
/// value of a member such as `password` or `apiKey` is a finding of its own. Images, audio and blobs are not looked at, and numbers in JSON
/// stay numbers. Progress and log messages of a running tool do not pass the hooks, and stay as they are. What was replaced, by kind and number, is in the hook's own metadata.
///
/// A later hook that fails does not undo a redaction: the answer is withheld, or goes on redacted. If a redacted answer
/// does not fit the tool's `outputSchema`, the plugin fails, and the answer is withheld unless its failures are ignored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Redact {
    keep: Vec<FindingKind>,
    arguments: bool,
}

/// How many findings of each kind were replaced.
type Counts = BTreeMap<FindingKind, u64>;

impl Redact {
    /// Creates a plugin that replaces everything that the finder finds in answers.
    pub fn new() -> Redact {
        Redact::default()
    }

    /// Leaves findings of a kind as they are.
    #[must_use]
    pub fn keep(mut self, kind: FindingKind) -> Redact {
        self.keep.push(kind);
        self
    }

    /// Replaces in the arguments of tools and prompts as well, before they are used.
    #[must_use]
    pub fn arguments(mut self) -> Redact {
        self.arguments = true;
        self
    }

    /// The value with everything replaced; `None` if nothing was found.
    fn value(&self, value: &Value, cx: &mut PluginContext) -> Result<Option<Value>, HookError> {
        let mut counts = Counts::new();
        let changed = self.within(value, None, DEPTH, &mut counts)?;
        if changed.is_some() {
            let counts: Map<String, Value> = counts
                .iter()
                .map(|(kind, count)| (kind.to_string(), json!(count)))
                .collect();
            cx.metadata
                .insert("redacted".to_owned(), Value::Object(counts));
        }
        Ok(changed)
    }

    fn within(
        &self,
        value: &Value,
        name: Option<&str>,
        depth: usize,
        counts: &mut Counts,
    ) -> Result<Option<Value>, HookError> {
        if depth == 0 {
            return Err(HookError::new(format!(
                "the values lie more than {DEPTH} deep in each other"
            )));
        }
        match value {
            Value::String(text) => Ok(self.text(text, name, counts).map(Value::String)),
            Value::Array(items) => {
                let mut changed: Option<Vec<Value>> = None;
                for (at, item) in items.iter().enumerate() {
                    if let Some(item) = self.within(item, name, depth - 1, counts)? {
                        changed.get_or_insert_with(|| items.clone())[at] = item;
                    }
                }
                Ok(changed.map(Value::Array))
            }
            Value::Object(members) => Ok(self.members(members, depth, counts)?.map(Value::Object)),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(None),
        }
    }

    fn members(
        &self,
        members: &Map<String, Value>,
        depth: usize,
        counts: &mut Counts,
    ) -> Result<Option<Map<String, Value>>, HookError> {
        let media = matches!(
            members.get("type").and_then(Value::as_str),
            Some("image" | "audio")
        );
        let mut changes = Vec::new();
        for (name, value) in members {
            if value.is_string() && (name == "blob" || media && name == "data") {
                continue;
            }
            let renamed = self.text(name, None, counts);
            let value = self.within(value, Some(name), depth - 1, counts)?;
            if renamed.is_some() || value.is_some() {
                changes.push((name, renamed, value));
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        let mut changed = members.clone();
        for (name, renamed, value) in changes {
            let Some(renamed) = renamed else {
                changed.extend(value.map(|value| (name.clone(), value)));
                continue;
            };
            let old = changed.remove(name).unwrap_or_default();
            // Two secrets may not become one member.
            let mut free = renamed.clone();
            let mut more = 1;
            while changed.contains_key(&free) {
                more += 1;
                free = format!("{renamed} {more}");
            }
            changed.insert(free, value.unwrap_or(old));
        }
        Ok(Some(changed))
    }

    fn text(&self, text: &str, name: Option<&str>, counts: &mut Counts) -> Option<String> {
        let wanted = |kind| !self.keep.contains(&kind);
        let mut findings = finder::find_where(text, wanted);
        if let Some(finding) = name
            .and_then(|name| finder::named(name, text))
            .filter(|one| wanted(one.kind))
        {
            findings = vec![finding];
        }
        if findings.is_empty() {
            return None;
        }
        for finding in &findings {
            *counts.entry(finding.kind).or_default() += 1;
        }
        Some(finder::redact(text, &findings))
    }

    fn args(
        &self,
        args: &Map<String, Value>,
        cx: &mut PluginContext,
    ) -> Result<Option<Map<String, Value>>, HookError> {
        if !self.arguments {
            return Ok(None);
        }
        let changed = self.value(&Value::Object(args.clone()), cx)?;
        Ok(changed.and_then(|changed| match changed {
            Value::Object(args) => Some(args),
            _ => None,
        }))
    }

    fn call(
        &self,
        call: &ToolCall,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ToolCall>, HookError> {
        Ok(match self.args(&call.args, cx)? {
            Some(args) => Verdict::Modify(ToolCall {
                args,
                ..call.clone()
            }),
            None => Verdict::Allow,
        })
    }

    fn fetch(
        &self,
        fetch: &PromptFetch,
        cx: &mut PluginContext,
    ) -> Result<Verdict<PromptFetch>, HookError> {
        Ok(match self.args(&fetch.args, cx)? {
            Some(args) => Verdict::Modify(PromptFetch {
                args,
                ..fetch.clone()
            }),
            None => Verdict::Allow,
        })
    }

    fn tool(
        &self,
        answer: &ToolResult,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ToolResult>, HookError> {
        Ok(match self.value(&answer.result, cx)? {
            Some(result) => Verdict::Modify(ToolResult {
                name: answer.name.clone(),
                result,
            }),
            None => Verdict::Allow,
        })
    }

    fn prompt(
        &self,
        answer: &PromptResult,
        cx: &mut PluginContext,
    ) -> Result<Verdict<PromptResult>, HookError> {
        Ok(match self.value(&answer.result, cx)? {
            Some(result) => Verdict::Modify(PromptResult {
                prompt_id: answer.prompt_id.clone(),
                result,
            }),
            None => Verdict::Allow,
        })
    }

    fn resource(
        &self,
        answer: &ResourceResult,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ResourceResult>, HookError> {
        Ok(match self.value(&answer.content, cx)? {
            Some(content) => Verdict::Modify(ResourceResult {
                uri: answer.uri.clone(),
                content,
            }),
            None => Verdict::Allow,
        })
    }
}

impl Plugin for Redact {
    const KIND: &'static str = "redact";
    type Config = Redact;

    fn new(config: Redact) -> Result<Redact, HookError> {
        Ok(config)
    }

    fn hooks() -> PluginHooks<Redact> {
        PluginHooks::new()
            .on(point::tool_pre_invoke, |redact: &Redact, call, cx| {
                Box::pin(future::ready(redact.call(call, cx)))
            })
            .on(point::prompt_pre_fetch, |redact: &Redact, fetch, cx| {
                Box::pin(future::ready(redact.fetch(fetch, cx)))
            })
            .on(point::tool_post_invoke, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.tool(answer, cx)))
            })
            .on(point::prompt_post_fetch, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.prompt(answer, cx)))
            })
            .on(point::resource_post_fetch, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.resource(answer, cx)))
            })
    }
}
