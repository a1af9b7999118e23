//! The page as it goes over the wire.

use std::net::{SocketAddr, UdpSocket};

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::asks::{PATIENCE, ask, get, send, serve_at, serve_text, serve_with, whole};

const PATHS: [&str; 5] = ["/", "/page.js", "/page.css", "/icon.svg", "/steps"];

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

#[tokio::test]
async fn with_tokens_a_stranger_behind_a_proxy_sees_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, "default: allow").expect("a file");
    let served = serve_with("127.0.0.1:0", &file, None, false, Some("s3cret")).await;
    // A proxy on this computer: the stranger's request comes from here. Some proxies add headers, and some do not.
    for headers in [&[][..], &[("x-forwarded-for", "203.0.113.9")]] {
        let of = |path: &str, authorization: Option<&str>| {
            let mut request = get(path);
            let all = headers.iter().copied();
            for (name, value) in all.chain(authorization.map(|value| ("authorization", value))) {
                let value = value.parse().expect("a header");
                request.headers_mut().insert(name, value);
            }
            request
        };
        for path in PATHS {
            for wrong in [None, Some("Bearer s3cre"), Some("Basic YW55Ondyb25n")] {
                let refused = send(served.address, of(path, wrong)).await;
                assert_eq!(refused.status(), 401, "{path} {wrong:?}");
                let asks = refused.headers()["www-authenticate"]
                    .to_str()
                    .expect("text");
                assert!(asks.starts_with("Basic "), "{asks}");
            }
            // `any:s3cret`.
            for right in ["Bearer s3cret", "Basic YW55OnMzY3JldA=="] {
                let shown = send(served.address, of(path, Some(right))).await;
                assert_eq!(shown.status(), 200, "{path} {right}");
            }
        }
    }
}

#[tokio::test]
async fn without_tokens_the_page_is_not_shown_through_a_proxy() {
    let (served, _folder) = serve_text("default: allow").await;
    for name in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        for path in PATHS {
            let mut request = get(path);
            let value = "203.0.113.9".parse().expect("a header");
            request.headers_mut().insert(name, value);
            assert_eq!(send(served.address, request).await.status(), 403, "{name}");
        }
    }
}

#[tokio::test]
async fn long_ids_are_cut_and_the_kept_steps_are_bounded_in_bytes() {
    let (served, _folder) = serve_text("default: allow").await;
    let long = "x".repeat(1024 * 1024);
    for at in 0..20 {
        let execution = format!("{at}{long}");
        served.call(&execution, &long, json!({})).await;
        served.result(&execution, "text").await;
    }
    let bytes = served.feed.bytes();
    assert!(bytes < 100 * 1024, "{bytes} bytes");
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
