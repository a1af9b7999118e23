//! Requests of the server to hosts that do not answer as they should.

use std::time::Duration;

use hooks_sdk::{
    mcpl::{ErrorObject, EventId, FeatureSet, Push, PushRefusal, Pushed, SendError},
    testing::{
        McplHost, RequestError,
        mcpl::{Reaction, RegisterAnswer},
    },
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Pushing},
    rig::{connect, fixture, host_04, host_05, of_server, serve, tool},
};

/// Each request that the fixture sends, with the tool that sends it.
const REQUESTS: [(&str, &str); 8] = [
    ("push/event", "acc_push"),
    ("inference/request", "acc_infer"),
    ("model/info", "acc_model_info"),
    ("scope/elevate", "acc_file_edit"),
    ("channels/register", "acc_chan_register"),
    ("channels/list", "acc_chan_list_host"),
    ("channels/incoming", "acc_incoming"),
    ("channels/changed", "acc_chan_changed"),
];

fn arguments(name: &str) -> Value {
    json!({"text": "a", "prompt": "a", "stream": name == "acc_infer", "path": "/a", "n": 2})
}

/// The requests that a host of this version is sent.
fn requests(version: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let has = match version {
        "0.4" => "scope/elevate",
        _ => "channels/changed",
    };
    let lacks = match version {
        "0.4" => "channels/changed",
        _ => "scope/elevate",
    };
    assert!(REQUESTS.iter().any(|(method, _)| *method == has));
    REQUESTS
        .into_iter()
        .filter(move |(method, _)| *method != lacks)
}

async fn host(version: &str) -> McplHost {
    let host = connect(McplHost::builder().version(version)).await;
    tool(&host, "acc_chan_register", json!({})).await;
    host
}

/// After whatever it did, the host is good again.
async fn still_works(host: &McplHost, name: &str) {
    host.be_good();
    let answer = tool(host, name, arguments(name)).await;
    assert_eq!(answer["ok"], true, "{name}: {answer}");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_answers_is_given_up_and_told() {
    for version in ["0.4", "0.5"] {
        let host = host(version).await;
        for (method, name) in requests(version) {
            for reaction in [Reaction::never(), Reaction::under_another_id()] {
                let earlier = host.received(method).len();
                host.react(method, reaction);
                let start = tokio::time::Instant::now();
                let answer = tool(&host, name, arguments(name)).await;
                assert_eq!(start.elapsed().as_secs(), 20, "{method}");
                assert_eq!(
                    (&answer["ok"], &answer["local"]),
                    (&json!(false), &json!(true))
                );
                let message = answer["error"]["message"].as_str().unwrap();
                assert!(message.contains("20000 ms"), "{message}");
                let asked = host.received(method);
                assert_eq!(asked.len(), earlier + 1, "{method}");
                let given_up = host.wait_for("notifications/cancelled").await.unwrap();
                assert_eq!(given_up["params"]["requestId"], asked[earlier]["id"]);
                still_works(&host, name).await;
            }
        }
    }
}

#[tokio::test]
async fn a_second_answer_changes_nothing() {
    for version in ["0.4", "0.5"] {
        let host = host(version).await;
        for (method, name) in requests(version) {
            host.react(method, Reaction::good().twice());
            let answer = tool(&host, name, arguments(name)).await;
            assert_eq!(answer["ok"], true, "{method}: {answer}");
            still_works(&host, name).await;
        }
    }
}

#[tokio::test]
async fn answers_of_no_sense_are_errors() {
    for version in ["0.4", "0.5"] {
        let host = host(version).await;
        for (method, name) in requests(version) {
            for odd in [
                json!(["what", {"is": null}]),
                json!("text"),
                json!(5),
                json!({"accepted": "yes", "approved": 1, "results": 5, "channels": {}, "registered": 7, "content": 1, "id": []}),
            ] {
                host.react(method, Reaction::result(odd.clone()));
                let answer = tool(&host, name, arguments(name)).await;
                assert_eq!(answer["ok"], false, "{method} {odd}: {answer}");
                assert!(answer["error"]["message"].is_string(), "{answer}");
            }
            host.react(method, Reaction::result(Value::Null));
            let answer = tool(&host, name, arguments(name)).await;
            let lenient = matches!(method, "channels/register" | "channels/changed");
            assert_eq!(answer["ok"], lenient, "{method}: {answer}");
            host.react(method, Reaction::neither());
            let answer = tool(&host, name, arguments(name)).await;
            assert_eq!(answer["ok"], false, "{method}: {answer}");
            still_works(&host, name).await;
        }
    }
}

#[tokio::test]
async fn an_error_comes_back_as_it_is() {
    for version in ["0.4", "0.5"] {
        let host = host(version).await;
        for (method, name) in requests(version) {
            let error = ErrorObject::new(-32001, "no").with_data(json!({"canEnable": true}));
            host.react(method, Reaction::error(error.clone()));
            let answer = tool(&host, name, arguments(name)).await;
            assert_eq!(answer["error"], json!(error), "{method}");
            assert!(answer.get("local").is_none(), "{answer}");
            still_works(&host, name).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn broken_errors_are_errors_all_the_same() {
    let host = host_04().await;
    for error in [
        json!({"code": "x", "message": "m"}),
        json!({"code": -32000}),
        json!({}),
        json!("no"),
        Value::Null,
        json!({"code": 1e300, "message": "m"}),
        json!({"code": 99_999_999_999_i64, "message": "m"}),
    ] {
        host.react("model/info", Reaction::never());
        let earlier = host.received("model/info").len();
        let start = tokio::time::Instant::now();
        let answering = async {
            let asked = |host: &McplHost| host.received("model/info").len() > earlier;
            host.wait_until(asked).await.unwrap();
            let id = host.received("model/info")[earlier]["id"].clone();
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            super::rig::raw(&host, answer).await;
        };
        let asking = tool(&host, "acc_model_info", json!({}));
        let (answer, ()) = tokio::join!(asking, answering);
        assert_eq!(answer["ok"], false, "{error}: {answer}");
        assert_eq!(start.elapsed().as_secs(), 0, "{error}: {answer}");
        still_works(&host, "acc_model_info").await;
    }
}

#[tokio::test]
async fn a_disconnect_in_the_middle_of_an_answer_ends_the_server() {
    for (method, name) in requests("0.4") {
        let (pipe, server) = serve(fixture());
        let (read, write) = tokio::io::split(pipe);
        let host = McplHost::builder().over(read, write).await.unwrap();
        host.react(method, Reaction::disconnect());
        let answer = host.call_tool(name, arguments(name)).await;
        assert_eq!(answer.unwrap_err(), RequestError::Closed);
        let ended = tokio::time::timeout(Duration::from_secs(10), server).await;
        ended.expect("the server ends").unwrap();
    }
}

/// A tool that pushes, asks for three attempts, and says how that came out.
fn pusher() -> Bench {
    Bench::new().tool("push", |call, _| async move {
        let event = Push::new(EventId::of("build", 7), "news").attempts(3);
        match call.host().push::<Pushing>(&event).await {
            Ok(Pushed::Accepted(result)) => json!({"accepted": result}),
            Ok(Pushed::Duplicate(result)) => json!({"duplicate": result}),
            Ok(Pushed::Refused(PushRefusal::Result(result))) => json!({"refused": result}),
            Ok(Pushed::Refused(PushRefusal::Error(error))) => json!({"error": error.code}),
            Ok(other) => panic!("{other:?}"),
            Err(SendError::TimedOut(after)) => json!({"timed out": after.as_secs()}),
            Err(error) => json!({"local": error.to_string()}),
        }
    })
}

#[tokio::test(start_paused = true)]
async fn each_outcome_of_a_push_is_told_from_the_others() {
    let server = pusher().with([Pushing::hook()]);
    let patient = McplHost::builder().timeout(Duration::from_secs(100));
    let host = patient.connect(server).await.unwrap();
    let push = async |reaction| {
        host.react("push/event", reaction);
        tool(&host, "push", json!({})).await
    };
    let result = |result: Value| Reaction::result(result);
    let accepted = json!({"accepted": true, "inferenceId": "i", "more": 1});
    assert_eq!(
        push(result(accepted.clone())).await,
        json!({"accepted": accepted})
    );
    // What a host accepted, it accepted, whatever else it says.
    let odd = json!({"accepted": true, "reason": "duplicate"});
    assert_eq!(push(result(odd.clone())).await, json!({"accepted": odd}));
    let duplicate = json!({"accepted": false, "reason": "duplicate"});
    assert_eq!(
        push(result(duplicate.clone())).await,
        json!({"duplicate": duplicate})
    );
    for refused in [
        json!({"accepted": false}),
        json!({"accepted": false, "reason": "rate limit"}),
        json!({"accepted": false, "reason": "Duplicate of something"}),
    ] {
        assert_eq!(
            push(result(refused.clone())).await,
            json!({"refused": refused})
        );
    }
    let error = Reaction::error(ErrorObject::feature_set_not_enabled(
        Pushing::NAME,
        Some(true),
    ));
    assert_eq!(push(error).await, json!({"error": -32001}));
    assert_eq!(
        host.received("push/event").len(),
        7,
        "what is answered is not tried again"
    );

    assert_eq!(push(Reaction::never()).await, json!({"timed out": 20}));
    let attempts = host.received("push/event").split_off(7);
    assert_eq!(attempts.len(), 3);
    assert!(
        attempts
            .iter()
            .all(|one| one["params"] == attempts[0]["params"])
    );
    assert_ne!(attempts[0]["id"], attempts[1]["id"]);

    host.be_good();
    host.react_once("push/event", Reaction::lost());
    let after_all = tool(&host, "push", json!({})).await;
    assert_eq!(after_all["duplicate"]["reason"], "duplicate", "{after_all}");
    let all = host.received("push/event");
    let ids: Vec<_> = all.iter().map(|one| &one["params"]["eventId"]).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_not_sent_to_a_host_that_revoked_meanwhile() {
    let server = pusher().with([Pushing::hook()]);
    let host = McplHost::builder().connect(server).await.unwrap();
    host.react("push/event", Reaction::never());
    let revoking = async {
        host.wait_for("push/event").await.unwrap();
        host.disable([Pushing::DEFINITION.name]).await.unwrap();
    };
    let (answer, ()) = tokio::join!(tool(&host, "push", json!({})), revoking);
    assert!(
        answer["local"].as_str().unwrap().contains("not enabled"),
        "{answer}"
    );
    assert_eq!(host.received("push/event").len(), 1);
}

async fn known(host: &McplHost) -> Vec<String> {
    let channels = host.list_channels().await.unwrap().into_iter();
    channels.map(|channel| channel.id).collect()
}

#[tokio::test]
async fn channels_are_known_as_far_as_the_host_took_them() {
    let both = ["acc:lobby", "acc:news"].as_slice();
    for form in [
        RegisterAnswer::Ids,
        RegisterAnswer::Nothing,
        RegisterAnswer::Itemised,
    ] {
        let host = connect(McplHost::builder().registered(form)).await;
        tool(&host, "acc_chan_register", json!({})).await;
        assert_eq!(known(&host).await, both, "{form:?}");
    }
    for (result, expected) in [
        (json!({"registered": ["acc:news"]}), &both[1..]),
        (Value::Null, both),
        (json!({"registered": 5}), &[]),
    ] {
        for host in [host_04().await, host_05().await] {
            host.react("channels/register", Reaction::result(result.clone()));
            tool(&host, "acc_chan_register", json!({})).await;
            assert_eq!(known(&host).await, expected, "{result}");
        }
    }
    let host = host_04().await;
    host.react(
        "channels/register",
        Reaction::error(ErrorObject::channel_not_permitted("acc:news")),
    );
    let refused = tool(&host, "acc_chan_register", json!({})).await;
    assert_eq!(refused["error"]["code"], -32017);
    assert!(known(&host).await.is_empty());
}

#[tokio::test]
async fn each_message_that_came_in_has_its_own_result() {
    let host = host_04().await;
    let result = json!({"results": [
        {"messageId": "m2", "accepted": false, "reason": "no"},
        {"messageId": "m1", "accepted": true, "conversationId": "c"},
    ]});
    host.react("channels/incoming", Reaction::result(result.clone()));
    let answer = tool(&host, "acc_incoming", json!({"n": 3})).await;
    assert_eq!(answer, json!({"ok": true, "result": result}));
    host.be_good();
    tool(&host, "acc_chan_register", json!({})).await;
    let many = tool(&host, "acc_incoming", json!({"n": 2000})).await;
    assert_eq!(many["result"]["results"].as_array().unwrap().len(), 2000);
    let requests = of_server(&host);
    assert!(
        requests
            .iter()
            .filter(|one| one["method"] == "channels/incoming")
            .count()
            == 2
    );
}
