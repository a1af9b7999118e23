//! rmcp's handler trait for the handle of an author. Everything goes on to the service.
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

use super::{Hooked, methods::table};

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
        $(fn $function(
            &self,
            $($request: $params,)?
            context: RequestContext<RoleServer>,
        ) -> impl Future<Output = Result<$result, ErrorData>> + Send + '_ {
            self.service.$function($($request,)? context)
        })*

        forward! {
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
