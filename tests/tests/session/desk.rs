//! Tools that do what a call's arguments tell them to.

use std::{
    collections::HashSet,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use hooks_sdk::session::{Machine, State};
use hooks_tests::toy_server::{Answer, ToolCall, ToyServer};
use rmcp::{
    ErrorData,
    model::{
        CallToolResult, ContentBlock, CreateTaskResult, InputRequiredResult, JsonObject, Task, Tool,
    },
};
use serde_json::{Value, json};

/// Which of the pairs that the tools are told about have been opened.
type Opened = Arc<Mutex<HashSet<u64>>>;

/// A server with these tools. The argument `then` says how a call ends (`ok`, `error`, `refuse`, `panic`, `hang`,
/// `ask`, `task`), `ms` after how long.
pub(crate) fn with_tools(names: &[&str]) -> ToyServer {
    let opened = Opened::default();
    names.iter().fold(ToyServer::default(), |server, name| {
        let opened = opened.clone();
        let tool = tool(name, &["then", "ms"]);
        server.with_tool(tool, move |call| act(call, opened.clone()))
    })
}

/// The same server with one tool more.
pub(crate) fn with_tool(server: ToyServer, tool: Tool) -> ToyServer {
    server.with_tool(tool, |call| act(call, Opened::default()))
}

async fn act(call: ToolCall, opened: Opened) -> Answer {
    let number = |key: &str| call.arguments.get(key).and_then(Value::as_u64);
    let time = Duration::from_millis(number("ms").unwrap_or_default())
        + Duration::from_micros(number("us").unwrap_or_default());
    // A sleep of no time takes a millisecond.
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
    let text = |text: &str| vec![ContentBlock::text(text)];
    if let Some(pair) = number("pair") {
        let is_new = opened.lock().unwrap().insert(pair);
        if call.name != "session_init" && is_new {
            return Ok(CallToolResult::error(text("too early")).into());
        }
    }
    let name = &call.name;
    let end = call.arguments.get("then").and_then(Value::as_str);
    match end.unwrap_or("ok") {
        "ok" => Ok(CallToolResult::success(text(&format!("{name} done"))).into()),
        "structured" => Ok(CallToolResult::structured(json!({"done": name})).into()),
        "error" => Ok(CallToolResult::error(text("failed")).into()),
        "refuse" => Err(ErrorData::invalid_params("refused", None)),
        "ask" => Ok(InputRequiredResult::from_request_state("asked").into()),
        "task" => Ok(CreateTaskResult::new(Task::default()).into()),
        "panic" => panic!("as told"),
        "hang" => pending().await,
        other => panic!("no such end: {other}"),
    }
}

pub(crate) fn tool(name: &str, parameters: &[&str]) -> Tool {
    let properties: JsonObject = parameters
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    Tool::new(
        name.to_owned(),
        "",
        Arc::new(schema.as_object().unwrap().clone()),
    )
}

/// `New`, opened by `session_init`, in which only `search` is allowed besides; then `Ready`, with everything.
pub(crate) fn two_states() -> Machine {
    Machine::builder()
        .state(
            State::new("New")
                .start()
                .allow("search")
                .next("session_init", "Ready"),
        )
        .state(
            State::new("Ready")
                .text("Store what you learn.")
                .allow_any(),
        )
        .reset("session_clear")
        .build()
        .unwrap()
}
