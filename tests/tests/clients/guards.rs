//! No text arrives twice, no agent goes on for ever, and what is not understood is not answered.

use hooks_sdk::{
    clients::{ALL, Delivery, Evidence, MAX_INPUT},
    lifecycle::Event,
};
use serde_json::{Map, Value, json};

use crate::recorded::{all, client, fire, native, read, text};

fn recorded(name: &str) -> Value {
    serde_json::from_slice(&read(name)).expect("JSON")
}

async fn output(word: &str, event: Event, input: &Value) -> Value {
    fire(client(word), Some(event), input.to_string().as_bytes())
        .await
        .output
}

#[tokio::test]
async fn an_agent_is_kept_going_once() {
    let kept = ALL.into_iter().filter_map(|client| {
        let mapping = client.mapping(Event::PostRequest);
        let is_kept = mapping.delivery == Delivery::Continue;
        let was_run = client.tested.how == Evidence::Run;
        let recording = format!("{}/{}.json", client.name, mapping.native);
        (is_kept && was_run).then_some((client.name, recording))
    });
    let kept: Vec<_> = kept.collect();
    assert!(kept.len() >= 5);
    for (word, recording) in kept {
        let mut input = recorded(&recording);
        let first = output(word, Event::PostRequest, &input).await;
        let (place, decision) = match word {
            "gemini" => ("/decision", "deny"),
            "kimi" => ("/hookSpecificOutput/permissionDecision", "deny"),
            _ => ("/decision", "block"),
        };
        assert_eq!(first.pointer(place), Some(&json!(decision)), "{word}");
        assert!(text(&first).unwrap().contains("remember?"), "{word}");
        for active in [json!(true), json!("false"), json!(null), json!([])] {
            input["stop_hook_active"] = active;
            assert_eq!(output(word, Event::PostRequest, &input).await, json!({}));
        }
        input.as_object_mut().unwrap().remove("stop_hook_active");
        assert_eq!(output(word, Event::PostRequest, &input).await, json!({}));
    }
}

#[tokio::test]
async fn gemini_hears_no_request_in_our_own_reason() {
    let stop = recorded("gemini/AfterAgent.json");
    let reason = output("gemini", Event::PostRequest, &stop).await["reason"].clone();
    let mut again = recorded("gemini/BeforeAgent.again.json");
    again["prompt"] = reason;
    assert_eq!(output("gemini", Event::PreRequest, &again).await, json!({}));

    // What hooks said when the session started stands before the first prompt.
    let start = recorded("gemini/SessionStart.json");
    let start = output("gemini", Event::SessionStart, &start).await;
    let context = start["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    again["prompt"] = json!(format!(
        "<hook_context>{context}\n\n{context}</hook_context>\n\nDo it."
    ));
    let answer = output("gemini", Event::PreRequest, &again).await;
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "BeforeAgent");
}

#[tokio::test]
async fn the_client_knows_which_event_it_is() {
    for (client, name) in all() {
        let input = read(&name);
        if recorded(&name).get("hook_event_name").is_none() {
            continue;
        }
        let right = fire(client, None, &input).await;
        for event in Event::ALL {
            let fired = fire(client, Some(event), &input).await;
            assert_eq!(fired.output, right.output, "{name} as {event}");
        }
    }
}

#[tokio::test]
async fn the_argument_counts_where_the_client_is_silent() {
    let mut input = recorded("claude-code/PostToolUse.shell.json");
    for said in [json!(null), json!(7), json!("")] {
        input["hook_event_name"] = said;
        let answer = output("claude-code", Event::PostToolUse, &input).await;
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    }
    let fired = fire(client("codex"), None, b"{}").await;
    assert_eq!(fired.output, json!({}));
    assert_eq!(
        fired.problem.as_deref(),
        Some("neither standard input nor `--event` names the event")
    );
}

#[tokio::test]
async fn camel_case_is_understood() {
    let input = json!({
        "sessionId": "s", "hookEventName": "postToolUse", "toolName": "Bash", "cwd": "/w/annal",
        "toolInput": {"command": "git commit"}, "toolResponse": "done",
    });
    let answer = output("claude-code", Event::PreToolUse, &input).await;
    let text = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(
        text.contains("> Bash said done") && text.contains("> You just committed"),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_not_understood_is_not_answered() {
    let long = [b"{}".as_slice(), &vec![b' '; MAX_INPUT]].concat();
    let whole = read("claude-code/PostToolUse.shell.json");
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let inputs: [&[u8]; 10] = [
        b"",
        b" \n",
        b"null",
        b"[]",
        b"\"PostToolUse\"",
        b"\xff\xfe{\0}\0",
        &whole[..whole.len() / 2],
        &long,
        &deep,
        b"{\"hook_event_name\": \"PreCompact\"}",
    ];
    let events = [Event::SessionStart, Event::PostToolUse, Event::PreRequest];
    let all = ALL
        .into_iter()
        .flat_map(|client| events.map(|event| (client, event)));
    for (client, event) in all {
        for input in inputs {
            let fired = fire(client, Some(event), input).await;
            assert_eq!(fired.output, json!({}), "{} at {event}", client.name);
            assert!(fired.problem.is_some() && fired.seen.is_none() && fired.report.is_none());
        }
    }
}

#[tokio::test]
async fn a_tools_input_is_as_the_client_wrote_it() {
    let input = br#"{"hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "z" : 1.50, "a" : [ 12345678901234567890123 , "a  b" ] }}"#;
    let fired = fire(client("claude-code"), None, input).await;
    let text = text(&fired.output).unwrap();
    let compact = r#"> Bash is to run {"z":1.50,"a":[12345678901234567890123,"a  b"]}"#;
    assert!(text.ends_with(compact), "{text}");
}

#[tokio::test]
async fn half_a_letter_and_a_mark_of_windows_are_understood() {
    let input = b"\xef\xbb\xbf{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"Bash\", \"tool_response\": \"cut \\ud83d\"}";
    let fired = fire(client("codex"), None, input).await;
    let text = fired.output["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(text.contains("> Bash said cut \u{fffd}"), "{text}");
}

#[tokio::test]
async fn a_recording_with_more_is_the_same_and_a_part_of_it_is_nothing() {
    for (client, name) in all() {
        let whole = read(&name);
        let event = client.event(native(&name));
        let members: Map<String, Value> = serde_json::from_slice(&whole).expect("an object");
        let same = Value::from(members.clone()).to_string();
        let right = fire(client, event, same.as_bytes()).await.output;

        let mut more = members.clone();
        more.insert("a member of a later version".to_owned(), json!({"a": [1]}));
        let answer = fire(client, event, Value::from(more).to_string().as_bytes()).await;
        assert_eq!(answer.output, right, "{name} with more");

        for cut in [0, 1, whole.len() / 2, whole.trim_ascii_end().len() - 1] {
            let fired = fire(client, event, &whole[..cut]).await;
            assert_eq!(fired.output, json!({}), "{name} cut after {cut}");
            assert!(fired.problem.is_some());
        }
        if members.contains_key("hook_event_name") {
            let mut unknown = members.clone();
            unknown.insert("hook_event_name".to_owned(), json!("NoSuchEvent"));
            let fired = fire(client, event, Value::from(unknown).to_string().as_bytes()).await;
            assert_eq!(fired.output, json!({}), "{name} at another event");
        }
    }
}
