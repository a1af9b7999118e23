//! The server under test, and how it is served.

use std::{net::SocketAddr, sync::Arc};

use hooks_sdk::{
    Collected, Hooked,
    core::{self, Registry},
    http::Server,
    lifecycle::{LifecycleHook, point, strength},
    mcpl::{Call, Context, Enabled, Inference, McplHook},
    prelude::*,
    session::SessionState,
};
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock,
        CustomNotification, ElicitRequest, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerCapabilities, ServerConfig, ServerRequest, Tool,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{
        Mutex,
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    },
};

const TOOLS: &[&str] = &[
    "ask",
    "infer",
    "keep",
    "session_clear",
    "session_init",
    "work",
];

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
#[session(reset(session_clear))]
pub(crate) enum Stage {
    #[stage(start, allow(ask, infer, keep), next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

/// Asks a model
#[mcpl::feature_set("desk.infer", sends(inference), server = Desk)]
struct Inferring;

pub(crate) struct Desk {
    heard: UnboundedSender<Value>,
}

impl Desk {
    pub(crate) fn new() -> (Desk, Heard) {
        let (heard, receiver) = unbounded_channel();
        (Desk { heard }, Arc::new(Mutex::new(receiver)))
    }

    async fn answer(&self, tool: &str, cx: &RequestContext<RoleServer>) -> Value {
        match tool {
            "session_init" => {
                // Long enough for a call behind it to overtake it.
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                json!("opened")
            }
            "keep" => {
                let call = cx.extensions.get::<Call>().expect("a call");
                let state = json!({"checkpoint": "c2", "parent": "c1", "data": {"n": 2}});
                call.answer_state(serde_json::from_value(state).expect("a state"));
                let scope = call.scope().map(|scope| scope.label.clone());
                json!({"given": call.given(), "scope": scope})
            }
            "infer" => {
                let call = cx.extensions.get::<Call>().expect("a call");
                let inference = Inference::prompt("What now?");
                match call.host().infer::<Inferring>(&inference).await {
                    Ok(answer) => json!(answer),
                    Err(error) => json!({"failed": error.to_string()}),
                }
            }
            "ask" => ask(&cx.peer).await,
            _ => json!(format!("{tool}ed")),
        }
    }
}

/// Asks the user.
async fn ask(peer: &Peer<RoleServer>) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    let params = json!({"mode": "form", "message": "Sure?", "requestedSchema": schema});
    let params = serde_json::from_value(params).expect("a question");
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    match peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(answer)) => json!(answer),
        other => json!({"failed": format!("{other:?}")}),
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = TOOLS.iter().find(|tool| **tool == name)?;
        Some(Tool::new(*name, "", serde_json::Map::new()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().filter_map(|name| self.get_tool(name));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = self.answer(&request.name, &cx).await.to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        _ = self.heard.send(json!({"token": progress.progress_token}));
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        cx: NotificationContext<RoleServer>,
    ) {
        if notification.method == "desk/ask" {
            ask(&cx.peer).await;
            return;
        }
        let head = cx.extensions.get::<http::request::Parts>();
        let user = head.and_then(|head| head.headers.get("mcp-protocol-version"));
        let user = user.and_then(|user| user.to_str().ok());
        let version = cx
            .peer
            .peer_info()
            .map(|client| client.protocol_version.to_string());
        let method = notification.method.clone();
        // The client of a notification without a session is not reached, and that is no failure of the server.
        let told = cx
            .peer
            .send_notification(rmcp::model::ServerNotification::CustomNotification(
                notification,
            ));
        let is_reached = told.await.is_ok();
        let heard =
            json!({"method": method, "header": user, "version": version, "is_reached": is_reached});
        _ = self.heard.send(heard);
    }
}

/// Notifications that the server heard.
pub(crate) type Heard = Arc<Mutex<UnboundedReceiver<Value>>>;

/// A hook of MCPL.
pub(crate) fn infers() -> core::Hook {
    let hook = McplHook::answering::<Inferring, _, _, _>(
        "enabled",
        mcpl::point::enabled,
        |_: &Desk, _: &Enabled, _: &Context| Box::pin(async {}),
    );
    hook.into()
}

/// The server with hooks of two protocols and a session machine.
pub(crate) fn desk() -> (Hooked<Desk>, Heard) {
    let commit = LifecycleHook::text(
        "store",
        point::post_tool_use,
        strength::suggestion,
        "Store it.",
    );
    let hooks = Registry::builder().add(commit.into()).add(infers()).build();
    let hooks = Collected::of(hooks.expect("two hooks")).expect("sound hooks");
    let (desk, heard) = Desk::new();
    let hooked = hooks.session::<Stage>().wrap(desk);
    (hooked.expect("fitting hooks"), heard)
}

/// Serves a new server. Returns its address, and what it hears.
pub(crate) async fn serve() -> (SocketAddr, Heard) {
    let (hooked, heard) = desk();
    (served(Server::new(hooked)).await, heard)
}

pub(crate) async fn served(server: Server) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let serving = server.serve_on(listener, std::future::pending());
    tokio::spawn(async move { serving.await.expect("a server") });
    address
}
