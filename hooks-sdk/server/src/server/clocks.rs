//! The calls of a connection that have a deadline, and the questions to the client for which their time stands still.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
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
pub(in crate::server) struct Clocks(Arc<Mutex<RunningClocks>>);

#[derive(Debug, Default)]
struct RunningClocks {
    by_call: HashMap<RequestId, Arc<Clock>>,
    by_token: HashMap<ProgressToken, Arc<Clock>>,
    by_question: HashMap<RequestId, Arc<Clock>>,
}

/// A call whose clock a connection knows. The connection forgets the clock when this value is dropped.
pub(in crate::server) struct WatchedCall {
    clocks: Clocks,
    clock: Arc<Clock>,
    id: RequestId,
    token: Option<ProgressToken>,
}

impl Clocks {
    pub(in crate::server) fn watch(
        &self,
        id: RequestId,
        token: Option<ProgressToken>,
        clock: &Arc<Clock>,
    ) -> WatchedCall {
        let mut running = lock(&self.0);
        running.by_call.insert(id.clone(), clock.clone());
        if let Some(token) = &token {
            running.by_token.insert(token.clone(), clock.clone());
        }
        WatchedCall {
            clocks: self.clone(),
            clock: clock.clone(),
            id,
            token,
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
                    let mut running = lock(&self.0);
                    if let Some(clock) = running.by_call.get(call).cloned() {
                        clock.stop();
                        running.by_question.insert(message.id.clone(), clock);
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
        if let Some(clock) = lock(&self.0).by_token.get(token) {
            clock.progressed();
        }
    }

    /// Called when the client has answered the server's request `id`, or the server gives it up.
    pub(in crate::server) fn told(&self, id: &RequestId) {
        let clock = lock(&self.0).by_question.remove(id);
        if let Some(clock) = clock {
            clock.go_on();
        }
    }
}

impl Drop for WatchedCall {
    fn drop(&mut self) {
        let mut running = lock(&self.clocks.0);
        let is_own = |clock: &Arc<Clock>| Arc::ptr_eq(clock, &self.clock);
        if running.by_call.get(&self.id).is_some_and(is_own) {
            running.by_call.remove(&self.id);
        }
        if let Some(token) = &self.token
            && running.by_token.get(token).is_some_and(is_own)
        {
            running.by_token.remove(token);
        }
        running.by_question.retain(|_, clock| !is_own(clock));
    }
}
