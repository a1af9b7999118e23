//! A server that names everything, and whose list of tools may fail.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use hooks_sdk::{
    Collected, Hooked, Policy,
    core::Registry,
    plugin::{ListHook, PluginHook},
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
            CompleteResult, ContentBlock, ListResourceTemplatesResult, ListResourcesResult,
            ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
            ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig,
            SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
        },
        service::{RequestContext, SubscriptionContext},
    },
    testing::TestHost,
};
use serde_json::{Value, json};

/// The server. It has no `get_tool`.
#[derive(Clone, Default)]
pub(super) struct Shelf(pub(super) Arc<State>);

#[derive(Default)]
pub(super) struct State {
    pub(super) lists_fail: AtomicBool,
    pub(super) lists: AtomicUsize,
    pub(super) ran: AtomicUsize,
    pub(super) more_tools: AtomicBool,
}

impl Shelf {
    pub(super) fn ran(&self) -> usize {
        self.0.ran.load(Ordering::SeqCst)
    }

    pub(super) fn lists(&self) -> usize {
        self.0.lists.load(Ordering::SeqCst)
    }

    fn tools(&self) -> Vec<Tool> {
        let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
        let schema = Arc::new(schema.as_object().cloned().unwrap_or_default());
        let tool = |name: &'static str| Tool::new(name, format!("does {name}"), schema.clone());
        let destructive = json!({"destructiveHint": true});
        let mut wipe = tool("wipe");
        wipe.annotations = serde_json::from_value(destructive).ok();
        let mut tools = vec![tool("look"), wipe];
        if self.0.more_tools.load(Ordering::SeqCst) {
            tools.push(tool("later"));
        }
        tools
    }
}

impl ServerHandler for Shelf {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_completions()
            .enable_resources()
            .enable_resources_subscribe();
        ServerConfig::new(capabilities.enable_skills_with_directory_read().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.0.lists.fetch_add(1, Ordering::SeqCst);
        if self.0.lists_fail.load(Ordering::SeqCst) {
            return Err(ErrorData::internal_error("not now", None));
        }
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.ran.fetch_add(1, Ordering::SeqCst);
        let text = format!("{} ran", request.name);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let uris = ["file:///notes", "file:///secret", "file:///internal/index"];
        let resources = uris.map(|uri| Resource::new(uri, uri));
        Ok(ListResourcesResult::with_all_items(resources.to_vec()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = [
            "file:///internal/{name}",
            "file:///notes/{name}",
            "row://{table}/{id}",
        ];
        let templates = templates.map(|template| ResourceTemplate::new(template, template));
        Ok(ListResourceTemplatesResult::with_all_items(
            templates.to_vec(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = format!("contents of {}", request.uri);
        let contents = ResourceContents::text(text, request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let child = Resource::new(format!("{}/child", request.uri), "child");
        Ok(ListResourcesResult::with_all_items(vec![child]))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let updated = json!({"uri": request.uri});
        let updated = serde_json::from_value(updated).expect("params");
        cx.peer.notify_resource_updated(updated).await.ok();
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted().resource_subscriptions.clone();
        for uri in accepted.into_iter().flatten() {
            let sent = context.sink().notify_resource_updated(uri).await;
            sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok(())
    }
}

pub(super) fn hooked(
    shelf: &Shelf,
    hooks: impl IntoIterator<Item = PluginHook>,
    lists: impl IntoIterator<Item = ListHook>,
    policy: Policy,
) -> Hooked<Shelf> {
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    for hook in lists {
        registry = registry.add(hook.into());
    }
    let collected = Collected::of(registry.build().unwrap()).unwrap();
    collected.policy(policy).wrap(shelf.clone()).unwrap()
}

pub(super) async fn host(version: &str, server: Hooked<Shelf>) -> TestHost {
    let builder = TestHost::builder().version(version);
    builder.connect(server).await.unwrap()
}

/// Every request that names a resource by its URI, in a generation.
pub(super) fn naming(version: &str, uri: &str) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("resources/read", json!({"uri": uri})),
        ("resources/directory/read", json!({"uri": uri})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "a", "value": ""}}),
        ),
    ];
    match version {
        "2026-07-28" => all.push((
            "subscriptions/listen",
            json!({"notifications": {"resourceSubscriptions": [uri]}}),
        )),
        _ => all.push(("resources/subscribe", json!({"uri": uri}))),
    }
    all
}
