//! A client on a stream of lines.

use hooks_sdk::{Hooked, WireTransport};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    time::timeout,
};

use super::{PATIENCE, desk::Desk};

pub(crate) struct Stream {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: Option<WriteHalf<DuplexStream>>,
    is_stateless: bool,
    last: u64,
}

impl Stream {
    /// A client of protocol 2026-07-28.
    pub(crate) fn stateless(hooked: Hooked<Desk>) -> Stream {
        let (ours, theirs) = duplex(64 * 1024);
        let (read, write) = split(theirs);
        tokio::spawn(async move {
            let running = hooked.serve(WireTransport::new(read, write)).await;
            running
                .expect("a handshake")
                .waiting()
                .await
                .expect("no panic")
        });
        let (read, write) = split(ours);
        Stream {
            lines: BufReader::new(read).lines(),
            write: Some(write),
            is_stateless: true,
            last: 0,
        }
    }

    /// A client of the older generation, after its handshake.
    pub(crate) async fn legacy(hooked: Hooked<Desk>) -> Stream {
        let mut stream = Stream::stateless(hooked);
        stream.is_stateless = false;
        let shaken = stream
            .answer(
                "initialize",
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "client", "version": "1"},
                }),
            )
            .await;
        assert_eq!(
            shaken["result"]["protocolVersion"], "2025-11-25",
            "{shaken}"
        );
        stream.notify("notifications/initialized", json!({})).await;
        stream
    }

    pub(crate) async fn send(&mut self, message: &str) {
        let write = self.write.as_mut().expect("an open stream");
        write.write_all(message.as_bytes()).await.expect("a reader");
        write.write_all(b"\n").await.expect("a reader");
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(&message.to_string()).await;
    }

    /// Sends a request; its id.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.is_stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "client", "version": "1"});
        }
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&message.to_string()).await;
        self.last
    }

    pub(crate) async fn call(&mut self, tool: &str, words: &[&str]) -> u64 {
        let params = json!({"name": tool, "arguments": {"words": words}});
        self.request("tools/call", params).await
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("a message in time");
        let line = line.expect("a stream").expect("a message");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request; the messages up to its answer. A question is answered with `reply`.
    pub(crate) async fn all(&mut self, method: &str, params: Value, reply: &Value) -> Vec<Value> {
        let id = self.request(method, params).await;
        let mut all = Vec::new();
        loop {
            let message = self.next().await;
            if message["method"] == "client/question" {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": reply});
                self.send(&answer.to_string()).await;
            }
            let is_last = message.get("method").is_none() && message["id"] == id;
            all.push(message);
            if is_last {
                return all;
            }
        }
    }

    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Value {
        self.all(method, params, &Value::Null)
            .await
            .pop()
            .expect("an answer")
    }

    /// Ends the client's side; the messages until the end.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut write = self.write.take().expect("an open stream");
        write.shutdown().await.expect("a reader");
        let mut rest = Vec::new();
        while let Some(line) = timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("an end in time")
            .expect("a stream")
        {
            rest.push(serde_json::from_str(&line).expect("JSON"));
        }
        rest
    }
}
