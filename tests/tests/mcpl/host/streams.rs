//! The host of the package `hooks-mcpl` over a stream of bytes.

use hooks_sdk::mcpl::host::{ConnectError, RequestError, StreamHost, Turn};
use serde_json::json;

use crate::rig::{fixture, serve};

/// Checks that a host speaks MCPL with the fixture, calls its hooks and its tools, and answers its requests.
async fn works(host: &StreamHost) {
    assert!(host.speaks_mcpl());
    let turn = Turn::new("conv_1").user("How is the project?");
    let contribution = host.before_inference(&turn).await;
    assert!(contribution.failure.is_none(), "{contribution:?}");
    assert!(!contribution.injections.is_empty());
    let answer = host.call_tool("acc_infer", json!({"prompt": "p"})).await;
    assert!(!answer.unwrap().is_error());
    assert_eq!(host.received("inference/request").len(), 1);
    assert_eq!(host.failures(), []);
}

#[tokio::test]
async fn over_a_pipe() {
    for version in ["0.4", "0.5"] {
        let (stream, serving) = serve(fixture());
        let builder = StreamHost::builder().version(version);
        let host = builder.connect(stream).await.unwrap();
        works(&host).await;
        host.close().await.unwrap();
        serving.await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_that_ends_is_no_server() {
    let (stream, other_end) = tokio::io::duplex(64);
    drop(other_end);
    let error = StreamHost::connect(stream).await.unwrap_err();
    assert!(matches!(
        error,
        ConnectError::Handshake(RequestError::Closed)
    ));
}
