//! How many requests run at a time, what is still read beyond that, and that all of them are answered before the end.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hooks_sdk::{Collected, Hooked, WireTransport, core::Registry};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CustomRequest, CustomResult, ServerRequest},
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf,
    WriteHalf, duplex, split,
};

/// A server that counts the requests that run in it.
#[derive(Default)]
struct Counting {
    running: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
}

struct Run<'c>(&'c Counting);

impl Counting {
    fn run(&self) -> Run<'_> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        self.begun.fetch_add(1, Ordering::SeqCst);
        Run(self)
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ServerHandler for Counting {
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let _run = self.run();
        let (what, number) = request.method.split_once('/').unwrap_or_default();
        match what {
            "sleep" => tokio::time::sleep(Duration::from_secs(number.parse().unwrap())).await,
            "until_cancelled" => context.ct.cancelled().await,
            "deaf" => std::future::pending().await,
            "ask" => {
                let asked = context
                    .peer
                    .send_request(ServerRequest::PingRequest(Default::default()));
                let answer = asked
                    .await
                    .map_or_else(|error| error.to_string(), |_| "pong".into());
                return Ok(CustomResult::new(json!(answer)));
            }
            _ => tokio::task::yield_now().await,
        }
        Ok(CustomResult::new(json!({})))
    }
}

/// The client's end of a connection to a server that counts.
struct Client {
    counting: Arc<Counting>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

type Transport = WireTransport;

fn hooked(counting: &Arc<Counting>) -> Hooked<Arc<Counting>> {
    let none = Registry::builder().build().unwrap();
    Collected::of(none).unwrap().wrap(counting.clone()).unwrap()
}

fn request(id: impl Into<Value>, method: &str) -> String {
    let message = json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": {}});
    format!("{message}\n")
}

fn cancel(id: u32) -> String {
    let message =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    format!("{message}\n")
}

const SHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);

impl Client {
    async fn of(configured: impl FnOnce(Transport) -> Transport) -> Client {
        let counting = Arc::new(Counting::default());
        let (ours, theirs) = duplex(4096);
        let (read, write) = split(theirs);
        let serving = hooked(&counting).serve(configured(WireTransport::new(read, write)));
        tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
        let (read, write) = split(ours);
        let lines = BufReader::new(read).lines();
        let mut client = Client {
            counting,
            lines,
            write,
        };
        client.send(SHAKE).await;
        assert_eq!(client.next().await["id"], 0);
        client
    }

    async fn send(&mut self, lines: &str) {
        self.write.write_all(lines.as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        serde_json::from_str(&line.expect("a message")).unwrap()
    }

    /// The ids of the answers to the end.
    async fn rest(mut self) -> Vec<Value> {
        self.write.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(serde_json::from_str::<Value>(&line).unwrap());
        }
        rest
    }

    /// Waits until this many requests have begun to run.
    async fn begun(&self, number: usize) {
        while self.counting.begun.load(Ordering::SeqCst) < number {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn most(&self) -> usize {
        self.counting.most.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn no_more_requests_run_at_a_time_than_may() {
    let Client {
        counting,
        mut lines,
        mut write,
    } = Client::of(|transport| transport.max_requests(8)).await;
    let all: String = (1..=5000).map(|id| request(id, "quick/1")).collect();
    let writing = tokio::spawn(async move {
        write.write_all(all.as_bytes()).await.unwrap();
        write
    });
    let mut answered = BTreeSet::new();
    while answered.len() < 5000 {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answered.insert(answer["id"].as_u64()), "answered twice");
    }
    drop(writing.await.unwrap());
    assert!(counting.most.load(Ordering::SeqCst) <= 8);
}

#[tokio::test]
async fn the_bytes_of_running_requests_are_bounded_and_one_always_runs() {
    let mut client = Client::of(|transport| transport.max_request_bytes(1)).await;
    let all: String = (1..=50).map(|id| request(id, "quick/1")).collect();
    client.send(&all).await;
    let counting = client.counting.clone();
    assert_eq!(client.rest().await.len(), 50);
    assert_eq!(counting.most.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn reading_stops_when_the_bound_and_the_read_ahead_are_full() {
    let mut client = Client::of(|transport| transport.max_requests(4)).await;
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let writing = tokio::spawn(async move {
        for id in 1..=10_000 {
            let line = request(id, "sleep/20");
            client.write.write_all(line.as_bytes()).await.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(client.counting.begun.load(Ordering::SeqCst), 4);
    // 256 KiB are read ahead, with 1 KiB for each beside its text, and the pipe holds 4 KiB.
    let written = written.load(Ordering::SeqCst);
    assert!((200..400).contains(&written), "{written}");
    writing.abort();
}

#[tokio::test]
async fn a_cancellation_behind_held_requests_makes_room() {
    let mut client = Client::of(|transport| transport.max_requests(2)).await;
    client.send(&request(1, "until_cancelled/1")).await;
    client.send(&request(2, "until_cancelled/2")).await;
    client.send(&request(3, "quick/3")).await;
    client.send(&request(4, "quick/4")).await;
    client.begun(2).await;
    client.send(&cancel(3)).await;
    client.send(&cancel(1)).await;
    assert_eq!(client.next().await["id"], 4);
    client.send(&cancel(2)).await;
    assert_eq!(client.rest().await, [Value::Null; 0]);
}

#[tokio::test]
async fn an_answer_behind_held_requests_is_read() {
    let client = Client::of(|transport| transport.max_requests(1)).await;
    let mut all: String = (1..=200).map(|id| request(id, "ask/1")).collect();
    // More than is read ahead without a question of the server's.
    let padding = "x".repeat(2000);
    all.extend((201..=400).map(|id| request(id, &format!("quick/{padding}"))));
    let (mut lines, mut write) = (client.lines, client.write);
    let (send, mut receive) = tokio::sync::mpsc::unbounded_channel::<String>();
    send.send(all).unwrap();
    tokio::spawn(async move {
        while let Some(line) = receive.recv().await {
            write.write_all(line.as_bytes()).await.unwrap();
        }
    });
    let mut answered = 0;
    while answered < 400 {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "ping" {
            let pong = json!({"jsonrpc": "2.0", "id": message["id"], "result": {}});
            send.send(format!("{pong}\n")).unwrap();
        } else {
            assert!(
                message["result"] == "pong" || message["result"] == json!({}),
                "{message}"
            );
            answered += 1;
        }
    }
    assert_eq!(client.counting.most.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn requests_that_find_no_room_for_a_minute_are_refused_until_there_is_some() {
    let mut client = Client::of(|transport| transport.max_requests(1)).await;
    client.send(&request(1, "until_cancelled/1")).await;
    let (lines, mut write) = (&mut client.lines, client.write);
    let writing = tokio::spawn(async move {
        for id in 2..=400 {
            write
                .write_all(request(id, "quick/1").as_bytes())
                .await
                .unwrap();
        }
        write.write_all(cancel(1).as_bytes()).await.unwrap();
        write
    });
    let (mut refused, mut done) = (0, 0);
    while refused + done < 399 {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        if answer.get("error").is_some() {
            assert_eq!(answer["error"]["code"], -32603);
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("send this one again later"), "{message}");
            assert!(answer["id"].as_u64().unwrap() > 200);
            refused += 1;
        } else {
            done += 1;
        }
    }
    assert!(refused > 0 && done >= 200, "{refused} {done}");
    drop(writing.await);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_goes_on_after_its_cancellation_takes_room() {
    let mut client = Client::of(|transport| transport.max_requests(3)).await;
    for id in 1..=3 {
        client.send(&request(id, "deaf/1")).await;
    }
    client.begun(3).await;
    for id in 1..=3 {
        client.send(&cancel(id)).await;
    }
    client.send(&request(4, "quick/1")).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(client.counting.begun.load(Ordering::SeqCst), 3);
    // Nobody waits for cancelled calls, so that the request behind them alone holds the end up.
    let begun = tokio::time::Instant::now();
    assert_eq!(client.rest().await, [Value::Null; 0]);
    assert!(begun.elapsed() < Duration::from_secs(70));
}

#[tokio::test]
async fn requests_with_one_id_at_a_time_leave_no_room_taken() {
    let mut client = Client::of(|transport| transport.max_requests(2)).await;
    for _ in 0..200 {
        client.send(&request("same", "quick/1")).await;
    }
    client.send(&request("last", "quick/1")).await;
    let mut same = 0;
    loop {
        let answer = client.next().await;
        if answer["id"] == "last" {
            break;
        }
        // Each is answered, or refused because the one before it still runs.
        let code = &answer["error"]["code"];
        assert!(code.is_null() || *code == -32600, "{answer}");
        same += 1;
    }
    assert!((199..=200).contains(&same), "{same}");
    assert!(client.most() <= 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_long_after_the_end_of_input_is_answered() {
    let mut client = Client::of(|transport| transport).await;
    client.send(&request(1, "sleep/50")).await;
    client.send(&request(2, "sleep/10")).await;
    let rest = client.rest().await;
    let ids: Vec<_> = rest.iter().map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids, [Some(2), Some(1)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_holds_the_end_up_no_longer_than_configured() {
    for (configured, seconds) in [(None, 60), (Some(5), 5), (Some(0), 0)] {
        let mut client = Client::of(|transport| match configured {
            Some(seconds) => transport.drain_timeout(Duration::from_secs(seconds)),
            None => transport,
        })
        .await;
        client.send(&request(1, "deaf/1")).await;
        client.begun(1).await;
        let begun = tokio::time::Instant::now();
        assert_eq!(client.rest().await, [Value::Null; 0]);
        // rmcp gives what still runs five seconds more.
        let taken = begun.elapsed().as_secs();
        assert!((seconds..seconds + 7).contains(&taken), "{taken}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_asks_after_the_end_of_input_fails_at_once() {
    let mut client = Client::of(|transport| transport).await;
    client.send(&request(1, "ask/1")).await;
    assert_eq!(client.next().await["method"], "ping");
    let begun = tokio::time::Instant::now();
    let rest = client.rest().await;
    assert!(begun.elapsed() < Duration::from_secs(2));
    let answer = rest[0]["result"].as_str().unwrap();
    assert!(answer.contains("the client has ended its side"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn requests_that_were_held_back_are_answered_after_the_end_of_input() {
    let mut client = Client::of(|transport| transport.max_requests(1)).await;
    let all: String = (1..=50).map(|id| request(id, "sleep/1")).collect();
    client.send(&all).await;
    let rest = client.rest().await;
    let ids: Vec<_> = rest.iter().map(|answer| answer["id"].as_u64()).collect();
    assert!(ids.into_iter().eq((1..=50).map(Some)));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_of_a_file_is_answered_before_the_end() {
    const CALLS: u32 = 20_000;
    let calls: String = (1..=CALLS).map(|id| request(id, "quick/1")).collect();
    let input = std::io::Cursor::new(format!("{SHAKE}{calls}"));
    let (mut ours, theirs) = duplex(1024);
    let counting = Arc::new(Counting::default());
    let serving = hooked(&counting).serve(WireTransport::new(input, theirs));
    tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
    let mut said = Vec::new();
    ours.read_to_end(&mut said).await.unwrap();
    let ids: BTreeSet<_> = said
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok()?["id"].as_u64())
        .collect();
    assert!(ids.into_iter().eq(0..=u64::from(CALLS)));
}
