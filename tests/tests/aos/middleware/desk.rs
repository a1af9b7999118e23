//! The server that a guardian guards in these tests.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use hooks_sdk::{
    Collected, Hooked,
    aos::{GuardedCall, GuardianClient, StepOutcome, ToolStep},
    core::Registry,
    mcpl::{self, McplHook, wire::StateUpdate},
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
            CreateTaskResult, DetailedTask, GetTaskParams, GetTaskResult, Implementation,
            InputRequiredResult, ListToolsResult, MetaObject, PaginatedRequestParams,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
            ResourceContents, ServerCapabilities, ServerConfig, Task, TaskPayload, TextContent,
            Tool,
        },
        service::RequestContext,
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The bytes `hello`, as Base64, and their SHA-256.
pub(crate) const HELLO: &str = "aGVsbG8=";
pub(crate) const DIGEST: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// Keeps notes
#[mcpl::feature_set("desk.notes", server = Desk)]
pub(crate) struct DeskNotes;

/// Returns the hook that binds the tool `stateful` to its feature set.
pub(crate) fn stateful() -> hooks_sdk::core::Hook {
    McplHook::tool::<DeskNotes, Desk>("stateful")
        .unguarded()
        .into()
}

/// A desk with notes. It counts how often a tool really ran.
#[derive(Clone, Default)]
pub(crate) struct Desk {
    ran: Arc<AtomicUsize>,
    pub(crate) began: Arc<Notify>,
    pub(crate) goes_on: Arc<Notify>,
}

impl Desk {
    pub(crate) fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }

    /// Returns the server with tools that store and retrieve.
    pub(crate) fn hooked(&self) -> Hooked<Desk> {
        self.collected([]).wrap(self.clone()).expect("a server")
    }

    /// Returns the server with more hooks.
    pub(crate) fn collected(
        &self,
        hooks: impl IntoIterator<Item = hooks_sdk::core::Hook>,
    ) -> Collected<Desk> {
        let steps = [
            ToolStep::memory_store::<Desk>("save", "args.text"),
            ToolStep::memory_store::<Desk>("save_all", "args.notes[*]"),
            ToolStep::memory_store::<Desk>("save_number", "args.number"),
            ToolStep::memory_retrieval::<Desk>("recall"),
            ToolStep::memory_retrieval::<Desk>("recall_typed")
                .content("result.structuredContent.notes[*]"),
            ToolStep::memory_retrieval::<Desk>("recall_copies")
                .content("result.structuredContent.notes[*]"),
            ToolStep::memory_retrieval::<Desk>("recall_twice")
                .content("result.structuredContent.notes[*]"),
            ToolStep::memory_retrieval::<Desk>("recall_beside_an_image"),
            ToolStep::knowledge::<Desk>("search")
                .query("args.q")
                .keywords("args.words"),
        ];
        let mut registry = Registry::builder();
        for hook in steps.into_iter().map(Into::into).chain(hooks) {
            registry = registry.add(hook);
        }
        Collected::of(registry.build().expect("a registry")).expect("hooks")
    }

    pub(crate) fn guarded(&self, client: GuardianClient) -> Hooked<Desk> {
        let hooked = self.hooked().guardian(client);
        hooked.check().expect("a guarded server");
        hooked
    }
}

fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

fn meta(value: Value) -> MetaObject {
    MetaObject(object(value))
}

fn schemas(name: &str) -> (Value, Option<Value>) {
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let of = |members: Value| json!({"type": "object", "properties": members});
    let typed = || {
        let mut schema = of(json!({"secret": {"type": "string", "maxLength": 10}}));
        schema["required"] = json!(["secret"]);
        Some(schema)
    };
    match name {
        "echo" => {
            let mut schema = of(json!({"text": text, "times": {"type": "integer"}}));
            schema["required"] = json!(["text"]);
            schema["additionalProperties"] = json!(false);
            (schema, None)
        }
        "save" => (of(json!({"text": {}})), None),
        "save_all" => (of(json!({"notes": texts})), None),
        "save_number" => (of(json!({"number": {"type": "integer"}})), None),
        "search" => (of(json!({"q": text, "words": texts})), None),
        "recall_typed" => (of(json!({})), Some(of(json!({"notes": texts})))),
        "typed" | "only_structured" | "apart" => (of(json!({})), typed()),
        _ => (of(json!({})), None),
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_tasks();
        ServerConfig::new(capabilities.build())
            .with_server_info(
                Implementation::new("desk", "1.2.3").with_website_url("https://desk.example"),
            )
            .with_instructions("Keep notes.")
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        if name == "listed" {
            return None;
        }
        let (input, output) = schemas(name);
        let mut tool = Tool::new(name.to_owned(), "", object(input));
        tool.output_schema = output.map(|schema| Arc::new(object(schema)));
        Some(tool)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = Tool::new("listed", "", object(schemas("echo").0));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.ran.fetch_add(1, Ordering::SeqCst);
        let text = |text: &str| CallToolResult::success(vec![ContentBlock::text(text)]);
        let structured = |value: Value, texts: Vec<ContentBlock>| {
            let mut result = CallToolResult::success(texts);
            result.structured_content = Some(value);
            result
        };
        let result = match &*request.name {
            "fails" => {
                let data = Some(json!({"key": "sk-data"}));
                return Err(ErrorData::internal_error(
                    "the disk is gone: sk-secret",
                    data,
                ));
            }
            "panics" => panic!("the author's own code"),
            "rich" => CallToolResult::success(vec![
                ContentBlock::text("before"),
                ContentBlock::image(HELLO, "image/png"),
                ContentBlock::audio(HELLO, "audio/wav"),
                ContentBlock::embedded_text("note://1", "hello"),
                ContentBlock::resource_link(Resource::new("note://1", "the first")),
                ContentBlock::text("after"),
            ]),
            "typed" => CallToolResult::structured(json!({"secret": "sk-secret"})),
            "only_structured" => structured(json!({"secret": "sk-secret"}), Vec::new()),
            "loose" => structured(
                json!({"secret": "sk-secret"}),
                vec![ContentBlock::text("found")],
            ),
            "apart" => structured(
                json!({"secret": "sk-secret"}),
                vec![ContentBlock::text("found")],
            ),
            "recall" => CallToolResult::success(vec![
                ContentBlock::text("the key is sk-secret"),
                ContentBlock::text("the sky is blue"),
            ]),
            "recall_typed" => CallToolResult::structured(json!({"notes": ["sk-secret", "blue"]})),
            "recall_copies" => {
                let mut result = structured(
                    json!({"notes": ["sk-secret", "blue"]}),
                    vec![
                        ContentBlock::text("the key is sk-secret"),
                        ContentBlock::image(HELLO, "image/png"),
                    ],
                );
                result.meta = Some(meta(json!({"raw": "sk-secret"})));
                result
            }
            "recall_twice" => structured(
                json!({"notes": ["sk-secret"], "best": "it is sk-secret"}),
                Vec::new(),
            ),
            "recall_beside_an_image" => structured(
                json!({"note": "sk-secret"}),
                vec![
                    ContentBlock::text("sk-secret"),
                    ContentBlock::image(HELLO, "image/png"),
                    ContentBlock::text("blue"),
                ],
            ),
            "with_meta" => {
                let mut kept = TextContent::new("kept");
                kept.meta = Some(meta(json!({"raw": "sk-secret"})));
                CallToolResult::success(vec![
                    ContentBlock::text("sk-secret"),
                    ContentBlock::Text(kept),
                ])
            }
            "stateful" => {
                let call = cx.extensions.get::<mcpl::Call>().expect("a call of MCPL");
                call.answer_state(StateUpdate::opaque("c1", None));
                let mut result = text("sk-secret");
                result.meta = Some(meta(json!({"raw": "sk-secret"})));
                result
            }
            "search" => text("the sky is blue"),
            "slow" => {
                self.began.notify_one();
                self.goes_on.notified().await;
                text("done")
            }
            "late" => {
                let mut task = Task::default();
                task.task_id = "one".to_owned();
                return Ok(CreateTaskResult::new(task).into());
            }
            "says_late" => {
                let mut task = Task::default();
                task.task_id = "one".to_owned();
                task.status_message = Some("working on sk-secret".to_owned());
                return Ok(CreateTaskResult::new(task).into());
            }
            "asks" => {
                return Ok(InputRequiredResult::from_request_state("sk-secret").into());
            }
            "remembers" => {
                let call = cx.extensions.get::<GuardedCall>().expect("a guarded call");
                match call.memory_store(vec!["from the tool".to_owned()]).await {
                    StepOutcome::Allowed => text("stored"),
                    StepOutcome::Modified(memory) => text(&memory.memory.join(", ")),
                    StepOutcome::Denied(denied) => text(&denied.blocked_text()),
                    StepOutcome::Bypassed(class) => text(class.as_str()),
                }
            }
            name => text(&json!({"tool": name, "args": request.arguments}).to_string()),
        };
        Ok(result.into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let mut task = Task::default();
        task.task_id.clone_from(&request.task_id);
        if request.task_id != "one" {
            task.status_message = Some("about sk-secret".to_owned());
        }
        let payload = match &*request.task_id {
            "working" => TaskPayload::Working,
            "broken" => TaskPayload::Failed {
                error: object(json!({"code": -32603, "message": "sk-secret"})),
            },
            _ => TaskPayload::Completed {
                result: object(json!({"content": [{"type": "text", "text": "sk-secret"}]})),
            },
        };
        Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text =
            ResourceContents::text("sk-secret", "note://text").with_mime_type("text/markdown");
        let blob = ResourceContents::blob(HELLO, "note://blob").with_mime_type("image/png");
        let contents = match &*request.uri {
            "note://text" => vec![text],
            "note://blob" => vec![blob],
            "note://both" => vec![text, blob],
            "note://meta" => {
                let raw = || meta(json!({"raw": "sk-secret"}));
                let kept = ResourceContents::text("kept", "note://kept").with_meta(raw());
                let mut result = ReadResourceResult::new(vec![text, kept]);
                result.meta = Some(raw());
                return Ok(result.into());
            }
            uri => return Err(ErrorData::resource_not_found(format!("no {uri}"), None)),
        };
        Ok(ReadResourceResult::new(contents).into())
    }
}
