//! The resources that `subscriptions/listen` names: each passes the middleware as `resources/subscribe` of it would.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{SubscribeRequestParams, SubscriptionFilter},
    service::RequestContext,
};

use super::{AuthorRequest, McpRequest, McpResponse, NamedItem, Pipeline, RequestState};
use crate::server::connection::Connection;
use hooks_core::internal::catch_panic_now;

/// The method, for logs.
const METHOD: &str = "subscriptions/listen";

/// The mark on a notification whose resource has the name that clients know.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct NamedForClients;

impl Pipeline {
    /// Returns the author's URI of a resource, as far as the middleware know it. `None` if clients know no such resource.
    pub(in crate::server) fn own_resource(&self, uri: &str) -> Option<String> {
        let mut stack = self.stack.names.iter();
        stack.try_fold(uri.to_owned(), |uri, middleware| {
            middleware.own_resource(&uri)
        })
    }

    /// Returns the URI under which clients know the author's resource. `None` if they do not know it.
    pub(in crate::server) fn shown_resource(&self, own: &str) -> Option<String> {
        let mut stack = self.stack.names.iter();
        stack.try_fold(own.to_owned(), |uri, middleware| {
            middleware.shown_resource(&uri)
        })
    }

    /// Returns the part of the filter that the author's server accepts, in the names of the client.
    pub(in crate::server) fn accepted(
        &self,
        requested: &SubscriptionFilter,
        accept: impl FnOnce(&SubscriptionFilter) -> Option<SubscriptionFilter>,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let own: Vec<(&String, String)> = uris
            .filter_map(|uri| Some((uri, self.own_resource(uri)?)))
            .collect();
        let mut asked = requested.clone();
        if let Some(uris) = &mut asked.resource_subscriptions {
            *uris = own.iter().map(|(_, own)| own.clone()).collect();
        }
        let mut accepted = accept(&asked)?;
        if let Some(uris) = &mut accepted.resource_subscriptions {
            let is_accepted = |own: &String| uris.contains(own);
            let named = own.iter().filter(|(_, own)| is_accepted(own));
            *uris = named.map(|(uri, _)| (*uri).clone()).collect();
        }
        Some(accepted)
    }

    /// Passes a resource that a client wants to listen to through the middleware. Returns the author's URI of it.
    ///
    /// # Errors
    ///
    /// Returns the error of the middleware that refuses it.
    pub(in crate::server) async fn subscribes(
        &self,
        uri: String,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> Result<String, ErrorData> {
        let asked = McpRequest::Subscribe(SubscribeRequestParams::new(uri.clone()));
        let mut call = RequestState::new(&asked, connection);
        let mut request = AuthorRequest { asked, cx };
        let (_, early) = self.before(METHOD, &mut request, &mut call).await;
        let answer = early.map_or(Ok(McpResponse::Subscribe(())), |answer| *answer);
        for (_, middleware) in &self.stack.after {
            if let Err(failure) = catch_panic_now(|| middleware.ended(&mut call, &answer)) {
                tracing::error!(
                    target: "hooks_sdk::server",
                    method = METHOD, error = %failure, "a middleware failed after the end of a request"
                );
            }
        }
        answer?;
        Ok(match request.asked.named() {
            NamedItem::Resource(own) => own.to_owned(),
            _ => uri,
        })
    }
}
