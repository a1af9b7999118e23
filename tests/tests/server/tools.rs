//! Hooks as tools, failures inside tools, and custom requests.

use std::sync::Arc;

use hooks_sdk::{
    Collected,
    lifecycle::{Event, Occasion, Variables},
    server::Guidance,
    testing::{RequestError, TestHost},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{DiscoverResult, InitializeRequestParams, InitializeResult, ServerConfig},
    service::RequestContext,
};
use serde_json::json;

use crate::server::{Server, VERSIONS, hooked, hooks};

#[tokio::test]
async fn an_answering_hook_is_a_tool_for_clients_with_hooks() {
    for version in VERSIONS {
        let host = TestHost::builder()
            .version(version)
            .connect(hooked())
            .await
            .unwrap();
        let declared = host.declarations();
        assert_eq!(declared.len(), 4);
        let names: Vec<_> = host.list_tools().await.unwrap();
        let names: Vec<_> = names
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["burst", "hello", "recall", "hang", "burst_hook"],
            "{version}"
        );
        let answer = host.call_tool(
            "recall",
            json!({"project_name": "x", "session_id": "{session_id}"}),
        );
        assert_eq!(answer.await.unwrap().text(), "Some(\"x\")");
        let unreplaced = host.call_tool("recall", json!({"project_name": "{project_name}"}));
        assert_eq!(unreplaced.await.unwrap().text(), "None");
        let list = host.request("tools/list", json!({})).await.unwrap();
        let scope = (version == "2026-07-28").then_some("private");
        assert_eq!(list["cacheScope"].as_str(), scope, "{version}");

        let host = TestHost::builder().version(version).capabilities(json!({}));
        let host = host.connect(hooked()).await.unwrap();
        assert_eq!(host.list_tools().await.unwrap().len(), 2, "{version}");
    }
}

#[tokio::test]
async fn a_failing_hook_or_tool_is_answered_and_the_server_lives_on() {
    for version in VERSIONS {
        let host = TestHost::builder()
            .version(version)
            .connect(hooked())
            .await
            .unwrap();
        let hung = host.call_tool("hang", json!({})).await.unwrap();
        assert!(hung.is_error());
        assert_eq!(
            hung.text(),
            "the hook `hang` gave no text: it took longer than 50 ms"
        );
        assert!(
            host.call_tool("burst_hook", json!({}))
                .await
                .unwrap()
                .is_error()
        );
        let Err(RequestError::Refused { code, message, .. }) =
            host.call_tool("burst", json!({})).await
        else {
            panic!("a panic is an internal error")
        };
        assert_eq!(code, -32603);
        assert!(!message.contains("1234"), "{message}");
        assert_eq!(
            host.call_tool("hello", json!({})).await.unwrap().text(),
            "hello"
        );
    }
}

#[tokio::test]
async fn custom_requests_reach_the_server_and_carry_the_result_type() {
    let host = TestHost::builder()
        .version("2026-07-28")
        .connect(hooked())
        .await
        .unwrap();
    let answer = host.request("com.example/x", json!({})).await.unwrap();
    assert_eq!(
        answer,
        json!({"echo": "com.example/x", "resultType": "complete"})
    );
    let host = TestHost::connect(hooked()).await.unwrap();
    let answer = host.request("com.example/x", json!({})).await.unwrap();
    assert_eq!(answer, json!({"echo": "com.example/x"}));
}

#[tokio::test]
async fn servers_held_in_an_arc_or_a_box_answer_too() {
    let arc = Collected::of(hooks())
        .unwrap()
        .wrap(Arc::new(Server::new()))
        .unwrap();
    let host = TestHost::connect(arc.clone()).await.unwrap();
    assert_eq!(
        host.call_tool("recall", json!({})).await.unwrap().text(),
        "None"
    );
    let boxed = Collected::of(hooks())
        .unwrap()
        .wrap(Box::new(Server::new()))
        .unwrap();
    let host = TestHost::connect(boxed).await.unwrap();
    assert_eq!(
        host.call_tool("recall", json!({})).await.unwrap().text(),
        "None"
    );
    assert_eq!(arc.registry().iter().len(), 4);
}

#[tokio::test]
async fn the_testing_host_fires_events_as_a_client_does() {
    let host = TestHost::builder()
        .name("memory")
        .connect(hooked())
        .await
        .unwrap();
    let commit = Occasion::new(
        Event::PostToolUse,
        Variables::new()
            .tool_name("Bash")
            .tool_input(r#"{"command":"git commit -m x"}"#),
    );
    let report = host.fire(commit).await;
    assert_eq!(
        report.to_string(),
        "Hook of the MCP server `memory` (suggestion):\n> Store it."
    );
    let start = Occasion::new(Event::SessionStart, Variables::new().project_name("annal"));
    let report = host.fire(start).await;
    assert_eq!(
        report.to_string(),
        "Hook of the MCP server `memory` (important):\n> Some(\"annal\")"
    );
    let end = host
        .fire(Occasion::new(Event::SessionEnd, Variables::new()))
        .await;
    assert_eq!((end.injected.len(), end.failed.len()), (0, 1));
}

/// Panics when it is asked what it is.
struct Shy {
    /// Only when it is asked by the SDK's own negotiation.
    negotiates: bool,
}

impl ServerHandler for Shy {
    fn get_info(&self) -> ServerConfig {
        assert!(self.negotiates, "not now");
        ServerConfig::default()
    }

    fn negotiate_initialize(
        &self,
        _: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        panic!("not now either")
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        panic!("nor here")
    }
}

#[tokio::test]
async fn a_server_that_panics_in_the_handshake_answers_it() {
    for version in VERSIONS {
        for negotiates in [false, true] {
            for guided in [false, true] {
                let collected = Collected::of(Default::default()).unwrap();
                let mut server = collected.wrap(Shy { negotiates }).unwrap();
                if guided {
                    server = server.guidance(Guidance::new().by_own_hooks(|_| panic!("nor this")));
                }
                let host = TestHost::builder().version(version).connect(server);
                let refused = host.await.unwrap_err().to_string();
                assert!(
                    refused.contains("the server failed while it answered"),
                    "{version} {negotiates} {guided}: {refused}"
                );
            }
        }
    }
}
