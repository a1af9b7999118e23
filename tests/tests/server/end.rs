//! How a server ends: what is left for its host is written, and a host that does not read it is not waited for.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hooks_sdk::WireTransport;
use rmcp::{RoleServer, service::RunningService};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split},
    time::{Instant, timeout},
};

use crate::server::hooked;

/// All that a server may take to end, in the tests' own time.
const END: Duration = Duration::from_secs(2);

type Running = RunningService<RoleServer, hooks_sdk::server::HookedService>;

/// A server that is served these lines, and the ends of its host, which reads nothing.
async fn served(lines: &[String]) -> (Running, ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = duplex(2048);
    let (read, write) = split(theirs);
    let server = tokio::spawn(hooked().serve(WireTransport::new(read, write)));
    let (read, mut write) = split(ours);
    let client = json!({"name": "h", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let shake = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for line in [shake.to_string(), ready.to_string()].iter().chain(lines) {
        let line = format!("{line}\n");
        write.write_all(line.as_bytes()).await.unwrap();
    }
    (server.await.unwrap().unwrap(), read, write)
}

fn request(method: &str, id: u32) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()
}

/// It ends by itself within this time, the tests' own.
async fn ends(running: Running, within: Duration) {
    let begun = Instant::now();
    let ended = timeout(Duration::from_secs(3600), running.waiting()).await;
    ended.expect("it ends").unwrap();
    assert!(begun.elapsed() < within, "after {:?}", begun.elapsed());
}

/// All that it says to the end, each message whole.
async fn said(mut read: ReadHalf<DuplexStream>) -> Vec<Value> {
    let mut said = String::new();
    read.read_to_string(&mut said).await.unwrap();
    assert!(said.ends_with('\n'));
    let messages = said.lines().map(|line| serde_json::from_str(line).unwrap());
    messages.collect()
}

#[tokio::test(start_paused = true)]
async fn answers_that_nobody_reads_are_waited_for_once() {
    let mut lines: Vec<String> = (1..100).map(|id| request("echo", id)).collect();
    lines.push(request("after/1", 100));
    let (running, _read, mut write) = served(&lines).await;
    write.shutdown().await.unwrap();
    ends(running, END).await;
}

#[tokio::test(start_paused = true)]
async fn unread_refusals_hold_no_server_up() {
    let lines = vec!["not json".to_owned(); 2000];
    let (running, _read, mut write) = served(&lines).await;
    write.shutdown().await.unwrap();
    ends(running, END).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_stopped_waits_for_no_reader() {
    let lines: Vec<String> = (1..100).map(|id| request("echo", id)).collect();
    let (running, _read, _write) = served(&lines).await;
    running.cancellation_token().cancel();
    // Two seconds more are rmcp's, which waits for the answers itself.
    ends(running, END + Duration::from_secs(2)).await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_has_ended_its_side_gets_the_answers_to_calls_that_still_run() {
    let lines: Vec<String> = (1..=4)
        .map(|id| request(&format!("after/{id}"), id))
        .collect();
    let (_running, read, mut write) = served(&lines).await;
    write.shutdown().await.unwrap();
    let said = said(read).await;
    assert!(
        said.iter()
            .map(|message| &message["id"])
            .eq(&[0, 1, 2, 3, 4])
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_begun_is_ended_also_when_rmcp_stops_waiting_for_it() {
    let line = request(&format!("after/4/{}", "x".repeat(10_000)), 1);
    let (_running, read, mut write) = served(&[line]).await;
    write.shutdown().await.unwrap();
    // rmcp gives what still runs five seconds; the answer is begun after four.
    tokio::time::sleep(Duration::from_millis(5200)).await;
    assert_eq!(said(read).await[1]["id"], 1);
}

/// Lines of 8 MiB, each a request that is refused with as much, of which 16 may wait.
fn long_requests() -> impl Iterator<Item = String> {
    // Put together by hand: a debug build takes seconds to serialise that much.
    let method = "x".repeat(8 * 1024 * 1024);
    (1..=20).map(move |id| {
        format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "{method}", "params": 7}}"#) + "\n"
    })
}

#[tokio::test(start_paused = true)]
async fn a_host_that_writes_much_before_it_reads_is_read_from_when_it_does() {
    let (_running, read, mut write) = served(&[]).await;
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let writing = tokio::spawn(async move {
        for line in long_requests() {
            write.write_all(line.as_bytes()).await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
        write.shutdown().await.unwrap();
    });
    while written.load(Ordering::Relaxed) < 15 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(written.load(Ordering::Relaxed) < 20);
    assert_eq!(said(read).await.len(), 21);
    writing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_host_that_lets_too_much_wait_is_given_up() {
    let (running, _read, mut write) = served(&[]).await;
    tokio::spawn(async move {
        for line in long_requests() {
            write.write_all(line.as_bytes()).await?;
        }
        std::future::pending::<std::io::Result<()>>().await
    });
    ends(running, Duration::from_secs(40)).await;
}

#[tokio::test]
async fn each_malformed_request_is_answered_also_to_a_host_that_writes_before_it_reads() {
    let lines: Vec<String> = (1..5000)
        .map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "echo", "params": 7}).to_string())
        .collect();
    let (_running, read, mut write) = served(&lines).await;
    write.shutdown().await.unwrap();
    let said = said(read).await;
    let answered: BTreeSet<_> = said.iter().map(|message| message["id"].as_u64()).collect();
    assert!(answered.into_iter().eq((0..5000).map(Some)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_wrong_last_is_answered_before_the_end() {
    for _ in 0..200 {
        let (_running, read, mut write) = served(&["not json".to_owned()]).await;
        write.shutdown().await.unwrap();
        assert_eq!(said(read).await[1]["error"]["code"], -32700);
    }
}
