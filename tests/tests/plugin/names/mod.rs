//! Names in requests: hidden items, and items whose definitions are not known.

mod definitions;
mod shelf;

use hooks_sdk::{
    Policy,
    core::Verdict,
    plugin::{ListHook, ListOf, PluginHook, ResourceFetch, point},
    session::State,
    testing::{Side, TestHost},
};
use serde_json::Value;

use self::shelf::{Shelf, hooked, host, naming};

const GENERATIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Returns whether the server did not do what was asked for: it refused, or it listens to nothing.
async fn refuses(host: &TestHost, method: &str, params: Value) -> bool {
    let before = host.frames().len();
    let refused = host.request(method, params).await.is_err();
    let frames = host.frames();
    let is_update = |frame: &hooks_sdk::testing::Frame| {
        frame.from == Side::Server && frame.message["method"] == "notifications/resources/updated"
    };
    let heard = frames.iter().skip(before).any(is_update);
    refused || method == "subscriptions/listen" && !heard
}

fn updates(host: &TestHost) -> Vec<String> {
    let frames = host.frames();
    let frames = frames.iter().filter(|frame| frame.from == Side::Server);
    let updated =
        frames.filter(|frame| frame.message["method"] == "notifications/resources/updated");
    let uri = |message: &Value| {
        message["params"]["uri"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    updated.map(|frame| uri(&frame.message)).collect()
}

#[tokio::test]
async fn what_is_hidden_is_hidden_for_every_request_that_names_it() {
    for version in GENERATIONS {
        let lists = || {
            [
                ListHook::hide("resource", ListOf::Resources, &["file:///secret"]),
                ListHook::hide(
                    "template",
                    ListOf::ResourceTemplates,
                    &["file:///internal/*"],
                ),
            ]
        };
        let hidden = [
            "file:///secret",
            "file:///%73ecret",
            "file:///internal/plan",
            "file:///%69nternal/plan",
            "file:///internal/a/b?c",
            "file:///x/../secret",
            "file:///./secret",
            "FILE:///secret",
            "file://localhost/secret",
            "file:///%2573ecret",
            "file:///secret/",
            "file:///secret?x",
            "file:///x%5c..%5csecret",
            "file:///notes/../internal/plan",
            "file:///notes/..%2finternal%2fplan",
            "file://LOCALHOST//%2569nternal/plan",
        ];
        for uri in hidden {
            for (method, params) in naming(version, uri) {
                // Nothing was listed before.
                let server = hooked(&Shelf::default(), [], lists(), Policy::new());
                let host = host(version, server).await;
                assert!(
                    refuses(&host, method, params).await,
                    "{version} {method} {uri}"
                );
            }
        }
        let host = host(
            version,
            hooked(&Shelf::default(), [], lists(), Policy::new()),
        )
        .await;
        // A resource that the author lists is seen, though a hidden template yields it.
        for uri in ["file:///notes", "file:///notes/1", "file:///internal/index"] {
            for (method, params) in naming(version, uri) {
                assert!(
                    !refuses(&host, method, params).await,
                    "{version} {method} {uri}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_rule_about_a_resource_stops_every_request_that_names_it() {
    for version in GENERATIONS {
        let rule = PluginHook::deny("secret", point::resource_pre_fetch, "not for you")
            .items(&["file:///secret*"]);
        let server = hooked(&Shelf::default(), [rule], [], Policy::new());
        let host = host(version, server).await;
        for (method, params) in naming(version, "file:///secret") {
            assert!(refuses(&host, method, params).await, "{version} {method}");
        }
        for (method, params) in naming(version, "file:///notes") {
            assert!(!refuses(&host, method, params).await, "{version} {method}");
        }
        assert_eq!(updates(&host), ["file:///notes"]);
    }
}

#[tokio::test]
async fn nobody_listens_to_a_resource_in_whose_place_a_hook_puts_another() {
    let hook = PluginHook::answering_any::<_, Verdict<ResourceFetch>>(
        "other",
        point::resource_pre_fetch,
        |fetch: &ResourceFetch, _| {
            let mut fetch = fetch.clone();
            fetch.uri = "file:///other".to_owned();
            Box::pin(async move { Verdict::Modify(fetch) })
        },
    );
    let hook = hook.items(&["file:///notes"]);
    for version in GENERATIONS {
        let server = hooked(&Shelf::default(), [hook.clone()], [], Policy::new());
        let host = host(version, server).await;
        let (method, params) = naming(version, "file:///notes").pop().unwrap();
        let answer = host.request(method, params).await;
        match method {
            "subscriptions/listen" => {
                let refused = format!("{:?}", answer.unwrap_err());
                assert!(refused.contains("nobody can listen to it"), "{refused}");
                assert_eq!(updates(&host), [""; 0]);
            }
            _ => assert_eq!(updates(&host), ["file:///other"]),
        }
    }
}

#[tokio::test]
async fn hidden_tools_that_alone_open_sessions_are_an_error_at_start_up() {
    let machine = hooks_sdk::session::Machine::builder()
        .state(State::new("Closed").start().next("read_file", "Open"))
        .state(State::new("Open").allow_any())
        .build()
        .unwrap();
    let hidden = ListHook::hide("hidden", ListOf::Tools, &["read_*"]);
    let registry = hooks_sdk::core::Registry::builder().add(hidden.into());
    let collected = hooks_sdk::Collected::of(registry.build().unwrap()).unwrap();
    let collected = collected.sessions(hooks_sdk::server::Sessions::on(machine));
    let problems = collected.wrap(crate::server::Files::default());
    let problems = problems.err().map(|problems| problems.to_string()).unwrap();
    assert!(
        problems.contains("no other tool opens a session"),
        "{problems}"
    );
}
