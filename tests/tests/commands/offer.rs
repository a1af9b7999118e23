//! `serve` offers the hooks of a server that no client has installed.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::user::{PROGRAM, User};

/// What begins the offer.
const OFFER: &str = "This server also has hooks";

/// A client that speaks lines to `serve`.
struct Served {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Served {
    fn start(process: &mut Command) -> Served {
        let mut child = process.stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Served { child, lines }
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
        let instructions = answer["result"]["instructions"].as_str();
        instructions.unwrap_or_default().to_owned()
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

    /// Ends the server.
    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn serve(user: &User) -> Served {
    let mut process = user.process(Path::new(PROGRAM), &["serve"]);
    Served::start(process.env_remove("HOOKS_INSTALLED"))
}

fn installs(user: &User) -> PathBuf {
    user.data().join("installs")
}

#[test]
fn the_offer_is_one_sentence_until_a_client_has_the_hooks() {
    let user = User::new();
    for (client, option) in [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("a new client", "all"),
    ] {
        let mut served = serve(&user);
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
    let mut served = serve(&user);
    assert!(!served.instructions("claude-code").contains(OFFER));
    assert!(!served.call(json!({})).contains(OFFER));
    served.end();
    user.said(&["hooks", "uninstall", "--client", "gemini"]);
    let mut served = serve(&user);
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
    let mut served = serve(&user);
    assert_eq!(served.call(meta.clone()).matches(OFFER).count(), 1);
    assert!(!served.call(meta.clone()).contains(OFFER));
    served.end();
    let mut served = serve(&user);
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
