//! The user of a test host, who answers questions.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value, json};

use super::connection::Line;

/// How often one request may ask the user.
pub(super) const MOST_QUESTIONS: usize = 10;

type Answers = dyn Fn(&Value) -> Value + Send + Sync;

/// The function that answers for the user.
#[derive(Clone)]
pub(super) struct User(Arc<Answers>);

impl User {
    pub(super) fn new(answers: impl Fn(&Value) -> Value + Send + Sync + 'static) -> User {
        User(Arc::new(answers))
    }

    /// Answers a request of the server, in a task of its own.
    pub(super) fn hear(&self, line: &Arc<Line>, message: &Value) {
        if message["method"] != "elicitation/create" {
            return;
        }
        let result = (self.0)(&message["params"]);
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        let line = line.clone();
        tokio::spawn(async move {
            // The server may have closed the stream meanwhile.
            _ = line.send(answer).await;
        });
    }

    /// Returns the params of the next call, if a result asks the user.
    pub(super) fn retry(&self, params: &Value, result: &Value) -> Option<Value> {
        let asked = result["inputRequests"].as_object()?;
        if result["resultType"] != "input_required" {
            return None;
        }
        let answers: Map<String, Value> = asked
            .iter()
            .map(|(key, request)| (key.clone(), (self.0)(&request["params"])))
            .collect();
        let mut params = params.clone();
        params["inputResponses"] = Value::Object(answers);
        params["requestState"] = result["requestState"].clone();
        Some(params)
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("User")
    }
}
