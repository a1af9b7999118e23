//! The author's server without its type. On the pipeline of a request, only this file is generic.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::{any::Any, borrow::Cow};

use futures::{
    FutureExt,
    future::{BoxFuture, lazy},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, Service,
    model::{
        ClientNotification, InitializeRequestParams, InitializeResult, ProtocolVersion,
        ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{McpRequest, McpResponse, failed, marks};
use crate::server::methods::table;
use hooks_core::internal::catch_panic_now;

/// The author's server. The supertrait [`Any`] lets functions that were written for the server's type get it back.
pub(in crate::server) trait Author: Any + Send + Sync {
    /// Returns what the author's `get_tool` returns. If it panics, logs the panic and returns `None`.
    fn tool(&self, name: &str) -> Option<Tool>;

    /// Returns what the author's `get_info` returns.
    ///
    /// # Errors
    ///
    /// Returns an error if it panics.
    fn info(&self) -> Result<ServerConfig, ErrorData>;

    /// Lets the author's server answer. The answer has none of the SDK's own [marks]. The [pipeline](super)
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
        marks::remove(&mut answer);
        answer
    }))
}
