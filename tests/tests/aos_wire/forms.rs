//! The forms that a method has, what is refused at the transport, and what a lenient reader takes.

use futures::executor::block_on;
use hooks_sdk::{
    aos::{
        Agent, AosError, AosRequest, Guardian, McpMessage, Memory, MessageStep, Method, NoDecision,
        Received, Source, StepContext, StepRole, ToolCallRequest, Transported,
    },
    core::Registry,
};
use serde_json::{Map, Value, json};

fn context() -> Value {
    let agent = Agent::new("a", "n").instructions("i").version("1");
    let mut context = StepContext::new(agent.provider("p", "https://p"), "s", "t", "e");
    context.timestamp = "2025-01-24T15:30:45.123Z".to_owned();
    json!(context)
}

fn request(method: &str, mut params: Value) -> Value {
    if method.starts_with("steps/") {
        params["context"] = context();
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn step(value: Value) -> Result<AosRequest, AosError> {
    match Received::read_value(value) {
        Ok(Received::Step(step)) => Ok(*step),
        Ok(other) => panic!("{other:?}"),
        Err(bad) => Err(bad.error),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other}"),
    }
}

/// The code and the id of the answer to a body, and where it says the fault is.
fn refused(body: &str) -> (i64, Value, String) {
    let guardian = Guardian::with((), Registry::default());
    let answer = block_on(guardian.answer(body.as_bytes(), Transported::default()));
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let reason = answer["error"]["data"]["reason"].as_str().unwrap();
    let code = answer["error"]["code"].as_i64().unwrap();
    (code, answer["id"].clone(), reason.to_owned())
}

#[test]
fn a_message_of_mcp_stands_alone_unless_there_is_something_to_say() {
    let raw = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {}});
    let message = McpMessage::new(object(raw.clone()));
    assert_eq!(message.method(), Some("tools/call"));
    let bare = AosRequest::new("1", Method::Mcp, message);
    assert_eq!(json!(bare)["params"], raw);
    let wrapped = bare.reasoning("why");
    let expected = json!({"message": raw, "reasoning": "why"});
    assert_eq!(json!(wrapped)["params"], expected);
    // What is received wrapped is written wrapped.
    let received = request("protocols/MCP", json!({"message": raw}));
    let step = step(received.clone()).unwrap();
    assert_eq!(json!(step), received);
    assert_eq!(step.reasoning, None);
}

/// The members of a request are decoded one after the other, and each part of the text still counts.
#[test]
fn a_part_that_is_no_json_is_refused_wherever_it_is() {
    let body = |input: &str, beside: &str, around: &str| {
        let call = format!(
            r#"{{"executionId":"x","toolId":"t","inputs":[{{"name":"a","value":{input}}}]}}"#
        );
        let context = context();
        format!(
            r#"{{"id":1,"params":{{"toolCallRequest":{call},"context":{context}{beside}}},"method":"steps/toolCallRequest","jsonrpc":"2.0"{around}}}"#
        )
    };
    let good = body("1", r#","more":{"a":[1.0,null]}"#, r#","other":[{"b":2}]"#);
    let read: Value = serde_json::from_str(&good).unwrap();
    assert_eq!(json!(step(read.clone()).unwrap()), read);

    let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    let surrogate = r#""\ud800""#;
    for part in [&*deep, "1e999", surrogate, "01", "[1,]"] {
        let within = |name| format!(r#","{name}":{part}"#);
        for body in [
            body(part, "", ""),
            body("1", &within("more"), ""),
            body("1", "", &within("other")),
        ] {
            assert_eq!(refused(&body).0, -32700, "{body}");
        }
    }
}

/// With such a name, the reader would show the guardian another value than the one that the agent uses.
#[test]
fn a_reserved_name_is_refused_at_any_depth_and_however_it_is_written() {
    let body = |input: &str| {
        let asked = request(
            "steps/toolCallRequest",
            json!({"toolCallRequest": {
                "executionId": "x", "toolId": "t", "inputs": [{"name": "a", "value": "INPUT"}]
            }}),
        );
        asked.to_string().replace("\"INPUT\"", input)
    };
    let plain = r#"{"$serde_json::private::RawValue":"\"harmless\""}"#;
    let escaped = plain.replacen('$', "\\u0024", 1);
    let inner = plain.replacen("RawValue", "\\u0052awValue", 1);
    let deep = format!(r#"[{{"a":[{plain}]}}]"#);
    let second = plain.replacen('{', r#"{"a":1,"#, 1);
    for input in [plain, &escaped, &inner, &deep, &second] {
        let (code, _, reason) = refused(&body(input));
        assert_eq!(code, -32700, "{input}");
        assert!(reason.contains("no name may begin with"), "{reason}");
    }
    // A text may say the name, and an escape may be in any text.
    for input in [
        r#""$serde_json::private::RawValue""#,
        r#""\u00e9""#,
        r#"{"\u00e9":1}"#,
    ] {
        assert_eq!(
            refused(&body(input)).0,
            -32601,
            "{input}: no hook stands there"
        );
    }
}

#[test]
fn a_name_that_is_there_twice_has_its_last_value() {
    let body = r#"{"jsonrpc":"1.0","id":7,"method":"ping","params":3,
        "jsonrpc":"2.0","id":8,"method":"x","params":{}}"#;
    let expected = (-32601, json!(8), "there is no method `x`".to_owned());
    assert_eq!(refused(body), expected);
    let call = |name: &str| format!(r#"{{"executionId":"x","toolId":"{name}","inputs":[]}}"#);
    let (context, first, last) = (context(), call("first"), call("last"));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"steps/toolCallRequest","params":{{"toolCallRequest":{first},"context":{context},"toolCallRequest":{last}}}}}"#
    );
    let Ok(Received::Step(step)) = Received::read(body.as_bytes()) else {
        panic!("{body} is a step");
    };
    let expected = ToolCallRequest::new("x", "last", vec![]);
    assert_eq!(step.payload, expected.into());
}

#[test]
fn citations_have_two_names() {
    let message = json!({"id": "m", "role": "agent", "content": [{"kind": "text", "text": "t"}]});
    for name in ["citation", "citations"] {
        let sources = json!([{"kind": "site", "url": "https://s"}]);
        let received = request("steps/message", json!({"message": message, name: sources}));
        let step = step(received.clone()).unwrap();
        assert_eq!(json!(step), received);
        let ours = MessageStep::text("m", StepRole::Agent, "t");
        let ours = ours.citations(vec![Source::site("https://s")]);
        assert_eq!(step.payload, ours.into());
    }
}

#[test]
fn what_is_no_request_is_refused_with_its_place() {
    let id = json!(1);
    let call = |change: fn(&mut Value)| {
        let call =
            json!({"executionId": "x", "toolId": "t", "inputs": [{"name": "a", "value": 1}]});
        let mut request = request("steps/toolCallRequest", json!({"toolCallRequest": call}));
        change(&mut request);
        request.to_string()
    };
    let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    for (body, expected) in [
        (String::new(), (-32700, Value::Null, "EOF")),
        (deep, (-32700, Value::Null, "recursion limit")),
        ("[{}]".to_owned(), (-32600, Value::Null, "batch")),
        ("7".to_owned(), (-32600, Value::Null, "no object")),
        (
            call(|it| _ = it.as_object_mut().unwrap().remove("id")),
            (-32600, Value::Null, "notification"),
        ),
        (
            call(|it| it["params"] = json!("x")),
            (-32600, id.clone(), "params"),
        ),
        (
            call(|it| it["method"] = json!("steps/".repeat(99))),
            (-32601, id.clone(), "there is no method `steps/steps/"),
        ),
        (
            call(|_| ()),
            (-32601, id.clone(), "no hook stands at `tool_call_request`"),
        ),
        (
            call(|it| it["params"]["acs_version"] = json!("1")),
            (-32602, id.clone(), "not this dialect"),
        ),
        (
            call(|it| it["params"]["toolCallRequest"]["inputs"][0] = json!({"name": "a"})),
            (
                -32602,
                id.clone(),
                "params.toolCallRequest.inputs[0]: missing field `value`",
            ),
        ),
        (
            call(|it| it["params"]["context"]["agent"]["provider"]["url"] = Value::Null),
            (
                -32602,
                id.clone(),
                "params.context.agent.provider.url: invalid type: null",
            ),
        ),
        (
            call(|it| it["params"]["context"]["timestamp"] = json!("today")),
            (
                -32602,
                id.clone(),
                "params.context.timestamp: it is no date and time",
            ),
        ),
    ] {
        let (code, echoed, reason) = refused(&body);
        assert_eq!((code, &echoed), (expected.0, &expected.1), "{reason}");
        assert!(reason.contains(expected.2), "{reason}");
        assert!(reason.len() < 300, "{reason}");
    }
}

#[test]
fn a_long_word_is_not_repeated_whole() {
    let message = json!({"id": "m", "role": "x".repeat(10_000), "content": []});
    let body = request("steps/message", json!({"message": message})).to_string();
    let (code, _, reason) = refused(&body);
    assert!(code == -32602 && reason.len() < 300, "{reason}");
}

fn asked() -> AosRequest {
    let call = json!({"executionId": "x", "toolId": "t", "inputs": []});
    step(request(
        "steps/toolCallRequest",
        json!({"toolCallRequest": call}),
    ))
    .unwrap()
}

fn decided(result: Value, lenient: bool) -> Result<String, NoDecision> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
    let decided = asked().read_answer(body.as_bytes(), lenient)?;
    Ok(decided.decision().to_string())
}

#[test]
fn a_lenient_reader_fills_in_what_may_be_missing() {
    let mut short = json!(asked());
    short
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name == "method" || name == "params");
    for result in [
        json!({"decision": "allow"}),
        json!({"decision": "modify", "message": "m", "modifiedRequest": short}),
        json!({"decision": "modify", "message": "m", "modified_request": short}),
        json!({"decision": "modify", "message": "m", "modified_request": asked()}),
    ] {
        let decision = result["decision"].as_str().unwrap();
        assert_eq!(decided(result.clone(), true).unwrap(), decision);
        assert!(matches!(
            decided(result.clone(), false),
            Err(NoDecision::Malformed(_))
        ));
    }
}

#[test]
fn a_deny_counts_whatever_is_said_beside_it() {
    let deny = json!({"decision": "deny", "message": 7, "reasonCode": "PCI", "data": []});
    assert_eq!(decided(deny, false).unwrap(), "deny");
}

#[test]
fn a_change_is_about_the_same_call() {
    type Change = fn(&mut Value);
    let input = json!({"name": "a", "value": 1});
    let changes: [(Change, &str); 6] = [
        (|it| it["id"] = json!("1"), "another request"),
        (
            |it| it["params"]["context"]["turnId"] = json!("u"),
            "the context",
        ),
        (
            |it| it["params"]["context"]["agent"]["x"] = json!(1),
            "the context",
        ),
        (
            |it| it["params"]["toolCallRequest"]["toolId"] = json!("rm"),
            "toolId",
        ),
        (
            |it| it["params"]["toolCallRequest"]["executionId"] = json!("y"),
            "executionId",
        ),
        (|it| it["method"] = json!("steps/x"), "no request"),
    ];
    let wrong = |modified: Value| {
        let result = json!({"decision": "modify", "message": "m", "modifiedRequest": modified});
        decided(result, true).unwrap_err().to_string()
    };
    for (change, expected) in changes {
        let mut modified = json!(asked());
        change(&mut modified);
        let why = wrong(modified);
        assert!(why.contains(expected), "{why}");
    }
    let mut twice = json!(asked());
    twice["params"]["toolCallRequest"]["inputs"] = json!([input, input]);
    assert!(wrong(twice).contains("names an input twice"));
    // An input that was not there is one that the tool's schema decides about.
    let mut more = json!(asked());
    more["params"]["toolCallRequest"]["inputs"] = json!([input]);
    let result = json!({"decision": "modify", "message": "m", "modifiedRequest": more});
    assert_eq!(decided(result, false).unwrap(), "modify");
}

#[test]
fn a_number_of_the_context_may_come_back_as_another_language_writes_it() {
    let mut value = json!(asked());
    value["params"]["context"]["agent"]["metadata"] = json!({"heat": 1.0});
    let asked = step(value.clone()).unwrap();
    for (heat, fine) in [(json!(1), true), (json!(1.0), true), (json!(1.5), false)] {
        value["params"]["context"]["agent"]["metadata"]["heat"] = heat;
        let body = json!({"jsonrpc": "2.0", "id": 1, "result": {
            "decision": "modify", "message": "m", "modifiedRequest": value
        }});
        let read = asked.read_answer(body.to_string().as_bytes(), false);
        assert_eq!(read.is_ok(), fine);
    }
}

#[test]
fn a_guardian_that_answers_with_an_error_is_told_from_one_that_babbles() {
    let read = |body: &str| asked().read_answer(body.as_bytes(), false).unwrap_err();
    for id in ["1", "null"] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"x"}}}}"#);
        assert!(matches!(read(&body), NoDecision::Guardian(error) if error.code == -32603));
    }
    for body in [
        "",
        "<html>",
        "[]",
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}"#,
    ] {
        assert!(matches!(read(body), NoDecision::Malformed(_)), "{body}");
    }
}

#[test]
fn a_step_that_cannot_be_modified_is_not() {
    let raw = json!({"jsonrpc": "2.0", "id": 5, "method": "tasks/cancel", "params": {}});
    let asked = step(request("tasks/cancel", json!({"payload": raw}))).unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "decision": "modify", "message": "m", "modifiedRequest": asked
    }});
    let read = asked.read_answer(body.to_string().as_bytes(), true);
    assert!(read.unwrap_err().to_string().contains("cannot be modified"));
}

#[test]
fn a_payload_is_of_one_method() {
    let memory = AosRequest::new("1", Method::MemoryStore, Memory::new(["a"]));
    assert!(
        step(json!(memory)).is_err(),
        "a step of the agent has a context"
    );
    // What does not belong to the method cannot be read back.
    let call = ToolCallRequest::new("x", "t", Vec::new());
    let mixed = AosRequest::new("1", Method::MemoryStore, call);
    assert!(step(json!(mixed)).is_err());
}
