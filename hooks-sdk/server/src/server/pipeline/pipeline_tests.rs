//! A trial protocol: a middleware that denies, changes, renames and answers calls, and sees late results. Nothing else of
//! `server/` changes for it.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
        CustomRequest, CustomResult, DetailedTask, GetTaskParams, GetTaskResult, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Task, TaskPayload, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    Author, AuthorRequest, Flow, ListEntry, McpRequest, McpResponse, Middleware, MiddlewareId,
    OptionalTraits, Pipeline, Provider, RequestState, Served, Stack, TaskResults, Viewer,
    Visibility, Work,
};
use crate::{
    server::{
        Hooked, Sessions, building,
        collect::ServerHooks,
        connection::{Arrival, Interests},
        lock,
        settings::ServerSettings,
    },
    testing::{RequestError, TestHost},
};
use hooks_core::{Registry, session::Machine};

/// The requests that the trial middleware saw.
type Seen = Arc<Mutex<Vec<String>>>;

/// The trial middleware, at the place of plugins.
#[derive(Debug)]
struct Trial(Seen);

/// The value that the trial middleware keeps for a call.
struct Was(Cow<'static, str>);

impl Trial {
    fn saw(&self, what: impl Into<String>) {
        lock(&self.0).push(what.into());
    }
}

impl Middleware for Trial {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Plugin
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            provider: Some(self.clone()),
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn interests(&self) -> Interests {
        Interests::CONNECTION | Interests::TASKS
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        _: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let McpRequest::CallTool(asked) = &mut request.asked else {
            return Work::Now(Flow::On);
        };
        call.extensions.put(Was(asked.name.clone()));
        let answer = |text| CallToolResult::error(vec![ContentBlock::text(text)]);
        Work::Now(match &*asked.name {
            "deny" => Flow::answer(Ok(McpResponse::CallTool(answer("denied").into()))),
            "break" => panic!("a rule's own code"),
            "change" => {
                asked
                    .arguments
                    .get_or_insert_default()
                    .insert("by".into(), json!("trial"));
                Flow::On
            }
            "rename" => {
                asked.name = "guarded".into();
                Flow::On
            }
            "wait" => {
                let arrival = request.cx.extensions.get::<Arrival>().cloned();
                return Work::Later(Box::pin(async move {
                    let ticket = arrival.and_then(|arrival| arrival.ticket);
                    ticket.iter().for_each(|ticket| ticket.release());
                    tokio::task::yield_now().await;
                    Flow::Again
                }));
            }
            _ => Flow::On,
        })
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        if let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer {
            self.saw(format!("after {}", call.tool()));
            result.content.push(ContentBlock::text("seen"));
        }
        Work::Now(())
    }

    fn show(&self, item: ListEntry<'_>, _: Option<&Viewer>) -> Visibility {
        match item {
            ListEntry::Tool(tool, _) if tool.name == "hidden" => Visibility::Hidden,
            ListEntry::Tool(tool, _) if tool.name == "break" => panic!("a rule's own code"),
            _ => Visibility::ToAll,
        }
    }
}

impl TaskResults for Trial {
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        if let (Ok(McpResponse::CallTool(CallToolResponse::Complete(result))), Some(Was(tool))) =
            (answer, call.extensions.take::<Was>())
        {
            self.saw(format!("late {tool}"));
            // The result of the task is none of a tool, so its JSON is one text.
            result.content = vec![ContentBlock::text(r#"{"secret":"redacted"}"#)];
            call.extensions.put(Was(tool));
        }
        Work::Now(())
    }
}

impl Provider for Trial {
    fn served(&self) -> Vec<Served> {
        vec![Served::new(Tool::new("ours", "", Arc::default()))]
    }

    fn run<'a>(
        &'a self,
        _: AuthorRequest,
        _: &'a Pipeline,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
        let result = CallToolResult::success(vec![ContentBlock::text("served")]);
        Box::pin(async { Ok(McpResponse::CallTool(result.into())) })
    }
}

/// The author's server.
struct TrialServer;

const TOOLS: [&str; 8] = [
    "session_init",
    "guarded",
    "deny",
    "change",
    "break",
    "hidden",
    "wait",
    "slow",
];

impl ServerHandler for TrialServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        ServerConfig::new(capabilities.build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = TOOLS.into_iter().find(|tool| *tool == name)?;
        Some(Tool::new(name, "", Arc::default()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.into_iter().filter_map(|name| self.get_tool(name));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "slow" {
            let mut task = Task::default();
            task.task_id = "one".to_owned();
            return Ok(CreateTaskResult::new(task).into());
        }
        let said = json!({"tool": request.name, "arguments": request.arguments});
        Ok(CallToolResult::success(vec![ContentBlock::text(said.to_string())]).into())
    }

    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        panic!("the author's own code")
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let mut task = Task::default();
        task.task_id = request.task_id;
        let result = json!({"content": [], "secret": "open"});
        let result = result.as_object().cloned().unwrap_or_default();
        let task = DetailedTask::new(task, TaskPayload::Completed { result });
        Ok(GetTaskResult::new(task))
    }
}

/// Returns the server with the trial middleware, and with sessions before that middleware.
fn server(seen: &Seen) -> Hooked<TrialServer> {
    let hooks = Arc::new(ServerHooks::of(Registry::builder().build().unwrap()));
    let machine = Machine::standard().only("guarded").only("wait");
    let settings = ServerSettings {
        sessions: Some(Sessions::on(machine.build().unwrap())),
        ..ServerSettings::default()
    };
    let stack = building::stack(&settings, &hooks, None, &TrialServer as &dyn Author);
    let mut stack = stack.unwrap().all.clone();
    stack.push(Arc::new(Trial(seen.clone())));
    let server = Arc::new(TrialServer);
    Hooked::new(
        server.clone(),
        server,
        hooks,
        settings,
        Arc::new(Stack::new(stack)),
    )
}

async fn call(host: &TestHost, name: &str) -> Result<Value, RequestError> {
    let answer = host.call_tool(name, json!({})).await;
    answer.map(|answer| answer.as_value().clone())
}

fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("|")
}

#[tokio::test]
async fn a_middleware_denies_changes_answers_and_breaks() {
    let seen = Seen::default();
    let host = TestHost::connect(server(&seen)).await.unwrap();
    assert_eq!(text(&call(&host, "deny").await.unwrap()), "denied");
    let changed = text(&call(&host, "change").await.unwrap());
    assert!(
        changed.contains(r#""by":"trial""#) && changed.ends_with("|seen"),
        "{changed}"
    );
    assert_eq!(text(&call(&host, "ours").await.unwrap()), "served|seen");
    // If the code of a middleware fails, the call stays forbidden and the request is answered.
    assert!(call(&host, "break").await.is_err());
    assert_eq!(*lock(&seen), ["after change", "after ours"]);
    let listed = host.list_tools().await.unwrap();
    let names: Vec<&str> = listed
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "session_init",
            "guarded",
            "deny",
            "change",
            "wait",
            "slow",
            "ours"
        ]
    );
}

#[tokio::test]
async fn the_gate_decides_again_on_a_renamed_call_and_on_one_that_waited() {
    let seen = Seen::default();
    let host = TestHost::connect(server(&seen)).await.unwrap();
    let refused = call(&host, "rename").await.unwrap();
    assert_eq!(refused["isError"], true, "{refused}");
    call(&host, "session_init").await.unwrap();
    for tool in ["rename", "wait"] {
        let answer = call(&host, tool).await.unwrap();
        assert!(text(&answer).ends_with("|seen"), "{answer}");
    }
    let (waited, other) = tokio::join!(call(&host, "wait"), call(&host, "guarded"));
    assert!(waited.is_ok() && other.is_ok());
}

#[tokio::test]
async fn a_task_keeps_what_a_middleware_knew_of_its_call() {
    let seen = Seen::default();
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
        .connect(server(&seen))
        .await
        .unwrap();
    let created = call(&host, "slow").await.unwrap();
    assert_eq!(created["taskId"], "one", "{created}");
    for _ in 0..2 {
        let fetched = host.request("tasks/get", json!({"taskId": "one"})).await;
        assert_eq!(fetched.unwrap()["result"]["secret"], "redacted");
    }
    assert_eq!(*lock(&seen), ["late slow", "late slow"]);
}

#[tokio::test]
async fn a_panic_names_the_method_that_was_asked_for() {
    let host = TestHost::connect(server(&Seen::default())).await.unwrap();
    let failed = host.request("acme/hello", json!({})).await.unwrap_err();
    assert!(failed.to_string().contains("`acme/hello`"), "{failed}");
}
