//! Hosts that leave as soon as they have told of turns.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::json;

use super::{fresh, store};

/// The turns that a host tells of before it leaves.
const TURNS: u64 = 12;

#[tokio::test]
async fn turns_that_were_told_are_kept_however_the_host_ends_the_server() {
    let told = |method: &str, params| {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        format!("{message}\n")
    };
    let mut hello = crate::peer::initialize();
    hello["params"]["protocolVersion"] = "2024-11-05".into();
    hello["params"]["capabilities"] = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let mut input = told("notifications/initialized", json!({}));
    input += &told("featureSets/update", json!({"enabled": ["memory.*"]}));
    for turn in 0..TURNS {
        let params = json!({
            "inferenceId": format!("inf_{turn}"), "conversationId": "conv", "turnIndex": turn,
            "userMessage": format!("Remember: the locker {turn} is of guest {turn}{turn}"),
            "assistantMessage": "Fine.",
            "model": {"id": "m", "vendor": "v", "contextWindow": 1000, "capabilities": []},
            "usage": {"inputTokens": 1, "outputTokens": 1},
        });
        input += &told("context/afterInference", params);
    }
    for by_signal in [false, true] {
        let (_folder, path) = fresh();
        let mut server = Command::new(env!("CARGO_BIN_EXE_memory-server"))
            .arg("serve")
            .env("MEMORY_DATABASE", &path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut open = server.stdin.take().unwrap();
        writeln!(open, "{hello}").unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        lines.next().unwrap().unwrap();
        // The last turns may still be unread when the host leaves.
        open.write_all(input.as_bytes()).unwrap();
        if by_signal {
            let pid = server.id().to_string();
            let killed = Command::new("kill").args(["-TERM", &pid]).status();
            assert!(killed.unwrap().success());
        } else {
            drop(open);
        }
        assert!(server.wait().unwrap().success());
        assert_eq!(store(&path).status().await.unwrap().memories, TURNS);
    }
}
