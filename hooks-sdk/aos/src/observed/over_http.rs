//! A question over HTTP: what is sent, and what of the answer is a decision.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    Denied, FailureClass, GuardianClient, MissingDecision, StepOutcome, Unaskable, Unruled,
    client::GuardianTransport,
    http::{About, Http, HttpSettings},
    ids::new_id,
    settings::Settings,
};
use crate::{
    A2aContext, AosDecision, AosError, AosPoint, AosRequest, AosResponse, Guardian, Method,
    NoDecision, Ping, StepContext, StepPayload, wire::read_envelope,
};
use hooks_core::{Timestamp, internal::setters};

impl Guardian {
    /// Makes a client of the guardian at a URL of `http` or `https`, such as `https://guardian.example/aos`.
    ///
    /// Redirects are never followed. The certificates are those that the operating system trusts. The URL is checked when
    /// the server starts.
    pub fn http(url: impl AsRef<str>) -> GuardianClient<()> {
        GuardianClient::new(GuardianTransport::Http(
            Http::new(HttpSettings::new(url.as_ref())).into(),
        ))
    }
}

/// Settings for guardians over HTTP. They have no effect on a guardian in the same process.
impl<P> GuardianClient<P> {
    setters! {
        /// Sends a secret with each question, as `Authorization: Bearer`. It is never logged.
        fn bearer(mut self, secret: impl AsRef<str>) { self.set_http(|http| http.set_bearer(secret.as_ref())) }

        /// Sets how many questions may be under way at once, at least 1. The default is 64. A question beyond them waits for at
        /// most the timeout. Then its step is denied under each posture, as [`Unaskable::TooMany`].
        fn max_concurrent(mut self, questions: usize) { self.set_http(|http| http.max_concurrent = questions) }

        /// Allows a URL of `http` that leads to another computer. Without this it is an error at start-up, because the steps,
        /// their contents and the bearer secret would pass the network unencrypted.
        fn allow_plain_http(mut self) { self.set_http(|http| http.allow_plain_http = true) }

        /// Sets the longest answer, in bytes. The default is 1 MiB. Six times the length of the question is added to it, because
        /// a change repeats the question, and some programs write a character as six.
        fn max_answer(mut self, bytes: usize) { self.set_http(|http| http.max_answer = bytes) }

        /// Sets after how many questions in a row without an answer the guardian is not asked for a `pause`. Then one question
        /// probes it. The default is 5 and 1 second; 0 switches this off.
        ///
        /// A question that is not asked is one without a decision: the posture decides about it.
        fn circuit(mut self, failures: u32, pause: Duration) {
            self.set_http(|http| (http.circuit_failures, http.circuit_pause) = (failures, pause))
        }

        /// Uses the proxy that the environment names, as in `HTTPS_PROXY`. Without this the environment has no effect.
        fn environment_proxy(mut self) { self.set_http(|http| http.environment_proxy = true) }
    }

    fn set_http(&mut self, change: impl FnOnce(&mut HttpSettings)) {
        if let GuardianTransport::Http(http) = &*self.transport {
            let mut settings = http.settings().clone();
            change(&mut settings);
            self.transport = Arc::new(GuardianTransport::Http(Http::new(settings).into()));
        }
    }
}

/// What is said beside the payload.
pub(super) struct Question<'q> {
    pub(super) id: String,
    pub(super) context: Option<Arc<StepContext>>,
    pub(super) a2a_context: Option<Arc<A2aContext>>,
    pub(super) reasoning: Option<&'q str>,
    pub(super) trace_parent: Option<&'q str>,
    pub(super) settings: &'q Settings,
    pub(super) about: About,
}

impl Question<'_> {
    pub(super) async fn ask<A: AosPoint>(
        self,
        http: &Http,
        payload: A::Payload,
    ) -> Result<StepOutcome<A::Payload>, Unruled> {
        let method = A::AT.method();
        let mut request = AosRequest::new(self.id, method, payload);
        request.context = self.context;
        request.a2a_context = self.a2a_context;
        request.reasoning = self.reasoning.map(str::to_owned);
        request.keep_apart();
        let body = encode(&request)?;
        if body.len() > self.settings.max_question {
            return Err(Unaskable::TooLarge.into());
        }
        let answer = http
            .ask(body, self.trace_parent, self.settings.timeout, self.about)
            .await?;
        let answer = request.read_answer(&answer, self.settings.lenient);
        Ok(ruled_by::<A>(answer.map_err(unruled)?)?)
    }
}

fn encode(request: &impl serde::Serialize) -> Result<Vec<u8>, MissingDecision> {
    serde_json::to_vec(request).map_err(|error| {
        MissingDecision::new(FailureClass::Other, format!("the step is no JSON: {error}"))
    })
}

/// The words of the guardian's answer stay out of it: they can repeat the step.
fn unruled(why: NoDecision) -> Unruled {
    match why {
        // The question was a request of the document, so the guardian has a limit that the step exceeds: it cannot read the JSON, or it
        // refuses a name or a value that the caller has chosen.
        NoDecision::Guardian(AosError {
            code: -32700 | -32600 | -32602,
            ..
        }) => Unaskable::Unreadable.into(),
        NoDecision::Guardian(AosError { code, .. }) => {
            let detail = format!("the guardian answered with the error {code}");
            let undecided = MissingDecision::new(FailureClass::GuardianError, detail);
            match code {
                // It has no hook for the method.
                -32601 => undecided.of_no_step().into(),
                _ => undecided.into(),
            }
        }
        why => MissingDecision::new(FailureClass::MalformedResponse, why.to_string()).into(),
    }
}

fn ruled_by<A: AosPoint>(answer: AosResponse) -> Result<StepOutcome<A::Payload>, MissingDecision> {
    Ok(match answer.decision() {
        AosDecision::Allow => StepOutcome::Allowed,
        AosDecision::Deny => {
            let mut denied = Denied::saying(answer.message);
            denied.reasoning = answer.reasoning;
            denied.reason_codes = answer.reason_code.unwrap_or_default();
            denied.data = answer.data;
            StepOutcome::Denied(denied)
        }
        AosDecision::Modify => {
            let modified = answer.into_modified_request();
            let payload = modified.and_then(|request| A::Payload::of(request.payload));
            StepOutcome::Modified(payload.ok_or_else(|| {
                MissingDecision::new(
                    FailureClass::MalformedResponse,
                    "`modifiedRequest` has another kind of payload",
                )
            })?)
        }
    })
}

pub(super) async fn ping(http: &Http, timeout: Duration) -> Result<(), MissingDecision> {
    let id = new_id();
    let mut ping = Ping::new(Timestamp::now().to_string());
    ping.timeout = i64::try_from(timeout.as_millis()).ok();
    let question = json!({ "jsonrpc": "2.0", "id": id, "method": Method::Ping, "params": ping });
    let answer = http.post(encode(&question)?, None, timeout).await;
    let answer = answer.and_then(|answer| read_envelope(&answer, &id.into()).map_err(unruled));
    match answer {
        Ok(result) if result.get("status").and_then(Value::as_str) == Some("connected") => Ok(()),
        Ok(_) => Err(MissingDecision::new(
            FailureClass::GuardianError,
            "the guardian says that it cannot decide",
        )),
        Err(Unruled::NoDecision(undecided)) => Err(undecided),
        Err(Unruled::Unaskable(unaskable)) => Err(MissingDecision::new(
            FailureClass::Rejected,
            format!("the guardian does not take a ping: {unaskable}"),
        )),
    }
}
