//! Who sent a request, and who may write what hooks share.

use hooks_sdk::{
    core::{HookError, Posture, Violation},
    plugin::{
        Chain, Contexts, Decision, GlobalContext, Outcome, PluginContext, PluginHook, PluginMode,
        ToolCall, point,
    },
};
use serde_json::{Value, json};

use super::{Answer, go_with, hook};

fn of_ann() -> Contexts {
    let mut global = GlobalContext::new("1");
    global.user = Some("ann".to_owned());
    global.state.insert("k".to_owned(), json!(1));
    Contexts::new(global)
}

fn forge(cx: &mut PluginContext) {
    cx.global.user = Some("root".to_owned());
    cx.global.tenant_id = Some("all".to_owned());
    cx.global.session = Some("another".to_owned());
    cx.global.server_id = Some("another".into());
    cx.global.state.insert("k".to_owned(), json!(2));
    cx.global.metadata.insert("k".to_owned(), json!(2));
}

/// A rule that stops whoever is not ann, and a hook that writes down the shared state.
fn watching() -> [PluginHook; 1] {
    [hook("watching", |_, cx| {
        let who = [&cx.global.user, &cx.global.tenant_id, &cx.global.session];
        let who = who.map(|it| it.as_deref().unwrap_or("-")).join(" ");
        let said = json!({"who": who, "server": cx.global.server_id.as_deref(), "k": cx.global.state["k"]});
        Ok(Outcome::allow().with("seen", said))
    })
    .priority(200)]
}

async fn seen(before: PluginHook) -> (Value, Vec<Decision>, u64) {
    let id = before.id().to_owned();
    let chain = Chain::new(watching().into_iter().chain([before]));
    let went = go_with(chain, of_ann()).await;
    went.allowed();
    let decisions = went.decisions(&id);
    (
        went.ran.metadata["seen"].clone(),
        decisions,
        went.chain.counts(&id).dropped,
    )
}

#[tokio::test]
async fn no_hook_changes_who_the_request_is_from() {
    let forging = hook("forging", |_, cx| {
        forge(cx);
        Ok(Outcome::allow())
    });
    for mode in [
        PluginMode::Enforce,
        PluginMode::Permissive,
        PluginMode::Concurrent,
    ] {
        let (seen, decisions, dropped) = seen(forging.clone().mode(mode)).await;
        assert_eq!(
            seen,
            json!({"who": "ann - -", "server": null, "k": 2}),
            "{mode:?}"
        );
        assert!(decisions.contains(&Decision::Dropped));
        assert_eq!(dropped, 4, "{mode:?}");
    }
}

#[tokio::test]
async fn a_hook_in_audit_mode_writes_nothing_that_others_see() {
    let forging = hook("forging", |_, cx| {
        forge(cx);
        Ok(Outcome::allow())
    });
    let (seen, _, dropped) = seen(forging.mode(PluginMode::Audit)).await;
    assert_eq!(seen, json!({"who": "ann - -", "server": null, "k": 1}));
    assert_eq!(dropped, 5);
}

#[tokio::test]
async fn whatever_the_failure_what_the_hook_wrote_is_dropped() {
    let failures: [fn() -> Answer; 2] = [
        || Err(HookError::new("no disk")),
        || {
            let mut call = hooks_sdk::plugin::ToolCall::default();
            call.args
                .insert("long".to_owned(), json!("x".repeat(1_000_001)));
            Ok(Outcome::modify(call).with("said", true))
        },
    ];
    for (failure, is_ignored) in failures.into_iter().zip([true, false]) {
        let failing = hook("failing", move |_, cx| {
            forge(cx);
            cx.set_state("own", true);
            failure()
        });
        let failing = failing.posture(Posture::Proceed);
        let chain = Chain::new(watching().into_iter().chain([failing]));
        let went = go_with(chain, of_ann()).await;
        if is_ignored {
            went.allowed();
            assert_eq!(
                went.ran.metadata["seen"],
                json!({"who": "ann - -", "server": null, "k": 1})
            );
        } else {
            // A change over the limit is refused.
            assert_eq!(went.blocked().violation.code, "payload_too_large");
        }
        assert!(went.ran.metadata.get("said").is_none());
        assert!(went.contexts.state("failing").is_none());
        assert_eq!(went.chain.counts("failing").bypassed, u64::from(is_ignored));
    }
}

#[tokio::test]
async fn concurrent_hooks_do_not_undo_each_others_writes() {
    let deletes = hook("deletes", |_, cx| {
        cx.global.state.remove("k");
        cx.global.state.insert("new".to_owned(), json!("deletes"));
        Ok(Outcome::allow())
    });
    let nothing = hook("nothing", |_, _| Ok(Outcome::allow()));
    let hooks = [deletes, nothing].map(|hook| hook.mode(PluginMode::Concurrent));
    let went = go_with(Chain::new(hooks), of_ann()).await;
    assert_eq!(
        Value::from(went.contexts.global.state.clone()),
        json!({"new": "deletes"})
    );
}

#[tokio::test]
async fn a_concurrent_hooks_violation_that_stops_nothing_is_reported() {
    let says = hook("says", |_, _| {
        Ok(Outcome {
            violation: Some(Violation::new("odd").code("ODD")),
            ..Outcome::allow()
        })
    });
    let went = go_with(Chain::new([says.mode(PluginMode::Concurrent)]), of_ann()).await;
    went.allowed();
    assert_eq!(went.decisions("says"), [Decision::Suppressed]);
}

#[tokio::test]
async fn a_stop_by_the_chain_itself_is_in_the_record() {
    let nothing =
        PluginHook::answering_any("nothing", point::tool_pre_invoke, |_, _| Box::pin(async {}));
    let chain = Chain::new([nothing]).limit(hooks_sdk::plugin::PluginAt::ToolPreInvoke, 1);
    let mut contexts = of_ann();
    let mut call = ToolCall::default().with("path", "long");
    _ = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    let steps = &contexts.record().steps;
    let code = steps[0].violation.as_ref().map(|it| &*it.code);
    assert_eq!((&*steps[0].hook, code), ("", Some("payload_too_large")));
    assert_eq!(steps.len(), 1);
}
