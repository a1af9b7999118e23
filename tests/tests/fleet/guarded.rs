//! Real processes: two times `memory-server` on one Redis server, and the example guardian, which both ask over HTTP.

use std::{
    fs, io,
    net::Ipv4Addr,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::{Duration, Instant},
};

use hooks_tests::{process::free_port, redis::Redis};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

use crate::{
    client::{Client, Connect, Failure, Generation, text},
    processes::{Port, Replica, program},
};

/// The longest time until the guardian answers, or is seen to be gone.
const PATIENCE: Duration = Duration::from_secs(30);

const POLICY: &str = "
default: allow
rules:
  - name: no passwords
    on: [tool_call_request]
    when: text = matches(\"(?i)password\")
    decision: deny
    message: passwords do not belong here
    code: NO_PASSWORDS
";

/// The guardian as a process.
struct Guardian(Child);

impl Guardian {
    async fn start(port: u16, folder: &Path) -> Guardian {
        let policy = folder.join("policy.yaml");
        fs::write(&policy, POLICY).expect("a file for the policy");
        let child = Command::new(program("guardian"))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--policy"])
            .arg(policy)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let guardian = Guardian(child.expect("the guardian starts"));
        let until = Instant::now() + PATIENCE;
        while Port(port).connect().await.is_err() {
            assert!(Instant::now() < until, "the guardian does not answer");
            sleep(Duration::from_millis(20)).await;
        }
        guardian
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The way to the replica that is chosen at the moment.
#[derive(Clone, Default)]
struct Chosen(Arc<AtomicU16>);

impl Chosen {
    fn choose(&self, replica: &Replica) {
        self.0.store(replica.port, Ordering::Relaxed);
    }
}

impl Connect for Chosen {
    type Io = TcpStream;

    async fn connect(&self) -> io::Result<TcpStream> {
        Port(self.0.load(Ordering::Relaxed)).connect().await
    }
}

/// A client whose session the replicas share.
struct Session {
    client: Client<Chosen>,
    chosen: Chosen,
    handle: Option<String>,
}

impl Session {
    /// Opens a session at the replica.
    async fn open(generation: Generation, at: &Replica) -> Session {
        let chosen = Chosen::default();
        chosen.choose(at);
        let user = format!("{generation:?}").to_lowercase();
        let client = Client::new(chosen.clone(), generation, user);
        client.begin().await.expect("a handshake");
        let mut session = Session {
            client,
            chosen,
            handle: None,
        };
        let opened = session.call(at, "session_init", json!({})).await;
        let handle = opened["_meta"]["hooks-sdk/session"].as_str();
        session.handle = handle.map(str::to_owned);
        session
    }

    async fn call(&self, at: &Replica, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(at, tool, arguments).await;
        result.unwrap_or_else(|failure| panic!("{tool}: {failure:?}"))
    }

    async fn try_call(
        &self,
        at: &Replica,
        tool: &str,
        mut arguments: Value,
    ) -> Result<Value, Failure> {
        self.chosen.choose(at);
        arguments["project"] = json!(format!("guarded-{:?}", self.client.generation));
        if let Some(handle) = &self.handle {
            arguments["session"] = json!(handle);
        }
        self.client.call(tool, arguments, &|_| true).await
    }

    async fn search(&self, at: &Replica, query: &str) -> Value {
        self.call(at, "search_memories", json!({"query": query}))
            .await
    }

    /// Stores a memory, and returns the answer's text.
    async fn store(&self, at: &Replica, content: &str) -> String {
        let memory = json!({"content": content, "tags": []});
        text(&self.call(at, "store_memory", memory).await)
    }
}

/// An object in an object in an object.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({"a": inner}))
}

/// Whether the replica says that its guardian answers.
async fn trusts_its_guardian(replica: &Replica) -> bool {
    let mut stream = Port(replica.port).connect().await.expect("a replica");
    let request = "GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer.contains(r#""guardian":"ok""#)
}

/// What a caller can send that the guardian cannot be asked about, and what the refusal says.
fn unaskable() -> [(Value, &'static str); 3] {
    let with = |content: Value| json!({"content": "fine", "tags": [], "source": content});
    [
        (with(nested(110)), "too deep"),
        (with(nested(124)), "too deep"),
        (with(json!("x".repeat(3 << 20))), "too_large"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guardian_over_http_decides_at_both_replicas_and_nothing_runs_without_it() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let guardian = Guardian::start(port, folder.path()).await;
    let url = format!("http://{}:{port}/aos", Ipv4Addr::LOCALHOST);
    let options = ["--guardian", &url, "--on-guardian-failure", "deny"];
    let [a, b] =
        [(); 2].map(|()| Replica::start(free_port(), redis.url(), folder.path(), &options));
    a.answers().await;
    b.answers().await;

    let mut sessions = Vec::new();
    for generation in [Generation::Legacy, Generation::Stateless] {
        let session = Session::open(generation, &a).await;
        decides(&session, &a, &b).await;
        refuses_what_it_cannot_be_asked(&session, &a, &b).await;
        sessions.push(session);
    }

    drop(guardian);
    for session in &sessions {
        for at in [&a, &b] {
            for (tool, arguments) in [
                ("list_topics", json!({})),
                (
                    "store_memory",
                    json!({"content": "nobody looks", "tags": []}),
                ),
            ] {
                let refused = session.call(at, tool, arguments).await;
                assert_eq!(refused["isError"], true, "{refused}");
                assert!(text(&refused).contains("guardian"), "{refused}");
            }
        }
    }

    let _guardian = Guardian::start(port, folder.path()).await;
    let until = Instant::now() + PATIENCE;
    for session in &sessions {
        for at in [&a, &b] {
            let mut found = session.search(at, "looks").await;
            while found["isError"] == true && Instant::now() < until {
                sleep(Duration::from_millis(100)).await;
                found = session.search(at, "looks").await;
            }
            assert_ne!(found["isError"], true, "{found}");
            assert!(!text(&found).contains("nobody looks"), "{found}");
        }
    }
}

/// The session goes on at the other replica, and the guardian's decision holds at both.
async fn decides(session: &Session, a: &Replica, b: &Replica) {
    let stored = session.store(a, "The tripod is in room 4.").await;
    assert!(stored.contains("Stored"), "{stored}");
    for at in [b, a] {
        let found = session.search(at, "tripod").await;
        assert!(text(&found).contains("room 4"), "{found}");
        let denied = session.store(at, "the password is tulip").await;
        assert!(denied.contains("[NO_PASSWORDS]"), "{denied}");
        let found = session.search(at, "the").await;
        assert!(!text(&found).contains("tulip"), "{found}");
    }
}

/// What a caller can cause is no failure of the guardian: it is refused, and the next call is decided as always.
async fn refuses_what_it_cannot_be_asked(session: &Session, a: &Replica, b: &Replica) {
    for at in [a, b] {
        // More often than a guardian may fail before it counts as gone.
        for _ in 0..4 {
            for (arguments, why) in unaskable() {
                let refused = session.try_call(at, "store_memory", arguments).await;
                let refused = match refused {
                    Ok(result) => text(&result),
                    Err(Failure::Final(said)) => said,
                    Err(Failure::Retryable(said)) => panic!("no answer: {said}"),
                };
                assert!(refused.contains(why), "{refused}");
            }
        }
        // Too deep for any reader of JSON.
        let deepest = json!({"source": nested(400)});
        assert!(session.try_call(at, "store_memory", deepest).await.is_err());
        assert!(trusts_its_guardian(at).await);
        let denied = session.store(at, "the password is tulip").await;
        assert!(denied.contains("[NO_PASSWORDS]"), "{denied}");
    }
}
