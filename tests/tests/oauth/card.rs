//! The server card: seven cards of the extension's rules, `ETag`, 304, and no secrets.

use hooks_sdk::http::{self, ServerCard};
use hooks_tests::client::{ask, get, request};
use hyper::Method;
use serde_json::{Value, json};

use crate::rig::{Authority, desk, serve};

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

fn least() -> Value {
    json!({"$schema": SCHEMA, "name": "com.example/notes", "version": "1.2.3", "description": "Keeps notes."})
}

fn whole() -> Value {
    let mut card = least();
    card["title"] = "Notes".into();
    card["websiteUrl"] = "https://example.com".into();
    card["repository"] = json!({"url": "https://example.com/r", "source": "github"});
    card["icons"] = json!([]);
    card["remotes"] = json!([{
        "type": "streamable-http", "url": "https://{t}.example.com/mcp",
        "variables": {"t": {"isRequired": true}},
        "headers": [{"name": "Authorization", "isRequired": true, "isSecret": true}],
        "supportedProtocolVersions": ["2026-07-28"],
    }]);
    card
}

fn with(name: &str, value: Value) -> Value {
    let mut card = least();
    card[name] = value;
    card
}

#[test]
fn seven_cards_two_of_which_are_right() {
    let dated = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server-card.schema.json";
    let other = "https://static.modelcontextprotocol.io/schemas/v1/server.schema.json";
    let mut nameless = least();
    nameless.as_object_mut().expect("a card").remove("name");
    for (card, wrong) in [
        (least(), None),
        (whole(), None),
        (with("name", "no domain".into()), Some("no domain and word")),
        (with("$schema", dated.into()), Some("another `$schema`")),
        (nameless, Some("has no `name`")),
        (with("$schema", other.into()), Some("another `$schema`")),
        (with("$schema", Value::Null), Some("another `$schema`")),
    ] {
        let read = ServerCard::parse(&card.to_string());
        match wrong {
            None => assert!(read.is_ok(), "{read:?}"),
            Some(wrong) => {
                let error = read.expect_err("a mistake").to_string();
                assert!(error.contains(wrong), "{error}");
            }
        }
    }
    for (card, wrong) in [
        (with("version", "^1.2".into()), "which is a range"),
        (with("version", "v".repeat(256).into()), "has no `version`"),
        (with("description", "".into()), "has no `description`"),
        (
            with("description", "d".repeat(101).into()),
            "has no `description`",
        ),
        (with("title", "".into()), "has no `title`"),
    ] {
        let error = ServerCard::parse(&card.to_string()).expect_err("a mistake");
        assert!(error.to_string().contains(wrong), "{error}");
    }
    for member in ["value", "default"] {
        let mut card = whole();
        card["remotes"][0]["headers"][0][member] = "hunter2".into();
        let error = ServerCard::parse(&card.to_string())
            .expect_err("a secret")
            .to_string();
        assert!(
            error.contains("has a value for the secret `Authorization`"),
            "{error}"
        );
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn the_card_is_for_everybody_and_is_sent_once() {
    let authority = Authority::start().await;
    let card = ServerCard::new("com.example/notes", "1.2.3", "Keeps notes.")
        .title("Notes")
        .remote("https://mcp.example.com/mcp");
    let served = serve([], |server| server.oauth(authority.login()).card(card)).await;
    let path = "/mcp/server-card";
    let answer = ask(served.address, get(path, "localhost")).await;
    assert_eq!(answer.status, 200);
    let etag = answer.header("etag").expect("a tag").to_owned();
    for (name, value) in [
        ("content-type", "application/mcp-server-card+json"),
        ("cache-control", "public, max-age=3600"),
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "GET"),
        (
            "access-control-allow-headers",
            "Content-Type, If-None-Match",
        ),
        ("access-control-expose-headers", "ETag"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(ServerCard::parse(&answer.body).is_ok(), "{answer:?}");
    assert_eq!(
        answer.json()["remotes"][0]["url"],
        "https://mcp.example.com/mcp"
    );
    for known in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"a\", {etag}"),
        "*".to_owned(),
    ] {
        let again = request(Method::GET, path, &[("if-none-match", &known)], "");
        let again = ask(served.address, again).await;
        assert_eq!((again.status.as_u16(), &*again.body), (304, ""), "{known}");
        assert_eq!(again.header("etag"), Some(&*etag));
    }
    let other = request(Method::GET, path, &[("if-none-match", "\"a\"")], "");
    assert_eq!(ask(served.address, other).await.status, 200);
    let preflight = ask(served.address, request(Method::OPTIONS, path, &[], "")).await;
    assert_eq!(preflight.status, 204);
    let posted = ask(served.address, request(Method::POST, path, &[], "")).await;
    assert_eq!(posted.status, 405);
    assert_eq!(
        ask(served.address, get(path, "evil.example")).await.status,
        403
    );
    // Without the setting there is none.
    let served = serve([], |server| server).await;
    assert_eq!(
        ask(served.address, get(path, "localhost")).await.status,
        404
    );
}

#[tokio::test]
async fn a_server_with_a_wrong_card_does_not_start() {
    let card = ServerCard::new("notes", "1.2.3", "Keeps notes.");
    let started = http::Server::new(desk().bare()).card(card).router().await;
    let error = started.expect_err("a wrong card").to_string();
    assert!(error.contains("no domain and word"), "{error}");
}
