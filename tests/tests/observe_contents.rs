//! Contents in spans: only where the program asks for them, and cut. The setting belongs to the process, so this is one.

#[path = "observe/keeper.rs"]
mod keeper;
#[path = "observe/recorder.rs"]
#[expect(dead_code, reason = "the other program looks at the tree")]
mod recorder;

use hooks_sdk::{aos::Posture, core::observe::Observe, testing::McplHost};
use serde_json::json;

use self::{
    keeper::{CONTENTS, call, reasoned, server},
    recorder::Recorder,
};

#[tokio::test]
async fn arguments_results_and_reasons_are_in_spans_where_they_are_wanted() {
    Observe::new().contents(40).install().unwrap();
    let (recorder, _guard) = Recorder::listen();
    let host = McplHost::connect(server(Posture::Deny)).await.unwrap();
    recorder.clear();
    call(&host, "remember", json!({"text": CONTENTS})).await;
    call(&host, "remember", json!({"text": "forbidden"})).await;
    call(&host, "remember", json!({"text": "é".repeat(1_000)})).await;
    let requests = recorder.named("mcp.request");
    let field = |at: usize, name: &str| requests[at].fields[name].clone();
    assert_eq!(
        field(0, "gen_ai.tool.call.arguments"),
        format!(r#"{{"text":"{CONTENTS}"}}"#)
    );
    let result = field(0, "gen_ai.tool.call.result");
    assert!(
        result.starts_with("{\"") && result.contains("\"content\""),
        "{result}"
    );
    assert_eq!(result.len(), 40);
    // No half a character.
    assert_eq!(field(2, "gen_ai.tool.call.arguments").len(), 39);
    let denied = recorder.named("acs.memory.store").remove(1);
    let (name, event) = &denied.events[0];
    assert_eq!(*name, "acs.decision");
    assert_eq!(event["acs.reasoning"], format!("{CONTENTS} is secret"));
    // The reason of a whole message, cut like other contents.
    let step = reasoned(&recorder).await;
    assert_eq!(
        step["agent.reasoning"],
        format!("The user wants {CONTENTS}")
    );
}
