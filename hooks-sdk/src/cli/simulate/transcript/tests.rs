//! Session files that are broken, foreign or huge.

use std::io::{self, BufReader, Read};

use super::*;
use crate::lifecycle::Event;

const META: &str = r#"{"type":"session_meta","payload":{"id":"s","cwd":"/w/app"}}"#;
const ASKED: &str =
    r#"{"type":"user","sessionId":"s","cwd":"/w/app","message":{"content":"Do it."}}"#;

fn read_bytes(bytes: impl Read) -> (Option<&'static str>, ReadTranscript, Vec<(Event, u64)>) {
    let mut all = Vec::new();
    let (client, reading) = read(BufReader::new(bytes), None, |_, moments| {
        all.extend(moments.iter().map(|moment| (moment.event, moment.line)));
        Ok(())
    })
    .unwrap();
    (client, reading, all)
}

#[test]
fn a_file_tells_its_client() {
    let (client, _, moments) = read_bytes(META.as_bytes());
    assert_eq!(
        (client, &moments[..]),
        (Some("codex"), &[(Event::SessionStart, 1)][..])
    );
    let (client, _, moments) = read_bytes(ASKED.as_bytes());
    assert_eq!(client, Some("claude-code"));
    assert_eq!(moments, [(Event::SessionStart, 1), (Event::PreRequest, 1)]);
    for foreign in [
        "",
        "\n\n",
        "{}",
        "[]",
        "{\"type\":1}",
        "text",
        "\u{feff}",
        "{\"a\":\"b\"}\n{}",
    ] {
        let (client, _, moments) = read_bytes(foreign.as_bytes());
        assert_eq!((client, moments.len()), (None, 0), "{foreign:?}");
    }
    // JavaScript cuts a text inside a letter.
    let half = ASKED.replace("Do it.", "\\ud83d");
    assert_eq!(read_bytes(half.as_bytes()).2.len(), 2);
    // The named client reads every entry.
    let read = read(META.as_bytes(), Some("claude-code"), |_, moments| {
        assert!(moments.is_empty());
        Ok(())
    });
    assert_eq!(read.unwrap().0, Some("claude-code"));
}

#[test]
fn what_cannot_be_read_is_counted() {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(b"\xef\xbb\xbf");
    bytes.extend_from_slice(META.as_bytes());
    bytes.extend_from_slice(
        b"\r\n\r\n\xff\xfe{}\r\n{\"type\":\"new_kind\"}\r\n{\"type\":\"new_kind\"}\n{}\n[1]\n",
    );
    bytes.extend_from_slice(b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_compl");
    let (client, reading, moments) = read_bytes(&*bytes);
    assert_eq!(client, Some("codex"));
    assert_eq!(moments.len(), 1);
    assert_eq!(reading.lines, 8);
    // Not UTF-8, not an object, and cut off.
    assert_eq!((reading.unreadable, reading.first_unreadable), (3, Some(3)));
    assert_eq!(reading.unknown, 3);
    assert_eq!(reading.unknown_kinds["new_kind"], 2);
    assert_eq!(reading.unknown_kinds["without a type"], 1);
}

#[test]
fn kinds_are_named_up_to_a_number() {
    let mut lines = META.to_owned();
    for kind in 0..100 {
        lines.push_str(&format!("\n{{\"type\":\"{}{kind}\"}}", "k".repeat(200)));
    }
    let (_, reading, _) = read_bytes(lines.as_bytes());
    assert_eq!(reading.unknown, 100);
    assert!(reading.unknown_kinds.len() <= MOST_KINDS);
    assert!(reading.unknown_kinds.keys().all(|kind| kind.len() == 40));
}

#[test]
fn a_line_of_more_than_16_mib_is_passed_over() {
    let start = format!("{META}\n{{\"type\":\"world_state\",\"x\":\"");
    let rest = format!("\"}}\n{}", META.replace("session_meta", "compacted"));
    let long = io::repeat(b'a').take(50 << 20);
    let bytes = start.as_bytes().chain(long).chain(rest.as_bytes());
    let (_, reading, moments) = read_bytes(bytes);
    assert_eq!((reading.lines, reading.too_long), (3, 1));
    assert_eq!(
        moments,
        [(Event::SessionStart, 1), (Event::SessionStart, 3)]
    );

    // A line of the limit is read.
    let frame = META.len() - "s".len();
    let whole = META.replace(
        "\"s\"",
        &format!("\"{}\"", "s".repeat(LONGEST_LINE - frame)),
    );
    assert_eq!(whole.len(), LONGEST_LINE);
    assert_eq!(read_bytes(whole.as_bytes()).2.len(), 1);
    let longer = whole.replace("/w/app", "/w/apps");
    assert_eq!(read_bytes(longer.as_bytes()).1.too_long, 1);
}

#[test]
fn members_of_wrong_types_bring_no_event_and_no_panic() {
    let recorded = [
        include_str!("../../../../../tests/fixtures/transcripts/claude-code.jsonl"),
        include_str!("../../../../../tests/fixtures/transcripts/codex.jsonl"),
    ];
    for (file, lines) in recorded.iter().map(|it| it.lines()).enumerate() {
        for line in lines {
            let value: Value = serde_json::from_str(line).unwrap();
            for wrong in [Value::Null, true.into(), 7.into(), Value::Array(Vec::new())] {
                for pointer in pointers(&value) {
                    let mut changed = value.clone();
                    *changed.pointer_mut(&pointer).unwrap() = wrong.clone();
                    let named = Some(["claude-code", "codex"][file]);
                    let read = read(changed.to_string().as_bytes(), named, |_, _| Ok(()));
                    assert_eq!(read.unwrap().1.lines, 1);
                }
            }
        }
    }
}

/// Returns the places of the values in the first three levels.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..3 {
        let to = all.len();
        for at in from..to {
            let found = match value.pointer(&all[at]) {
                Some(Value::Object(members)) => members.keys().cloned().collect(),
                Some(Value::Array(items)) => (0..items.len()).map(|at| at.to_string()).collect(),
                _ => Vec::new(),
            };
            for name in found {
                let name = name.replace('~', "~0").replace('/', "~1");
                let below = format!("{}/{name}", all[at]);
                all.push(below);
            }
        }
        from = to;
    }
    all
}
