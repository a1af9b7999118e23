//! The steps that the page shows: the last ones, and each new one.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::broadcast::{self, error::RecvError};

/// How many steps a page shows when it is opened.
const KEPT: usize = 200;

/// How many steps may wait for a page that is slow.
const WAITING: usize = 1024;

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

/// The last steps, and who hears of new ones.
#[derive(Debug)]
pub struct Feed {
    kept: Mutex<Kept>,
    sender: broadcast::Sender<Shown>,
}

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    steps: VecDeque<Shown>,
}

impl Feed {
    /// Makes a feed without steps.
    pub fn new() -> Feed {
        Feed {
            kept: Mutex::default(),
            sender: broadcast::Sender::new(WAITING),
        }
    }

    /// Adds a step: one line of JSON.
    pub fn add(&self, line: Arc<str>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        let shown = Shown {
            number: kept.last,
            line,
        };
        kept.steps.push_back(shown.clone());
        if kept.steps.len() > KEPT {
            kept.steps.pop_front();
        }
        // Nobody may be listening. Under the lock, so that no listener gets a step twice or not at all.
        _ = self.sender.send(shown);
    }

    /// Returns the kept steps after the one with the number, and what follows.
    pub(super) fn listen(&self, last: Option<u64>) -> (Vec<Shown>, Listening) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A number of the future is one of an earlier run of the guardian.
        let after = last.filter(|last| *last <= kept.last).unwrap_or(0);
        let steps = kept.steps.iter().filter(|step| step.number > after);
        (steps.cloned().collect(), Listening(self.sender.subscribe()))
    }
}

impl Default for Feed {
    fn default() -> Feed {
        Feed::new()
    }
}

/// Waits for steps.
pub(super) struct Listening(broadcast::Receiver<Shown>);

impl Listening {
    pub(super) async fn next(&mut self) -> Option<Heard> {
        match self.0.recv().await {
            Ok(step) => Some(Heard::Step(step)),
            Err(RecvError::Lagged(count)) => Some(Heard::Missed(count)),
            Err(RecvError::Closed) => None,
        }
    }
}
