//! The turn and the trace that a client names in a whole message.

use std::sync::mpsc::channel;

use hooks_sdk::aos::{Bypass, Guardian, Messages, Method, Posture};
use hooks_tests::client::peer::Stream;
use serde_json::json;

use super::{PATIENCE, agent, desk::Desk, hooked};
use crate::observed::stand_in::{Act, Question, StandIn};

#[tokio::test]
async fn a_message_belongs_to_the_turn_that_its_client_names() {
    let guardian = StandIn::start(|_| Act::json("{}")).await;
    let (record, recorded) = channel();
    let client = Guardian::http(guardian.url())
        .agent(agent())
        .messages(Messages::Inbound)
        .on_bypass(move |bypass: &Bypass| {
            if bypass.method == Method::Mcp {
                record.send(bypass.clone()).expect("a test");
            }
        })
        .posture(Posture::Proceed);
    let mut stream = Stream::stateless(hooked(&Desk::default(), client));
    for (turn, is_taken) in [("t7", true), (&*"x".repeat(300), false)] {
        let meta = json!({"hooks-sdk/turn": turn});
        let params = json!({"name": "say", "arguments": {"words": ["a"]}, "_meta": meta});
        stream.answer("tools/call", params).await;
        let bypass = recorded.recv_timeout(PATIENCE).expect("a record");
        assert_eq!(bypass.turn_id == turn, is_taken, "{bypass:?}");
    }
}

#[tokio::test]
async fn an_invalid_trace_is_ignored() {
    let guardian = StandIn::start(Question::allow).await;
    let client = Guardian::http(guardian.url())
        .agent(agent())
        .messages(Messages::Inbound)
        .posture(Posture::Deny);
    let mut stream = Stream::stateless(hooked(&Desk::default(), client));
    let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for trace in ["no trace", "00-0-0-01", valid] {
        let meta = json!({"traceparent": trace});
        let params = json!({"name": "say", "arguments": {"words": ["a"]}, "_meta": meta});
        stream.answer("tools/call", params).await;
    }
    let questions = guardian.questions();
    let traces: Vec<_> = questions
        .iter()
        .filter(|question| question.body["method"] == "protocols/MCP")
        .map(|question| question.header("traceparent"))
        .collect();
    assert_eq!(traces, [None, None, Some(valid)]);
}
