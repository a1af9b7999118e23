//! The metadata of the server, at each of its paths, and settings that are refused.

use hooks_sdk::http::{self, Issuer, OAuth};
use hooks_tests::client::{ask, get, request};
use hyper::Method;
use serde_json::json;
use tokio::net::TcpListener;

use crate::rig::{RESOURCE, desk, serve};

const ISSUER: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn clients_find_the_issuers_at_both_places_without_a_token() {
    let login = OAuth::new(RESOURCE)
        .issuer(ISSUER)
        .issuer("http://127.0.0.1:8/tenant");
    let served = serve([], |server| server.oauth(login.scopes(["notes:read"]))).await;
    let at = "/.well-known/oauth-protected-resource";
    for path in [at.to_owned(), format!("{at}/mcp")] {
        let answer = ask(served.address, get(&path, "localhost")).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(
            answer.json(),
            json!({
                "resource": RESOURCE,
                "authorization_servers": [ISSUER, "http://127.0.0.1:8/tenant"],
                "bearer_methods_supported": ["header"],
                "scopes_supported": ["notes:read"],
            })
        );
        let tag = answer.header("etag").expect("a tag");
        let again = request(Method::GET, &path, &[("if-none-match", tag)], "");
        assert_eq!(ask(served.address, again).await.status, 304, "{path}");
        let foreign = ask(served.address, get(&path, "evil.example")).await;
        assert_eq!(foreign.status, 403, "{path}");
        assert_eq!(foreign.header("www-authenticate"), None);
        let asked = ask(served.address, request(Method::OPTIONS, &path, &[], "")).await;
        assert_eq!(asked.status, 204, "{path}");
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", "GET"),
            (
                "access-control-allow-headers",
                "Content-Type, If-None-Match, MCP-Protocol-Version",
            ),
        ] {
            assert_eq!(asked.header(name), Some(value));
        }
        let posted = ask(served.address, request(Method::POST, &path, &[], "")).await;
        assert_eq!(posted.status, 405, "{path}");
    }
    let other = format!("{at}/other");
    assert_eq!(
        ask(served.address, get(&other, "localhost")).await.status,
        404
    );
}

#[tokio::test]
async fn behind_a_prefix_the_metadata_is_at_the_public_path_too() {
    let login = OAuth::new("https://example.com/notes/mcp").issuer(ISSUER);
    let served = serve([], |server| server.oauth(login)).await;
    let at = "/.well-known/oauth-protected-resource";
    for path in [
        at.to_owned(),
        format!("{at}/mcp"),
        format!("{at}/notes/mcp"),
    ] {
        let answer = ask(served.address, get(&path, "localhost")).await;
        assert_eq!(
            answer.json()["resource"],
            "https://example.com/notes/mcp",
            "{path}"
        );
    }
    let answer = ask(served.address, request(Method::POST, "/mcp", &[], "")).await;
    assert_eq!(
        answer.header("www-authenticate"),
        Some(
            r#"Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource/notes/mcp""#
        )
    );
}

#[tokio::test]
async fn a_login_with_a_wrong_setting_does_not_start() {
    let plain = || OAuth::new(RESOURCE).issuer(ISSUER);
    let asked = |url| Issuer::new(url).introspection("id", "secret");
    for (login, wrong) in [
        (OAuth::new(RESOURCE), "the login has no issuer"),
        (
            OAuth::new("mcp").issuer(ISSUER),
            "the resource `mcp` is no URL",
        ),
        (
            OAuth::new("http://mcp.example.com/mcp").issuer(ISSUER),
            "without encryption",
        ),
        (
            OAuth::new("https://mcp.example.com/mcp#a").issuer(ISSUER),
            "has a query or a fragment",
        ),
        (
            OAuth::new("https://mcp.example.com/*").issuer(ISSUER),
            "is no path of a server",
        ),
        (
            OAuth::new(RESOURCE).issuer("https://a:b@login.example.com"),
            "has a user or a password",
        ),
        (plain().issuer(ISSUER), "is there twice"),
        (plain().scopes(["a b"]), "`a b` is no scope"),
        (plain().scopes(["a\""]), "is no scope"),
        (plain().audience(""), "an audience is empty"),
        (
            plain().issuer(Issuer::new("http://127.0.0.1:7").keys_at("keys")),
            "the URL of keys `keys` is no URL",
        ),
        (
            OAuth::new(RESOURCE)
                .issuer(asked(ISSUER))
                .issuer(asked("http://127.0.0.1:8")),
            "two issuers are to be asked about tokens",
        ),
    ] {
        let error = refused(|server| server.oauth(login)).await;
        assert!(error.contains(wrong), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let error = refused(|server| server.oauth(plain()).bearer("token")).await;
    assert!(error.contains("has a login, and also `bearer`"), "{error}");
    let error = refused(|server| server.oauth(plain()).principal(|_| Some("ann".to_owned()))).await;
    assert!(error.contains("has a login, and also `bearer`"), "{error}");
}

async fn refused(settings: impl FnOnce(http::Server) -> http::Server) -> String {
    let server = settings(http::Server::new(desk().bare()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let started = server.serve_on(listener, std::future::ready(())).await;
    started.expect_err("a wrong setting").to_string()
}
