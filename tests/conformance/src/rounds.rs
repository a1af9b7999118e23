//! Tools and prompts that return questions: the client calls again with the answers.

use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses,
        RequestStateCodec,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The questions of each round, and what is said after the last one.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Rounds {
    asks: Vec<InputRequests>,
    done: String,
    /// The round is kept in a state that the client brings back and cannot change.
    #[serde(default)]
    sealed: bool,
    /// Only what the client says it can answer is asked.
    #[serde(default)]
    declared_only: bool,
    /// After the last round a task goes on.
    #[serde(default)]
    pub(crate) task: bool,
}

/// What the client brought back.
pub(crate) struct Brought<'a> {
    pub(crate) responses: Option<&'a InputResponses>,
    pub(crate) state: Option<&'a str>,
    pub(crate) capabilities: ClientCapabilities,
}

/// What comes next.
pub(crate) enum Step {
    Ask(InputRequiredResult),
    Done(String),
}

#[derive(Deserialize, Serialize)]
struct State {
    round: usize,
}

impl Rounds {
    pub(crate) fn next(
        &self,
        brought: &Brought<'_>,
        codec: &RequestStateCodec,
    ) -> Result<Step, ErrorData> {
        let mut round = match brought.state.filter(|_| self.sealed) {
            None => 0,
            Some(state) => {
                let opened = codec.open_json::<State>(state);
                let changed = |_| ErrorData::invalid_params("the request state was changed", None);
                opened.map_err(changed)?.round
            }
        };
        let mut asked = self.asked(round, &brought.capabilities);
        let answered = |key| {
            let responses = brought.responses?;
            responses.get(key)?.as_object()
        };
        if asked.keys().all(|key| answered(key).is_some()) {
            round += 1;
            if round >= self.asks.len() {
                let text = format!("{}: {}", self.done, json!(brought.responses));
                return Ok(Step::Done(text));
            }
            asked = self.asked(round, &brought.capabilities);
        }
        let state = self.sealed.then(|| codec.seal_json(&State { round }));
        let state = state.transpose().map_err(internal)?;
        Ok(Step::Ask(InputRequiredResult::new(Some(asked), state)))
    }

    fn asked(&self, round: usize, declared: &ClientCapabilities) -> InputRequests {
        let mut asked = self.asks.get(round).cloned().unwrap_or_default();
        if self.declared_only {
            asked.retain(|_, request| match request {
                InputRequest::CreateMessage(_) => declared.sampling.is_some(),
                InputRequest::Elicitation(_) => declared.elicitation.is_some(),
                InputRequest::ListRoots(_) => declared.roots.is_some(),
                _ => false,
            });
        }
        asked
    }
}

/// An error of the fixtures themselves.
pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
