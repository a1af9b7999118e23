//! A server whose tools do what a call's arguments tell them to.

use std::{
    collections::HashMap,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    server::Sessions,
    session::{Machine, State},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
        InputRequiredResult, JsonObject, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Task, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

/// `then` says how a call ends (`ok`, `error`, `refuse`, `panic`, `hang`, `ask`, `task`), `ms` after how long.
#[derive(Clone, Default)]
pub(crate) struct Desk {
    tools: Vec<Tool>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
pub(crate) struct Seen {
    /// The arguments of every call that ran, in the order in which they began.
    pub(crate) calls: Vec<(String, Value)>,
    running: usize,
    pub(crate) most_at_once: usize,
    /// Which of the pairs that the tools are told about have been opened.
    opened: HashMap<u64, bool>,
}

impl Desk {
    pub(crate) fn new(tools: &[&str]) -> Desk {
        let tools = tools
            .iter()
            .map(|name| tool(name, &["then", "ms"]))
            .collect();
        Desk {
            tools,
            seen: Arc::default(),
        }
    }

    pub(crate) fn with_tool(mut self, tool: Tool) -> Desk {
        self.tools.push(tool);
        self
    }

    pub(crate) fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// The names of the tools that ran.
    pub(crate) fn ran(&self) -> Vec<String> {
        self.seen()
            .calls
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Tied to no hooks.
    pub(crate) fn bare(&self) -> Hooked<Desk> {
        Collected::of(Registry::default())
            .unwrap()
            .wrap(self.clone())
            .unwrap()
    }

    pub(crate) fn on(&self, machine: Machine) -> Hooked<Desk> {
        self.with(Sessions::on(machine))
    }

    pub(crate) fn with(&self, sessions: Sessions) -> Hooked<Desk> {
        let hooked = self.bare().sessions(sessions);
        hooked.check().unwrap();
        hooked
    }

    async fn act(&self, name: &str, arguments: &JsonObject) -> Result<CallToolResponse, ErrorData> {
        let number = |key: &str| arguments.get(key).and_then(Value::as_u64);
        tokio::time::sleep(Duration::from_millis(number("ms").unwrap_or_default())).await;
        tokio::time::sleep(Duration::from_micros(number("us").unwrap_or_default())).await;
        let text = |text: &str| vec![ContentBlock::text(text)];
        if let Some(pair) = number("pair") {
            let opened = self.seen().opened.get(&pair).copied().unwrap_or_default();
            self.seen().opened.insert(pair, true);
            if name != "session_init" && !opened {
                return Ok(CallToolResult::error(text("too early")).into());
            }
        }
        match arguments
            .get("then")
            .and_then(Value::as_str)
            .unwrap_or("ok")
        {
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

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        {
            let mut seen = self.seen();
            seen.calls
                .push((request.name.to_string(), Value::Object(arguments.clone())));
            seen.running += 1;
            seen.most_at_once = seen.most_at_once.max(seen.running);
        }
        let answer = self.act(&request.name, &arguments).await;
        self.seen().running -= 1;
        answer
    }
}
