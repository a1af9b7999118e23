//! What the replicas decide about a request before the endpoint handles it, and about a new session after it.

use axum::body::Body;
use http::{Method, Response};
use rmcp::model::InitializeRequestParams;

use super::{Replicas, count::Count, refusal, sessions::Admitted};
use crate::{
    http::{
        Principal,
        endpoint::{Addressed, SessionMap, addressed_to},
    },
    server::carried::ReplicaId,
};

static UNSENT: Count = Count::of("an answer or a cancellation could not be sent to other replicas");

/// What becomes of a request of a session.
pub(in crate::http) enum PassedReplicas {
    /// It goes on. The handshake is given if it was read.
    On(Option<Box<InitializeRequestParams>>),
    /// It does not go on.
    Answered(Box<Response<Body>>),
}

impl Replicas {
    /// Decides about a request of a session: whose session is it, has it ended, and does another replica wait for the message?
    pub(in crate::http) async fn pass(
        &self,
        sessions: &SessionMap,
        session: &str,
        principal: Option<&Principal>,
        method: &Method,
        body: &[u8],
    ) -> PassedReplicas {
        let answered = |response| PassedReplicas::Answered(Box::new(response));
        let params = match self.admit(sessions, session, principal).await {
            Admitted::Yes(params) => params,
            Admitted::UnknownSession => return answered(refusal::unknown_session()),
            Admitted::Unavailable => return answered(refusal::unavailable()),
        };
        let settled = match *method {
            Method::POST => self.post(sessions, session, body).await,
            Method::DELETE => self.delete(session).await,
            _ => None,
        };
        settled.map_or(PassedReplicas::On(params), answered)
    }

    /// Makes a new session known to the other replicas. Returns the response in place of the handshake's answer if they do not
    /// know it.
    pub(in crate::http) async fn opened(
        &self,
        sessions: &SessionMap,
        session: &str,
        principal: Option<&Principal>,
        params: InitializeRequestParams,
    ) -> Result<(), Box<Response<Body>>> {
        if self.bind(session, principal, params).await {
            return Ok(());
        }
        // The client's next request may go to another replica, which would not know the session.
        self.forget(sessions, session);
        Err(Box::new(refusal::unavailable()))
    }

    /// Handles what another replica may wait for. Returns `None` if the message goes on.
    async fn post(
        &self,
        sessions: &SessionMap,
        session: &str,
        body: &[u8],
    ) -> Option<Response<Body>> {
        let elsewhere = |of: ReplicaId| of != self.0.replica;
        let (sent, is_done) = match addressed_to(body) {
            Addressed::Answer(Some(of)) | Addressed::Progress(Some(of)) if elsewhere(of) => {
                (self.forward(of, session, body).await, true)
            }
            // The call may run here as well as elsewhere.
            Addressed::Cancel => (
                self.broadcast(session, body).await,
                !sessions.is_live(session),
            ),
            _ => return None,
        };
        if let Err(error) = &sent {
            UNSENT.add();
            tracing::debug!(target: "hooks_sdk::http", %error, "a letter could not be sent");
        }
        is_done.then(|| match sent {
            Ok(()) => refusal::accepted(),
            Err(_) => refusal::unavailable(),
        })
    }

    /// Ends the session everywhere. The endpoint then ends what lives of it here.
    async fn delete(&self, session: &str) -> Option<Response<Body>> {
        let ended = self.end(session).await;
        ended.err().map(|error| {
            tracing::warn!(target: "hooks_sdk::http", %error, "a session could not be ended");
            refusal::unavailable()
        })
    }
}
