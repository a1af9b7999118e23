//! Lines that are nearly messages: duplicate, unknown and missing members, odd values, escapes, deep nesting, and broken bytes.

use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::Value;

use super::messages;

/// A JSON text as it is written: members may be given twice, and tokens may be none of JSON's.
#[derive(Clone, Debug)]
pub(super) enum Json {
    Token(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn of(value: &Value) -> Json {
        match value {
            Value::Array(items) => Json::Array(items.iter().map(Json::of).collect()),
            Value::Object(members) => {
                let member = |(name, value)| (Value::to_string(&Value::String(name)), value);
                let members = members.iter();
                let members = members.map(|(name, value)| member((name.clone(), Json::of(value))));
                Json::Object(members.collect())
            }
            token => Json::Token(token.to_string()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Json::Token(token) => token.clone(),
            Json::Array(items) => {
                let items: Vec<_> = items.iter().map(Json::text).collect();
                format!("[{}]", items.join(","))
            }
            Json::Object(members) => {
                let members = members.iter();
                let members: Vec<_> = members
                    .map(|(name, value)| format!("{name}:{}", value.text()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    fn size(&self) -> usize {
        1 + match self {
            Json::Token(_) => 0,
            Json::Array(items) => items.iter().map(Json::size).sum(),
            Json::Object(members) => members.iter().map(|(_, value)| value.size()).sum(),
        }
    }

    /// The value of this number, counted as they are written.
    fn nth(&mut self, mut at: usize) -> &mut Json {
        if at == 0 {
            return self;
        }
        at -= 1;
        let inner: Vec<&mut Json> = match self {
            Json::Token(_) => unreachable!("a token has size 1"),
            Json::Array(items) => items.iter_mut().collect(),
            Json::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        };
        for value in inner {
            let size = value.size();
            if at < size {
                return value.nth(at);
            }
            at -= size;
        }
        unreachable!("the number is below the size")
    }

    /// The members of an object among the values, most often the message itself or its params.
    fn members(&mut self, at: &Index) -> Option<&mut Vec<(String, Json)>> {
        let mut objects: Vec<usize> = (0..self.size())
            .filter(|at| matches!(self.nth(*at), Json::Object(members) if !members.is_empty()))
            .collect();
        objects.extend_from_within(..objects.len().min(2));
        objects.extend_from_within(..objects.len().min(2));
        match self.nth(*objects.get(at.index(objects.len().max(1)))?) {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }
}

/// Values that are read in more than one way.
const ODD: &[&str] = &[
    "null",
    "true",
    "0",
    "-0",
    "-1",
    "1.0",
    "1e2",
    "1.5",
    "-0.0",
    "0.1",
    "9007199254740993",
    "1E3",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "-1e400",
    "1e-400",
    "3.4028236e38",
    "123456789012345678901234567890",
    "01",
    "tru",
    "NaN",
    r#""\x""#,
    r#""""#,
    r#""2.0""#,
    r#""2\u002e0""#,
    r#""1.0""#,
    r#""tools/call""#,
    r#""ping""#,
    r#""\ud800""#,
    r#""\ud83d\ude00""#,
    r#""\u0000\"\\\/\b""#,
    r#""a\ud800b""#,
    "\"\t\"",
    "\"\u{7f}é\u{1f600}\"",
    "{}",
    "[]",
    "[1,[2,{\"a\":3}]]",
    r#"["x"]"#,
    r#"{"a":1,"a":2}"#,
    r#"{"progressToken":1}"#,
    r#"{"progressToken":1.5,"x":{"y":[]}}"#,
    r#"{"debug":null}"#,
    r#"{"debug":{}}"#,
    r#""debug""#,
    r#"{"io.modelcontextprotocol/clientCapabilities":{"experimental":[],"extensions":{"a":1,"b":{}}}}"#,
    r#"{"$serde_json::private::RawValue":"[1, 2]"}"#,
    r#"{"$serde_json::private::RawValue":"[1"}"#,
    r#"{"a":{"$serde_json::private::RawValue":"{\"b\":1}"}}"#,
    r#"{"$serde_json::private::Number":"1"}"#,
    r#"{"x":"\udfff"}"#,
    r#"{"\ud800":1}"#,
    r#"{"x":1e999}"#,
    "deep",
    "deeper",
];

/// Names of members that mean something somewhere.
const NAMES: &[&str] = &[
    "_meta",
    "x",
    "state",
    "checkpoint",
    "scope",
    "id",
    "method",
    "params",
    "result",
    "error",
    "jsonrpc",
    "cursor",
    "name",
    "arguments",
    "uri",
    "hooks",
    "capabilities",
    "requestState",
    "inputResponses",
    "taskId",
    "level",
    "requestId",
    "progress",
    "type",
    "context",
    "Params",
    "$serde_json::private::RawValue",
    "experimental",
    "content",
    "",
    "\u{e9}",
];

fn odd(at: &Index) -> Json {
    let text = *at.get(ODD);
    // Around the bound of 128 arrays and objects in each other, wherever it stands.
    let levels = 121 + at.index(9);
    match text {
        "deep" => Json::Token(format!("{}{}", "[".repeat(levels), "]".repeat(levels))),
        "deeper" => Json::Token(format!(
            "{}1{}",
            "{\"a\":".repeat(levels),
            "}".repeat(levels)
        )),
        text => Json::Token(text.to_owned()),
    }
}

/// Writes a character of a text as its number.
fn escape(text: &mut String, at: &Index) {
    let places: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| c.is_ascii_alphabetic())
        .collect();
    if text.starts_with('"') && !text.contains('\\') && !places.is_empty() {
        let (place, letter) = *at.get(&places);
        text.replace_range(place..=place, &format!("\\u{:04x}", u32::from(letter)));
    }
}

/// Changes one thing.
fn mutate(json: &mut Json, change: u8, first: &Index, second: &Index) {
    let value = first.index(json.size());
    match change {
        0 | 1 => *json.nth(value) = odd(second),
        2 => {
            if let Json::Token(token) = json.nth(value) {
                escape(token, second);
            }
        }
        3 => *json.nth(value) = Json::Array(vec![json.nth(value).clone()]),
        _ => {
            let Some(members) = json.members(first) else {
                return;
            };
            let at = second.index(members.len());
            match change {
                4 => drop(members.remove(at)),
                5 => members.push(members[at].clone()),
                6 => members.insert(at, members[at].clone()),
                7 => members.rotate_left(at),
                8 => escape(&mut members[at].0, second),
                _ => members.insert(at, (format!("{:?}", first.get(NAMES)), odd(second))),
            }
        }
    }
}

/// A line that is a message or nearly one.
pub(super) fn line() -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((0_u8..12, any::<Index>(), any::<Index>()), 0..4);
    let broken = prop::option::weighted(0.1, (any::<Index>(), any::<u8>()));
    let message = (0..messages::COUNT, 0..messages::ORDERS * 2, changes, broken);
    message.prop_map(|(at, order, changes, broken)| {
        // Half of them in the order in which they are written most often.
        let mut json = messages::message(at, order.saturating_sub(messages::ORDERS));
        for (change, first, second) in &changes {
            mutate(&mut json, *change, first, second);
        }
        let mut line = json.text().into_bytes();
        if let Some((place, byte)) = broken {
            let place = place.index(line.len());
            match byte {
                0..=99 => line[place] = byte,
                100..=149 => line.truncate(place),
                150..=199 => line.insert(place, b' '),
                _ => line[place] = byte,
            }
        }
        line
    })
}
