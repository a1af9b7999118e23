//! The resources that `subscriptions/listen` names: each passes the middleware as `resources/subscribe` of it would.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        JsonRpcMessage, ResourceUpdatedNotification, ResourceUpdatedNotificationParam,
        ServerNotification, SubscribeRequestParams, SubscriptionFilter,
    },
    service::RequestContext,
};

use super::{AuthorRequest, McpRequest, McpResponse, NamedItem, Pipeline, RequestState};
use crate::server::connection::Connection;

/// The method, for logs.
const METHOD: &str = "subscriptions/listen";

impl Pipeline {
    /// Returns the filter without the resources whose updates do not leave.
    pub(in crate::server) fn heard(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut heard = requested.clone();
        if let Some(uris) = &mut heard.resource_subscriptions {
            uris.retain(|uri| {
                let updated = ResourceUpdatedNotificationParam::new(uri);
                let updated = ResourceUpdatedNotification::new(updated);
                let updated = ServerNotification::ResourceUpdatedNotification(updated);
                let updated = JsonRpcMessage::notification(updated);
                !self.parts.withholds(&updated)
            });
        }
        heard
    }

    /// Passes a resource that a client wants to listen to through the middleware.
    ///
    /// # Errors
    ///
    /// Returns the error of the middleware that refuses it, or an error if a hook gives the request another resource: a
    /// subscription keeps those that the client named.
    pub(in crate::server) async fn subscribes(
        &self,
        uri: &str,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> Result<(), ErrorData> {
        let asked = McpRequest::Subscribe(SubscribeRequestParams::new(uri));
        let mut call = RequestState::new(&asked, connection);
        let mut request = AuthorRequest { asked, cx };
        let early = self.before(METHOD, &mut request, &mut call).await;
        let answer = early.map_or(Ok(McpResponse::Subscribe(())), |answer| *answer);
        self.ended(METHOD, &mut call, &answer);
        answer?;
        match request.asked.named() {
            NamedItem::Resource(own) if own != uri => {
                let reason = format!(
                    "a hook of this server reads another resource for `{uri}`, so nobody can listen to it"
                );
                Err(ErrorData::invalid_params(reason, None))
            }
            _ => Ok(()),
        }
    }
}
