//! The author's server without its type. On the pipeline of a request, only this file is generic.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::{any::Any, borrow::Cow, ops::Deref};

use futures::{
    FutureExt,
    future::{BoxFuture, lazy},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, Service,
    model::{
        CallToolResponse, ClientNotification, CustomResult, GetPromptResponse,
        InitializeRequestParams, InitializeResult, MetaObject, ProtocolVersion,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{McpRequest, McpResponse, shown::question};
use crate::server::{methods::table, transport::marks};
use hooks_core::{
    Failure,
    internal::{catch_panic, catch_panic_now},
};

/// The author's server. The supertrait [`Any`] lets functions that were written for the server's type get it back.
pub(in crate::server) trait Author: Any + Send + Sync {
    /// Returns what the author's `get_tool` returns. If it panics, logs the panic and returns `None`.
    fn tool(&self, name: &str) -> Option<Tool>;

    /// Returns what the author's `get_info` returns.
    /// Returns an error if it panics.
    fn info(&self) -> Result<ServerConfig, ErrorData>;

    /// Lets the author's server answer. The answer has none of the SDK's own names. The [pipeline](super)
    /// catches a panic of the future.
    fn ask<'a>(
        &'a self,
        asked: McpRequest,
        cx: RequestContext<RoleServer>,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>>;

    /// Returns what the author's `negotiate_initialize` returns.
    fn negotiates(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData>;

    /// Returns what the author's `supported_protocol_versions` returns.
    fn versions(&self) -> Cow<'static, [ProtocolVersion]>;

    /// Returns what the author's `accepted_subscription_filter` returns.
    fn accepts(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter>;

    /// Lets the author's server listen.
    fn listens(&self, context: SubscriptionContext) -> BoxFuture<'_, Result<(), ErrorData>>;

    /// Lets the author's server handle a notification.
    fn hears(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> BoxFuture<'_, Result<(), ErrorData>>;
}

impl<H: ServerHandler> Author for H {
    fn tool(&self, name: &str) -> Option<Tool> {
        let tool = catch_panic_now(|| self.get_tool(name));
        tool.map_err(|failure| failed("get_tool", &failure))
            .ok()
            .flatten()
    }

    fn info(&self) -> Result<ServerConfig, ErrorData> {
        catch_panic_now(|| self.get_info()).map_err(|failure| failed("get_info", &failure))
    }

    fn ask<'a>(
        &'a self,
        asked: McpRequest,
        cx: RequestContext<RoleServer>,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
        macro_rules! ask {
            (
                requests { $($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty
                    = $function:ident $wire:tt $facts:tt;)* }
                listen $listen:tt
                custom { $custom:literal: $other:ident($asked:ident: $any:ty) -> $answer:ty = $custom_function:ident; }
                $($rest:tt)*
            ) => {
                match asked {
                    $(McpRequest::$kind($($request)?) => unmarked(
                        move || self.$function($($request,)? cx),
                        McpResponse::$kind,
                    ),)*
                    McpRequest::$other($asked) => unmarked(
                        move || self.$custom_function($asked, cx),
                        McpResponse::$other,
                    ),
                }
            };
        }
        table!(ask)
    }

    fn negotiates(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        self.negotiate_initialize(request)
    }

    fn versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(self)
    }

    fn accepts(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.accepted_subscription_filter(requested)
    }

    fn listens(&self, context: SubscriptionContext) -> BoxFuture<'_, Result<(), ErrorData>> {
        Box::pin(self.listen(context))
    }

    fn hears(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> BoxFuture<'_, Result<(), ErrorData>> {
        Box::pin(self.handle_notification(notification, context))
    }
}

/// Asks when the future is polled, and removes the marks from the answer.
///
/// A block of `async` would keep the request's room beside that of the author's future.
fn unmarked<'a, T: 'a, F>(
    ask: impl FnOnce() -> F + Send + 'a,
    kind: fn(T) -> McpResponse,
) -> BoxFuture<'a, Result<McpResponse, ErrorData>>
where
    F: Future<Output = Result<T, ErrorData>> + Send + 'a,
{
    let answer = lazy(move |_| ask()).flatten();
    Box::pin(answer.map(move |answer| {
        let mut answer = answer.map(kind);
        remove_ours(&mut answer);
        answer
    }))
}

/// Removes the SDK's own names from the `_meta` of an answer, from the capabilities of a handshake, from the result in a
/// task and from the data of an error. No hook has seen the answer yet, and no client.
fn remove_ours(answer: &mut Result<McpResponse, ErrorData>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            if let Some(data) = &mut error.data {
                marks::remove_from_data(data);
            }
            return;
        }
    };
    let meta = match answer {
        McpResponse::CallTool(CallToolResponse::Complete(result)) => &mut result.meta,
        McpResponse::CallTool(CallToolResponse::Task(created)) => &mut created.meta,
        McpResponse::GetPrompt(GetPromptResponse::Complete(result)) => &mut result.meta,
        McpResponse::ReadResource(ReadResourceResponse::Complete(result)) => &mut result.meta,
        McpResponse::GetTask(result) => {
            marks::remove_from_payload(&mut result.task.payload);
            &mut result.meta
        }
        McpResponse::Initialize(result) => {
            of_capabilities(&mut result.capabilities);
            &mut result.meta
        }
        McpResponse::Discover(result) => {
            of_capabilities(&mut result.capabilities);
            &mut result.meta
        }
        McpResponse::Custom(CustomResult(result)) => {
            marks::remove_marks(result);
            return;
        }
        answer => match question(answer) {
            Some(question) => &mut question.meta,
            None => return,
        },
    };
    of_meta(meta);
}

fn of_meta(meta: &mut Option<MetaObject>) {
    if let Some(members) = meta
        && marks::remove(&mut members.0)
        && members.0.is_empty()
    {
        *meta = None;
    }
}

fn of_capabilities(capabilities: &mut ServerCapabilities) {
    if let Some(experimental) = &mut capabilities.experimental {
        experimental.retain(|name, _| !name.starts_with(marks::MARKS));
    }
}

/// Waits for an answer. If the future panics, returns an internal error.
pub(super) fn answered<'a>(
    method: impl Deref<Target = str> + 'a,
    answer: BoxFuture<'a, Result<McpResponse, ErrorData>>,
) -> impl Future<Output = Result<McpResponse, ErrorData>> + 'a {
    catch_panic(answer)
        .map(move |answer| answer.unwrap_or_else(|failure| Err(failed(&method, &failure))))
}

/// Returns and logs the error for a request that the server failed to answer.
pub(in crate::server) fn failed(method: &str, failure: &Failure) -> ErrorData {
    tracing::error!(
        target: "hooks_sdk::server",
        method, error = %failure, "the server did not answer"
    );
    unanswered(method)
}

/// Returns the error for a request that the server failed to answer, once it is logged why.
pub(super) fn unanswered(method: &str) -> ErrorData {
    let message = format!("the server failed while it answered `{method}`; its log says why");
    ErrorData::internal_error(message, None)
}
