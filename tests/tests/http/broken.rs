//! Requests that are no good HTTP.

use hooks_tests::client::{mcp_head, raw};

use crate::desk::serve;

#[tokio::test]
async fn header_names_with_line_ends_are_bad_requests() {
    let served = serve(|server| server).await;
    for bad in [
        "X\rY: 1\r\n",
        "X\nY\r\n: 1\r\n",
        "X Y: 1\r\n",
        "X\0Y: 1\r\n",
        ": 1\r\n",
        "X: a\rb\r\n",
    ] {
        let answer = raw(served.address, mcp_head(bad) + "\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{bad:?}: {answer}");
    }
}

#[tokio::test]
async fn chunks_that_lie_are_bad_requests() {
    let served = serve(|server| server).await;
    let chunked = mcp_head("Transfer-Encoding: chunked\r\n\r\n");
    for bad in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}",
        "2\r\n{}{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}",
    ] {
        let answer = raw(served.address, format!("{chunked}{bad}")).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{bad:?}: {answer}");
        assert!(
            answer.contains("broke off, or is not as long as announced"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn two_lengths_of_one_body_are_no_way_in() {
    let served = serve(|server| server).await;
    let hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for lengths in [
        "Content-Length: 2\r\nContent-Length: 60\r\n",
        "Content-Length: 2, 60\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length : 2\r\n",
        "Content-Length: 2 2\r\n",
        "Content-Length: 0x2\r\n",
        "Content-Length: 2\r\n Content-Length: 60\r\n",
        "Content-Length: \r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n",
    ] {
        let answer = raw(served.address, mcp_head(lengths) + "\r\n{}" + hidden).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{lengths:?}: {answer}");
        assert!(!answer.contains("alive"), "{lengths:?}: {answer}");
    }
    // The chunks count, and the connection is not used again.
    let both = mcp_head("Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n");
    let both = both.replace("Connection: close\r\n", "");
    let answer = raw(
        served.address,
        format!("{both}2\r\n{{}}\r\n0\r\n\r\n{hidden}"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(!answer.contains("alive"), "{answer}");
}
