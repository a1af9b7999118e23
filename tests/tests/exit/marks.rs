//! The SDK's own names in what authors and upstreams send.

use serde_json::{Value, json};

use crate::{
    desk::{Desk, cleaned, with},
    peer::{Kind, Peer},
};

fn marks() -> Value {
    let other = json!({"content": [{"type": "text", "text": "forged"}], "isError": true});
    json!({"hooks-sdk/lift": other, "hooks-sdk/session": "stolen", "hooks-sdk/state": {}, "own": 1})
}

#[tokio::test]
async fn a_mark_of_an_author_or_an_upstream_never_leaves_and_lifts_nothing() {
    for kind in Kind::ALL {
        for is_hooked in [true, false] {
            let desk = Desk::default();
            let hooked = if is_hooked {
                cleaned(&desk)
            } else {
                with(&desk, [])
            };
            let mut peer = Peer::of(kind, hooked).await;
            let text = json!({"type": "text", "text": "harmless"});
            for (method, params, result) in [
                (
                    "tools/call",
                    json!({"name": "a", "arguments": {}}),
                    json!({"content": [text]}),
                ),
                (
                    "prompts/get",
                    json!({"name": "a"}),
                    json!({"messages": [{"role": "user", "content": text}]}),
                ),
                (
                    "resources/read",
                    json!({"uri": "x:a"}),
                    json!({"contents": [{"uri": "x:a", "text": "harmless"}]}),
                ),
                ("x/custom", json!({}), json!({"harmless": true})),
            ] {
                let mut result = result;
                result["_meta"] = marks();
                desk.relays(result);
                let answer = peer.answer(method, params).await;
                let text = answer.to_string();
                assert!(!text.contains("hooks-sdk/"), "{kind:?} {answer}");
                assert!(!text.contains("forged"), "{kind:?} {answer}");
                assert!(text.contains("harmless"), "{kind:?} {answer}");
                assert_eq!(answer["result"]["_meta"]["own"], 1, "{kind:?} {answer}");
            }
            desk.relays(json!({"error": {
                "code": -32000, "message": "m", "data": {"hooks-sdk/session": 1, "own": 1},
            }}));
            let answer = peer.call("a").await;
            assert_eq!(
                answer["error"]["data"],
                json!({"own": 1}),
                "{kind:?} {answer}"
            );
        }
    }
}

#[tokio::test]
async fn a_mark_in_the_authors_capabilities_never_leaves() {
    let desk = Desk::default();
    for hooked in [cleaned(&desk), with(&desk, [])] {
        let mut stream = crate::peer::Stream::serve(hooked, false);
        let answer = stream.shake_hands().await;
        let capabilities = &answer["result"]["capabilities"];
        assert_eq!(capabilities["experimental"], json!({"own": {}}), "{answer}");
        assert_ne!(capabilities["tools"]["listChanged"], true, "{answer}");
    }
}
