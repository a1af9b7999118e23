//! The rules at values that keep them and at values that break them.

use super::*;
use crate::PLUGIN_POINTS;

#[test]
fn roots_are_read_where_a_payload_has_them() {
    for (word, good) in [
        (
            "args",
            &[
                "tool_pre_invoke",
                "prompt_pre_fetch",
                "completion_pre_fetch",
                "agent_tool_pre_invoke",
                "agent_tool_post_invoke",
            ][..],
        ),
        (
            "commands",
            &["agent_tool_pre_invoke", "agent_tool_post_invoke"],
        ),
        (
            "argument",
            &["completion_pre_fetch", "completion_post_fetch"],
        ),
        ("value", &["completion_pre_fetch"]),
        (
            "input_responses",
            &["tool_pre_invoke", "prompt_pre_fetch", "resource_pre_fetch"],
        ),
        (
            "result",
            &[
                "tool_post_invoke",
                "prompt_post_fetch",
                "completion_post_fetch",
                "agent_tool_post_invoke",
            ],
        ),
        ("content", &["resource_post_fetch"]),
        ("metadata", &["resource_pre_fetch", "resource_post_fetch"]),
        ("name", &[]),
    ] {
        for at in PLUGIN_POINTS.words {
            assert_eq!(root(at, word).is_none(), good.contains(at), "{word} {at}");
        }
    }
    for word in COMMON_ROOTS {
        let mut points = PLUGIN_POINTS.words.iter();
        assert!(points.all(|at| root(at, word).is_none()));
    }
    assert!(root("http_pre_request", "content_type").is_none());
    assert!(root("prompt_pre_fetch", "content_type").is_some());
}
