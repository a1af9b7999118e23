//! The rules at values that keep them and at values that break them.

use super::*;
use crate::{AGENT_TOOL_KINDS, PLUGIN_ITEMS, PLUGIN_POINTS};

#[test]
fn what_holds_passes() {
    for problem in [
        id("no_logs"),
        kind("rate_limit"),
        reason("logs are never deleted"),
        not_empty("LOGS"),
        glob("delete_*"),
        scope("mail:read"),
        root("tool_pre_invoke", "args"),
        folder("/srv/data"),
        deadline("500ms"),
        writable("tool_pre_invoke", "headers"),
        posture_in("tool_pre_invoke", "concurrent"),
    ] {
        assert_eq!(problem, None);
    }
    for (key, at) in [
        ("tool", "tool_pre_invoke"),
        ("tool", "agent_tool_pre_invoke"),
        ("prompt", "prompt_post_fetch"),
    ] {
        assert_eq!(items_at(key, at), None);
    }
    assert_eq!(items_of("resource", "resource_templates"), None);
}

#[test]
fn what_does_not_hold_says_so_and_what_mends_it() {
    let mut problems = vec![
        (id("A"), "this cannot be a hook's id"),
        (kind(""), "this cannot be the kind of a plugin"),
        (reason(" "), "the reason is empty"),
        (not_empty(""), "the value is empty"),
        (glob("["), "the pattern has a `[`"),
        (scope("a b"), "this is no scope"),
        (scope(""), "this is no scope"),
        (
            root("tool_pre_invoke", "result"),
            "`result` exists only after",
        ),
        (folder("/srv/.."), "the folder has `..`"),
        (deadline("0s"), "the deadline is not"),
    ];
    let modes = ["permissive", "audit", "fire_and_forget"];
    problems.extend(modes.map(|mode| (posture_in("tool_pre_invoke", mode), "")));
    let fields = PLUGIN_POINTS.words.iter().map(|at| writable(at, "body"));
    problems.extend(fields.map(|problem| (problem, "")));
    for (problem, expected) in problems {
        let problem = problem.expect(expected);
        assert!(problem.message().starts_with(expected), "{problem}");
        assert!(!problem.help().is_empty(), "{problem}");
    }
}

#[test]
fn a_key_names_items_of_its_own_points() {
    for key in PLUGIN_ITEMS {
        for row in ROWS {
            let is_own = row.family.eq_ignore_ascii_case(key);
            let is_lent = (*key, row.family) == ("tool", "AgentTool");
            let wrong = items_at(key, row.word);
            assert_eq!(wrong.is_none(), is_own || is_lent, "{key} {}", row.word);
            let starts = |wrong: String| wrong.starts_with(&format!("`{key}` names {key}s, and "));
            assert!(wrong.is_none_or(|(wrong, _)| starts(wrong)));
        }
    }
}

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

#[test]
fn a_gate_says_its_posture() {
    let (gate, other) = ("agent_tool_pre_invoke", "tool_pre_invoke");
    for is_rule in [false, true] {
        assert!(posture_at(gate, true, is_rule).is_none());
        assert!(posture_at(gate, false, is_rule).is_some());
        assert!(posture_at(other, false, is_rule).is_none());
        assert_eq!(posture_at(other, true, is_rule).is_some(), is_rule);
    }
    assert!(posture_in(gate, "audit").is_none());
    assert!(kinds(gate).is_none() && kinds(other).is_some());
    assert!(mode_at(gate, "fire_and_forget").is_some());
    assert!(mode_at(gate, "concurrent").is_some());
    assert!(deadline_of(gate, "2s").is_none() && deadline_of(gate, "3s").is_some());
    assert!(deadline_of(other, "3s").is_none());
    assert!(denies("agent_tool_post_invoke").is_some() && denies(gate).is_none());
    for kind in AGENT_TOOL_KINDS.words {
        assert_eq!(holds(kind).is_none(), *kind != "shell_input", "{kind}");
    }
}

#[test]
fn a_folder_leads_nowhere_else() {
    for (path, good) in [
        ("/srv/data", true),
        ("..hidden/x..", true),
        ("..", false),
        ("/srv/../etc", false),
        ("C:\\data\\..", false),
    ] {
        assert_eq!(folder(path).is_none(), good, "{path}");
    }
}
