//! What a refusal proposes, and which calls are left to the author's server because it has no such tool.

use std::{borrow::Cow, sync::Arc};

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    server::Sessions,
    session::{Machine, State},
    testing::{RequestError, TestHost},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::json;

use super::desk::tool;

/// A desk whose `get_tool` knows some of its tools, whose lists have some, and which runs all of them.
#[derive(Clone, Default)]
struct Partial {
    known: Vec<Tool>,
    listed: Vec<&'static str>,
    runs: Vec<&'static str>,
}

impl ServerHandler for Partial {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.known.iter().find(|tool| tool.name == name).cloned()
    }

    /// One tool a page.
    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let page = self.listed.get(at).map(|name| tool(name, &[]));
        let mut result = ListToolsResult::with_all_items(page.into_iter().collect());
        result.next_cursor = (at + 1 < self.listed.len()).then(|| (at + 1).to_string());
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.runs.contains(&&*request.name) {
            let text = vec![ContentBlock::text(format!("{} done", request.name))];
            return Ok(CallToolResult::success(text).into());
        }
        Err(ErrorData::invalid_params("tool not found", None))
    }
}

fn destructive(name: &str, hint: Option<bool>) -> Tool {
    let mut tool = tool(name, &[]);
    let mut annotations = ToolAnnotations::new();
    annotations.destructive_hint = hint;
    tool.annotations = Some(annotations);
    tool
}

fn planning() -> Machine {
    Machine::builder()
        .state(State::new("New").start().next("open", "Planned"))
        .state(
            State::new("Planned")
                .allow("list")
                .next("deploy", "Deployed"),
        )
        .state(State::new("Deployed").next("roll_back", "Planned"))
        .build()
        .unwrap()
}

fn hooked(server: Partial, machine: Machine) -> Hooked<Arc<Partial>> {
    let collected = Collected::of(Registry::default()).unwrap();
    let hooked = collected.wrap(Arc::new(server)).unwrap();
    let hooked = hooked.sessions(Sessions::on(machine));
    hooked.check().unwrap();
    hooked
}

#[tokio::test]
async fn a_tool_that_its_annotations_call_destructive_is_not_proposed() {
    for (hint, told) in [
        (
            Some(true),
            "Tool \"roll_back\" is not available in the session's state \"Planned\". Available now: list.",
        ),
        (
            Some(false),
            "Tool \"roll_back\" is not available in the session's state \"Planned\". It becomes available after \
             deploy. Available now: list.",
        ),
        // MCP's default is `true`, and most tools say nothing.
        (
            None,
            "Tool \"roll_back\" is not available in the session's state \"Planned\". It becomes available after \
             deploy. Available now: list.",
        ),
    ] {
        let server = Partial {
            known: vec![
                tool("open", &[]),
                tool("list", &[]),
                destructive("deploy", hint),
                tool("roll_back", &[]),
            ],
            runs: vec!["open", "list", "deploy", "roll_back"],
            ..Partial::default()
        };
        let host = TestHost::connect(hooked(server, planning())).await.unwrap();
        host.call_tool("open", json!({})).await.unwrap();
        let refused = host.call_tool("roll_back", json!({})).await.unwrap();
        assert_eq!(
            (refused.is_error(), &*refused.text()),
            (true, told),
            "{hint:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_the_server_does_not_have_is_left_to_it() {
    for version in ["2025-11-25", "2026-07-28"] {
        let server = Partial {
            known: vec![tool("open", &[]), tool("work", &[])],
            listed: vec!["open", "work"],
            runs: vec!["open", "work"],
        };
        let machine = Machine::standard().opening("open").build().unwrap();
        let builder = TestHost::builder().version(version);
        let host = builder.connect(hooked(server, machine)).await.unwrap();
        let unknown = host.call_tool("wrok", json!({})).await.unwrap_err();
        let RequestError::Refused { code, message, .. } = unknown else {
            panic!("{unknown}")
        };
        assert_eq!((code, &*message), (-32602, "tool not found"), "{version}");
        assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
        // An unknown tool moves nothing and opens nothing.
        host.call_tool("open", json!({})).await.unwrap();
        host.call_tool("wrok", json!({})).await.unwrap_err();
        assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
    }
}

#[tokio::test]
async fn a_tool_that_may_be_there_is_never_let_through() {
    let runs = vec!["open", "work", "late"];
    let opened_by = |tool: &'static str| {
        let machine = Machine::standard().opening(Cow::Borrowed(tool));
        machine.build().unwrap()
    };
    for (what, server, machine) in [
        (
            "listed on a later page, and unknown to `get_tool`",
            Partial {
                known: vec![tool("open", &[])],
                listed: vec!["open", "late", "work"],
                runs: runs.clone(),
            },
            opened_by("open"),
        ),
        (
            "`get_tool` and `list_tools` are not implemented, and the SDK serves the opening tool",
            Partial {
                runs: runs.clone(),
                ..Partial::default()
            },
            Machine::standard().build().unwrap(),
        ),
        (
            "named by the machine",
            Partial {
                known: vec![tool("open", &[])],
                listed: vec!["open"],
                runs,
            },
            Machine::builder()
                .state(State::new("New").start().next("open", "Ready"))
                .state(State::new("Ready").allow("work").next("open", "Ready"))
                .build()
                .unwrap(),
        ),
    ] {
        let host = TestHost::connect(hooked(server, machine)).await.unwrap();
        let work = host.call_tool("work", json!({})).await.unwrap();
        assert!(work.is_error(), "{what}: {work:?}");
    }
}
