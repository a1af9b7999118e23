//! Two replicas with one PostgreSQL server, which is also restarted.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    thread,
};

use hooks_tests::{
    client::{Client, text},
    postgres::Postgres,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A process of the server, which ends with the test.
struct Replica {
    process: Child,
    client: Client,
    _home: TempDir,
}

impl Drop for Replica {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn command(url: &str, home: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_postgres-server"));
    command
        .args(["serve", "--http", "127.0.0.1:0", "--store", url])
        .env("NOTES_DATABASE", url)
        .env("HOME", home.path())
        .env_remove("XDG_DATA_HOME")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

impl Replica {
    fn start(url: &str) -> Replica {
        let home = tempfile::tempdir().unwrap();
        let mut process = command(url, &home).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address: SocketAddr = loop {
            let line = lines.next().expect("an address").unwrap();
            if let Some(rest) = line.strip_prefix("listening on http://") {
                break rest.trim_end_matches("/mcp").parse().unwrap();
            }
        };
        // Somebody has to read what else it says.
        thread::spawn(move || lines.for_each(drop));
        Replica {
            process,
            client: Client::stateless(address),
            _home: home,
        }
    }

    /// Calls a tool in the session of that id.
    async fn call(&self, session: &str, tool: &str, arguments: Value) -> Result<String, String> {
        let more = json!({"arguments": arguments, "_meta": {"sessionId": session}});
        let result = self.client.call_with(tool, more).await;
        let said = text(&result);
        match result["isError"] == true {
            true => Err(said),
            false => Ok(said),
        }
    }
}

#[tokio::test]
async fn a_session_and_its_notes_go_on_at_another_replica_and_outlast_both() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let url = server.url();
    // Both make the table at once.
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| Replica::start(&url));
        let two = scope.spawn(|| Replica::start(&url));
        (one.join().unwrap(), two.join().unwrap())
    });
    let refused = two.call("kim", "list_notes", json!({})).await.unwrap_err();
    assert!(
        refused.contains("requires session initialization"),
        "{refused}"
    );
    one.call("kim", "session_init", json!({})).await.unwrap();
    let note = json!({"text": "buy milk"});
    one.call("kim", "add_note", note).await.unwrap();
    let notes = two.call("kim", "list_notes", json!({})).await;
    assert_eq!(notes.as_deref(), Ok("buy milk"));
    // Another session begins at its own beginning.
    two.call("lee", "list_notes", json!({})).await.unwrap_err();
    drop((one, two));
    let three = Replica::start(&url);
    let notes = three.call("kim", "list_notes", json!({})).await;
    assert_eq!(notes.as_deref(), Ok("buy milk"));
}

#[tokio::test]
async fn a_database_that_is_restarted_is_used_again() {
    let Some(mut server) = Postgres::start() else {
        return;
    };
    let replica = Replica::start(&server.url());
    replica
        .call("kim", "session_init", json!({}))
        .await
        .unwrap();
    let note = json!({"text": "before"});
    replica.call("kim", "add_note", note).await.unwrap();
    server.restart();
    // Connections of before are closed, and a pool notices each of them once.
    let mut tries = 0;
    let notes = loop {
        match replica.call("kim", "list_notes", json!({})).await {
            Err(said) if tries < 20 => tries += i32::from(!said.is_empty()),
            ended => break ended,
        }
    };
    assert_eq!(notes.as_deref(), Ok("before"));
}

#[test]
fn a_database_that_is_not_there_ends_the_start_with_a_sentence() {
    let home = tempfile::tempdir().unwrap();
    let nowhere = "postgres://me:s3cret@127.0.0.1:1/notes?sslmode=disable";
    let mut without = command(nowhere, &home);
    for command in [
        &mut command(nowhere, &home),
        without.env_remove("NOTES_DATABASE"),
    ] {
        let ended = command.output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(
            !ended.status.success() && said.contains("error: "),
            "{said}"
        );
        assert!(!said.contains("s3cret"), "{said}");
    }
}
