//! Who asks: the server, its client, the user, the session and the trace.

use hooks_sdk::{
    aos::{Agent, Posture},
    server::Sessions,
    session::Machine,
    testing::TestHost,
};
use serde_json::json;

use super::{REQUEST, Rig, client_of, desk::Desk, soon};
use crate::observed::stand_in::StandIn;

#[tokio::test]
async fn the_server_names_itself_and_its_client() {
    let rig = Rig::new(|question| question.allow()).await;
    rig.call("echo", json!({"text": "a"})).await;
    let agent = &rig.asked(REQUEST)[0]["context"]["agent"];
    assert_eq!(agent["id"], "desk");
    assert_eq!(agent["instructions"], "Keep notes.");
    assert_eq!(agent["version"], "1.2.3");
    assert_eq!(agent["provider"]["url"], "https://desk.example");
    let client = &agent["metadata"]["client"];
    assert!(
        client["name"].is_string() && client["version"].is_string(),
        "{agent}"
    );
}

#[tokio::test]
async fn the_authors_agent_wins() {
    let rig = Rig::with(
        |question| question.allow(),
        |client| {
            let agent = Agent::new("notes", "Notes").provider("Example", "https://example.com");
            client.agent(agent).posture(Posture::Deny)
        },
    )
    .await;
    rig.call("echo", json!({"text": "a"})).await;
    let agent = &rig.asked(REQUEST)[0]["context"]["agent"];
    assert_eq!(
        (&agent["id"], &agent["version"]),
        (&json!("notes"), &json!("1.2.3"))
    );
}

#[tokio::test]
async fn the_session_of_the_client_and_the_trace_are_handed_on() {
    let rig = Rig::new(|question| question.allow()).await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let call = json!({"name": "echo", "arguments": {"text": "a"},
        "_meta": {"sessionId": "conversation-7", "traceparent": trace}});
    soon(rig.host.request("tools/call", call)).await.unwrap();
    let context = &rig.asked(REQUEST)[0]["context"];
    assert_eq!(context["session"]["id"], "conversation-7");
    assert_eq!(context["user"], serde_json::Value::Null);
    let questions = rig.guardian.questions();
    assert_eq!(questions[0].header("traceparent"), Some(trace));
}

#[tokio::test]
async fn the_principal_of_the_sessions_is_the_user_and_a_sessions_key_is_not_shown() {
    let guardian = StandIn::start(|question| question.allow()).await;
    let desk = Desk::default();
    let machine = Machine::standard().only("other").build().unwrap();
    let sessions = Sessions::on(machine).principal(|_| Some("ann".to_owned()));
    let client = client_of(&guardian).posture(Posture::Deny);
    let server = desk.hooked().guardian(client).sessions(sessions);
    server.check().unwrap();
    let host = soon(TestHost::connect(server)).await.unwrap();
    soon(host.call_tool("echo", json!({"text": "a"})))
        .await
        .unwrap();
    let context = guardian.questions()[0].body["params"]["context"].clone();
    assert_eq!(context["user"]["id"], "ann");
    let session = context["session"]["id"].as_str().unwrap();
    assert_eq!(session.len(), 32, "{session}");
}
