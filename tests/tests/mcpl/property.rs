//! Whatever is asked and told, in whatever order: every request is answered once, and the server lives.

use hooks_sdk::testing::McplHost;
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};

use super::{
    bad_input::{notifications, requests, spoilt},
    rig::{fixture, of_server, raw, tool},
};

#[derive(Clone, Debug)]
enum Message {
    Asked(&'static str, Value),
    Told(&'static str, Value),
    Tool(&'static str, Value),
    Line(String),
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Value::from),
        "acc(:|\\.)(lobby|news|push|context|chan|\\*)".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name = prop_oneof![
            "[a-z]{0,6}",
            Just("channelId".to_owned()),
            Just("enabled".to_owned()),
            Just("content".to_owned()),
            Just("type".to_owned()),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(name, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn params(good: Value) -> impl Strategy<Value = Value> {
    let mut spoilt: Vec<Value> = spoilt(&good)
        .into_iter()
        .map(|(_, _, value)| value)
        .collect();
    spoilt.push(good);
    prop_oneof![3 => proptest::sample::select(spoilt), 1 => any_json()]
}

fn message() -> impl Strategy<Value = Message> {
    let asked = proptest::sample::select(requests());
    let asked = asked.prop_flat_map(|(method, good, _)| {
        params(good).prop_map(move |params| Message::Asked(method, params))
    });
    let told = proptest::sample::select(notifications());
    let told = told.prop_flat_map(|(method, good)| {
        params(good).prop_map(move |params| Message::Told(method, params))
    });
    let tools = [
        "acc_push",
        "acc_infer",
        "acc_note_add",
        "acc_chan_register",
        "acc_fs_changed",
        "acc_state",
    ];
    let tool = (proptest::sample::select(tools.to_vec()), any_json());
    let tool = tool.prop_map(|(name, odd)| {
        let arguments = json!({"text": "a", "prompt": "p", "stream": true});
        let params = json!({"name": name, "arguments": arguments, "state": odd, "scope": odd, "checkpoint": odd});
        Message::Tool("tools/call", params)
    });
    prop_oneof![5 => asked, 4 => told, 2 => tool, 1 => ".{0,20}".prop_map(Message::Line)]
}

async fn play(messages: &[Message], version: &str) {
    let host = McplHost::builder()
        .version(version)
        .connect(fixture())
        .await
        .unwrap();
    let mut ids = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Asked(method, params) | Message::Tool(method, params) => {
                let id = json!(format!("m{at}"));
                raw(
                    &host,
                    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
                )
                .await;
                ids.push(id);
            }
            Message::Told(method, params) => {
                raw(
                    &host,
                    json!({"jsonrpc": "2.0", "method": method, "params": params}),
                )
                .await;
            }
            Message::Line(line) => host.send_line(line.as_bytes()).await.unwrap(),
        }
    }
    let answered = |host: &McplHost| {
        let mut all = of_server(host);
        all.retain(|message| message.get("method").is_none() && message["id"].is_string());
        all
    };
    let all = |host: &McplHost| answered(host).len() >= ids.len();
    host.wait_until(all).await.unwrap();
    assert_eq!(
        tool(&host, "acc_echo", json!({"text": "alive"})).await,
        "alive"
    );
    let answers = answered(&host);
    assert_eq!(answers.len(), ids.len());
    for id in ids {
        let own: Vec<_> = answers.iter().filter(|answer| answer["id"] == id).collect();
        assert_eq!(own.len(), 1, "{id}: {own:?}");
        assert_ne!(
            own[0]["result"].is_null(),
            own[0]["error"].is_null(),
            "{}",
            own[0]
        );
    }
}

#[test]
fn every_request_is_answered_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(Config {
        cases: 128,
        failure_persistence: None,
        ..Config::default()
    });
    let messages = proptest::collection::vec(message(), 1..40);
    let versions = proptest::sample::select(vec!["0.4", "0.5"]);
    runner
        .run(&(messages, versions), |(messages, version)| {
            runtime.block_on(play(&messages, version));
            Ok(())
        })
        .unwrap();
}
