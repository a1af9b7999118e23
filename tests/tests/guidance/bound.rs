//! Hooks that are bound to a session or a request reach nobody else.

use hooks_sdk::testing::Host;
use serde_json::{Value, json};

use super::shop::{
    ALL_EVENTS, LEGACY, STATELESS, Session, Start, guarded, hook, plain, reads, shop, texts,
};

async fn call(host: &Host, tool: &str, arguments: Value, session: &str) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"sessionId": session}});
    host.request("tools/call", params).await.unwrap()
}

#[tokio::test]
async fn a_hook_bound_to_a_session_fires_there_only() {
    for guarded in [false, true] {
        let hooks = [hook(Session, Start, "welcome")];
        let server = if guarded {
            self::guarded(hooks)
        } else {
            shop(hooks)
        };
        let host = plain(STATELESS, server).await.unwrap();
        for session in ["one", "two"] {
            call(&host, "open", json!({}), session).await;
        }
        let bound = call(
            &host,
            "work",
            json!({"then": "bind", "to": "session"}),
            "one",
        )
        .await;
        assert_eq!(texts(&bound)[0], "mcp-toolkit:action:end:bound-end");
        assert!(texts(&call(&host, "work", json!({}), "one").await)[1].contains("BOUND-END"));
        assert_eq!(
            texts(&call(&host, "work", json!({}), "two").await),
            ["done"]
        );
        let nobody = host.call_tool("look", json!({})).await.unwrap();
        assert_eq!(texts(nobody.as_value()), ["done"]);
        let prompt = host
            .request("prompts/get", json!({"name": "action_end"}))
            .await
            .unwrap();
        assert_eq!(prompt["messages"], json!([]));
        let tags = json!({
            "ref": {"type": "ref/prompt", "name": "action_end"}, "argument": {"name": "tag", "value": ""},
        });
        let tags = host.request("completion/complete", tags).await.unwrap();
        assert_eq!(tags["completion"]["values"], json!([]));
        let declared = host.request("server/discover", json!({})).await.unwrap();
        assert!(!declared.to_string().contains("BOUND-END"));
        let gone = json!({"then": "unbind", "id": "mcp-toolkit:action:end:bound-end"});
        assert_eq!(texts(&call(&host, "work", gone, "one").await), ["true"]);
    }
}

#[tokio::test]
async fn a_hook_bound_to_a_request_fires_with_its_result_only() {
    let host = plain(LEGACY, shop([hook(Session, Start, "welcome")]))
        .await
        .unwrap();
    let bound = host
        .call_tool("work", json!({"then": "bind", "to": "request"}))
        .await
        .unwrap();
    assert!(
        texts(bound.as_value())[1].contains("BOUND-END"),
        "{bound:?}"
    );
    let next = host.call_tool("work", json!({})).await.unwrap();
    assert_eq!(texts(next.as_value()), ["done"]);
}

#[tokio::test]
async fn two_connections_share_no_bound_hook() {
    let server = shop([hook(Session, Start, "welcome")]);
    let one = plain(LEGACY, server.clone()).await.unwrap();
    let two = plain(LEGACY, server).await.unwrap();
    one.call_tool("work", json!({"then": "bind", "to": "session"}))
        .await
        .unwrap();
    assert!(
        one.call_tool("work", json!({}))
            .await
            .unwrap()
            .text()
            .contains("BOUND-END")
    );
    assert_eq!(
        two.call_tool("work", json!({})).await.unwrap().text(),
        "done"
    );
}

#[tokio::test]
async fn what_came_after_the_handshake_was_not_declared_and_goes_by_results() {
    let server = shop([hook(Session, Start, "welcome")]);
    let host = Host::builder()
        .capabilities(reads(&ALL_EVENTS))
        .connect(server)
        .await
        .unwrap();
    host.call_tool("work", json!({"then": "bind", "to": "nobody"}))
        .await
        .unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    assert!(worked.text().contains("BOUND-END"), "{worked:?}");
    assert_eq!(
        host.call_tool("look", json!({})).await.unwrap().text(),
        "done"
    );
}
