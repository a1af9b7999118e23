//! What the guardian answers: decisions and errors of JSON-RPC, each with the status 200.

use hooks_tests::client::ask;
use serde_json::{Value, json};

use super::{
    client::{GuardianReply, post, step},
    keeper::serve,
};

/// Asks with a body, and returns the error's code and the id of the answer.
async fn error_of(address: std::net::SocketAddr, body: impl Into<bytes::Bytes>) -> (i64, Value) {
    let answer = ask(address, post(body, &[])).await.answered();
    let code = answer["error"]["code"].as_i64();
    (
        code.unwrap_or_else(|| panic!("{answer}")),
        answer["id"].clone(),
    )
}

#[tokio::test]
async fn a_step_without_a_hook_and_a_hook_that_panics_are_errors() {
    let served = serve(|server| server).await;
    let mut memory = step("");
    memory["method"] = "steps/memoryStore".into();
    let params = memory["params"].as_object_mut().expect("params");
    params.remove("toolCallRequest");
    params.insert("memory".to_owned(), json!(["a note"]));
    assert_eq!(
        error_of(served.address, memory.to_string()).await,
        (-32601, json!(1))
    );
    let broken = step("broken").to_string();
    assert_eq!(error_of(served.address, broken).await, (-32603, json!(1)));
}

#[tokio::test]
async fn every_malformed_request_of_the_vectors_is_answered_with_200() {
    let served = serve(|server| server).await;
    let file = include_str!("../../../vectors/aos/malformed-requests.json");
    let file: Value = serde_json::from_str(file).expect("vectors");
    let vectors = file["vectors"].as_array().expect("vectors");
    assert!(vectors.len() >= 17);
    for vector in vectors {
        let body = vector["body"].as_str().expect("a body").to_owned();
        let expected = &vector["expect"];
        let code = expected["error_code"].as_i64().expect("a code");
        let got = error_of(served.address, body).await;
        assert_eq!(got, (code, expected["id_echo"].clone()), "{}", vector["id"]);
    }
}
