//! Web pages of an allowed origin call the server (CORS), and pages of other origins do not.

use std::{env, path::PathBuf, process::Stdio};

use axum::{
    Router,
    extract::Json,
    response::Html,
    routing::{get, post},
};
use hooks_sdk::http as served_over_http;
use hooks_tests::{
    client::{LEGACY, PATIENCE, POST, Reply, ask, call, request, said},
    skipped,
    toy_server::Served,
};
use http::{HeaderValue, Method, Request, StatusCode};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
    sync::mpsc,
    time::timeout,
};

use crate::desk::{desk, serve};

const APP: &str = "https://app.example.com";

/// What a browser sends before a page's own request.
async fn preflight(served: &Served, origin: &str, more: &[(&str, &str)]) -> Reply {
    let asks = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
    ];
    let headers = [&asks[..], more].concat();
    let request = request(Method::OPTIONS, "/mcp", &headers, "");
    ask(served.address, request).await
}

/// Returns the items of a header that is a list.
fn items(reply: &Reply, name: &str) -> Vec<String> {
    let values = reply.headers.get_all(name).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let items = values.flat_map(|value| value.split(','));
    items.map(|item| item.trim().to_ascii_lowercase()).collect()
}

/// Returns whether any header of a reply is one of CORS.
fn is_open(reply: &Reply) -> bool {
    let mut names = reply.headers.keys();
    names.any(|name| name.as_str().starts_with("access-control-"))
}

#[tokio::test]
async fn a_preflight_of_an_allowed_origin_is_answered_before_the_token_is_checked() {
    let served = serve(|server| server.bearer("secret").origins([APP, "null"])).await;
    for origin in [APP, "null"] {
        let answer = preflight(&served, origin, &[]).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        assert_eq!(answer.header("access-control-max-age"), Some("7200"));
        assert!(items(&answer, "vary").contains(&"origin".to_owned()));
        let methods = items(&answer, "access-control-allow-methods");
        assert_eq!(methods, ["get", "post", "delete"]);
        let headers = items(&answer, "access-control-allow-headers");
        for name in [
            "accept",
            "authorization",
            "content-type",
            "last-event-id",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
            "mcp-session-id",
        ] {
            assert!(headers.contains(&name.to_owned()), "{name}: {headers:?}");
        }
        assert_eq!(answer.body, "");
    }
}

#[tokio::test]
async fn a_preflight_allows_the_headers_of_arguments_and_no_foreign_ones() {
    let served = serve(|server| server).await;
    let wanted = "content-type, Mcp-Param-Region,mcp-param-tenant, x-user, mcp-bad name, cookie";
    let wanted = [("access-control-request-headers", wanted)];
    let answer = preflight(&served, "http://localhost:3000", &wanted).await;
    let headers = items(&answer, "access-control-allow-headers");
    for name in ["mcp-param-region", "mcp-param-tenant"] {
        assert!(headers.contains(&name.to_owned()), "{name}: {headers:?}");
    }
    for name in ["x-user", "cookie", "mcp-bad name"] {
        assert!(!headers.contains(&name.to_owned()), "{name}: {headers:?}");
    }
    let many = (0..1000).map(|number| format!("mcp-param-{number}"));
    let many = many.collect::<Vec<_>>().join(",");
    let many = [("access-control-request-headers", &*many)];
    let answer = preflight(&served, "http://localhost:3000", &many).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_reads_every_answer() {
    let served = serve(|server| server.bearer("secret").origins([APP])).await;
    let address = served.address;
    let own = [("origin", APP), ("authorization", "Bearer secret")];
    let answer = ask(address, call("work", json!({}), &own)).await;
    assert_eq!(said(&answer), "worked");
    let without_token = ask(address, call("work", json!({}), &[("origin", APP)])).await;
    assert_eq!(without_token.status, StatusCode::UNAUTHORIZED);
    let gone = [("mcp-session-id", "gone"), ("mcp-protocol-version", LEGACY)];
    let headers = [&POST[..], &own, &gone].concat();
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let unknown = ask(address, request(Method::POST, "/mcp", &headers, ping)).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let put = ask(address, request(Method::PUT, "/mcp", &own, "")).await;
    assert_eq!(put.status, StatusCode::METHOD_NOT_ALLOWED);
    // Without the method that a page wants to use, it is no preflight.
    let bare = ask(address, request(Method::OPTIONS, "/mcp", &own, "")).await;
    assert_eq!(bare.status, StatusCode::METHOD_NOT_ALLOWED);
    for answer in [&answer, &without_token, &unknown, &put, &bare] {
        assert_eq!(answer.header("access-control-allow-origin"), Some(APP));
        assert!(items(answer, "vary").contains(&"origin".to_owned()));
        let exposed = items(answer, "access-control-expose-headers");
        for name in [
            "mcp-protocol-version",
            "mcp-session-id",
            "retry-after",
            "www-authenticate",
        ] {
            assert!(exposed.contains(&name.to_owned()), "{name}: {exposed:?}");
        }
    }
}

#[tokio::test]
async fn another_origin_gets_no_header_of_cors_and_is_refused() {
    let served = serve(|server| server.origins([APP])).await;
    for origin in ["https://evil.example", "http://localhost:3000", "null"] {
        let answer = preflight(&served, origin, &[]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin}");
        assert!(!is_open(&answer), "{answer:?}");
        let answer = ask(
            served.address,
            call("work", json!({}), &[("origin", origin)]),
        )
        .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin}");
        assert!(!is_open(&answer), "{answer:?}");
    }
    // A host under which nobody may reach the server gets no preflight, either.
    let answer = preflight(&served, APP, &[("host", "evil.example")]).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let mut twice: Request<_> = call("work", json!({}), &[("origin", APP)]);
    let second = HeaderValue::from_static("https://evil.example");
    twice.headers_mut().append("origin", second);
    let answer = ask(served.address, twice).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(!is_open(&answer), "{answer:?}");
    // No page sent this.
    let answer = ask(served.address, call("work", json!({}), &[])).await;
    assert_eq!(said(&answer), "worked");
    assert!(!is_open(&answer), "{answer:?}");
}

/// A page that calls the server as clients of both generations do, and tells its own server what it could read.
const PAGE: &str = r#"<!doctype html><script>
const server = "SERVER", token = "Bearer secret";
const post = (message, headers) => fetch(server, {
    method: "POST",
    headers: {"content-type": "application/json", accept: "application/json, text/event-stream", ...headers},
    body: JSON.stringify({jsonrpc: "2.0", id: 1, ...message}),
});
const call = {method: "tools/call", params: {name: "work", arguments: {}}};
const stateless = {method: "tools/call", params: {...call.params, _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}};
const seen = {};
(async () => {
    const refused = await post(call, {});
    seen.refused = [refused.status, refused.headers.get("www-authenticate") !== null];
    const opened = await post({method: "initialize", params: {protocolVersion: "2025-11-25", capabilities: {},
        clientInfo: {name: "page", version: "1"}}}, {authorization: token});
    const session = {authorization: token, "mcp-session-id": opened.headers.get("mcp-session-id"),
        "mcp-protocol-version": "2025-11-25"};
    await opened.text();
    await post({id: undefined, method: "notifications/initialized"}, session);
    seen.legacy = (await (await post(call, session)).text()).includes("worked");
    seen.ended = (await fetch(server, {method: "DELETE", headers: session})).status;
    seen.gone = (await post(call, session)).status;
    seen.stateless = (await (await post(stateless, {authorization: token, "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call", "mcp-name": "work"})).text()).includes("worked");
})().catch((error) => { seen.error = error.name; })
    .finally(() => fetch("/seen", {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(seen)}));
</script>"#;

/// Finds Chromium among the programs.
fn chromium() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut found =
        env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
    found.find(|program| program.is_file())
}

/// A web site with the page, and what the page tells it.
struct Site {
    listener: TcpListener,
    origin: String,
}

impl Site {
    async fn new() -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        Site { listener, origin }
    }

    /// Opens the page in a browser. Returns what the page saw of the server.
    async fn visited(self, browser: &PathBuf, served: &Served) -> Value {
        let (tell, mut told) = mpsc::channel(1);
        let page = PAGE.replace("SERVER", &format!("http://{}/mcp", served.address));
        let router = Router::new()
            .route("/", get(move || async move { Html(page) }))
            .route(
                "/seen",
                post(move |Json(seen): Json<Value>| async move { _ = tell.send(seen).await }),
            );
        let serving = tokio::spawn(async move { axum::serve(self.listener, router).await });
        let profile = tempfile::tempdir().expect("a folder");
        let _browser: Child = Command::new(browser)
            // In a container the tests run as root, without a GPU and with little shared memory.
            .args([
                "--headless",
                "--no-first-run",
                "--no-sandbox",
                "--disable-gpu",
            ])
            .arg("--disable-dev-shm-usage")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(&self.origin)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("a browser");
        let seen = timeout(PATIENCE, told.recv()).await.expect("in time");
        serving.abort();
        seen.expect("the page tells what it saw")
    }
}

#[tokio::test]
async fn a_browser_calls_a_tool_from_a_page_of_an_allowed_origin_only() {
    let Some(browser) = chromium() else {
        skipped("there is no Chromium (apt-get install chromium)");
        return;
    };
    let (allowed, other) = (Site::new().await, Site::new().await);
    let desk = desk();
    let server = served_over_http::Server::new(desk.bare()).bearer("secret");
    let server = server.origins([&allowed.origin]);
    let served = Served::start(desk, server).await;
    assert_eq!(
        allowed.visited(&browser, &served).await,
        json!({
            "refused": [401, true], "legacy": true, "ended": 204, "gone": 404, "stateless": true,
        })
    );
    assert_eq!(
        other.visited(&browser, &served).await,
        json!({"error": "TypeError"})
    );
    assert_eq!(served.server.ran(), ["work", "work"]);
}
