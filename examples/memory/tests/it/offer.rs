//! `serve` offers the hooks of a server that no client has installed, and installs them if the person asks.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::user::{User, put_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_memory-server");

/// What begins the offer.
const OFFER: &str = "This server also has hooks";

/// What `serve` logs when a client has got the hooks.
const INSTALLED: &str = "as `HOOKS_INSTALL` asks";

/// What `serve` logs when it cannot install them.
const FAILED: &str = "the hooks are not installed";

/// The longest time for an installation by `serve`.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that speaks lines to `serve`.
struct Served {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    log: NamedTempFile,
}

impl Served {
    fn start(process: &mut Command) -> Served {
        let log = NamedTempFile::new().unwrap();
        let mut child = process.stderr(log.reopen().unwrap()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Served { child, lines, log }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until it has said this so often.
    fn says(&self, what: &str, times: usize) {
        let begun = Instant::now();
        while self.log().matches(what).count() != times {
            assert!(begun.elapsed() < PATIENCE, "{}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn ask(&mut self, request: &Value) -> Value {
        let mut stdin = self.child.stdin.as_ref().unwrap();
        writeln!(stdin, "{request}").unwrap();
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    /// Returns the instructions in the answer to `initialize` of this client.
    fn instructions(&mut self, client: &str) -> String {
        let answer = self.ask(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": client, "version": "1" },
            },
        }));
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let mut stdin = self.child.stdin.as_ref().unwrap();
        writeln!(stdin, "{told}").unwrap();
        answer["result"]["instructions"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Calls the opening tool, and returns all of the answer.
    fn call(&mut self, params: Value) -> String {
        let mut params = params;
        params["name"] = "session_init".into();
        params["arguments"] = json!({});
        let answer = self
            .ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
        assert!(answer["result"]["isError"] != true, "{answer}");
        answer.to_string()
    }

    /// Ends the server, and returns its log.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap();
        let log = self.log();
        assert!(status.success(), "{log}");
        log
    }
}

fn serve(user: &User, value: Option<&str>) -> Served {
    serve_by(user, Path::new(PROGRAM), value)
}

fn serve_by(user: &User, program: &Path, value: Option<&str>) -> Served {
    let mut process = user.process(program, &["serve"]);
    process.env_remove("HOOKS_INSTALLED");
    if let Some(value) = value {
        process.env("HOOKS_INSTALL", value);
    }
    Served::start(&mut process)
}

fn installs(user: &User) -> PathBuf {
    user.database().with_file_name("installs")
}

#[test]
fn the_offer_is_one_sentence_until_a_client_has_the_hooks() {
    let user = User::new();
    for (client, option) in [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("a new client", "all"),
    ] {
        let mut served = serve(&user, None);
        let instructions = served.instructions(client);
        let sentence = format!(
            "\n\nThis server also has hooks, which no client of this user has installed: if the user wants them, the \
             command `{PROGRAM} hooks install --client {option}` installs them."
        );
        assert!(instructions.ends_with(&sentence), "{instructions}");
        assert_eq!(instructions.matches(OFFER).count(), 1);
        // A client that asks again gets the same; no result has it besides.
        assert!(!served.call(json!({})).contains(OFFER));
        served.end();
    }
    assert!(!installs(&user).exists());
    user.said(&["hooks", "install", "--client", "gemini"]);
    let mut served = serve(&user, None);
    assert!(!served.instructions("claude-code").contains(OFFER));
    assert!(!served.call(json!({})).contains(OFFER));
    served.end();
    user.said(&["hooks", "uninstall", "--client", "gemini"]);
    let mut served = serve(&user, None);
    assert!(served.instructions("claude-code").contains(OFFER));
    served.end();
    // The hooks of a package count as installed.
    let mut process = user.process(Path::new(PROGRAM), &["serve"]);
    let mut served = Served::start(process.env("HOOKS_INSTALLED", "claude-code"));
    assert!(!served.instructions("claude-code").contains(OFFER));
    served.end();
}

#[test]
fn a_client_without_a_handshake_reads_the_offer_in_its_first_result() {
    let user = User::new();
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "claude-code", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    } });
    let mut served = serve(&user, None);
    assert_eq!(served.call(meta.clone()).matches(OFFER).count(), 1);
    assert!(!served.call(meta.clone()).contains(OFFER));
    served.end();
    let mut served = serve(&user, None);
    let discover =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": meta });
    let answer = served.ask(&discover);
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("--client claude-code` installs them."),
        "{answer}"
    );
    assert!(!served.call(meta).contains(OFFER));
    served.end();
}

#[test]
fn the_variable_installs_for_the_clients_that_are_there_and_keeps_what_is_current() {
    let user = User::new();
    user.has_program("claude");
    user.has_program("codex");
    let claude = user.home().join(".claude/settings.json");
    for value in ["false", "0", "", "${user_config.install_hooks}"] {
        let log = serve(&user, Some(value)).end();
        assert!(!installs(&user).exists(), "{value}");
        assert_eq!(
            log.contains("neither `true` nor `false`"),
            value.contains('$'),
            "{log}"
        );
    }
    // The client starts the server by another command already: it gets the hooks only.
    let servers = user.home().join(".claude.json");
    let own =
        "{\"mcpServers\": {\"memory\": {\"command\": \"npx\", \"args\": [\"-y\", \"memory\"]}}}";
    fs::write(&servers, own).unwrap();
    let mut served = serve(&user, Some("true"));
    assert!(!served.instructions("claude-code").contains(OFFER));
    served.says(INSTALLED, 2);
    served.end();
    assert!(claude.exists() && user.home().join(".codex/hooks.json").exists());
    assert!(!user.home().join(".gemini").exists());
    assert_eq!(fs::read_to_string(&servers).unwrap(), own);
    let codex = fs::read_to_string(user.home().join(".codex/config.toml")).unwrap();
    assert!(codex.contains("[mcp_servers.memory]"), "{codex}");

    // A current entry stays, an old one is mended, and one that somebody has removed does not come back. A client that is new
    // each time is the last to get the hooks.
    let current = fs::read_to_string(&claude).unwrap();
    user.has_program("gemini");
    let mut served = serve(&user, Some("1"));
    served.instructions("claude-code");
    served.says(INSTALLED, 1);
    assert!(served.end().contains("Gemini"));
    let old = current.replace("\"timeout\": 10", "\"timeout\": 7");
    fs::write(&claude, old).unwrap();
    fs::write(user.home().join(".codex/hooks.json"), "{}").unwrap();
    user.has_program("qwen");
    let served = serve(&user, Some("TRUE"));
    served.says(INSTALLED, 2);
    assert!(served.end().contains("Qwen"));
    assert_eq!(fs::read_to_string(&claude).unwrap(), current);
    let codex = fs::read_to_string(user.home().join(".codex/hooks.json")).unwrap();
    assert_eq!(codex, "{}");
    user.said(&["hooks", "uninstall", "--client", "all"]);
    assert_eq!(fs::read_to_string(&servers).unwrap(), own);
    assert!(!claude.exists());
}

#[test]
fn an_extension_installs_a_copy_and_a_failure_does_not_stop_the_server() {
    let user = User::new();
    user.has_program("claude");
    user.has_program("gemini");
    let extension = user
        .home()
        .join("Claude Extensions/memory/server/memory-server");
    fs::create_dir_all(extension.parent().unwrap()).unwrap();
    put_program(&extension, PROGRAM, "");
    let claude = user.home().join(".claude/settings.json");
    fs::create_dir_all(claude.parent().unwrap()).unwrap();
    fs::write(&claude, "{ \"hooks\": ").unwrap();
    let mut served = serve_by(&user, &extension, Some("true"));
    served.says(INSTALLED, 1);
    assert!(
        served
            .instructions("x")
            .starts_with("This server is a memory")
    );
    let log = served.end();
    assert!(
        log.contains(FAILED) && log.contains("settings.json:1"),
        "{log}"
    );
    assert_eq!(fs::read_to_string(&claude).unwrap(), "{ \"hooks\": ");
    let copy = user.database().with_file_name("bin/memory-server");
    let gemini = fs::read_to_string(user.home().join(".gemini/settings.json")).unwrap();
    assert!(gemini.contains("bin/memory-server") && !gemini.contains("Claude Extensions"));
    // An update of the extension brings another version.
    put_program(&extension, PROGRAM, "another version");
    let bytes = fs::read(&extension).unwrap();
    let served = serve_by(&user, &extension, Some("true"));
    served.says(FAILED, 1);
    served.end();
    assert!(fs::read(&copy).unwrap() == bytes);
    // No folder for a copy: the server is served all the same.
    user.said(&["hooks", "uninstall", "--client", "all"]);
    assert!(!copy.exists());
    fs::write(copy.parent().unwrap(), "a file").unwrap();
    let mut served = serve_by(&user, &extension, Some("true"));
    assert!(
        served
            .instructions("x")
            .starts_with("This server is a memory")
    );
    served.says(FAILED, 1);
    served.end();
}

#[test]
fn a_relative_folder_of_one_client_keeps_the_hooks_from_no_other() {
    let user = User::new();
    user.has_program("codex");
    user.has_program("gemini");
    let mut process = user.process(Path::new(PROGRAM), &["serve"]);
    process.env_remove("HOOKS_INSTALLED");
    process.envs([("HOOKS_INSTALL", "true"), ("CODEX_HOME", "foo")]);
    let served = Served::start(&mut process);
    served.says(INSTALLED, 1);
    let log = served.end();
    assert!(
        log.contains(FAILED) && log.contains("`CODEX_HOME` names `foo`"),
        "{log}"
    );
    assert!(user.home().join(".gemini/settings.json").exists());
}
