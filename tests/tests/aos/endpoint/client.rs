//! What a guardian is asked over HTTP, and its answers.

use std::net::SocketAddr;

use bytes::Bytes;
use hooks_tests::client::{self, Reply, ask};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

/// The reply of a guardian.
pub(crate) trait GuardianReply {
    /// The JSON-RPC answer, which has the status 200.
    fn answered(&self) -> Value;

    /// The decision.
    fn decision(&self) -> String {
        let answer = self.answered();
        let decision = answer["result"]["decision"].as_str();
        decision.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The sentence of a refusal, which may be text.
    fn refused(&self) -> String;
}

impl GuardianReply for Reply {
    fn answered(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn refused(&self) -> String {
        match serde_json::from_str::<Value>(&self.body) {
            Ok(message) => {
                assert_eq!(message["id"], Value::Null, "{message}");
                let sentence = message["error"]["message"].as_str();
                sentence.expect("a sentence").to_owned()
            }
            Err(_) => self.body.trim_end().to_owned(),
        }
    }
}

/// Makes the step of a tool's call.
pub(crate) fn step(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "steps/toolCallRequest", "params": {
        "context": {
            "agent": {
                "id": "a1", "name": "notes", "instructions": "Keep notes.", "version": "1",
                "provider": {"name": "Example", "url": "https://example.com"},
            },
            "session": {"id": "s1"},
            "turnId": "t1", "stepId": "p1", "timestamp": "2026-01-02T03:04:05.678Z",
        },
        "toolCallRequest": {"executionId": "e1", "toolId": tool, "inputs": []},
    }})
}

/// Makes a request to the path of the guardian, as this computer.
pub(crate) fn request(
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Request<Full<Bytes>> {
    client::request(method, "/aos", headers, body)
}

/// Makes a POST of JSON.
pub(crate) fn post(body: impl Into<Bytes>, more: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let headers = [&[("content-type", "application/json")], more].concat();
    request(Method::POST, &headers, body)
}

/// Asks about the call of a tool.
pub(crate) async fn ask_about(address: SocketAddr, tool: &str) -> Reply {
    ask(address, post(step(tool).to_string(), &[])).await
}

/// The head of a raw POST, without an end.
pub(crate) fn head(more: &str) -> String {
    client::head("/aos", more)
}
