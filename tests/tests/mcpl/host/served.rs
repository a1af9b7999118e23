//! The host and a real server, on the transports it can be served on.

use std::sync::Arc;

use hooks_sdk::testing::{ConnectError, McplHost, RequestError, mcpl::Turn};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, json};

struct Plain;

impl ServerHandler for Plain {
    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let second = request.is_some_and(|params| params.cursor.is_some());
        let name = if second { "second" } else { "first" };
        let tools = vec![Tool::new(name, "A tool", Arc::new(Map::new()))];
        let mut page = ListToolsResult::with_all_items(tools);
        page.next_cursor = (!second).then(|| "more".to_owned());
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(request.name)]).into())
    }
}

#[tokio::test]
async fn with_the_shim_and_without() {
    for builder in [McplHost::builder(), McplHost::builder().without_shim()] {
        let host = builder.connect(Plain).await.unwrap();
        assert!(!host.speaks_mcpl());
        assert_eq!(host.handshake()["protocolVersion"], "2024-11-05");
        let tools = host.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(
            host.call_tool("first", json!({})).await.unwrap().text(),
            "first"
        );
        let contribution = host.before_inference(&Turn::new("conv_1")).await;
        assert_eq!(contribution.failure.unwrap().code(), Some(-32601));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_at_once() {
    let host = Arc::new(McplHost::connect(Plain).await.unwrap());
    let calls = (0..100).map(|n| {
        let host = host.clone();
        tokio::spawn(async move { host.call_tool(&n.to_string(), json!({})).await })
    });
    for (n, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap().text(), n.to_string());
    }
    host.disconnect().await;
    let gone = host.call_tool("first", json!({})).await;
    assert_eq!(gone.unwrap_err(), RequestError::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_is_not_waited_for() {
    let (ours, _theirs) = tokio::io::duplex(16);
    let (read, write) = tokio::io::split(ours);
    let host = McplHost::builder().over(read, write).await;
    assert!(matches!(
        host,
        Err(ConnectError::Handshake(RequestError::TimedOut(_)))
    ));
}
