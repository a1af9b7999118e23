//! Completions: how a request becomes a payload, and back.

use std::collections::HashMap;

use rmcp::model::{ArgumentInfo, CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use serde_json::{Value, json};

use super::{chained::ChainedRequest, item::{Completions, ItemFamily, json, read}};
use crate::server::{methods::Points, pipeline::{McpRequest, McpResponse, McpAnswer}};
use hooks_plugin::{CompletionFetch, CompletionOf, CompletionResult, HttpHeaders, ListOf, point};

impl ItemFamily for Completions {
    type Pre = point::completion_pre_fetch;
    type Post = point::completion_post_fetch;
    type Params = CompleteRequestParams;
    const POINTS: Points = Points::Completion;

    fn params(asked: &mut McpRequest) -> Option<&mut CompleteRequestParams> {
        match asked {
            McpRequest::Complete(params) => Some(params),
            _ => None,
        }
    }

    fn content(params: &CompleteRequestParams) -> Value {
        json!({"ref": params.r#ref, "argument": params.argument, "context": params.context})
    }

    fn take(params: &mut CompleteRequestParams, _: Option<HttpHeaders>) -> CompletionFetch {
        let (of, item) = match &params.r#ref {
            Reference::Prompt(prompt) => (CompletionOf::Prompt, &*prompt.name),
            Reference::Resource(resource) => (CompletionOf::Resource, &*resource.uri),
            // rmcp may add a kind.
            _ => (CompletionOf::Resource, ""),
        };
        let ArgumentInfo { name, value, .. } = params.argument.clone();
        let mut fetch = CompletionFetch::new(of, item, name, value);
        let known = params
            .context
            .as_mut()
            .and_then(|context| context.arguments.take());
        let known = known.into_iter().flatten();
        fetch.args = known.map(|(name, value)| (name, value.into())).collect();
        fetch
    }

    fn put(payload: CompletionFetch, params: &mut CompleteRequestParams) -> Option<HttpHeaders> {
        params.argument.value = payload.value;
        // Each argument is a text: what a hook made of it otherwise is one, too.
        let text = |value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let known = payload.args.into_iter();
        let known: HashMap<String, String> =
            known.map(|(name, value)| (name, text(value))).collect();
        if !known.is_empty() {
            params.context.get_or_insert_default().arguments = Some(known);
        }
        None
    }

    fn answered(running: &ChainedRequest, answer: &McpAnswer) -> Option<CompletionResult> {
        match answer {
            Ok(McpResponse::Complete(result)) => {
                let of = match running.list {
                    ListOf::Prompts => CompletionOf::Prompt,
                    _ => CompletionOf::Resource,
                };
                let (name, argument) = (running.name.clone(), running.argument.clone());
                let values = json(&result.completion);
                Some(CompletionResult::new(of, name, argument, values))
            }
            _ => None,
        }
    }

    fn replace(payload: CompletionResult, answer: &mut McpAnswer) -> Result<(), String> {
        let completion: CompletionInfo = read(payload.result)?;
        completion.validate()?;
        match answer {
            Ok(McpResponse::Complete(result)) => result.completion = completion,
            _ => *answer = Ok(McpResponse::Complete(CompleteResult::new(completion))),
        }
        Ok(())
    }
}
