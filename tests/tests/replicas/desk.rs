//! The server of these tests, and its replicas.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use hooks_sdk::{Hooked, WithHooks, http};
use hooks_tests::{
    client::{Client, Reply},
    faulty_store::FaultyStore,
};
use rmcp::{
    RoleServer, ServerHandler,
    model::{
        ClientResult, CustomNotification, ElicitRequest, ProgressNotificationParam,
        ServerNotification, ServerRequest,
    },
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A secret in each message that the server sends by itself.
pub(crate) const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

#[derive(Clone)]
pub(crate) struct Desk {
    name: usize,
    /// One permit for each call of `wait` that was given up.
    pub(crate) given_up: Arc<Semaphore>,
    /// A call of `work` takes one permit to end.
    pub(crate) leave: Arc<Semaphore>,
}

#[tool_router]
impl Desk {
    /// Which replica is asked?
    #[tool]
    async fn name(&self) -> String {
        self.name.to_string()
    }

    /// Asks the user.
    #[tool]
    async fn ask(&self, cx: RequestContext<RoleServer>) -> String {
        let schema = json!({"type": "object", "properties": {}});
        let message = format!("Does {} hear you?", self.name);
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        let params = serde_json::from_value(params).expect("a question");
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        match cx.peer.send_request(request).await {
            Ok(ClientResult::ElicitResult(answer)) => json!(answer).to_string(),
            other => format!("{other:?}"),
        }
    }

    /// Tells the client something that belongs to no request.
    #[tool]
    async fn tell(&self, cx: RequestContext<RoleServer>) -> String {
        let params = json!({"from": self.name, "said": TOKEN});
        let told = CustomNotification::new("notifications/told", Some(params));
        let told = ServerNotification::CustomNotification(told);
        cx.peer.send_notification(told).await.expect("told");
        "told".to_owned()
    }

    /// Waits until the client gives up.
    #[tool]
    async fn wait(&self, cx: RequestContext<RoleServer>) -> String {
        cx.ct.cancelled().await;
        self.given_up.add_permits(1);
        "given up".to_owned()
    }

    /// Reports progress, and ends when it may.
    #[tool]
    async fn work(&self, cx: RequestContext<RoleServer>) -> String {
        let token = cx.meta.get_progress_token().expect("a token");
        for step in 1..=3 {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
            let progress = progress.with_message(TOKEN);
            cx.peer.notify_progress(progress).await.expect("a report");
            if step == 2 {
                self.leave.acquire().await.expect("leave").forget();
            }
        }
        "worked".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

/// A replica on a port.
pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    pub(crate) desk: Desk,
    _stop: tokio_util::sync::DropGuard,
}

impl From<&Replica> for SocketAddr {
    fn from(replica: &Replica) -> SocketAddr {
        replica.address
    }
}

/// Opens a session of a user.
pub(crate) async fn open(at: &Replica, user: &str) -> Client {
    let client = Client::stranger(at.address).with("x-user", user);
    let client = client.capable(json!({"elicitation": {}}));
    client.shake_hands().await.0
}

/// Sends a ping.
pub(crate) async fn ping(client: &Client) -> Reply {
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    client.post(&ping.to_string()).await.whole().await
}

/// The user's answer to a question.
pub(crate) fn accepted(by: &str) -> Value {
    json!({"action": "accept", "content": {"by": by}})
}

/// Serves some replicas over one store.
pub(crate) async fn serve<const N: usize>(
    store: &FaultyStore,
    settings: impl Fn(http::Server<Desk>) -> http::Server<Desk>,
) -> [Replica; N] {
    serve_with(store, |hooked| hooked, settings).await
}

/// Serves some replicas over one store, each with these hooks.
pub(crate) async fn serve_with<const N: usize>(
    store: &FaultyStore,
    hooks: impl Fn(Hooked<Desk>) -> Hooked<Desk>,
    settings: impl Fn(http::Server<Desk>) -> http::Server<Desk>,
) -> [Replica; N] {
    let mut replicas = Vec::new();
    for name in 0..N {
        let desk = Desk {
            name,
            given_up: Arc::new(Semaphore::new(0)),
            leave: Arc::new(Semaphore::new(0)),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let hooked = hooks(desk.clone().with_hooks().expect("sound hooks"));
        let server = http::Server::new(hooked)
            .store(store.clone())
            .drain(Duration::from_secs(1))
            .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()));
        let server = settings(server);
        let stop = CancellationToken::new();
        let shutdown = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            let served = server.serve_on(listener, shutdown).await;
            served.expect("sound settings");
        });
        replicas.push(Replica {
            address,
            desk,
            _stop: stop.drop_guard(),
        });
    }
    replicas.try_into().unwrap_or_else(|_| unreachable!())
}

/// Waits for one event.
pub(crate) async fn one(of: &Semaphore) {
    let permit = timeout(PATIENCE, of.acquire()).await.expect("in time");
    permit.expect("an open semaphore").forget();
}
