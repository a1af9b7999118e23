//! The types that a hook's function may take after the server.

use std::{convert::Infallible, marker::PhantomData};

use super::{
    ForwardedRequest, ForwardedResponse, HttpRequest, HttpResponse, PluginContext, PluginPoint,
    PromptFetch, PromptResult, ResourceFetch, ResourceResult, ToolCall, ToolResult, point,
};

/// A payload type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's payload",
    note = "each point has its own payload: `tool_pre_invoke` hooks receive `&ToolCall`, and so on"
)]
#[doc(hidden)]
pub trait PluginInput<P: PluginPoint> {
    fn receive(payload: &P::In) -> &Self;
}

/// `IsPluginInput::ANSWER` says whether `T` is a payload of the point `P`. The attribute asks it about a type in the wrong
/// place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsPluginInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: PluginInput<P>, P: PluginPoint> IsPluginInput<T, P> {
    pub const ANSWER: bool = true;
}

/// A type that a hook may take as its last argument.
#[diagnostic::on_unimplemented(
    message = "hooks do not receive `{Self}` behind their payload",
    label = "not the context",
    note = "behind the payload they receive `&mut PluginContext`"
)]
#[doc(hidden)]
pub trait PluginSurround {
    fn surround(cx: &mut PluginContext) -> &mut Self;
}

impl PluginSurround for PluginContext {
    fn surround(cx: &mut PluginContext) -> &mut PluginContext {
        cx
    }
}

// Each impl is written out: the compiler then suggests the one that the author probably meant.

impl PluginInput<point::tool_pre_invoke> for ToolCall {
    fn receive(payload: &ToolCall) -> &ToolCall {
        payload
    }
}

impl PluginInput<point::tool_post_invoke> for ToolResult {
    fn receive(payload: &ToolResult) -> &ToolResult {
        payload
    }
}

impl PluginInput<point::prompt_pre_fetch> for PromptFetch {
    fn receive(payload: &PromptFetch) -> &PromptFetch {
        payload
    }
}

impl PluginInput<point::prompt_post_fetch> for PromptResult {
    fn receive(payload: &PromptResult) -> &PromptResult {
        payload
    }
}

impl PluginInput<point::resource_pre_fetch> for ResourceFetch {
    fn receive(payload: &ResourceFetch) -> &ResourceFetch {
        payload
    }
}

impl PluginInput<point::resource_post_fetch> for ResourceResult {
    fn receive(payload: &ResourceResult) -> &ResourceResult {
        payload
    }
}

impl PluginInput<point::http_pre_request> for HttpRequest {
    fn receive(payload: &HttpRequest) -> &HttpRequest {
        payload
    }
}

impl PluginInput<point::http_post_request> for HttpResponse {
    fn receive(payload: &HttpResponse) -> &HttpResponse {
        payload
    }
}

impl PluginInput<point::http_pre_forwarding_call> for ForwardedRequest {
    fn receive(payload: &ForwardedRequest) -> &ForwardedRequest {
        payload
    }
}

impl PluginInput<point::http_post_forwarding_call> for ForwardedResponse {
    fn receive(payload: &ForwardedResponse) -> &ForwardedResponse {
        payload
    }
}
