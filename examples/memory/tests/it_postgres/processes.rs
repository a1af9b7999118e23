//! Several memory servers on one database of PostgreSQL, and one that is killed.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
};

use memory_server::store::{Draft, Options, Store};
use serde_json::{Value, json};

use crate::{
    peer,
    place::{self, empty, name, run, server},
};

#[tokio::test]
async fn several_processes_share_a_database_from_its_first_moment() {
    let url = empty("shared");
    let line = |n: usize| json!({ "id": n.to_string(), "text": format!("from{n} x{n}"), "metadata": { "project": "p" } });
    let processes: Vec<_> = (0..4)
        .map(|process| {
            let mut child = Command::new(env!("CARGO_BIN_EXE_memory-server"))
                .args(["import", "-"])
                .env("MEMORY_DATABASE", &url)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            // Each has half of its neighbour's.
            let mut input = child.stdin.take().unwrap();
            for n in process * 10..process * 10 + 20 {
                writeln!(input, "{}", line(n)).unwrap();
            }
            child
        })
        .collect();
    let (mut added, mut known) = (0, 0);
    for child in processes {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let numbers = said.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
        added += numbers[0];
        known += numbers[1];
    }
    assert_eq!((added, known), (50, 30));
}

#[tokio::test]
async fn what_two_store_at_once_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let stores: Vec<Store> = (0..6)
        .map(|_| Store::open(&url, Options::default()).unwrap())
        .collect();
    let content = "Webhooks are retried three times with a delay of ten seconds each";
    let all = stores
        .iter()
        .map(|store| store.store("p", Draft::new(content)));
    for stored in futures::future::join_all(all).await {
        stored.unwrap();
    }
    assert_eq!(stores[0].status().await.unwrap().memories, 1);
}

#[tokio::test]
async fn a_reminder_is_claimed_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let stores: Vec<Store> = (0..6)
        .map(|_| Store::open(&url, Options::default()).unwrap())
        .collect();
    for n in 0..3 {
        stores[0]
            .remind(
                "host:h",
                "p",
                &format!("number {n}"),
                "2999-01-01T00:00:00Z",
            )
            .await
            .unwrap();
    }
    let passes = "UPDATE memory_server.reminder SET next_attempt = 0";
    server().sql(&name(&url), passes);
    let claims =
        futures::future::join_all(stores.iter().map(|store| store.claim_reminder("host:h"))).await;
    let claimed: Vec<String> = claims
        .into_iter()
        .filter_map(|claim| claim.unwrap())
        .map(|one| one.text)
        .collect();
    let different: BTreeSet<&String> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (3, 3), "{claimed:?}");
}

#[tokio::test]
async fn a_kill_amid_stores_loses_nothing_that_was_answered() {
    const STORES: u64 = 2000;
    const ANSWERS: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let mut server = Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .arg("serve")
        .env("MEMORY_DATABASE", &url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut send = |message: Value| writeln!(input, "{message}");
        send(peer::initialize())?;
        send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let call = |id: Value, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        send(call(json!("open"), "session_init", json!({})))?;
        for n in 1..=STORES {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let content = format!("finding{n} {mixed:x} x{n}");
            let memory = json!({ "project": "p", "content": content, "tags": [] });
            send(call(json!(n), "store_memory", memory))?;
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
        let text = answer["result"]["content"][0]["text"].as_str();
        let Some((_, id)) = text.and_then(|text| text.split_once("Stored, ID: ")) else {
            continue;
        };
        answered.push(id[..36].to_owned());
        if answered.len() == ANSWERS {
            server.kill().unwrap();
        }
    }
    server.wait().unwrap();
    _ = writer.join().unwrap();
    assert!(answered.len() >= ANSWERS, "{}", answered.len());
    let kept = String::from_utf8(run(&url, &["export"]).stdout).unwrap();
    let kept: BTreeSet<String> = kept
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert!(
        answered.iter().all(|id| kept.contains(id)),
        "answered but lost"
    );
}
