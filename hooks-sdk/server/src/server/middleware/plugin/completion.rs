//! Completions: how a request becomes a payload, and back.

use std::collections::HashMap;

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};
use serde_json::{Value, json};

use super::{
    chained::ChainedRequest,
    item::{Completions, ItemFamily, json, read},
};
use crate::server::{
    methods::Points,
    pipeline::{McpRequest, McpResponse},
};
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

    fn item(params: &CompleteRequestParams) -> (ListOf, &str) {
        match &params.r#ref {
            Reference::Prompt(prompt) => (ListOf::Prompts, &prompt.name),
            // A reference to a resource may be a template or a URI.
            Reference::Resource(resource) if resource.uri.contains('{') => {
                (ListOf::ResourceTemplates, &resource.uri)
            }
            Reference::Resource(resource) => (ListOf::Resources, &resource.uri),
            // rmcp may add a kind. Hooks for every item see it.
            _ => (ListOf::ResourceTemplates, ""),
        }
    }

    fn argument(params: &CompleteRequestParams) -> String {
        params.argument.name.clone()
    }

    fn content(params: &CompleteRequestParams) -> Value {
        json!({"ref": params.r#ref, "argument": params.argument, "context": params.context})
    }

    fn take(params: &mut CompleteRequestParams, _: Option<HttpHeaders>) -> CompletionFetch {
        let (list, name) = Completions::item(params);
        let value = params.argument.value.clone();
        let argument = params.argument.name.clone();
        let mut fetch = CompletionFetch::new(kind_of(list), name, argument, value);
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

    fn answered(
        running: &ChainedRequest,
        answer: &Result<McpResponse, ErrorData>,
    ) -> Option<CompletionResult> {
        match answer {
            Ok(McpResponse::Complete(result)) => {
                let (name, argument) = (running.name.clone(), running.argument.clone());
                let values = json(&result.completion);
                Some(CompletionResult::new(
                    kind_of(running.list),
                    name,
                    argument,
                    values,
                ))
            }
            _ => None,
        }
    }

    fn replace(
        payload: CompletionResult,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), String> {
        let completion: CompletionInfo = read(payload.result)?;
        completion.validate()?;
        match answer {
            Ok(McpResponse::Complete(result)) => result.completion = completion,
            _ => *answer = Ok(McpResponse::Complete(CompleteResult::new(completion))),
        }
        Ok(())
    }
}

/// Returns what the argument of a completion belongs to.
fn kind_of(list: ListOf) -> CompletionOf {
    match list {
        ListOf::Prompts => CompletionOf::Prompt,
        _ => CompletionOf::Resource,
    }
}
