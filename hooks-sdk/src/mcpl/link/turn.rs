//! A request's place among the notifications of its lane.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::mcpl::{Link, wire::method};

/// The place of a request in a lane: what came before is done first, and what came after waits for it.
#[derive(Debug)]
pub(crate) struct Turn {
    granted: oneshot::Receiver<()>,
    /// Dropped when the request is answered, or will never be.
    _done: oneshot::Sender<()>,
}

impl Turn {
    /// Waits for what came before.
    pub(super) async fn comes(&mut self) {
        // An error says that the lane is closed: nothing is before it any more.
        _ = (&mut self.granted).await;
    }
}

impl Link {
    /// The place of a request that arrives now, if its method has a notification as its twin.
    pub(crate) fn turn(self: &Arc<Link>, method: &str) -> Option<Turn> {
        if method != method::CHANNELS_PUBLISH {
            return None;
        }
        let (grant, granted) = oneshot::channel();
        let (done, ended) = oneshot::channel::<()>();
        let job = Box::pin(async move {
            if grant.send(()).is_ok() {
                _ = ended.await;
            }
        });
        self.channels.push(0, job).then_some(Turn {
            granted,
            _done: done,
        })
    }
}
