//! What is read directly is what rmcp reads, for generated and mutated messages of every method.

mod lines;
mod messages;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage,
    NotificationMetaObject, RequestMetaObject,
};
use serde_json::json;

use super::{Read, WantedMembers, drop_wrong_capabilities, fallback, read, read_directly};

type Message = ClientJsonRpcMessage;

const MEMBERS: &[&str] = &["state", "checkpoint", "scope"];

const NOTHING: WantedMembers<'_> = WantedMembers {
    of_a_call: &[],
    whole_result: &|_| false,
};

const EVERYTHING: WantedMembers<'_> = WantedMembers {
    of_a_call: MEMBERS,
    whole_result: &|_| true,
};

/// Everything that can be seen of a message, with what it carries beside its type.
fn seen(message: &Message) -> String {
    let meta = match message {
        JsonRpcMessage::Request(request) => {
            let extensions = request.request.extensions();
            format!("{:?}", extensions.get::<RequestMetaObject>())
        }
        JsonRpcMessage::Notification(told) => {
            let extensions = told.notification.extensions();
            format!("{:?}", extensions.get::<NotificationMetaObject>())
        }
        _ => String::new(),
    };
    let fields = match message {
        // A hash map among them has no order.
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::CompleteRequest(_)) =>
        {
            "completion".to_owned()
        }
        message => format!("{message:?}"),
    };
    let sent = serde_json::to_value(message).map(|sent| sent.to_string());
    format!("{fields} {meta} {sent:?}")
}

fn seen_whole(read: &Read) -> String {
    format!("{} {:?}", seen(&read.message), read.members)
}

/// Under which name a message counts.
fn label(message: &Message) -> String {
    match message {
        JsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::CustomRequest(_) => "a custom request".to_owned(),
            request => request.method().to_owned(),
        },
        JsonRpcMessage::Notification(told) => match &told.notification {
            ClientNotification::CustomNotification(_) => "a custom notification".to_owned(),
            told => json!(told)["method"].as_str().unwrap().to_owned(),
        },
        JsonRpcMessage::Response(_) => "a response".to_owned(),
        JsonRpcMessage::Error(_) => "an error".to_owned(),
    }
}

/// Compares all readings of a line; returns under which name it was read directly.
fn compare(line: &[u8]) -> Result<Option<String>, TestCaseError> {
    let text = String::from_utf8_lossy(line);
    let rmcp = serde_json::from_slice::<Message>(line);
    let once = read_directly(line, &NOTHING);
    if let Some(once) = &once {
        prop_assert!(rmcp.is_ok(), "rmcp refuses {text}: {rmcp:?}");
        let rmcp = rmcp.as_ref().unwrap();
        prop_assert_eq!(seen(&once.message), seen(rmcp), "{}", text);
        prop_assert!(once.members.is_empty());
    }
    for wanted in [NOTHING, EVERYTHING] {
        let (ours, theirs) = (read(line, &wanted), fallback::read(line, &wanted));
        match (ours, theirs) {
            (Ok(Some(ours)), Ok(Some(mut theirs))) => {
                drop_wrong_capabilities(&mut theirs.message);
                prop_assert_eq!(seen_whole(&ours), seen_whole(&theirs), "{}", text);
            }
            (Ok(None), Ok(None)) => {}
            (Err(ours), Err(theirs)) => {
                prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{}", text);
            }
            (ours, theirs) => prop_assert!(false, "{text}: {ours:?} where {theirs:?}"),
        }
    }
    Ok(once.map(|once| label(&once.message)))
}

/// What is read directly.
const DIRECT: &[&str] = &[
    "a custom notification",
    "a custom request",
    "prompts/get",
    "resources/read",
    "tools/call",
];

#[test]
fn frequent_messages_are_read_directly_and_all_others_as_rmcp_does() {
    let mut seen = BTreeSet::new();
    for at in 0..messages::COUNT {
        for order in 0..messages::ORDERS {
            let line = messages::message(at, order).text();
            seen.extend(compare(line.as_bytes()).unwrap());
        }
    }
    assert!(seen.iter().eq(DIRECT));
}

#[test]
fn mutated_messages_are_read_as_rmcp_reads_them() {
    const CASES: u32 = 30_000;
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let directly = RefCell::new(BTreeMap::new());
    runner
        .run(&lines::line(), |line| {
            if let Some(label) = compare(&line)? {
                *directly.borrow_mut().entry(label).or_insert(0_u32) += 1;
            }
            Ok(())
        })
        .unwrap();
    let counts = directly.into_inner();
    let total: u32 = counts.values().sum();
    assert!(total > CASES / 50, "only {total} were read directly");
    for name in DIRECT {
        let count = counts.get(*name).copied().unwrap_or_default();
        assert!(count > 30, "only {count} of {name}: {counts:?}");
    }
}
