//! The span and the time of a request.

use std::fmt::Write;

use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, ErrorCode, RequestId},
    service::RequestContext,
};
use serde_json::Value;
use tracing::{Instrument, Span, field::Empty};

use super::{McpRequest, McpResponse, NamedItem, Pipeline};
use crate::server::request::{http_version, is_http, trace_context, transport_session};
use hooks_core::{
    internal::{contents_limit, cut, join},
    observe::TARGET,
};

/// The longest name or id of a client in a span, in bytes. The rest is cut off.
const LONGEST: usize = 256;

/// The name of what nobody knows, in spans and metrics.
const OTHER: &str = "_OTHER";

/// A request that somebody watches.
pub(super) struct Observed {
    span: Span,
    /// The method, if it is no method of MCP.
    custom: Option<String>,
    #[cfg(feature = "metrics")]
    metered: metered::Metered,
}

/// The fields of a request that names something.
#[derive(Default)]
struct TargetFields<'t> {
    tool: Option<&'t str>,
    prompt: Option<&'t str>,
    resource: Option<&'t str>,
}

impl<'t> TargetFields<'t> {
    fn of(asked: &'t McpRequest) -> TargetFields<'t> {
        let none = TargetFields::default();
        match asked.named() {
            NamedItem::Tool(tool) => TargetFields {
                tool: Some(tool),
                ..none
            },
            NamedItem::Prompt(prompt) => TargetFields {
                prompt: Some(prompt),
                ..none
            },
            NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => TargetFields {
                resource: Some(uri),
                ..none
            },
            NamedItem::Nothing | NamedItem::Task(_) | NamedItem::Unknown => none,
        }
    }
}

impl Observed {
    /// Begins to watch a request. Returns `None` if nobody watches.
    pub(super) fn of(
        asked: &McpRequest,
        cx: &RequestContext<RoleServer>,
        pipeline: &Pipeline,
    ) -> Option<Observed> {
        let is_traced = tracing::enabled!(target: TARGET, tracing::Level::INFO);
        if !is_traced && cfg!(not(feature = "metrics")) {
            return None;
        }
        let target = TargetFields::of(asked);
        let known = target.tool.filter(|tool| pipeline.has_had_tool(tool));
        let method = match asked {
            McpRequest::Custom(_) => OTHER,
            asked => asked.name(),
        };
        Some(Observed {
            span: match is_traced {
                true => span(asked, cx, method, &target, known),
                false => Span::none(),
            },
            custom: match asked {
                McpRequest::Custom(request) => Some(cut(&request.method, LONGEST).to_owned()),
                _ => None,
            },
            #[cfg(feature = "metrics")]
            metered: metered::Metered::new(
                method,
                target.tool.map(|_| known.unwrap_or(OTHER)),
                is_http(&cx.extensions),
            ),
        })
    }

    fn ended(self, answer: &Result<McpResponse, ErrorData>) {
        let code = answer.as_ref().err().map(|error| error.code);
        let is_tool_error = matches!(
            answer,
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) if result.is_error == Some(true)
        );
        let error = match code {
            Some(code) => Some(code.0.to_string()),
            None => is_tool_error.then(|| "tool_error".to_owned()),
        };
        let span = &self.span;
        if !span.is_disabled() {
            if let Some(error) = &error {
                span.record("error.type", &**error);
                span.record("otel.status_code", "ERROR");
                if code.is_some() {
                    span.record("rpc.response.status_code", &**error);
                }
            }
            // Somebody serves the method, so its name is one of few.
            if let Some(method) = self.custom
                && code != Some(ErrorCode::METHOD_NOT_FOUND)
            {
                span.record("otel.name", &*method);
            }
            if let Some(limit) = contents_limit() {
                contents(span, answer, limit);
            }
        }
        #[cfg(feature = "metrics")]
        self.metered.ended(error, code.is_some());
    }
}

/// Watches a request until its answer.
pub(super) fn until<'a>(
    observed: Option<Observed>,
    answer: impl Future<Output = Result<McpResponse, ErrorData>> + Send + 'a,
) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
    let Some(observed) = observed else {
        return Box::pin(answer);
    };
    let answer = answer.instrument(observed.span.clone());
    Box::pin(answer.map(move |answer| {
        observed.ended(&answer);
        answer
    }))
}

fn span(
    asked: &McpRequest,
    cx: &RequestContext<RoleServer>,
    method: &'static str,
    target: &TargetFields<'_>,
    known: Option<&str>,
) -> Span {
    let is_http = is_http(&cx.extensions);
    let version = match cx.meta.protocol_version() {
        Some(version) => Some(version.as_str().to_owned()),
        None => (cx.peer.peer_info()).map(|info| info.protocol_version.as_str().to_owned()),
    };
    let mut name = match asked {
        McpRequest::Custom(_) => "custom request".to_owned(),
        _ => method.to_owned(),
    };
    if let Some(known) = known {
        // Writing to a string does not fail.
        _ = write!(name, " {known}");
    }
    let full = asked.method();
    // The parent is never the span of the connection, which lasts as long as the client.
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "mcp.request",
        otel.name = name,
        otel.kind = "server",
        mcp.method.name = cut(&full, LONGEST),
        jsonrpc.request.id = id(&cx.id),
        mcp.session.id = transport_session(&cx.extensions).map(digest),
        mcp.protocol.version = version,
        network.transport = if is_http { "tcp" } else { "pipe" },
        network.protocol.name = is_http.then_some("http"),
        network.protocol.version = http_version(&cx.extensions),
        gen_ai.operation.name = target.tool.map(|_| "execute_tool"),
        gen_ai.tool.name = target.tool.map(|tool| cut(tool, LONGEST)),
        gen_ai.prompt.name = target.prompt.map(|prompt| cut(prompt, LONGEST)),
        mcp.resource.uri = target.resource.map(bare),
        hooks.decision.id = Empty,
        hooks.decision = Empty,
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
        "error.type" = Empty,
        rpc.response.status_code = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    join(&span, trace_context(cx).as_ref());
    if let (McpRequest::CallTool(request), Some(limit)) = (asked, contents_limit()) {
        let arguments = request.arguments.clone().unwrap_or_default();
        let arguments = Value::Object(arguments).to_string();
        span.record("gen_ai.tool.call.arguments", cut(&arguments, limit));
    }
    span
}

/// Records what the server answered.
fn contents(span: &Span, answer: &Result<McpResponse, ErrorData>, limit: usize) {
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            let result = serde_json::to_string(result).unwrap_or_default();
            span.record("gen_ai.tool.call.result", cut(&result, limit));
        }
        Err(error) => {
            span.record("otel.status_description", cut(&error.message, limit));
        }
        Ok(_) => {}
    }
}

fn id(id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => cut(text, LONGEST).to_owned(),
    }
}

/// Returns a digest of a session's id. The id itself opens the session.
fn digest(session: &str) -> String {
    #[cfg(feature = "http")]
    {
        use sha2::{Digest, Sha256};
        let digest = Sha256::digest(session);
        (digest[..16].iter()).fold(String::with_capacity(32), |mut text, byte| {
            // Writing to a string does not fail.
            _ = write!(text, "{byte:02x}");
            text
        })
    }
    #[cfg(not(feature = "http"))]
    {
        // Only HTTP has such sessions.
        _ = session;
        String::new()
    }
}

/// Returns a URI without its query and its fragment, which are contents.
fn bare(uri: &str) -> &str {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    cut(&uri[..end], LONGEST)
}

/// The time of a request.
#[cfg(feature = "metrics")]
mod metered {
    use std::time::Instant;

    use metrics::{Label, histogram};

    pub(super) struct Metered {
        began: Instant,
        labels: Vec<Label>,
    }

    impl Metered {
        pub(super) fn new(method: &'static str, tool: Option<&str>, is_http: bool) -> Metered {
            let transport = if is_http { "tcp" } else { "pipe" };
            let mut labels = vec![
                Label::from_static_parts("mcp.method.name", method),
                Label::from_static_parts("network.transport", transport),
            ];
            if let Some(tool) = tool {
                labels.push(Label::new("gen_ai.tool.name", tool.to_owned()));
                let execute = Label::from_static_parts("gen_ai.operation.name", "execute_tool");
                labels.push(execute);
            }
            Metered {
                began: Instant::now(),
                labels,
            }
        }

        pub(super) fn ended(mut self, error: Option<String>, is_code: bool) {
            if let Some(error) = error {
                if is_code {
                    let code = Label::new("rpc.response.status_code", error.clone());
                    self.labels.push(code);
                }
                self.labels.push(Label::new("error.type", error));
            }
            histogram!("mcp.server.operation.duration", self.labels).record(self.began.elapsed());
        }
    }
}
