//! Notifications of clients without sessions. rmcp accepts and drops them; here they reach the protocols and the server.

use std::{
    io,
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures::future::BoxFuture;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions,
        Implementation, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, ServerConfig,
        ServerResult,
    },
    service::{
        NotificationContext, RequestContext, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly,
    },
    transport::Transport,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::lift::Exit;
use crate::server::{HookedService, ServerHandler, carried::MessageFilter};

/// How many notifications without a session are handled at a time. Further ones are dropped.
const AT_A_TIME: usize = 256;

/// How long the handler of such a notification keeps its peer (60 seconds).
const LONGEST: Duration = Duration::from_secs(60);

/// Passes notifications without a session to the server.
pub(super) struct Told {
    serve: Box<dyn Fn(ClientJsonRpcMessage, InitializeRequestParams) -> Handling + Send + Sync>,
    read_wanted: Box<dyn Fn() -> io::Result<Wishes> + Send + Sync>,
    wanted: OnceLock<Wishes>,
    room: Arc<Semaphore>,
}

/// What the middleware of the server want of a message.
pub(super) struct Wishes {
    /// The members of the params of a call.
    pub(super) members_of_a_call: Arc<[&'static str]>,
    /// The middleware that decides about messages.
    pub(super) decider: Option<MessageFilter>,
    /// What may change in a message that leaves.
    pub(super) exit: Exit,
}

type Handling = io::Result<BoxFuture<'static, ()>>;

impl Told {
    /// Creates this for the server that `factory` returns.
    pub(super) fn by(
        factory: impl Fn() -> io::Result<HookedService> + Send + Sync + 'static,
    ) -> Told {
        let factory = Arc::new(factory);
        let wanted = factory.clone();
        Told {
            serve: Box::new(move |message, client| {
                Ok(Box::pin(handle(factory()?, message, client)))
            }),
            read_wanted: Box::new(move || {
                let hooked = wanted()?;
                Ok(Wishes {
                    members_of_a_call: hooked.members_of_a_call().into(),
                    decider: hooked.decider(),
                    exit: Exit::of(hooked.outgoing()),
                })
            }),
            wanted: OnceLock::new(),
            room: Arc::new(Semaphore::new(AT_A_TIME)),
        }
    }

    /// Returns what the middleware want of a message, or `None` if the factory of the server fails.
    pub(super) fn wanted(&self) -> Option<&Wishes> {
        if let Some(wanted) = self.wanted.get() {
            return Some(wanted);
        }
        match (self.read_wanted)() {
            Ok(wanted) => Some(self.wanted.get_or_init(|| wanted)),
            Err(error) => {
                tracing::error!(
                    target: "hooks_sdk::http",
                    %error, "the factory of the server failed"
                );
                None
            }
        }
    }

    /// Passes a message to the server, if it is a notification. `head` is the head of its request.
    pub(super) fn tell(&self, message: &[u8], head: Parts) {
        let Ok(JsonRpcMessage::Notification(mut message)) =
            serde_json::from_slice::<ClientJsonRpcMessage>(message)
        else {
            return;
        };
        let Ok(room) = self.room.clone().try_acquire_owned() else {
            tracing::warn!(
                target: "hooks_sdk::http",
                at_a_time = AT_A_TIME,
                "a notification is dropped: too many are handled already"
            );
            return;
        };
        let client = client(&head);
        message.notification.extensions_mut().insert(head);
        match (self.serve)(JsonRpcMessage::Notification(message), client) {
            Ok(handling) => {
                tokio::spawn(async move {
                    handling.await;
                    drop(room);
                });
            }
            Err(error) => {
                tracing::error!(
                    target: "hooks_sdk::http",
                    %error, "a notification is dropped: the factory of the server failed"
                );
            }
        }
    }
}

/// Returns the client as rmcp describes it for a request without a session.
fn client(head: &Parts) -> InitializeRequestParams {
    let version = head.headers.get(super::VERSION);
    let version = version
        .and_then(|version| version.to_str().ok())
        .map(str::to_owned);
    let version = version.and_then(|version| serde_json::from_value(version.into()).ok());
    InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
        .with_protocol_version(version.unwrap_or(ProtocolVersion::V_2025_03_26))
}

/// Lets the server handle a notification.
async fn handle(
    hooked: HookedService,
    message: ClientJsonRpcMessage,
    client: InitializeRequestParams,
) {
    let handled = CancellationToken::new();
    let listener = NotificationServer {
        hooked,
        handled: handled.clone(),
    };
    let transport = OneNotification {
        message: Some(message),
        handled,
    };
    let serving = serve_directly(listener, transport, Some(client));
    match tokio::time::timeout(LONGEST, serving.waiting()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::error!(
            target: "hooks_sdk::http",
            %error, "a notification was not handled"
        ),
        Err(_) => tracing::warn!(
            target: "hooks_sdk::http",
            seconds = LONGEST.as_secs(),
            "the handler of a notification still runs; its peer is closed"
        ),
    }
}

/// The server for one notification.
struct NotificationServer {
    hooked: HookedService,
    /// Cancelled when the notification is handled.
    handled: CancellationToken,
}

impl Service<RoleServer> for NotificationServer {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.hooked.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let _handled = self.handled.clone().drop_guard();
        self.hooked.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.hooked)
    }
}

/// A transport with one notification. Nothing reaches the client: its request is answered already.
struct OneNotification {
    message: Option<ClientJsonRpcMessage>,
    handled: CancellationToken,
}

impl Transport<RoleServer> for OneNotification {
    type Error = io::Error;

    fn send(
        &mut self,
        _: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let message = "a notification over HTTP has no stream back to its client";
        std::future::ready(Err(io::Error::new(io::ErrorKind::NotConnected, message)))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(message) = self.message.take() {
            return Some(message);
        }
        self.handled.cancelled().await;
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}
