//! rmcp's store of sessions: what passes between the layer and rmcp's service.

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    model::InitializeRequestParams,
    transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError},
};

use super::{
    Replicas,
    handshake::{HandshakeStep, session_key},
    in_time,
};

tokio::task_local! {
    /// What passes between the layer and rmcp's service while that serves one request.
    pub(super) static PASSING: Mutex<HandshakeRelay>;
}

#[derive(Debug, Default)]
pub(super) struct HandshakeRelay {
    /// To rmcp: the handshake that the layer has read. From rmcp: the handshake of a new session.
    pub(super) params: Option<InitializeRequestParams>,
    /// rmcp asked for the handshake, and the store did not answer.
    pub(super) unreachable: bool,
}

#[async_trait::async_trait]
impl SessionStore for Replicas {
    async fn load(&self, session: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let passed = PASSING.try_with(|passing| lock(passing).params.take());
        if let Ok(Some(params)) = passed {
            return Ok(Some(SessionState::new(params)));
        }
        let Some(key) = session_key(session) else {
            return Ok(None);
        };
        match in_time(self.0.store.load(&key)).await {
            Ok(stored) => match stored.and_then(|stored| HandshakeStep::of(&stored.bytes)) {
                Some(HandshakeStep::Open { params, .. }) => Ok(Some(SessionState::new(params))),
                Some(HandshakeStep::Ended) | None => Ok(None),
            },
            Err(error) => {
                tracing::warn!(%error, "a session could not be restored");
                _ = PASSING.try_with(|passing| lock(passing).unreachable = true);
                Err("the store cannot be reached".into())
            }
        }
    }

    /// Hands the handshake to the layer, which knows the principal and writes both.
    async fn store(&self, _: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let params = Some(state.initialize_params.clone());
        _ = PASSING.try_with(|passing| lock(passing).params = params);
        Ok(())
    }

    /// Does nothing: the layer has ended the session before.
    async fn delete(&self, _: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}

/// Takes what rmcp has left for the layer.
pub(super) fn take_passed() -> HandshakeRelay {
    PASSING.with(|passing| mem::take(&mut *lock(passing)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
