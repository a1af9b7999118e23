//! Completions pass their hooks at every replica, and are given up through any.

use hooks_sdk::{
    Collected, Hooked, Policy,
    core::{Registry, Verdict, condition::Condition},
    plugin::{CompletionResult, PluginHook, point, ready::Redact},
};
use hooks_tests::{
    faulty_store::FaultyStore,
    toy_server::{ToyServer, one},
};
use serde_json::{Value, json};

use crate::desk::{open, serve_with};

fn completion(value: &str) -> Value {
    let reference = json!({"type": "ref/prompt", "name": "a"});
    json!({"ref": reference, "argument": {"name": "a", "value": value}})
}

fn redacting(hooked: Hooked<ToyServer>) -> Hooked<ToyServer> {
    hooked.policy(Policy::new().with(Redact::new()))
}

#[tokio::test]
async fn a_completion_passes_its_hooks_at_a_replica_that_did_not_open_the_session() {
    let store = FaultyStore::default();
    let hooks = |hooked: Hooked<ToyServer>| {
        let when = Condition::parse(r#"value = "/etc*""#).unwrap();
        let before = PluginHook::deny("rule", point::completion_pre_fetch, "not this");
        let after = PluginHook::answering_any::<_, Verdict<CompletionResult>>(
            "after",
            point::completion_post_fetch,
            |answer, _| Box::pin(async move { Verdict::Modify(answer.retain(|_| false)) }),
        );
        let registry = Registry::builder()
            .add(before.when(when).code("NO").into())
            .add(after.into());
        let collected = Collected::of(registry.build().unwrap()).unwrap();
        collected.wrap(hooked.server().clone()).unwrap()
    };
    let [a, b] = serve_with(&store, hooks, |server| server).await;
    let ada = open(&a, "ada").await;
    for at in [&b, &a] {
        let client = ada.at(at);
        let asked = client.ask("completion/complete", completion("/etc/x"));
        let refused = asked.await;
        assert_eq!(refused["error"]["data"]["code"], "NO", "{refused}");
        at.server.leave.add_permits(1);
        let answer = client.ask("completion/complete", completion("a")).await;
        let values = &answer["result"]["completion"]["values"];
        assert_eq!(values, &json!([]), "{answer}");
    }
}

#[tokio::test]
async fn a_completion_is_given_up_through_any_replica() {
    let store = FaultyStore::default();
    let [a, b] = serve_with(&store, redacting, |server| server).await;
    let ada = open(&a, "ada").await;
    let client = ada.at(&a);
    let asked = client.request("completion/complete", completion("a")).await;
    one(&a.server.begun).await;
    let cancel = json!({"requestId": asked.id});
    ada.at(&b).notify("notifications/cancelled", cancel).await;
    one(&a.server.ended).await;
}
