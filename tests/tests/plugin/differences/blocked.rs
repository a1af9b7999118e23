//! What is left of a request that a hook stopped.

use hooks_sdk::{
    core::{Posture, Violation},
    plugin::{Outcome, PluginHook, point},
};
use serde_json::{from_value, json};

use super::{denying, go, hook, traced, tracing};

#[tokio::test]
async fn the_change_of_the_hook_that_stops_is_never_used() {
    let blocker = hook("b", |call, _| {
        Ok(Outcome {
            modified_payload: Some(traced(call, "b")),
            ..Outcome::deny(Violation::new("no"))
        })
    });
    let went = go([tracing("a"), blocker]).await;
    assert_eq!(&*went.blocked().hook, "b");
    assert_eq!(went.trace(), "a");
}

#[tokio::test]
async fn a_stop_without_a_violation_blocks_and_gets_one() {
    let blocker = hook("b", |_, _| {
        Ok(Outcome {
            continue_processing: false,
            ..Outcome::allow()
        })
    });
    let went = go([blocker, tracing("after")]).await;
    let blocked = went.blocked();
    assert_eq!(blocked.violation.code, "plugin_deny");
    assert!(!blocked.violation.reason.is_empty() && !blocked.failed);
    assert_eq!(went.trace(), "");
}

#[tokio::test]
async fn what_the_hook_that_stops_wrote_for_the_others_is_kept() {
    let blocker = hook("b", |_, cx| {
        cx.global.state.insert("why".into(), "quota".into());
        Ok(Outcome::deny(Violation::new("no")))
    });
    let went = go([blocker]).await;
    went.blocked();
    assert_eq!(went.contexts.global.state["why"], "quota");
}

#[tokio::test]
async fn a_violation_stops_where_only_failures_are_ignored() {
    let went = go([denying("b").posture(Posture::Proceed)]).await;
    // A value, whoever calls the chain, and never a failure.
    let blocked = went.blocked();
    assert_eq!(blocked.violation.reason, "no");
    assert!(!blocked.failed);
    assert_eq!(went.chain.counts("b").denied, 1);
}

#[tokio::test]
async fn details_may_be_absent_and_the_chain_names_the_hook() {
    // The violation of the document's example of header hooks.
    let violation: Violation = from_value(json!({
        "code": "SECURITY_HEADERS_MISSING",
        "reason": "Required security headers not found in response",
        "description": "Missing headers: X-Frame-Options",
        "plugin_name": "somebody else",
    }))
    .expect("a violation");
    assert!(violation.details.is_empty());
    let went = go([hook("b", move |_, _| Ok(Outcome::deny(violation.clone())))]).await;
    assert_eq!(&*went.blocked().hook, "b");
}

#[tokio::test]
async fn without_a_hook_a_request_goes_on_unchanged() {
    let elsewhere = PluginHook::deny("other", point::prompt_pre_fetch, "no");
    for hooks in [vec![], vec![elsewhere]] {
        let went = go(hooks).await;
        went.allowed();
        assert!(!went.ran.modified && went.ran.metadata.is_empty());
        assert!(went.contexts.record().steps.is_empty());
    }
}
