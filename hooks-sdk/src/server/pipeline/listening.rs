//! The resources that `subscriptions/listen` names: each passes the stations as `resources/subscribe` of it would.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{SubscribeRequestParams, SubscriptionFilter},
    service::RequestContext,
};

use super::{Answer, Asked, Call, Named, Request, Way};
use crate::{core::dispatch::catch_panic_now, server::connection::Connection};

/// The method, for logs.
const METHOD: &str = "subscriptions/listen";

/// The mark on a notification whose resource has the name that clients know.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct NamedForClients;

impl Way {
    /// Returns the author's URI of a resource, as far as the stations know it. `None` if clients know no such resource.
    pub(in crate::server) fn own_resource(&self, uri: &str) -> Option<String> {
        let mut stations = self.stations.iter();
        stations.try_fold(uri.to_owned(), |uri, station| station.own_resource(&uri))
    }

    /// Returns the URI under which clients know the author's resource. `None` if they do not know it.
    pub(in crate::server) fn shown_resource(&self, own: &str) -> Option<String> {
        let mut stations = self.stations.iter();
        stations.try_fold(own.to_owned(), |uri, station| station.shown_resource(&uri))
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

    /// Passes a resource that a client wants to listen to through the stations. Returns the author's URI of it.
    ///
    /// # Errors
    ///
    /// Returns the error of the station that refuses it.
    pub(in crate::server) async fn subscribes(
        &self,
        uri: String,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> Result<String, ErrorData> {
        let asked = Asked::Subscribe(SubscribeRequestParams::new(uri.clone()));
        let mut call = Call::new(&asked, connection);
        let mut request = Request { asked, cx };
        let (_, early) = self.before(METHOD, &mut request, &mut call).await;
        let answer = early.map_or(Ok(Answer::Subscribe(())), |answer| *answer);
        for (_, station) in &self.stations.after {
            if let Err(failure) = catch_panic_now(|| station.ended(&mut call, &answer)) {
                tracing::error!(method = METHOD, error = %failure, "a station failed after the end of a request");
            }
        }
        answer?;
        Ok(match request.asked.named() {
            Named::Resource(own) => own.to_owned(),
            _ => uri,
        })
    }
}
