//! The recorded frames of a connection, and the receivers that wait for messages.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;
use tokio::sync::oneshot;

/// One JSON-RPC message, as on the wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The sender.
    pub from: Side,
    /// The message.
    pub message: Value,
}

/// One end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a connection has two ends")]
pub enum Side {
    /// The host, which the test controls.
    Host,
    /// The server under test.
    Server,
}

/// The newest frames.
#[derive(Debug)]
pub(super) struct Frames {
    keep: usize,
    kept: VecDeque<Frame>,
    /// The number of the oldest kept frame, counted from the start.
    first: u64,
    /// The number up to which the host has handled the frames.
    handled: u64,
    /// For each method, the number of the first message that was not returned yet.
    awaited: HashMap<String, u64>,
    waiting: Vec<(String, oneshot::Sender<Value>)>,
}

impl Frames {
    pub(super) fn new(keep: usize) -> Frames {
        Frames {
            keep,
            kept: VecDeque::new(),
            first: 0,
            handled: 0,
            awaited: HashMap::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn all(&self) -> Vec<Frame> {
        self.kept.iter().cloned().collect()
    }

    pub(super) fn push(&mut self, from: Side, message: Value) {
        self.kept.push_back(Frame { from, message });
        if self.kept.len() > self.keep {
            self.kept.pop_front();
            self.first += 1;
        }
    }

    fn next(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// Marks all frames as handled; `message` is the server's newest.
    pub(super) fn handled(&mut self, message: &Value) {
        self.handled = self.next();
        let Some(method) = message["method"].as_str() else {
            return;
        };
        while let Some(at) = self.waiting.iter().position(|(name, _)| name == method) {
            let (method, waiting) = self.waiting.remove(at);
            // A dropped receiver has stopped waiting; the next one takes the message.
            if waiting.send(message.clone()).is_ok() {
                self.awaited.insert(method, self.handled);
                return;
            }
        }
    }

    /// Returns the server's first message of this method that was not returned yet, or a receiver for it.
    pub(super) fn wait_for(&mut self, method: &str) -> Result<Value, oneshot::Receiver<Value>> {
        let from = self.awaited.get(method).copied().unwrap_or_default();
        let skipped = from.saturating_sub(self.first) as usize;
        let handled = self.handled.saturating_sub(self.first) as usize;
        let kept = self.kept.iter().enumerate().take(handled).skip(skipped);
        let found = kept
            .filter(|(_, frame)| frame.from == Side::Server)
            .find(|(_, frame)| frame.message["method"] == method)
            .map(|(at, frame)| (at, frame.message.clone()));
        if let Some((at, message)) = found {
            self.awaited
                .insert(method.to_owned(), self.first + at as u64 + 1);
            return Ok(message);
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.push((method.to_owned(), sender));
        Err(receiver)
    }

    pub(super) fn close(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arrive(frames: &mut Frames, method: &str, n: u64) {
        let message = json!({"method": method, "n": n});
        frames.push(Side::Server, message.clone());
        frames.handled(&message);
    }

    #[test]
    fn each_wait_gets_the_next_one() {
        let mut frames = Frames::new(10);
        arrive(&mut frames, "a", 1);
        arrive(&mut frames, "b", 2);
        arrive(&mut frames, "a", 3);
        assert_eq!(frames.wait_for("a").unwrap()["n"], 1);
        assert_eq!(frames.wait_for("a").unwrap()["n"], 3);
        let mut waiting = frames.wait_for("a").unwrap_err();
        arrive(&mut frames, "a", 4);
        assert_eq!(waiting.try_recv().unwrap()["n"], 4);
        assert_eq!(frames.wait_for("b").unwrap()["n"], 2);
        assert!(frames.wait_for("a").is_err());
    }

    #[test]
    fn the_newest_are_kept() {
        let mut frames = Frames::new(2);
        for n in 0..5 {
            arrive(&mut frames, "a", n);
        }
        let kept: Vec<_> = frames.all();
        assert_eq!(kept.len(), 2);
        assert_eq!(frames.wait_for("a").unwrap()["n"], 3);
    }

    #[test]
    fn what_the_host_has_not_dealt_with_is_not_there_yet() {
        let mut frames = Frames::new(2);
        frames.push(Side::Server, json!({"method": "a"}));
        assert!(frames.wait_for("a").is_err());
    }
}
