//! PostgreSQL in trouble gives a clear answer, loses nothing, and the memory server lives on.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

use memory_server::{
    Memory,
    store::{Database, Draft, Engine, Options, Query, Store, Trouble},
};
use serde_json::{Value, json};

use crate::{
    peer::{self, Peer},
    place::{self, server},
    server::Postgres,
};

/// The lock of everybody who writes.
const LOCK: i64 = 0x6d65_6d73;

fn quick() -> Options {
    let mut options = Options::default();
    options.busy_timeout = Duration::from_millis(500);
    options
}

fn memory(content: &str) -> Value {
    json!({ "project": "p", "content": content, "tags": [] })
}

async fn contents(store: &Store) -> BTreeSet<String> {
    let query = Query {
        limit: 50,
        ..Query::new("p", "")
    };
    let found = store.search(query).await.unwrap();
    found
        .hits
        .into_iter()
        .map(|hit| hit.record.content)
        .collect()
}

/// An empty database, without tables.
fn empty(name: &str) -> std::path::PathBuf {
    server().sql("postgres", &format!("CREATE DATABASE {name}"));
    server().url(name)
}

fn run(database: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .args(arguments)
        .env("MEMORY_DATABASE", database)
        .output()
        .unwrap()
}

#[tokio::test]
async fn a_server_that_is_restarted_is_used_again() {
    let Some(mut server) = Postgres::start() else {
        return;
    };
    let mut peer = Peer::over(Memory::open(server.url("postgres")).unwrap()).await;
    peer.call("store_memory", memory("before")).await.id();
    server.kill();
    let answer = peer.call("store_memory", memory("meanwhile")).await;
    answer.refuses("cannot be opened", "check that PostgreSQL runs");
    server.run();
    peer.call("store_memory", memory("afterwards")).await.id();
    let store = Store::open(server.url("postgres"), quick()).unwrap();
    let kept = ["afterwards", "before"].map(str::to_owned);
    assert_eq!(contents(&store).await, kept.into());
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_is_used_when_it_is_up() {
    let Some(mut server) = Postgres::start() else {
        return;
    };
    server.kill();
    let url = server.url("postgres");
    let refused = Store::open(&url, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::Unreachable), "{refused}");
    assert!(
        refused.to_string().contains(url.to_str().unwrap()),
        "{refused}"
    );
    let failed = run(&url, &["status"]);
    assert_eq!(failed.status.code(), Some(1));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(
        said.contains("error: the memory database `postgres://"),
        "{said}"
    );

    let mut peer = Peer::met(Memory::new(Store::deferred(&url, quick()))).await;
    let answer = peer.call("session_init", json!({})).await;
    answer.refuses("cannot be opened", "check that PostgreSQL runs");
    server.run();
    let opened = peer.call("session_init", json!({})).await;
    assert!(!opened.is_error, "{}", opened.text);
    peer.call("store_memory", memory("hello")).await.id();
}

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
    let due = jiff::Timestamp::now() + jiff::SignedDuration::from_millis(100);
    for n in 0..3 {
        stores[0]
            .remind("p", &format!("number {n}"), &due.to_string())
            .await
            .unwrap();
    }
    while jiff::Timestamp::now() <= due {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let claims = futures::future::join_all(stores.iter().map(Store::claim_reminder)).await;
    let claimed: Vec<String> = claims
        .into_iter()
        .filter_map(|claim| claim.unwrap())
        .map(|one| one.text)
        .collect();
    let different: BTreeSet<&String> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (3, 3), "{claimed:?}");
}

#[tokio::test]
async fn a_locked_database_is_reported_and_used_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let mut peer = Peer::over(Memory::new(Store::open(&url, quick()).unwrap())).await;
    let name = url.to_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let holder = {
        let name = name.clone();
        // Ended below, when it is no longer wanted.
        thread::spawn(move || {
            server().try_sql(
                &name,
                &format!("SELECT pg_advisory_lock({LOCK}), pg_sleep(60)"),
            )
        })
    };
    let held = format!(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = {LOCK}"
    );
    while server().sql(&name, &held).as_deref() != Some("1") {
        thread::sleep(Duration::from_millis(10));
    }
    let answer = peer.call("store_memory", memory("waiting")).await;
    answer.refuses("is locked by another process", "call again");
    // Readers are not stopped by a writer.
    let found = json!({ "project": "p", "query": "waiting" });
    assert!(!peer.call("search_memories", found).await.is_error);
    server().sql(
        &name,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid() AND datname = current_database()",
    );
    let ended = holder.join().unwrap();
    assert!(ended.is_err(), "{ended:?}");
    peer.call("store_memory", memory("waiting")).await.id();
}

#[tokio::test]
async fn a_transaction_that_fails_leaves_nothing_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let name = url.to_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let store = Store::open(&url, quick()).unwrap();
    store.store("p", Draft::new("kept")).await.unwrap();
    // The second memory of the batch fails in the database itself.
    server().sql(
        &name,
        "ALTER TABLE memory_server.memory ADD CONSTRAINT no_bad CHECK (content NOT LIKE '%bad%')",
    );
    let batch = vec![Draft::new("a good one"), Draft::new("a bad one")];
    let failed = store.store_batch("p", batch).await.unwrap_err();
    assert_eq!(failed.trouble(), Some(Trouble::Other), "{failed}");
    // And here the connection goes away in the middle.
    server().sql(
        &name,
        "CREATE FUNCTION memory_server.hang_up() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN IF NEW.content LIKE ''%last words%'' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END';
         CREATE TRIGGER hang_up AFTER INSERT ON memory_server.memory FOR EACH ROW EXECUTE FUNCTION memory_server.hang_up()",
    );
    let batch = vec![Draft::new("another good one"), Draft::new("last words")];
    let failed = store.store_batch("p", batch).await.unwrap_err();
    assert_eq!(failed.trouble(), Some(Trouble::Unreachable), "{failed}");
    store
        .store("p", Draft::new("said afterwards"))
        .await
        .unwrap();
    let kept = ["kept", "said afterwards"].map(str::to_owned);
    assert_eq!(contents(&store).await, kept.into());
}

#[tokio::test]
async fn a_database_that_cannot_be_written_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let name = url.to_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    server().sql(
        &name,
        &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"),
    );
    let store = Store::open(&url, quick()).unwrap();
    let refused = store.store("p", Draft::new("kept?")).await.unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::ReadOnly), "{refused}");
    assert_eq!(store.status().await.unwrap().memories, 0);
}

#[tokio::test]
async fn a_newer_database_one_of_another_program_and_one_of_bytes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let name = url.to_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    server().sql(&name, "UPDATE memory_server.version SET version = 99");
    let refused = Store::open(&url, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::TooNew), "{refused}");
    assert!(
        refused.to_string().contains("update memory-server"),
        "{refused}"
    );

    let url = empty("strange");
    server().sql(
        "strange",
        "CREATE SCHEMA memory_server; CREATE TABLE memory_server.cookies (name TEXT)",
    );
    let refused = Store::open(&url, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::Foreign), "{refused}");

    server().sql(
        "postgres",
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0",
    );
    let refused = Store::open(server().url("bytes"), quick()).unwrap_err();
    assert!(
        refused.to_string().contains("keeps texts in SQL_ASCII"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_text_that_postgres_does_not_keep_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(place::database(&folder, "m.db"), quick()).unwrap();
    let mut draft = Draft::new("of a strange conversation");
    draft.conversation = Some("a\0b".to_owned());
    let refused = store.store("p", draft).await.unwrap_err();
    assert!(refused.to_string().contains("NUL character"), "{refused}");
    assert!(
        store
            .recall_in("p", "strange\0 conversation", 5)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn the_status_names_the_server_and_nothing_shows_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let shown = place::database(&folder, "m.db");
    let shown = shown.to_str().unwrap();
    let secret = shown.replace("postgres@", "postgres:s3cret@");
    let said = run(Path::new(&secret), &["status"]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.starts_with(&format!("database: {shown}\n")), "{said}");
    assert!(
        said.contains("synchronous_commit: on\nschema: 1\npostgres: "),
        "{said}"
    );

    let store = Store::open(&secret, Options::default()).unwrap();
    assert!(!format!("{store:?}").contains("s3cret"));
    let status = store.status().await.unwrap();
    assert_eq!(status.database, Database::Server(shown.to_owned()));
    assert!(matches!(status.engine, Engine::Postgres { .. }));

    let nowhere = "postgres://me:s3cret@127.0.0.1:1/m";
    for arguments in [
        &["status"][..],
        &["tour"],
        &["hooks", "render", "--client", "claude-code"],
    ] {
        let mut all = vec!["--database", nowhere];
        all.extend(arguments);
        let output = run(Path::new(""), &all);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("s3cret"), "{said}");
        assert_eq!(
            arguments[0] == "hooks",
            said.contains("MEMORY_DATABASE"),
            "{said}"
        );
    }
    let named = "postgres://me@db.example/m";
    let said = run(
        Path::new(""),
        &[
            "--database",
            named,
            "hooks",
            "render",
            "--client",
            "claude-code",
        ],
    );
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(named), "{said}");
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
            send(call(
                json!(n),
                "store_memory",
                memory(&format!("finding{n} {mixed:x} x{n}")),
            ))?;
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
