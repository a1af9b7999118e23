//! Records which tool calls have reported progress.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::model::ProgressToken;

use super::lock;

/// Whether a call has reported progress. The SDK watches the call until the last copy of this value is dropped.
#[derive(Clone, Debug)]
pub(in crate::server) struct Reported(Arc<WatchedToken>);

#[derive(Debug)]
struct WatchedToken {
    token: ProgressToken,
    reported: AtomicBool,
    among: Arc<Mutex<Tokens>>,
}

type Tokens = HashMap<ProgressToken, Weak<WatchedToken>>;

/// The calls of a connection that may report progress.
#[derive(Debug, Default)]
pub(in crate::server) struct Progresses {
    tokens: Arc<Mutex<Tokens>>,
}

impl Progresses {
    /// Watches a call that may report progress under `token`.
    pub(super) fn watch(&self, token: ProgressToken) -> Reported {
        let watched = Arc::new(WatchedToken {
            token: token.clone(),
            reported: AtomicBool::new(false),
            among: self.tokens.clone(),
        });
        lock(&self.tokens).insert(token, Arc::downgrade(&watched));
        Reported(watched)
    }

    /// Records that a call reports progress under `token`.
    pub(in crate::server) fn report(&self, token: &ProgressToken) {
        if let Some(watched) = lock(&self.tokens).get(token).and_then(Weak::upgrade) {
            watched.reported.store(true, Ordering::Relaxed);
        }
    }
}

impl Reported {
    pub(in crate::server) fn is_set(&self) -> bool {
        self.0.reported.load(Ordering::Relaxed)
    }
}

impl Drop for WatchedToken {
    fn drop(&mut self) {
        let mut tokens = lock(&self.among);
        // A later call may have the same token by a mistake of its client.
        if tokens
            .get(&self.token)
            .is_some_and(|watched| watched.strong_count() == 0)
        {
            tokens.remove(&self.token);
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn a_report_reaches_its_call_and_leaves_nothing_behind() {
        let token = |name: &str| ProgressToken(NumberOrString::String(name.into()));
        let all = Progresses::default();
        let (one, other) = (all.watch(token("a")), all.watch(token("b")));
        all.report(&token("a"));
        all.report(&token("c"));
        assert!(one.is_set() && !other.is_set());
        drop((one.clone(), other));
        assert_eq!(lock(&all.tokens).len(), 1);
        drop(one);
        assert!(lock(&all.tokens).is_empty());
    }
}
