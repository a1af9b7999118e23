//! The settings that a guardian refuses, its paths, and what is served beside it.

use axum::{Router, routing::get as route};
use hooks_sdk::{aos::Guardian, core::Registry, http::GuardianServer};
use hooks_tests::client::{ask, get};

use super::{
    client::{GuardianReply, ask_about, post, step},
    keeper::{Keeper, serve},
};

#[test]
fn wrong_settings_are_told_at_the_start() {
    let with = |set: fn(GuardianServer) -> GuardianServer| {
        let made = set(GuardianServer::new(Keeper::new().guardian())).router();
        made.expect_err("a wrong setting").to_string()
    };
    let path = "is no path of a server\n    help: write one such as `/aos`";
    for (message, expected) in [
        (with(|server| server.path("aos")), format!("`aos` {path}")),
        (with(|server| server.path("/{all}")), format!("`/{{all}}` {path}")),
        (
            with(|server| server.path("/healthz")),
            "`/healthz` is the path of something else\n    help: choose another path, such as `/aos`".to_owned(),
        ),
        (
            with(|server| server.bearer("")),
            "a bearer token is empty, so everybody knows it\n    help: set a long random token".to_owned(),
        ),
        (
            with(|server| server.max_body(0)),
            "`max_body` is 0\n    help: set a number from 1 to 536,870,911".to_owned(),
        ),
    ] {
        assert_eq!(message, expected);
    }
    assert!(with(|server| server.hosts(["a b"])).starts_with("`a b` is no host\n"));
    let registry = Registry::builder().build().expect("no hooks");
    let unhooked = GuardianServer::new(Guardian::with((), registry)).router();
    let unhooked = unhooked.expect_err("a guardian without hooks").to_string();
    assert!(unhooked.contains("has no hooks"), "{unhooked}");
}

#[tokio::test]
async fn the_path_is_a_setting() {
    let served = serve(|server| server.path("/guardian/aos")).await;
    assert_eq!(ask_about(served.address, "search").await.status, 404);
    let mut request = post(step("shell").to_string(), &[]);
    *request.uri_mut() = "/guardian/aos".parse().expect("a path");
    assert_eq!(ask(served.address, request).await.decision(), "deny");
}

#[tokio::test]
async fn routes_beside_it_need_the_token_as_a_bearer_or_as_a_password() {
    let page = Router::new().route("/", route(async || "a page"));
    let served = serve(|server| server.bearer("secret").beside(page)).await;
    let with = async |authorization: Option<&str>| {
        let mut request = get("/", "localhost");
        if let Some(value) = authorization {
            let value = value.parse().expect("a header");
            request.headers_mut().insert("authorization", value);
        }
        ask(served.address, request).await
    };
    // `any:secret`, `:secret`, and `secret` as Base64.
    for good in [
        "Bearer secret",
        "Basic YW55OnNlY3JldA==",
        "basic OnNlY3JldA==",
    ] {
        assert_eq!(with(Some(good)).await.body, "a page", "{good}");
    }
    for bad in [
        None,
        Some("Bearer another"),
        Some("Basic c2VjcmV0"),
        Some("Basic YW55Ondyb25n"),
        Some("Basic secret"),
        Some("Basic "),
    ] {
        let refused = with(bad).await;
        assert_eq!(refused.status, 401, "{bad:?}");
        let asks = refused.header("www-authenticate").expect("a challenge");
        assert!(asks.starts_with("Basic realm="), "{asks}");
    }
}

#[tokio::test]
async fn routes_beside_it_pass_the_check_of_the_host() {
    let page = Router::new().route("/", route(async || "a page"));
    let served = serve(|server| server.beside(page)).await;
    assert_eq!(
        ask(served.address, get("/", "localhost")).await.body,
        "a page"
    );
    assert_eq!(
        ask(served.address, get("/", "evil.example")).await.status,
        403
    );
    assert_eq!(
        ask(served.address, get("/elsewhere", "localhost"))
            .await
            .status,
        404
    );
}
