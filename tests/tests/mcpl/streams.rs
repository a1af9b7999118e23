//! Chunks in both directions: in order, complete before their answer, and harmless when they are nobody's.

use futures::future::join_all;
use hooks_sdk::{
    mcpl::{InferenceResult, Usage},
    testing::{
        McplHost,
        mcpl::{Chunks, McplGrants, Reaction},
    },
};
use serde_json::{Value, json};

use super::rig::{connect, host_04, host_05, outgoing, raw, state_when, tool};

#[tokio::test]
async fn outgoing_chunks_are_seen_in_the_order_of_the_wire() {
    for host in [host_04().await, host_05().await] {
        for index in 0..300 {
            host.notify("channels/outgoing/chunk", outgoing(index))
                .await
                .unwrap();
        }
        let seen = state_when(&host, |seen| seen["outgoing"][299].is_object()).await;
        let seen = seen["outgoing"].as_array().unwrap().iter();
        let order: Vec<_> = seen
            .filter_map(|one| one["params"]["index"].as_u64())
            .collect();
        assert_eq!(order, (0..300).collect::<Vec<_>>());
    }
}

fn words(number: usize) -> String {
    (0..number).map(|at| format!("w{at} ")).collect()
}

fn indices(answer: &Value) -> Vec<u64> {
    let chunks = answer["chunks"].as_array().unwrap().iter();
    chunks.filter_map(|chunk| chunk["index"].as_u64()).collect()
}

#[tokio::test]
async fn chunks_of_an_inference_come_in_order_and_before_its_answer() {
    let host = connect(McplHost::builder().infers(words(300))).await;
    let answer = tool(&host, "acc_infer", json!({"prompt": "p", "stream": true})).await;
    assert_eq!(indices(&answer), (0..300).collect::<Vec<_>>());
    assert_eq!(answer["result"]["content"], words(300));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_streams_at_once_are_each_complete() {
    for version in ["0.4", "0.5"] {
        let builder = McplHost::builder().version(version).inference(|request| {
            let content = request.messages[0].content.clone().into_blocks();
            let prompt = content[0].as_text().unwrap().to_owned();
            let said: String = (0..40).map(|at| format!("{prompt}-{at} ")).collect();
            Ok(InferenceResult::new(said, "m", Usage::new(1, 1)))
        });
        let host = connect(builder).await;
        let asks = (0..30).map(|at| {
            let arguments = json!({"prompt": format!("p{at}"), "stream": true});
            tool(&host, "acc_infer", arguments)
        });
        for (at, answer) in join_all(asks).await.into_iter().enumerate() {
            assert_eq!(indices(&answer), (0..40).collect::<Vec<_>>());
            let deltas = answer["chunks"].as_array().unwrap().iter();
            let joined: String = deltas.filter_map(|chunk| chunk["delta"].as_str()).collect();
            assert_eq!(answer["result"]["content"], json!(joined));
            assert!(joined.starts_with(&format!("p{at}-0 ")), "{joined}");
        }
    }
}

#[tokio::test]
async fn odd_chunks_harm_no_stream() {
    let host = connect(McplHost::builder().infers("a b c d ")).await;
    for (order, expected) in [
        (Chunks::Shuffled, vec![1, 3, 0, 2]),
        (Chunks::Mixed, vec![0, 1, 2, 3]),
        (Chunks::Late, vec![]),
        (Chunks::None, vec![]),
    ] {
        host.react_once("inference/request", Reaction::good().chunks(order));
        let answer = tool(&host, "acc_infer", json!({"prompt": "p", "stream": true})).await;
        assert_eq!(indices(&answer), expected, "{order:?}");
        assert_eq!(answer["result"]["content"], "a b c d ");
    }
    // Nobody asked for these.
    host.react_once(
        "inference/request",
        Reaction::good().chunks(Chunks::InOrder),
    );
    let whole = tool(&host, "acc_infer", json!({"prompt": "p"})).await;
    assert_eq!((&whole["ok"], &whole["chunks"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn a_request_id_may_come_as_text_and_malformed_chunks_are_passed_over() {
    let host = host_04().await;
    host.react("inference/request", Reaction::never());
    let asking = tool(&host, "acc_infer", json!({"prompt": "p", "stream": true}));
    let answering = async {
        let request = host.wait_for("inference/request").await.unwrap();
        let id = request["id"].clone();
        let chunk = async |params: Value| {
            let message = json!({"jsonrpc": "2.0", "method": "inference/chunk", "params": params});
            raw(&host, message).await;
        };
        let text = id.to_string();
        chunk(json!({"requestId": text, "index": 0, "delta": "a"})).await;
        for broken in [
            json!({"requestId": id, "index": "0", "delta": "x"}),
            json!({"requestId": id, "index": 1}),
            json!({"requestId": null, "index": 1, "delta": "x"}),
            json!({"requestId": 1.5, "index": 1, "delta": "x"}),
            json!({"requestId": {"a": 1}, "index": 1, "delta": "x"}),
            json!({"requestId": id, "index": -1, "delta": "x"}),
            json!({}),
            json!([]),
            Value::Null,
        ] {
            chunk(broken).await;
        }
        raw(
            &host,
            json!({"jsonrpc": "2.0", "method": "inference/chunk"}),
        )
        .await;
        chunk(json!({"requestId": id, "index": 1, "delta": "b", "unknown": 1})).await;
        let result = InferenceResult::new("ab", "m", Usage::new(1, 1));
        raw(&host, json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
        chunk(json!({"requestId": id, "index": 2, "delta": "late"})).await;
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert_eq!(
        answer["chunks"],
        json!([{"index": 0, "delta": "a"}, {"index": 1, "delta": "b"}])
    );
    assert_eq!(answer["result"]["content"], "ab");
}

#[tokio::test]
async fn a_stream_is_asked_for_only_where_it_is_granted() {
    let host = connect(McplHost::builder().version("0.5").silent()).await;
    for (granted, streams) in [
        (&["inferenceRequest"][..], false),
        (&["inferenceRequest", "inferenceRequest.*"], true),
    ] {
        let policy = McplGrants::new().grant(granted.iter().copied());
        host.update_feature_sets(&policy).await.unwrap();
        let earlier = host.received("inference/request").len();
        let answer = tool(&host, "acc_infer", json!({"prompt": "a", "stream": true})).await;
        assert_eq!(answer["ok"], true, "{answer}");
        assert!(answer["result"]["content"].is_string(), "{answer}");
        assert_eq!(answer["chunks"] != json!([]), streams, "{answer}");
        let asked = host.received("inference/request").remove(earlier);
        assert_eq!(asked["params"]["stream"] == true, streams, "{asked}");
    }
}
