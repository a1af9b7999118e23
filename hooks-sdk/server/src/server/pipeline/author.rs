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
    service::{NotificationContext, SubscriptionContext},
};

use super::{McpAnswer, McpRequest, McpResponse, shown::question};
use crate::server::{McpContext, methods::table, transport::marks};
use hooks_core::{
    Failure,
    internal::{catch_panic, catch_panic_now},
};

/// The author's server. The supertrait [`Any`] lets functions that were written for the server's type get it back.
pub(crate) trait Author: Any + Send + Sync {
    /// Returns what the author's `get_tool` returns. If it panics, logs the panic and returns `None`.
    fn tool(&self, name: &str) -> Option<Tool>;

    /// Returns what the author's `get_info` returns.
    /// Returns an error if it panics.
    fn info(&self) -> Result<ServerConfig, ErrorData>;

    /// Lets the author's server answer. The answer has none of the SDK's own names. The [pipeline](super)
    /// catches a panic of the future.
    fn ask<'a>(&'a self, asked: McpRequest, cx: McpContext) -> BoxFuture<'a, McpAnswer>;

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
        caught("get_tool", || self.get_tool(name)).ok().flatten()
    }

    fn info(&self) -> Result<ServerConfig, ErrorData> {
        caught("get_info", || self.get_info())
    }

    fn ask<'a>(&'a self, asked: McpRequest, cx: McpContext) -> BoxFuture<'a, McpAnswer> {
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
) -> BoxFuture<'a, McpAnswer>
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
fn remove_ours(answer: &mut McpAnswer) {
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

/// Calls a function. If it panics, returns the internal error for whoever waits, and logs why.
pub(crate) fn caught<T>(method: &str, function: impl FnOnce() -> T) -> Result<T, ErrorData> {
    catch_panic_now(function).map_err(|failure| failed(method, &failure))
}

/// Waits for a future, and does with a panic of it as [`caught`].
pub(crate) fn caught_later<'a, T: 'a>(
    method: impl Deref<Target = str> + 'a,
    future: impl Future<Output = T> + 'a,
) -> impl Future<Output = Result<T, ErrorData>> + 'a {
    catch_panic(future).map(move |done| done.map_err(|failure| failed(&method, &failure)))
}

/// Waits for an answer, and does with a panic of it as [`caught`].
pub(crate) fn answered<'a, T: 'a>(
    method: impl Deref<Target = str> + 'a,
    answer: impl Future<Output = Result<T, ErrorData>> + 'a,
) -> impl Future<Output = Result<T, ErrorData>> + 'a {
    caught_later(method, answer).map(Result::flatten)
}

fn failed(method: &str, failure: &Failure) -> ErrorData {
    error!(method, error = %failure, "the server did not answer");
    unanswered(method)
}

/// Returns the error for a request that the server failed to answer, once it is logged why.
pub(super) fn unanswered(method: &str) -> ErrorData {
    let message = format!("the server failed while it answered `{method}`; its log says why");
    ErrorData::internal_error(message, None)
}
