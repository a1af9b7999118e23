//! Context hooks, called by the host around an inference.

use std::io;

use serde_json::{Map, Value};

use super::{
    CallError, Contribution, McplHost, Moderated, Rejected, Turn, audit::OperationSubject,
    host::read,
};
use crate::mcpl::{
    Injection, Phase, Position,
    wire::{AfterInferenceResult, BeforeInferenceResult, method},
};

/// The capability without which the user's words are not told in 0.5.
const OBSERVE: &str = "contextHooks.beforeInference.observe";

impl McplHost {
    /// Asks for context before an inference, and takes what is allowed of it.
    ///
    /// Asks even where nothing is allowed, so that a test sees what the server does then. In 0.5 the user's
    /// words are left out unless the server may observe them.
    pub async fn before_inference(&self, turn: &Turn) -> Contribution {
        let observe = self.state().gate.check_capability(OBSERVE).is_ok();
        let params = turn.before(&self.model(), observe);
        let answer: Result<BeforeInferenceResult, _> = self
            .hook(method::BEFORE_INFERENCE, params, self.shared.config.before)
            .await;
        match answer {
            Ok(result) => self.take(result),
            Err(failure) => Contribution {
                failure: Some(failure),
                ..Contribution::default()
            },
        }
    }

    fn take(&self, result: BeforeInferenceResult) -> Contribution {
        let set = result.feature_set;
        let enabled = self.state().gate.check_set(&set);
        let mut contribution = Contribution::default();
        for injection in result.context_injections {
            let allowed = enabled.clone().and_then(|()| {
                let state = self.state();
                state.gate.check_capability(capability(injection.position))
            });
            match allowed {
                Ok(()) => contribution.injections.push(injection),
                Err(error) => contribution.rejected.push(Rejected {
                    injection,
                    reason: error.message,
                }),
            }
        }
        let place = |injection: &Injection| match injection.position {
            Position::System => 0,
            Position::BeforeUser => 1,
            _ => 2,
        };
        contribution.injections.sort_by_key(place);
        contribution.feature_set = Some(set);
        contribution
    }

    /// Asks a blocking hook about the response (MCPL 0.4.1 §10.5).
    ///
    /// Where it fails, the user is shown the model's text, or nothing with
    /// [`fail_closed`](super::McplHostBuilder::fail_closed). What a feature set that is not enabled says is
    /// not heard.
    pub async fn after_inference(&self, turn: &Turn) -> Moderated {
        let params = turn.after(&self.model());
        let answer: Result<AfterInferenceResult, _> = self
            .hook(method::AFTER_INFERENCE, params, self.shared.config.after)
            .await;
        let original = Some(turn.assistant_message().to_owned());
        let result = match answer {
            Ok(result) => result,
            Err(failure) => {
                return Moderated {
                    response: original.filter(|_| !self.shared.config.fail_closed),
                    failure: Some(failure),
                    ..Moderated::default()
                };
            }
        };
        let heard = self.state().gate.check_set(&result.feature_set).is_ok();
        let modified = result.modified_response.filter(|_| heard);
        Moderated {
            modified: modified.is_some(),
            response: modified.or(original),
            feature_set: Some(result.feature_set),
            metadata: result.metadata.filter(|_| heard),
            failure: None,
        }
    }

    /// Tells the server of a response without waiting for it (MCPL 0.4.1 §10.5).
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn notify_after_inference(&self, turn: &Turn) -> io::Result<()> {
        let params = turn.after(&self.model());
        self.tell(method::AFTER_INFERENCE, params).await
    }

    /// Tells the server how far an inference is (MCPL 0.5).
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn lifecycle(&self, turn: &Turn, phase: Phase) -> io::Result<()> {
        let params = turn.phase(&self.model(), phase);
        self.tell(method::INFERENCE_LIFECYCLE, params).await
    }

    async fn hook<T>(
        &self,
        method: &str,
        params: Map<String, Value>,
        within: std::time::Duration,
    ) -> Result<T, CallError>
    where
        T: serde::de::DeserializeOwned,
    {
        let about = OperationSubject::of_members(&params);
        let answer = {
            let _in_hook = self.shared.in_hook();
            let request = self
                .connection
                .request_within(method, params, within, |_| {});
            request.await
        };
        let named = answer
            .as_ref()
            .map(OperationSubject::of)
            .unwrap_or_default();
        let answer = answer.map_err(CallError::from).and_then(read);
        self.log(method, about.or(named), &answer);
        answer
    }

    fn model(&self) -> Value {
        serde_json::json!(self.shared.config.model)
    }
}

const fn capability(position: Position) -> &'static str {
    match position {
        Position::System => "contextHooks.beforeInference.inject.system",
        Position::BeforeUser => "contextHooks.beforeInference.inject.beforeUser",
        _ => "contextHooks.beforeInference.inject.afterUser",
    }
}
