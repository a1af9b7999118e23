//! The calls of a connection that are watched: those with a deadline, whose time stands still while the client is asked, and those
//! whose progress a hook waits for.

use std::sync::{Arc, Mutex};

use rmcp::{
    model::{
        GetExtensions, JsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage,
        ServerNotification, ServerRequest,
    },
    service::OriginatingRequestId,
};

use super::{connection::Flag, lock, pipeline::Clock};

/// The watched calls of a connection. There are at most two for each request that runs, and as many questions as the server has
/// asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedCalls(Arc<Mutex<Vec<Arc<RunningCall>>>>);

#[derive(Debug)]
struct RunningCall {
    id: RequestId,
    token: Option<ProgressToken>,
    /// The time of a call that has a deadline.
    clock: Option<Arc<Clock>>,
    /// The open questions for which the clock stands still.
    questions: Mutex<Vec<RequestId>>,
    reported: Flag,
}

/// A call that a connection watches. The connection forgets it when this value is dropped.
pub(crate) struct WatchedCall {
    call: Arc<RunningCall>,
    among: WatchedCalls,
}

impl WatchedCalls {
    pub(crate) fn watch(
        &self,
        id: RequestId,
        token: Option<ProgressToken>,
        clock: Option<Arc<Clock>>,
    ) -> WatchedCall {
        let call = Arc::new(RunningCall {
            id,
            token,
            clock,
            questions: Mutex::default(),
            reported: Flag::default(),
        });
        lock(&self.0).push(call.clone());
        let among = self.clone();
        WatchedCall { call, among }
    }

    /// Called with each message that leaves, before its ids change.
    pub(crate) fn sends(&self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(message) => {
                let asks = matches!(
                    message.request,
                    ServerRequest::ElicitRequest(_) | ServerRequest::CreateMessageRequest(_)
                );
                let origin = message.request.extensions().get::<OriginatingRequestId>();
                if let (true, Some(OriginatingRequestId(id))) = (asks, origin)
                    && let Some(call) = self.latest(true, |call| call.id == *id)
                    && let Some(clock) = &call.clock
                {
                    clock.stop();
                    lock(&call.questions).push(message.id.clone());
                }
            }
            JsonRpcMessage::Notification(message) => match &message.notification {
                ServerNotification::CancelledNotification(cancelled) => {
                    if let Some(id) = &cancelled.params.request_id {
                        self.told(id);
                    }
                }
                ServerNotification::ProgressNotification(progress) => {
                    let token = Some(&progress.params.progress_token);
                    for has_clock in [true, false] {
                        let call = self.latest(has_clock, |call| call.token.as_ref() == token);
                        if let Some(call) = call {
                            call.reported.set();
                            call.clock.iter().for_each(|clock| clock.progressed());
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Returns the call that began last among these, should a client use an id or a token twice.
    fn latest(
        &self,
        has_clock: bool,
        is_one: impl Fn(&RunningCall) -> bool,
    ) -> Option<Arc<RunningCall>> {
        let running = lock(&self.0);
        let mut latest = running.iter().rev();
        latest
            .find(|call| call.clock.is_some() == has_clock && is_one(call))
            .cloned()
    }

    /// Called when the client has answered the server's request `id`, or the server gives it up.
    pub(crate) fn told(&self, id: &RequestId) {
        for call in lock(&self.0).iter() {
            let mut questions = lock(&call.questions);
            if let (Some(at), Some(clock)) =
                (questions.iter().position(|asked| asked == id), &call.clock)
            {
                questions.swap_remove(at);
                clock.go_on();
            }
        }
    }
}

impl WatchedCall {
    /// Returns whether the call has reported progress.
    pub(crate) fn has_reported(&self) -> bool {
        self.call.reported.is_set()
    }
}

impl Drop for WatchedCall {
    fn drop(&mut self) {
        lock(&self.among.0).retain(|call| !Arc::ptr_eq(call, &self.call));
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        NumberOrString, ProgressNotification, ProgressNotificationParam, ServerNotification,
    };

    use super::*;

    #[test]
    fn a_report_reaches_its_call_and_leaves_nothing_behind() {
        let token = |name: &str| ProgressToken(NumberOrString::String(name.into()));
        let all = WatchedCalls::default();
        let watch = |name| all.watch(RequestId::Number(1), Some(token(name)), None);
        let (one, other) = (watch("a"), watch("b"));
        for name in ["a", "c"] {
            let told = ProgressNotificationParam::new(token(name), 1.0);
            let told = ProgressNotification::new(told);
            let told = ServerNotification::ProgressNotification(told);
            all.sends(&JsonRpcMessage::notification(told));
        }
        assert!(one.has_reported() && !other.has_reported());
        drop(other);
        assert_eq!(lock(&all.0).len(), 1);
        drop(one);
        assert!(lock(&all.0).is_empty());
    }
}
