//! The calls of a connection that have a deadline, and the questions to the client for which their time stands still.

use std::sync::{Arc, Mutex};

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
