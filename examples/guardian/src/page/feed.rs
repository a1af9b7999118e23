//! The steps that the page shows: the last ones, and each new one.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

/// How many steps a page shows when it is opened.
const SHOWN: usize = 200;

/// How many steps are kept, also for a page that is slow.
const KEPT: usize = 1024;

/// How many bytes the kept steps have together.
const KEPT_BYTES: usize = 8 * 1024 * 1024;

/// A step, as a line of JSON.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// Counts the steps from 1.
    pub(super) number: u64,
    pub(super) line: Arc<str>,
}

/// What a page hears.
pub(super) enum Heard {
    Step(Shown),
    /// The page was too slow, and this many steps are lost to it.
    Missed(u64),
}

/// The last steps, and who hears of new ones. Pages share the kept steps, so slow pages cost no memory.
#[derive(Debug)]
pub struct Feed {
    kept: Mutex<Kept>,
    last: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    bytes: usize,
    steps: VecDeque<Shown>,
}

impl Feed {
    /// Makes a feed without steps.
    pub fn new() -> Feed {
        Feed {
            kept: Mutex::default(),
            last: watch::Sender::new(0),
        }
    }

    /// Adds a step: one line of JSON. The oldest steps go if there are too many, or if they are too large together.
    pub fn add(&self, line: Arc<str>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        kept.bytes += line.len();
        let number = kept.last;
        kept.steps.push_back(Shown { number, line });
        while (kept.steps.len() > KEPT || kept.bytes > KEPT_BYTES) && kept.steps.len() > 1 {
            if let Some(oldest) = kept.steps.pop_front() {
                kept.bytes -= oldest.line.len();
            }
        }
        drop(kept);
        self.last.send_replace(number);
    }

    /// Returns the number of bytes that the kept steps have.
    pub fn bytes(&self) -> usize {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes
    }

    /// Returns the kept steps after the one with the number, at most as many as a page shows, and what follows.
    pub(super) fn listen(self: &Arc<Feed>, last: Option<u64>) -> (Vec<Shown>, Listening) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A number of the future is one of an earlier run of the guardian.
        let after = last.filter(|last| *last <= kept.last).unwrap_or(0);
        let first = kept.steps.len().saturating_sub(SHOWN);
        let steps = kept.steps.iter().skip(first);
        let steps = steps.filter(|step| step.number > after).cloned().collect();
        let listening = Listening {
            feed: Arc::clone(self),
            heard: kept.last,
            last: self.last.subscribe(),
        };
        (steps, listening)
    }

    /// Returns what follows the step with the number.
    fn after(&self, number: u64) -> Option<Heard> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = kept.steps.front()?.number;
        if number + 1 < oldest {
            return Some(Heard::Missed(oldest - number - 1));
        }
        let at = usize::try_from(number + 1 - oldest).ok()?;
        kept.steps.get(at).cloned().map(Heard::Step)
    }
}

impl Default for Feed {
    fn default() -> Feed {
        Feed::new()
    }
}

/// Waits for steps.
pub(super) struct Listening {
    feed: Arc<Feed>,
    /// The number of the last step that the page has.
    heard: u64,
    last: watch::Receiver<u64>,
}

impl Listening {
    pub(super) async fn next(&mut self) -> Option<Heard> {
        loop {
            // Before the look, so that a step which comes meanwhile is looked for again.
            self.last.mark_unchanged();
            match self.feed.after(self.heard) {
                Some(Heard::Step(step)) => {
                    self.heard = step.number;
                    return Some(Heard::Step(step));
                }
                Some(Heard::Missed(count)) => {
                    self.heard += count;
                    return Some(Heard::Missed(count));
                }
                None => self.last.changed().await.ok()?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_steps_are_bounded_in_bytes() {
        let feed = Arc::new(Feed::new());
        let line: Arc<str> = "x".repeat(1024 * 1024).into();
        for _ in 0..50 {
            feed.add(Arc::clone(&line));
        }
        assert_eq!(feed.bytes(), KEPT_BYTES);
        assert_eq!(feed.listen(None).0.len(), 8);
    }

    #[tokio::test]
    async fn a_slow_page_hears_how_many_steps_it_missed() {
        let feed = Arc::new(Feed::new());
        let (_, mut listening) = feed.listen(None);
        for number in 0..KEPT + 10 {
            feed.add(number.to_string().into());
        }
        assert!(matches!(listening.next().await, Some(Heard::Missed(10))));
        let Some(Heard::Step(step)) = listening.next().await else {
            panic!("a step");
        };
        assert_eq!((step.number, &*step.line), (11, "10"));
    }
}
