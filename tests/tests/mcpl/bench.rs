//! A server put together by a test: its hooks by hand, and tools that do what the test says.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use hooks_sdk::{
    Collected, Hooked,
    core::{self, Registry},
    mcpl::{Call, McplSettings},
    prelude::*,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ErrorCode, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

/// Pushes
#[mcpl::feature_set("bench.push", sends(push), server = Bench)]
pub(crate) struct Pushing;

/// Comes later
#[mcpl::feature_set("bench.late", sends(push), later, server = Bench)]
pub(crate) struct Late;

/// Infers
#[mcpl::feature_set("bench.infer", sends(inference), optional(model_info), server = Bench)]
pub(crate) struct Inferring;

/// Has channels
#[mcpl::feature_set("bench.chan", sends(register, incoming), server = Bench)]
pub(crate) struct Channels;

/// Injects
#[mcpl::feature_set("bench.before", server = Bench)]
pub(crate) struct Before;

/// Modifies
#[mcpl::feature_set("bench.after", server = Bench)]
pub(crate) struct After;

/// Edits
#[mcpl::feature_set("bench.files", scoped, server = Bench)]
pub(crate) struct Files;

/// Watches, which only a 0.5 host can offer
#[mcpl::feature_set("bench.watch", later, server = Bench)]
pub(crate) struct Watching;

type Act = Box<dyn Fn(Call, Value) -> BoxFuture<'static, Value> + Send + Sync>;

/// The server.
#[derive(Default)]
pub(crate) struct Bench {
    tools: BTreeMap<&'static str, Act>,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::default()
    }

    /// A tool that answers with JSON.
    pub(crate) fn tool<F>(
        mut self,
        name: &'static str,
        act: impl Fn(Call, Value) -> F + Send + Sync + 'static,
    ) -> Bench
    where
        F: Future<Output = Value> + Send + 'static,
    {
        let act: Act = Box::new(move |call, arguments| act(call, arguments).boxed());
        self.tools.insert(name, act);
        self
    }

    /// With these hooks, and a host that is waited for 20 s.
    pub(crate) fn with(self, hooks: impl IntoIterator<Item = core::Hook>) -> Hooked<Bench> {
        let settings = McplSettings::new().timeout(Duration::from_secs(20));
        self.with_settings(settings, hooks)
    }

    pub(crate) fn with_settings(
        self,
        settings: McplSettings,
        hooks: impl IntoIterator<Item = core::Hook>,
    ) -> Hooked<Bench> {
        let mut registry = Registry::builder();
        for hook in hooks {
            registry = registry.add(hook);
        }
        let collected = Collected::of(registry.build().unwrap()).unwrap();
        collected.mcpl(settings).wrap(self).unwrap()
    }
}

impl ServerHandler for Bench {
    /// Answers a request of its own with the params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match &*request.method {
            "bench/echo" => Ok(CustomResult::new(request.params.unwrap_or_default())),
            method => Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                method.to_owned(),
                None,
            )),
        }
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let (name, _) = self.tools.get_key_value(name)?;
        Some(Tool::new(*name, "", serde_json::Map::new()))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.keys().filter_map(|name| self.get_tool(name));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = context.extensions.get::<Call>().cloned();
        let call = call.ok_or_else(|| ErrorData::internal_error("no call", None))?;
        let act = self.tools.get(&*request.name);
        let act = act.ok_or_else(|| ErrorData::invalid_params("no such tool", None))?;
        let answer = act(call, json!(request.arguments)).await;
        let text = ContentBlock::text(answer.to_string());
        Ok(CallToolResult::success(vec![text]).into())
    }
}

/// A list that hooks write to and a test reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
