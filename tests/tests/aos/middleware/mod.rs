//! A server that a guardian guards: what it asks, and that it obeys.

mod attributes;
mod copies;
mod desk;
mod failures;
mod http;
mod memory;
mod plugins;
mod request;
mod resources;
mod results;
mod slow;
mod start_up;
mod tasks;
mod who;

use std::time::Duration;

use hooks_sdk::{
    aos::{Guardian, GuardianClient, Posture},
    testing::{TestHost, ToolAnswer},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use self::desk::Desk;
use crate::observed::stand_in::{Act, Question, StandIn};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something that must happen.
async fn soon<F: Future>(future: F) -> F::Output {
    timeout(PATIENCE, future).await.expect("it happens in time")
}

/// A guarded server, its guardian and its host.
struct Rig {
    desk: Desk,
    guardian: StandIn,
    host: TestHost,
}

fn client_of(guardian: &StandIn) -> GuardianClient<()> {
    Guardian::http(guardian.url()).timeout(PATIENCE)
}

impl Rig {
    async fn new(script: impl Fn(&Question) -> Act + Send + Sync + 'static) -> Rig {
        Rig::with(script, |client| client.posture(Posture::Deny)).await
    }

    async fn with(
        script: impl Fn(&Question) -> Act + Send + Sync + 'static,
        set: impl FnOnce(GuardianClient<()>) -> GuardianClient,
    ) -> Rig {
        let guardian = StandIn::start(script).await;
        let desk = Desk::default();
        let server = desk.guarded(set(client_of(&guardian)));
        let host = TestHost::builder()
            .version("2026-07-28")
            .capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
            .connect(server);
        let host = soon(host).await.expect("a host");
        Rig {
            desk,
            guardian,
            host,
        }
    }

    async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        soon(self.host.call_tool(tool, arguments))
            .await
            .expect("an answer")
    }

    /// Returns the methods that the guardian was asked about.
    fn methods(&self) -> Vec<String> {
        let questions = self.guardian.questions();
        let word = |question: &Question| question.body["method"].as_str().map(str::to_owned);
        questions.iter().filter_map(word).collect()
    }

    /// Returns the params of the questions of a method.
    fn asked(&self, method: &str) -> Vec<Value> {
        let questions = self.guardian.questions();
        let of = questions
            .iter()
            .filter(|question| question.body["method"] == method);
        of.map(|question| question.body["params"].clone()).collect()
    }
}

const REQUEST: &str = "steps/toolCallRequest";
const RESULT: &str = "steps/toolCallResult";
const STORE: &str = "steps/memoryStore";
const RETRIEVAL: &str = "steps/memoryContextRetrieval";
const KNOWLEDGE: &str = "steps/knowledgeRetrieval";

/// Denies the questions of one method.
fn denies(method: &'static str) -> impl Fn(&Question) -> Act + Send + Sync {
    move |question| match question.body["method"] == method {
        true => question.deny(),
        false => question.allow(),
    }
}

/// Changes the params of the questions of one method.
fn changes(
    method: &'static str,
    change: impl Fn(&mut Value) + Send + Sync + 'static,
) -> impl Fn(&Question) -> Act + Send + Sync {
    move |question| match question.body["method"] == method {
        true => question.modify(|request| change(&mut request["params"])),
        false => question.allow(),
    }
}

/// Writes `***` for `sk-secret` in every text of a step.
fn redact(params: &mut Value) {
    let context = params["context"].take();
    let text = params.to_string().replace("sk-secret", "***");
    *params = serde_json::from_str(&text).expect("JSON");
    params["context"] = context;
}

#[track_caller]
fn same(answer: &ToolAnswer, expected: Value) {
    let mut result = answer.as_value().clone();
    for member in ["resultType", "_meta"] {
        result.as_object_mut().expect("an object").remove(member);
    }
    assert_eq!(result, expected);
}
