//! The reader of a hook's standard input.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use serde_json::Value;
use thiserror::Error;

use super::{Client, Seen, input::Input, raw};
use hooks_core::lifecycle::Event;

/// The maximum length of standard input in bytes: 16 MiB. A reader may stop after one byte more.
pub const MAX_INPUT: usize = 16 << 20;

/// Reads an input to its end, at most one byte more than [`MAX_INPUT`].
///
/// # Errors
///
/// The input cannot be read.
pub fn read_whole(input: impl Read) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    input.take(MAX_INPUT as u64 + 1).read_to_end(&mut whole)?;
    Ok(whole)
}

/// Why a client's input cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The input is longer than [`MAX_INPUT`].
    #[error("standard input is longer than 16 MiB")]
    TooLong,
    /// The input is not JSON.
    #[error("standard input is not JSON: {0}")]
    NotJson(String),
    /// The input is JSON, but not an object.
    #[error("standard input is not a JSON object")]
    NotAnObject,
    /// The input names an event that is none of the six.
    #[error("hooks do not fire at the client's event `{0}`")]
    UnknownEvent(String),
    /// Neither the input nor the caller names an event.
    #[error("neither standard input nor `--event` names the event")]
    NoEvent,
}

/// Reads what `client` wrote to a hook's standard input.
///
/// `event` is the event for which the command was started. If the input names another of the client's events, that event
/// counts, because the client refuses an answer to another event. `servers` are the names of MCP servers in the client,
/// which [`Client::read`] searches for in a tool's name. If another client fires the client's entries, the input is read
/// as that [caller](Client::caller)'s.
///
/// # Errors
///
/// The input cannot be used; the answer is then `{}`.
pub fn read_input(
    client: &Client,
    event: Option<Event>,
    servers: &[&str],
    input: &[u8],
) -> Result<Seen, InputError> {
    if input.len() > MAX_INPUT {
        return Err(InputError::TooLong);
    }
    let (input, bytes) = parsed(input)?;
    if !input.is_object() {
        return Err(InputError::NotAnObject);
    }
    let caller = client.caller(&input);
    let client = caller.unwrap_or(client);
    let event = match Input(&input).text("hook_event_name") {
        Some(native) => client
            .event(native)
            .ok_or_else(|| InputError::UnknownEvent(native.chars().take(100).collect()))?,
        None => event.ok_or(InputError::NoEvent)?,
    };
    let mut seen = client.read(event, &input, servers);
    seen.caller = caller;
    let variables = &mut seen.occasion.variables;
    as_written(&mut variables.tool_input, &input, &bytes, "tool_input");
    as_written(&mut variables.tool_output, &input, &bytes, "tool_response");
    Ok(seen)
}

/// Restores the client's order of members and digits in JSON that was serialized again.
fn as_written(variable: &mut Option<String>, input: &Value, bytes: &[u8], member: &str) {
    let value = Input(input).member(member);
    if let Some(text) = variable
        && let Some(value) = value.filter(|value| value.to_string() == *text)
        && let Some(written) = raw::member(bytes, member)
        // If a member occurs twice, the parser and the client may use different ones.
        && serde_json::from_str::<Value>(&written).is_ok_and(|written| written == *value)
    {
        *text = written;
    }
}

/// Returns the value, and the bytes that it was read from.
pub fn parsed(input: &[u8]) -> Result<(Value, Cow<'_, [u8]>), InputError> {
    // A byte order mark, which Windows' tools write before UTF-8.
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    let parsed = serde_json::from_slice(input).map(|value| (value, Cow::Borrowed(input)));
    parsed
        .or_else(|_| {
            // A tool's output can have bytes that are not UTF-8, which a client may hand on.
            let input = String::from_utf8_lossy(input);
            let input = whole_letters(input.as_bytes()).into_owned();
            serde_json::from_slice(&input).map(|value| (value, Cow::Owned(input)))
        })
        .map_err(|error| InputError::NotJson(error.to_string()))
}

/// Replaces each escaped half of a surrogate pair by U+FFFD.
///
/// Clients in JavaScript cut long output inside a pair, and serde_json refuses the remaining half.
fn whole_letters(input: &[u8]) -> Cow<'_, [u8]> {
    let mut whole = Cow::Borrowed(input);
    let mut at = 0;
    while at < input.len() {
        if input[at] != b'\\' {
            at += 1;
            continue;
        }
        let unit = unit(&input[at..]);
        match unit {
            Some(0xD800..=0xDBFF)
                if matches!(self::unit(&input[at + 6..]), Some(0xDC00..=0xDFFF)) =>
            {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                whole.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    whole
}

/// Returns the code unit of an escape such as `\ud83d`.
fn unit(input: &[u8]) -> Option<u16> {
    let digits = input.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(input: &str) -> String {
        String::from_utf8(whole_letters(input.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn halves_of_letters_are_replaced() {
        assert_eq!(whole(r"a\ud83d"), r"a\ufffd");
        assert_eq!(
            whole(r"\ud83d\ude00\ude00\ud83dx"),
            r"\ud83d\ude00\ufffd\ufffdx"
        );
        assert_eq!(whole(r"\\ud83d \ud8 \"), r"\\ud83d \ud8 \");
        assert_eq!(parsed(br#"{"a":"\ud83d"}"#).unwrap().0["a"], "\u{fffd}");
        assert!(parsed(br#"{"a":"\ud83d""#).is_err());
    }

    #[test]
    fn bytes_that_are_no_letters_are_replaced() {
        let (value, bytes) =
            parsed(b"\xef\xbb\xbf{\"a\":\"x\xffy\xc3\",\"b\":\"\\ud83d\"}").unwrap();
        assert_eq!(
            value,
            serde_json::json!({ "a": "x\u{fffd}y\u{fffd}", "b": "\u{fffd}" })
        );
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
        for no_json in [&b"\xff"[..], b"{\"a\"\xff:1}", b"\xff\xfe{\0}\0"] {
            assert!(parsed(no_json).is_err(), "{no_json:?}");
        }
    }
}
