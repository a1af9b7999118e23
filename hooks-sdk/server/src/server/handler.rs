//! rmcp's handler trait for a hooked server. Every request goes the same way.
//!
//! [`HookedService`] answers, and is compiled once. [`Hooked`](super::Hooked) passes everything on to it.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::{borrow::Cow, future::ready};

use futures::{
    FutureExt,
    future::{BoxFuture, Either},
};
// The table of methods names types of `model`.
use rmcp::{
    ErrorData, RoleServer, ServerHandler, Service,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};

use super::{
    HookedService,
    methods::{self, table},
    pipeline::{McpRequest, McpResponse, MessageFilter, failed, misplaced},
    request::{count_unseen, is_stateless, was_seen},
    transport::{
        message_decisions::MessageDirection,
        normalise::{CLIENT_CAPABILITIES, PROTOCOL_VERSION},
    },
};
use hooks_core::internal::{catch_panic, catch_panic_now};

/// Writes the handler's functions for requests.
macro_rules! handlers {
    (
        requests { $($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident
            $wire:tt $facts:tt;)* }
        listen $listen:tt
        custom { $custom:literal: $other:ident($asked:ident: $any:ty) -> $answer:ty = $custom_function:ident; }
        $($rest:tt)*
    ) => {
        $(handler!($method: $kind($($request: $params)?) -> $result = $function);)*
        handler!($custom: $other($asked: $any) -> $answer = $custom_function);
    };
}

macro_rules! handler {
    ($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident) => {
        fn $function(
            &self,
            $($request: $params,)?
            context: RequestContext<RoleServer>,
        ) -> impl Future<Output = Result<$result, ErrorData>> + Send + '_ {
            // The future of an `async fn` would hold the request as well, and rmcp moves it several times.
            let answer = self.go(McpRequest::$kind($($request)?), context);
            async move {
                match answer.await? {
                    McpResponse::$kind(result) => Ok(result),
                    _ => Err(misplaced($method)),
                }
            }
        }
    };
}

// rmcp may add a method in a later version. Its default would bypass the author's server.
#[deny(clippy::missing_trait_methods)]
impl ServerHandler for HookedService {
    table!(handlers);

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let pipeline = self.pipeline().ok()?;
        pipeline.shown(pipeline.tool(name)?)
    }

    fn get_info(&self) -> ServerConfig {
        // rmcp calls this outside the pipeline of requests, where a panic would lose an answer. `info` logs the panic.
        let mut info = self.author.info().unwrap_or_default();
        // It asks here whether the server has skills, and refuses requests about them otherwise.
        #[cfg(feature = "guidance")]
        if let Ok(pipeline) = &self.pipeline()
            && let Some(skills) = &pipeline.parts().skills
        {
            skills.declare(&mut info.capabilities);
        }
        info
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.ask("initialize", || self.author.negotiates(request))?
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = || Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS);
        let versions = self.ask("supported_protocol_versions", || self.author.versions());
        versions.unwrap_or_else(|_| known())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let pipeline = self.pipeline().ok()?;
        let filter = self.ask("subscriptions/listen", || {
            self.author.accepts(&pipeline.heard(requested))
        });
        filter.ok().flatten()
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let pipeline = self.pipeline()?;
        let connection = self.connection(&context.request_context().extensions, pipeline);
        Box::pin(pipeline.listen(context, connection)).await
    }

    async fn on_cancelled(
        &self,
        mut notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        // No middleware decides about a cancellation, so it must tell the author nothing where one decides about messages.
        if self.decides(|filter| filter.decides(MessageDirection::Server)) {
            notification.reason = None;
        }
        let told = CancelledNotification::new(notification);
        let told = ClientNotification::CancelledNotification(told);
        self.hear("notifications/cancelled", told, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        let told = ProgressNotification::new(notification);
        let told = ClientNotification::ProgressNotification(told);
        self.tell("notifications/progress", told, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let told = InitializedNotification::default();
        let told = ClientNotification::InitializedNotification(told);
        self.tell("notifications/initialized", told, context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        let told = RootsListChangedNotification::default();
        let told = ClientNotification::RootsListChangedNotification(told);
        self.tell("notifications/roots/list_changed", told, context)
            .await;
    }

    async fn on_custom_notification(
        &self,
        mut notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        let method = notification.method.clone();
        if self.is_unseen(&method, &context.extensions) {
            return;
        }
        if let Ok(pipeline) = self.pipeline() {
            let connection = self.connection(&context.extensions, pipeline);
            if pipeline.notice(&mut notification, &connection) {
                return;
            }
        }
        let told = ClientNotification::CustomNotification(notification);
        self.hear(&method, told, context).await;
    }
}

/// Returns whether `initialize` began the session of a request, and the request names no revision and no capabilities.
fn is_of_session(context: &RequestContext<RoleServer>) -> bool {
    let own = [PROTOCOL_VERSION, CLIENT_CAPABILITIES];
    !own.iter().any(|name| context.meta.get(*name).is_some()) && context.peer.peer_info().is_some()
}

/// Moves structured content that is no object, which revisions before 2026-07-28 do not allow, into a text, unless the first text
/// is the same JSON. rmcp has a function for it since 3.11.
fn without_other_output(mut result: CallToolResult) -> CallToolResult {
    if let Some(output) = result
        .structured_content
        .take_if(|output| !output.is_object())
    {
        let first = result.content.first().and_then(ContentBlock::as_text);
        let read = first.and_then(|text| serde_json::from_str::<Value>(&text.text).ok());
        if read.as_ref() != Some(&output) {
            let text = ContentBlock::text(output.to_string());
            result.content.insert(0, text);
        }
    }
    result
}

impl HookedService {
    /// Answers a request of a connection that has had its handshake.
    ///
    /// rmcp answers most of them, by [`ServerHandler`]. A call of a tool in a session of `initialize` needs none of its checks
    /// before, and two after.
    pub(super) fn answer(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        let request = match request {
            ClientRequest::CallToolRequest(call) if is_of_session(&context) => call.params,
            other => return Either::Left(Box::pin(self.handle_request(other, context))),
        };
        let peer = context.peer.clone();
        let answer = self.go(McpRequest::CallTool(request), context);
        Either::Right(answer.map(move |answer| match answer? {
            McpResponse::CallTool(CallToolResponse::Complete(result)) => {
                let mut result = ServerResult::CallToolResult(without_other_output(result));
                result.strip_result_type_for_legacy_peer();
                Ok(result)
            }
            McpResponse::CallTool(CallToolResponse::Task(created)) => {
                let client = peer.peer_info();
                if client.is_some_and(|client| client.capabilities.supports_tasks()) {
                    return Ok(CallToolResponse::Task(created).into());
                }
                let tasks = ClientCapabilities::builder().enable_tasks().build();
                Err(ErrorData::missing_required_client_capability(tasks))
            }
            McpResponse::CallTool(CallToolResponse::InputRequired(_)) => {
                let message =
                    "InputRequiredResult requires negotiated protocol version 2026-07-28 or newer";
                Err(ErrorData::invalid_request(message, None))
            }
            _ => Err(misplaced("tools/call")),
        }))
    }

    /// Passes a request through the middleware to the author's server, and back.
    fn go(
        &self,
        asked: McpRequest,
        context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<McpResponse, ErrorData>> {
        let pipeline = match self.pipeline() {
            Ok(pipeline) => pipeline,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let connection = self.connection(&context.extensions, pipeline);
        // The peer of a probe before the handshake reaches nobody.
        if !matches!(asked, McpRequest::Discover()) {
            connection.speaks_with(&context.peer);
        }
        let McpRequest::Custom(request) = &asked else {
            return pipeline.run(asked, context, connection);
        };
        let stateless = is_stateless(&context);
        let refused = methods::refused(&context.extensions);
        if let Some(error) = refused.or_else(|| methods::wrong_shape(request, stateless)) {
            return Box::pin(ready(Err(error)));
        }
        let answer = pipeline.run(asked, context, connection);
        Box::pin(async move {
            let mut answer = answer.await?;
            if let (true, McpResponse::Custom(CustomResult(Value::Object(members)))) =
                (stateless, &mut answer)
            {
                members
                    .entry("resultType")
                    .or_insert_with(|| json!("complete"));
            }
            Ok(answer)
        })
    }

    /// Returns whether a middleware decides about messages, and this notification came by a transport that does not show
    /// them. The notification is then dropped.
    fn is_unseen(&self, method: &str, extensions: &Extensions) -> bool {
        let is_unseen = self.decides(|_| true) && !was_seen(extensions);
        if is_unseen {
            count_unseen("notification");
            tracing::error!(
                target: "hooks_sdk::server",
                method,
                "a notification is dropped: it came by a transport on which no guardian sees messages"
            );
        }
        is_unseen
    }

    /// Returns whether a middleware decides about these messages.
    fn decides(&self, these: impl FnOnce(&MessageFilter) -> bool) -> bool {
        let pipeline = self.pipeline();
        pipeline.is_ok_and(|pipeline| pipeline.parts().messages.as_ref().is_some_and(these))
    }

    /// Lets the author's server handle a notification, unless it is [unseen](HookedService::is_unseen).
    async fn tell(
        &self,
        method: &str,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) {
        if !self.is_unseen(method, &context.extensions) {
            self.hear(method, notification, context).await;
        }
    }

    /// Lets the author's server handle a notification. If the server panics, logs the panic.
    async fn hear(
        &self,
        method: &str,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) {
        if let Err(failure) = catch_panic(self.author.hears(notification, context)).await {
            tracing::error!(
                target: "hooks_sdk::server",
                method, error = %failure, "a notification was not handled"
            );
        }
    }

    /// Calls a synchronous function of the author's server. If it panics, returns an internal error.
    fn ask<T>(&self, method: &str, answer: impl FnOnce() -> T) -> Result<T, ErrorData> {
        catch_panic_now(answer).map_err(|failure| failed(method, &failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_is_no_object_becomes_the_first_text_once() {
        let moved = |texts: &[&str], output: Value| {
            let blocks = texts.iter().map(|text| ContentBlock::text(*text)).collect();
            let mut result = CallToolResult::success(blocks);
            result.structured_content = Some(output);
            let moved = without_other_output(result);
            let texts = moved.content.iter().filter_map(ContentBlock::as_text);
            let texts: Vec<String> = texts.map(|text| text.text.clone()).collect();
            (texts, moved.structured_content.is_some())
        };
        let list = json!(["a", "b"]);
        let text = |text: &str| text.to_owned();
        let once = vec![text(r#"["a","b"]"#)];
        assert_eq!(moved(&[], list.clone()), (once, false));
        let spaced = r#"["a", "b"]"#;
        assert_eq!(moved(&[spaced], list.clone()), (vec![text(spaced)], false));
        let before = vec![text(r#"["a","b"]"#), text("two names")];
        assert_eq!(moved(&["two names"], list), (before, false));
        let object = moved(&["x"], json!({"a": 1}));
        assert_eq!(object, (vec![text("x")], true));
    }
}
