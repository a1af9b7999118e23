//! The servers whose calls are measured, each with a client of rmcp over a duplex pipe.
#![allow(dead_code, reason = "each benchmark uses its own part")]

use hooks_sdk::{
    Collected, Hooked, WireTransport,
    core::Registry,
    guidance::{self, HookInput, HookType, Lifecycle, RequirementLevel},
    lifecycle::{LifecycleHook, Matcher, point, strength},
    server::{Guidance, Sessions},
    session::Machine,
};
use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    handler::server::router::tool::ToolRouter,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, CustomRequest,
        CustomResult, RequestMetaObject,
    },
    service::{RequestContext, RunningService},
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) struct Server {
    tool_router: ToolRouter<Server>,
}

#[tool_router]
impl Server {
    pub(crate) fn new() -> Server {
        Server {
            tool_router: Server::tool_router(),
        }
    }

    #[tool(description = "Says hello")]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult::new(json!({ "said": "hello" })))
    }
}

pub(crate) type Client = RunningService<RoleClient, ClientConfig>;

pub(crate) async fn bare() -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let running = Server::new().serve(theirs).await.expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    asking_nobody().serve(ours).await.expect("a handshake")
}

/// A client that answers no question.
fn asking_nobody() -> ClientConfig {
    ClientConfig::default()
}

/// A server whose calls have a deadline. Its client answers elicitations, so that each call has a peer of its own.
pub(crate) async fn timed() -> Client {
    let registry = Registry::builder().build().expect("no hooks");
    let server = Collected::of(registry)
        .expect("sound hooks")
        .call_deadline(std::time::Duration::from_secs(60))
        .wrap(Server::new())
        .expect("fitting hooks");
    let mut client = ClientConfig::default();
    client.capabilities = ClientCapabilities::builder().enable_elicitation().build();
    serve_to(server, client).await
}

pub(crate) async fn hooked(hooks: usize) -> Client {
    let mut registry = Registry::builder();
    for at in 0..hooks {
        let text = LifecycleHook::text(
            format!("text_{at}"),
            point::post_tool_use,
            strength::suggestion,
            "Store it.",
        )
        .matcher(Matcher::new().tool_name("Bash"));
        registry = registry.add(text.into());
    }
    let registry = registry.build().expect("well-formed hooks");
    let server = Collected::of(registry)
        .expect("sound hooks")
        .wrap(Server::new())
        .expect("fitting hooks");
    serve(server).await
}

async fn serve(server: Hooked<Server>) -> Client {
    serve_to(server, asking_nobody()).await
}

async fn serve_to(server: Hooked<Server>, client: ClientConfig) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        let running = server
            .serve(WireTransport::new(read, write))
            .await
            .expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    client.serve(ours).await.expect("a handshake")
}

/// A server whose guidance has one text at this moment, and this many sessions of other agents with a hook each.
pub(crate) async fn guided(hook_type: HookType, lifecycle: Lifecycle, sessions: usize) -> Client {
    let level = RequirementLevel::Should;
    let hook = HookInput::new(hook_type, lifecycle, "text", "Text", level).text("Store it.");
    let registry = Registry::builder().add(guidance::GuidanceHook::new(hook).into());
    let server = Collected::of(registry.build().expect("a well-formed hook"))
        .expect("a sound hook")
        .guidance(Guidance::new().register_tool())
        .wrap(Server::new())
        .expect("fitting hooks");
    let client = serve(server).await;
    for at in 0..sessions {
        let hook = json!({
            "tag": "own", "type": "session", "lifecycle": "running", "name": "Own",
            "requirementLevel": "MAY", "content": "Own.",
        });
        let mut call = CallToolRequestParams::new("hooks_register");
        call.arguments = hook.as_object().cloned();
        let mut meta = RequestMetaObject::new();
        let session = Value::String(format!("session {at}"));
        meta.0.insert("sessionId".to_owned(), session);
        call.meta = Some(meta);
        client.call_tool(call).await.expect("an answer");
    }
    client
}

/// A server whose client has so many open sessions, by ids of its own.
pub(crate) async fn with_sessions(count: usize) -> Client {
    let machine = Machine::standard().build().expect("a sound machine");
    let registry = Registry::builder().build().expect("no hooks");
    let server = Collected::of(registry)
        .expect("sound hooks")
        .sessions(Sessions::on(machine))
        .wrap(Server::new())
        .expect("fitting hooks");
    let client = serve(server).await;
    let open = CallToolRequestParams::new("session_init");
    client.call_tool(open).await.expect("an open session");
    for at in 1..count {
        let mut open = CallToolRequestParams::new("session_init");
        let mut meta = RequestMetaObject::new();
        let session = Value::String(format!("session {at}"));
        meta.0.insert("sessionId".to_owned(), session);
        open.meta = Some(meta);
        client.call_tool(open).await.expect("an open session");
    }
    client
}

/// A server with a session that is open, a guidance text that does not fire, and ten text hooks.
pub(crate) async fn with_everything() -> Client {
    let level = RequirementLevel::Should;
    let hook = HookInput::new(HookType::Session, Lifecycle::End, "text", "Text", level);
    let hook = guidance::GuidanceHook::new(hook.text("Store it."));
    let mut registry = Registry::builder().add(hook.into());
    for at in 0..10 {
        let text = LifecycleHook::text(
            format!("text_{at}"),
            point::post_tool_use,
            strength::suggestion,
            "Store it.",
        )
        .matcher(Matcher::new().tool_name("Bash"));
        registry = registry.add(text.into());
    }
    let machine = Machine::standard().build().expect("a sound machine");
    let server = Collected::of(registry.build().expect("well-formed hooks"))
        .expect("sound hooks")
        .sessions(Sessions::on(machine))
        .wrap(Server::new())
        .expect("fitting hooks");
    let client = serve(server).await;
    let open = CallToolRequestParams::new("session_init");
    client.call_tool(open).await.expect("an open session");
    client
}

/// What is asked in a round trip.
#[derive(Clone)]
pub(crate) enum Ask {
    Tool(CallToolRequestParams),
    Custom(CustomRequest),
}

impl Ask {
    pub(crate) fn tool() -> Ask {
        Ask::Tool(CallToolRequestParams::new("hello"))
    }

    /// A call whose arguments are about this long: many small values and one text, half and half.
    pub(crate) fn tool_with(bytes: usize) -> Ask {
        let items: Vec<Value> = (0..bytes / 100)
            .map(|at| json!({ "at": at, "name": "a name", "is": true, "of": 0.5 }))
            .collect();
        let arguments = json!({ "items": items, "text": "A line of a text.\n".repeat(bytes / 36) });
        let mut call = CallToolRequestParams::new("hello");
        call.arguments = arguments.as_object().cloned();
        Ask::Tool(call)
    }

    pub(crate) fn custom() -> Ask {
        let params = json!({ "name": "hello", "at": 1 });
        Ask::Custom(CustomRequest::new("acme/hello", Some(params)))
    }

    pub(crate) async fn of(self, client: &Client) {
        match self {
            Ask::Tool(call) => drop(client.call_tool(call).await.expect("an answer")),
            Ask::Custom(request) => {
                let request = ClientRequest::CustomRequest(request);
                client.send_request(request).await.expect("an answer");
            }
        }
    }
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// The kinds of ten plugin hooks.
#[cfg(feature = "policy-engine")]
#[derive(Clone, Copy)]
pub(crate) enum Ten {
    Before,
    Around,
    Rules,
}

/// A server with ten plugin hooks that let everything go on.
#[cfg(feature = "policy-engine")]
pub(crate) async fn plugged(ten: Ten) -> Client {
    plugged_with(10, ten).await
}

/// A server with so many plugin hooks of a kind.
#[cfg(feature = "policy-engine")]
pub(crate) async fn plugged_with(count: usize, ten: Ten) -> Client {
    use hooks_sdk::{
        core::{Verdict, condition::Condition},
        plugin::{PluginHook, PluginPoint, point},
    };

    fn hook<P: PluginPoint>(at: usize, point: P) -> PluginHook {
        let id = format!("hook_{at}");
        PluginHook::answering_any::<P, Verdict<std::convert::Infallible>>(id, point, |_, _| {
            Box::pin(async { Verdict::Allow })
        })
    }
    let make = |at| match ten {
        Ten::Around if at % 2 == 1 => hook(at, point::tool_post_invoke),
        Ten::Before | Ten::Around => hook(at, point::tool_pre_invoke),
        Ten::Rules => {
            let condition = Condition::parse("args.path = \"/etc/**\"").expect("a condition");
            PluginHook::deny(format!("rule_{at}"), point::tool_pre_invoke, "no").when(condition)
        }
    };
    let hooks = (0..count).map(make);
    let registry = hooks.fold(Registry::builder(), |registry, hook| {
        registry.add(hook.into())
    });
    let server = Collected::of(registry.build().expect("well-formed hooks"))
        .expect("sound hooks")
        .wrap(Server::new())
        .expect("fitting hooks");
    serve(server).await
}
