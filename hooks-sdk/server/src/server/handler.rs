//! rmcp's handler trait for a hooked server. Every request goes the same way.
//!
//! [`HookedService`] answers, and is compiled once. [`Hooked`] passes everything on to it.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::borrow::Cow;

// The table of methods names types of `model`.
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{
    Hooked, HookedService,
    methods::table,
    pipeline::{McpRequest, McpResponse, MessageFilter, caught, misplaced},
    request::{count_unseen, was_seen},
    transport::message_decisions::MessageDirection,
};
use hooks_core::internal::catch_panic;

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

/// Writes the handler's functions for notifications that no middleware takes.
macro_rules! told {
    ($($function:ident($($told:ident: $params:ty)?) = $method:literal $kind:ident::$new:ident;)+) => {$(
        async fn $function(&self, $($told: $params,)? context: NotificationContext<RoleServer>) {
            let told = ClientNotification::$kind($kind::$new($($told)?));
            self.tell($method, told, context).await;
        }
    )+};
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
            && let Some(skills) = &pipeline.parts.skills
        {
            skills.declare(&mut info.capabilities);
        }
        info
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        caught("initialize", || self.author.negotiates(request))?
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = || Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS);
        let versions = caught("supported_protocol_versions", || self.author.versions());
        versions.unwrap_or_else(|_| known())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let pipeline = self.pipeline().ok()?;
        let filter = caught("subscriptions/listen", || {
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

    told! {
        on_progress(told: ProgressNotificationParam) = "notifications/progress" ProgressNotification::new;
        on_initialized() = "notifications/initialized" InitializedNotification::default;
        on_roots_list_changed() = "notifications/roots/list_changed" RootsListChangedNotification::default;
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

impl HookedService {
    /// Returns whether a middleware decides about messages, and this notification came by a transport that does not show
    /// them. The notification is then dropped.
    fn is_unseen(&self, method: &str, extensions: &Extensions) -> bool {
        let is_unseen = self.decides(|_| true) && !was_seen(extensions);
        if is_unseen {
            count_unseen("notification");
            error!(
                method,
                "a notification is dropped: it came by a transport on which no guardian sees messages"
            );
        }
        is_unseen
    }

    /// Returns whether a middleware decides about these messages.
    fn decides(&self, these: impl FnOnce(&MessageFilter) -> bool) -> bool {
        let pipeline = self.pipeline();
        pipeline.is_ok_and(|pipeline| pipeline.parts.messages.as_ref().is_some_and(these))
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
            error!(method, error = %failure, "a notification was not handled");
        }
    }
}

/// Writes functions that call the service's function of the same name.
macro_rules! forward {
    ($(fn $function:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $function(&self, $($argument: $type),*) -> $answer {
            ServerHandler::$function(&self.service, $($argument),*)
        })*
    };
}

/// Writes the functions for requests.
macro_rules! forward_requests {
    (
        requests { $($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident
            $wire:tt $facts:tt;)* }
        listen $listen:tt
        custom { $custom:literal: $other:ident($asked:ident: $any:ty) -> $answer:ty = $custom_function:ident; }
        $($rest:tt)*
    ) => {
        forward! {
            $(fn $function($($request: $params,)? context: RequestContext<RoleServer>)
                -> impl Future<Output = Result<$result, ErrorData>> + Send + '_;)*
            fn $custom_function($asked: $any, context: RequestContext<RoleServer>)
                -> impl Future<Output = Result<$answer, ErrorData>> + Send + '_;
        }
    };
}

#[deny(clippy::missing_trait_methods)]
impl<H: ServerHandler> ServerHandler for Hooked<H> {
    table!(forward_requests);

    forward! {
        fn get_tool(name: &str) -> Option<Tool>;
        fn get_info() -> ServerConfig;
        fn negotiate_initialize(request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData>;
        fn supported_protocol_versions() -> Cow<'static, [ProtocolVersion]>;
        fn accepted_subscription_filter(requested: &SubscriptionFilter) -> Option<SubscriptionFilter>;
        fn listen(context: SubscriptionContext) -> impl Future<Output = Result<(), ErrorData>> + Send + '_;
        fn on_cancelled(told: CancelledNotificationParam, context: NotificationContext<RoleServer>)
            -> impl Future<Output = ()> + Send + '_;
        fn on_progress(told: ProgressNotificationParam, context: NotificationContext<RoleServer>)
            -> impl Future<Output = ()> + Send + '_;
        fn on_initialized(context: NotificationContext<RoleServer>) -> impl Future<Output = ()> + Send + '_;
        fn on_roots_list_changed(context: NotificationContext<RoleServer>) -> impl Future<Output = ()> + Send + '_;
        fn on_custom_notification(told: CustomNotification, context: NotificationContext<RoleServer>)
            -> impl Future<Output = ()> + Send + '_;
    }
}
