//! What the tests share: the fixture, hosts for it, and short ways to ask.

use std::time::Duration;

use hooks_sdk::{
    Hooked, WireTransport,
    server::{ServerHandler, ServiceExt},
    testing::{
        Frame, McplHost, McplHostBuilder, RequestError, Side,
        mcpl::{CallError, HostCall},
    },
};
use mcpl_fixture::Fixture;
use serde_json::{Value, json};
use tokio::{io::DuplexStream, task::JoinHandle};

/// How long a test goes on asking for something that is to come about.
const PATIENCE: Duration = Duration::from_secs(30);

/// The acceptance fixture.
pub(crate) fn fixture() -> Hooked<Fixture> {
    Fixture::new().hooked(Duration::from_secs(20)).unwrap()
}

/// A host that is connected to the fixture.
pub(crate) async fn connect(builder: McplHostBuilder) -> McplHost {
    builder.connect(fixture()).await.unwrap()
}

/// Serves behind the shim; gives the other end of the pipe, and the task, which ends with the server.
pub(crate) fn serve(server: impl ServerHandler) -> (DuplexStream, JoinHandle<()>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(async move {
        let server = server.serve(WireTransport::new(read, write)).await;
        server.unwrap().waiting().await.unwrap();
    });
    (ours, serving)
}

/// A 0.4 host that allows everything.
pub(crate) async fn host_04() -> McplHost {
    connect(McplHost::builder()).await
}

/// A 0.5 host that allows everything.
pub(crate) async fn host_05() -> McplHost {
    connect(McplHost::builder().version("0.5")).await
}

/// What a tool answers, as JSON.
pub(crate) async fn tool(host: &McplHost, name: &str, arguments: Value) -> Value {
    call(host, HostCall::new(name, arguments)).await
}

/// What a call is answered, as JSON.
pub(crate) async fn call(host: &McplHost, call: HostCall) -> Value {
    let answer = host.call_tool_with(call).await.unwrap();
    let text = answer.text();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// What the fixture has seen.
pub(crate) async fn state(host: &McplHost) -> Value {
    tool(host, "acc_state", json!({})).await
}

/// What the fixture has seen, as soon as it is what a test waits for.
pub(crate) async fn state_when(host: &McplHost, is: impl Fn(&Value) -> bool) -> Value {
    let waiting = async {
        loop {
            let state = state(host).await;
            if is(&state) {
                return state;
            }
            tokio::task::yield_now().await;
        }
    };
    let come = tokio::time::timeout(PATIENCE, waiting).await;
    come.expect("the server sees what it was told")
}

/// Waits for something that happens inside the server, and shows on no frame.
pub(crate) async fn until(host: &McplHost, is: impl Fn() -> bool) {
    let waiting = async {
        while !is() {
            host.request("ping", json!({})).await.unwrap();
        }
    };
    let come = tokio::time::timeout(PATIENCE, waiting).await;
    come.expect("it comes about");
}

/// What the server sent of its own accord, by method.
pub(crate) fn sent(host: &McplHost) -> Vec<String> {
    let methods = of_server(host)
        .into_iter()
        .filter_map(|message| Some(message["method"].as_str()?.to_owned()));
    methods.collect()
}

/// Every message of the server.
pub(crate) fn of_server(host: &McplHost) -> Vec<Value> {
    let frames = host.frames().into_iter();
    let theirs = frames.filter(|frame: &Frame| frame.from == Side::Server);
    theirs.map(|frame| frame.message).collect()
}

/// Sends a message as it is; the answer to it does not come back here.
pub(crate) async fn raw(host: &McplHost, message: Value) {
    host.send_line(message.to_string().as_bytes())
        .await
        .unwrap();
}

/// The answers that came under an id.
pub(crate) fn answers(host: &McplHost, id: &Value) -> Vec<Value> {
    let mut messages = of_server(host);
    messages.retain(|message| message.get("method").is_none() && message["id"] == *id);
    messages
}

/// Sends a message with an id of its own, and gives the answer.
pub(crate) async fn ask_raw(host: &McplHost, message: Value) -> Value {
    let id = message["id"].clone();
    raw(host, message).await;
    host.wait_until(|host| !answers(host, &id).is_empty())
        .await
        .unwrap();
    answers(host, &id).remove(0)
}

/// The error of an answer.
pub(crate) trait ErrorCode {
    /// Its code, 0 for a result.
    fn code_or_0(&self) -> i64;
}

impl<T> ErrorCode for Result<T, RequestError> {
    fn code_or_0(&self) -> i64 {
        match self {
            Err(RequestError::Refused { code, .. }) => *code,
            Err(other) => panic!("{other}"),
            Ok(_) => 0,
        }
    }
}

impl<T> ErrorCode for Result<T, CallError> {
    fn code_or_0(&self) -> i64 {
        match self {
            Err(error) => error.code().unwrap_or_else(|| panic!("{error}")),
            Ok(_) => 0,
        }
    }
}

/// That the server itself refused, and with which code.
pub(crate) fn refused_locally(answer: &Value, code: i64) {
    assert_eq!(answer["ok"], false, "{answer}");
    assert_eq!(answer["local"], true, "{answer}");
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(answer["error"]["message"].is_string(), "{answer}");
}

/// The params of `context/beforeInference`.
pub(crate) fn before() -> Value {
    json!({
        "inferenceId": "inf_1", "conversationId": "conv_1", "turnIndex": 7,
        "userMessage": "How is it?", "model": model(),
        "channels": {
            "incoming": {"channelId": "acc:lobby", "messageId": "m1", "threadId": "t1"},
            "defaultOutgoing": {"channelId": "acc:lobby"}, "candidates": ["acc:lobby"],
        },
    })
}

/// The params of `context/afterInference`.
pub(crate) fn after(said: &str) -> Value {
    json!({
        "inferenceId": "inf_1", "conversationId": "conv_1", "turnIndex": 7,
        "userMessage": "How is it?", "assistantMessage": said, "model": model(),
        "usage": {"inputTokens": 50, "outputTokens": 20},
    })
}

/// The params of `channels/publish`.
pub(crate) fn publish(channel: &str, text: &str) -> Value {
    json!({
        "conversationId": "conv_1", "channelId": channel, "stream": false,
        "content": [{"type": "text", "text": text}],
    })
}

/// The params of `channels/outgoing/chunk`.
pub(crate) fn outgoing(index: u64) -> Value {
    json!({
        "inferenceId": "inf_1", "conversationId": "conv_1", "channelId": "acc:lobby",
        "index": index, "delta": format!("d{index}"),
    })
}

fn model() -> Value {
    json!({"id": "m", "vendor": "v", "contextWindow": 1000, "capabilities": ["tools"]})
}
