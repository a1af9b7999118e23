//! `redact`: replaces secrets and personal data in answers, and in arguments if the author wants it.

mod spot;
mod walk;

use futures::future;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{
    CompletionFetch, CompletionResult, Plugin, PluginContext, PluginHooks, PromptFetch, PromptResult, ResourceFetch, ResourceResult,
    ToolCall, ToolResult,
    cleaning::{Cleaned, LooseKind},
    finder::FindingKind,
    point,
};
use hooks_core::{HookError, Verdict};
use spot::Spot;
use walk::{FindingCounts, RedactWalk};

/// Replaces what the [finder](super::super::finder) finds by `[REDACTED]`, in the answers of tools, prompts, resources and completions.
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
/// every text, also in JSON in a text: text content, structured content with the names of its members, messages, text
/// resources, links and `_meta`. What stands under the name of a secret, such as `password` or `apiKey`, is replaced
/// whatever it is, numbers too; other numbers in JSON stay numbers. It does not look at the base64 of images, audio and
/// blobs at their place in the protocol. What was replaced, by
/// kind and number, is in the hook's own metadata.
///
/// It also looks at messages and errors that belong to no tool, prompt or resource, such as progress, sampling requests
/// and MCPL's pushes. An instance with conditions or items is for those items alone.
///
/// The state of MCPL, which a host brings back, is never rewritten: the next call would start from `[REDACTED]`. If it has
/// a secret, the plugin fails. An address or a phone number in it stays, and is counted in the metadata as `in_state`.
///
/// A later hook that fails does not undo a redaction: the answer is withheld, or goes on redacted. If a redacted answer
/// does not fit the tool's `outputSchema`, the plugin fails, and the answer is withheld unless its failures are ignored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Redact {
    keep: Vec<FindingKind>,
    arguments: bool,
}

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

    /// Replaces in the arguments of tools, prompts and completions as well, and in the user's answers to their questions, before they
    /// are used.
    #[must_use]
    pub fn arguments(mut self) -> Redact {
        self.arguments = true;
        self
    }

    /// The value with everything replaced; `None` if nothing was found.
    fn value(
        &self,
        value: &Value,
        spot: Spot,
        cx: &mut PluginContext,
    ) -> Result<Option<Value>, HookError> {
        let mut walk = RedactWalk::new(&self.keep);
        let changed = walk.value(value, spot)?;
        for (key, counts) in [("redacted", &walk.counts), ("in_state", &walk.in_state)] {
            if !counts.is_empty() {
                cx.metadata.insert(key.to_owned(), of_counts(counts).into());
            }
        }
        Ok(changed)
    }

    /// Cleans what leaves and belongs to no item.
    fn clean(&self, value: &Value, leaving: LooseKind) -> Result<Cleaned, HookError> {
        let mut walk = RedactWalk::new(&self.keep);
        let changed = walk.value(value, Spot::leaving(leaving))?;
        let mut found = of_counts(&walk.counts);
        if !walk.in_state.is_empty() {
            found.insert("in_state".to_owned(), of_counts(&walk.in_state).into());
        }
        Ok(Cleaned {
            value: changed,
            found,
        })
    }

    /// Cleans the arguments of a request, and the user's answers that come with it; `None` if nothing was found.
    fn args(
        &self,
        args: &Map<String, Value>,
        inputs: &Map<String, Value>,
        cx: &mut PluginContext,
    ) -> Result<Option<[Map<String, Value>; 2]>, HookError> {
        if !self.arguments {
            return Ok(None);
        }
        let all = json!([args, inputs]);
        let changed = self.value(&all, Spot::Other, cx)?;
        Ok(changed.and_then(|changed| serde_json::from_value(changed).ok()))
    }

    fn call(
        &self,
        call: &ToolCall,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ToolCall>, HookError> {
        Ok(match self.args(&call.args, &call.input_responses, cx)? {
            Some([args, input_responses]) => Verdict::Modify(ToolCall {
                args,
                input_responses,
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
        Ok(match self.args(&fetch.args, &fetch.input_responses, cx)? {
            Some([args, input_responses]) => Verdict::Modify(PromptFetch {
                args,
                input_responses,
                ..fetch.clone()
            }),
            None => Verdict::Allow,
        })
    }

    fn read(
        &self,
        fetch: &ResourceFetch,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ResourceFetch>, HookError> {
        Ok(match self.args(&Map::new(), &fetch.input_responses, cx)? {
            Some([_, input_responses]) => Verdict::Modify(ResourceFetch {
                input_responses,
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
        Ok(match self.value(&answer.result, Spot::Result, cx)? {
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
        Ok(match self.value(&answer.result, Spot::Result, cx)? {
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
        let members = match answer.metadata.is_empty() {
            true => json!({ "contents": answer.content }),
            false => json!({ "contents": answer.content, "_meta": answer.metadata }),
        };
        let Some(mut members) = self.value(&members, Spot::Result, cx)? else {
            return Ok(Verdict::Allow);
        };
        let metadata = match members["_meta"].take() {
            Value::Object(metadata) => metadata,
            _ => Map::new(),
        };
        Ok(Verdict::Modify(ResourceResult {
            uri: answer.uri.clone(),
            content: members["contents"].take(),
            metadata,
        }))
    }
}

/// Completions have one argument, so that the whole of a request or an answer is the value under its name.
impl Redact {
    fn complete(
        &self,
        fetch: &CompletionFetch,
        cx: &mut PluginContext,
    ) -> Result<Verdict<CompletionFetch>, HookError> {
        let own = Map::from_iter([(fetch.argument.clone(), fetch.value.clone().into())]);
        Ok(match self.args(&own, &fetch.args, cx)? {
            Some([own, args]) => {
                let value = own.into_iter().find_map(|(_, value)| match value {
                    Value::String(value) => Some(value),
                    _ => None,
                });
                Verdict::Modify(CompletionFetch {
                    value: value.unwrap_or_default(),
                    args,
                    ..fetch.clone()
                })
            }
            None => Verdict::Allow,
        })
    }

    fn completion(
        &self,
        answer: &CompletionResult,
        cx: &mut PluginContext,
    ) -> Result<Verdict<CompletionResult>, HookError> {
        let values = answer.result.get("values").cloned().unwrap_or_default();
        let own = Map::from_iter([(answer.argument.clone(), values)]);
        let Some(Value::Object(own)) = self.value(&Value::Object(own), Spot::Other, cx)? else {
            return Ok(Verdict::Allow);
        };
        let mut changed = answer.clone();
        changed.result["values"] = own.into_iter().map(|(_, values)| values).next().unwrap_or_default();
        Ok(Verdict::Modify(changed))
    }
}

fn of_counts(counts: &FindingCounts) -> Map<String, Value> {
    let counts = counts.iter();
    let counts = counts.map(|(kind, count)| (kind.to_string(), json!(count)));
    counts.collect()
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
            .on(point::resource_pre_fetch, |redact: &Redact, fetch, cx| {
                Box::pin(future::ready(redact.read(fetch, cx)))
            })
            .on(point::tool_post_invoke, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.tool(answer, cx)))
            })
            .cleaning(Redact::clean)
            .on(point::prompt_post_fetch, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.prompt(answer, cx)))
            })
            .on(point::resource_post_fetch, |redact: &Redact, answer, cx| {
                Box::pin(future::ready(redact.resource(answer, cx)))
            })
            .on(point::completion_pre_fetch, |redact: &Redact, fetch, cx| {
                Box::pin(future::ready(redact.complete(fetch, cx)))
            })
            .on(
                point::completion_post_fetch,
                |redact: &Redact, answer, cx| {
                    Box::pin(future::ready(redact.completion(answer, cx)))
                },
            )
    }
}
