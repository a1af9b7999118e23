//! What the stand-in reads in each dialect, and what it answers.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

fn plays() -> Vec<Play> {
    vec![
        Play::Shell("git status".to_owned()),
        Play::Tool {
            server: "notes".to_owned(),
            tool: "find".to_owned(),
            arguments: json!({ "word": "x" }),
        },
    ]
}

fn room(dialect: Dialect) -> Room {
    Room {
        dialect,
        plays: plays(),
        tokens: None,
        log: Arc::default(),
    }
}

fn roles(room: &Room) -> Vec<Vec<(String, String)>> {
    let pair = |told: &RequestText| (told.role.clone(), told.text.clone());
    let log = lock(&room.log);
    log.requests
        .iter()
        .map(|told| told.iter().map(pair).collect())
        .collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = pairs
        .iter()
        .map(|(role, text)| (role.to_string(), text.to_string()));
    owned.collect()
}

/// Reads the data of a stream, each with the name of its event.
fn data(reply: Reply) -> Vec<(Option<String>, Value)> {
    let Reply::Events(events) = reply else {
        panic!("no stream: {reply:?}")
    };
    let read = |event: &str| {
        let name = event.lines().find_map(|line| line.strip_prefix("event: "));
        let data = event
            .lines()
            .find_map(|line| line.strip_prefix("data: "))
            .expect("data");
        let data = serde_json::from_str(data).unwrap_or_else(|_| json!(data));
        (name.map(str::to_owned), data)
    };
    events.split_terminator("\n\n").map(read).collect()
}

#[test]
fn claude_code_is_read_and_answered() {
    let room = room(Dialect::Anthropic);
    let body = |results: usize| {
        let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": [{ "type": "text", "text": "ok" }] });
        json!({
            "model": "m",
            "stream": true,
            "system": [{ "type": "text", "text": "You are." }],
            "tools": [{ "name": "Bash" }, { "name": "mcp__notes__find" }],
            "messages": [
                { "role": "user", "content": "Do it." },
                { "role": "assistant", "content": [{ "type": "text", "text": "I said this." }] },
                { "role": "user", "content": vec![result; results] },
                { "role": "system", "content": "A hook's text." },
            ],
        })
    };
    let shell = data(room.answer("/v1/messages", &body(0)));
    let names: Vec<&str> = shell
        .iter()
        .filter_map(|(name, _)| name.as_deref())
        .collect();
    let wanted = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(names, wanted);
    assert_eq!(shell[1].1["content_block"]["name"], "Bash");
    let input = shell[2].1["delta"]["partial_json"].as_str().expect("input");
    assert_eq!(
        serde_json::from_str::<Value>(input).expect("JSON")["command"],
        "git status"
    );
    assert_eq!(shell[4].1["delta"]["stop_reason"], "tool_use");
    let tool = data(room.answer("/v1/messages", &body(1)));
    assert_eq!(tool[1].1["content_block"]["name"], "mcp__notes__find");
    let mut plain = body(2);
    plain["stream"] = json!(false);
    let Reply::Json(done) = room.answer("/v1/messages", &plain) else {
        panic!("a stream")
    };
    assert_eq!(
        (&done["content"][0]["text"], &done["stop_reason"]),
        (&json!(DONE), &json!("end_turn"))
    );
    let begin = [("system", "You are."), ("user", "Do it.")];
    let hook = ("system", "A hook's text.");
    assert_eq!(roles(&room)[0], pairs(&[&begin[..], &[hook]].concat()));
    assert_eq!(
        roles(&room)[1],
        pairs(&[&begin[..], &[("tool result", "ok"), hook]].concat())
    );
    assert_eq!(
        room.answer("/v1/messages/count_tokens", &json!({})),
        Reply::Json(json!({ "input_tokens": 10 }))
    );
    assert_eq!(room.answer("/", &Value::Null), Reply::Json(json!({})));
    assert_eq!(roles(&room).len(), 3);
}

#[test]
fn codex_is_read_and_answered() {
    let room = room(Dialect::Responses);
    let body = |results: usize| {
        let mut input = vec![
            json!({ "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "A hook's text." }] }),
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Do it." }] }),
            json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I said this." }] }),
            json!({ "type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}" }),
        ];
        let result = json!({ "type": "function_call_output", "call_id": "c", "output": "ok" });
        input.extend(vec![result; results]);
        json!({
            "instructions": "You are.",
            "tools": [
                { "type": "function", "name": "exec_command" },
                { "type": "namespace", "name": "mcp__notes", "description": "Notes.", "tools": [{ "type": "function", "name": "find" }] },
            ],
            "input": input,
        })
    };
    let shell = data(room.answer("/v1/responses", &body(0)));
    let names: Vec<&str> = shell
        .iter()
        .filter_map(|(name, _)| name.as_deref())
        .collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.output_item.done",
            "response.completed"
        ]
    );
    let item = &shell[1].1["item"];
    assert_eq!(
        (&item["name"], &item["arguments"]),
        (&json!("exec_command"), &json!(r#"{"cmd":"git status"}"#))
    );
    let tool = data(room.answer("/v1/responses", &body(1)));
    let item = &tool[1].1["item"];
    assert_eq!(
        (&item["namespace"], &item["name"]),
        (&json!("mcp__notes"), &json!("find"))
    );
    let done = data(room.answer("/v1/responses", &body(2)));
    assert_eq!(done[1].1["item"]["content"][0]["text"], DONE);
    let begin = [
        ("tool description", "Notes."),
        ("system", "You are."),
        ("developer", "A hook's text."),
        ("user", "Do it."),
    ];
    assert_eq!(roles(&room)[0], pairs(&begin));
    assert_eq!(
        roles(&room)[1],
        pairs(&[&begin[..], &[("tool result", "ok")]].concat())
    );
    assert_eq!(
        room.answer("/v1/models", &Value::Null),
        Reply::Json(json!({ "data": [], "models": [] }))
    );
}

#[test]
fn gemini_is_read_and_answered() {
    let room = room(Dialect::Gemini);
    let body = |results: usize| {
        let result = json!({ "functionResponse": { "name": "n", "response": { "output": "ok" } } });
        json!({
            "systemInstruction": { "parts": [{ "text": "You are." }] },
            "tools": [{ "functionDeclarations": [{ "name": "run_shell_command" }, { "name": "mcp_notes_find" }] }],
            "contents": [
                { "role": "user", "parts": [{ "text": "Do it." }] },
                { "role": "model", "parts": [{ "text": "I said this." }] },
                { "role": "user", "parts": vec![result; results] },
            ],
        })
    };
    let path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";
    let shell = data(room.answer(path, &body(0)));
    let call = &shell[0].1["candidates"][0]["content"]["parts"][0]["functionCall"];
    assert_eq!(
        (&call["name"], &call["args"]["command"]),
        (&json!("run_shell_command"), &json!("git status"))
    );
    let tool = data(room.answer(path, &body(1)));
    let call = &tool[0].1["candidates"][0]["content"]["parts"][0]["functionCall"];
    assert_eq!(
        (&call["name"], &call["args"]),
        (&json!("mcp_notes_find"), &json!({ "word": "x" }))
    );
    let one = "/v1beta/models/gemini-2.5-flash:generateContent";
    let Reply::Json(done) = room.answer(one, &body(2)) else {
        panic!("a stream")
    };
    assert_eq!(done["candidates"][0]["content"]["parts"][0]["text"], DONE);
    let side = json!({ "contents": [], "generationConfig": { "responseJsonSchema": {} } });
    let Reply::Json(side) = room.answer(one, &side) else {
        panic!("a stream")
    };
    let text = side["candidates"][0]["content"]["parts"][0]["text"]
        .as_str()
        .expect("a text");
    assert_eq!(
        serde_json::from_str::<Value>(text).expect("JSON")["next_speaker"],
        "user"
    );
    let begin = [("system", "You are."), ("user", "Do it.")];
    assert_eq!(
        roles(&room)[1],
        pairs(&[&begin[..], &[("tool result", "ok")]].concat())
    );
    assert_eq!(roles(&room).len(), 3);
    assert_eq!(
        room.answer("/v1beta/models/x:countTokens", &json!({})),
        Reply::Json(json!({ "totalTokens": 5 }))
    );
}

#[test]
fn the_clients_of_chat_completions_are_read_and_answered() {
    for (shell, tool) in [
        ("bash", "notes-find"),
        ("bash", "notes_find"),
        ("run_commands", "notes__find"),
        ("run_shell_command", "tool_call"),
    ] {
        let room = room(Dialect::Chat);
        let offered = |name: &str| json!({ "type": "function", "function": { "name": name } });
        let body = |results: usize| {
            let mut messages = vec![
                json!({ "role": "system", "content": "You are." }),
                json!({ "role": "user", "content": [{ "type": "text", "text": "Do it." }, { "type": "text", "text": "Now." }] }),
                json!({ "role": "assistant", "content": "I said this.", "tool_calls": [] }),
            ];
            messages.extend(vec![
                json!({ "role": "tool", "tool_call_id": "c", "content": "ok" });
                results
            ]);
            json!({ "model": "m", "stream": true, "tools": [offered(shell), offered(tool)], "messages": messages })
        };
        let path = "/v1/chat/completions";
        let first = data(room.answer(path, &body(0)));
        let call = &first[0].1["choices"][0]["delta"]["tool_calls"][0]["function"];
        assert_eq!(call["name"], shell);
        assert!(
            call["arguments"]
                .as_str()
                .expect("arguments")
                .contains("git status")
        );
        assert_eq!(first[1].1["choices"][0]["finish_reason"], "tool_calls");
        assert_eq!(first[3].1, "[DONE]");
        let second = data(room.answer(path, &body(1)));
        let call = &second[0].1["choices"][0]["delta"]["tool_calls"][0]["function"];
        assert_eq!(call["name"], tool);
        assert!(
            call["arguments"]
                .as_str()
                .expect("arguments")
                .contains(r#""word":"x""#)
        );
        let mut plain = body(2);
        plain["stream"] = json!(false);
        let Reply::Json(done) = room.answer(path, &plain) else {
            panic!("a stream")
        };
        assert_eq!(done["choices"][0]["message"]["content"], DONE);
        let begin = [("system", "You are."), ("user", "Do it."), ("user", "Now.")];
        assert_eq!(
            roles(&room)[1],
            pairs(&[&begin[..], &[("tool result", "ok")]].concat())
        );
    }
}

#[test]
fn a_step_that_no_tool_takes_is_said_and_ends_the_conversation() {
    for dialect in [
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::Gemini,
        Dialect::Chat,
    ] {
        let room = room(dialect);
        let tools = json!([{ "name": "Other", "functionDeclarations": [{ "name": "Other" }] }]);
        let body = json!({ "tools": tools, "stream": true });
        let path = match dialect {
            Dialect::Anthropic => "/v1/messages",
            Dialect::Responses => "/v1/responses",
            Dialect::Gemini => "/x:streamGenerateContent",
            Dialect::Chat => "/v1/chat/completions",
        };
        assert!(matches!(room.answer(path, &body), Reply::Events(events) if events.contains(DONE)));
        let untaken = lock(&room.log).untaken.clone().expect("it is said");
        assert!(untaken.ends_with("it offers Other"), "{untaken}");
    }
}

#[test]
fn whatever_a_body_is_it_is_answered() {
    let bodies = [
        json!(null),
        json!([]),
        json!("x"),
        json!({ "tools": 1, "messages": {}, "input": "x", "contents": [1, null], "system": [[]], "stream": "yes" }),
        json!({ "tools": [1, { "name": 2 }, { "function": [] }], "messages": [{ "role": 1, "content": { "text": [] } }] }),
        json!({ "contents": [{ "parts": [{ "functionResponse": 1 }, []] }], "input": [{ "type": "x_call_output" }] }),
    ];
    for dialect in [
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::Gemini,
        Dialect::Chat,
    ] {
        let room = room(dialect);
        for path in [
            "/v1/messages",
            "/v1/responses",
            "/x:generateContent",
            "/v1/chat/completions",
            "",
            "/models",
        ] {
            for body in &bodies {
                room.answer(path, body);
            }
        }
        assert_eq!(lock(&room.log).all, 36);
    }
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let first = listen(0).await.expect("a free port");
    let port = first.local_addr().expect("an address").port();
    let error = listen(port).await.expect_err("it is taken");
    let begin = format!("cannot listen on port {port} of 127.0.0.1 for the stand-in: ");
    assert!(error.to_string().starts_with(&begin), "{error}");
}

#[tokio::test]
async fn it_serves_http_and_ends_with_its_value() {
    let listener = listen(0).await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let stand_in = StandIn::serve(listener, Dialect::Chat, plays(), None);
    let body = r#"{"tools":[{"function":{"name":"bash"}}],"messages":[{"role":"user","content":"Do it."}],"stream":true}"#;
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("connected");
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("content-type: text/event-stream"),
        "{answer}"
    );
    assert!(answer.ends_with("data: [DONE]\n\n"), "{answer}");
    assert_eq!(
        stand_in.log().requests,
        [[told("user", "Do it.".to_owned())]]
    );
    drop(stand_in);
    // The task ends when the runtime comes to it.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
