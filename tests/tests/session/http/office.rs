//! A server as an author writes one, and rmcp's HTTP service in front of it.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use hooks_sdk::{
    Collected, collect,
    guidance::{HookInput, HookType, Lifecycle, RequirementLevel},
    server::{GuidanceContext, Sessions},
    session::SessionState,
};
use hooks_tests::client::text;
use hyper::{Request, body::Incoming, http::request::Parts, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    schemars,
    service::RequestContext,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::Semaphore};

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
#[session(reset(session_clear))]
pub(crate) enum Stage {
    #[stage(start, allow(search), next(session_init => Ready))]
    New,
    /// Store what you learn.
    #[stage(allow(any))]
    Ready,
}

/// Holds nothing of a session.
pub(crate) struct Office {
    /// Which one it is of those that the factory made.
    number: usize,
}

/// The texts of the hooks that were bound, and whether anybody still holds them.
pub(crate) static BOUND: Mutex<Vec<(String, Weak<str>)>> = Mutex::new(Vec::new());

/// Leave to end for calls that wait for it.
pub(crate) static LEAVE: Semaphore = Semaphore::const_new(0);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Bind {
    to: String,
    text: String,
    #[serde(default)]
    waits: bool,
}

#[tool_router]
impl Office {
    #[tool]
    async fn session_init(&self) -> String {
        "opened".to_owned()
    }

    #[tool]
    async fn session_clear(&self) -> String {
        "cleared".to_owned()
    }

    #[tool]
    async fn search(&self) -> String {
        "searched".to_owned()
    }

    /// Binds a hook to the session or request, and waits for leave to end if it is to.
    #[tool]
    async fn bind(
        &self,
        Parameters(bind): Parameters<Bind>,
        cx: RequestContext<RoleServer>,
    ) -> String {
        let text: Arc<str> = bind.text.as_str().into();
        BOUND
            .lock()
            .unwrap()
            .push((bind.text, Arc::downgrade(&text)));
        let (about, when) = (HookType::Action, Lifecycle::End);
        let hook = HookInput::new(about, when, "bound", "Bound", RequirementLevel::May).text(text);
        let hook = match bind.to.as_str() {
            "session" => hook.session_id(cx.session_id().expect("a session").to_owned()),
            _ => hook.request_id(cx.request_id().expect("a request").to_owned()),
        };
        let id = cx.register_hook(hook).expect("a free id");
        if bind.waits {
            LEAVE.acquire().await.expect("leave").forget();
        }
        id
    }

    #[tool]
    async fn work(&self) -> String {
        format!("worked in office {}", self.number)
    }
}

#[tool_handler]
impl ServerHandler for Office {}

/// A server that answers on a port.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    made: Arc<AtomicUsize>,
}

impl Served {
    /// How many handlers the factory has made.
    pub(crate) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }
}

/// The hooks and sessions of every office of a process.
pub(crate) fn offices() -> Collected<Office> {
    collect().expect("sound hooks").session::<Stage>()
}

/// The same, with settings.
pub(crate) fn offices_with(settings: impl FnOnce(Sessions) -> Sessions) -> Collected<Office> {
    collect()
        .expect("sound hooks")
        .sessions(settings(Sessions::of::<Stage>()))
}

/// Who asks, as an authenticating layer would tell in a header.
pub(crate) fn user(parts: &Parts) -> Option<String> {
    Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned())
}

pub(crate) async fn serve(offices: Collected<Office>) -> Served {
    serve_with(offices, StreamableHttpServerConfig::default()).await
}

pub(crate) async fn serve_with(
    offices: Collected<Office>,
    config: StreamableHttpServerConfig,
) -> Served {
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let factory = move || {
        let number = count.fetch_add(1, Ordering::Relaxed);
        offices
            .wrap(Office { number })
            .map_err(std::io::Error::other)
    };
    let service =
        StreamableHttpService::new(factory, Arc::new(LocalSessionManager::default()), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let service = service.clone();
                async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer);
            tokio::spawn(connection);
        }
    });
    Served { address, made }
}

/// Whether a call of the guarded tool was let through.
pub(crate) fn passed(result: &Value) -> bool {
    let error = result["isError"].as_bool().expect("the result of a tool");
    assert_eq!(!error, text(result).contains("worked"), "{result}");
    !error
}

/// The handle in the result of an opening tool.
pub(crate) fn handle(opened: &Value) -> &str {
    opened["_meta"]["hooks-sdk/session"]
        .as_str()
        .unwrap_or_else(|| panic!("no handle in {opened}"))
}
