//! The results of tasks, when a client fetches them and when the server tells of them.

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
};

use axum::serve::Listener;
use hooks_sdk::{
    core::{Verdict, Violation},
    http,
    log::{DecisionLog, Posture},
    plugin::{PluginHook, ToolResult, point},
};
use hooks_tests::client::Client;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::{
    desk::{Desk, SECRET, cleaned, with},
    peer::{Kind, Peer},
};

fn task(id: &str, status: &str) -> Value {
    json!({
        "taskId": id, "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null,
    })
}

fn with_members(mut task: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

async fn begin(desk: &Desk, peer: &mut Peer, id: &str) {
    desk.relays(with_members(
        task(id, "working"),
        json!({"resultType": "task"}),
    ));
    let answer = peer.call("task").await;
    assert_eq!(answer["result"]["taskId"], id, "{answer}");
}

fn dressed() -> Vec<Value> {
    let text = json!([{"type": "text", "text": SECRET}]);
    let plain = json!([{"type": "text", "text": "done"}]);
    let question = json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": SECRET}}], "maxTokens": 9,
    }});
    vec![
        with_members(task("1", "completed"), json!({"result": {"content": text}})),
        with_members(task("1", "completed"), json!({"result": {"odd": SECRET}})),
        with_members(
            task("1", "completed"),
            json!({"result": {"content": plain, "odd": SECRET}}),
        ),
        with_members(
            task("1", "completed"),
            json!({"result": {"content": plain}, "statusMessage": SECRET, "_meta": {"a": SECRET}}),
        ),
        with_members(
            task("1", "failed"),
            json!({"error": {"code": -32000, "message": "m", "data": {"a": SECRET}}}),
        ),
        with_members(
            task("1", "failed"),
            json!({"error": {"code": -32000, "message": SECRET}}),
        ),
        with_members(
            task("1", "working"),
            json!({"statusMessage": SECRET, "_meta": {"a": SECRET}}),
        ),
        with_members(
            task("1", "input_required"),
            json!({"inputRequests": {"a": question}}),
        ),
    ]
}

#[tokio::test]
async fn a_late_result_that_is_withheld_is_a_line_of_the_decision_log() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let desk = Desk::default();
    let secret = PluginHook::answering_any::<_, Verdict<Infallible>>(
        "secret",
        point::tool_post_invoke,
        |answer: &ToolResult, _| {
            let is_secret = answer.result.to_string().contains(SECRET);
            let refused = || Verdict::Deny(Violation::new("secret").code("SECRET"));
            let verdict = is_secret.then(refused);
            Box::pin(async { verdict.unwrap_or(Verdict::Allow) })
        },
    );
    let log = DecisionLog::to(&file, Posture::Deny);
    let server = with(&desk, [secret]).log(log.clone());
    let mut peer = Peer::of(Kind::StreamStateless, server).await;
    begin(&desk, &mut peer, "1").await;
    desk.relays(dressed().swap_remove(0));
    let answer = peer.answer("tasks/get", json!({"taskId": "1"})).await;
    assert!(!answer.to_string().contains(SECRET), "{answer}");
    log.close(std::time::Duration::from_secs(5));
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let stop: Value = lines
        .into_iter()
        .find(|line: &Value| line["kind"] == "stop")
        .unwrap();
    let seen = ["method", "item", "decision", "rule", "code"].map(|member| &stop[member]);
    assert_eq!(seen, ["tasks/get", "task", "denied", "secret", "SECRET"]);
    let violation = &answer["result"]["result"]["_meta"]["hooks-sdk/violation"];
    assert_eq!(violation["decision_id"], stop["decision_id"], "{answer}");
}

#[tokio::test]
async fn a_notification_about_a_task_tells_its_status_only() {
    for kind in [Kind::StreamLegacy, Kind::StreamStateless] {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, cleaned(&desk)).await;
        for told in dressed() {
            desk.relays(told.clone());
            let params = json!({"name": "tell", "arguments": {}});
            let all = peer.all("tools/call", params).await;
            let note = all
                .iter()
                .find(|message| message["method"] == "notifications/tasks");
            let note = note.unwrap_or_else(|| panic!("{kind:?} {all:?}"));
            assert!(!note.to_string().contains(SECRET), "{kind:?} {note}");
            assert_eq!(note["params"]["status"], told["status"], "{kind:?} {note}");
        }
    }
}

#[tokio::test]
async fn a_server_without_hooks_tells_the_whole_task() {
    let desk = Desk::default();
    let mut peer = Peer::of(Kind::StreamLegacy, with(&desk, [])).await;
    desk.relays(dressed().remove(0));
    let params = json!({"name": "tell", "arguments": {}});
    let all = peer.all("tools/call", params).await;
    assert!(
        all.iter()
            .any(|message| message["params"]["result"].is_object()),
        "{all:?}"
    );
}

#[tokio::test]
async fn the_tasks_of_one_client_take_no_others_place() {
    let desk = Desk::default();
    let hooked = cleaned(&desk);
    let mut ada = Peer::of(Kind::StreamStateless, hooked.clone()).await;
    let mut eve = Peer::of(Kind::StreamStateless, hooked).await;
    begin(&desk, &mut ada, "1").await;
    begin(&desk, &mut eve, "1").await;
    for number in 0..1100 {
        begin(&desk, &mut eve, &format!("of eve {number}")).await;
    }
    let plain = json!([{"type": "text", "text": "done"}]);
    desk.relays(with_members(
        task("1", "completed"),
        json!({"result": {"content": plain}}),
    ));
    let answer = ada.answer("tasks/get", json!({"taskId": "1"})).await;
    assert_eq!(
        answer["result"]["result"]["content"][0]["text"], "done",
        "{answer}"
    );
    let answer = eve.answer("tasks/get", json!({"taskId": "1"})).await;
    assert!(answer.to_string().contains("task_unknown"), "{answer}");
}

/// Connections that come from an address of the test's.
struct From(TcpListener, Arc<Mutex<IpAddr>>);

impl Listener for From {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let (stream, mut peer) = Listener::accept(&mut self.0).await;
        peer.set_ip(*self.1.lock().unwrap());
        (stream, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

#[tokio::test]
async fn clients_of_http_without_a_session_have_a_share_for_each_address() {
    let desk = Desk::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let from = Arc::new(Mutex::new(IpAddr::from([10, 0, 0, 1])));
    let server = http::Server::new(cleaned(&desk));
    let listener = From(listener, from.clone());
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::stateless(address).capable(capabilities);
    let begin = async |client: &Client, id: &str| {
        desk.relays(with_members(
            task(id, "working"),
            json!({"resultType": "task"}),
        ));
        client.call_with("task", json!({})).await;
    };
    begin(&client, "1").await;
    *from.lock().unwrap() = IpAddr::from([10, 0, 0, 2]);
    begin(&client, "1").await;
    for number in 0..300 {
        // This header is what the client makes up.
        client.session = Some(format!("mine-{}", number % 7));
        begin(&client, &format!("of eve {number}")).await;
    }
    client.session = None;
    let plain = json!([{"type": "text", "text": "done"}]);
    desk.relays(with_members(
        task("1", "completed"),
        json!({"result": {"content": plain}}),
    ));
    for (peer, is_known) in [([10, 0, 0, 1], true), ([10, 0, 0, 2], false)] {
        *from.lock().unwrap() = IpAddr::from(peer);
        let answer = client.ask("tasks/get", json!({"taskId": "1"})).await;
        let text = answer.to_string();
        assert_eq!(text.contains("done"), is_known, "{peer:?} {answer}");
        assert_eq!(
            text.contains("task_unknown"),
            !is_known,
            "{peer:?} {answer}"
        );
    }
}
