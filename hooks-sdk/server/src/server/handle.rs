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

/// Writes the functions of the handle for requests.
macro_rules! forwarding {
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

        fn $custom_function(
            &self,
            $asked: $any,
            context: RequestContext<RoleServer>,
        ) -> impl Future<Output = Result<$answer, ErrorData>> + Send + '_ {
            self.service.$custom_function($asked, context)
        }
    };
}

#[deny(clippy::missing_trait_methods)]
impl<H: ServerHandler> ServerHandler for Hooked<H> {
    table!(forwarding);

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.service.get_tool(name)
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.service)
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.service.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.service)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.service.accepted_subscription_filter(requested)
    }

    fn listen(
        &self,
        context: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.service.listen(context)
    }

    fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.service.on_cancelled(notification, context)
    }

    fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.service.on_progress(notification, context)
    }

    fn on_initialized(
        &self,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.service.on_initialized(context)
    }

    fn on_roots_list_changed(
        &self,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.service.on_roots_list_changed(context)
    }

    fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.service.on_custom_notification(notification, context)
    }
}
