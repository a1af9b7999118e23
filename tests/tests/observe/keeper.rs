//! A server with a hook of every protocol, and the policy that guards it.

use std::{sync::Mutex, time::Duration};

use hooks_sdk::{
    Hooked,
    aos::{
        self, Agent, AgentModel, CompletedToolCall, Guardian, McpMessage, Memory, Messages,
        ModelProvider, Posture, Reply, StepInfo, ToolCallRequest,
    },
    core::Verdict,
    guidance::{self, Firing},
    mcpl,
    plugin::{self, ToolCall, ToolResult},
    prelude::*,
    testing::McplHost,
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::{Value, json};

use crate::recorder::{Fields, Recorded, Recorder};

/// The trace of the client.
pub(crate) const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// What no span may contain.
pub(crate) const CONTENTS: &str = "the garden key";

pub(crate) struct Keeper;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Note {
    text: String,
}

/// Recall
#[mcpl::feature_set("keeper.recall")]
struct Recall;

#[guidance::hook(action, end, requirement = SHOULD, name = "After A Note", tool = "remember")]
async fn after_a_note(_: &Keeper, _: &Firing) -> Option<String> {
    Some(format!("It is about {CONTENTS}."))
}

#[hooks_sdk::hooks]
#[tool_router]
impl Keeper {
    /// Stores a note.
    #[tool]
    #[aos::memory_store(content = "args.text")]
    async fn remember(&self, Parameters(note): Parameters<Note>) -> String {
        format!("stored: {}", note.text)
    }

    /// Fails.
    #[tool]
    async fn lose(&self) -> Result<String, String> {
        Err(CONTENTS.to_owned())
    }

    #[lifecycle::hook(session_start, strength = required)]
    async fn recall(&self, _: &SessionStart) -> Option<String> {
        Some(CONTENTS.to_owned())
    }

    #[mcpl::hook(before_inference, feature_set = Recall, inject(before_user))]
    async fn context(&self) -> Injection {
        Injection::new("keeper", Position::BeforeUser, CONTENTS)
    }

    #[plugin::hook(tool_pre_invoke, priority = 1)]
    async fn check(&self, call: &ToolCall) -> Verdict<ToolCall> {
        match &*call.name {
            "remember" => Verdict::Modify(call.with("checked", true)),
            _ => Verdict::Allow,
        }
    }

    #[plugin::hook(tool_pre_invoke, tool = "lose", priority = 2, posture = proceed)]
    async fn broken(&self, _: &ToolCall) -> Verdict<ToolCall> {
        panic!("{CONTENTS}")
    }

    #[plugin::hook(tool_post_invoke, tool = "remember")]
    async fn look(&self, _: &ToolResult) -> Verdict<ToolResult> {
        Verdict::Allow
    }
}

#[tool_handler]
impl ServerHandler for Keeper {}

/// The traces that the guardian was asked in, since the process began.
pub(crate) static TRACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub(crate) struct Rules;

#[hooks_sdk::hooks]
impl Rules {
    #[aos::hook(tool_call_request)]
    async fn known(&self, _: &ToolCallRequest, asked: &StepInfo) -> Reply<ToolCallRequest> {
        let trace = asked.trace_parent().map(str::to_owned);
        TRACES.lock().unwrap().extend(trace);
        Reply::allow()
    }

    #[aos::hook(memory_store)]
    async fn keys(&self, memory: &Memory) -> Reply<Memory> {
        match &*memory.memory[0] {
            "forbidden" => Reply::deny(format!("{CONTENTS} is secret")).reason_code("SECRET"),
            "broken" => panic!("{CONTENTS}"),
            _ => Reply::allow(),
        }
    }

    #[aos::hook(mcp)]
    async fn message(&self, _: &McpMessage) -> Reply<McpMessage> {
        Reply::allow()
    }

    #[aos::hook(tool_call_result)]
    async fn result(&self, _: &CompletedToolCall) -> Reply<CompletedToolCall> {
        Reply::allow()
    }
}

pub(crate) fn server(posture: Posture) -> Hooked<Keeper> {
    let model = AgentModel::new("m1", "large", ModelProvider::new("Models"));
    let mut agent = Agent::new("keeper", "Keeper").provider("Me", "https://a.example");
    agent.model = Some(model);
    let guardian = Guardian::local(Rules)
        .agent(agent)
        .timeout(Duration::from_secs(10));
    Keeper
        .with_hooks()
        .unwrap()
        .guardian(guardian.posture(posture))
}

/// The same server, whose guardian sees the messages of the client.
pub(crate) fn watched() -> Hooked<Keeper> {
    let guardian = Guardian::local(Rules)
        .agent(Agent::new("keeper", "Keeper").provider("Me", "https://a.example"))
        .timeout(Duration::from_secs(10))
        .messages(Messages::Inbound);
    Keeper
        .with_hooks()
        .unwrap()
        .guardian(guardian.posture(Posture::Deny))
}

/// Sends a message with a reason. Returns the fields of its step.
pub(crate) async fn reasoned(recorder: &Recorder) -> Fields {
    let host = McplHost::connect(watched()).await.unwrap();
    recorder.clear();
    let params = json!({"_meta": {"hooks-sdk/reasoning": format!("The user wants {CONTENTS}")}});
    host.request("tools/list", params).await.unwrap();
    let mut steps = recorder.named("aos.protocol.mcp").into_iter();
    let is_asked = |step: &Recorded| step.fields["mcp.method.name"] == "tools/list";
    steps.find(is_asked).expect("a step").fields
}

/// Calls a tool in the client's trace.
pub(crate) async fn call(host: &McplHost, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"traceparent": PARENT}});
    host.request("tools/call", params).await.unwrap()
}
