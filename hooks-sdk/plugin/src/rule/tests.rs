//! The rules at values that keep them and at values that break them.

use std::panic::{UnwindSafe, catch_unwind};

use super::*;

fn complaint(check: impl FnOnce() + UnwindSafe) -> String {
    let panic = catch_unwind(check).expect_err("the check passed");
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn what_holds_passes() {
    const { Problem::pass(id("no_logs")) };
    const { Problem::pass(kind("rate_limit")) };
    const { Problem::pass(reason("logs are never deleted")) };
    const { Problem::pass(not_empty("LOGS")) };
    const { Problem::pass(glob("delete_*")) };
    const { Problem::pass(names(Family::Tool, Family::Tool)) };
    const { Problem::pass(names(Family::Prompt, Family::Prompt)) };
    const { Problem::pass(names(Family::Resource, Family::Resource)) };
    const { Problem::pass(root(PluginAt::ToolPreInvoke, "args")) };
    const { Problem::pass(folder("/srv/data")) };
    const { Problem::pass(deadline("500ms")) };
    const { Problem::pass(writable(PluginAt::ToolPreInvoke, "headers")) };
    const { Problem::pass(posture_in(PluginAt::ToolPreInvoke, PluginMode::Concurrent)) };
    const { Problem::pass(asks(PluginMode::Enforce, true)) };
    const { Problem::pass(asks(PluginMode::Audit, false)) };
    const { Problem::pass(modifies(PluginMode::Concurrent, false, false)) };
    const { Problem::pass(modifies(PluginMode::Audit, true, false)) };
}

#[test]
fn what_does_not_hold_says_so_and_what_mends_it() {
    let mut complaints = vec![
        (
            complaint(|| Problem::pass(id("A"))),
            "this cannot be a hook's id",
        ),
        (
            complaint(|| Problem::pass(kind(""))),
            "this cannot be the kind of a plugin",
        ),
        (
            complaint(|| Problem::pass(reason(" "))),
            "the reason is empty",
        ),
        (
            complaint(|| Problem::pass(not_empty(""))),
            "the value is empty",
        ),
        (
            complaint(|| Problem::pass(glob("["))),
            "the pattern has a `[`",
        ),
        (
            complaint(|| Problem::pass(root(PluginAt::ToolPreInvoke, "result"))),
            "`result` exists only after",
        ),
        (
            complaint(|| Problem::pass(folder("/srv/.."))),
            "the folder has `..`",
        ),
        (
            complaint(|| Problem::pass(deadline("0s"))),
            "the deadline is not",
        ),
        (
            complaint(|| Problem::pass(modifies(PluginMode::Concurrent, true, false))),
            "a `concurrent` hook cannot change",
        ),
    ];
    for mode in [
        PluginMode::Permissive,
        PluginMode::Audit,
        PluginMode::FireAndForget,
    ] {
        let at = PluginAt::ToolPreInvoke;
        complaints.push((complaint(move || Problem::pass(posture_in(at, mode))), ""));
    }
    for mode in [
        PluginMode::Concurrent,
        PluginMode::Audit,
        PluginMode::FireAndForget,
    ] {
        complaints.push((complaint(move || Problem::pass(asks(mode, true))), ""));
    }
    for (key, words) in [
        (Family::Tool, "`tool` names tools"),
        (Family::Prompt, "`prompt` names prompts"),
        (Family::Resource, "`resource` names resources"),
        (Family::Completion, "`completion` names completions"),
    ] {
        for family in PluginAt::ALL.iter().map(|at| at.family()) {
            if family != key && (key, family) != (Family::Tool, Family::AgentTool) {
                let wrong = complaint(move || Problem::pass(names(key, family)));
                complaints.push((wrong, words));
            }
        }
    }
    for at in PluginAt::ALL {
        complaints.push((complaint(move || Problem::pass(writable(*at, "body"))), ""));
    }
    for (words, expected) in complaints {
        assert!(words.starts_with(expected), "{words}");
        assert_eq!(words.matches("\nhelp: ").count(), 1, "{words}");
    }
}

#[test]
fn roots_are_read_where_a_payload_has_them() {
    use PluginAt::{
        AgentToolPostInvoke, AgentToolPreInvoke, CompletionPostFetch, CompletionPreFetch,
        HttpPreRequest, PromptPostFetch, PromptPreFetch, ResourcePostFetch, ResourcePreFetch,
        ToolPostInvoke, ToolPreInvoke,
    };
    for (word, good) in [
        (
            "args",
            &[
                ToolPreInvoke,
                PromptPreFetch,
                CompletionPreFetch,
                AgentToolPreInvoke,
                AgentToolPostInvoke,
            ][..],
        ),
        ("commands", &[AgentToolPreInvoke, AgentToolPostInvoke]),
        ("argument", &[CompletionPreFetch, CompletionPostFetch]),
        ("value", &[CompletionPreFetch]),
        (
            "input_responses",
            &[ToolPreInvoke, PromptPreFetch, ResourcePreFetch],
        ),
        (
            "result",
            &[
                ToolPostInvoke,
                PromptPostFetch,
                CompletionPostFetch,
                AgentToolPostInvoke,
            ],
        ),
        ("content", &[ResourcePostFetch]),
        ("metadata", &[ResourcePreFetch, ResourcePostFetch]),
        ("name", &[]),
    ] {
        for at in PluginAt::ALL {
            assert_eq!(
                root(*at, word).is_none(),
                good.contains(at),
                "{word} {at:?}"
            );
        }
    }
    for word in ["user", "claims", "tenant", "server"] {
        assert!(PluginAt::ALL.iter().all(|at| root(*at, word).is_none()));
    }
    assert!(root(HttpPreRequest, "content_type").is_none());
    assert!(root(PromptPreFetch, "content_type").is_some());
}

#[test]
fn a_gate_says_its_posture_and_asks_nobody() {
    let (gate, other) = (PluginAt::AgentToolPreInvoke, PluginAt::ToolPreInvoke);
    for is_rule in [false, true] {
        assert!(posture_at(gate, true, is_rule).is_none());
        assert!(posture_at(gate, false, is_rule).is_some());
        assert!(posture_at(other, false, is_rule).is_none());
        assert_eq!(posture_at(other, true, is_rule).is_some(), is_rule);
    }
    assert!(asks_at(gate, true).is_some() && asks_at(other, true).is_none());
    assert!(kinds(gate).is_none() && kinds(other).is_some());
    assert!(mode_at(gate, PluginMode::FireAndForget).is_some());
    assert!(mode_at(gate, PluginMode::Concurrent).is_some());
    assert!(deadline_of(gate, "2s").is_none() && deadline_of(gate, "3s").is_some());
    assert!(deadline_of(other, "3s").is_none());
    assert!(denies(PluginAt::AgentToolPostInvoke).is_some() && denies(gate).is_none());
    for kind in AgentToolKind::ALL {
        let held = *kind != AgentToolKind::ShellInput;
        assert_eq!(holds(*kind).is_none(), held, "{kind:?}");
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

#[test]
fn the_macros_know_every_word() {
    assert_eq!(crate::mode::WORDS, hooks_text::PLUGIN_MODES.words);
    assert_eq!(crate::list_of::WORDS, hooks_text::PLUGIN_LISTS.words);
    let kinds: Vec<&str> = AgentToolKind::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    assert_eq!(kinds, hooks_text::AGENT_TOOL_KINDS.words);
    assert_eq!(crate::ROOTS, hooks_text::PLUGIN_ROOTS.words);
    let points: Vec<&str> = PluginAt::ALL.iter().map(|at| at.as_str()).collect();
    assert_eq!(points, hooks_text::PLUGIN_POINTS.words);
    let mut fields = PluginAt::ALL.iter().flat_map(|at| at.fields());
    assert!(fields.all(|field| hooks_text::PLUGIN_FIELDS.words.contains(field)));
}
