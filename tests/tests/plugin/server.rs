//! The server that the tests of this program put hooks around, and what they look at.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use hooks_sdk::{
    Collected, Hooked, Policy,
    core::Registry,
    plugin::{Headers, ListHook, PluginHook},
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
            CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams,
            GetPromptResponse, GetPromptResult, ListPromptsResult, ListResourcesResult,
            ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
            Resource, ResourceContents, Role, ServerCapabilities, ServerConfig, Tool,
        },
        service::RequestContext,
    },
    server::Sessions,
    testing::TestHost,
};
use serde_json::{Value, json};

/// A server with files. It counts how often a tool really ran.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) ran: Arc<AtomicUsize>,
    /// What happens while the server says which prompts it has.
    pub(crate) at_list: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Files {
    pub(crate) fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

fn tools() -> Vec<Tool> {
    let path =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let schema = |value: &Value| Arc::new(value.as_object().cloned().unwrap_or_default());
    let mut tools: Vec<Tool> = ["read_file", "delete_file", "internal_sync"]
        .into_iter()
        .map(|name| Tool::new(name, format!("does {name}"), schema(&path)))
        .collect();
    tools.push(Tool::new(
        "fail",
        "fails",
        schema(&json!({"type": "object"})),
    ));
    tools
}

impl ServerHandler for Files {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions();
        ServerConfig::new(capabilities.build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.ran.fetch_add(1, Ordering::SeqCst);
        match &*request.name {
            "fail" => {
                return Err(ErrorData::internal_error(
                    "the disk is gone: key=sk-secret",
                    None,
                ));
            }
            "panic" => panic!("the author's own code"),
            // Until its deadline, or until the client cancels it.
            "slow" => cx.ct.cancelled().await,
            _ => {}
        }
        let headers = cx
            .extensions
            .get::<Headers>()
            .map(|headers| json!(headers.0));
        let said = json!({"tool": request.name, "args": request.arguments, "headers": headers});
        let mut result = CallToolResult::success(vec![ContentBlock::text(said.to_string())]);
        result.structured_content = Some(said);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if let Some(act) = &self.at_list {
            act();
        }
        let prompts = ["greet", "internal"];
        let prompt = |name: &str| Prompt::new(name, Some("a prompt"), None);
        Ok(ListPromptsResult::with_all_items(
            prompts.into_iter().map(prompt).collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let text = json!({"prompt": request.name, "args": request.arguments}).to_string();
        let messages = vec![PromptMessage::new_text(Role::User, text)];
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let of = match &request.r#ref {
            Reference::Prompt(prompt) => format!("prompt {}", prompt.name),
            Reference::Resource(resource) => format!("resource {}", resource.uri),
            _ => String::new(),
        };
        let known = request.context.and_then(|context| context.arguments);
        let known = known.and_then(|known| known.get("lang").cloned());
        let (name, value) = (request.argument.name, request.argument.value);
        let said = format!("{of} {name}={value} {}", known.unwrap_or_default());
        let values = vec![said, "secret".to_owned(), "public".to_owned()];
        let completion = CompletionInfo::with_all_values(values);
        completion
            .map(CompleteResult::new)
            .map_err(|wrong| ErrorData::internal_error(wrong, None))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = ["file:///notes", "file:///internal"];
        let resource = |uri: &str| Resource::new(uri, uri);
        Ok(ListResourcesResult::with_all_items(
            resources.into_iter().map(resource).collect(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = format!("contents of {}", request.uri);
        let has_meta = request.uri == "file:///meta";
        let contents = ResourceContents::text(text, request.uri);
        let mut result = ReadResourceResult::new(vec![contents]);
        if has_meta {
            let meta = json!({"upstream": {"apiKey": "YWJjZGVmZ2hpamtsbW5vcA=="}});
            result.meta = serde_json::from_value(meta).ok();
        }
        Ok(result.into())
    }
}

/// Puts hooks around the server.
pub(crate) fn hooked(files: &Files, hooks: impl IntoIterator<Item = PluginHook>) -> Hooked<Files> {
    hooked_with(files, hooks, [], Policy::new(), None)
}

pub(crate) fn hooked_with(
    files: &Files,
    hooks: impl IntoIterator<Item = PluginHook>,
    lists: impl IntoIterator<Item = ListHook>,
    policy: Policy,
    sessions: Option<Sessions>,
) -> Hooked<Files> {
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    for hook in lists {
        registry = registry.add(hook.into());
    }
    let collected = Collected::of(registry.build().unwrap())
        .unwrap()
        .policy(policy);
    let collected = match sessions {
        Some(sessions) => collected.sessions(sessions),
        None => collected,
    };
    collected.wrap(files.clone()).unwrap()
}

pub(crate) async fn host(server: Hooked<Files>) -> TestHost {
    TestHost::connect(server).await.unwrap()
}
