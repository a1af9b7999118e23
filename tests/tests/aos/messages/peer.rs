//! A client of either generation, on a stream or over HTTP.

use hooks_sdk::{Hooked, http};
use hooks_tests::{
    client::{Answer, Client},
    toy_server,
};
use serde_json::{Value, json};

use super::{desk::Desk, stream::Stream};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StreamLegacy,
    StreamStateless,
    HttpLegacy,
    HttpStateless,
}

pub(crate) const ALL: [Kind; 4] = [
    Kind::StreamLegacy,
    Kind::StreamStateless,
    Kind::HttpLegacy,
    Kind::HttpStateless,
];

pub(crate) struct Peer {
    pub(crate) kind: Kind,
    by: By,
    /// The stream on which a session of HTTP is told what belongs to no request.
    own: Option<Answer>,
}

enum By {
    Stream(Box<Stream>),
    Http(Client),
}

impl Peer {
    pub(crate) async fn of(kind: Kind, hooked: Hooked<Desk>) -> Peer {
        let by = match kind {
            Kind::StreamLegacy => By::Stream(Stream::legacy(hooked).await.into()),
            Kind::StreamStateless => By::Stream(Stream::stateless(hooked).into()),
            Kind::HttpLegacy => By::Http(Client::legacy(serve(hooked).await).await),
            Kind::HttpStateless => By::Http(Client::stateless(serve(hooked).await)),
        };
        let own = match &by {
            By::Http(client) if kind == Kind::HttpLegacy => Some(client.listen().await),
            _ => None,
        };
        Peer { kind, by, own }
    }

    /// Whether the server can ask its client.
    pub(crate) fn is_asked(&self) -> bool {
        matches!(self.kind, Kind::StreamLegacy | Kind::HttpLegacy)
    }

    /// Sends a request; its answer.
    pub(crate) async fn answer(&mut self, method: &'static str, params: Value) -> Value {
        match &mut self.by {
            By::Stream(stream) => stream.answer(method, params).await,
            By::Http(client) => client.ask(method, params).await,
        }
    }

    /// Calls a tool; the answer.
    pub(crate) async fn call(&mut self, tool: &str, words: &[&str]) -> Value {
        let params = json!({"name": tool, "arguments": {"words": words}});
        self.answer("tools/call", params).await
    }

    /// Calls a tool; the messages up to the answer. A question is answered with `reply`.
    pub(crate) async fn all(&mut self, tool: &str, words: &[&str], reply: &str) -> Vec<Value> {
        let params = json!({"name": tool, "arguments": {"words": words}});
        let reply = json!({ "text": reply });
        let client = match &mut self.by {
            By::Stream(stream) => return stream.all("tools/call", params, &reply).await,
            By::Http(client) => client,
        };
        let mut messages = client.request("tools/call", params).await;
        let mut all = Vec::new();
        loop {
            let message = messages.next().await.expect("an answer");
            if message["method"] == "client/question" {
                client.respond(&message["id"], reply.clone()).await;
            }
            let is_last = message.get("method").is_none() && message["id"] == messages.id;
            all.push(message);
            if is_last {
                return all;
            }
        }
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
        let (method, params) = ("notifications/note", json!({ "text": text }));
        match &mut self.by {
            By::Stream(stream) => stream.notify(method, params).await,
            By::Http(client) => client.notify(method, params).await,
        }
    }
}

async fn serve(hooked: Hooked<Desk>) -> std::net::SocketAddr {
    toy_server::serve(http::Server::new(hooked)).await
}
