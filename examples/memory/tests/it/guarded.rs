//! `serve --guardian`: the server asks a guardian about each call, and obeys it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
};

use serde_json::{Value, json};

use crate::{
    command_line::{complaint, run},
    over_http::{ask, call, serve},
    place::database,
};

/// Starts a guardian that denies every deletion, and answers nobody without the token `t-1`. Returns its URL.
fn guardian() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/aos", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || converse(stream));
        }
    });
    url
}

fn converse(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        head.make_ascii_lowercase();
        let mut lines = head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body)?;
        let question: Value = serde_json::from_slice(&body)?;
        let (status, result) = match question["method"].as_str() {
            _ if !head.contains("authorization: bearer t-1") => ("401 Unauthorized", json!({})),
            Some("ping") => (
                "200 OK",
                json!({"status": "connected", "version": "1", "timestamp": "2026-01-01T00:00:00Z"}),
            ),
            _ if question["params"]["toolCallRequest"]["toolId"] == "delete_memory" => (
                "200 OK",
                json!({"decision": "deny", "message": "nothing is deleted", "reasonCode": ["KEEP"]}),
            ),
            _ => ("200 OK", json!({"decision": "allow", "message": "fine"})),
        };
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        reader.get_mut().write_all(head.as_bytes())?;
        reader.get_mut().write_all(answer.as_bytes())?;
    }
}

/// Writes a file with the token.
fn token() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "t-1\n").unwrap();
    file
}

/// Calls a tool over standard input and output, and returns the answer.
fn call_over_stdio(database: &Path, options: &[&str], tool: &str) -> Value {
    let given = match tool {
        "delete_memory" => json!({"project": "shop", "id": "one"}),
        _ => json!({"project": "shop"}),
    };
    let arguments = [&["serve"], options].concat();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": given,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "sessionId": "one",
        },
    }});
    let init = json!({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {
        "name": "session_init", "arguments": {"project": "shop"}, "_meta": call["params"]["_meta"],
    }});
    let output = run(database, &arguments, &format!("{init}\n{call}\n"));
    let output = String::from_utf8(output.stdout).unwrap();
    let answers = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut answers = answers.filter(|answer: &Value| answer["id"] == 1);
    answers
        .next()
        .unwrap_or_else(|| panic!("no answer: {output}"))
}

#[test]
fn a_guardian_guards_the_server_over_stdio_and_over_http() {
    let (url, token) = (guardian(), token());
    let options = [
        "--guardian",
        &url,
        "--on-guardian-failure",
        "deny",
        "--guardian-bearer-file",
        token.path().to_str().unwrap(),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder, "m.db");
    let denied = call_over_stdio(&path, &options, "delete_memory").to_string();
    assert!(denied.contains("nothing is deleted [KEEP]"), "{denied}");
    let allowed = call_over_stdio(&path, &options, "list_topics").to_string();
    assert!(!allowed.contains(r#""isError":true"#), "{allowed}");

    let served = serve(&options);
    let (status, body) = ask(&served, "GET /readyz HTTP/1.1\r\n", "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""guardian":"ok""#), "{body}");
    let project = json!({"project": "shop"});
    let (_, body) = call(&served, "session_init", project, "");
    assert!(!body.contains(r#""isError":true"#), "{body}");
    let delete = json!({"project": "shop", "id": "one"});
    let (_, body) = call(&served, "delete_memory", delete, "");
    assert!(body.contains("nothing is deleted [KEEP]"), "{body}");
}

#[test]
fn the_posture_holds_when_nobody_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder, "m.db");
    let url = "http://127.0.0.1:1/aos";
    for (posture, is_error) in [("deny", true), ("proceed", false)] {
        let options = ["--guardian", url, "--on-guardian-failure", posture];
        let answer = call_over_stdio(&path, &options, "list_topics").to_string();
        assert_eq!(answer.contains(r#""isError":true"#), is_error, "{answer}");
    }
}

#[test]
fn the_options_belong_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder, "m.db");
    for (options, word) in [
        (
            &["--guardian", "http://127.0.0.1:1/"][..],
            "--on-guardian-failure",
        ),
        (&["--on-guardian-failure", "deny"], "--guardian <URL>"),
        (
            &[
                "--guardian",
                "http://127.0.0.1:1/",
                "--on-guardian-failure",
                "maybe",
            ],
            "proceed",
        ),
        (&["--guardian-bearer-file", "/nowhere"], "--guardian <URL>"),
    ] {
        let output = run(&path, &[&["serve"], options].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(word), "{said}");
    }
    let two = tempfile::NamedTempFile::new().unwrap();
    fs::write(two.path(), "t-1\nt-2\n").unwrap();
    let guarded = [
        "serve",
        "--guardian",
        "http://127.0.0.1:1/",
        "--on-guardian-failure",
        "deny",
    ];
    let with = |file: &str| {
        let file = ["--guardian-bearer-file", file];
        complaint(&run(&path, &[&guarded[..], &file].concat(), ""))
    };
    assert!(with("/nowhere").contains("cannot open `/nowhere`"));
    let said = with(two.path().to_str().unwrap());
    assert!(
        said.contains("has 2 tokens") && !said.contains("t-1"),
        "{said}"
    );
    let wrong = [
        "serve",
        "--guardian",
        "ftp://u:secret@host/",
        "--on-guardian-failure",
        "deny",
    ];
    let said = complaint(&run(&path, &wrong, ""));
    assert!(!said.contains("secret"), "{said}");
}
