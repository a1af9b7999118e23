//! Hooks that are bound to a session or a request reach nobody else.

use std::time::Duration;

use hooks_sdk::{
    Hooked,
    testing::{Side, TestHost},
};
use serde_json::{Value, json};

use super::shop::{
    ALL_EVENTS, LEGACY, STATELESS, Session, Shop, Start, guarded, guidance, hook, plain, reads,
    shop, texts,
};

async fn call(host: &TestHost, tool: &str, arguments: Value, session: &str) -> Value {
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
        host.request("prompts/get", json!({"name": "hooks_action_end"}))
            .await
            .unwrap_err();
        let tags = json!({
            "ref": {"type": "ref/prompt", "name": "hooks_action_end"}, "argument": {"name": "tag", "value": ""},
        });
        let tags = host.request("completion/complete", tags).await.unwrap();
        assert_eq!(tags["completion"]["values"], json!([]));
        let declared = host.request("server/discover", json!({})).await.unwrap();
        assert!(!declared.to_string().contains("BOUND-END"));
        let gone = json!({"then": "unbind", "id": "mcp-toolkit:action:end:bound-end"});
        assert_eq!(
            texts(&call(&host, "work", gone.clone(), "two").await),
            ["false"]
        );
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

/// Sends a call under this id.
async fn begin(host: &TestHost, id: &Value, arguments: Value) {
    let mut meta = json!({});
    for (key, value) in [
        ("protocolVersion", json!(STATELESS)),
        ("clientCapabilities", json!({})),
        ("clientInfo", json!({"name": "test", "version": "1"})),
    ] {
        meta[format!("io.modelcontextprotocol/{key}")] = value;
    }
    let is_stateless = host.handshake().get("supportedVersions").is_some();
    let params = json!({"name": "work", "arguments": arguments, "_meta": if is_stateless { meta } else { json!({}) }});
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    host.send_line(call.to_string().as_bytes()).await.unwrap();
}

/// Sends a call under this id, and the texts of its result.
async fn call_as(host: &TestHost, id: &Value, arguments: Value) -> Vec<String> {
    begin(host, id, arguments).await;
    for _ in 0..3_000 {
        let answer = host
            .frames()
            .into_iter()
            .find(|frame| frame.from == Side::Server && frame.message["id"] == *id);
        if let Some(answer) = answer {
            let result = &answer.message["result"];
            return texts(result).into_iter().map(str::to_owned).collect();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no answer to {id}: {:?}", host.frames());
}

/// Waits until so many of the hooks that were bound are left.
async fn left(server: &Hooked<Shop>, count: usize) {
    for _ in 0..3_000 {
        if server.server().bound() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} hooks are left", server.server().bound());
}

#[tokio::test]
async fn two_connections_with_equal_request_ids_share_no_hook() {
    for version in [LEGACY, STATELESS] {
        for guarded in [false, true] {
            let hooks = [hook(Session, Start, "welcome")];
            let server = if guarded {
                self::guarded(hooks)
            } else {
                shop(hooks)
            };
            let one = plain(version, server.clone()).await.unwrap();
            let two = plain(version, server.clone()).await.unwrap();
            if guarded && version == LEGACY {
                one.call_tool("open", json!({})).await.unwrap();
                two.call_tool("open", json!({})).await.unwrap();
            } else if guarded {
                continue;
            }
            let bind = json!({"then": "bind", "to": "request"});
            // The first is done before the second comes.
            for id in [json!(777), json!("777")] {
                let bound = call_as(&one, &id, bind.clone()).await;
                assert!(bound[1].contains("BOUND-END"), "{bound:?}");
                assert_eq!(call_as(&two, &id, json!({})).await, ["done"], "{version}");
                left(&server, 0).await;
            }
            // The first still runs when the second comes.
            let id = json!(778);
            let waits = json!({"then": "bind", "to": "request", "and": "wait"});
            begin(&one, &id, waits).await;
            left(&server, 1).await;
            assert_eq!(call_as(&two, &id, json!({})).await, ["done"], "{version}");
            let bound = call_as(&two, &json!(779), bind).await;
            assert!(bound[1].contains("BOUND-END"), "{bound:?}");
            let cancelled = json!({"requestId": id});
            one.notify("notifications/cancelled", cancelled)
                .await
                .unwrap();
            left(&server, 0).await;
        }
    }
}

#[tokio::test]
async fn a_hook_bound_to_a_request_ends_with_it_however_it_ends() {
    let server = shop([hook(Session, Start, "welcome")]);
    let host = plain(LEGACY, server.clone()).await.unwrap();
    let bind = |and: &str| json!({"then": "bind", "to": "request", "and": and});
    host.call_tool("work", bind("panic")).await.unwrap_err();
    left(&server, 0).await;
    let id = json!("cancelled");
    begin(&host, &id, bind("wait")).await;
    left(&server, 1).await;
    let cancelled = json!({"requestId": id});
    host.notify("notifications/cancelled", cancelled)
        .await
        .unwrap();
    left(&server, 0).await;
    begin(&host, &json!("closed"), bind("wait")).await;
    left(&server, 1).await;
    host.close().await.unwrap();
    drop(host);
    // Calls that run have a minute after the end of input.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(70)).await;
    tokio::time::resume();
    left(&server, 0).await;
}

#[tokio::test]
async fn a_request_is_known_by_a_name_that_no_other_has() {
    let server = shop([hook(Session, Start, "welcome")]);
    let one = plain(LEGACY, server.clone()).await.unwrap();
    let two = plain(LEGACY, server).await.unwrap();
    let tell = json!({"then": "bind", "to": "request", "and": "tell"});
    let mut names = Vec::new();
    for host in [&one, &two] {
        names.push(call_as(host, &json!(777), tell.clone()).await.remove(0));
        names.push(host.call_tool("work", tell.clone()).await.unwrap().text());
    }
    names.iter_mut().for_each(|name| name.truncate(32));
    let as_hash =
        |name: &String| name.len() == 32 && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    assert!(names.iter().all(as_hash), "{names:?}");
    let different: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), 4, "{names:?}");
    for elsewhere in ["777", &names[0]] {
        let foreign = json!({"then": "bind", "to": elsewhere});
        let refused = call_as(&two, &json!(elsewhere), foreign).await;
        assert!(
            refused[0].contains("is bound to the session or request that registers it"),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn two_sessions_with_one_tag_share_no_hook() {
    for guarded in [false, true] {
        let hooks = [hook(Session, Start, "welcome")];
        let server = if guarded {
            self::guarded(hooks)
        } else {
            shop(hooks)
        };
        let one = plain(LEGACY, server.clone()).await.unwrap();
        let two = plain(LEGACY, server.clone()).await.unwrap();
        let other = plain(LEGACY, server.clone()).await.unwrap();
        let bind = || json!({"then": "bind", "to": "session"});
        let work = async |host: &TestHost, arguments: Value| {
            host.call_tool("work", arguments).await.unwrap().text()
        };
        for host in [&one, &two, &other] {
            host.call_tool("open", json!({})).await.unwrap();
        }
        for host in [&one, &two] {
            let bound = work(host, bind()).await;
            assert!(
                bound.starts_with("mcp-toolkit:action:end:bound-end"),
                "{bound}"
            );
        }
        let again = work(&one, bind()).await;
        assert!(again.contains("already registered"), "{again}");
        left(&server, 2).await;
        // One text each, and none for the third; the prompt is for those who have a hook there.
        for (host, times) in [(&one, 1), (&two, 1), (&other, 0)] {
            let worked = work(host, json!({})).await;
            assert_eq!(worked.matches("BOUND-END").count(), times, "{worked}");
            let listed = host.request("prompts/list", json!({})).await.unwrap();
            let listed = listed.to_string().contains("hooks_action_end");
            assert_eq!(listed, times == 1);
            let prompt = json!({"name": "hooks_action_end"});
            let prompt = host.request("prompts/get", prompt).await;
            assert_eq!(prompt.is_ok(), times == 1);
        }
        if guarded {
            one.call_tool("close", json!({})).await.unwrap();
            one.call_tool("open", json!({})).await.unwrap();
            assert!(!work(&one, json!({})).await.contains("BOUND-END"));
        } else {
            one.close().await.unwrap();
            drop(one);
        }
        left(&server, 1).await;
        assert!(work(&two, json!({})).await.contains("BOUND-END"));
        two.close().await.unwrap();
        drop(two);
        left(&server, 0).await;
        assert_eq!(work(&other, json!({})).await, "done");
    }
}

#[tokio::test]
async fn the_sessions_of_clients_outlive_their_connections_and_end_with_their_reset() {
    let server = guarded([hook(Session, Start, "welcome")]);
    let bind = || json!({"then": "bind", "to": "session"});
    let first = plain(STATELESS, server.clone()).await.unwrap();
    for session in ["one", "two"] {
        call(&first, "open", json!({}), session).await;
        let bound = call(&first, "work", bind(), session).await;
        assert!(texts(&bound)[1].contains("BOUND-END"), "{bound}");
    }
    drop(first);
    let later = plain(STATELESS, server.clone()).await.unwrap();
    let worked = call(&later, "work", json!({}), "one").await;
    assert!(texts(&worked)[1].contains("BOUND-END"), "{worked}");
    call(&later, "close", json!({}), "one").await;
    left(&server, 1).await;
    call(&later, "open", json!({}), "one").await;
    assert_eq!(
        texts(&call(&later, "work", json!({}), "one").await),
        ["done"]
    );
    let worked = call(&later, "work", json!({}), "two").await;
    assert!(texts(&worked)[1].contains("BOUND-END"), "{worked}");
    call(&later, "close", json!({}), "two").await;
    left(&server, 0).await;
}

#[tokio::test]
async fn a_session_binds_a_bounded_number_in_all() {
    let server = shop([]).guidance(guidance().register_tool());
    let host = plain(LEGACY, server).await.unwrap();
    host.call_tool("work", json!({"then": "bind", "to": "session"}))
        .await
        .unwrap();
    let register = |at: usize| {
        let hook = json!({
            "tag": format!("t{at}"), "type": "session", "lifecycle": "running", "name": "Mine",
            "requirementLevel": "MAY", "content": "MINE",
        });
        host.call_tool("hooks_register", hook)
    };
    for at in 0..31 {
        assert!(!register(at).await.unwrap().is_error());
    }
    let refused = register(31).await.unwrap();
    assert!(
        refused.text().contains("registered 32 hooks"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn what_came_after_the_handshake_was_not_declared_and_goes_by_results() {
    let server = shop([hook(Session, Start, "welcome")]);
    let host = TestHost::builder()
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
