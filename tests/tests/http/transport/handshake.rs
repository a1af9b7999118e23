//! Hooks at the top level of both sides' capabilities, and capabilities of the wrong shape.

use hooks_tests::client::{Client, LEGACY, STATELESS};
use serde_json::{Value, json};

use super::desk::serve;

fn events(hooks: &Value) -> Vec<&str> {
    let declarations = hooks["declarations"].as_array();
    let declarations = declarations.unwrap_or_else(|| panic!("no declarations in {hooks}"));
    declarations
        .iter()
        .filter_map(|each| each["event"].as_str())
        .collect()
}

#[tokio::test]
async fn asked_at_the_top_is_answered_there() {
    let (address, _) = serve().await;
    for version in [LEGACY, STATELESS] {
        let asked = json!({"hooks": {"supported_events": ["post_tool_use"]}});
        let (_, answer) = Client::of(version, address, asked).await;
        assert_eq!(events(&answer["hooks"]), ["post_tool_use"], "{version}");
        assert_eq!(answer["hooks"], answer["experimental"]["hooks"], "{answer}");
        assert_eq!(
            answer["experimental"].as_object().map(|all| all.len()),
            Some(1)
        );

        let (_, plain) = Client::of(version, address, json!({})).await;
        assert_eq!(plain.get("hooks"), None);
        assert!(!plain.to_string().contains("hooks-sdk/"), "{plain}");
    }
}

#[tokio::test]
async fn a_wrong_shape_counts_as_not_declared() {
    let (address, _) = serve().await;
    for version in [LEGACY, STATELESS] {
        for wrong in [
            json!({"experimental": {"hooks": true}, "extensions": []}),
            json!({"experimental": 7, "hooks": [1]}),
            json!({"experimental": {"mcpl": "0.4", "other": null}}),
        ] {
            let (client, answer) = Client::of(version, address, wrong.clone()).await;
            assert!(answer["tools"].is_object(), "{version} {wrong}: {answer}");
            let experimental = answer.get("experimental");
            assert!(
                experimental.is_none_or(|all| all.get("mcpl").is_none()),
                "{answer}"
            );
            let answer = client.ask("tools/list", json!({})).await;
            assert!(
                answer["result"]["tools"].is_array(),
                "{version} {wrong}: {answer}"
            );
        }
    }
}
