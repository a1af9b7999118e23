//! The ids of the requests that run in one session of HTTP.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};

use rmcp::model::RequestId;

use crate::server::lock;

/// How many ids of cancelled requests are kept before those whose requests have ended are forgotten.
const SWEEP: usize = 256;

/// The mark on a request of a session. It is dropped when the request has ended.
#[derive(Clone, Debug)]
pub(crate) struct RequestInUse {
    _running: Arc<()>,
}

/// The ids of one session that a client may not use again yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdsInUse(Arc<Mutex<HashMap<RequestId, UsedId>>>);

#[derive(Debug)]
struct UsedId {
    mark: Weak<()>,
    is_cancelled: bool,
}

impl UsedId {
    /// Returns whether no answer to the request can come any more.
    fn is_over(&self) -> bool {
        self.is_cancelled && self.mark.strong_count() == 0
    }
}

impl IdsInUse {
    /// Takes an id for a request. Returns `None` if an earlier request with this id still runs, even if it is cancelled.
    pub(crate) fn take(&self, id: &RequestId) -> Option<RequestInUse> {
        let mut ids = lock(&self.0);
        if ids.get(id).is_some_and(|running| !running.is_over()) {
            return None;
        }
        if ids.len() >= SWEEP {
            ids.retain(|_, running| !running.is_over());
        }
        let running = Arc::new(());
        let mark = Arc::downgrade(&running);
        let is_cancelled = false;
        ids.insert(id.clone(), UsedId { mark, is_cancelled });
        Some(RequestInUse { _running: running })
    }

    /// Called when the client cancels a request.
    pub(crate) fn cancelled(&self, id: &RequestId) {
        if let Some(running) = lock(&self.0).get_mut(id) {
            running.is_cancelled = true;
        }
    }

    /// Called when the answer to a request is sent.
    pub(crate) fn answered(&self, id: &RequestId) {
        lock(&self.0).remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_when_its_request_is_answered_or_cancelled_and_ended() {
        let ids = IdsInUse::default();
        let id = RequestId::Number(7);
        let first = ids.take(&id).expect("a free id");
        assert!(ids.take(&id).is_none());
        drop(first);
        assert!(ids.take(&id).is_none(), "its answer is on its way");
        ids.answered(&id);
        let second = ids.take(&id).expect("a free id");
        ids.cancelled(&id);
        assert!(ids.take(&id).is_none(), "it still runs");
        drop(second);
        assert!(ids.take(&id).is_some());
    }
}
