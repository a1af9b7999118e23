//! Rules, checks and changes around tools, prompts and resources.

use std::sync::Arc;

use hooks_sdk::{
    Policy,
    core::{Posture, Verdict, Violation, condition::Condition},
    plugin::{PluginHook, PromptFetch, ResourceFetch, ToolCall, point},
    server::Sessions,
    session::Machine,
};
use serde_json::json;

use crate::server::{Files, hooked, hooked_with, host};

fn no_etc() -> PluginHook {
    PluginHook::deny("no_etc", point::tool_pre_invoke, "files of the system stay")
        .items(&["delete_*", "read_*"])
        .when(Condition::parse(r#"args.path = inside("/etc")"#).unwrap())
        .code("NO_ETC")
}

#[tokio::test]
async fn a_rule_refuses_a_call_and_the_tool_does_not_run() {
    let files = Files::default();
    let host = host(hooked(&files, [no_etc()])).await;
    let refused = host
        .call_tool("delete_file", json!({"path": "/tmp/../etc/passwd"}))
        .await
        .unwrap();
    assert!(refused.is_error());
    assert_eq!(refused.text(), "files of the system stay [NO_ETC]");
    let violation = &refused.as_value()["_meta"]["hooks-sdk/violation"];
    assert_eq!(
        *violation,
        json!({"code": "NO_ETC", "reason": "files of the system stay", "description": "", "details": {}})
    );
    assert_eq!(files.ran(), 0);
    let allowed = host
        .call_tool("delete_file", json!({"path": "/tmp/a"}))
        .await
        .unwrap();
    assert!(!allowed.is_error(), "{allowed:?}");
    assert_eq!(files.ran(), 1);
}

#[tokio::test]
async fn a_rule_is_checked_again_after_the_last_change() {
    let files = Files::default();
    let sneak = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "sneak",
        point::tool_pre_invoke,
        |call, _| Box::pin(async move { Verdict::Modify(call.with("path", "/etc/shadow")) }),
    )
    .priority(200);
    let host = host(hooked(&files, [no_etc(), sneak])).await;
    let refused = host
        .call_tool("read_file", json!({"path": "/tmp/a"}))
        .await
        .unwrap();
    assert!(refused.text().ends_with("[NO_ETC]"), "{refused:?}");
    assert_eq!(files.ran(), 0);
}

#[tokio::test]
async fn a_renamed_tool_goes_through_the_chain_and_the_gate_again() {
    let files = Files::default();
    let rename = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "rename",
        point::tool_pre_invoke,
        |call, _| {
            Box::pin(
                async move { Verdict::Modify(ToolCall::new("delete_file", call.args.clone())) },
            )
        },
    )
    .items(&["read_file"])
    .priority(500);
    let rule =
        PluginHook::deny("keep", point::tool_pre_invoke, "nothing is deleted").items(&["delete_*"]);
    let server = hooked(&files, [rename.clone(), rule]);
    let refused = host(server).await;
    let refused = refused
        .call_tool("read_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(refused.text().contains("nothing is deleted"), "{refused:?}");
    assert_eq!(files.ran(), 0);

    let machine = Machine::standard().only("delete_file").build().unwrap();
    let sessions = Sessions::on(machine);
    let host = host(hooked_with(
        &files,
        [rename],
        [],
        Policy::new(),
        Some(sessions),
    ))
    .await;
    let refused = host
        .call_tool("read_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(refused.is_error() && files.ran() == 0, "{refused:?}");
}

#[tokio::test]
async fn what_the_schema_refuses_is_a_failure_of_the_hook() {
    let files = Files::default();
    let break_it = |posture| {
        PluginHook::answering_any::<_, Verdict<ToolCall>>(
            "break_it",
            point::tool_pre_invoke,
            |call, _| Box::pin(async move { Verdict::Modify(call.with("path", 5)) }),
        )
        .posture(posture)
    };
    let strict = host(hooked(&files, [break_it(Posture::Deny)])).await;
    let refused = strict
        .call_tool("read_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(refused.text().ends_with("[plugin_error]"), "{refused:?}");
    assert_eq!(files.ran(), 0);
    let lenient = host(hooked(&files, [break_it(Posture::Proceed)])).await;
    let answer = lenient
        .call_tool("read_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(answer.text().contains(r#""path":"a""#), "{answer:?}");
}

#[tokio::test]
async fn prompts_and_resources_are_refused_with_an_error_that_has_the_violation() {
    let files = Files::default();
    let deny = |violation: &str| {
        let mut violation = Violation::new(violation);
        violation.code = "NO".to_owned();
        violation.details.insert("rule".into(), json!(7));
        violation
    };
    let prompt = PluginHook::answering_any::<_, Verdict<PromptFetch>>(
        "prompt",
        point::prompt_pre_fetch,
        move |_, _| Box::pin(async move { Verdict::Deny(deny("no prompts")) }),
    );
    let resource = PluginHook::answering_any::<_, Verdict<ResourceFetch>>(
        "resource",
        point::resource_pre_fetch,
        |fetch, _| {
            Box::pin(async move {
                Verdict::Modify(ResourceFetch::new(
                    fetch.uri.replace("notes", "safe"),
                    fetch.metadata.clone(),
                ))
            })
        },
    );
    let host = host(hooked(&files, [prompt, resource])).await;
    let refused = host
        .request("prompts/get", json!({"name": "greet"}))
        .await
        .unwrap_err();
    let hooks_sdk::testing::RequestError::Refused {
        code,
        message,
        data,
    } = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!((code, &*message), (-32602, "no prompts"));
    assert_eq!(
        data,
        json!({"code": "NO", "reason": "no prompts", "description": "", "details": {"rule": 7}})
    );
    let read = host
        .request("resources/read", json!({"uri": "file:///notes"}))
        .await
        .unwrap();
    assert_eq!(read["contents"][0]["text"], "contents of file:///safe");
}

#[tokio::test]
async fn hooks_see_the_definitions_of_prompts_and_resources() {
    let files = Files::default();
    let prompt = PluginHook::answering_any::<_, Verdict<PromptFetch>>(
        "prompt",
        point::prompt_pre_fetch,
        |_, cx| {
            let described = cx
                .global
                .definition()
                .is_some_and(|it| it["description"] == "a prompt");
            Box::pin(async move {
                if described {
                    Verdict::Deny(Violation::new("described"))
                } else {
                    Verdict::Allow
                }
            })
        },
    );
    let resource = PluginHook::answering_any::<_, Verdict<ResourceFetch>>(
        "resource",
        point::resource_pre_fetch,
        |_, cx| {
            let named = cx
                .global
                .definition()
                .is_some_and(|it| it["name"] == "file:///notes");
            Box::pin(async move {
                if named {
                    Verdict::Deny(Violation::new("named"))
                } else {
                    Verdict::Allow
                }
            })
        },
    );
    let host = host(hooked(&files, [prompt, resource])).await;
    for (method, params, expected) in [
        ("prompts/get", json!({"name": "greet"}), "described"),
        ("resources/read", json!({"uri": "file:///notes"}), "named"),
    ] {
        let refused = host.request(method, params).await.unwrap_err().to_string();
        assert!(refused.ends_with(expected), "{refused}");
    }
}

#[tokio::test]
async fn hooks_read_the_metadata_of_a_request_without_our_marks() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = {
        let seen = seen.clone();
        move |global: &hooks_sdk::plugin::GlobalContext| {
            let sent = global.metadata.get("request").cloned();
            seen.lock().unwrap().push(sent.unwrap_or_default());
        }
    };
    let of_prompts = note.clone();
    let tool = PluginHook::answering_any("tool", point::tool_pre_invoke, move |_, cx| {
        note(&cx.global);
        Box::pin(async {})
    });
    let prompt = PluginHook::answering_any("prompt", point::prompt_pre_fetch, move |_, cx| {
        of_prompts(&cx.global);
        Box::pin(async {})
    });
    let server = hooked_with(&Files::default(), [tool, prompt], [], Policy::new(), None);
    let host = host(server).await;
    let meta = json!({"example.com/ticket": "T-1", "hooks-sdk/turn": "1"});
    for (method, params) in [
        (
            "tools/call",
            json!({"name": "read_file", "arguments": {"path": "a"}}),
        ),
        ("prompts/get", json!({"name": "greet"})),
    ] {
        let mut params = params;
        params["_meta"] = meta.clone();
        host.request(method, params).await.unwrap();
    }
    for sent in &*seen.lock().unwrap() {
        assert_eq!(sent["example.com/ticket"], "T-1", "{sent}");
        assert!(!sent.to_string().contains("hooks-sdk/"), "{sent}");
    }
    assert_eq!(seen.lock().unwrap().len(), 2);
}
