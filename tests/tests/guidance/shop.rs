//! A server whose tools do what a call's arguments tell them to, with guidance made by hand.

use std::{
    future::pending,
    sync::{Arc, Mutex, Weak},
};

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    guidance::{GuidanceHook, HookInput, RequirementLevel},
    server::{Guidance, GuidanceContext, Sessions},
    session::{Machine, State},
    testing::{ConnectError, TestHost},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        JsonObject, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig,
        Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

pub(crate) use HookType::{Action, Config, Session, Storage};
pub(crate) use Lifecycle::{Cancel, End, Progress, Running, Start};
pub(crate) use RequirementLevel::{May, Must, Should};
pub(crate) use hooks_sdk::guidance::{HookType, Lifecycle};

/// A hook whose text is its tag in capitals, which no other text contains.
pub(crate) fn hook(hook_type: HookType, lifecycle: Lifecycle, tag: &'static str) -> HookInput {
    HookInput::new(hook_type, lifecycle, tag, "Name", Should).text(tag.to_uppercase())
}

pub(crate) fn registry(hooks: impl IntoIterator<Item = HookInput>) -> Registry {
    let mut builder = Registry::builder();
    for hook in hooks {
        builder = builder.add(GuidanceHook::new(hook).into());
    }
    builder.build().unwrap()
}

/// A shop with these hooks and no session machine.
pub(crate) fn shop(hooks: impl IntoIterator<Item = HookInput>) -> Hooked<Shop> {
    Collected::of(registry(hooks))
        .unwrap()
        .wrap(Shop::default())
        .unwrap()
}

/// A shop whose session is opened by `open`, ended by `close`, and needed for `work`.
pub(crate) fn guarded(hooks: impl IntoIterator<Item = HookInput>) -> Hooked<Shop> {
    let machine = Machine::builder()
        .state(
            State::new("Closed")
                .start()
                .allow("look")
                .next("open", "Open"),
        )
        .state(State::new("Open").next("pay", "Paid").allow_any())
        .state(State::new("Paid").allow_any())
        .reset("close")
        .build()
        .unwrap();
    let hooked = shop(hooks).sessions(Sessions::on(machine));
    hooked.check().unwrap();
    hooked
}

/// Its tools are `open`, `work`, `pay`, `look` and `close`; `then` says what a call does.
#[derive(Clone, Default)]
pub(crate) struct Shop {
    /// The names of its own prompts, one a page.
    pub(crate) prompts: Vec<&'static str>,
    pub(crate) instructions: Option<&'static str>,
    /// The texts of the hooks that its tools have bound to a session or request.
    pub(crate) bound: Arc<Mutex<Vec<Weak<str>>>>,
}

impl Shop {
    fn tools() -> Vec<Tool> {
        let schema = json!({"type": "object", "properties": {"then": {"type": "string"}}});
        let schema = Arc::new(schema.as_object().unwrap().clone());
        ["open", "work", "pay", "look", "close"]
            .map(|name| Tool::new(name, "", schema.clone()))
            .into()
    }

    /// How many hooks that its tools have bound are still held by anybody.
    pub(crate) fn bound(&self) -> usize {
        let bound = self.bound.lock().unwrap();
        bound.iter().filter(|text| text.strong_count() > 0).count()
    }

    async fn act(
        &self,
        arguments: JsonObject,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Vec<String>, ErrorData> {
        let text = |key: &str| {
            arguments
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        Ok(match text("then") {
            "hang" => {
                cx.ct.cancelled().await;
                pending().await
            }
            "wait" => {
                cx.ct.cancelled().await;
                vec!["late".to_owned()]
            }
            "report" => {
                let token = cx.meta.get_progress_token().expect("a token");
                let progress = ProgressNotificationParam::new(token, 1.0);
                for _ in 0..2 {
                    cx.peer.notify_progress(progress.clone()).await.unwrap();
                }
                vec!["reported".to_owned()]
            }
            "guide" => {
                let hook_type = text("type").parse().unwrap();
                let composed = cx
                    .guide(hook_type, text("lifecycle").parse().unwrap())
                    .await;
                vec![composed.content, composed.notices.join("; ")]
            }
            "bind" => {
                let bound: Arc<str> = "BOUND-END".into();
                self.bound.lock().unwrap().push(Arc::downgrade(&bound));
                let mut input = hook(Action, End, "bound-end").text(bound);
                match text("to") {
                    "session" => input = input.session_id(cx.session_id().unwrap().to_owned()),
                    "nobody" => input = input.tool("wo*"),
                    "request" => input = input.request_id(cx.request_id().unwrap().to_owned()),
                    other => input = input.request_id(other.to_owned()),
                }
                let id = match cx.register_hook(input) {
                    Ok(id) => id,
                    Err(refused) => return Ok(vec![refused.to_string()]),
                };
                match text("and") {
                    "wait" => cx.ct.cancelled().await,
                    "panic" => panic!("as told"),
                    "tell" => return Ok(vec![cx.request_id().unwrap().to_owned()]),
                    _ => {}
                }
                vec![id]
            }
            "unbind" => vec![cx.unregister_hook(text("id")).to_string()],
            "" => vec!["done".to_owned()],
            "fail" => vec!["failed".to_owned()],
            other => return Err(ErrorData::invalid_params(other.to_owned(), None)),
        })
    }
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut config = ServerConfig::new(capabilities);
        config.instructions = self.instructions.map(str::to_owned);
        config
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Shop::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Shop::tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let fails = arguments.get("then") == Some(&json!("fail"));
        let texts = self.act(arguments, &cx).await?;
        let content = texts.into_iter().map(ContentBlock::text).collect();
        Ok(match fails {
            true => CallToolResult::error(content).into(),
            false => CallToolResult::success(content).into(),
        })
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let prompt = self
            .prompts
            .get(at)
            .map(|name| Prompt::new(*name, Some("Own."), None));
        let mut page = ListPromptsResult::with_all_items(prompt.into_iter().collect());
        page.next_cursor = (at + 1 < self.prompts.len()).then(|| (at + 1).to_string());
        Ok(page)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.prompts.contains(&&*request.name) {
            let message = PromptMessage::new_text(Role::User, "The author's own.");
            return Ok(GetPromptResult::new(vec![message]).into());
        }
        Err(ErrorData::invalid_params("no such prompt", None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut result = CompleteResult::default();
        let values: &[&str] = match (&*request.argument.name, request.r#ref.as_prompt_name()) {
            ("colour", _) => &["red"],
            ("tool", Some("own")) => &["hammer"],
            _ => &[],
        };
        result.completion.values = values.iter().map(|&value| value.to_owned()).collect();
        Ok(result)
    }
}

/// A client that declared hooks for these events.
pub(crate) fn reads(events: &[&str]) -> Value {
    json!({"hooks": {"supported_events": events}})
}

/// The texts of a result's blocks.
pub(crate) fn texts(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

/// How often a text stands in all that the server has sent.
pub(crate) fn times_sent(host: &hooks_sdk::testing::TestHost, text: &str) -> usize {
    let sent = host.frames();
    let from_server = sent
        .iter()
        .filter(|frame| frame.from == hooks_sdk::testing::Side::Server);
    from_server
        .map(|frame| frame.message.to_string().matches(text).count())
        .sum()
}

pub(crate) const ALL_EVENTS: [&str; 4] = [
    "session_start",
    "session_end",
    "pre_tool_use",
    "post_tool_use",
];

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

pub(crate) fn guidance() -> Guidance {
    Guidance::new()
}

/// A hook without a text of its own.
pub(crate) fn bare(hook_type: HookType, lifecycle: Lifecycle, tag: &'static str) -> HookInput {
    HookInput::new(hook_type, lifecycle, tag, "Name", Should)
}

/// A shop with these hooks, some of which may be computed.
pub(crate) fn with(hooks: impl IntoIterator<Item = GuidanceHook>) -> Hooked<Shop> {
    let mut builder = Registry::builder();
    for hook in hooks {
        builder = builder.add(hook.into());
    }
    Collected::of(builder.build().unwrap())
        .unwrap()
        .wrap(Shop::default())
        .unwrap()
}

/// A client of this version that reads no declarations.
pub(crate) async fn plain(version: &str, server: Hooked<Shop>) -> Result<TestHost, ConnectError> {
    let builder = TestHost::builder().version(version).capabilities(json!({}));
    builder.connect(server).await
}
