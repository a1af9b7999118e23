//! PostgreSQL in trouble gives a clear answer, loses nothing, and the memory server lives on.

use std::{collections::BTreeSet, path::Path, process::Command, thread, time::Duration};

use memory_server::{
    Memory,
    store::{Database, Draft, Engine, Options, Query, Store, Trouble},
};
use serde_json::{Value, json};

use crate::{
    peer::Peer,
    place::{self, empty, name, run, server},
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
async fn a_locked_database_is_reported_and_used_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let mut peer = Peer::over(Memory::new(Store::open(&url, quick()).unwrap())).await;
    let name = name(&url);
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
async fn a_connection_that_hangs_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let store = Store::open(&url, quick()).unwrap();
    store.store("p", Draft::new("before")).await.unwrap();
    let number = server().sql(
        &name(&url),
        "SELECT pid FROM pg_stat_activity
         WHERE application_name = 'memory-server' AND datname = current_database()",
    );
    let signal = |signal: &str| {
        let mut kill = Command::new("kill");
        kill.args([signal, number.as_deref().unwrap()])
            .status()
            .unwrap()
    };
    assert!(signal("-STOP").success());
    let stored = store.store("p", Draft::new("afterwards")).await;
    signal("-CONT");
    stored.unwrap();
    assert_eq!(store.status().await.unwrap().memories, 2);
}

#[tokio::test]
async fn a_transaction_that_fails_leaves_nothing_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let url = place::database(&folder, "m.db");
    let name = name(&url);
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
    let name = name(&url);
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
    let name = name(&url);
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
        said.contains("synchronous_commit: on\nschema: 2\npostgres: "),
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
        &["hooks", "install", "--client", "claude-code", "--dry-run"],
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
            "install",
            "--client",
            "claude-code",
            "--dry-run",
        ],
    );
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(named), "{said}");
}
