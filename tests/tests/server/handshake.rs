//! Where the declarations go, on both generations and carriers.

use hooks_sdk::{http, testing::TestHost};
use hooks_tests::{
    client::{Client, LEGACY, STATELESS},
    toy_server,
};
use serde_json::{Value, json};

use crate::server::{VERSIONS, hooked};

/// The server's capabilities, which are the same on a stream and over HTTP.
async fn handshake(version: &'static str, capabilities: Value) -> Value {
    let host = TestHost::builder()
        .version(version)
        .capabilities(capabilities.clone());
    let host = host.connect(hooked()).await.expect("a handshake");
    assert_eq!(host.handshake()["instructions"], "The author's own words.");
    let answer = host.handshake()["capabilities"].clone();
    if [LEGACY, STATELESS].contains(&version) {
        let address = toy_server::serve(http::Server::new(hooked())).await;
        let (_, over_http) = Client::of(version, address, capabilities).await;
        assert_eq!(over_http, answer, "{version}");
    }
    answer
}

fn events(hooks: &Value) -> Vec<&str> {
    let declarations = hooks["declarations"].as_array().expect("declarations");
    declarations
        .iter()
        .map(|each| each["event"].as_str().expect("an event"))
        .collect()
}

#[tokio::test]
async fn a_client_that_declared_nothing_is_told_nothing() {
    for version in VERSIONS {
        for capabilities in [json!({}), json!({"experimental": {"other": {}}})] {
            let answer = handshake(version, capabilities).await;
            assert_eq!(answer, json!({"tools": {}}), "{version}");
        }
    }
}

#[tokio::test]
async fn asked_at_the_top_is_answered_there_and_in_experimental() {
    for version in VERSIONS {
        let asked = json!({"hooks": {"supported_events": ["session_start", "post_tool_use", "moon_phase"]}});
        let answer = handshake(version, asked).await;
        assert_eq!(
            events(&answer["hooks"]),
            ["session_start", "post_tool_use"],
            "{version}"
        );
        assert_eq!(
            answer["hooks"], answer["experimental"]["hooks"],
            "{version}"
        );
        assert_eq!(
            answer["experimental"].as_object().expect("an object").len(),
            1
        );
    }
}

#[tokio::test]
async fn asked_in_experimental_is_answered_in_experimental_only() {
    for version in VERSIONS {
        let asked = json!({"experimental": {"hooks": {"supported_events": ["session_end"]}}});
        let answer = handshake(version, asked).await;
        assert_eq!(answer.get("hooks"), None, "{version}");
        assert_eq!(
            events(&answer["experimental"]["hooks"]),
            ["session_end"],
            "{version}"
        );
    }
}

#[tokio::test]
async fn an_extension_is_answered_when_the_author_has_a_vendor_prefix() {
    for version in VERSIONS {
        let asked =
            json!({"extensions": {"com.example/hooks": {"supported_events": ["session_end"]}}});
        let answer = handshake(version, asked.clone()).await;
        assert_eq!(answer, json!({"tools": {}}), "{version}");
        let host = TestHost::builder().version(version).capabilities(asked);
        let host = host
            .connect(hooked().vendor("com.example").expect("a prefix"))
            .await
            .unwrap();
        let settings = &host.handshake()["capabilities"]["extensions"]["com.example/hooks"];
        assert_eq!(events(settings), ["session_end"], "{version}");
        assert_eq!(host.declarations().len(), 1);
    }
}

#[test]
fn reserved_and_malformed_vendor_prefixes_are_refused() {
    for prefix in [
        "",
        "example",
        "io.mcp",
        "io.modelcontextprotocol.x",
        "a..b",
        "com.exa mple",
        "com.1x",
    ] {
        let error = hooked().vendor(prefix).expect_err(prefix).to_string();
        assert!(error.contains("help: use a domain that you own"), "{error}");
    }
}

#[tokio::test]
async fn unasked_declarations_stand_in_experimental() {
    for version in VERSIONS {
        let host = TestHost::builder().version(version).capabilities(json!({}));
        let host = host.connect(hooked().declare_unasked()).await.unwrap();
        assert_eq!(host.declarations().len(), 4, "{version}");
        assert_eq!(host.handshake()["capabilities"].get("hooks"), None);
    }
}

#[tokio::test]
async fn a_wrong_shape_counts_as_not_declared() {
    for version in VERSIONS {
        for wrong in [
            json!({"hooks": true}),
            json!({"experimental": {"hooks": true}}),
            json!({"experimental": {"hooks": ["session_start"]}}),
            json!({"experimental": []}),
            json!({"extensions": {"com.example/hooks": 7}}),
        ] {
            let answer = handshake(version, wrong.clone()).await;
            assert_eq!(answer, json!({"tools": {}}), "{version} {wrong}");
        }
        for empty in [
            json!({}),
            json!({"supported_events": "all"}),
            json!({"supported_events": [7, "moon"]}),
        ] {
            let answer = handshake(version, json!({"hooks": empty})).await;
            assert_eq!(
                answer["hooks"],
                json!({"declarations": []}),
                "{version} {empty}"
            );
        }
    }
}

#[tokio::test]
async fn without_the_shim_everything_is_valid_mcp() {
    for version in VERSIONS {
        let host = TestHost::builder()
            .version(version)
            .without_shim()
            .capabilities(json!({
                "experimental": {"hooks": {"supported_events": ["session_start"]}}
            }));
        let host = host.connect(hooked()).await.unwrap();
        assert_eq!(host.declarations().len(), 1, "{version}");
        assert_eq!(
            host.handshake()["capabilities"]["experimental"]
                .as_object()
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            host.call_tool("hello", json!({})).await.unwrap().text(),
            "hello"
        );
    }
}
