//! The answers of gates: verdicts, postures, and changes.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::*;
use crate::{
    clients::by_name,
    core::{Registry, Verdict, condition::Condition},
    plugin::{AgentToolCall, agent_tool_kind, point, posture},
    server::{Collected, Policy},
};

pub(super) struct Quiet;

impl ServerHandler for Quiet {}

pub(super) fn program(
    hooks: impl Fn() -> Vec<PluginHook> + Send + Sync + 'static,
) -> Program<Quiet> {
    let program = Program::new("quiet", || Err("a gate needs no server".into()));
    program.collected(move || {
        let mut registry = Registry::builder();
        for hook in hooks() {
            registry = registry.add(hook.into());
        }
        Collected::of(registry.build()?)
    })
}

pub(super) fn asked(program: &Program<Quiet>, client: &str, input: &Value) -> Value {
    asked_from(program, client, input, None)
}

/// Returns the answer when 100 ms of the gates' time are left.
pub(super) fn asked_late(program: &Program<Quiet>, client: &str, input: &Value) -> Value {
    let gates = by_name(client).unwrap().gates.as_ref();
    assert_eq!(gates.unwrap().deadline, Duration::from_secs(2));
    let began = Instant::now().checked_sub(Duration::from_millis(1_900));
    asked_since(began.unwrap(), program, client, input, None)
}

/// Returns the answer in a session that began in a folder.
pub(super) fn asked_from(
    program: &Program<Quiet>,
    client: &str,
    input: &Value,
    project: Option<&str>,
) -> Value {
    asked_since(Instant::now(), program, client, input, project)
}

fn asked_since(
    began: Instant,
    program: &Program<Quiet>,
    client: &str,
    input: &Value,
    project: Option<&str>,
) -> Value {
    let client = by_name(client).unwrap();
    let at = PluginAt::AgentToolPreInvoke;
    let project = project.map(str::to_owned);
    answer(
        program,
        at,
        client,
        "quiet",
        Ok(input.to_string().as_bytes()),
        project,
        began,
    )
}

pub(super) fn memory() -> PluginHook {
    PluginHook::deny("memory", point::agent_tool_pre_invoke, "use the tools")
        .kinds(&[agent_tool_kind::shell])
        .when(Condition::parse("commands[*] = \"*memory.db*\"").unwrap())
        .posture(posture::deny)
}

pub(super) fn bash(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command }, "cwd": "/srv/project" })
}

pub(super) fn is_refused(answer: &Value) -> bool {
    let inside = &answer["hookSpecificOutput"];
    answer["decision"] == "block" && inside["permissionDecision"] == "deny"
}

#[test]
fn a_rule_refuses_in_each_client_and_is_silent_otherwise() {
    let program = program(|| vec![memory()]);
    for (client, input, event) in [
        (
            "claude-code",
            bash("sh -c 'rm data/memory.db'"),
            "PreToolUse",
        ),
        ("codex", bash("rm memory.db"), "PreToolUse"),
        ("copilot", bash("rm memory.db"), "PreToolUse"),
        (
            "gemini",
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "rm memory.db"}}),
            "BeforeTool",
        ),
        (
            "qwen",
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "rm memory.db"}}),
            "PreToolUse",
        ),
        (
            "opencode",
            json!({"tool_name": "bash", "tool_input": {"command": "rm memory.db"}}),
            "tool.execute.before",
        ),
        (
            "cline",
            json!({"tool_name": "run_commands", "tool_input": {"commands": ["ls", "rm memory.db"]}}),
            "beforeTool",
        ),
    ] {
        let answer = asked(&program, client, &input);
        assert!(is_refused(&answer), "{client}: {answer}");
        assert_eq!(answer["reason"], "use the tools");
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
    }
    assert_eq!(asked(&program, "claude-code", &bash("ls")), json!({}));
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "memory.db"}});
    assert_eq!(asked(&program, "claude-code", &read), json!({}));
    // A client whose gates were not run is not asked.
    assert_eq!(asked(&program, "cursor", &bash("rm memory.db")), json!({}));
}

#[test]
fn what_cannot_be_judged_follows_the_posture() {
    for (is_closed, posture) in [(true, posture::deny), (false, posture::proceed)] {
        let unread = program(move || vec![memory().posture(posture)]);
        for input in [
            bash("$X memory"),
            bash("echo 'open"),
            json!([]),
            json!({"tool_name": 1}),
        ] {
            assert_eq!(
                is_refused(&asked(&unread, "claude-code", &input)),
                is_closed,
                "{input}"
            );
        }
        let slow = program(move || {
            let slow = PluginHook::answering_any::<point::agent_tool_pre_invoke, _>(
                "slow",
                point::agent_tool_pre_invoke,
                |_, _| {
                    Box::pin(async {
                        std::thread::sleep(Duration::from_secs(600));
                        Verdict::<Infallible>::Allow
                    })
                },
            );
            vec![slow.posture(posture)]
        });
        assert_eq!(
            is_refused(&asked_late(&slow, "claude-code", &bash("ls"))),
            is_closed
        );
        let broken = program(move || {
            let broken = PluginHook::answering_any::<point::agent_tool_pre_invoke, ()>(
                "broken",
                point::agent_tool_pre_invoke,
                |_, _| Box::pin(async { panic!("broken") }),
            );
            vec![broken.posture(posture)]
        });
        assert_eq!(is_refused(&asked(&broken, "codex", &bash("ls"))), is_closed);
    }
}

#[test]
fn a_policy_that_cannot_be_read_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let gated = program(|| vec![memory()]).policy(Policy::new().file(&file));
    assert!(is_refused(&asked(&gated, "claude-code", &bash("ls"))));
    let rule = "plugins:\n  - name: push\n    kind: deny\n    hooks: [agent_tool_pre_invoke]\n    kinds: [shell]\n    \
                posture: deny\n    when: 'commands[*] = \"git push*\"'\n    reason: push by hand\n";
    std::fs::write(&file, rule).unwrap();
    assert_eq!(asked(&gated, "claude-code", &bash("ls")), json!({}));
    let push = asked(&gated, "claude-code", &bash("cd x && git push origin main"));
    assert_eq!(push["reason"], "push by hand");
    for (from, to) in [
        ("    posture: deny\n", ""),
        ("posture: deny", "posture: fail"),
        ("kinds: [shell]", "kinds: [shell_input]"),
        ("kinds: [shell]", "mode: fire_and_forget"),
        ("kinds: [shell]", "deadline: 3s"),
    ] {
        std::fs::write(&file, rule.replace(from, to)).unwrap();
        assert!(gated.gates().is_err(), "{to}");
    }
}

#[test]
fn a_change_is_judged_too_and_is_taken_where_the_client_takes_it() {
    let gated = program(|| {
        let rewrite = PluginHook::answering_any::<point::agent_tool_pre_invoke, _>(
            "rewrite",
            point::agent_tool_pre_invoke,
            |call: &AgentToolCall, _| {
                let to = match call.args["command"].as_str() {
                    Some("ls") => Some("ls -la"),
                    Some("cat") => Some("cat memory.db"),
                    _ => None,
                };
                let changed = to.map(|to| call.with("command", to));
                Box::pin(async { changed.map_or(Verdict::Allow, Verdict::<AgentToolCall>::Modify) })
            },
        );
        vec![memory(), rewrite.posture(posture::deny)]
    });
    let changed = asked(&gated, "claude-code", &bash("ls"));
    assert_eq!(
        changed["hookSpecificOutput"]["updatedInput"]["command"],
        "ls -la"
    );
    assert_eq!(
        changed["hookSpecificOutput"].get("permissionDecision"),
        None
    );
    assert!(is_refused(&asked(&gated, "claude-code", &bash("cat"))));
    assert!(is_refused(&asked(&gated, "codex", &bash("ls"))));
    assert_eq!(asked(&gated, "codex", &bash("pwd")), json!({}));
}

#[test]
fn entries_are_as_wide_as_the_gates() {
    let none = program(Vec::new).gates().unwrap();
    assert!(!none.judges && !none.records);
    let shell = program(|| vec![memory()]).gates().unwrap();
    assert!(shell.judges && shell.is_closed && !shell.records);
    assert_eq!(shell.kinds, ["shell"]);
    let any =
        || PluginHook::deny("any", point::agent_tool_pre_invoke, "no").posture(posture::proceed);
    let wide = program(move || vec![memory(), any()]).gates().unwrap();
    assert_eq!(wide.kinds, [""; 0]);
    let open = program(move || vec![any()]).gates().unwrap();
    assert!(!open.is_closed);
}

#[test]
fn a_patch_in_a_shell_is_an_edit() {
    let gated = program(|| {
        let rule = PluginHook::deny("locked", point::agent_tool_pre_invoke, "locked")
            .kinds(&[agent_tool_kind::edit])
            .when(Condition::parse("paths[*] = inside(\"/srv/project/locked\")").unwrap());
        vec![rule.posture(posture::deny)]
    });
    let patch = "apply_patch <<'X'\n*** Begin Patch\n*** Update File: locked/a\n*** End Patch\nX";
    assert!(is_refused(&asked(&gated, "codex", &bash(patch))));
    let patch = patch.replace("locked/a", "open/a");
    assert_eq!(asked(&gated, "codex", &bash(&patch)), json!({}));
}

#[cfg(feature = "policy")]
#[test]
fn the_server_comes_first_where_its_session_is_known() {
    use crate::{
        plugin::{
            Instance,
            ready::{self, ServerFirst},
        },
        server::Sessions,
        session::{CallOutcome, Identity, Ledger, Machine},
        store::Store,
    };

    assert_eq!(SESSION_OPEN, ready::SESSION_OPEN);
    let first = |posture| {
        Policy::new().with(Instance::of(ServerFirst::new().tool("session_init")).posture(posture))
    };
    let folder = tempfile::tempdir().unwrap();
    let without = program(Vec::new).policy(first(posture::deny));
    assert!(
        without
            .gates()
            .unwrap_err()
            .to_string()
            .contains("session machine")
    );
    let machine = || Machine::standard().build().unwrap();
    // The memory of one process is nothing to the other.
    let in_memory = Sessions::on(machine()).store(crate::store::MemoryStore::new());
    let alone = program(Vec::new)
        .policy(first(posture::deny))
        .sessions(in_memory);
    let serve = crate::cli::program::runtime()
        .unwrap()
        .block_on(alone.serve());
    for error in [alone.gates().unwrap_err(), serve.unwrap_err()] {
        assert!(error.to_string().contains("are in memory"), "{error}");
    }
    let make = |posture| {
        program(Vec::new)
            .policy(first(posture))
            .data(folder.path())
            .sessions(Sessions::on(machine()))
    };
    let gated = make(posture::deny);
    assert!(gated.gates().unwrap().judges);
    let elsewhere = gated.check_gates(true).unwrap_err();
    assert!(elsewhere.to_string().contains("`--store`"), "{elsewhere}");
    let edit = |session: &str| json!({"tool_name": "Edit", "tool_input": {"file_path": "a"}, "session_id": session});
    let refused = asked(&gated, "claude-code", &edit("one"));
    assert!(
        refused["reason"]
            .as_str()
            .unwrap()
            .contains("`session_init`"),
        "{refused}"
    );
    let store: std::sync::Arc<dyn Store> = gated.store().sessions(Duration::from_secs(1)).unwrap();
    let ledger = Ledger::new(machine(), store);
    let tool = machine();
    let tool = tool.opening_tools().next().unwrap().to_owned();
    crate::cli::program::runtime().unwrap().block_on(async {
        let key = Identity::Client("one").key(None);
        let session = ledger.find(&key).await.unwrap();
        let none = serde_json::Map::new();
        ledger
            .record(&key, session, &tool, &none, CallOutcome::Succeeded)
            .await
            .unwrap();
    });
    assert_eq!(asked(&gated, "claude-code", &edit("one")), json!({}));
    assert!(is_refused(&asked(&gated, "claude-code", &edit("two"))));
    // Qwen Code does not tell the server its session.
    let other = json!({"tool_name": "edit", "tool_input": {"file_path": "a"}, "session_id": "one"});
    assert!(is_refused(&asked(&gated, "qwen", &other)));
    assert_eq!(asked(&make(posture::proceed), "qwen", &other), json!({}));
}
