//! The transport of one session: rmcp's own, with the order of requests, the middleware, and ids that nobody can guess.

use std::{mem, sync::Arc};

use futures::{
    FutureExt, TryFutureExt,
    future::{Either, lazy, ready},
};
use http::request::Parts;
use rmcp::{
    RoleServer,
    model::{
        ClientNotification, ClientResult, GetExtensions, GetMeta, JsonObject, JsonRpcError,
        JsonRpcMessage, NumberOrString, ProgressToken, ServerNotification,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport, WorkerTransport, streamable_http_server::session::local::LocalSessionWorker,
    },
};

use super::{
    body::unwrapped,
    ids::{Ids, ReplicaId},
    sessions::{SessionIds, Strays},
};
use crate::server::carried::{ByTransport, SessionConnection};

type SessionWorker = WorkerTransport<LocalSessionWorker>;

/// The transport of one session.
pub(in crate::http) struct SessionTransport {
    inner: SessionWorker,
    connection: SessionConnection,
    ids: Ids,
    strays: Arc<Strays>,
    in_use: SessionIds,
}

impl SessionTransport {
    pub(super) fn new(
        inner: SessionWorker,
        replica: ReplicaId,
        strays: Arc<Strays>,
        in_use: SessionIds,
    ) -> SessionTransport {
        SessionTransport {
            inner,
            connection: SessionConnection::new(),
            ids: Ids::of(replica),
            strays,
            in_use,
        }
    }

    /// Gives a request of the server, or its cancellation, the id that the client knows.
    fn name(&mut self, message: &mut TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                let token = request.request.get_meta().get_progress_token();
                let has_token = token.is_some();
                let name = self.ids.name(request.id.clone(), token);
                if has_token {
                    let token = ProgressToken(NumberOrString::String(name.clone()));
                    request.request.get_meta_mut().set_progress_token(token);
                }
                request.id = NumberOrString::String(name);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(name) = self.ids.given_up(id)
                {
                    *id = NumberOrString::String(name);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Returns the client's message with rmcp's ids. Returns `None` for a message that belongs to no open request, and
    /// for a message that a middleware took.
    fn read(
        &mut self,
        mut message: RxJsonRpcMessage<RoleServer>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut id = None;
        match &mut message {
            JsonRpcMessage::Response(response) => {
                let is_whole = self.connection.settles(&response.id);
                id = Some(self.answered(&response.id)?);
                let result = mem::replace(&mut response.result, ClientResult::empty(()));
                response.result = unwrapped(result, is_whole);
            }
            JsonRpcMessage::Error(JsonRpcError { id: Some(of), .. }) => {
                id = Some(self.answered(of)?);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::ProgressNotification(progress) =
                    &mut notification.notification
                {
                    let token = &mut progress.params.progress_token;
                    let Some(own) = self.ids.token(token) else {
                        self.strays.count("progress");
                        return None;
                    };
                    *token = own;
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Error(_) => {}
        }
        let by_transport = by_transport(&message);
        if let Some(by_transport) = by_transport {
            self.connection.takes(&by_transport.post);
        }
        let members = by_transport.and_then(|by_transport| by_transport.members.clone());
        let none = JsonObject::new();
        let members = members.as_deref().unwrap_or(&none);
        let mut message = self.connection.arrived(message, members)?;
        // The middleware know the server's requests by the ids that the client knows.
        if let Some(own) = id {
            match &mut message {
                JsonRpcMessage::Response(response) => response.id = own,
                JsonRpcMessage::Error(error) => error.id = Some(own),
                _ => {}
            }
        }
        Some(message)
    }

    fn answered(&mut self, name: &NumberOrString) -> Option<NumberOrString> {
        let own = self.ids.answered(name);
        if own.is_none() {
            self.strays.count("answer");
        }
        own
    }
}

/// Returns the mark that the transport put on a request.
fn by_transport(message: &RxJsonRpcMessage<RoleServer>) -> Option<&ByTransport> {
    let JsonRpcMessage::Request(request) = message else {
        return None;
    };
    let head = request.request.extensions().get::<Parts>()?;
    head.extensions.get::<ByTransport>()
}

impl Transport<RoleServer> for SessionTransport {
    type Error = <SessionWorker as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(response) => self.in_use.ids.answered(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => {
                self.in_use.ids.answered(id);
            }
            _ => {}
        }
        self.name(&mut item);
        let Some(leaving) = self.connection.leaves(&mut item) else {
            return Either::Left(ready(Ok(())));
        };
        let sending = self.inner.send(item);
        // An `async` block would have room for the message twice, and rmcp moves the future several times.
        Either::Right(
            lazy(move |_| {
                leaving.begins();
                leaving
            })
            .then(move |leaving| sending.map_ok(move |()| leaving.ended())),
        )
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.connection.close();
                return None;
            };
            if let Some(message) = self.read(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.connection.close();
        self.connection.finished().await;
        self.inner.close().await
    }
}
