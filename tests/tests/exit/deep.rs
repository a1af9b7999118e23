//! Messages of the server that are nested too deep to be read: `redact` does not let their params leave.

use serde_json::json;

use crate::{
    desk::Desk,
    loose::{TOKEN, redacting, sent},
    peer::{Kind, Peer},
};

#[tokio::test]
async fn a_message_too_deep_to_be_read_leaves_without_its_params() {
    // The second is read as a value, and is too deep with what a message adds.
    for levels in [300, 127] {
        let said = (0..levels).fold(json!(TOKEN), |inner, _| json!([inner]));
        let params = json!({"level": "info", "data": said});
        let message = json!({"method": "notifications/message", "params": params});
        for kind in Kind::ALL {
            let desk = Desk::default();
            let mut peer = Peer::of(kind, redacting(&desk)).await;
            for arrived in sent(&mut peer, &desk, &message).await {
                assert_eq!(arrived["method"], "notifications/message", "{kind:?}");
                assert!(!arrived.to_string().contains(TOKEN), "{kind:?} {arrived}");
            }
        }
    }
}
