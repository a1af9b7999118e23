//! Messages of the server that no type of rmcp has leave whole.

use hooks_sdk::Policy;
use serde_json::json;

use crate::{
    desk::Desk,
    loose::{hooked, redacting, sent},
    peer::{Kind, Peer},
};

/// What none of rmcp's types has is a custom message to rmcp, so that it is read again whole where a policy looks at it.
#[tokio::test]
async fn a_message_of_a_foreign_shape_leaves_whole_with_and_without_a_policy() {
    let foreign = [
        ("notifications/progress", json!({"own": 1})),
        (
            "notifications/resources/updated",
            json!({"uri": 7, "own": {}}),
        ),
        (
            "notifications/message",
            json!({"level": "loud", "own": [null]}),
        ),
        ("notifications/own", json!({"own": {"deeper": 1.5}})),
    ];
    for kind in Kind::ALL {
        let (desk, plain) = (Desk::default(), Desk::default());
        let mut peer = Peer::of(kind, redacting(&desk)).await;
        let mut bare = Peer::of(kind, hooked(&plain, Policy::new())).await;
        let mut arrived = 0;
        for (method, params) in &foreign {
            let message = json!({"method": method, "params": params, "custom": true});
            let shown = sent(&mut peer, &desk, &message).await;
            let whole = sent(&mut bare, &plain, &message).await;
            assert_eq!(shown.len(), whole.len(), "{kind:?} {message}");
            for (shown, whole) in shown.iter().zip(&whole) {
                assert_eq!(shown["method"], whole["method"], "{kind:?} {shown}");
                assert_eq!(shown["params"], whole["params"], "{kind:?} {shown}");
                assert_eq!(shown["params"]["own"], params["own"], "{kind:?} {shown}");
                arrived += 1;
            }
        }
        // A session's own stream is not open here.
        let expected = if kind == Kind::HttpLegacy {
            0
        } else {
            foreign.len()
        };
        assert_eq!(arrived, expected, "{kind:?}");
    }
}
