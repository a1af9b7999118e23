//! A server that is killed while it stores has kept every memory it answered for, in a SQLite file.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::Connection;
use serde_json::{Value, json};

const STORES: u64 = 10_000;

/// Words that no two memories share, so that none is taken for another.
fn content(n: u64) -> String {
    let mix = |seed: u64| {
        (n + seed)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    format!(
        "finding {n} {:x} {:x} {:x}",
        mix(1),
        mix(1 << 20),
        mix(1 << 40)
    )
}

#[test]
fn a_kill_amid_ten_thousand_stores_loses_nothing_that_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let any = u64::from(moment.subsec_micros());
    // Among few and among many.
    let kill_after = (100 << (any % 7)) + any % 100;

    let mut server = Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .args(["serve", "--database"])
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut send = |message: Value| writeln!(input, "{message}");
        send(crate::peer::initialize())?;
        send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        send(json!({
            "jsonrpc": "2.0", "id": "open", "method": "tools/call",
            "params": { "name": "session_init", "arguments": {} }
        }))?;
        for n in 1..=STORES {
            send(json!({
                "jsonrpc": "2.0", "id": n, "method": "tools/call",
                "params": {
                    "name": "store_memory",
                    "arguments": { "project": "p", "content": content(n), "tags": ["crash"] }
                }
            }))?;
        }
        // Kept open: a closed pipe would be a polite end.
        Ok::<_, std::io::Error>(input)
    });

    let mut answered = Vec::new();
    for line in BufReader::new(server.stdout.take().unwrap()).lines() {
        // The last line may be torn by the kill; an answer is one that arrived whole.
        let Ok(answer) = serde_json::from_str::<Value>(&line.unwrap()) else {
            break;
        };
        let (Some(n), Some(text)) = (
            answer["id"].as_u64(),
            answer["result"]["content"][0]["text"].as_str(),
        ) else {
            continue;
        };
        let (_, id) = text.split_once("Stored, ID: ").expect(text);
        answered.push((n, id[..36].to_owned()));
        if answered.len() as u64 == kill_after {
            server.kill().unwrap();
        }
    }
    assert!(!server.wait().unwrap().success());
    let _ = writer.join().unwrap();
    assert!(
        answered.len() as u64 >= kill_after,
        "{} of {kill_after}",
        answered.len()
    );
    assert!((answered.len() as u64) < STORES);

    let database = Connection::open(&path).unwrap();
    let check: String = database
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    database
        .execute(
            "INSERT INTO memory_text (memory_text) VALUES ('integrity-check')",
            [],
        )
        .unwrap();
    let mut select = database.prepare("SELECT id, content FROM memory").unwrap();
    let kept: HashMap<String, String> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (n, id) in &answered {
        assert_eq!(kept.get(id), Some(&content(*n)), "answered but lost");
    }
}
