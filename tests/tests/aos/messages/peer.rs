//! A client that calls the tools of the desk and hears what it tells.

use hooks_sdk::Hooked;
use hooks_tests::client::{
    Answer,
    peer::{self, Kind, Stream},
};
use serde_json::{Value, json};

use super::desk::Desk;

pub(crate) struct Peer {
    pub(crate) kind: Kind,
    by: peer::Peer,
    /// The stream on which a session of HTTP is told what belongs to no request.
    own: Option<Answer>,
}

fn saying(tool: &str, words: &[&str]) -> Value {
    json!({"name": tool, "arguments": {"words": words}})
}

/// Calls a tool. Returns the id of the call.
pub(crate) async fn call(stream: &mut Stream, tool: &str, words: &[&str]) -> u64 {
    stream.request("tools/call", saying(tool, words)).await
}

impl Peer {
    pub(crate) async fn of(kind: Kind, hooked: Hooked<Desk>) -> Peer {
        let by = peer::Peer::of(kind, hooked).await;
        let own = match &by {
            peer::Peer::Http(client) if kind.is_asked() => Some(client.listen().await),
            _ => None,
        };
        Peer { kind, by, own }
    }

    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Value {
        self.by.answer(method, params).await
    }

    pub(crate) async fn call(&mut self, tool: &str, words: &[&str]) -> Value {
        self.answer("tools/call", saying(tool, words)).await
    }

    /// Calls a tool; the messages up to the answer. A question is answered with `reply`.
    pub(crate) async fn all(&mut self, tool: &str, words: &[&str], reply: &str) -> Vec<Value> {
        let (params, reply) = (saying(tool, words), json!({ "text": reply }));
        let all = self.by.all_replying("tools/call", params, Some(&reply));
        all.await
    }

    /// Lets the server tell these texts; the first ones that come.
    pub(crate) async fn told(&mut self, words: &[&str], number: usize) -> Vec<String> {
        let mut told = self.all("tell", words, "").await;
        told.retain(|message| message["method"] == "notifications/note");
        if let Some(own) = &mut self.own {
            while told.len() < number {
                told.push(own.next().await.expect("an open stream"));
            }
        }
        let text = |message: &Value| message["params"]["text"].as_str().map(str::to_owned);
        told.iter().filter_map(text).collect()
    }

    pub(crate) async fn notify(&mut self, text: &str) {
        let params = json!({ "text": text });
        self.by.notify("notifications/note", params).await;
    }
}
