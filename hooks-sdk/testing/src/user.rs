//! The user of a test host, who answers questions.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    connection::{RequestError, WeakConnection},
    host::{TestHost, TestHostBuilder},
};

/// How often one request may ask the user.
const MOST_QUESTIONS: usize = 10;

type Answers = dyn Fn(&Value) -> Value + Send + Sync;

/// The function that answers for the user.
#[derive(Clone)]
pub(super) struct AnswerUser(Arc<Answers>);

impl AnswerUser {
    pub(super) fn new(answers: impl Fn(&Value) -> Value + Send + Sync + 'static) -> AnswerUser {
        AnswerUser(Arc::new(answers))
    }

    /// Answers a request of the server, in a task of its own.
    pub(super) fn hear(&self, line: &Arc<WeakConnection>, message: &Value) {
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

impl fmt::Debug for AnswerUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("User")
    }
}

impl TestHost {
    /// Sends a request, and lets the [user](TestHostBuilder::user) answer what its result asks (2026-07-28).
    ///
    /// # Errors
    ///
    /// Like [`request`](TestHost::request).
    pub async fn ask(&self, method: &str, params: Value) -> Result<Value, RequestError> {
        let mut result = self.request(method, params.clone()).await?;
        for _ in 0..MOST_QUESTIONS {
            let user = self.user.as_ref();
            let Some(retry) = user.and_then(|user| user.retry(&params, &result)) else {
                break;
            };
            result = self.request(method, retry).await?;
        }
        Ok(result)
    }
}

impl TestHostBuilder {
    /// Sets the function that answers for the user. It gets the params of `elicitation/create`, and returns its result:
    /// `{"action": "accept", "content": {…}}`.
    ///
    /// It also declares the capability `elicitation`.
    #[must_use]
    pub fn user(
        mut self,
        answers: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> TestHostBuilder {
        self.user = Some(AnswerUser::new(answers));
        self.capabilities["elicitation"] = json!({});
        self
    }
}
