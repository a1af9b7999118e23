//! What a program is without a client: its help, its server, and what it declares.

use std::time::Duration;

use super::{
    Program,
    pipe::listed_tools,
    program::{SessionPlace, runtime},
};
use crate::{
    core::{BuildErrors, Registry},
    guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
    server::{Collected, ServerHandler},
    testing::TestHost,
};

/// A server without tools of its own.
pub(super) struct Notes;

impl ServerHandler for Notes {}

/// Puts a program at a path that is this shell script.
///
/// A child writes it. A file that this process has open for writing is also open in the children that other threads start
/// meanwhile, and no system starts a program that somebody writes.
#[cfg(unix)]
pub(super) fn put_script(path: &std::path::Path, script: &str) {
    let write = r#"printf %s "$1" >"$0" && chmod 755 "$0""#;
    let mut shell = std::process::Command::new("sh");
    let shell = shell.args(["-c", write]).arg(path).arg(script);
    assert!(shell.status().unwrap().success());
}

fn help(program: &Program<Notes>) -> String {
    program.command().render_long_help().to_string()
}

#[test]
fn help_is_about_the_server() {
    let program = Program::new("notes", || Ok(Notes));
    assert!(help(&program).starts_with("The MCP server `notes`\n"));
    let refused = program
        .command()
        .try_get_matches_from(["notes", "--version"]);
    assert!(refused.is_err());
    let program = program.about("Notes for agents").version("1.2.3");
    assert!(help(&program).starts_with("Notes for agents\n"));
    let version = program.command().render_version();
    assert!(version.ends_with(" 1.2.3\n"), "{version}");
}

#[test]
fn a_misspelt_client_gets_the_nearest() {
    let command = Program::new("notes", || Ok(Notes)).command();
    let arguments = ["notes", "hooks", "install", "--client", "claud"];
    let error = command
        .try_get_matches_from(arguments)
        .unwrap_err()
        .to_string();
    let all = crate::clients::ALL.iter().map(|row| row.name);
    let all: Vec<&str> = all.chain(["all"]).collect();
    for part in [
        "'claud'",
        &all.join(", "),
        "a similar value exists: 'claude-code'",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

fn no_hooks() -> Result<Collected<Notes>, BuildErrors> {
    Collected::of(Registry::builder().build()?)
}

pub(super) fn one_hook() -> Result<Collected<Notes>, BuildErrors> {
    let level = RequirementLevel::May;
    let input = HookInput::new(HookType::Session, Lifecycle::Start, "a", "A", level);
    let hook = GuidanceHook::new(input.text("A text."));
    Collected::of(Registry::builder().add(hook.into()).build()?)
}

#[test]
fn guidance_is_declared_only_where_there_is_some() {
    let runtime = runtime().unwrap();
    let declares = |program: Program<Notes>| {
        let folder = tempfile::tempdir().unwrap();
        let program = program.data(folder.path());
        runtime.block_on(async {
            let hooked = program
                .hooked(
                    |guidance| guidance,
                    SessionPlace::Here {
                        patience: Duration::ZERO,
                    },
                )
                .await;
            let host = TestHost::connect(hooked.unwrap()).await.unwrap();
            host.handshake()["capabilities"]["logging"].is_object()
        })
    };
    assert!(!declares(
        Program::new("notes", || Ok(Notes)).collected(no_hooks)
    ));
    assert!(declares(
        Program::new("notes", || Ok(Notes)).collected(one_hook)
    ));
}

#[test]
fn a_server_is_made_at_once_or_by_waiting() {
    let runtime = runtime().unwrap();
    let at_once = Program::new("notes", || Ok(Notes));
    let waiting = Program::new("notes", async || {
        tokio::task::yield_now().await;
        Ok(Notes)
    });
    let name = "a store".to_owned();
    let failing = Program::<Notes>::new("notes", move || {
        let name = name.clone();
        async move { Err(format!("{name} is gone").into()) }
    });
    runtime.block_on(async {
        assert!(at_once.server().await.is_ok());
        assert!(waiting.server().await.is_ok());
        let failure = failing.server().await.err().unwrap();
        assert_eq!(failure.to_string(), "a store is gone");
    });
}

#[test]
fn a_server_without_tools_lists_none() {
    let program = Program::new("notes", || Ok(Notes)).collected(one_hook);
    let listed = runtime().unwrap().block_on(async {
        let host = program.test_host().await.unwrap();
        listed_tools(&host).await.unwrap()
    });
    assert_eq!(listed, Vec::<serde_json::Value>::new());
}

#[test]
fn a_name_that_clients_cannot_use_is_refused_with_a_sentence() {
    let check = |name: &'static str| Program::new(name, || Ok(Notes)).check_name();
    assert!(check("my-notes_2").is_ok());
    for (name, mended) in [("my notes", "my-notes"), ("", "notes"), ("nötes", "n-tes")] {
        let wrong = check(name).unwrap_err().to_string();
        assert!(wrong.contains("cannot be the name of a server"), "{wrong}");
        assert!(wrong.contains(&format!("\"{mended}\"")), "{wrong}");
    }
}

#[test]
fn an_empty_description_is_none() {
    let program = Program::new("notes", || Ok(Notes)).about("");
    assert!(help(&program).starts_with("The MCP server `notes`\n"));
}

#[cfg(feature = "log")]
#[test]
fn a_value_that_can_match_nothing_is_refused() {
    let program = || Program::new("notes", || Ok(Notes)).collected(one_hook);
    let read = |words: &str| {
        let words = format!("notes hooks {words}");
        let matches = program().command().try_get_matches_from(words.split(' '));
        matches.map_err(|error| error.to_string())
    };
    for (line, says) in [
        (&*format!("verify --expect {} F", "Ab".repeat(32)), ""),
        ("verify --expect 0123 F", "64 hexadecimal digits"),
    ] {
        match read(&format!("log {line}")) {
            Ok(_) => assert_eq!(says, "", "{line}"),
            Err(error) => assert!(!says.is_empty() && error.contains(says), "{line}: {error}"),
        }
    }
}
