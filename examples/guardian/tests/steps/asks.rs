//! A guardian on a port, and a client that asks it.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use guardian_server::{
    audit::Audit,
    live::Live,
    page::{self, Feed},
    ruleset::Ruleset,
    server::{Watching, guardian},
};
use hooks_sdk::http::GuardianServer;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Bytes, body::Incoming};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

/// The longest time that a test waits for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A guardian on a port. It stops when it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) live: Live,
    pub(crate) feed: Arc<Feed>,
    _stop: oneshot::Sender<()>,
    _following: JoinHandle<()>,
}

/// Serves a guardian with a policy and a page, on this computer.
pub(crate) async fn serve(policy: &Path, audit: Option<&Path>, contents: bool) -> Served {
    serve_at("127.0.0.1:0", policy, audit, contents).await
}

/// Serves a guardian at an address.
pub(crate) async fn serve_at(
    address: &str,
    policy: &Path,
    audit: Option<&Path>,
    contents: bool,
) -> Served {
    serve_with(address, policy, audit, contents, None).await
}

/// Serves a guardian at an address, with a token.
pub(crate) async fn serve_with(
    address: &str,
    policy: &Path,
    audit: Option<&Path>,
    contents: bool,
    token: Option<&str>,
) -> Served {
    let live = Live::open(Some(policy.to_owned())).expect("a sound policy");
    let feed = Arc::new(Feed::new());
    let mut watching = Watching::default();
    watching.audit = audit.map(|file| Audit::open(file).expect("a file"));
    watching.feed = Some(feed.clone());
    watching.contents = contents;
    let guardian = guardian(&live, watching).expect("sound hooks");
    let routes = page::routes(feed.clone(), live.clone(), token.is_some());
    let mut server = GuardianServer::new(guardian).beside(routes);
    if let Some(token) = token {
        server = server.bearer(token);
    }
    let listener = TcpListener::bind(address).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(async move {
        let until = async { _ = stopped.await };
        server
            .serve_on(listener, until)
            .await
            .expect("sound settings");
    });
    Served {
        address,
        feed,
        _following: tokio::spawn(live.clone().follow()),
        live,
        _stop: stop,
    }
}

/// Serves a guardian with the text of a policy.
pub(crate) async fn serve_text(text: &str) -> (Served, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, text).expect("a file");
    (serve(&file, None, false).await, folder)
}

/// Reads the text of a policy.
pub(crate) fn parse(text: &str) -> Result<Ruleset, String> {
    Ruleset::parse(Path::new("policy.yaml"), text).map_err(|errors| errors.to_string())
}

/// Sends a request, and returns the response without its body.
pub(crate) async fn send(address: SocketAddr, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("HTTP");
    tokio::spawn(connection);
    let response = timeout(PATIENCE, sender.send_request(request)).await;
    response.expect("in time").expect("a response")
}

pub(crate) async fn whole(response: Response<Incoming>) -> String {
    let body = timeout(PATIENCE, response.into_body().collect()).await;
    let body = body.expect("in time").expect("a whole body").to_bytes();
    String::from_utf8(body.to_vec()).expect("text")
}

/// Makes a request for a path.
pub(crate) fn get(path: &str) -> Request<Full<Bytes>> {
    let request = Request::get(path).header("host", "localhost");
    request.body(Full::default()).expect("a request")
}

impl Served {
    /// Asks about a step with these params beside the context, and returns the result.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        ask(self.address, method, params).await
    }

    /// Asks about the call of a tool, and returns the result.
    pub(crate) async fn call(&self, execution: &str, tool: &str, arguments: Value) -> Value {
        let arguments = arguments.as_object().expect("an object").iter();
        let inputs = arguments.map(|(name, value)| json!({"name": name, "value": value}));
        let inputs: Vec<Value> = inputs.collect();
        let call = json!({"executionId": execution, "toolId": tool, "inputs": inputs});
        let params = json!({"toolCallRequest": call});
        self.ask("steps/toolCallRequest", params).await
    }

    /// Asks about the result of a call, and returns the result.
    pub(crate) async fn result(&self, execution: &str, text: &str) -> Value {
        let output = json!({"outputs": [{"kind": "text", "text": text}], "isError": false});
        let params = json!({"toolCallResult": {"executionId": execution, "result": output}});
        self.ask("steps/toolCallResult", params).await
    }

    /// Asks about memory that is stored, and returns the result.
    pub(crate) async fn store(&self, text: &str) -> Value {
        self.ask("steps/memoryStore", json!({"memory": [text]}))
            .await
    }
}

/// Asks about a step of the agent `notes`, and returns the result.
pub(crate) async fn ask(address: SocketAddr, method: &str, params: Value) -> Value {
    let mut all = json!({"context": {
        "agent": {
            "id": "a1", "name": "notes", "instructions": "Keep notes.", "version": "1",
            "provider": {"name": "Example", "url": "https://example.com"},
        },
        "session": {"id": "s1"}, "turnId": "t1", "stepId": "p1",
        "timestamp": "2026-01-02T03:04:05.678Z",
    }});
    if !method.starts_with("steps/") {
        all = json!({});
    }
    let members = all.as_object_mut().expect("an object");
    members.append(&mut params.as_object().expect("an object").clone());
    let step = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": all});
    let request = Request::post("/aos")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(step.to_string())))
        .expect("a request");
    let answer = whole(send(address, request).await).await;
    let mut answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].take()
}

/// The decision and the message of a result.
pub(crate) fn said(result: &Value) -> (&str, &str) {
    let text = |name: &str| result[name].as_str().unwrap_or_else(|| panic!("{result}"));
    (text("decision"), text("message"))
}
