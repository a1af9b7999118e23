//! What hooks see of the headers, and what they may do with them.

use hooks_sdk::{
    Policy,
    core::Verdict,
    http::HeaderHooks,
    plugin::{
        Chain, ForwardedRequest, ForwardedResponse, HttpHeaders, HttpRequest, PluginContext,
        PluginHook, point,
    },
};
use serde_json::{Value, json};

use super::rig::{self, Log, Serving, desk, hooked, serve, serve_hooked};

/// A hook before the service that makes the headers that it saw into others.
fn pre(change: impl Fn(&mut HttpHeaders) + Send + Sync + 'static) -> PluginHook {
    PluginHook::answering_any(
        "pre",
        point::http_pre_forwarding_call,
        move |request: &ForwardedRequest, _: &mut PluginContext| {
            let mut headers = request.root.clone();
            change(&mut headers);
            Box::pin(async move { Verdict::<HttpHeaders>::Modify(headers) })
        },
    )
}

/// A hook after the service that does the same.
fn post(change: impl Fn(&mut HttpHeaders) + Send + Sync + 'static) -> PluginHook {
    PluginHook::answering_any(
        "post",
        point::http_post_forwarding_call,
        move |response: &ForwardedResponse, _: &mut PluginContext| {
            let mut headers = response.root.clone();
            change(&mut headers);
            Box::pin(async move { Verdict::<HttpHeaders>::Modify(headers) })
        },
    )
}

/// Calls the tool through one hook, in each generation and form. Returns what the tool received, without what the
/// clients themselves differ in.
async fn received(hook: PluginHook, policy: Policy, with: &[(&str, &str)]) -> Value {
    let mut all = Vec::new();
    for serving in [Serving::Events, Serving::Json] {
        let address = serve_hooked(&desk(), serving, [hook.clone()], policy.clone()).await;
        for mut client in rig::both(address, serving).await {
            for (name, value) in with {
                client = client.with(name, *value);
            }
            let answer = rig::call(&client).await;
            let mut received = rig::received(&answer);
            let members = received.as_object_mut().expect("headers");
            let own = ["host", "accept", "content-length"];
            members.retain(|name, _| !name.starts_with("mcp-") && !own.contains(&&**name));
            all.push(received);
        }
    }
    assert!(all.iter().all(|each| *each == all[0]), "{all:?}");
    all.swap_remove(0)
}

/// The headers of a call that no hook touches.
fn plain(more: Value) -> Value {
    let mut headers = json!({"content-type": "application/json"});
    let more = more.as_object().cloned().unwrap_or_default();
    headers.as_object_mut().expect("headers").extend(more);
    headers
}

#[tokio::test]
async fn free_headers_are_set_changed_and_removed_whatever_their_case() {
    let hook = pre(|headers| {
        headers.set("X-New", "1");
        headers.set("X-CHANGED", "after");
        headers.remove("X-Gone");
        headers.append("x-list", "c");
    });
    let with = [
        ("x-changed", "before"),
        ("x-gone", "1"),
        ("x-list", "a"),
        ("x-list", "b"),
    ];
    let received = received(hook, Policy::new(), &with).await;
    assert_eq!(
        received,
        plain(json!({"x-new": "1", "x-changed": "after", "x-list": ["a", "b", "c"]}))
    );
}

#[tokio::test]
async fn an_absent_authorization_is_added_and_a_present_one_needs_leave() {
    let hook = || pre(|headers| headers.set("Authorization", "Bearer of-the-hook"));
    let added = received(hook(), Policy::new(), &[]).await;
    assert_eq!(added["authorization"], "Bearer of-the-hook");
    // The hook does not see it, and so cannot remove or replace it by accident either.
    let sent = [("authorization", "Bearer of-the-client"), ("cookie", "a=1")];
    let kept = received(hook(), Policy::new(), &sent).await;
    assert_eq!(kept["authorization"], "Bearer of-the-client");
    assert_eq!(kept["cookie"], "a=1");
    let policy = Policy::new().override_protected("Authorization");
    let replaced = received(hook(), policy, &sent).await;
    assert_eq!(replaced["authorization"], "Bearer of-the-hook");
    assert_eq!(replaced["cookie"], "a=1");
}

#[tokio::test]
async fn secrets_are_seen_only_if_they_are_exposed_and_are_never_removed() {
    let log = Log::default();
    let hook = |log: &Log| {
        let log = log.clone();
        pre(move |headers| {
            let mut names: Vec<&str> = headers.iter().map(|(name, _)| name).collect();
            names.retain(|name| {
                name.starts_with('x') || name.starts_with('c') || *name == "authorization"
            });
            log.add(names.join(" "));
            // A payload of its own, as a hook writes one that knows nothing of the others.
            *headers = HttpHeaders::from_iter([("x-only", "1")]);
        })
    };
    let sent = [
        ("authorization", "s"),
        ("x-api-key", "s"),
        ("cookie", "s"),
        ("x-free", "1"),
    ];
    for (policy, seen) in [
        (Policy::new(), "content-type content-length x-free"),
        (
            Policy::new().expose_header("Authorization"),
            "content-type content-length authorization x-free",
        ),
    ] {
        let address = serve_hooked(&desk(), Serving::Json, [hook(&log)], policy).await;
        let mut client = rig::stateless(address);
        for (name, value) in sent {
            client = client.with(name, value);
        }
        let received = rig::received(&rig::call(&client).await);
        let lines = log.take();
        let sorted = |line: &str| {
            let mut names: Vec<String> = line.split(' ').map(str::to_owned).collect();
            names.sort();
            names
        };
        assert_eq!(sorted(&lines[0]), sorted(seen));
        for kept in [
            "accept",
            "authorization",
            "x-api-key",
            "cookie",
            "host",
            "mcp-method",
            "content-length",
        ] {
            assert!(received.get(kept).is_some(), "{kept}: {received}");
        }
        assert_eq!(received.get("x-free"), None);
        assert_eq!(received["x-only"], "1");
    }
}

#[tokio::test]
async fn framing_and_the_connections_own_headers_never_change() {
    let names = [
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Upgrade",
        "TE",
        "Trailer",
        "Keep-Alive",
        "Proxy-Connection",
        "Expect",
        "HTTP2-Settings",
        "X-Hop",
    ];
    let hook = pre(move |headers| {
        for name in names {
            headers.set(name, "7");
        }
        headers.set("x-free", "1");
    });
    let mut policy = Policy::new();
    for name in names {
        policy = policy.override_protected(name);
    }
    let with = [("connection", "X-Hop"), ("x-hop", "own")];
    let received = received(hook, policy, &with).await;
    assert_eq!(
        received,
        plain(json!({"connection": "X-Hop", "x-hop": "own", "x-free": "1"}))
    );
}

#[tokio::test]
async fn the_headers_of_the_transport_need_leave_even_if_they_are_absent() {
    let hook = || {
        pre(|headers| {
            headers.set("mcp-session-id", "of-somebody-else");
            headers.set("last-event-id", "9");
            headers.set("origin", "https://evil.example");
            headers.set("host", "evil.example");
        })
    };
    for serving in [Serving::Events, Serving::Json] {
        let address = serve_hooked(&desk(), serving, [hook()], Policy::new()).await;
        for client in rig::both(address, serving).await {
            let received = rig::received(&rig::call(&client).await);
            assert_ne!(received["mcp-session-id"], "of-somebody-else");
            assert_eq!(received.get("last-event-id"), None);
            assert_eq!(received.get("origin"), None);
            assert_ne!(received["host"], "evil.example");
        }
    }
    let policy = Policy::new().override_protected("mcp-session-id");
    let address = serve_hooked(&desk(), Serving::Events, [hook()], policy).await;
    let answer = rig::call(&rig::stateless(address)).await;
    assert_eq!(rig::received(&answer)["mcp-session-id"], "of-somebody-else");
}

#[tokio::test]
async fn what_http_does_not_allow_is_dropped_and_the_rest_applies() {
    let hook = pre(|headers| {
        headers.set("x-split", "a\r\nx-injected: 1");
        headers.set("x-nul", "a\0b");
        headers.set("x y", "1");
        headers.set("x-na\r\nme", "1");
        headers.set("", "1");
        headers.set("x-umlaut", "ä");
        headers.append("x-half", "good");
        headers.append("x-half", "bad\n");
        headers.set("x-good", "1");
    });
    let received = received(hook, Policy::new(), &[("x-half", "own")]).await;
    assert_eq!(
        received,
        plain(json!({"x-half": "own", "x-good": "1", "x-umlaut": "ä"}))
    );
}

#[tokio::test]
async fn too_many_or_too_large_headers_are_refused() {
    let grow: [fn(&mut HttpHeaders); 2] = [
        |headers| (0..1_001).for_each(|at| headers.append(format!("x-{at}"), "")),
        |headers| headers.set("x-large", "a".repeat(256 * 1024)),
    ];
    for grow in grow {
        let desk = desk();
        let address = serve_hooked(&desk, Serving::Json, [pre(grow)], Policy::new()).await;
        let answer = rig::call(&rig::stateless(address)).await;
        assert_eq!(answer.status, 403);
        assert_eq!(answer.message()["code"], "payload_too_large");
        assert_eq!(desk.ran().len(), 0);
    }
}

#[tokio::test]
async fn a_response_follows_the_same_rules() {
    let inside = |headers: &mut hyper::HeaderMap| {
        headers.insert("set-cookie", "secret=1".parse().expect("a value"));
        headers.insert("x-gone", "1".parse().expect("a value"));
    };
    let change = |headers: &mut HttpHeaders| {
        assert!(!headers.contains("set-cookie"));
        headers.set("X-Frame-Options", "DENY");
        headers.set("Set-Cookie", "stolen=1");
        headers.set("Content-Type", "text/html");
        headers.set("Content-Length", "1");
        headers.set("WWW-Authenticate", "Basic");
        headers.remove("x-gone");
        headers.set("x-bad", "a\r\nb");
    };
    for serving in [Serving::Events, Serving::Json] {
        let server = hooked(&desk(), [post(change)], Policy::new());
        let layer = HeaderHooks::of(&server);
        let address = serve(server, serving, layer, inside).await;
        for client in rig::both(address, serving).await {
            let answer = rig::call(&client).await;
            rig::received(&answer);
            assert_eq!(answer.header("x-frame-options"), Some("DENY"));
            assert_eq!(answer.header("set-cookie"), Some("secret=1"));
            assert_ne!(answer.header("content-type"), Some("text/html"));
            assert_eq!(answer.header("www-authenticate"), Some("Basic"));
            assert_eq!(answer.header("x-gone"), None);
            assert_eq!(answer.header("x-bad"), None);
        }
    }
}

#[tokio::test]
async fn a_chain_without_a_server_has_the_same_points() {
    let both = |id: &'static str, name: &'static str| {
        PluginHook::answering_any(
            id,
            point::http_pre_request,
            move |request: &HttpRequest, _: &mut PluginContext| {
                let mut headers = request.headers.clone();
                headers.set(name, "1");
                headers.set("x-api-key", "of-the-hook");
                Box::pin(async move { Verdict::<HttpHeaders>::Modify(headers) })
            },
        )
    };
    let server = hooked(&desk(), [], Policy::new());
    let chain = Chain::new([both("a", "x-a"), both("b", "x-b")]);
    let layer = HeaderHooks::of_chain(chain)
        .expose_header("X-Api-Key")
        .override_protected("X-Api-Key");
    let address = serve(server, Serving::Json, layer, |_| ()).await;
    let client = rig::stateless(address).with("x-api-key", "of-the-client");
    let received = rig::received(&rig::call(&client).await);
    assert_eq!(
        (&received["x-a"], &received["x-b"]),
        (&json!("1"), &json!("1"))
    );
    assert_eq!(received["x-api-key"], "of-the-hook");
}
