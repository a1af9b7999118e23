//! The other end of the pipe: JSON lines, written and read by a test.

use std::collections::VecDeque;

use hooks_sdk::testing::{McplHost, McplHostBuilder};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// A server that does what a test writes down.
pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    read: VecDeque<Value>,
    next_id: u64,
}

/// The feature sets that most tests declare.
pub(crate) fn sets() -> Value {
    json!({
        "acc.push": {"description": "Pushes", "uses": ["pushEvents"]},
        "acc.infer": {"description": "Infers", "uses": ["inferenceRequest"]},
        "acc.files": {"description": "Files", "uses": ["tools"], "scoped": true},
        "acc.notes": {"description": "Notes", "uses": ["tools"], "rollback": true},
        "acc.chan": {"description": "Channels", "uses": ["channels.publish", "channels.observe"]},
    })
}

/// A host and its peer, connected; the peer declares [`sets`] and accepts the policy.
pub(crate) async fn connected(builder: McplHostBuilder) -> (McplHost, Peer) {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let answering = async move {
        peer.shake_hands(json!({"mcpl": {"version": "0.4", "featureSets": sets()}}))
            .await;
        peer.take_policy(json!({"accepted": true})).await;
        peer
    };
    let (host, peer) = tokio::join!(builder.over(read, write), answering);
    (host.unwrap(), peer)
}

/// A host that its peer knows nothing of yet beyond the handshake.
pub(crate) async fn silent(builder: McplHostBuilder) -> (McplHost, Peer) {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let answering = async move {
        peer.shake_hands(json!({"mcpl": {"version": "0.4", "featureSets": sets()}}))
            .await;
        peer
    };
    let (host, peer) = tokio::join!(builder.silent().over(read, write), answering);
    (host.unwrap(), peer)
}

impl Peer {
    pub(crate) fn new() -> (Peer, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(ours);
        let peer = Peer {
            lines: BufReader::new(read).lines(),
            write,
            read: VecDeque::new(),
            next_id: 100,
        };
        (peer, theirs)
    }

    /// Answers `initialize` and sees that the host is there; gives the params of the request.
    pub(crate) async fn shake_hands(&mut self, experimental: Value) -> Value {
        let request = self.expect("initialize").await;
        let capabilities = json!({"tools": {}, "experimental": experimental});
        let result = json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": capabilities,
            "serverInfo": {"name": "peer", "version": "1"},
        });
        self.answer(&request, result).await;
        self.expect("notifications/initialized").await;
        request["params"].clone()
    }

    /// The params of `featureSets/update`; where it is a request it gets this receipt.
    pub(crate) async fn take_policy(&mut self, receipt: Value) -> Value {
        let update = self.expect("featureSets/update").await;
        if !update["id"].is_null() {
            self.answer(&update, receipt).await;
        }
        update["params"].clone()
    }

    /// The next message of the host, which is of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await.expect("a message");
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// The next message of the host; `None` when it is gone.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        if let Some(message) = self.read.pop_front() {
            return Some(message);
        }
        self.line().await
    }

    async fn line(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap_or(Value::String(line)))
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        let id = &request["id"];
        self.send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, error: Value) {
        let id = &request["id"];
        self.send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Sends a request and gives its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message).await;
        id
    }

    /// Sends a request and awaits its whole answer; what comes before is read later.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        loop {
            let message = self.line().await.expect("an answer");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.read.push_back(message);
        }
    }

    /// The result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The code of the error that a request gets.
    pub(crate) async fn code(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.ask(method, params).await;
        answer["error"]["code"].as_i64().unwrap_or_default()
    }
}

/// The params of an event.
pub(crate) fn event(set: &str, id: &str) -> Value {
    json!({
        "featureSet": set, "eventId": id, "timestamp": "2026-01-23T10:30:00Z",
        "payload": {"content": [{"type": "text", "text": "news"}]},
    })
}
