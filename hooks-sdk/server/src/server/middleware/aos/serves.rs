//! A server that is a guardian: it answers `aos/<method>` with its own hooks.

use rmcp::{
    ErrorData,
    model::{CustomRequest, CustomResult},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::pipeline::{AuthorRequest, Flow, McpRequest, McpResponse, Pipeline};
use hooks_aos::{AosHook, Guardian, Transported};
use hooks_core::Registry;

/// What stands before a method of AOS in a method of MCP. Some methods of the two have the same name.
const PREFIX: &str = "aos/";

/// Answers questions about steps.
#[derive(Debug)]
pub(crate) struct Serves(Guardian);

/// An answer of the guardian.
#[derive(Deserialize)]
struct Answered {
    result: Option<Value>,
    error: Option<ErrorData>,
}

impl Serves {
    /// Returns the middleware, if the server itself has hooks of a guardian.
    pub(crate) fn new(registry: &Registry) -> Option<Serves> {
        // A hook of every policy is for the guardians in this process, which need not be this server.
        let mut hooks = registry.details::<AosHook>();
        hooks
            .any(|(entry, _)| entry.owner().name().is_some())
            .then(|| Serves(Guardian::of_server(registry)))
    }

    /// Answers a question about a step.
    pub(crate) async fn before(&self, request: &mut AuthorRequest, pipeline: &Pipeline) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let McpRequest::Custom(CustomRequest { method, params, .. }) = asked else {
            return Flow::On;
        };
        let Some(method) = method.strip_prefix(PREFIX) else {
            return Flow::On;
        };
        let mut body = json!({"jsonrpc": "2.0", "id": cx.id, "method": method});
        if let Some(mut params) = params.take() {
            // It belongs to MCP, and a message of MCP in the params must not get it.
            if let Value::Object(params) = &mut params {
                params.remove("_meta");
            }
            body["params"] = params;
        }
        let trace = cx.meta.get_traceparent().map(str::to_owned);
        let guardian = self.0.for_server(pipeline.author.clone());
        let question = body.to_string();
        let answer = guardian.answer(question.as_bytes(), Transported::new(trace));
        let answer = serde_json::from_slice(&Box::pin(answer).await);
        Flow::answer(match answer {
            Ok(Answered {
                error: Some(error), ..
            }) => Err(error),
            Ok(Answered {
                result: Some(result),
                ..
            }) => Ok(McpResponse::Custom(CustomResult::new(result))),
            _ => Err(ErrorData::internal_error(
                "the guardian gave no answer",
                None,
            )),
        })
    }
}
