//! Asks a guardian over HTTP: one POST a question, over connections that are kept.

mod answer;
mod breaker;
mod connect;
mod settings;

use std::{sync::OnceLock, time::Duration};

use reqwest::{
    Client, Method, Request, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout_at},
};

use self::breaker::Breaker;
pub(super) use self::settings::HttpSettings;
use super::{FailureClass, MissingDecision, Unaskable, Unruled, over_http::ping, unaskable::Size};
use crate::Posture;
use hooks_core::BuildError;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// How many times as long as the question an answer may be that repeats it: some programs write one character as `\u003c`.
const LONGER: usize = 6;

/// How long a `ping` may take that tells whether the guardian is there.
const LONGEST_PING: Duration = Duration::from_secs(1);

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// What tells whether a step without a decision is itself the reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) size: Size,
    pub(super) posture: Posture,
}

/// A guardian at a URL, with the limits and the state that all clones of a client share.
#[derive(Debug)]
pub(super) struct Http {
    pub(super) settings: HttpSettings,
    slots: Semaphore,
    breaker: Breaker,
    client: OnceLock<Result<Client, String>>,
}

impl Http {
    pub(super) fn new(settings: HttpSettings) -> Http {
        Http {
            slots: Semaphore::new(settings.max_concurrent.clamp(1, Semaphore::MAX_PERMITS)),
            breaker: Breaker::new(settings.circuit_failures, settings.circuit_pause),
            client: OnceLock::new(),
            settings,
        }
    }

    /// Checks the settings, and makes the client.
    pub(super) fn problems(&self) -> Vec<BuildError> {
        let mut problems = self.settings.problems();
        if problems.is_empty()
            && let Err(error) = self.client()
        {
            problems.push(BuildError::new(
                None,
                format!("the HTTP client for the guardian cannot be made: {error}"),
                "check the certificates that this machine trusts",
            ));
        }
        problems
    }

    /// Posts a question, within the limits. Waits at most `timeout` for a place among the questions under way, then at most
    /// `timeout` for the whole answer.
    ///
    /// A failure that the step itself may cause is no failure of the guardian, so the circuit keeps its state.
    pub(super) async fn ask(
        &self,
        question: Vec<u8>,
        trace_parent: Option<&str>,
        timeout: Duration,
        about: About,
    ) -> Result<Vec<u8>, Unruled> {
        if self.breaker.refuses() {
            return Err(circuit_open().into());
        }
        let slot = tokio::time::timeout(timeout, self.slots.acquire()).await;
        // The semaphore is never closed.
        let Ok(Ok(_slot)) = slot else {
            return Err(Unaskable::TooMany.into());
        };
        let is_large = about.size.is_large();
        // A large step would tell nothing about the guardian.
        let pass = self.breaker.enter(!is_large).ok_or_else(circuit_open)?;
        let answer = self.post(question, trace_parent, timeout).await;
        let Err(Unruled::NoDecision(undecided)) = &answer else {
            pass.answered();
            return answer;
        };
        match undecided.class {
            FailureClass::Timeout | FailureClass::Unreachable
                if is_large && undecided.may_be_of_size() =>
            {
                drop(pass);
            }
            // An answer of 408 is about the connection, which the caller has no part in.
            FailureClass::Timeout
                if undecided.status.is_none()
                    && about.posture == Posture::Proceed
                    && self.is_there(timeout).await =>
            {
                pass.answered();
                return Err(Unaskable::TooSlow.into());
            }
            FailureClass::Timeout | FailureClass::Unreachable => pass.failed(),
            _ => pass.answered(),
        }
        answer
    }

    /// Returns whether the guardian answers a `ping`.
    async fn is_there(&self, timeout: Duration) -> bool {
        ping(self, timeout.min(LONGEST_PING)).await.is_ok()
    }

    /// Posts a question, without the limits.
    pub(super) async fn post(
        &self,
        question: Vec<u8>,
        trace_parent: Option<&str>,
        timeout: Duration,
    ) -> Result<Vec<u8>, Unruled> {
        let client = self.client().map_err(other)?;
        let url = self.settings.url.as_ref();
        let url = url.map_err(|problem| other(&problem.message))?;
        let most = question.len().saturating_mul(LONGER);
        let most = most.saturating_add(self.settings.max_answer);
        let request = self.request(url.clone(), question, trace_parent);
        // A time that no clock can hold is no limit.
        let Some(deadline) = Instant::now().checked_add(timeout) else {
            return answer::read(client.execute(request).await, most).await;
        };
        let answered = async { answer::read(client.execute(request).await, most).await };
        timeout_at(deadline, answered).await.unwrap_or_else(|_| {
            Err(MissingDecision::new(
                FailureClass::Timeout,
                format!("no complete answer within {} ms", timeout.as_millis()),
            )
            .into())
        })
    }

    fn request(&self, url: Url, question: Vec<u8>, trace_parent: Option<&str>) -> Request {
        let mut request = Request::new(Method::POST, url);
        let headers: &mut HeaderMap = request.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, JSON);
        if let Some(bearer) = self.settings.bearer() {
            headers.insert(AUTHORIZATION, bearer.clone());
        }
        // What is no header value is no trace either.
        if let Some(trace_parent) = trace_parent.and_then(|parent| parent.try_into().ok()) {
            headers.insert(TRACE_PARENT, trace_parent);
        }
        *request.body_mut() = Some(question.into());
        request
    }

    fn client(&self) -> Result<&Client, &str> {
        let made = self.client.get_or_init(|| connect::client(&self.settings));
        made.as_ref().map_err(String::as_str)
    }
}

fn circuit_open() -> MissingDecision {
    MissingDecision::new(
        FailureClass::CircuitOpen,
        "the guardian failed several times in a row, and is not asked for a while",
    )
}

fn other(problem: &str) -> MissingDecision {
    MissingDecision::new(FailureClass::Other, problem)
}
