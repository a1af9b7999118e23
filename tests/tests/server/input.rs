//! What a peer may send wrong, and what it is answered.

use std::time::Duration;

use hooks_sdk::testing::{Frame, RequestError, Side, TestHost};
use hooks_tests::toy_server::ToyServer;
use serde_json::{Value, json};

use crate::server::{VERSIONS, hooked};

#[tokio::test]
async fn standard_methods_of_the_wrong_shape_are_invalid_params() {
    for version in VERSIONS {
        let host = TestHost::builder()
            .version(version)
            .connect(hooked())
            .await
            .unwrap();
        for (method, params) in [
            ("tools/call", json!({"arguments": {}})),
            ("tools/call", json!({"name": "hello", "arguments": []})),
            ("resources/read", json!({"uri": 7})),
            ("prompts/get", json!({})),
        ] {
            let refused = host
                .request(method, params.clone())
                .await
                .expect_err(method);
            let RequestError::Refused { code, message, .. } = refused else {
                panic!("{refused}")
            };
            assert_eq!(code, -32602, "{version} {method} {params} {message}");
            assert!(message.contains(method), "{message}");
        }
    }
}

/// Sends `line` and a request that is answered, and returns the errors that the server sent meanwhile; waits
/// for one of them if one is due.
async fn answer_to(host: &TestHost, line: &[u8], due: bool) -> Vec<Value> {
    let before = host.frames().len();
    host.send_line(line).await.unwrap();
    host.call_tool("hello", json!({})).await.unwrap();
    for _ in 0..500 {
        // The refusal of a malformed line and the answer to the request behind it are not ordered.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let news = host.frames().split_off(before);
        let errors: Vec<Value> = news
            .into_iter()
            .filter(|frame: &Frame| frame.from == Side::Server)
            .map(|frame| frame.message)
            .filter(|message| message.get("error").is_some())
            .collect();
        if !due || !errors.is_empty() {
            return errors;
        }
    }
    Vec::new()
}

#[tokio::test(start_paused = true)]
async fn malformed_messages_are_answered_and_survived() {
    let host = TestHost::connect(hooked()).await.unwrap();
    for (line, code, id) in [
        (&b"not json"[..], -32700, Value::Null),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 7", -32700, Value::Null),
        (b"\xff\xfe", -32700, Value::Null),
        (b"[]", -32600, Value::Null),
        (b"7", -32600, Value::Null),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\",\"params\":[1]}",
            -32602,
            json!("a"),
        ),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":9001,\"method\":\"ping\"}",
            -32600,
            json!(9001),
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9002}", -32600, json!(9002)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/list\"}",
            -32600,
            json!(1.5),
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"ping\"}",
            -32600,
            json!(u64::MAX),
        ),
    ] {
        let answers = answer_to(&host, line, true).await;
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answers.len(), 1, "{shown}: {answers:?}");
        assert_eq!(answers[0]["error"]["code"], code, "{shown}: {answers:?}");
        assert_eq!(
            answers[0].get("id").cloned().unwrap_or_default(),
            id,
            "{shown}"
        );
    }
    let silent = [
        &b""[..],
        b"   ",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":[]}",
    ];
    for line in silent {
        assert_eq!(answer_to(&host, line, false).await, [Value::Null; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_that_cannot_be_read_is_null_to_revisions_in_which_every_answer_has_one() {
    for (version, due) in [
        ("2024-11-05", true),
        ("2025-06-18", true),
        ("2025-11-25", false),
        ("2026-07-28", false),
    ] {
        let builder = TestHost::builder().version(version);
        let host = builder.connect(hooked()).await.unwrap();
        let answers = answer_to(&host, b"not json", true).await;
        let id = due.then_some(&Value::Null);
        assert_eq!(answers[0].get("id"), id, "{version}: {answers:?}");
    }
}

#[tokio::test]
async fn a_malformed_initialize_is_told_what_is_wrong() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move {
        let running =
            rmcp::ServiceExt::serve(hooked(), hooks_sdk::WireTransport::new(read, write)).await;
        _ = running.expect("a handshake in the end").waiting().await;
    });
    let (read, mut write) = tokio::io::split(ours);
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
    let mut lines = tokio::io::BufReader::new(read).lines();
    write.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":7}}\n").await.unwrap();
    let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(1), &json!(-32602))
    );
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("protocolVersion")
    );
    TestHost::builder()
        .over(lines.into_inner(), write)
        .await
        .expect("the server lives on");
}

#[tokio::test(start_paused = true)]
async fn a_line_of_20_mib_is_refused_and_the_next_request_answered() {
    let host = TestHost::connect(hooked()).await.unwrap();
    let answers = answer_to(&host, &vec![b'x'; 20 * 1024 * 1024], true).await;
    assert_eq!(answers.len(), 1);
    assert!(
        answers[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("longer than 16777216 bytes")
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_of_20_mib_is_refused_without_its_id() {
    let host = TestHost::connect(hooked()).await.unwrap();
    let long = "x".repeat(20 * 1024 * 1024);
    for line in [
        format!(
            r#"{{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{{"name":"{long}"}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"{long}"}},"id":1.5}}"#
        ),
        // It may be the answer to a request of the server's.
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{long}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"id":8,"text":"{long}","id":9}}}}"#),
    ] {
        let answers = answer_to(&host, line.as_bytes(), true).await;
        assert_eq!(answers.len(), 1);
        assert_eq!(
            answers[0].get("id").cloned().unwrap_or_default(),
            Value::Null
        );
        assert_eq!(answers[0]["error"]["code"], -32600);
    }
}

#[tokio::test]
async fn a_flood_of_malformed_lines_is_bounded_and_survived() {
    let host = TestHost::connect(hooked()).await.unwrap();
    let flood = b"x\n".repeat(20_000);
    host.send_line(&flood).await.unwrap();
    let answer = host.call_tool("hello", json!({})).await.unwrap();
    assert_eq!(answer.text(), "hello");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_goes_away_ends_the_server() {
    let host = TestHost::connect(hooked()).await.unwrap();
    host.close().await.unwrap();
    let mut gone = host.call_tool("hello", json!({})).await;
    for _ in 0..50 {
        if gone == Err(RequestError::Closed) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        gone = host.call_tool("hello", json!({})).await;
    }
    panic!("{gone:?}");
}

/// rmcp takes the text "0" and the number 0.0 for the id 0.
#[tokio::test(start_paused = true)]
async fn an_answer_counts_only_with_the_id_that_was_sent() {
    let server = ToyServer::default().tool("asks", |call| async move { call.ask("Sure?").await });
    let host = TestHost::builder().capabilities(json!({"elicitation": {}}));
    let host = host.connect(server.bare()).await.unwrap();
    let asking = host.call_tool("asks", json!({}));
    let answering = async {
        let id = loop {
            let asked = host.frames().into_iter().map(|frame| frame.message);
            let mut asked = asked.filter(|message| message["method"] == "elicitation/create");
            match asked.next() {
                Some(question) => break question["id"].as_u64().expect("a number"),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        for (id, said) in [
            (format!("\"{id}\""), "as a text"),
            (format!("{id}.0"), "as a fraction"),
            (format!("{id}e0"), "with an exponent"),
            (format!("\"0{id}\""), "with a zero"),
            (format!("\"+{id}\""), "with a sign"),
            (id.to_string(), "as it was sent"),
        ] {
            let result = json!({"action": "accept", "content": {"said": said}});
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
            host.send_line(line.as_bytes()).await.unwrap();
        }
    };
    let (answer, ()) = tokio::join!(asking, answering);
    let answer = format!("{:?}", answer.unwrap());
    assert!(answer.contains("as it was sent"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn an_id_beyond_64_bits_with_a_sign_is_refused_and_returned_unchanged() {
    let host = TestHost::connect(hooked()).await.unwrap();
    for id in [
        "9223372036854775808",
        "18446744073709551615",
        "-9223372036854775809",
        "1.5",
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        let errors = answer_to(&host, line.as_bytes(), true).await;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0]["error"]["code"], -32600);
        let message = errors[0]["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("the `id` is"), "{message}");
        assert!(message.contains("write it as a string"), "{message}");
        let expected: Value = serde_json::from_str(id).unwrap();
        assert_eq!(errors[0]["id"], expected);
    }
}
