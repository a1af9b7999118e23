//! A server that decides as it does and runs none of the author's tools, for the commands that say what would happen.

mod answer;
mod settings;

use std::sync::Mutex;

use rmcp::model::{CallToolResponse, GetPromptResponse, ReadResourceResponse};
use serde_json::{Map, Value, json};

use super::{
    lock,
    pipeline::{
        AuthorRequest, Flow, McpAnswer, McpRequest, McpResponse, MiddlewareId, RequestState,
    },
    violation::violation_in,
};

pub use answer::DryAnswer;

/// The next call of a dry server, and the decision about the last one. The server gets one call after another.
#[derive(Debug, Default)]
pub struct Dry(Mutex<DryState>);

#[derive(Debug, Default)]
struct DryState {
    next: DryCall,
    passing: DryDecision,
    decided: Option<DryDecision>,
}

/// Who makes a call, and what the author's server answers.
#[derive(Debug, Default)]
pub struct DryCall {
    /// The user who makes the call.
    pub user: Option<String>,
    /// The tenant of the user.
    pub tenant: Option<String>,
    /// The claims of the sender's token.
    pub claims: Option<Map<String, Value>>,
    /// The name of the server, as the hooks see it.
    pub server: Option<String>,
    /// The HTTP headers of the call.
    #[cfg(feature = "policy-engine")]
    pub headers: Option<hooks_plugin::HttpHeaders>,
    /// The answer in place of the author's.
    pub answer: DryAnswer,
}

/// What a server decided about a call.
#[derive(Debug, Default)]
pub struct DryDecision {
    /// The hooks that ran, in order.
    pub steps: Vec<DryStep>,
    /// The part of the server that answered in place of the author.
    pub stopped: Option<&'static str>,
    /// The request as it reached the author's server.
    pub passed: Option<Value>,
    /// The result behind the plugin hooks and the guardian.
    pub result: Option<Value>,
    /// Whether the answer is a failure.
    pub failed: bool,
    /// The code of the refusal.
    pub code: Option<String>,
    /// The text of the failure.
    pub reason: Option<String>,
}

/// One hook's decision.
#[derive(Clone, Debug)]
pub struct DryStep {
    /// The id of the hook.
    pub hook: String,
    /// The point at which it ran.
    pub point: &'static str,
    /// The word of its decision.
    pub decision: &'static str,
    /// The reason that it gave.
    pub why: Option<String>,
}

impl Dry {
    /// Sets the next call.
    pub fn expect(&self, call: DryCall) {
        *lock(&self.0) = DryState {
            next: call,
            ..DryState::default()
        };
    }

    /// Takes the decision about the last call.
    pub fn decided(&self) -> Option<DryDecision> {
        lock(&self.0).decided.take()
    }

    /// Returns the headers of the call.
    #[cfg(feature = "policy-engine")]
    pub(super) fn headers(&self) -> Option<hooks_plugin::HttpHeaders> {
        lock(&self.0).next.headers.clone()
    }

    /// Returns the user of the call.
    pub(super) fn user(&self) -> Option<String> {
        lock(&self.0).next.user.clone()
    }

    /// Tells the hooks who makes the call, where the call says it.
    #[cfg(feature = "policy-engine")]
    pub(super) fn tell(&self, global: &mut hooks_plugin::GlobalContext) {
        let state = lock(&self.0);
        let DryCall {
            user,
            tenant,
            claims,
            server,
            ..
        } = &state.next;
        global.user = user.clone().or(global.user.take());
        global.tenant_id = tenant.clone().or(global.tenant_id.take());
        if let Some(claims) = claims {
            let own = std::mem::take(global);
            *global = own.with_claims(Some(std::sync::Arc::new(claims.clone())));
        }
        if let Some(server) = server {
            global.server_id = Some(std::sync::Arc::from(&**server));
        }
    }

    /// Answers in place of the author's tools, prompts, resources and completions.
    pub(super) fn before(&self, request: &AuthorRequest, call: &mut RequestState) -> Flow {
        let passed = match &request.asked {
            McpRequest::CallTool(params) => {
                json!({ "name": params.name, "args": params.arguments.clone().unwrap_or_default() })
            }
            McpRequest::GetPrompt(params) => {
                json!({ "prompt_id": params.name, "args": params.arguments.clone().unwrap_or_default() })
            }
            McpRequest::ReadResource(params) => json!({ "uri": params.uri }),
            McpRequest::Complete(params) => {
                let known = params.context.clone().and_then(|context| context.arguments);
                let (argument, value) = (&params.argument.name, &params.argument.value);
                json!({ "argument": argument, "value": value, "args": known.unwrap_or_default() })
            }
            _ => return Flow::On,
        };
        let mut state = lock(&self.0);
        state.passing.passed = Some(passed);
        let answer = std::mem::take(&mut state.next.answer);
        let is_judged = answer.is_judged();
        let answer = answer.to(&request.asked);
        // Without an answer to judge, the middleware behind the server only see that it succeeded.
        if !is_judged {
            return Flow::answer(answer);
        }
        call.prepared = Some(Box::new(answer));
        Flow::On
    }

    /// Keeps the result that a client would get.
    pub(super) fn after(&self, answer: &McpAnswer) {
        lock(&self.0).passing.result = content(answer);
    }

    /// Keeps what the middleware decided.
    pub(super) fn ended(&self, call: &mut RequestState, answer: &McpAnswer) {
        let reason = match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))
                if result.is_error == Some(true) =>
            {
                let texts = result.content.iter().filter_map(|block| block.as_text());
                let texts: Vec<&str> = texts.map(|text| &*text.text).collect();
                Some(texts.join("\n"))
            }
            Ok(
                McpResponse::CallTool(_)
                | McpResponse::GetPrompt(_)
                | McpResponse::ReadResource(_)
                | McpResponse::Complete(_),
            ) => None,
            Ok(_) => return,
            Err(error) => Some(error.message.to_string()),
        };
        let mut state = lock(&self.0);
        let mut decided = std::mem::take(&mut state.passing);
        decided.stopped = call.stopped.and_then(name);
        #[cfg(feature = "policy-engine")]
        {
            decided.steps = call.plugin.dry_steps();
        }
        (decided.failed, decided.reason) = (reason.is_some(), reason);
        if let Some(violation) = violation_in(answer).filter(|_| decided.failed) {
            let text = |member: &str| violation[member].as_str().map(str::to_owned);
            decided.code = text("code");
            decided.reason = text("reason").or(decided.reason.take());
        }
        state.decided = Some(decided);
    }
}

/// Returns the result that a client would get, without what the server adds at the end.
fn content(answer: &McpAnswer) -> Option<Value> {
    match answer.as_ref().ok()? {
        McpResponse::CallTool(CallToolResponse::Complete(result)) => serde_json::to_value(result),
        McpResponse::GetPrompt(GetPromptResponse::Complete(result)) => serde_json::to_value(result),
        McpResponse::ReadResource(ReadResourceResponse::Complete(result)) => {
            serde_json::to_value(&result.contents)
        }
        McpResponse::Complete(result) => serde_json::to_value(&result.completion),
        _ => return None,
    }
    .ok()
}

/// Returns a middleware's word in a report, or `None` for the dry one itself.
fn name(place: MiddlewareId) -> Option<&'static str> {
    let word = match place {
        MiddlewareId::Mcpl => None,
        other => other.refuses_as(),
    };
    (place != MiddlewareId::Dry).then(|| word.unwrap_or("server"))
}
