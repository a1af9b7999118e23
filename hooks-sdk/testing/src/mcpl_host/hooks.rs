//! Context hooks, called by the host around an inference, and what they contributed.

use std::{io, time::Duration};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{CallError, McplHost, Turn, audit::OperationSubject, connected::read};
use hooks_mcpl::{
    Content, Injection, Phase, Position,
    wire::{AfterInferenceResult, BeforeInferenceResult, method, path},
};

/// What a server contributed before an inference.
///
/// Implements MCPL 0.4.1 §10.2, §10.6 and §10.8: whatever went wrong, the host goes on.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Contribution {
    /// The feature set that the server named.
    pub feature_set: Option<String>,
    /// What was taken, by position, and within one in the server's order.
    pub injections: Vec<Injection>,
    /// What was not taken, in the server's order.
    pub rejected: Vec<Rejected>,
    /// Why there is nothing, when the hook failed.
    pub failure: Option<CallError>,
}

/// An injection that the host did not take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rejected {
    /// The injection.
    pub injection: Injection,
    /// Why.
    pub reason: String,
}

impl Contribution {
    /// What was taken at one position.
    pub fn at(&self, position: Position) -> impl Iterator<Item = &Injection> {
        let taken = self.injections.iter();
        taken.filter(move |injection| injection.position == position)
    }

    /// The texts that were taken at one position, with a line break between two.
    pub fn text_at(&self, position: Position) -> String {
        let contents = self.at(position).map(|injection| match &injection.content {
            Content::Text(text) => text.clone(),
            other => {
                let blocks = other.clone().into_blocks();
                let texts = blocks.iter().filter_map(|block| block.as_text());
                texts.collect::<Vec<_>>().join("\n")
            }
        });
        let texts = contents.filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// What became of a response that a blocking hook was asked about.
///
/// Implements MCPL 0.4.1 §10.5 and §13.3.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Moderated {
    /// What the user is shown; `None` when the hook failed and the host is closed then.
    pub response: Option<String>,
    /// Whether that is the server's text rather than the model's.
    pub modified: bool,
    /// The feature set that the server named.
    pub feature_set: Option<String>,
    /// What the server said about what it did.
    pub metadata: Option<Map<String, Value>>,
    /// Why the hook had no say.
    pub failure: Option<CallError>,
}

impl<C> McplHost<C> {
    /// Asks for context before an inference, and takes what is allowed of it.
    ///
    /// Asks even where nothing is allowed, so that a test sees what the server does then. In 0.5 the user's
    /// words are left out unless the server may observe them.
    pub async fn before_inference(&self, turn: &Turn) -> Contribution {
        let observe = self.state().gate.check_capability(path::OBSERVE).is_ok();
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
                state
                    .gate
                    .check_capability(path::inject(injection.position))
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
        within: Duration,
    ) -> Result<T, CallError>
    where
        T: DeserializeOwned,
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
        json!(self.shared.config.model)
    }
}
