//! `subscriptions/listen`: each resource passes the middleware as `resources/subscribe` of it would, then the client gets its
//! acknowledgement, and the author's server listens.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{
        GetMeta, ServerNotification, SubscribeRequestParams, SubscriptionFilter,
        SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    },
    service::SubscriptionContext,
};

use super::{AuthorRequest, McpRequest, McpResponse, NamedItem, Pipeline, RequestState, answered};
use crate::server::{
    McpContext, connection::Connection, request::is_lifted, transport::marks::mark_granted,
};

/// The method, for logs.
const METHOD: &str = "subscriptions/listen";

impl Pipeline {
    /// Returns the filter without the resources whose updates do not leave.
    pub(crate) fn heard(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut heard = requested.clone();
        if let Some(uris) = &mut heard.resource_subscriptions {
            uris.retain(|uri| !self.parts.hides(uri));
        }
        heard
    }

    /// Lets the author's server listen, if the middleware let each resource pass.
    /// Returns the error of a middleware or of the author's server.
    pub(crate) async fn listen(
        &self,
        context: SubscriptionContext,
        connection: Arc<Connection>,
    ) -> Result<(), ErrorData> {
        let cx = context.request_context();
        let accepted = context.accepted();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            Box::pin(self.subscribes(uri, cx.clone(), connection.clone())).await?;
        }
        if is_lifted(&cx.extensions) {
            acknowledge(cx, accepted.clone()).await?;
        }
        Box::pin(answered(METHOD, self.author.listens(context))).await
    }

    /// Passes a resource that a client wants to listen to through the middleware.
    /// Returns the error of the middleware that refuses it, or an error if a hook gives the request another resource: a
    /// subscription keeps those that the client named.
    async fn subscribes(
        &self,
        uri: &str,
        cx: McpContext,
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

/// Tells the client what it listens to. The transport has dropped rmcp's own acknowledgement, which came before the middleware had
/// decided.
async fn acknowledge(cx: &McpContext, accepted: SubscriptionFilter) -> Result<(), ErrorData> {
    let params = SubscriptionsAcknowledgedNotificationParams::new(accepted);
    let told = SubscriptionsAcknowledgedNotification::new(params);
    let mut told = ServerNotification::SubscriptionsAcknowledgedNotification(told);
    told.get_meta_mut().set_subscription_id(cx.id.clone());
    mark_granted(&mut told);
    let sent = cx.peer.send_notification(told).await;
    sent.map_err(|error| {
        let message = format!("the subscription could not be acknowledged: {error}");
        ErrorData::internal_error(message, None)
    })
}
