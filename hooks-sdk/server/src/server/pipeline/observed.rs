//! The span and the time of a request.

use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{CallToolResponse, ErrorCode, RequestId};
use serde_json::Value;
use tracing::{Instrument, Span, field::Empty};

use super::{McpAnswer, McpRequest, McpResponse, NamedItem, Pipeline};
use crate::server::{
    McpContext,
    request::{http_version, is_http, trace_context, transport_session},
};
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
    began: std::time::Instant,
    #[cfg(feature = "metrics")]
    labels: Vec<metrics::Label>,
}

impl Observed {
    /// Begins to watch a request. `is_traced` is whether somebody wants its span.
    pub(super) fn of(
        asked: &McpRequest,
        cx: &McpContext,
        pipeline: &Pipeline,
        is_traced: bool,
    ) -> Observed {
        let known = match asked.named() {
            NamedItem::Tool(tool) if pipeline.has_had_tool(tool) => Some(tool),
            _ => None,
        };
        let (method, custom) = match asked {
            McpRequest::Custom(request) => (OTHER, Some(cut(&request.method, LONGEST).to_owned())),
            asked => (asked.name(), None),
        };
        Observed {
            span: match is_traced {
                true => span(asked, cx, method, known),
                false => Span::none(),
            },
            custom,
            #[cfg(feature = "metrics")]
            began: std::time::Instant::now(),
            #[cfg(feature = "metrics")]
            labels: labels(asked, cx, method, known),
        }
    }

    /// Watches the request until its answer.
    pub(super) fn until<'a>(
        self,
        answer: impl Future<Output = McpAnswer> + Send + 'a,
    ) -> BoxFuture<'a, McpAnswer> {
        let answer = answer.instrument(self.span.clone());
        Box::pin(answer.inspect(move |answer| self.ended(answer)))
    }

    fn ended(self, answer: &McpAnswer) {
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
        {
            let mut labels = self.labels;
            if let Some(error) = error {
                if code.is_some() {
                    labels.push(metrics::Label::new(
                        "rpc.response.status_code",
                        error.clone(),
                    ));
                }
                labels.push(metrics::Label::new("error.type", error));
            }
            metrics::histogram!("mcp.server.operation.duration", labels)
                .record(self.began.elapsed());
        }
    }
}

fn span(asked: &McpRequest, cx: &McpContext, method: &'static str, known: Option<&str>) -> Span {
    let is_http = is_http(&cx.extensions);
    let (mut tool, mut prompt, mut resource) = (None, None, None);
    match asked.named() {
        NamedItem::Tool(name) => tool = Some(cut(name, LONGEST)),
        NamedItem::Prompt(name) => prompt = Some(cut(name, LONGEST)),
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => resource = Some(bare(uri)),
        NamedItem::Nothing | NamedItem::Task(_) | NamedItem::Unknown => {}
    }
    let version = match cx.meta.protocol_version() {
        Some(version) => Some(version.as_str().to_owned()),
        None => (cx.peer.peer_info()).map(|info| info.protocol_version.as_str().to_owned()),
    };
    let name = match (asked, known) {
        (McpRequest::Custom(_), _) => "custom request".to_owned(),
        (_, Some(known)) => format!("{method} {known}"),
        (_, None) => method.to_owned(),
    };
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
        network.transport = transport(is_http),
        network.protocol.name = is_http.then_some("http"),
        network.protocol.version = http_version(&cx.extensions),
        gen_ai.operation.name = tool.map(|_| "execute_tool"),
        gen_ai.tool.name = tool,
        gen_ai.prompt.name = prompt,
        mcp.resource.uri = resource,
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
fn contents(span: &Span, answer: &McpAnswer, limit: usize) {
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

fn transport(is_http: bool) -> &'static str {
    if is_http { "tcp" } else { "pipe" }
}

fn id(id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => cut(text, LONGEST).to_owned(),
    }
}

/// Returns a digest of a session's id. The id itself opens the session. Only HTTP has such sessions.
fn digest(session: &str) -> String {
    #[cfg(feature = "http")]
    return crate::server::hex(&<sha2::Sha256 as sha2::Digest>::digest(session)[..16]);
    #[cfg(not(feature = "http"))]
    session.to_owned()
}

/// Returns a URI without its query and its fragment, which are contents.
fn bare(uri: &str) -> &str {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    cut(&uri[..end], LONGEST)
}

/// Returns the labels of a request in the metrics.
#[cfg(feature = "metrics")]
fn labels(
    asked: &McpRequest,
    cx: &McpContext,
    method: &'static str,
    known: Option<&str>,
) -> Vec<metrics::Label> {
    let label = metrics::Label::from_static_parts;
    let mut labels = vec![
        label("mcp.method.name", method),
        label("network.transport", transport(is_http(&cx.extensions))),
    ];
    if let McpRequest::CallTool(_) = asked {
        let tool = known.unwrap_or(OTHER).to_owned();
        labels.push(metrics::Label::new("gen_ai.tool.name", tool));
        labels.push(label("gen_ai.operation.name", "execute_tool"));
    }
    labels
}
