//! Hosts that leave as soon as they have told of a turn.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{fresh, store};

/// The turns that the host tells of before it leaves.
const TURNS: u64 = 12;

/// Starts the server, tells it of turns, and returns it while the last ones may still be unread.
fn told(database: &Path) -> Child {
    let mut server = Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .arg("serve")
        .env("MEMORY_DATABASE", database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let input = server.stdin.as_mut().unwrap();
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2024-11-05",
            "capabilities": {"experimental": {"mcpl": {"version": "0.4"}}},
            "clientInfo": {"name": "connectome", "version": "1"},
        },
    });
    writeln!(input, "{initialize}").unwrap();
    lines.next().unwrap().unwrap();
    let told = |method: &str, params: &serde_json::Value| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "method": method, "params": params})
        )
    };
    let mut all = told("notifications/initialized", &json!({}));
    all += &told("featureSets/update", &json!({"enabled": ["memory.*"]}));
    for turn in 0..TURNS {
        let params = json!({
            "inferenceId": format!("inf_{turn}"), "conversationId": "conv", "turnIndex": turn,
            "userMessage": format!("Remember: the locker {turn} is of guest {turn}{turn}"),
            "assistantMessage": "Fine.",
            "model": {"id": "m", "vendor": "v", "contextWindow": 1000, "capabilities": []},
            "usage": {"inputTokens": 1, "outputTokens": 1},
        });
        all += &told("context/afterInference", &params);
    }
    input.write_all(all.as_bytes()).unwrap();
    input.flush().unwrap();
    server
}

/// Waits for the end of the process, which comes soon.
fn ended(server: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        if let Some(status) = server.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill().unwrap();
    server.wait().unwrap();
    panic!("the server does not end");
}

#[tokio::test]
async fn turns_that_were_told_are_kept_when_the_host_closes_the_stream_at_once() {
    let (_folder, path) = fresh();
    let mut server = told(&path);
    drop(server.stdin.take());
    assert!(ended(&mut server).success());
    assert_eq!(store(&path).status().await.unwrap().memories, TURNS);
}

#[cfg(unix)]
#[tokio::test]
async fn turns_that_were_told_are_kept_when_the_host_ends_the_server_by_sigterm() {
    let (_folder, path) = fresh();
    let mut server = told(&path);
    let pid = server.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(killed.success());
    // Standard input stays open.
    assert!(ended(&mut server).success());
    assert_eq!(store(&path).status().await.unwrap().memories, TURNS);
}
