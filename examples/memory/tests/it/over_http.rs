//! `serve --http`: the server as a process that many clients share.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

/// A server that ends with the test.
pub(crate) struct Served {
    process: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn command(database: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory-server"));
    command
        .arg("serve")
        .args(options)
        .env("MEMORY_DATABASE", database)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn serve(options: &[&str]) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let options = [&["--http", "127.0.0.1:0"], options].concat();
    let mut process = command(&folder.path().join("m.db"), &options)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().expect("an address").unwrap();
        if let Some(rest) = line.strip_prefix("listening on http://") {
            break rest.strip_suffix("/mcp").unwrap().to_owned();
        }
    };
    // Somebody has to read what else it says.
    std::thread::spawn(move || lines.for_each(drop));
    Served {
        process,
        address,
        _folder: folder,
    }
}

/// Sends a request, and returns the status and the body.
pub(crate) fn ask(served: &Served, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let length = body.len();
    let request = format!(
        "{head}Host: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

pub(crate) fn call(served: &Served, tool: &str, arguments: Value, more: &str) -> (u16, String) {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n{more}"
    );
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "sessionId": "one",
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    ask(served, &head, &message.to_string())
}

#[test]
fn clients_over_http_share_the_memories_and_sigterm_ends_the_server() {
    let tokens = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(tokens.path(), "first-token\nsecond-token\n").unwrap();
    let tokens = tokens.path().to_str().unwrap();
    let sessions = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", sessions.path().join("s.db").display());
    let mut served = serve(&["--bearer-file", tokens, "--store", &store]);
    let (status, body) = ask(&served, "GET /readyz HTTP/1.1\r\n", "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""checks":{"store":"ok"}"#), "{body}");

    let (status, body) = call(&served, "list_topics", json!({}), "");
    assert_eq!(status, 401, "{body}");
    let bearer = "Authorization: Bearer second-token\r\n";
    let project = json!({"project": "shop"});
    let (status, body) = call(&served, "session_init", project, bearer);
    assert_eq!(status, 200, "{body}");
    let memory = json!({"project": "shop", "content": "the till closes at six", "tags": ["till"], "source": "test"});
    let (status, body) = call(&served, "store_memory", memory, bearer);
    assert_eq!(status, 200, "{body}");
    assert!(!body.contains(r#""isError":true"#), "{body}");

    let pid = served.process.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert!(served.process.wait().unwrap().success());
    let mut output = String::new();
    let mut stdout = served.process.stdout.take().unwrap();
    stdout.read_to_string(&mut output).unwrap();
    assert_eq!(output, "");
    drop(served);
}

/// Nothing but the database keeps the notes of plain clients, so they belong to the user.
#[test]
fn users_over_http_have_notes_of_their_own() {
    let served = serve(&["--principal-header", "x-user"]);
    let note = json!({"text": "ask Kim's doctor"});
    let (kim, lee) = ("X-User: kim\r\n", "X-User: lee\r\n");
    let (status, body) = call(&served, "note_add", note, kim);
    assert_eq!(status, 200, "{body}");
    let list = |user| call(&served, "note_list", json!({}), user).1;
    assert!(list(lee).contains("No notes."), "{}", list(lee));
    let (_, body) = call(&served, "note_add", json!({"text": "tea"}), lee);
    assert!(!body.contains("doctor"), "{body}");
    assert!(list(kim).contains("doctor"), "{}", list(kim));
    assert!(!list(kim).contains("tea"), "{}", list(kim));
}

/// Deletes a memory, which the user is asked about. `question` is the one that the user answers.
fn delete(served: &Served, question: Option<&Value>) -> Value {
    let mut params = json!({
        "name": "delete_memory",
        "arguments": {"project": "shop", "memory_id": "1"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
            "sessionId": "one",
        },
    });
    if let Some(question) = question {
        params["requestState"] = question["requestState"].clone();
        for name in question["inputRequests"].as_object().unwrap().keys() {
            let answer = json!({"action": "accept", "content": {"confirm": true}});
            params["inputResponses"][name] = answer;
        }
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let head = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: */*\r\n\
        MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: delete_memory\r\n";
    let (status, body) = ask(served, head, &message.to_string());
    assert_eq!(status, 200, "{body}");
    let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = events
        .chain([&*body])
        .filter_map(|text| serde_json::from_str(text).ok());
    let message: Value = messages.next().expect("a message");
    message["result"].clone()
}

/// The store is shared, so that the keys alone decide.
#[test]
fn a_question_is_answered_at_a_process_with_the_key_that_sealed_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, keys: &[&str]| {
        let path = folder.path().join(name);
        std::fs::write(&path, keys.join("\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = ("01".repeat(32), "02".repeat(32));
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let start = |keys: &str| serve(&["--confirm", "--keys-file", keys, "--store", &store]);
    let asks = start(&file("old", &[&old]));
    let rotated = start(&file("both", &[&new, &old]));
    let foreign = start(&file("new", &[&new]));
    _ = call(&asks, "session_init", json!({"project": "shop"}), "");

    let asked = |at: &Served| {
        let question = delete(at, None);
        assert_eq!(question["resultType"], "input_required", "{question}");
        question
    };
    let refused = delete(&foreign, Some(&asked(&asks))).to_string();
    assert!(refused.contains("elicitation"), "{refused}");
    let taken = delete(&rotated, Some(&asked(&asks))).to_string();
    assert!(taken.contains("there is no memory"), "{taken}");
    let taken = delete(&foreign, Some(&asked(&rotated))).to_string();
    assert!(taken.contains("there is no memory"), "{taken}");
}

#[test]
fn what_cannot_be_served_over_http_is_said_before_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let complaint = |options: &[&str]| {
        let output = command(&database, options).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let http = ["--http", "127.0.0.1:0"];
    let with = |options: &[&'static str]| complaint(&[&http, options].concat());
    assert!(
        with(&["--store", "mongodb://user:secret@host"])
            .contains("`--store` begins with no known scheme")
    );
    assert!(!with(&["--store", "mongodb://user:secret@host"]).contains("secret"));
    assert!(with(&["--bearer-file", "/nowhere"]).contains("cannot open `/nowhere`"));
    assert!(with(&["--keys-file", "/nowhere"]).contains("cannot open `/nowhere`"));
    let short = folder.path().join("short");
    std::fs::write(&short, "5e".repeat(16)).unwrap();
    let told = complaint(&[&http[..], &["--keys-file", short.to_str().unwrap()]].concat());
    assert!(
        told.contains("fewer than 64 hexadecimal digits in line 1"),
        "{told}"
    );
    assert!(!told.contains("5e5e"), "{told}");
    assert!(with(&["--allow-host", "http://x"]).contains("`http://x` is no host"));
    assert!(complaint(&["--store", "redis://x"]).contains("--http <ADDRESS>"));
}
