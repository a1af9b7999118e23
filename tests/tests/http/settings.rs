//! Settings that are wrong are errors before anything listens.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    http::{HttpError, Server},
    store::{Bytes, Key, MemoryStore, Store},
};
use hooks_tests::faulty_store::FaultyStore;

use crate::desk::desk;

async fn refused(settings: impl FnOnce(Server) -> Server) -> String {
    let server = settings(Server::new(desk().bare()));
    match server.router().await {
        Ok(_) => panic!("it started"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn each_wrong_setting_says_what_mends_it() {
    for (error, expected) in [
        (
            refused(|server| server.path("mcp")).await,
            "`mcp` is no path of a server\n    help: write one such as `/mcp`",
        ),
        (
            refused(|server| server.path("/readyz")).await,
            "`/readyz` is the path of something else\n    help: choose another path, such as `/mcp`",
        ),
        (
            refused(|server| server.path("/{all}")).await,
            "`/{all}` is no path of a server\n    help: write one such as `/mcp`",
        ),
        (
            refused(|server| server.bearer("")).await,
            "a bearer token is empty, so everybody knows it\n    help: set a long random token",
        ),
        (
            refused(|server| server.max_requests(0)).await,
            "`max_requests` is 0\n    help: set a number from 1 to 536,870,911",
        ),
    ] {
        assert_eq!(error, expected);
    }
    for host in [
        "http://mcp.example.com",
        "user@localhost",
        "localhost:http",
        "",
    ] {
        assert!(
            refused(|server| server.hosts([host]))
                .await
                .starts_with(&format!("`{host}` is no host\n"))
        );
    }
    for origin in [
        "app.example.com",
        "https://",
        "https://app.example.com:1:*",
        "https://app.example.com/path",
        "*",
    ] {
        let error = refused(|server| server.origins([origin])).await;
        assert!(
            error.starts_with(&format!("`{origin}` is no origin\n")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = taken.local_addr().expect("an address");
    let error = Server::new(desk().bare()).serve(address).await;
    assert!(matches!(error, Err(HttpError::Listen { .. })), "{error:?}");
}

#[tokio::test]
async fn replicas_share_one_key_in_their_store() {
    let store = Arc::new(MemoryStore::new());
    let name = Key::new(b"hooks-sdk/http/key");
    let key = async || {
        store
            .load(&name)
            .await
            .expect("a store")
            .map(|entry| entry.bytes)
    };
    assert_eq!(key().await, None);
    let start = async || {
        let server = Server::new(desk().bare()).store(store.clone());
        server.router().await
    };
    _ = start().await.expect("the first replica");
    let first = key().await.expect("a key");
    assert_eq!(first.as_slice().len(), 32);
    _ = start().await.expect("the second replica");
    assert_eq!(key().await.expect("a key"), first);
    let other = store.load(&name).await.expect("a store").expect("a key");
    let wrong = Bytes::from(&b"short"[..]);
    let swap = store.compare_and_swap(&name, Some(other.version), wrong, Duration::from_secs(60));
    swap.await.expect("a store");
    let error = start().await.expect_err("no key").to_string();
    assert!(
        error.starts_with("the entry of the shared key in the store is no key"),
        "{error}"
    );
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_an_error() {
    let store = FaultyStore::broken("no route for password");
    let server = Server::new(desk().bare()).store(store);
    let error = server.router().await.expect_err("no store");
    assert!(matches!(error, HttpError::Store(_)), "{error}");
}
