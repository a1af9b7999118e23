//! `serve --guardian`: the server asks a guardian about each call, and obeys it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use hooks_tests::client::Client;
use serde_json::{Value, json};

use crate::{
    serve_http::{call, ready, serve},
    user::User,
};

/// Starts a guardian that denies every list, and answers nobody without the token `t-1`. Returns its URL.
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
            _ if question["params"]["toolCallRequest"]["toolId"] == "list_notes" => (
                "200 OK",
                json!({"decision": "deny", "message": "nothing is listed", "reasonCode": ["KEEP"]}),
            ),
            _ => ("200 OK", json!({"decision": "allow", "message": "fine"})),
        };
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string();
        let length = answer.len();
        let stream = reader.get_mut();
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{answer}"
        )?;
    }
}

/// Calls a tool that needs no session over standard input and output, and one that needs it after it is open. Returns the answers.
fn over_stdio(options: &[&str]) -> [String; 2] {
    let user = User::new();
    let calls = ["find_notes", "session_init", "list_notes"].map(|tool| {
        let call = json!({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": {
            "name": tool, "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "sessionId": "one",
            },
        }});
        format!("{call}\n")
    });
    let output = user.run(&[&["serve"], options].concat(), calls.concat().as_bytes());
    let output = String::from_utf8(output.stdout).unwrap();
    ["find_notes", "list_notes"].map(|tool| {
        let id = format!(r#""id":"{tool}""#);
        let line = output.lines().find(|line| line.contains(&id));
        line.unwrap_or_else(|| panic!("no answer: {output}"))
            .to_owned()
    })
}

#[tokio::test]
async fn a_guardian_guards_the_server_over_stdio_and_over_http() {
    let (url, user) = (guardian(), User::new());
    let token = user.home().join("token");
    fs::write(&token, "t-1\n").unwrap();
    let options = [
        "--guardian",
        &url,
        "--on-guardian-failure",
        "deny",
        "--guardian-bearer-file",
        token.to_str().unwrap(),
    ];
    let [allowed, denied] = over_stdio(&options);
    assert!(!allowed.contains(r#""isError":true"#), "{allowed}");
    assert!(denied.contains("nothing is listed [KEEP]"), "{denied}");

    let served = serve(&options);
    let ready = ready(&served).await;
    assert!(ready.contains(r#""guardian":"ok""#), "{ready}");
    let client = Client::stateless(served.address);
    call(&client, "session_init").await.unwrap();
    let denied = call(&client, "list_notes").await.unwrap_err();
    assert!(denied.contains("nothing is listed [KEEP]"), "{denied}");
}

#[test]
fn the_posture_holds_when_nobody_answers() {
    let url = "http://127.0.0.1:1/aos";
    for (posture, is_error) in [("deny", true), ("proceed", false)] {
        let options = ["--guardian", url, "--on-guardian-failure", posture];
        let [answer, _] = over_stdio(&options);
        assert_eq!(answer.contains(r#""isError":true"#), is_error, "{answer}");
    }
}

#[test]
fn the_options_belong_together() {
    let user = User::new();
    let nobody = "http://127.0.0.1:1/";
    let two = user.home().join("two");
    fs::write(&two, "t-1\nt-2\n").unwrap();
    let two = two.to_str().unwrap();
    let guarded = ["--guardian", nobody, "--on-guardian-failure", "deny"];
    let with = |file| [&guarded[..], &["--guardian-bearer-file", file]].concat();
    let wrong = [
        "--guardian",
        "ftp://u:t-1@host/",
        "--on-guardian-failure",
        "deny",
    ];
    for (options, code, word) in [
        (vec!["--guardian", nobody], 2, "--on-guardian-failure"),
        (vec!["--on-guardian-failure", "deny"], 2, "--guardian <URL>"),
        (
            vec!["--guardian", nobody, "--on-guardian-failure", "maybe"],
            2,
            "proceed",
        ),
        (
            vec!["--guardian-bearer-file", "/nowhere"],
            2,
            "--guardian <URL>",
        ),
        (with("/nowhere"), 1, "cannot open `/nowhere`"),
        (with(two), 1, "has 2 tokens"),
        (wrong.to_vec(), 1, "error: "),
    ] {
        let output = user.run(&[&["serve"], &options[..]].concat(), b"");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{options:?}: {said}");
        assert!(said.contains(word) && !said.contains("t-1"), "{said}");
    }
}
