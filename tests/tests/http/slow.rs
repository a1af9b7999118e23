//! Clients that send or read too slowly.

use std::time::Duration;

use hooks_tests::{
    client::{PATIENCE, Raw, ask, begin_http2, call, mcp_head, said},
    clock::passes,
    toy_server::one,
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::desk::serve;

/// The time in which a new connection has to bring the head of its first request.
const HEAD_TIME: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_body_that_does_not_come_is_cut_off() {
    let long = Duration::from_secs(3600);
    let served = serve(|server| server.body_timeout(long)).await;
    let mut raw = Raw::connect(served.address).await;
    raw.write(mcp_head(
        "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
    ))
    .await;
    // The server says so when it waits for the body.
    let mut answer = *b"HTTP/1.1 100 Continue\r\n\r\n";
    raw.0.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    raw.write("{").await;
    passes(long).await;
    let answer = raw.read().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(
        answer.contains("did not arrive within 3600s: the operator of the server sets the time with `body_timeout`"),
        "{answer}"
    );
}

/// Writes one byte after the other, until the server closes the connection. Returns what it answered.
async fn dripped(address: std::net::SocketAddr, beginning: String, byte: u8) -> String {
    let mut stream = Raw::connect(address).await;
    stream.write(beginning).await;
    let (mut read, mut write) = stream.0.into_split();
    let writing = tokio::spawn(async move {
        while write.write_all(&[byte]).await.is_ok() {
            passes(Duration::from_millis(100)).await;
        }
    });
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, read.read_to_end(&mut answer)).await;
    // A reset is an end, too.
    _ = ended.expect("the server closes the connection");
    writing.abort();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn bytes_that_come_one_by_one_make_no_time_longer() {
    let short = Duration::from_secs(2);
    let served = serve(|server| server.body_timeout(short)).await;
    let whole = mcp_head("Content-Length: 100000\r\n\r\n");
    let answer = dripped(served.address, whole, b' ').await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let half = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ".to_owned();
    let answer = dripped(served.address, half, b'a').await;
    assert!(!answer.contains(" 200 "), "{answer}");
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
}

#[tokio::test]
async fn a_head_that_does_not_come_is_cut_off() {
    let served = serve(|server| server).await;
    let mut waiting = Vec::new();
    // Nothing at all, a method that both versions of HTTP could begin with, half a head, and HTTP/2 without a request.
    for beginning in [
        "",
        "P",
        "GET /mcp HTTP/1.1\r\nHost: local",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut raw = Raw::connect(served.address).await;
        raw.write(beginning).await;
        waiting.push(tokio::spawn(async move { raw.read().await }));
    }
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
    passes(HEAD_TIME).await;
    for waiting in waiting {
        waiting.await.expect("the server closes the connection");
    }
}

#[tokio::test]
async fn a_reader_that_stops_is_cut_off_while_others_go_on() {
    let served = serve(|server| server.write_timeout(Duration::from_secs(1))).await;
    let request = call("flood", json!({}), &[]);
    let (parts, _) = request.into_parts();
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    for (name, value) in &parts.headers {
        head += &format!("{name}: {}\r\n", value.to_str().expect("text"));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "flood", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let body = body.to_string();
    let mut reader = Raw::connect(served.address).await;
    reader
        .write(format!(
            "{head}content-length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
    let mut some = [0; 64];
    reader.0.read_exact(&mut some).await.expect("a beginning");
    assert!(some.starts_with(b"HTTP/1.1 200 "));
    one(&served.server.begun).await;
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
    // The call ends because nobody reads what it says.
    one(&served.server.ended).await;
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
    served.end().await;
}

#[tokio::test]
async fn a_reader_that_stops_is_cut_off_on_http2() {
    let served = serve(|server| server.write_timeout(Duration::from_secs(1))).await;
    // The client holds the body and reads nothing of it, so the window of the stream closes.
    let held = begin_http2(served.address, call("flood", json!({}), &[])).await;
    assert_eq!(held.status(), 200);
    one(&served.server.begun).await;
    one(&served.server.ended).await;
    drop(held);
    served.end().await;
}
