//! What the in-memory host of MCPL can do, with a server that speaks MCPL by hand.

use std::time::Duration;

use hooks_sdk::{
    mcpl::Position,
    testing::{
        McplHost,
        mcpl::{Chunks, Policy, Reaction, Turn},
    },
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ServerCapabilities, ServerConfig, ServerRequest,
    },
    service::RequestContext,
};
use serde_json::json;

struct Memory;

impl ServerHandler for Memory {
    fn get_info(&self) -> ServerConfig {
        let set = |uses: &str| json!({"description": "Part of a memory", "uses": [uses]});
        let mcpl = json!({"version": "0.4", "featureSets": {
            "memory.retrieval": set("contextHooks.beforeInference"),
            "memory.proactive": set("pushEvents"),
            "memory.consolidation": set("inferenceRequest"),
        }});
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.experimental = serde_json::from_value(json!({"mcpl": mcpl})).unwrap();
        ServerConfig::new(capabilities)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        assert_eq!(request.method, "context/beforeInference");
        Ok(CustomResult(json!({
            "featureSet": "memory.retrieval",
            "contextInjections": [
                {"namespace": "memory", "position": "system", "content": "Alice likes tea."},
            ],
        })))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (method, params) = match &*request.name {
            "remind" => (
                "push/event",
                json!({
                    "featureSet": "memory.proactive", "eventId": "tea#1",
                    "timestamp": "2026-01-23T14:00:00Z",
                    "payload": {"content": [{"type": "text", "text": "Time for tea"}]},
                }),
            ),
            _ => (
                "inference/request",
                json!({"featureSet": "memory.consolidation", "stream": true, "messages": []}),
            ),
        };
        let request = CustomRequest::new(method, Some(params));
        let asked = context
            .peer
            .send_request(ServerRequest::CustomRequest(request));
        let answer = match tokio::time::timeout(Duration::from_millis(200), asked).await {
            Ok(Ok(_)) => "done".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the host does not answer".to_owned(),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(answer)]).into())
    }
}

fn server() -> Memory {
    Memory
}

// ANCHOR: inference
#[tokio::test]
async fn what_is_known_is_told_before_an_inference() {
    let host = McplHost::builder().enable(["memory.*"]);
    let host = host.connect(server()).await.unwrap();
    let turn = Turn::new("conv_1").user("What does Alice like?");
    let contribution = host.before_inference(&turn).await;
    assert_eq!(contribution.text_at(Position::System), "Alice likes tea.");

    let nothing = Policy::new().disable(["memory.retrieval"]);
    host.update_feature_sets(&nothing).await.unwrap();
    let contribution = host.before_inference(&turn).await;
    assert!(contribution.injections.is_empty());
}
// ANCHOR_END: inference

// ANCHOR: events
#[tokio::test]
async fn a_reminder_is_pushed_once() {
    let host = McplHost::connect(server()).await.unwrap();
    host.call_tool("remind", json!({})).await.unwrap();
    let event = host.wait_for("push/event").await.unwrap();
    assert_eq!(event["params"]["featureSet"], "memory.proactive");
    assert!(host.failures().is_empty());
}
// ANCHOR_END: events

// ANCHOR: misbehaviour
#[tokio::test]
async fn a_host_that_never_answers_stops_nothing() {
    let host = McplHost::builder()
        .react("push/event", Reaction::never())
        .react(
            "inference/request",
            Reaction::good().chunks(Chunks::Shuffled),
        );
    let host = host.connect(server()).await.unwrap();
    let answer = host.call_tool("remind", json!({})).await.unwrap();
    assert_eq!(answer.text(), "the host does not answer");
    let answer = host.call_tool("consolidate", json!({})).await.unwrap();
    assert_eq!(answer.text(), "done");
}
// ANCHOR_END: misbehaviour
