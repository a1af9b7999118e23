//! The counter of what belongs to no item and had a secret: once for each text that leaves, by what became of it.

use hooks_sdk::{
    Collected, Policy,
    core::{Posture, Registry},
    plugin::{Instance, PluginMode, ready::Redact},
};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use serde_json::{Value, json};

use crate::{
    desk::Desk,
    peer::{Kind, Peer},
};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// What was counted since the last look, with its labels.
fn counted(snapshots: &Snapshotter) -> Vec<(String, u64)> {
    let all = snapshots.snapshot().into_vec().into_iter();
    let counted = all.filter_map(|(key, _, _, value)| {
        let (key, DebugValue::Counter(count)) = (key.key(), value) else {
            return None;
        };
        let labels = key.labels().map(|label| (label.key(), label.value()));
        let is_ours = key.name() == "mcp.server.cleaned" && count > 0;
        is_ours.then(|| (format!("{:?}", labels.collect::<Vec<_>>()), count))
    });
    counted.collect()
}

/// A value that is too deep to be looked at.
fn deep() -> Value {
    (0..300).fold(json!(TOKEN), |inner, _| json!([inner]))
}

fn modes() -> [(Instance, Value, &'static str); 3] {
    let redact = || Instance::of(Redact::new());
    [
        (redact(), json!([TOKEN, TOKEN]), "changed"),
        (redact().mode(PluginMode::Audit), json!(TOKEN), "reported"),
        (redact(), deep(), "withheld"),
    ]
}

async fn peer(kind: Kind, desk: &Desk, instance: Instance) -> Peer {
    let none = Registry::builder().build().unwrap();
    let collected = Collected::of(none).unwrap();
    let collected = collected.policy(Policy::new().with(instance));
    Peer::of(kind, collected.wrap(desk.clone()).unwrap()).await
}

#[tokio::test]
async fn each_text_that_leaves_is_counted_once_by_what_became_of_it() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    for kind in Kind::ALL {
        for (instance, said, outcome) in modes() {
            let desk = Desk::default();
            let mut peer = peer(kind, &desk, instance).await;
            let expected = vec![(format!("[(\"outcome\", \"{outcome}\")]"), 1)];
            assert_eq!(counted(&snapshots), [], "{kind:?} {outcome}: a handshake");

            desk.relays(json!({"said": said}));
            peer.answer("x/custom", json!({})).await;
            assert_eq!(
                counted(&snapshots),
                expected,
                "{kind:?} {outcome}: an answer"
            );

            desk.relays(json!({"error": {"code": -32050, "message": "m", "data": said}}));
            peer.answer("x/custom", json!({})).await;
            assert_eq!(
                counted(&snapshots),
                expected,
                "{kind:?} {outcome}: an error"
            );

            desk.relays(json!({"method": "notifications/message", "params": {
                "level": "info", "data": said,
            }}));
            let meta = json!({"io.modelcontextprotocol/logLevel": "debug"});
            let params = json!({"name": "loose", "arguments": {}, "_meta": meta});
            let all = peer.all("tools/call", params).await;
            // A session of HTTP has a stream of its own for it, which nobody reads here.
            if all.len() > 1 {
                assert_eq!(
                    counted(&snapshots),
                    expected,
                    "{kind:?} {outcome}: a message"
                );
            } else {
                counted(&snapshots);
            }

            desk.relays(json!({"said": "nothing of note"}));
            peer.answer("x/custom", json!({})).await;
            assert_eq!(counted(&snapshots), [], "{kind:?} {outcome}: nothing");
        }
    }
}

#[tokio::test]
async fn so_is_one_that_leaves_although_the_plugin_failed() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    for kind in Kind::ALL {
        let desk = Desk::default();
        let ignored = Instance::of(Redact::new()).posture(Posture::Proceed);
        let mut peer = peer(kind, &desk, ignored).await;
        desk.relays(json!({"said": deep()}));
        // The answer is too deep for this client, too.
        let text = match &mut peer {
            Peer::Stream(stream) => {
                stream.send(Some(1), "x/custom", json!({})).await;
                stream.line().await
            }
            Peer::Http(client) => {
                let answer = client.request("x/custom", json!({})).await;
                answer.whole().await.body
            }
        };
        assert!(text.contains(TOKEN), "{kind:?} {text}");
        assert_eq!(
            counted(&snapshots),
            [("[(\"outcome\", \"bypassed\")]".to_owned(), 1)],
            "{kind:?}"
        );
    }
}
