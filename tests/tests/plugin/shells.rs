//! What deletes a file in a real shell, a gate with the posture `deny` refuses.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use hooks_sdk::{
    core::condition::Condition,
    plugin::{
        AgentToolCall, AgentToolKind, Chain, Contexts, End, GlobalContext, Instance, PluginHook,
        PluginMode, Posture, point, ready::RefuseCommands,
    },
};
use hooks_tests::skipped;

const SPELLINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/commands/spellings.txt");

const SHELLS: [&str; 5] = ["dash", "bash", "zsh", "mksh", "fish"];

/// Returns whether a shell that gets the text deletes the file.
fn deletes(shell: &str, text: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    fs::write(&file, "").unwrap();
    let mut run = Command::new("timeout");
    run.args(["--kill-after=1", "3", "setsid", "--wait", shell, "-c", text]);
    run.current_dir(folder.path()).env("HOME", folder.path());
    run.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    run.status().unwrap();
    !file.exists()
}

async fn is_refused(chain: &Chain, text: &str, folder: &Path) -> bool {
    let mut call = AgentToolCall::new("claude-code", AgentToolKind::Shell, "Bash");
    call.folder = folder.to_string_lossy().into_owned();
    call.read_commands(text);
    let mut contexts = Contexts::new(GlobalContext::new("1"));
    let ran = chain
        .run(point::agent_tool_pre_invoke, &mut call, &mut contexts)
        .await;
    matches!(ran.end, End::Blocked(_))
}

#[tokio::test]
async fn what_deletes_a_file_in_a_shell_is_refused() {
    let shells: Vec<&str> = SHELLS
        .into_iter()
        .filter(|shell| {
            let found = Command::new(shell).args(["-c", "true"]).status().is_ok();
            if !found {
                skipped(&format!(
                    "{shell} is not installed (apt-get install {shell})"
                ));
            }
            found
        })
        .collect();
    let text = fs::read_to_string(SPELLINGS).unwrap();
    let spellings: Vec<String> = text
        .lines()
        .skip(1)
        .map(|line| line.replace('⏎', "\n"))
        .collect();
    let seen: Mutex<BTreeMap<&str, Vec<&str>>> = Mutex::default();
    let next = Mutex::new(spellings.iter());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(spelling) = next.lock().unwrap().next() else {
                        return;
                    };
                    let by = shells.iter().filter(|shell| deletes(shell, spelling));
                    let by: Vec<&str> = by.copied().collect();
                    seen.lock().unwrap().insert(spelling, by);
                }
            });
        }
    });
    let seen = seen.into_inner().unwrap();
    let ready = Instance::of(RefuseCommands::new().command("rm").command("rm *"));
    let rule = PluginHook::deny("rule", point::agent_tool_pre_invoke, "no")
        .when(Condition::parse(r#"commands[*].words[0] = "rm""#).unwrap())
        .posture(Posture::Deny);
    let folder = tempfile::tempdir().unwrap();
    let mut open = Vec::new();
    for (name, chain) in [
        (
            "refuse_commands",
            Chain::new(ready.posture(Posture::Deny).hooks().to_vec()),
        ),
        ("a rule", Chain::new([rule])),
    ] {
        for (spelling, by) in &seen {
            if !by.is_empty() && !is_refused(&chain, spelling, folder.path()).await {
                open.push(format!("{name}: {spelling:?} deletes in {by:?}"));
            }
        }
    }
    assert!(open.is_empty(), "{open:#?}");
    // Some delete in one shell only, so that it is seen that each shell runs them.
    for shell in &shells {
        let count = seen.values().filter(|by| by.contains(shell)).count();
        assert!(count > 50, "{shell} deletes by {count} spellings");
    }
}

/// A rule about commands, with this posture.
fn ruled(when: &str, posture: Posture) -> PluginHook {
    PluginHook::deny("rule", point::agent_tool_pre_invoke, "no")
        .when(Condition::parse(when).unwrap())
        .posture(posture)
}

#[tokio::test]
async fn a_condition_on_words_does_not_read_a_message_as_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let when = r#"commands[*].words[0] = "git", commands[*].words[*] = "--no-v*""#;
    let chain = Chain::new([ruled(when, Posture::Deny)]);
    for (text, refused) in [
        ("git commit --no-verify -m a", true),
        ("git commit --no-veri -m a", true),
        ("git -C x commit '--no-verify'", true),
        ("sh -c 'git commit --no-verify'", true),
        ("git commit -m 'do not use --no-verify'", false),
        ("git commit -F - <<'E'\nno --no-verify\nE", false),
        ("git commit -m --no-verify", true),
        ("git log", false),
    ] {
        assert_eq!(
            is_refused(&chain, text, folder.path()).await,
            refused,
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_argument_that_may_be_a_command_is_refused_under_deny() {
    let folder = tempfile::tempdir().unwrap();
    let when = r#"commands[*] = "rm *""#;
    let ready = || Instance::of(RefuseCommands::new().command("rm *"));
    for posture in [Posture::Deny, Posture::Proceed] {
        let ready = ready().posture(posture).hooks().to_vec();
        for chain in [Chain::new([ruled(when, posture)]), Chain::new(ready)] {
            for (text, possible) in [
                ("foo 'rm f'", true),
                ("foo --exec='rm f'", true),
                ("foo -c'rm f'", true),
                ("foo EXEC:'rm f'", true),
                ("foo -- rm f", true),
                ("foo 'true; rm f'", true),
                ("foo \"bar 'rm f'\"", true),
                ("foo 'rmdir f'", false),
                ("foo \"rm $X\"", true),
                ("foo rm f", false),
                ("echo 'rm f'", false),
                ("git commit -m 'rm f'", false),
                ("grep -r 'rm f' .", false),
            ] {
                let refused = is_refused(&chain, text, folder.path()).await;
                assert_eq!(refused, possible && posture == Posture::Deny, "{text}");
            }
        }
    }
    // What a rule allows is no reason to refuse it.
    let allowing = PluginHook::deny("rule", point::agent_tool_pre_invoke, "no")
        .unless(Condition::parse(r#"commands[*] = "foo *""#).unwrap())
        .posture(Posture::Deny);
    let chain = Chain::new([allowing]);
    assert!(!is_refused(&chain, "foo 'rm f'", folder.path()).await);
}

#[tokio::test]
async fn a_gate_of_each_mode_refuses_what_it_cannot_read() {
    let folder = tempfile::tempdir().unwrap();
    for mode in [PluginMode::Enforce, PluginMode::Concurrent] {
        let rule = ruled(r#"commands[*] = "rm *""#, Posture::Deny).mode(mode);
        let other = PluginHook::deny("other", point::agent_tool_pre_invoke, "no")
            .when(Condition::parse(r#"tool = "Read""#).unwrap_or_else(|_| unreachable!()))
            .posture(Posture::Proceed)
            .mode(mode);
        let chain = Chain::new([other, rule]);
        for (text, refused) in [("$X f", true), ("rm f", true), ("ls f", false)] {
            assert_eq!(
                is_refused(&chain, text, folder.path()).await,
                refused,
                "{mode:?} {text}"
            );
        }
    }
}
