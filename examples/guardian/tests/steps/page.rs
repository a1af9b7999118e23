//! The page as it goes over the wire.

use std::net::{SocketAddr, UdpSocket};

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::asks::{PATIENCE, ask, get, send, serve_at, serve_text, whole};

#[tokio::test]
async fn the_page_loads_only_its_own_files() {
    let (served, _folder) = serve_text("default: allow").await;
    for path in ["/", "/page.js", "/page.css", "/icon.svg"] {
        let response = send(served.address, get(path)).await;
        assert_eq!(response.status(), 200);
        let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
        assert!(
            header("content-security-policy").starts_with("default-src 'none'; script-src 'self';")
        );
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-store");
        let text = whole(response).await;
        let remote = text.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !remote.contains("//www") && !remote.contains("https:") && !remote.contains("http:")
        );
        assert!(!text.contains("innerHTML"), "{path}");
    }
}

#[tokio::test]
async fn foreign_hosts_and_pages_are_refused() {
    let (served, _folder) = serve_text("default: allow").await;
    let mut foreign = get("/steps");
    foreign
        .headers_mut()
        .insert("host", "evil.example".parse().expect("a host"));
    assert_eq!(send(served.address, foreign).await.status(), 403);
    let mut embedded = get("/steps");
    embedded
        .headers_mut()
        .insert("sec-fetch-site", "cross-site".parse().expect("a word"));
    assert_eq!(send(served.address, embedded).await.status(), 403);
}

#[tokio::test]
async fn another_computer_does_not_get_the_page() {
    // The address that this computer has in its network: it is not `127.0.0.1`, so it is as foreign as another's.
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let own = socket
        .connect("192.0.2.1:9")
        .and_then(|()| socket.local_addr());
    let Some(own) = own.ok().filter(|own| !own.ip().is_loopback()) else {
        eprintln!("skipped: this computer has no network");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, "default: allow").expect("a file");
    let served = serve_at("0.0.0.0:0", &file, None, false).await;
    let address = SocketAddr::new(own.ip(), served.address.port());
    for path in ["/", "/steps"] {
        assert_eq!(send(address, get(path)).await.status(), 403);
    }
    let call = json!({"toolCallRequest": {"executionId": "e", "toolId": "t", "inputs": []}});
    assert_eq!(
        ask(address, "steps/toolCallRequest", call).await["decision"],
        "allow"
    );
}

/// Returns the data of the next event of this kind.
async fn event(
    body: &mut (impl hyper::body::Body<Data = hyper::body::Bytes, Error = hyper::Error> + Unpin),
    kind: &str,
    text: &mut String,
) -> Value {
    loop {
        while let Some(end) = text.find("\n\n") {
            let event: String = text.drain(..end + 2).collect();
            if event.lines().any(|line| line == format!("event: {kind}")) {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                return serde_json::from_str(data.expect("data")).expect("JSON");
            }
        }
        let frame = timeout(PATIENCE, body.frame()).await.expect("in time");
        let data = frame.expect("a stream").expect("a frame").into_data();
        text.push_str(std::str::from_utf8(&data.expect("data")).expect("text"));
    }
}

#[tokio::test]
async fn a_page_gets_the_last_steps_then_new_ones() {
    let (served, _folder) = serve_text("default: allow").await;
    for at in 0..205 {
        served.call("e1", &format!("tool{at}"), json!({})).await;
    }
    let mut body = send(served.address, get("/steps")).await.into_body();
    let mut text = String::new();
    // The last 200.
    for at in 5..205 {
        let step = event(&mut body, "kept", &mut text).await;
        assert_eq!(step["tool"], format!("tool{at}"));
    }
    served.call("e1", "new", json!({})).await;
    assert_eq!(event(&mut body, "step", &mut text).await["tool"], "new");
    // A page that comes back gets what it has missed.
    let mut again = get("/steps");
    again
        .headers_mut()
        .insert("last-event-id", "205".parse().expect("a number"));
    let mut body = send(served.address, again).await.into_body();
    assert_eq!(
        event(&mut body, "kept", &mut String::new()).await["tool"],
        "new"
    );
    let mut body = send(served.address, get("/steps")).await.into_body();
    let policy = event(&mut body, "policy", &mut String::new()).await;
    assert_eq!(
        (&policy["rules"], &policy["problem"]),
        (&json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn open_pages_are_bounded() {
    let (served, _folder) = serve_text("default: allow").await;
    let mut open = Vec::new();
    for _ in 0..32 {
        let response = send(served.address, get("/steps")).await;
        assert_eq!(response.status(), 200);
        open.push(response);
    }
    assert_eq!(send(served.address, get("/steps")).await.status(), 503);
    drop(open);
    while send(served.address, get("/steps")).await.status() != 200 {
        tokio::task::yield_now().await;
    }
}
