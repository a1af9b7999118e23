//! Whatever is sent, the engine answers once; what is read is written as it was.

use futures::executor::block_on;
use hooks_sdk::{
    aos::{AosDecision, AosHook, AosRequest, Guardian, Received, Transported, point},
    core::{Registry, Verdict},
};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::generated::{any_json, request};

/// A guardian that changes memory and tool calls, and lets other steps be without a hook.
fn guardian() -> Guardian {
    let memory = AosHook::answering_any("memory", point::memory_store, |memory, _| {
        let memory = memory.clone();
        Box::pin(async move { Verdict::Modify(memory) })
    });
    let calls = AosHook::answering_any("calls", point::tool_call_request, |call, _| {
        let call = call.clone();
        Box::pin(async move { Verdict::Modify(call) })
    });
    let registry = Registry::builder().add(memory.into()).add(calls.into());
    Guardian::with((), registry.build().expect("two hooks"))
}

/// The engine's answer: one object of JSON-RPC, with a result or with an error.
fn answer(body: &[u8]) -> Value {
    let answer = block_on(guardian().answer(body, Transported::default()));
    let answer: Value = serde_json::from_slice(&answer).expect("JSON");
    let members = answer.as_object().expect("an object");
    assert_eq!(members.len(), 3, "{answer}");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(members.contains_key("id"), "{answer}");
    let code = answer["error"]["code"].as_i64();
    let codes = [-32700, -32600, -32601, -32602, -32603];
    assert!(
        members.contains_key("result") || codes.iter().any(|it| Some(*it) == code),
        "{answer}"
    );
    answer
}

fn read(value: Value) -> Option<AosRequest> {
    match Received::read_value(value) {
        Ok(Received::Step(step)) => Some(*step),
        _ => None,
    }
}

/// Every place in a value.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                places(value, &format!("{at}/{index}"), into);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{at}/{name}"), into);
            }
        }
        _ => {}
    }
}

/// Puts values at places, or takes what is there.
fn spoil(value: &mut Value, changes: &[(Index, Option<Value>)]) {
    for (at, change) in changes {
        let mut all = Vec::new();
        places(value, "", &mut all);
        let place = at.get(&all);
        match (change, place.rsplit_once('/')) {
            (Some(new), _) => {
                if let Some(old) = value.pointer_mut(place) {
                    *old = new.clone();
                }
            }
            (None, Some((parent, name))) => match value.pointer_mut(parent) {
                Some(Value::Object(members)) => _ = members.remove(name),
                Some(Value::Array(list)) => _ = list.pop(),
                _ => {}
            },
            (None, None) => {}
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<(Index, Option<Value>)>> {
    let change = (any::<Index>(), proptest::option::weighted(0.7, any_json()));
    proptest::collection::vec(change, 0..4)
}

proptest! {
    #[test]
    fn any_bytes_get_one_answer(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(answer(&body)["error"].is_object());
    }

    #[test]
    fn spoilt_bytes_get_one_answer(
        request in request(),
        spoilt in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        end in any::<Index>(),
    ) {
        let mut body = serde_json::to_vec(&request).unwrap();
        for (at, byte) in spoilt {
            *at.get_mut(&mut body) = byte;
        }
        answer(&body);
        answer(&body[..end.index(body.len())]);
    }

    #[test]
    fn what_is_made_is_read_as_it_was(request in request()) {
        let value = json!(request);
        let back = read(value.clone()).expect("a request");
        prop_assert_eq!(json!(back), value);
        prop_assert_eq!(back.payload, request.payload);
    }

    #[test]
    fn what_is_read_is_written_as_it_was(request in request(), changes in changes()) {
        let mut value = json!(request);
        spoil(&mut value, &changes);
        let answered = answer(value.to_string().as_bytes());
        if let Some(back) = read(value.clone()) {
            prop_assert_eq!(&json!(back), &value);
            prop_assert_eq!(&answered["id"], &value["id"]);
            if answered["result"]["decision"] == "modify" {
                prop_assert_eq!(&answered["result"]["modifiedRequest"], &value);
            }
        }
    }

    #[test]
    fn an_answer_is_a_decision_about_this_request_or_none(
        request in request(),
        changes in changes(),
        decision in proptest::sample::select(&["allow", "deny", "modify", "block"][..]),
        lenient in any::<bool>(),
    ) {
        let mut value = json!({"jsonrpc": "2.0", "id": request.id, "result": {
            "decision": decision, "message": "m", "modifiedRequest": request,
        }});
        spoil(&mut value, &changes);
        if let Ok(decided) = request.read_answer(value.to_string().as_bytes(), lenient) {
            prop_assert_eq!(&value["id"], &json!(request.id));
            prop_assert_eq!(&value["result"]["decision"], decided.decision().as_str());
            let modified = decided.modified_request();
            prop_assert_eq!(modified.is_some(), decided.decision() == AosDecision::Modify);
            if let Some(modified) = modified {
                prop_assert!(request.method.modifies());
                prop_assert_eq!(modified.method, request.method);
                prop_assert_eq!(&modified.id, &request.id);
                prop_assert_eq!(&modified.context, &request.context);
            }
        }
    }
}
