//! Scopes of the server and of rules, and the claims that rules and hooks read.

use std::fs;

use hooks_sdk::{
    Collected, Policy,
    core::{Registry, Verdict, condition::Condition},
    http::{self, Issuer},
    plugin::{PluginHook, ToolCall, point},
};
use hooks_tests::{
    client::{Client, POST, Reply, STATELESS, ask, call, get, request, said},
    toy_server::Served,
};
use hyper::Method;
use serde_json::json;

use crate::rig::{Authority, bearer, desk, serve};

fn writers() -> PluginHook {
    PluginHook::deny("writers", point::tool_pre_invoke, "deleting needs a scope")
        .items(&["delete_*"])
        .scopes(&["notes:write", "notes:audit"])
}

async fn delete(served: &Served, token: &str) -> Reply {
    let request = call(
        "delete_note",
        json!({}),
        &[("authorization", &bearer(token))],
    );
    ask(served.address, request).await
}

const STEP_UP: &str = r#"Bearer error="insufficient_scope", scope="notes:read notes:write notes:audit", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp""#;

#[tokio::test]
async fn a_tool_that_needs_more_is_answered_with_all_scopes_at_once() {
    let authority = Authority::start().await;
    let served = serve([writers()], |server| server.oauth(authority.login())).await;
    for scopes in [
        "notes:read",
        "notes:read notes:write",
        "notes:read notes:writers notes:audit",
    ] {
        let token = authority.scoped("ann", scopes);
        let refused = delete(&served, &token).await;
        assert_eq!(refused.status, 403, "{scopes}");
        assert_eq!(refused.header("www-authenticate"), Some(STEP_UP));
        assert_eq!(
            refused.refusal(),
            "the token lacks a scope: this request needs `notes:read notes:write notes:audit`"
        );
        let request = call("work", json!({}), &[("authorization", &bearer(&token))]);
        assert_eq!(said(&ask(served.address, request).await), "worked");
    }
    assert_eq!(served.server.ran(), ["work"; 3]);
    let all = authority.scoped("ann", "notes:audit notes:write notes:read");
    assert_eq!(said(&delete(&served, &all).await), "deleted");
    // Before 2026-07-28 too.
    let legacy =
        Client::stranger(served.address).with("authorization", bearer(&authority.token("ann")));
    let (legacy, _) = legacy.shake_hands().await;
    let refused = legacy.start("delete_note", json!({})).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.header("www-authenticate"), Some(STEP_UP));
    let path = "/.well-known/oauth-protected-resource/mcp";
    let metadata = ask(served.address, get(path, "localhost")).await.json();
    assert_eq!(
        metadata["scopes_supported"],
        json!(["notes:read", "notes:audit", "notes:write"])
    );
}

#[tokio::test]
async fn prompts_resources_completions_and_listening_are_answered_with_403_too() {
    let authority = Authority::start().await;
    let rule = |name: &str, hook: PluginHook| hook.items(&[name]).scopes(&["notes:secret"]);
    let rules = [
        rule(
            "review",
            PluginHook::deny("prompts", point::prompt_pre_fetch, "no"),
        ),
        rule(
            "note:secret/*",
            PluginHook::deny("resources", point::resource_pre_fetch, "no"),
        ),
        rule(
            "rate",
            PluginHook::deny("values", point::completion_pre_fetch, "no"),
        ),
    ];
    let served = serve(rules, |server| server.oauth(authority.login())).await;
    let secret = "note:secret/1";
    let listening = |uris: &[&str]| json!({"notifications": {"resourceSubscriptions": uris}});
    let value = json!({"name": "a", "value": "b"});
    let refused = [
        ("prompts/get", json!({"name": "review"})),
        ("resources/read", json!({"uri": secret})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "rate"}, "argument": value}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "note:secret/{id}"}, "argument": value}),
        ),
        ("subscriptions/listen", listening(&["note:open", secret])),
    ];
    let admitted = [
        ("prompts/get", json!({"name": "rate"})),
        ("resources/read", json!({"uri": "note:open"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": value}),
        ),
    ];
    let client = |scopes: &str| {
        let token = bearer(&authority.scoped("ann", scopes));
        Client::stateless(served.address).with("authorization", token)
    };
    let (reader, all) = (client("notes:read"), client("notes:read notes:secret"));
    for (method, params) in refused {
        let answer = reader.request(method, params.clone()).await;
        assert_eq!(answer.status, 403, "{method} {params}");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert!(
            challenge.contains(r#"scope="notes:read notes:secret""#),
            "{challenge}"
        );
        assert_ne!(all.request(method, params).await.status, 403, "{method}");
    }
    for (method, params) in admitted {
        let status = reader.request(method, params).await.status;
        assert_ne!(status, 403, "{method}");
    }
    // Before 2026-07-28, a client subscribes to one resource.
    let token = bearer(&authority.token("ann"));
    let legacy = Client::stranger(served.address).with("authorization", token);
    let (legacy, _) = legacy.shake_hands().await;
    let answer = legacy
        .request("resources/subscribe", json!({"uri": secret}))
        .await;
    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn the_rule_itself_denies_where_the_request_was_read_otherwise() {
    let authority = Authority::start().await;
    // A hook makes the call one of another tool, after the check of the message.
    let renames = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "renames",
        point::tool_pre_invoke,
        |call, _| {
            let mut call = call.clone();
            call.name = "delete_note".into();
            Box::pin(async move { Verdict::Modify(call) })
        },
    );
    let served = serve([renames.priority(1), writers()], |server| {
        server.oauth(authority.login())
    })
    .await;
    let token = bearer(&authority.token("ann"));
    let answer = ask(
        served.address,
        call("work", json!({}), &[("authorization", &token)]),
    )
    .await;
    let result = &answer.message()["result"];
    assert_eq!(result["isError"], true, "{answer:?}");
    assert!(
        result.to_string().contains("deleting needs a scope"),
        "{answer:?}"
    );
    assert!(served.server.ran().is_empty());
    // Without a login nobody has a scope.
    let served = serve([writers()], |server| server).await;
    let answer = ask(served.address, call("delete_note", json!({}), &[])).await;
    assert_eq!(answer.message()["result"]["isError"], true, "{answer:?}");
}

#[tokio::test]
async fn a_policy_file_has_scopes_and_conditions_on_claims() {
    let authority = Authority::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    fs::write(
        &file,
        r#"
plugins:
  - name: writers
    kind: deny
    hooks: [tool_pre_invoke]
    tools: ["delete_*"]
    scopes: ["notes:write"]
    reason: deleting needs a scope
  - name: staff_only
    kind: deny
    hooks: [tool_pre_invoke]
    unless: claims.department = "staff"
    reason: this server is for staff
"#,
    )
    .expect("a file");
    let desk = desk();
    let registry = Registry::builder().build().expect("no hooks");
    let collected = Collected::of(registry).expect("no hooks");
    let hooked = collected
        .policy(Policy::new().file(&file))
        .wrap(desk.clone());
    let server = http::Server::new(hooked.expect("a sound file")).oauth(authority.login());
    let served = Served::start(desk, server).await;
    let refused = delete(&served, &authority.token("ann")).await;
    assert_eq!(refused.status, 403);
    let writer = authority.scoped("ann", "notes:read notes:write");
    assert_eq!(said(&delete(&served, &writer).await), "deleted");
    let mut guest = authority.claims("guest");
    guest["department"] = "sales".into();
    let guest = bearer(&authority.key.token(&guest));
    let answer = ask(
        served.address,
        call("work", json!({}), &[("authorization", &guest)]),
    )
    .await;
    assert!(
        answer.body.contains("this server is for staff"),
        "{answer:?}"
    );
    for (wrong, expected) in [
        (r#"scopes: ["a b"]"#, "this is no scope"),
        ("scopes: []", "`scopes` is an empty list"),
    ] {
        let text = format!(
            "plugins:\n  - name: a\n    kind: deny\n    hooks: [tool_pre_invoke]\n    {wrong}\n    reason: no\n"
        );
        let read = hooks_sdk::plugin::Configuration::parse("policy.yaml", &text, &[], &[]);
        let error = read.expect_err("a mistake").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn hooks_read_the_claims_and_cannot_write_them() {
    let authority = Authority::start().await;
    let forges = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "forges",
        point::tool_pre_invoke,
        |_, cx| {
            assert_eq!(cx.global.claims().expect("claims")["department"], "staff");
            let mut claims = cx.global.claims().expect("claims").clone();
            claims.insert("department".into(), "board".into());
            cx.global = std::mem::take(&mut cx.global).with_claims(Some(claims.into()));
            Box::pin(async { Verdict::Allow })
        },
    );
    let board = Condition::parse(r#"claims.department = "board""#).expect("a condition");
    let rule = PluginHook::deny("board", point::tool_pre_invoke, "forged").when(board);
    let served = serve([forges.priority(1), rule], |server| {
        server.oauth(authority.login())
    })
    .await;
    let token = bearer(&authority.token("ann"));
    let answer = ask(
        served.address,
        call("work", json!({}), &[("authorization", &token)]),
    )
    .await;
    assert_eq!(said(&answer), "worked", "{answer:?}");
}

#[tokio::test]
async fn the_name_of_a_tool_is_read_from_the_body_only() {
    let authority = Authority::start().await;
    let login =
        hooks_sdk::http::OAuth::new(crate::rig::RESOURCE).issuer(Issuer::new(&*authority.url));
    let served = serve([writers()], |server| server.oauth(login)).await;
    let token = bearer(&authority.token("ann"));
    let params = json!({"name": "delete_note", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    // The headers name another tool, or the name is spelt with escapes.
    let escaped = message
        .to_string()
        .replace("delete_note", "del\\u0065te_note");
    for body in [message.to_string(), escaped] {
        let own = [
            ("mcp-protocol-version", STATELESS),
            ("mcp-method", "tools/call"),
            ("mcp-name", "work"),
            ("authorization", &*token),
        ];
        let headers = [&POST[..], &own].concat();
        let answer = ask(
            served.address,
            request(Method::POST, "/mcp", &headers, body),
        )
        .await;
        assert_eq!(answer.status, 403, "{answer:?}");
    }
    assert!(served.server.ran().is_empty());
}
