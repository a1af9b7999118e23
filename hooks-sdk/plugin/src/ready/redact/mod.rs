//! `redact`: replaces secrets and personal data in answers, and in arguments if the author wants it.

mod spot;
mod walk;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{
    CompletionFetch, CompletionResult, PluginContext, PromptFetch, PromptResult, ResourceFetch,
    ResourceResult, ToolCall, ToolResult,
    cleaning::{Cleaned, LooseKind},
    finder::FindingKind,
};
use hooks_core::{HookError, Verdict, internal::setters};
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
    setters! {
        /// Leaves findings of a kind as they are.
        fn keep(mut self, kind: FindingKind) { self.keep.push(kind) }

        /// Replaces in the arguments of tools, prompts and completions as well, and in the user's answers to their questions, before they
        /// are used.
        fn arguments(mut self) { self.arguments = true }
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

    fn call(&self, call: &ToolCall, cx: &mut PluginContext) -> Redacted<ToolCall> {
        let args = self.args(&call.args, &call.input_responses, cx)?;
        Ok(modified(args, |[args, input_responses]| ToolCall {
            args,
            input_responses,
            ..call.clone()
        }))
    }

    fn fetch(&self, fetch: &PromptFetch, cx: &mut PluginContext) -> Redacted<PromptFetch> {
        let args = self.args(&fetch.args, &fetch.input_responses, cx)?;
        Ok(modified(args, |[args, input_responses]| PromptFetch {
            args,
            input_responses,
            ..fetch.clone()
        }))
    }

    fn read(&self, fetch: &ResourceFetch, cx: &mut PluginContext) -> Redacted<ResourceFetch> {
        let args = self.args(&Map::new(), &fetch.input_responses, cx)?;
        Ok(modified(args, |[_, input_responses]| ResourceFetch {
            input_responses,
            ..fetch.clone()
        }))
    }

    /// The value stands under the name of its argument, which may be that of a secret.
    fn complete(
        &self,
        fetch: &CompletionFetch,
        cx: &mut PluginContext,
    ) -> Redacted<CompletionFetch> {
        let own = Map::from_iter([(fetch.argument.clone(), fetch.value.clone().into())]);
        let args = self.args(&own, &fetch.args, cx)?;
        Ok(modified(args, |[own, args]| CompletionFetch {
            value: own
                .values()
                .find_map(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            args,
            ..fetch.clone()
        }))
    }

    fn tool(&self, answer: &ToolResult, cx: &mut PluginContext) -> Redacted<ToolResult> {
        let result = self.value(&answer.result, Spot::Result, cx)?;
        let name = answer.name.clone();
        Ok(modified(result, |result| ToolResult { name, result }))
    }

    fn prompt(&self, answer: &PromptResult, cx: &mut PluginContext) -> Redacted<PromptResult> {
        let result = self.value(&answer.result, Spot::Result, cx)?;
        let prompt_id = answer.prompt_id.clone();
        Ok(modified(result, |result| PromptResult {
            prompt_id,
            result,
        }))
    }

    fn resource(
        &self,
        answer: &ResourceResult,
        cx: &mut PluginContext,
    ) -> Redacted<ResourceResult> {
        let members = match answer.metadata.is_empty() {
            true => json!({ "contents": answer.content }),
            false => json!({ "contents": answer.content, "_meta": answer.metadata }),
        };
        let members = self.value(&members, Spot::Result, cx)?;
        Ok(modified(members, |mut members| ResourceResult {
            uri: answer.uri.clone(),
            content: members["contents"].take(),
            metadata: match members["_meta"].take() {
                Value::Object(metadata) => metadata,
                _ => Map::new(),
            },
        }))
    }

    /// The values stand under the name of their argument, which may be that of a secret.
    fn completion(
        &self,
        answer: &CompletionResult,
        cx: &mut PluginContext,
    ) -> Redacted<CompletionResult> {
        let values = answer.result.get("values").cloned().unwrap_or_default();
        let own = Value::Object(Map::from_iter([(answer.argument.clone(), values)]));
        let own = self.value(&own, Spot::Other, cx)?;
        let values = own.and_then(|own| own.as_object()?.values().next().cloned());
        Ok(modified(values, |values| {
            let mut changed = answer.clone();
            changed.result["values"] = values;
            changed
        }))
    }
}

type Redacted<T> = Result<Verdict<T>, HookError>;

fn modified<V, T>(changed: Option<V>, payload: impl FnOnce(V) -> T) -> Verdict<T> {
    changed.map_or(Verdict::Allow, |changed| Verdict::Modify(payload(changed)))
}

fn of_counts(counts: &FindingCounts) -> Map<String, Value> {
    let counts = counts.iter();
    let counts = counts.map(|(kind, count)| (kind.to_string(), json!(count)));
    counts.collect()
}

ready!(Redact = "redact", "Creates a plugin that replaces everything that the finder finds in answers." {
    tool_pre_invoke => Redact::call;
    prompt_pre_fetch => Redact::fetch;
    resource_pre_fetch => Redact::read;
    completion_pre_fetch => Redact::complete;
    tool_post_invoke => Redact::tool, cleaning(Redact::clean);
    prompt_post_fetch => Redact::prompt;
    resource_post_fetch => Redact::resource;
    completion_post_fetch => Redact::completion;
});
