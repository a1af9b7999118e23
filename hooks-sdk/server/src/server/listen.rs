//! `subscriptions/listen`: the middleware decide about each resource, then the client gets its acknowledgement, and the author's
//! server listens.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        GetMeta, ServerNotification, SubscriptionFilter, SubscriptionsAcknowledgedNotification,
        SubscriptionsAcknowledgedNotificationParams,
    },
    service::{RequestContext, SubscriptionContext},
};

use super::{
    connection::Connection,
    pipeline::{Author, Pipeline, failed},
    request::is_lifted,
    transport::marks::mark_granted,
};
use hooks_core::internal::catch_panic;

/// Lets the author's server listen, if the middleware let each resource pass.
///
/// # Errors
///
/// Returns the error of a middleware or of the author's server.
pub(super) async fn listen(
    author: &Arc<dyn Author>,
    context: SubscriptionContext,
    pipeline: &Pipeline,
    connection: Arc<Connection>,
) -> Result<(), ErrorData> {
    let cx = context.request_context();
    let accepted = context.accepted();
    for uri in accepted.resource_subscriptions.iter().flatten() {
        let subscribing = pipeline.subscribes(uri, cx.clone(), connection.clone());
        Box::pin(subscribing).await?;
    }
    if is_lifted(&cx.extensions) {
        acknowledge(cx, accepted.clone()).await?;
    }
    let listening = Box::pin(catch_panic(author.listens(context))).await;
    listening.unwrap_or_else(|failure| Err(failed("subscriptions/listen", &failure)))
}

/// Tells the client what it listens to. The transport has dropped rmcp's own acknowledgement, which came before the middleware had
/// decided.
async fn acknowledge(
    cx: &RequestContext<RoleServer>,
    accepted: SubscriptionFilter,
) -> Result<(), ErrorData> {
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
