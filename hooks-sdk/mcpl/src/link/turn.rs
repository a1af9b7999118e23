//! A request's place among the notifications of its lane.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::{Link, wire::method};

/// The place of a request in a lane. Earlier jobs run before it, and later jobs wait for it.
#[derive(Debug)]
#[doc(hidden)]
pub struct LaneTurn {
    granted: oneshot::Receiver<()>,
    /// Dropped when the request is answered, or can no longer be answered.
    _done: oneshot::Sender<()>,
}

impl LaneTurn {
    /// Waits until all earlier jobs are done.
    pub(super) async fn comes(&mut self) {
        // An error means that the lane is closed, so no job precedes this one.
        _ = (&mut self.granted).await;
    }
}

impl Link {
    /// Returns the place of a request that arrives now, if its method also exists as a notification.
    #[doc(hidden)]
    pub fn turn(self: &Arc<Link>, method: &str) -> Option<LaneTurn> {
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
        self.channels.push(0, job).then_some(LaneTurn {
            granted,
            _done: done,
        })
    }
}
