//! Tools of feature sets, guarded by the SDK: enabled, granted, and within scopes.

use hooks_sdk::{
    Policy,
    core::{self, HookError},
    mcpl::{Elevation, McplHook, Scope, ScopeDecider},
    plugin::{Instance, Plugin, PluginHooks, PluginMode, ToolCall, point},
    prelude::*,
    testing::{
        McplHost, McplHostBuilder,
        mcpl::{HostCall, McplGrants, Reaction},
    },
};
use rmcp::{
    handler::server::{common::Extension, router::tool::ToolRouter, wrapper::Parameters},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Files, Log},
    rig::ErrorCode,
};

/// Edit desks
#[mcpl::feature_set("desk.edit", scoped, server = Desk)]
struct Edits;

/// Count desks
#[mcpl::feature_set("desk.count", server = Desk)]
struct Counts;

struct Desk {
    router: ToolRouter<Desk>,
    log: Log,
}

#[derive(Debug, serde::Deserialize, JsonSchema)]
struct Path {
    path: String,
}

#[hooks_sdk::hooks]
#[tool_router]
impl Desk {
    /// Edit
    #[mcpl::tool(feature_set = Edits, scope = "path")]
    #[tool]
    async fn edit(
        &self,
        Extension(call): Extension<mcpl::Call>,
        Parameters(Path { path }): Parameters<Path>,
    ) -> String {
        let leave = call.given_leave().expect("a leave, since it runs");
        assert!(leave.approved);
        let payload = leave.payload.as_ref();
        let resolved = payload.and_then(|payload| payload.get("resolved")?.as_str());
        self.log.add(resolved.map_or(path, str::to_owned));
        "edited".to_owned()
    }

    /// Count
    #[mcpl::tool(feature_set = Counts)]
    #[tool]
    async fn count(&self) -> String {
        "7".to_owned()
    }
}

#[tool_handler(router = self.router)]
impl rmcp::ServerHandler for Desk {}

async fn desk(builder: McplHostBuilder) -> (McplHost, Log) {
    let log = Log::default();
    let desk = Desk {
        router: Desk::tool_router(),
        log: log.clone(),
    };
    let host = builder.connect(desk.with_hooks().unwrap()).await.unwrap();
    (host, log)
}

async fn edit(host: &McplHost, path: &str) -> hooks_sdk::testing::ToolAnswer {
    host.call_tool("edit", json!({"path": path})).await.unwrap()
}

#[tokio::test]
async fn a_tool_of_a_disabled_set_does_not_run() {
    let (host, log) = desk(McplHost::builder().silent()).await;
    let refused = async |code| {
        let answer = host.call_tool("edit", json!({"path": "/a"})).await;
        assert_eq!(answer.code_or_0(), code, "{answer:?}");
        let answer = host.call_tool("count", json!({})).await;
        assert_eq!(answer.code_or_0(), code, "{answer:?}");
    };
    refused(-32001).await;
    host.update_feature_sets(&McplGrants::new().enable(["other"]))
        .await
        .unwrap();
    refused(-32001).await;
    host.update_feature_sets(&McplGrants::new().enable(["desk.count"]))
        .await
        .unwrap();
    let counted = host.call_tool("count", json!({})).await.unwrap();
    assert_eq!(counted.text(), "7");
    host.disable(["desk.*"]).await.unwrap();
    refused(-32001).await;
    assert_eq!(log.all(), [""; 0]);
    assert_eq!(super::rig::sent(&host), [""; 0]);
    // Both are listed all the same.
    assert_eq!(host.list_tools().await.unwrap().len(), 2);
}

/// Writes down the calls that run.
struct Watch(Log);

impl Plugin for Watch {
    const KIND: &'static str = "watch";
    type Config = ();

    fn new((): ()) -> Result<Watch, HookError> {
        Err(HookError::new("it is made by hand"))
    }

    fn hooks() -> PluginHooks<Watch> {
        PluginHooks::new().on(
            point::tool_pre_invoke,
            |watch: &Watch, call: &ToolCall, _| {
                watch.0.add(call.name.to_string());
                Box::pin(async {})
            },
        )
    }
}

#[tokio::test]
async fn a_background_hook_does_not_run_for_a_call_that_the_host_does_not_let_run() {
    let log = Log::default();
    let desk = Desk {
        router: Desk::tool_router(),
        log: Log::default(),
    };
    let watch = Instance::of(Watch(log.clone())).mode(PluginMode::FireAndForget);
    let watched = desk.with_hooks().unwrap().policy(Policy::new().with(watch));
    let host = McplHost::builder().silent().connect(watched).await.unwrap();
    host.update_feature_sets(&McplGrants::new().enable(["desk.count"]))
        .await
        .unwrap();
    let answer = host.call_tool("edit", json!({"path": "/a"})).await;
    assert_eq!(answer.code_or_0(), -32001, "{answer:?}");
    host.call_tool("count", json!({})).await.unwrap();
    hooks_tests::idle().await;
    assert_eq!(log.all(), ["count"]);
}

#[tokio::test]
async fn a_0_5_host_grants_tools_and_has_no_scopes() {
    let (host, log) = desk(McplHost::builder().version("0.5").silent()).await;
    let code = async || {
        host.call_tool("edit", json!({"path": "/a"}))
            .await
            .code_or_0()
    };
    assert_eq!(code().await, -32002);
    host.update_feature_sets(&McplGrants::new().grant(["pushEvents"]))
        .await
        .unwrap();
    assert_eq!(code().await, -32002);
    host.update_feature_sets(&McplGrants::new().grant(["tools"]).enable(["desk.count"]))
        .await
        .unwrap();
    assert_eq!(code().await, -32001);
    host.update_feature_sets(&McplGrants::new().grant(["tools"]))
        .await
        .unwrap();
    assert_eq!(code().await, 0);
    assert_eq!(log.all(), ["/a"]);
    assert!(host.received("scope/elevate").is_empty());
}

#[tokio::test]
async fn a_plain_host_needs_no_leave() {
    let (host, log) = desk(McplHost::builder().capabilities(json!({}))).await;
    assert_eq!(edit(&host, "/a").await.text(), "edited");
    let scoped = HostCall::new("edit", json!({"path": "/b"})).scope("/else", json!({}));
    assert_eq!(host.call_tool_with(scoped).await.unwrap().text(), "edited");
    assert_eq!(log.all(), ["/a", "/b"]);
    assert_eq!(super::rig::sent(&host), [""; 0]);
}

#[tokio::test]
async fn a_scope_on_the_own_blacklist_is_not_sent() {
    let policy = McplGrants::new()
        .enable(["desk.*"])
        .whitelist("desk.edit", ["/a*"])
        .blacklist("desk.edit", ["/a/secret*"]);
    let (host, log) = desk(McplHost::builder().grants(policy)).await;
    let call = |label: &str| HostCall::new("edit", json!({"path": label})).scope(label, json!({}));
    for denied in [
        call("/a/secret"),
        call("/a/secret").feature_set("desk.edit"),
    ] {
        let error = host.call_tool_with(denied).await.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`/a/secret` is on the host's blacklist"),
            "{error}"
        );
    }
    assert_eq!(log.all(), [""; 0]);
    host.call_tool_with(call("/a")).await.unwrap();
    assert_eq!(log.all(), ["/a"]);
}

#[tokio::test]
async fn the_scope_of_a_call_is_its_leave_and_has_to_fit() {
    let (host, log) = desk(McplHost::builder()).await;
    let call = |label: &str| HostCall::new("edit", json!({"path": "/a"})).scope(label, json!({}));
    let answer = host.call_tool_with(call("/a")).await.unwrap();
    assert_eq!((answer.is_error(), &*answer.text()), (false, "edited"));
    let answer = host.call_tool_with(call("/b")).await.unwrap();
    assert!(
        answer.is_error() && answer.text().contains("`/b`"),
        "{}",
        answer.text()
    );
    let bare = HostCall::new("edit", json!({"path": "/a"})).member("scope", json!({"label": "/a"}));
    assert!(!host.call_tool_with(bare).await.unwrap().is_error());
    assert_eq!(log.all(), ["/a", "/a"]);
    assert!(host.received("scope/elevate").is_empty());
}

#[tokio::test]
async fn a_bound_tool_acts_on_the_payload_that_the_host_completed() {
    let builder = McplHost::builder().decide(|_, scope| {
        let mut payload = scope.payload.clone().unwrap_or_default();
        payload.insert("resolved".to_owned(), json!("/real/a"));
        Elevation::approved(Some(payload))
    });
    let (host, log) = desk(builder).await;
    assert_eq!(edit(&host, "/a").await.text(), "edited");
    assert_eq!(log.all(), ["/real/a"]);
}

#[tokio::test]
async fn a_label_on_the_whitelist_is_asked_for_where_a_pattern_may_forbid_it() {
    let policy = McplGrants::trusting()
        .whitelist("desk.edit", ["/p/.env", "/p/a"])
        .blacklist("desk.edit", ["**/.env"]);
    let (host, log) = desk(McplHost::builder().grants(policy)).await;
    assert!(edit(&host, "/p/.env").await.is_error());
    assert!(!edit(&host, "/p/a").await.is_error());
    assert_eq!(log.all(), ["/p/a"]);
    assert_eq!(host.received("scope/elevate").len(), 2);
}

#[tokio::test]
async fn a_label_on_the_whitelist_needs_no_asking_and_every_other_does() {
    let policy = McplGrants::trusting()
        .whitelist("desk.edit", ["/a", "/both", "/w/*"])
        .blacklist("desk.edit", ["/both", "/black"]);
    let (host, log) = desk(McplHost::builder().grants(policy)).await;
    let edited = async |path: &str| !edit(&host, path).await.is_error();
    assert!(edited("/a").await);
    assert!(host.received("scope/elevate").is_empty());
    // A pattern is the host's own to read.
    assert!(edited("/w/1").await);
    assert!(!edited("/both").await);
    assert!(!edited("/black").await);
    assert!(!edited("/other").await);
    assert_eq!(log.all(), ["/a", "/w/1"]);
    let asked = host.received("scope/elevate");
    let labels: Vec<_> = asked
        .iter()
        .map(|one| &one["params"]["scope"]["label"])
        .collect();
    assert_eq!(labels, ["/w/1", "/both", "/black", "/other"]);
    assert_eq!(
        asked[0]["params"]["scope"]["payload"],
        json!({"path": "/w/1"})
    );
    let refused = edit(&host, "/black").await.text();
    assert!(refused.contains("blacklist"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_asked_and_says_nothing_useful_gives_no_leave() {
    let (host, log) = desk(McplHost::builder()).await;
    for reaction in [
        Reaction::never(),
        Reaction::under_another_id(),
        Reaction::wrong_shape(),
        Reaction::neither(),
        Reaction::result(json!({})),
        Reaction::result(Value::Null),
        Reaction::result(json!({"approved": "true"})),
        Reaction::result(json!({"approved": false})),
    ] {
        host.react("scope/elevate", reaction);
        let call = HostCall::new("edit", json!({"path": "/a"}));
        let answer = host.call_tool_with(call).await;
        assert!(answer.is_err() || answer.unwrap().is_error());
    }
    assert_eq!(log.all(), [""; 0]);
}

#[tokio::test]
async fn an_argument_that_is_no_label_is_a_mistake_of_the_caller() {
    let (host, log) = desk(McplHost::builder()).await;
    for arguments in [
        json!({}),
        json!({"path": 5}),
        json!({"path": null}),
        json!({"path": ["/a"]}),
    ] {
        let answer = host.call_tool("edit", arguments).await;
        assert_eq!(answer.code_or_0(), -32602, "{answer:?}");
    }
    assert_eq!(log.all(), [""; 0]);
}

/// A server whose tool asks for its leave itself, and says what it got.
fn asker() -> (Bench, core::Hook) {
    let bench = Bench::new().tool("ask", |call, _| async move {
        let payload = json!({"path": "/a"}).as_object().cloned().unwrap();
        let scope = Scope::new("/a").payload(payload);
        match call.leave::<Files>(scope).await {
            Ok(leave) => {
                let by = match leave.by {
                    ScopeDecider::Call => "call",
                    ScopeDecider::Whitelist => "whitelist",
                    ScopeDecider::Host => "host",
                    ScopeDecider::Nobody => "nobody",
                    _ => "?",
                };
                json!({"approved": leave.approved, "by": by, "payload": leave.payload, "reason": leave.reason})
            }
            Err(error) => json!({"code": error.code()}),
        }
    });
    (
        bench,
        McplHook::tool::<Files, Bench>("ask").unguarded().into(),
    )
}

#[tokio::test]
async fn a_leave_says_who_gave_it_and_for_what() {
    let own = json!({"path": "/a"});
    let leave = |approved: bool, by: &str, payload: &Value, reason: Option<&str>| json!({"approved": approved, "by": by, "payload": payload, "reason": reason});
    let ask = async |builder: McplHostBuilder| {
        let (bench, hook) = asker();
        let host = builder.connect(bench.with([hook])).await.unwrap();
        super::rig::tool(&host, "ask", json!({})).await
    };
    let enriched = json!({"path": "/a", "inode": 7});
    let answer = enriched.as_object().cloned();
    let builder = McplHost::builder().decide(move |_, _| Elevation::approved(answer.clone()));
    assert_eq!(ask(builder).await, leave(true, "host", &enriched, None));
    let builder = McplHost::builder().decide(|_, _| Elevation::approved(None));
    assert_eq!(ask(builder).await, leave(true, "host", &own, None));
    let builder = McplHost::builder().decide(|_, _| Elevation::denied("no"));
    assert_eq!(ask(builder).await, leave(false, "host", &own, Some("no")));
    let policy = McplGrants::trusting().whitelist("bench.files", ["/a"]);
    assert_eq!(
        ask(McplHost::builder().grants(policy)).await,
        leave(true, "whitelist", &own, None)
    );
    assert_eq!(
        ask(McplHost::builder().version("0.5")).await,
        leave(true, "nobody", &own, None)
    );
    let plain = McplHost::builder().capabilities(json!({}));
    assert_eq!(ask(plain).await, leave(true, "nobody", &own, None));
    assert_eq!(
        ask(McplHost::builder().silent()).await,
        json!({"code": -32001})
    );
}
