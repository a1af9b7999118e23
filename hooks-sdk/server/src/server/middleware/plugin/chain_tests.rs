//! A task whose result comes late, and a tool that asks the user itself.

use std::sync::Arc;

use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
        DetailedTask, GetTaskParams, GetTaskResult, InputRequiredResult, ServerCapabilities,
        ServerConfig, Task, TaskPayload, Tool,
    },
};
use serde_json::{Value, json};

use crate::server::{
    Hooked, HookedService, McpContext, building, collect::ServerHooks, pipeline::Author,
    settings::ServerSettings,
};
use hooks_core::{Registry, Verdict, condition::Condition};
use hooks_plugin::{Outcome, PluginHook, Question, ToolCall, ToolResult, point};
use hooks_testing::TestHost;

#[derive(Clone)]
struct ChainServer;

impl ServerHandler for ChainServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        ServerConfig::new(capabilities.build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Some(Tool::new(name.to_owned(), "", Arc::default()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: McpContext,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "slow" => {
                let mut task = Task::default();
                task.task_id = "one".to_owned();
                return Ok(CreateTaskResult::new(task).into());
            }
            "asks" if request.request_state.as_deref() != Some("own") => {
                return Ok(InputRequiredResult::from_request_state("own").into());
            }
            _ => {}
        }
        let said = json!({"tool": request.name, "arguments": request.arguments});
        Ok(CallToolResult::success(vec![ContentBlock::text(said.to_string())]).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: McpContext,
    ) -> Result<GetTaskResult, ErrorData> {
        let mut task = Task::default();
        task.task_id = request.task_id;
        let result = json!({"content": [{"type": "text", "text": "sk-secret"}]});
        let result = result.as_object().cloned().unwrap_or_default();
        Ok(GetTaskResult::new(DetailedTask::new(
            task,
            TaskPayload::Completed { result },
        )))
    }
}

/// Returns the server with these hooks.
fn server(hooks: impl IntoIterator<Item = PluginHook>) -> Hooked<ChainServer> {
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    let hooks = Arc::new(ServerHooks::of(registry.build().unwrap()));
    let settings = ServerSettings::default();
    let parts = building::parts(&settings, &hooks, &ChainServer as &dyn Author);
    let server = Arc::new(ChainServer);
    let service = HookedService::new(server.clone(), hooks, settings, parts.unwrap());
    Hooked { server, service }
}

fn no_etc() -> PluginHook {
    PluginHook::deny("no_etc", point::tool_pre_invoke, "files of the system stay")
        .when(Condition::parse(r#"args.path = inside("/etc")"#).unwrap())
}

fn redact() -> PluginHook {
    PluginHook::answering_any::<_, Verdict<ToolResult>>(
        "redact",
        point::tool_post_invoke,
        |answer, cx| {
            let seen = cx.get_state("seen").and_then(Value::as_u64).unwrap_or(0);
            cx.set_state("seen", seen + 1);
            Box::pin(async move {
                let text = answer.result.to_string().replace("sk-secret", "***");
                let result = serde_json::from_str(&text).unwrap_or_default();
                Verdict::Modify(ToolResult::new(answer.name.clone(), result))
            })
        },
    )
}

#[tokio::test]
async fn a_late_result_passes_the_hooks_and_an_unknown_one_is_withheld() {
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
        .connect(server([redact()]))
        .await
        .unwrap();
    host.call_tool("slow", json!({})).await.unwrap();
    for _ in 0..2 {
        let fetched = host
            .request("tasks/get", json!({"taskId": "one"}))
            .await
            .unwrap();
        assert_eq!(fetched["result"]["content"][0]["text"], "***", "{fetched}");
    }
    let fetched = host
        .request("tasks/get", json!({"taskId": "two"}))
        .await
        .unwrap();
    assert_eq!(fetched["result"]["isError"], true, "{fetched}");
    assert!(!fetched.to_string().contains("sk-secret"));
}

#[tokio::test]
async fn the_own_question_of_a_tool_keeps_its_state_and_a_confirmed_call_is_not_asked_again() {
    let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "ask",
        point::tool_pre_invoke,
        |_, cx| {
            let asked = !cx.elicitation_responses.is_empty();
            Box::pin(async move {
                if asked {
                    Outcome::allow()
                } else {
                    Outcome::ask(Question::confirm("Sure?"))
                }
            })
        },
    );
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"elicitation": {}}));
    let host = host.connect(server([ask])).await.unwrap();
    let call = json!({"name": "asks", "arguments": {"a": 1}});
    let first = host.request("tools/call", call.clone()).await.unwrap();
    let mut retry = call.clone();
    retry["requestState"] = first["requestState"].clone();
    retry["inputResponses"] =
        json!({"hook:ask": {"action": "accept", "content": {"confirm": true}}});
    let second = host.request("tools/call", retry).await.unwrap();
    assert_eq!(second["resultType"], "input_required", "{second}");
    assert!(
        second["inputRequests"].is_null() && second["requestState"] != "own",
        "{second}"
    );
    let mut last = call;
    last["requestState"] = second["requestState"].clone();
    let done = host.request("tools/call", last).await.unwrap();
    assert!(
        done["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("asks"),
        "{done}"
    );
}

#[tokio::test]
async fn the_own_state_of_a_tool_passes_untouched_where_no_hook_asks() {
    let host = TestHost::builder().version("2026-07-28");
    let host = host.connect(server([no_etc(), redact()])).await.unwrap();
    let call = json!({"name": "asks", "arguments": {"a": 1}});
    let asked = host.request("tools/call", call.clone()).await.unwrap();
    assert_eq!(asked["requestState"], "own", "{asked}");
    let mut retry = call;
    retry["requestState"] = json!("own");
    let done = host.request("tools/call", retry).await.unwrap();
    assert!(
        done["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("asks"),
        "{done}"
    );
}
