//! What a set needs of a 0.5 host: all of it, or the set is disabled.

use hooks_sdk::{
    mcpl::{Host, McplHook, point},
    prelude::*,
    testing::{McplHost, mcpl::Reaction},
};
use serde_json::json;

use super::{
    bench::{Before, Bench, Channels, Log},
    rig::{before, tool},
};

/// Hands over messages, and registers channels if it may
#[mcpl::feature_set("bench.in", sends(incoming), optional(register), server = Bench)]
struct Incoming;

#[tokio::test]
async fn channel_senders_need_their_own_paths() {
    async fn ask<F>(host: &Host, which: &str) -> serde_json::Value
    where
        F: mcpl::Sends<mcpl::sender::register> + mcpl::Sends<mcpl::sender::incoming>,
    {
        let code = match which {
            "register" => host.register_channels::<F>(Vec::new()).await.map(drop),
            "incoming" => host.incoming::<F>(Vec::new()).await.map(drop),
            _ => host.list_channels::<F>().await.map(drop),
        };
        json!(code.map_err(|error| error.code()))
    }
    let server = Bench::new()
        .tool("some", |call, which| async move {
            ask::<Incoming>(call.host(), which["which"].as_str().unwrap()).await
        })
        .tool("all", |call, which| async move {
            ask::<Channels>(call.host(), which["which"].as_str().unwrap()).await
        });
    let builder = McplHost::builder()
        .version("0.5")
        .grant(["channels.incoming"]);
    let host = builder
        .connect(server.with([Channels::hook(), Incoming::hook()]))
        .await
        .unwrap();
    let answer = Reaction::result(json!({"results": []}));
    host.react("channels/incoming", answer);
    let denied = json!({"Err": -32002});
    for (which, expected) in [
        ("register", &denied),
        ("list", &denied),
        ("incoming", &json!({"Ok": null})),
    ] {
        let which = json!({"which": which});
        assert_eq!(tool(&host, "some", which.clone()).await, *expected);
        // All that this set sends is needed, so that it is disabled as a whole.
        assert_eq!(tool(&host, "all", which).await, denied);
    }
    assert_eq!(host.received("channels/incoming").len(), 1);
}

#[tokio::test]
async fn a_set_with_a_denied_need_is_disabled_whatever_says_so() {
    let server = Bench::new().tool("look", |call, _| async move {
        let host = call.host();
        let registered = host.register_channels::<Channels>(Vec::new()).await;
        json!([
            host.enabled(),
            [host.is_enabled::<Channels>(), host.is_enabled::<Incoming>()],
            registered.map_err(|error| error.code()).err(),
        ])
    });
    let log = Log::default();
    let runs = {
        let log = log.clone();
        McplHook::answering_any::<Channels, _, _>(
            "runs",
            point::enabled,
            move |_: &mcpl::Enabled, _| {
                log.add("runs");
                Box::pin(async {})
            },
        )
    };
    let hooks = [Channels::hook(), Incoming::hook(), runs.into()];
    let host = McplHost::builder().version("0.5").silent();
    let host = host.connect(server.with(hooks)).await.unwrap();
    let ask = async |paths: &[&str]| {
        let params = json!({"effectiveCapabilities": paths});
        host.request("featureSets/update", params).await.unwrap()
    };
    for (granted, missing) in [
        (["channels.incoming", "tools"], "channels.register"),
        (["channels.register", "tools"], "channels.incoming"),
    ] {
        let receipt = ask(&granted).await;
        let features = receipt["unavailableFeatures"].as_array().unwrap();
        let of = |set: &str| features.iter().find(|one| one["featureSet"] == set);
        let disabled = json!({
            "featureSet": "bench.chan", "missingCapabilities": [missing], "effect": "disabled",
        });
        assert_eq!(of("bench.chan"), Some(&disabled));
        let incoming = missing != "channels.incoming";
        assert_eq!(of("bench.in").is_none(), incoming);
        let names: &[&str] = if incoming { &["bench.in"] } else { &[] };
        let seen = tool(&host, "look", json!({})).await;
        assert_eq!(seen, json!([names, [false, incoming], -32002]));
    }
    assert_eq!(log.all(), [""; 0]);
    let receipt = ask(&["channels.*"]).await;
    assert_eq!(receipt, json!({"accepted": true}));
    host.react("channels/register", Reaction::result(json!({})));
    let seen = tool(&host, "look", json!({})).await;
    assert_eq!(
        seen,
        json!([["bench.chan", "bench.in"], [true, true], null])
    );
}

#[tokio::test]
async fn a_position_or_a_message_that_is_optional_disables_nothing() {
    let injects = |id: &'static str| {
        McplHook::answering_any::<Before, _, _>(
            id,
            point::before_inference,
            |_: &BeforeInference, _| {
                Box::pin(async {
                    let at = |position| mcpl::Injection::new("n", position, "x");
                    vec![at(Position::System), at(Position::BeforeUser)]
                })
            },
        )
    };
    // Named, and as it is without a word.
    let named = injects("named").inject(&[Position::BeforeUser]);
    for hook in [named.optional(&[Position::System]), injects("unnamed")] {
        let host = McplHost::builder().version("0.5").silent();
        let host = host
            .connect(Bench::new().with([hook.into()]))
            .await
            .unwrap();
        let inject = &host.declared()["contextHooks"]["beforeInference"]["inject"];
        assert_eq!(
            (&inject["system"], &inject["beforeUser"]),
            (&json!(true), &json!(true))
        );
        // The user's message is of use, and no need either.
        assert_eq!(
            host.declared()["contextHooks"]["beforeInference"]["observe"],
            true
        );
        let paths = ["contextHooks.beforeInference.inject.beforeUser"];
        assert_eq!(
            host.declared()["featureSets"]["bench.before"]["uses"],
            json!(paths)
        );
        let params = json!({"effectiveCapabilities": paths});
        let receipt = host.request("featureSets/update", params).await.unwrap();
        assert_eq!(receipt, json!({"accepted": true}));
        let answer = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        let positions = answer["contextInjections"].as_array().unwrap().iter();
        let positions: Vec<_> = positions.map(|one| &one["position"]).collect();
        assert_eq!(positions, ["beforeUser"]);
    }
}
