//! A call that answers with a task, or with a question to the user, has not succeeded yet: it moves nothing.

use std::sync::Arc;

use hooks_sdk::{
    server::Sessions,
    session::{Machine, State},
    store::MemoryStore,
    testing::TestHost,
};
use serde_json::{Value, json};

use super::desk::with_tools;

/// `session_init` opens, `promote` leads on from there, `session_clear` ends; each state has a tool of its own.
fn three_states() -> Machine {
    Machine::builder()
        .state(State::new("New").start().next("session_init", "Ready"))
        .state(
            State::new("Ready")
                .allow("work")
                .next("promote", "Promoted"),
        )
        .state(State::new("Promoted").text("Promoted.").allow("deploy"))
        .reset("session_clear")
        .build()
        .unwrap()
}

/// Calls tools, each to end as it is told.
struct Caller {
    host: TestHost,
    store: Arc<MemoryStore>,
}

impl Caller {
    async fn connect() -> Caller {
        let desk = with_tools(&["session_init", "work", "promote", "deploy", "session_clear"]);
        let store = Arc::new(MemoryStore::new());
        let hooked = desk.sessions(Sessions::on(three_states()).store(store.clone()));
        // rmcp gives a task to nobody who did not ask for one.
        let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        let host = TestHost::builder()
            .version("2026-07-28")
            .without_session_handle()
            .capabilities(tasks)
            .connect(hooked);
        Caller {
            host: host.await.unwrap(),
            store,
        }
    }

    async fn call(&self, tool: &str, then: &str, meta: Value) -> Value {
        let params = json!({"name": tool, "arguments": {"then": then}, "_meta": meta});
        self.host.request("tools/call", params).await.unwrap()
    }

    async fn passes(&self, tool: &str, meta: &Value) -> bool {
        self.call(tool, "ok", meta.clone()).await["isError"] == false
    }
}

const UNFINISHED: [(&str, &str); 2] = [("task", "task"), ("ask", "input_required")];

#[tokio::test]
async fn an_unfinished_opening_opens_nothing() {
    for (then, kind) in UNFINISHED {
        for meta in [json!({}), json!({"sessionId": "codex-1"})] {
            let caller = Caller::connect().await;
            let answer = caller.call("session_init", then, meta.clone()).await;
            assert_eq!(answer["resultType"], kind, "{answer}");
            assert_eq!(answer.get("_meta"), None, "no handle: {answer}");
            assert!(!caller.passes("work", &meta).await);
            assert!(caller.store.is_empty(), "nor is room taken");
        }
    }
}

#[tokio::test]
async fn an_unfinished_call_leaves_an_open_session_where_it_is() {
    for (then, kind) in UNFINISHED {
        let caller = Caller::connect().await;
        let opened = caller.call("session_init", "ok", json!({})).await;
        let by_handle = json!({"hooks-sdk/session": opened["_meta"]["hooks-sdk/session"]});
        let codex = json!({"sessionId": "codex-1"});
        caller.call("session_init", "ok", codex.clone()).await;
        for meta in [by_handle, codex] {
            for tool in ["promote", "session_clear", "work"] {
                let answer = caller.call(tool, then, meta.clone()).await;
                assert_eq!(answer["resultType"], kind, "{answer}");
                assert!(caller.passes("work", &meta).await, "{tool}");
                assert!(!caller.passes("deploy", &meta).await, "{tool}");
            }
            // When it is done, or asked for again with the answer, it moves.
            let moved = caller.call("promote", "ok", meta.clone()).await;
            assert_eq!(moved["content"][1]["text"], "Promoted.");
            assert!(caller.passes("deploy", &meta).await);
        }
        assert_eq!(caller.store.len(), 2);
    }
}
