//! What happened in a recorded session: events, and calls that wait for their results.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::lifecycle::Event;

/// How many calls may be without a result; beyond it, the oldest counts as one that was broken off.
const MOST_CALLS: usize = 1000;

/// An event of the session, as the client would write it to a hook's standard input.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) event: Event,
    pub(super) line: u64,
    pub(super) at: Option<Timestamp>,
    pub(super) members: Map<String, Value>,
    /// The tool's input as the client wrote it: a matcher searches its text.
    pub(super) input: Option<String>,
    /// How the call ended, before a tool.
    pub(super) ended: Option<CallEnd>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEnd {
    Succeeded,
    Failed,
    /// The transcript has no result.
    Unknown,
}

/// A call without its result.
#[derive(Debug)]
pub(super) struct PendingCall {
    pub(super) id: String,
    pub(super) line: u64,
    pub(super) at: Option<Timestamp>,
    pub(super) members: Map<String, Value>,
    pub(super) input: String,
    pub(super) failed: bool,
    /// What the tool answered, if an entry before the result has it as hooks receive it.
    pub(super) answered: Option<Value>,
}

/// The calls that wait for their results.
#[derive(Debug, Default)]
pub(super) struct PendingCalls(Vec<PendingCall>);

impl Moment {
    /// Makes an event that is not about a tool.
    pub(super) fn new(
        event: Event,
        entry: &Value,
        line: u64,
        members: Map<String, Value>,
    ) -> Moment {
        Moment {
            event,
            line,
            at: time(entry),
            members,
            input: None,
            ended: None,
        }
    }

    /// Returns what the client would write to a hook's standard input.
    pub(super) fn bytes(&self, native: &str) -> Vec<u8> {
        let mut members = self.members.clone();
        members.insert("hook_event_name".to_owned(), native.into());
        let mut text = Value::Object(members).to_string();
        if let Some(input) = &self.input {
            text.pop();
            text.push_str(&format!(",\"tool_input\":{input}}}"));
        }
        text.into_bytes()
    }
}

impl PendingCalls {
    pub(super) fn begin(&mut self, call: PendingCall, moments: &mut Vec<Moment>) {
        if self.0.len() == MOST_CALLS {
            let oldest = self.0.remove(0);
            oldest.end(CallEnd::Unknown, None, moments);
        }
        self.0.push(call);
    }

    pub(super) fn find(&mut self, id: &str) -> Option<&mut PendingCall> {
        self.0.iter_mut().find(|call| call.id == id)
    }

    pub(super) fn take(&mut self, id: &str) -> Option<PendingCall> {
        let at = self.0.iter().position(|call| call.id == id)?;
        Some(self.0.remove(at))
    }

    /// Ends the calls that have no result.
    pub(super) fn end(&mut self, moments: &mut Vec<Moment>) {
        for call in self.0.drain(..) {
            call.end(CallEnd::Unknown, None, moments);
        }
    }
}

impl PendingCall {
    /// Adds the event before the tool, and with a result the one behind it, on the result's line.
    pub(super) fn end(
        self,
        ended: CallEnd,
        after: Option<(u64, Value)>,
        moments: &mut Vec<Moment>,
    ) {
        let PendingCall {
            line,
            at,
            members,
            input,
            ..
        } = self;
        let input = Some(input);
        let response = after.map(|(line, response)| {
            let mut members = members.clone();
            members.insert("tool_response".to_owned(), response);
            Moment {
                event: Event::PostToolUse,
                line,
                at,
                members,
                input: input.clone(),
                ended: None,
            }
        });
        moments.push(Moment {
            event: Event::PreToolUse,
            line,
            at,
            members,
            input,
            ended: Some(ended),
        });
        moments.extend(response);
    }
}

/// Returns when an entry was written.
pub(super) fn time(entry: &Value) -> Option<Timestamp> {
    entry["timestamp"].as_str()?.parse().ok()
}

/// Returns a text that is not empty.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}
