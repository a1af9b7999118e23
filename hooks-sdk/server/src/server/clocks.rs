//! The calls of a connection that have a deadline, with the questions to the client for which their time stands still, and the
//! calls that may report progress.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    RoleServer,
    model::{
        GetExtensions, JsonRpcMessage, ProgressToken, RequestId, ServerNotification, ServerRequest,
    },
    service::{OriginatingRequestId, TxJsonRpcMessage},
};

use super::{lock, pipeline::Clock};

/// The clocks of a connection. There are at most as many as requests run, and as many questions as the server has asked.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Clocks(Arc<Mutex<Vec<RunningClock>>>);

#[derive(Debug)]
struct RunningClock {
    clock: Arc<Clock>,
    call: RequestId,
    token: Option<ProgressToken>,
    /// The open questions for which it stands still.
    questions: Vec<RequestId>,
}

/// A call whose clock a connection knows. The connection forgets the clock when this value is dropped.
pub(in crate::server) struct WatchedCall {
    clocks: Clocks,
    clock: Arc<Clock>,
}

impl Clocks {
    pub(in crate::server) fn watch(
        &self,
        call: RequestId,
        token: Option<ProgressToken>,
        clock: &Arc<Clock>,
    ) -> WatchedCall {
        lock(&self.0).push(RunningClock {
            clock: clock.clone(),
            call,
            token,
            questions: Vec::new(),
        });
        WatchedCall {
            clocks: self.clone(),
            clock: clock.clone(),
        }
    }

    /// Called with each message that leaves, before its ids change.
    pub(in crate::server) fn sends(&self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(message) => {
                let asks = matches!(
                    message.request,
                    ServerRequest::ElicitRequest(_) | ServerRequest::CreateMessageRequest(_)
                );
                let origin = message.request.extensions().get::<OriginatingRequestId>();
                if let (true, Some(OriginatingRequestId(call))) = (asks, origin) {
                    // The last one, should a client use an id twice.
                    let mut running = lock(&self.0);
                    let mut latest = running.iter_mut().rev();
                    if let Some(running) = latest.find(|running| running.call == *call) {
                        running.clock.stop();
                        running.questions.push(message.id.clone());
                    }
                }
            }
            JsonRpcMessage::Notification(message) => match &message.notification {
                ServerNotification::CancelledNotification(cancelled) => {
                    if let Some(id) = &cancelled.params.request_id {
                        self.told(id);
                    }
                }
                ServerNotification::ProgressNotification(progress) => {
                    self.progressed(&progress.params.progress_token);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Called when a call reports progress under `token`.
    pub(in crate::server) fn progressed(&self, token: &ProgressToken) {
        let running = lock(&self.0);
        let mut latest = running.iter().rev();
        if let Some(running) = latest.find(|running| running.token.as_ref() == Some(token)) {
            running.clock.progressed();
        }
    }

    /// Called when the client has answered the server's request `id`, or the server gives it up.
    pub(in crate::server) fn told(&self, id: &RequestId) {
        for running in lock(&self.0).iter_mut() {
            if let Some(at) = running.questions.iter().position(|asked| asked == id) {
                running.questions.swap_remove(at);
                running.clock.go_on();
            }
        }
    }
}

impl Drop for WatchedCall {
    fn drop(&mut self) {
        lock(&self.clocks.0).retain(|running| !Arc::ptr_eq(&running.clock, &self.clock));
    }
}

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
