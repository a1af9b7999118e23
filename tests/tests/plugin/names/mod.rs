//! Names in requests: hidden items, renamed items, and items whose definitions are not known.

mod definitions;
mod shelf;
mod words;

use hooks_sdk::{
    Policy,
    plugin::{ListHook, ListOf, Listed, PluginHook, point},
    session::State,
    testing::{Side, TestHost},
};
use serde_json::{Value, json};

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
async fn a_client_listens_to_the_names_that_it_knows() {
    for version in GENERATIONS {
        let other = |id: &'static str, of, uri: &'static str| {
            ListHook::new(id, of, move |item| {
                let mut item = item.clone();
                let key = if of == ListOf::Resources {
                    "uri"
                } else {
                    "uriTemplate"
                };
                item.members.insert(key.to_owned(), uri.into());
                Listed::As(item)
            })
        };
        let lists = [
            other("resource", ListOf::Resources, "doc:///notes").items(&["file:///notes"]),
            other(
                "template",
                ListOf::ResourceTemplates,
                "doc://{table}/row/{id}",
            )
            .items(&["row://*"]),
        ];
        let server = hooked(&Shelf::default(), [], lists, Policy::new());
        let host = host(version, server).await;
        host.request("resources/list", json!({})).await.unwrap();
        host.request("resources/templates/list", json!({}))
            .await
            .unwrap();
        let read = async |uri: &str| {
            let read = host.request("resources/read", json!({"uri": uri})).await;
            read.map(|read| read["contents"][0]["text"].clone())
        };
        assert_eq!(
            read("doc:///notes").await.unwrap(),
            "contents of file:///notes"
        );
        assert_eq!(
            read("doc://a/row/7").await.unwrap(),
            "contents of row://a/7"
        );
        assert!(read("file:///notes").await.is_err() && read("row://a/7").await.is_err());
        for uri in ["doc:///notes", "doc://a/row/7"] {
            let (method, params) = naming(version, uri).pop().unwrap();
            assert!(
                !refuses(&host, method, params).await,
                "{version} {method} {uri}"
            );
        }
        assert_eq!(
            updates(&host),
            ["doc:///notes", "doc://a/row/7"],
            "{version}"
        );
    }
}

#[tokio::test]
async fn two_tools_with_one_name_are_called_by_nobody() {
    let both = ListHook::new("both", ListOf::Tools, |tool| {
        Listed::As(tool.clone().renamed("do"))
    });
    let shelf = Shelf::default();
    let host = host("2025-11-25", hooked(&shelf, [], [both], Policy::new())).await;
    assert!(host.list_tools().await.unwrap().is_empty());
    for name in ["do", "look", "wipe"] {
        let refused = host.call_tool(name, json!({"id": 1})).await.unwrap();
        assert!(refused.is_error(), "{name}");
    }
    assert_eq!(shelf.ran(), 0);
}

#[tokio::test]
async fn a_refusal_has_the_name_that_the_client_knows() {
    let rename = ListHook::new("rename", ListOf::Tools, |tool| {
        Listed::As(tool.clone().renamed("clean"))
    })
    .items(&["wipe"]);
    let rule = PluginHook::deny("no", point::tool_pre_invoke, "never call `wipe`").items(&["wipe"]);
    let server = hooked(&Shelf::default(), [rule], [rename], Policy::new());
    let host = host("2025-11-25", server).await;
    let refused = host.call_tool("clean", json!({"id": 1})).await.unwrap();
    let whole = refused.as_value().to_string();
    assert!(
        refused.is_error() && whole.contains("never call `clean`"),
        "{whole}"
    );
    assert!(!whole.contains("wipe"), "{whole}");
}

#[tokio::test]
async fn list_hooks_that_cannot_work_are_errors_at_start_up() {
    let rename = |id: &'static str, from: &'static str, to: &'static str| {
        ListHook::new(id, ListOf::Tools, move |tool| {
            Listed::As(tool.clone().renamed(to))
        })
        .items(&[from])
    };
    let wrapped = |lists: Vec<ListHook>, sessions| {
        let mut registry = hooks_sdk::core::Registry::builder();
        for hook in lists {
            registry = registry.add(hook.into());
        }
        let collected = hooks_sdk::Collected::of(registry.build().unwrap()).unwrap();
        let collected = match sessions {
            Some(sessions) => collected.sessions(sessions),
            None => collected,
        };
        let wrapped = collected.wrap(crate::server::Files::default());
        wrapped.err().map(|problems| problems.to_string())
    };
    let both = vec![
        rename("one", "read_file", "file"),
        rename("two", "delete_file", "file"),
    ];
    let problems = wrapped(both, None).unwrap();
    assert!(
        problems.contains("`delete_file`, `read_file` one name: `file`"),
        "{problems}"
    );
    let taken = vec![rename("one", "read_file", "delete_file")];
    assert!(
        wrapped(taken, None)
            .unwrap()
            .contains("one name: `delete_file`")
    );
    let swapped = ListHook::new("swap", ListOf::Tools, |tool| {
        let other = match tool.name() {
            "read_file" => "delete_file",
            _ => "read_file",
        };
        Listed::As(tool.clone().renamed(other))
    });
    let swapped = vec![swapped.items(&["read_file", "delete_file"])];
    assert_eq!(wrapped(swapped, None), None);

    let machine = hooks_sdk::session::Machine::builder()
        .state(State::new("Closed").start().next("read_file", "Open"))
        .state(State::new("Open").allow_any())
        .build()
        .unwrap();
    let hidden = vec![ListHook::hide("hidden", ListOf::Tools, &["read_*"])];
    let problems = wrapped(hidden, Some(hooks_sdk::server::Sessions::on(machine))).unwrap();
    assert!(
        problems.contains("no other tool opens a session"),
        "{problems}"
    );
}
