//! Ways around the guardian, none of which is one; and what it is never asked about.

use hooks_sdk::{
    aos::{AosHook, Guardian, McpMessage, Messages, Posture, Reply, point},
    core::Registry,
};
use hooks_tests::client::{
    peer::{Kind, Stream},
    text,
};
use serde_json::json;

use super::{
    agent,
    desk::Desk,
    guardian, hooked,
    peer::{Peer, call},
    policy::{DENY, Policy},
};

#[tokio::test]
async fn a_handshake_and_a_ping_need_no_guardian() {
    for kind in Kind::ALL {
        let hook = AosHook::answering_any("never", point::mcp, |_: &McpMessage, _| {
            Box::pin(async { Reply::<McpMessage>::deny("never") })
        });
        let registry = Registry::builder().add(hook.into()).build().unwrap();
        let client = Guardian::local_with(Guardian::with((), registry)).agent(agent());
        let client = client.messages(Messages::Both).posture(Posture::Deny);
        let desk = Desk::default();
        let mut peer = Peer::of(kind, hooked(&desk, client)).await;
        if kind.is_asked() {
            let pong = peer.answer("ping", json!({})).await;
            assert_eq!(pong["result"], json!({}), "{pong}");
        } else {
            let found = peer.answer("server/discover", json!({})).await;
            assert!(found["result"]["capabilities"].is_object(), "{found}");
        }
        let denied = peer.call("say", &["hello"]).await;
        assert_eq!(text(&denied["result"]), "never", "{kind:?}");
        assert!(desk.ran().is_empty());
    }
}

#[tokio::test]
async fn the_server_reads_what_the_guardian_has_seen() {
    let policy = Policy::new();
    let desk = Desk::default();
    let client = guardian(&policy).posture(Posture::Deny);
    let mut stream = Stream::legacy(hooked(&desk, client)).await;
    // A member twice: the guardian and the server agree on the last.
    let call = json!({"name": "say", "arguments": {"words": [DENY]}});
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{call},"method":"ping"}}"#
    );
    stream.write_line(&twice).await;
    assert_eq!(
        stream.next().await,
        json!({"jsonrpc": "2.0", "id": 70, "result": {}})
    );
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":71,"method":"ping","params":{call},"method":"tools/call"}}"#
    );
    stream.write_line(&twice).await;
    assert_eq!(text(&stream.next().await["result"]), "not allowed");
    // What is nested too deep cannot be shown, wherever it stands.
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{call},"deep":{deep}}}"#
    );
    stream.write_line(&deep).await;
    let refused = stream.next().await;
    assert!(refused["error"]["code"].is_i64(), "{refused}");
    assert!(desk.ran().is_empty());
    assert_eq!(stream.answer("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn a_guardian_of_messages_is_not_asked_about_the_same_call_again() {
    for with_steps in [false, true] {
        let policy = Policy::new();
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = seen.clone();
        let steps = AosHook::answering_any("step", point::tool_call_request, move |_, _| {
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Box::pin(async { hooks_sdk::core::Verdict::<std::convert::Infallible>::Allow })
        });
        let results = AosHook::answering_any("result", point::tool_call_result, |_, _| {
            Box::pin(async { hooks_sdk::core::Verdict::<std::convert::Infallible>::Allow })
        });
        let registry = Registry::builder().add(policy.hook().into());
        let registry = registry
            .add(steps.into())
            .add(results.into())
            .build()
            .unwrap();
        let mut client = Guardian::local_with(Guardian::with((), registry)).agent(agent());
        client = client.messages(Messages::Both);
        if with_steps {
            client = client.with_tool_steps();
        }
        let desk = Desk::default();
        let mut stream = Stream::stateless(hooked(&desk, client.posture(Posture::Deny)));
        let id = call(&mut stream, "say", &["hello"]).await;
        assert_eq!(stream.next().await["id"], id);
        assert_eq!(desk.ran(), ["hello"]);
        let seen = seen.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(seen, usize::from(with_steps));
    }
}
