//! The server under test, and its hooks.

use std::{future::pending, time::Duration};

use futures::FutureExt;
use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    lifecycle::{LifecycleHook, Matcher, event, point, strength},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::router::tool::ToolRouter,
    model::{CustomRequest, CustomResult, ServerCapabilities, ServerConfig},
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use serde_json::json;

pub(crate) struct Server {
    tool_router: ToolRouter<Server>,
}

#[tool_router]
impl Server {
    pub(crate) fn new() -> Server {
        Server {
            tool_router: Server::tool_router(),
        }
    }

    #[tool(description = "Says hello")]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }

    #[tool(description = "Panics")]
    async fn burst(&self) -> String {
        panic!("the secret is 1234")
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("The author's own words.")
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if let Some(wait) = request.method.strip_prefix("after/") {
            let seconds = wait.split('/').next().unwrap_or_default();
            tokio::time::sleep(Duration::from_secs(seconds.parse().unwrap())).await;
        }
        Ok(CustomResult::new(json!({"echo": request.method})))
    }
}

pub(crate) fn hooks() -> Registry {
    let short = Duration::from_millis(50);
    Registry::builder()
        .add(
            LifecycleHook::text(
                "after_commit",
                point::post_tool_use,
                strength::suggestion,
                "Store it.",
            )
            .matcher(
                Matcher::new()
                    .tool_name("Bash")
                    .input_contains("git commit"),
            )
            .into(),
        )
        .add(
            LifecycleHook::answering(
                "recall",
                point::session_start,
                strength::important,
                |_: &Server, start: event::SessionStart| {
                    async move { format!("{:?}", start.project_name) }.boxed()
                },
            )
            .description("What was done before.")
            .into(),
        )
        .add(
            LifecycleHook::answering(
                "hang",
                point::session_end,
                strength::suggestion,
                |_: &Server, _: event::SessionEnd| pending::<String>().boxed(),
            )
            .deadline(short)
            .into(),
        )
        .add(
            LifecycleHook::answering(
                "burst_hook",
                point::pre_request,
                strength::suggestion,
                |_: &Server, _: event::PreRequest| async { panic!("no") as String }.boxed(),
            )
            .into(),
        )
        .build()
        .expect("well-formed hooks")
}

pub(crate) fn hooked() -> Hooked<Server> {
    Collected::of(hooks())
        .expect("sound hooks")
        .wrap(Server::new())
        .expect("fitting hooks")
}

pub(crate) const VERSIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];
