//! One server-sent event, put together from the pieces in which it comes.

use std::mem;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr2;

use super::lift::Exit;
use crate::server::carried::Replacement;

/// The longest event whose members are lifted, in bytes (16 MiB, as the longest line of a stream).
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// The beginning of an event whose end has not come.
#[derive(Debug)]
pub(super) struct PartialEvent {
    bytes: BytesMut,
    /// Where the current line of the event begins, and up to where its end was searched.
    line: usize,
    searched: usize,
    longest: usize,
    exit: Exit,
    /// The event is too long, and its bytes pass as they come. So many of the held bytes have passed.
    is_passing: bool,
    passed: usize,
    /// The event is too long, and what must not leave cannot be removed from it.
    is_dropped: bool,
}

impl PartialEvent {
    pub(super) fn new(longest: usize, exit: Exit) -> PartialEvent {
        PartialEvent {
            bytes: BytesMut::new(),
            line: 0,
            searched: 0,
            longest,
            exit,
            is_passing: false,
            passed: 0,
            is_dropped: false,
        }
    }

    /// Takes the next bytes of the stream. Returns the events that are whole now.
    pub(super) fn pass(&mut self, data: Bytes) -> Bytes {
        if self.bytes.is_empty()
            && !self.is_passing
            && ends_event(&data)
            && !self.exit.concerns(&data)
        {
            return data;
        }
        self.bytes.extend_from_slice(&data);
        let mut whole = BytesMut::new();
        while let Some(end) = self.end_of_event() {
            let event = self.bytes.split_to(end);
            (self.line, self.searched) = (0, 0);
            let passed = mem::take(&mut self.passed);
            match mem::take(&mut self.is_passing) {
                true if mem::take(&mut self.is_dropped) => {}
                true => whole.extend_from_slice(&event[passed..]),
                false => self.exit.pass(&event, &mut whole),
            }
        }
        if self.is_passing || self.bytes.len() > self.longest {
            if !mem::replace(&mut self.is_passing, true) {
                let longest = self.longest;
                self.is_dropped = self.exit.drops(&self.bytes);
                tracing::warn!(
                    target: "hooks_sdk::http",
                    longest,
                    dropped = self.is_dropped,
                    "an event is too long; marked members in it are not lifted"
                );
            }
            if !self.is_dropped {
                whole.extend_from_slice(&self.bytes[self.passed..]);
            }
            // The end of the current line decides whether the next line is empty.
            let open = self.bytes.len() - self.line;
            let kept = open.min(if self.bytes.ends_with(b"\r") { 2 } else { 1 });
            self.bytes.advance(self.bytes.len() - kept);
            self.passed = kept;
            (self.line, self.searched) = (0, 0);
        }
        whole.freeze()
    }

    /// Takes the next bytes of the stream. Returns the events that are whole now, each alone, or `None` if the event that
    /// is open is too long.
    #[cfg(feature = "aos")]
    pub(super) fn whole(&mut self, data: &[u8]) -> Option<Vec<Bytes>> {
        self.bytes.extend_from_slice(data);
        let mut whole = Vec::new();
        while let Some(end) = self.end_of_event() {
            whole.push(self.bytes.split_to(end).freeze());
            (self.line, self.searched) = (0, 0);
        }
        (self.bytes.len() <= self.longest).then_some(whole)
    }

    /// Returns the bytes of an event that never ended.
    pub(super) fn rest(&mut self) -> Bytes {
        mem::take(&mut self.bytes).freeze().split_off(self.passed)
    }

    /// Returns where the event that is held ends: after its first empty line.
    fn end_of_event(&mut self) -> Option<usize> {
        loop {
            let found = memchr2(b'\n', b'\r', &self.bytes[self.searched..]);
            let Some(end) = found.map(|at| self.searched + at) else {
                self.searched = self.bytes.len();
                return None;
            };
            let next = end + width(&self.bytes[end..]);
            if end == self.line {
                return Some(next);
            }
            // After a `\r` at the end of the bytes, a `\n` of the same line end may follow.
            if next == self.bytes.len() && self.bytes[end] == b'\r' {
                self.searched = end;
                return None;
            }
            (self.line, self.searched) = (next, next);
        }
    }
}

/// Returns the length of the line end at the beginning of `text`.
fn width(text: &[u8]) -> usize {
    if text.starts_with(b"\r\n") { 2 } else { 1 }
}

fn ends_event(data: &[u8]) -> bool {
    [b"\n\n".as_slice(), b"\r\n\r\n", b"\r\r"]
        .iter()
        .any(|end| data.ends_with(end))
}

impl Exit {
    /// Adds an event to `to`, as it leaves.
    fn pass(&self, event: &[u8], to: &mut BytesMut) {
        let sent = match self.concerns(event) {
            true => self.passes(&data(event)),
            false => Replacement::AsItIs,
        };
        match sent {
            Replacement::AsItIs => to.extend_from_slice(event),
            Replacement::As(changed) => to.extend_from_slice(&with_data(event, &changed)),
            Replacement::Nothing => {}
        }
    }
}

/// Returns the data of an event.
pub(super) fn data(event: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    for line in lines(event) {
        if let Some(text) = data_of(line) {
            data.extend_from_slice(text);
            data.push(b'\n');
        }
    }
    data
}

/// Returns an event with other data.
pub(super) fn with_data(event: &[u8], data: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(event.len());
    let mut is_written = false;
    for line in lines(event) {
        if data_of(line).is_none() {
            text.extend_from_slice(line);
        } else if !mem::replace(&mut is_written, true) {
            text.extend_from_slice(b"data: ");
            text.extend_from_slice(data);
            text.extend_from_slice(&line[without_end(line).len()..]);
        }
    }
    text
}

/// Returns the lines of an event, each with its end.
fn lines(mut event: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let end = memchr2(b'\n', b'\r', event);
        let next = end.map_or(event.len(), |end| end + width(&event[end..]));
        let (line, rest) = event.split_at(next);
        event = rest;
        (!line.is_empty()).then_some(line)
    })
}

fn without_end(line: &[u8]) -> &[u8] {
    let end = memchr2(b'\n', b'\r', line).unwrap_or(line.len());
    &line[..end]
}

/// Returns the value of a `data` field.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    let value = without_end(line).strip_prefix(b"data")?;
    if value.is_empty() {
        return Some(value);
    }
    let value = value.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::server::carried::{LIFT, marked as by_us};

    /// Passes `text` in pieces of `size` bytes.
    fn passed(text: &str, size: usize, longest: usize) -> String {
        let mut held = PartialEvent::new(longest, Exit::default());
        let mut out = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            out.extend_from_slice(&held.pass(Bytes::copy_from_slice(piece)));
        }
        out.extend_from_slice(&held.rest());
        String::from_utf8(out).expect("text")
    }

    fn marked() -> (String, String) {
        let members = json!({"state": {"n": 1}}).as_object().cloned();
        let held = by_us(members.expect("an object"));
        let message = json!({"id": 1, "result": {"_meta": {LIFT: held}}});
        let expected = json!({"id": 1, "result": {"state": {"n": 1}}});
        (message.to_string(), expected.to_string())
    }

    #[test]
    fn members_are_lifted_wherever_frames_are_split() {
        let (message, lifted) = marked();
        for end in ["\n", "\r\n", "\r"] {
            let other =
                format!(": ping{end}{end}event: message{end}data: {{\"a\":1}}{end}id: 3{end}{end}");
            let text = format!("{other}id: 7{end}data:{message}{end}retry: 9{end}{end}{other}");
            let expected = format!("{other}id: 7{end}data: {lifted}{end}retry: 9{end}{end}{other}");
            for size in 1..text.len() + 1 {
                assert_eq!(passed(&text, size, LONGEST), expected, "{size} {end:?}");
            }
        }
    }

    #[test]
    fn data_of_several_lines_is_one_message() {
        let (message, lifted) = marked();
        let (first, second) = message.split_at(message.find(',').expect("two members") + 1);
        let text = format!("data: {first}\r\ndata: {second}\r\n\r\ndata: x\n\n");
        let expected = format!("data: {lifted}\r\n\r\ndata: x\n\n");
        for size in [1, 7, text.len()] {
            assert_eq!(passed(&text, size, LONGEST), expected);
        }
    }

    #[test]
    fn what_has_no_marked_member_passes_untouched() {
        let (message, _) = marked();
        for text in [
            "",
            "data",
            "data:",
            "data\n\n",
            "\n\n\n",
            "id: 1\ndata:  two\ndata\n\n: c\n\n",
            &format!("data: {{\"result\":\"{LIFT}\"}}\n\n"),
            &format!("database: {message}\n\n"),
            // An event that never ends is no event.
            &format!("data: {message}\n"),
        ] {
            for size in 1..text.len() + 1 {
                assert_eq!(passed(text, size, LONGEST), *text);
            }
        }
    }

    #[test]
    fn an_event_that_is_too_long_passes_as_it_is_and_the_next_one_is_lifted() {
        let (message, lifted) = marked();
        for end in ["\n", "\r\n", "\r"] {
            let long = format!(
                "id: 1{end}data: {}{message}{end}data: x{end}{end}",
                "x".repeat(500)
            );
            let text = format!("{long}data: {message}{end}{end}");
            let expected = format!("{long}data: {lifted}{end}{end}");
            for size in 1..150 {
                assert_eq!(passed(&text, size, 200), expected, "{size} {end:?}");
            }
        }
    }

    #[test]
    fn a_whole_event_waits_for_nothing() {
        let mut held = PartialEvent::new(LONGEST, Exit::default());
        for event in [": ping\n\n", "data: a\r\n\r\n", "data: b\r\r"] {
            assert_eq!(held.pass(Bytes::from(event)), event);
        }
        let (message, lifted) = marked();
        let event = held.pass(Bytes::from(format!("data: {message}\n\nda")));
        assert_eq!(event, format!("data: {lifted}\n\n"));
        let parsed: Value = serde_json::from_str(&lifted).expect("JSON");
        assert_eq!(parsed["result"]["state"]["n"], 1);
        assert_eq!(held.rest(), "da");
    }
}
