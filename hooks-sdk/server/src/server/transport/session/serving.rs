//! What rmcp's loop does for a session: the handshake, notifications and answers of the client, and what the server sends by its
//! peer.

use std::{future::pending, io, pin::pin, sync::Arc, time::Duration};

use futures::future::{Either, select};
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, InitializeRequestParams, JsonObject, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{sync::mpsc, time::timeout};

use super::Session;
use crate::server::{
    pipeline::{CallService, served_directly},
    transport::message::answers,
};

/// How long the handler of a notification without a session keeps its peer (60 seconds).
const LONGEST: Duration = Duration::from_secs(60);

/// The peer of a client that keeps no session, and rmcp's loop behind it.
pub(crate) type SessionPeer = CallService;

/// The transport of a session, for rmcp's loop.
pub(crate) struct SessionTransport {
    session: Arc<Session>,
    told: mpsc::Receiver<Box<ClientJsonRpcMessage>>,
    /// The answers to requests of the server that a middleware has refused.
    refused: Option<mpsc::UnboundedReceiver<JsonObject>>,
}

impl SessionTransport {
    pub(super) fn new(
        session: Arc<Session>,
        told: mpsc::Receiver<Box<ClientJsonRpcMessage>>,
        refused: Option<mpsc::UnboundedReceiver<JsonObject>>,
    ) -> SessionTransport {
        SessionTransport {
            session,
            told,
            refused,
        }
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let Some(id) = answers(&item) {
            self.session.load.answered(id, None);
        }
        self.session.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let refused = async {
                match &mut self.refused {
                    Some(refused) => refused.recv().await,
                    None => pending().await,
                }
            };
            let (told, refused) = (pin!(self.told.recv()), pin!(refused));
            let ended = pin!(self.session.end.cancelled());
            let answer = match select(select(told, refused), ended).await {
                Either::Left((Either::Left((message, _)), _)) => return message.map(|told| *told),
                Either::Left((Either::Right((answer, _)), _)) => answer?,
                Either::Right(_) => return None,
            };
            // An object of JSON is always text.
            let answer = serde_json::to_vec(&answer).unwrap_or_default();
            if let Ok(Some(read)) = self.session.read(&answer)
                && let Some(message) = self.session.arrives(read)
            {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.session.close().await;
        Ok(())
    }
}

impl Session {
    /// Serves the peer of this session, for the only message of a client that keeps none. `client` is what rmcp knows of the
    /// client. The session ends when the peer is dropped, or has had the notification.
    pub(crate) fn serves_alone(
        &self,
        transport: SessionTransport,
        client: InitializeRequestParams,
    ) -> SessionPeer {
        let handled = Some(self.end.clone());
        served_directly(self.service.clone(), handled, transport, client)
    }

    /// Lets the server handle a notification, of a client that keeps no session.
    pub(crate) async fn is_told_alone(
        &self,
        peer: SessionPeer,
        notification: ClientJsonRpcMessage,
    ) {
        self.tell(notification).await;
        if timeout(LONGEST, self.end.cancelled()).await.is_err() {
            tracing::warn!(
                target: "hooks_sdk::http",
                seconds = LONGEST.as_secs(),
                "the handler of a notification still runs; its peer is closed"
            );
        }
        drop(peer);
    }
}
