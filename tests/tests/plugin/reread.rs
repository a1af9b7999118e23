//! A policy that is read again while a question waits for its user, or while a task runs, holds for the call.

use std::path::{Path, PathBuf};

use hooks_sdk::{
    Collected, Hooked, Policy,
    core::Registry,
    plugin::{Outcome, PluginHook, PluginPoint, Question, point},
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CreateTaskResult, DetailedTask, GetTaskParams,
            GetTaskResult, ServerCapabilities, ServerConfig, Task, TaskPayload,
        },
        service::RequestContext,
    },
    testing::TestHost,
};
use hooks_tests::policy_file::write;
use serde_json::{Value, json};

use crate::{
    background::{Seen, settled, watching},
    server::{Files, hooked_with},
};

macro_rules! asking {
    ($point:ident) => {
        PluginHook::answering_any::<_, Outcome<<point::$point as PluginPoint>::Change>>(
            "ask",
            point::$point,
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
        )
    };
}

fn server(files: &Files, file: &Path) -> Hooked<Files> {
    write(file, "hooks:\n  - id: keep\n    mode: disabled\n");
    let keep = PluginHook::deny("keep", point::tool_pre_invoke, "nothing is deleted").priority(1);
    let hooks = [
        keep,
        asking!(tool_pre_invoke),
        asking!(prompt_pre_fetch),
        asking!(resource_pre_fetch),
    ];
    hooked_with(files, hooks, [], Policy::new().file(file), None)
}

async fn host(server: Hooked<Files>, version: &str, file: PathBuf, text: &'static str) -> TestHost {
    let user = move |_: &Value| {
        write(&file, text);
        json!({"action": "accept", "content": {"confirm": true}})
    };
    let host = TestHost::builder().version(version).user(user);
    host.connect(server).await.unwrap()
}

const SWITCHED_ON: &str = "hooks:\n  - id: keep\n    mode: enforce\n";

const DENY_LIST: &str = "\
hooks: [{ id: keep, mode: disabled }]
plugins:
  - name: forbidden
    kind: deny_list
    priority: 2
    config: { tools: [\"delete_*\"] }
";

const CONDITIONS: &str = "\
hooks: [{ id: keep, mode: disabled }]
plugins:
  - name: forbidden
    kind: deny
    hooks: [tool_pre_invoke]
    priority: 2
    reason: not this tool
    conditions: [{ tools: [\"read_file\"] }]
";

#[tokio::test]
async fn a_rule_before_the_asker_that_came_into_force_meanwhile_stops_the_answered_call() {
    for version in ["2025-11-25", "2026-07-28"] {
        for (text, runs) in [(SWITCHED_ON, 0), (DENY_LIST, 0), (CONDITIONS, 1)] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("policy.yaml");
            let files = Files::default();
            let host = host(server(&files, &file), version, file, text).await;
            let answer = host.call_tool("delete_file", json!({"path": "a"})).await;
            let answer = answer.unwrap();
            assert_eq!(files.ran(), runs, "{version} {text}: {answer:?}");
            assert_eq!(answer.is_error(), runs == 0, "{version} {text}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn so_does_one_for_prompts_and_resources() {
    let requests = [
        ("prompts/get", json!({"name": "greet"}), "prompt_pre_fetch"),
        (
            "resources/read",
            json!({"uri": "file:///notes"}),
            "resource_pre_fetch",
        ),
    ];
    for (method, params, point) in requests {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        let files = Files::default();
        let text = format!(
            "plugins:\n  - name: no\n    kind: deny\n    hooks: [{point}]\n    priority: 2\n    reason: not now\n"
        );
        let host = host(server(&files, &file), "2026-07-28", file, text.leak()).await;
        let refused = host.ask(method, params).await;
        assert!(refused.is_err(), "{method}: {refused:?}");
    }
}

#[tokio::test]
async fn a_hook_that_is_done_with_the_call_does_not_run_again_though_the_file_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    write(&file, "hooks:\n  - id: keep\n    mode: disabled\n");
    let files = Files::default();
    let adds = PluginHook::answering_any::<_, Outcome<hooks_sdk::plugin::ToolCall>>(
        "adds",
        point::tool_pre_invoke,
        |call, _| {
            let before = call.args["path"].as_str().unwrap_or_default();
            let changed = call.with("path", format!("{before}+"));
            Box::pin(async move { Outcome::modify(changed) })
        },
    );
    let keep = PluginHook::deny("keep", point::tool_pre_invoke, "no").items(&["nothing"]);
    let hooks = [keep, adds.priority(2), asking!(tool_pre_invoke)];
    let server = hooked_with(&files, hooks, [], Policy::new().file(&file), None);
    let host = host(server, "2026-07-28", file, SWITCHED_ON).await;
    let answer = host.call_tool("delete_file", json!({"path": "a"})).await;
    let text = answer.unwrap().text();
    assert!(text.contains(r#""path":"a+""#), "{text}");
}

#[tokio::test]
async fn a_hook_that_runs_after_the_request_starts_at_most_once_though_the_file_changed_it() {
    let changes = [
        ("mode: disabled", 0),
        ("priority: 2", 1),
        ("mode: enforce", 1),
        ("deadline: 3s", 1),
    ];
    for (change, starts) in changes {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        write(&file, "questions: 3\n");
        let (files, seen) = (Files::default(), Seen::default());
        let hooks = [watching(&seen), asking!(tool_pre_invoke)];
        let server = hooked_with(&files, hooks, [], Policy::new().file(&file), None);
        let text = format!("hooks:\n  - id: watching\n    {change}\n");
        let host = host(server, "2026-07-28", file, text.leak()).await;
        let answer = host.call_tool("read_file", json!({"path": "a"})).await;
        assert!(!answer.unwrap().is_error(), "{change}");
        assert_eq!(settled(&seen).await.len(), starts, "{change}");
    }
}

fn closed(point: &str, item: &str) -> String {
    format!(
        "plugins:\n  - name: closed\n    kind: deny\n    hooks: [{point}]\n    {item}\n    priority: 200\n    reason: not this one\n"
    )
}

#[tokio::test]
async fn a_request_uses_the_rules_and_the_lists_of_one_version_of_the_file() {
    let denied = format!(
        "{}lists: {{ prompts: {{ hide: [other] }} }}\n",
        closed("prompt_pre_fetch", "prompts: [internal]")
    );
    let hidden = "lists: { prompts: { hide: [internal] } }\n".to_owned();
    for (before, after) in [(denied.clone(), hidden.clone()), (hidden, denied)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        write(&file, &before);
        let changed = file.clone();
        let files = Files {
            at_list: Some(std::sync::Arc::new(move || write(&changed, &after))),
            ..Files::default()
        };
        let server = hooked_with(&files, [], [], Policy::new().file(&file), None);
        let host = TestHost::connect(server).await.unwrap();
        let refused = host.ask("prompts/get", json!({"name": "internal"})).await;
        assert!(refused.is_err(), "{before}: {refused:?}");
    }
}

/// A server whose calls answer with a task that has ended.
#[derive(Clone)]
struct Worker;

impl ServerHandler for Worker {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        ServerConfig::new(capabilities.build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut task = Task::default();
        task.task_id = request.name.to_string();
        Ok(CreateTaskResult::new(task).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let mut task = Task::default();
        task.task_id = request.task_id;
        let result = json!({"content": [{"type": "text", "text": "sk-secret"}]});
        let result = result.as_object().cloned().unwrap_or_default();
        let task = DetailedTask::new(task, TaskPayload::Completed { result });
        Ok(GetTaskResult::new(task))
    }
}

#[tokio::test]
async fn a_list_hook_that_hides_the_tool_while_the_user_is_asked_holds_for_the_answered_call() {
    for version in ["2025-11-25", "2026-07-28"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        write(&file, &closed("tool_pre_invoke", "tools: [delete_file]"));
        let files = Files::default();
        let hooks = [asking!(tool_pre_invoke)];
        let server = hooked_with(&files, hooks, [], Policy::new().file(&file), None);
        let host = host(
            server,
            version,
            file,
            "lists: { tools: { hide: [delete_file] } }\n",
        )
        .await;
        let answer = host.call_tool("delete_file", json!({"path": "a"})).await;
        assert!(answer.unwrap().is_error(), "{version}");
        let other = host.call_tool("read_file", json!({"path": "a"})).await;
        assert!(!other.unwrap().is_error(), "{version}");
        assert_eq!(files.ran(), 1, "{version}");
    }
}

#[tokio::test]
async fn a_rule_that_came_into_force_while_a_task_ran_holds_for_its_result() {
    const NOTHING: &str = "hooks: []\n";
    const OTHERS: &str = "\
plugins:
  - { name: others, kind: deny, hooks: [tool_post_invoke], tools: [work], reason: no, mode: disabled }
";
    const RULE: &str = "\
plugins:
  - { name: late, kind: deny, hooks: [tool_post_invoke], tools: [work], reason: not any more }
";
    for (before, after, is_refused) in [
        // No hook concerned the call, or one did that is switched off.
        (NOTHING, RULE, true),
        (OTHERS, RULE, true),
        (RULE, NOTHING, false),
        (NOTHING, NOTHING, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        write(&file, before);
        let registry = Registry::builder().build().unwrap();
        let collected = Collected::of(registry).unwrap();
        let collected = collected.policy(Policy::new().file(&file));
        let host = TestHost::builder()
            .version("2026-07-28")
            .capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
            .connect(collected.wrap(Worker).unwrap())
            .await
            .unwrap();
        for tool in ["work", "rest"] {
            host.call_tool(tool, json!({})).await.unwrap();
        }
        write(&file, after);
        for _ in 0..2 {
            let fetch = |task| host.request("tasks/get", json!({"taskId": task}));
            let late = fetch("work").await.unwrap().to_string();
            assert_eq!(late.contains("sk-secret"), !is_refused, "{before} {late}");
            assert_eq!(late.contains("not any more"), is_refused, "{before} {late}");
            // A rule for another tool changes nothing.
            let other = fetch("rest").await.unwrap().to_string();
            assert!(other.contains("sk-secret"), "{before} {other}");
        }
    }
}
