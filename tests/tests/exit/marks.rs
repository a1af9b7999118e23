//! The SDK's own names in what authors and upstreams send.

use serde_json::json;

use crate::desk::{Desk, cleaned, with};

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
