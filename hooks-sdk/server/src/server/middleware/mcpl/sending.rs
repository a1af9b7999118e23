//! Sends the SDK's own requests and notifications, by rmcp's peer.

use std::sync::{Arc, Mutex, Weak};

use futures::FutureExt;
#[cfg(feature = "http")]
use rmcp::service::OriginatingRequestId;
use rmcp::{
    RoleServer, ServiceError,
    model::{
        ClientResult, CustomNotification, CustomRequest, RequestId, ServerNotification,
        ServerRequest,
    },
    service::{Peer, PeerRequestOptions, RequestHandle},
};
use serde_json::Value;

#[cfg(feature = "http")]
use crate::server::transport::session::ORIGIN;
use crate::server::{connection::Connection, lock};
use hooks_mcpl::{
    ErrorObject,
    internal::{ChunkSink, Outgoing, Wire, WireError},
};

/// The mark on the SDK's own requests. By it the wire shim distinguishes them from the author's requests.
#[derive(Clone, Debug)]
pub(super) struct OwnRequest(pub(super) Option<ChunkSink>);

/// The peer by which messages reach the host. After `server/discover` alone, the peer does not reach the host yet.
#[derive(Clone)]
pub(super) struct HostPeer(Arc<Mutex<Peer<RoleServer>>>);

impl HostPeer {
    pub(super) fn by(peer: Peer<RoleServer>) -> HostPeer {
        HostPeer(Arc::new(Mutex::new(peer)))
    }

    /// Takes the peer of a later request, if the current peer does not reach the host.
    pub(super) fn or_by(&self, peer: &Peer<RoleServer>) {
        let mut at_hand = lock(&self.0);
        if at_hand.is_transport_closed() {
            at_hand.clone_from(peer);
        }
    }

    fn peer(&self) -> Peer<RoleServer> {
        lock(&self.0).clone()
    }
}

/// Returns the functions by which a link sends messages.
pub(super) fn wire(host: HostPeer, connection: &Arc<Connection>) -> Wire {
    let notifying = host.clone();
    let connection = Arc::downgrade(connection);
    Wire {
        request: Box::new(move |outgoing| {
            request(host.peer(), connection.clone(), outgoing).boxed()
        }),
        notify: Box::new(move |method, params| {
            let notification = CustomNotification::new(method, Some(params));
            let notification = ServerNotification::CustomNotification(notification);
            let peer = notifying.peer();
            async move {
                let sent = peer.send_notification(notification).await;
                sent.map_err(|_| WireError::Closed)
            }
            .boxed()
        }),
    }
}

async fn request(
    peer: Peer<RoleServer>,
    connection: Weak<Connection>,
    outgoing: Outgoing,
) -> Result<Value, WireError> {
    let mut custom = CustomRequest::new(outgoing.method, Some(outgoing.params));
    custom
        .extensions
        .insert(OwnRequest(outgoing.chunks.clone()));
    #[cfg(feature = "http")]
    if let Ok(origin) = ORIGIN.try_with(Clone::clone) {
        custom.extensions.insert(OriginatingRequestId(origin));
    }
    let custom = ServerRequest::CustomRequest(custom);
    let handle = peer
        .send_cancellable_request(custom, PeerRequestOptions::no_options())
        .await
        .map_err(|error| match error {
            // This error is rmcp's, not the host's: rmcp sends no requests on a revision that has none.
            ServiceError::McpError(_) => WireError::Forbidden,
            _ => WireError::Closed,
        })?;
    if let Some(connection) = connection.upgrade() {
        connection.host.sent(handle.id.clone(), outgoing.chunks);
    }
    let mut under_way = UnderWay {
        id: handle.id.clone(),
        handle: Some(handle),
        connection,
    };
    let Some(handle) = &mut under_way.handle else {
        return Err(WireError::Closed);
    };
    let answer = tokio::time::timeout(outgoing.deadline, &mut handle.rx).await;
    let answer = answer.map_err(|_| WireError::TimedOut)?;
    under_way.handle = None;
    match answer {
        Ok(Ok(result)) => Ok(whole(result)),
        Ok(Err(ServiceError::McpError(error))) => {
            let mut refused = ErrorObject::new(error.code.0.into(), error.message);
            refused.data = error.data;
            Err(WireError::Refused(refused))
        }
        _ => Err(WireError::Closed),
    }
}

/// A request that waits for its answer. If it is dropped before the answer, the SDK sends the host a cancellation.
struct UnderWay {
    id: RequestId,
    handle: Option<RequestHandle<RoleServer>>,
    connection: Weak<Connection>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.upgrade() {
            connection.host.settled(&self.id);
        }
        // This runs in a separate task, because sending to a host that does not read may take long.
        if let Some(handle) = self.handle.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                let reason = "nobody waits for the answer any more";
                _ = handle.cancel(Some(reason.to_owned())).await;
            });
        }
    }
}

/// Returns an answer as JSON. With the wire shim it is the host's own answer. Without the shim, rmcp has guessed its
/// type and dropped the rest.
fn whole(result: ClientResult) -> Value {
    match result {
        ClientResult::CustomResult(custom) => custom.0,
        guessed => serde_json::to_value(guessed).unwrap_or_default(),
    }
}
