//! What a collector receives, decoded with OpenTelemetry's own types.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{KeyValue, any_value::Value as AnyValue},
    trace::v1::{Span, span::SpanKind, status::StatusCode},
};
use prost::Message;
use serde_json::{Value, json};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// What no span and no metric may contain.
const CONTENTS: &str = "the garden key";

/// Receives requests over HTTP until the process ends: the path and the body of each.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let sender = sender.clone();
            thread::spawn(move || answer(stream.unwrap(), &sender));
        }
    });
    (url, received)
}

fn answer(mut stream: TcpStream, sender: &Sender<(String, Vec<u8>)>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if let Some(value) = header.strip_prefix("content-type:") {
                assert_eq!(value.trim(), "application/x-protobuf");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        // A test that looks at the answers only has dropped the receiver.
        sender.send((path, body)).ok();
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
    }
}

struct Server {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start(url: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_otlp-server"))
            .arg(url)
            .current_dir(&folder)
            .env("HOME", folder.path())
            .env_remove("XDG_DATA_HOME")
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server {
            child,
            answers,
            _folder: folder,
        };
        server.ask(&json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}
            }
        }));
        server.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn tell(&mut self, message: &Value) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.tell(request);
        loop {
            let mut line = String::new();
            assert_ne!(
                self.answers.read_line(&mut line).unwrap(),
                0,
                "it has ended"
            );
            // Every line of standard output is a message.
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == request["id"] {
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, id: &str, tool: &str, arguments: Value) -> Value {
        let parent = format!("00-{TRACE}-{CALLER}-01");
        self.ask(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": {"traceparent": parent}}
        }))
    }

    /// Closes standard input, as a client does at its end. Returns what the server wrote to standard error.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.answers.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        assert!(self.child.wait().unwrap().success(), "{log}");
        log
    }
}

fn attribute<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        AnyValue::StringValue(text) => Some(text),
        _ => None,
    }
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_call_and_its_hooks_are_one_trace_of_the_clients() {
    let (url, received) = collector();
    let mut server = Server::start(&url);
    let kept = server.call("keep", "add_note", json!({"text": CONTENTS}));
    assert_ne!(kept["isError"], true, "{kept}");
    for left in (0..10).rev() {
        let listed = server.call("list", "list_notes", json!({}));
        assert_ne!(listed["isError"], true, "{left} left: {listed}");
    }
    let denied = server.call("no", "list_notes", json!({}));
    assert_eq!(denied["isError"], true, "{denied}");
    assert_eq!(server.call("what", "nothing_such", json!({})), Value::Null);
    let log = server.end();
    assert!(!log.to_ascii_lowercase().contains("otlp"), "{log}");

    let (mut spans, mut metrics) = (Vec::<Span>::new(), Vec::new());
    for (path, body) in received.try_iter() {
        let text = String::from_utf8_lossy(&body);
        assert!(!text.contains(CONTENTS), "{text}");
        match &*path {
            "/v1/traces" => {
                let request = ExportTraceServiceRequest::decode(&*body).unwrap();
                for resource in request.resource_spans {
                    let of = resource.resource.unwrap().attributes;
                    assert_eq!(attribute(&of, "service.name"), Some("otlp-server"));
                    let scopes = resource.scope_spans.into_iter();
                    spans.extend(scopes.flat_map(|scope| scope.spans));
                }
            }
            "/v1/metrics" => {
                let request = ExportMetricsServiceRequest::decode(&*body).unwrap();
                let resources = request.resource_metrics.into_iter();
                let scopes = resources.flat_map(|resource| resource.scope_metrics);
                metrics.extend(scopes.flat_map(|scope| scope.metrics));
            }
            other => panic!("{other}"),
        }
    }

    let named = |name: &str| spans.iter().find(|span| span.name == name).unwrap();
    let kept = named("tools/call add_note");
    assert_eq!(kept.kind(), SpanKind::Server);
    assert_eq!(hex(&kept.trace_id), TRACE);
    assert_eq!(hex(&kept.parent_span_id), CALLER);
    let of = |key| attribute(&kept.attributes, key);
    assert_eq!(of("mcp.method.name"), Some("tools/call"));
    assert_eq!(of("gen_ai.tool.name"), Some("add_note"));
    assert_eq!(of("gen_ai.operation.name"), Some("execute_tool"));
    assert_eq!(of("jsonrpc.request.id"), Some("keep"));
    let within = |outcome: &str| {
        let mut hooks = spans.iter().filter(|span| span.name.starts_with("hook "));
        let hook = hooks.find(|span| attribute(&span.attributes, "hooks.outcome") == Some(outcome));
        let hook = hook.unwrap_or_else(|| panic!("{outcome}: {spans:#?}"));
        assert_eq!(hex(&hook.trace_id), TRACE);
        let parent = |span: &&Span| span.span_id == hook.parent_span_id;
        &*spans.iter().find(parent).unwrap().name
    };
    assert!(within("allowed").starts_with("tools/call "));
    assert_eq!(within("denied"), "tools/call list_notes");
    let unknown = named("tools/call");
    let status = unknown.status.as_ref().unwrap();
    assert_eq!(status.code(), StatusCode::Error);
    // A request without a trace begins one.
    assert_ne!(hex(&named("initialize").trace_id), TRACE);
    let names: Vec<&str> = metrics.iter().map(|metric| &*metric.name).collect();
    for name in [
        "mcp.server.operation.duration",
        "hooks.runs",
        "hooks.duration",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn a_collector_that_is_not_there_stops_nothing() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", nobody.local_addr().unwrap());
    // Port 1 refuses; the listener above accepts, and never answers.
    for url in ["http://127.0.0.1:1", &silent] {
        let mut server = Server::start(url);
        let listed = server.call("list", "list_notes", json!({}));
        assert_ne!(listed["isError"], true, "{listed}");
        let began = Instant::now();
        let log = server.end();
        assert!(began.elapsed() < Duration::from_secs(30), "{log}");
        assert!(log.contains("were not sent"), "{log}");
    }
}

#[test]
fn an_address_that_is_none_is_an_error_at_once() {
    for url in ["ftp://127.0.0.1", "collector"] {
        let ended = Command::new(env!("CARGO_BIN_EXE_otlp-server"))
            .arg(url)
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && log.contains(url), "{log}");
    }
}
