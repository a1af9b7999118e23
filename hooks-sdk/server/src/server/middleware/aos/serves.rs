//! A server that is a guardian: it answers `aos/<method>` with its own hooks.

use std::{any::Any, sync::Arc};

use rmcp::{
    ErrorData,
    model::{CustomRequest, CustomResult, ErrorCode, RequestId},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::pipeline::{AuthorRequest, Flow, McpRequest, McpResponse, Pipeline, Work};
use hooks_aos::{AosHook, Guardian, Transported};
use hooks_core::Registry;

/// What stands before a method of AOS in a method of MCP. Some methods of the two have the same name.
const PREFIX: &str = "aos/";

/// Answers questions about steps.
#[derive(Debug)]
pub(in crate::server) struct Serves(Guardian);

/// An answer of the guardian.
#[derive(Deserialize)]
struct Answered {
    result: Option<Value>,
    error: Option<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl Serves {
    /// Returns the middleware, if the server itself has hooks of a guardian.
    pub(in crate::server) fn new(registry: &Registry) -> Option<Serves> {
        // A hook of every policy is for the guardians in this process, which need not be this server.
        let mut hooks = registry.details::<AosHook>();
        hooks
            .any(|(entry, _)| entry.owner().name().is_some())
            .then(|| Serves(Guardian::of_server(registry)))
    }

    async fn answer(
        &self,
        method: &str,
        id: &RequestId,
        params: Option<Value>,
        trace: Option<String>,
        policy: Arc<dyn Any + Send + Sync>,
    ) -> Result<McpResponse, ErrorData> {
        let mut body = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if let Some(mut params) = params {
            // It belongs to MCP, and a message of MCP in the params must not get it.
            if let Value::Object(params) = &mut params {
                params.remove("_meta");
            }
            body["params"] = params;
        }
        let guardian = self.0.for_server(policy);
        let answer = guardian
            .answer(body.to_string().as_bytes(), Transported::new(trace))
            .await;
        let answer: Result<Answered, _> = serde_json::from_slice(&answer);
        match answer {
            Ok(Answered {
                error: Some(error), ..
            }) => Err(ErrorData::new(
                ErrorCode(error.code),
                error.message,
                error.data,
            )),
            Ok(Answered {
                result: Some(result),
                ..
            }) => Ok(McpResponse::Custom(CustomResult::new(result))),
            _ => Err(ErrorData::internal_error(
                "the guardian gave no answer",
                None,
            )),
        }
    }
}

impl Serves {
    /// Answers a question about a step.
    pub(in crate::server) fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let AuthorRequest { asked, cx } = request;
        let McpRequest::Custom(CustomRequest { method, params, .. }) = asked else {
            return Work::Now(Flow::On);
        };
        let Some(method) = method.strip_prefix(PREFIX) else {
            return Work::Now(Flow::On);
        };
        let params = params.take();
        let trace = cx.meta.get_traceparent().map(str::to_owned);
        let policy = pipeline.author().clone();
        Work::Later(Box::pin(async move {
            Flow::answer(self.answer(method, &cx.id, params, trace, policy).await)
        }))
    }
}
