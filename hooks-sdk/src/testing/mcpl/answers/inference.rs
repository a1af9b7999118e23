//! Inferences that the server asks for.

use serde_json::{Value, json};

use super::read;
use crate::{
    mcpl::{
        ErrorObject, InferenceResult, Usage,
        wire::{InferenceRequest, error},
    },
    testing::mcpl::{builder::words, reaction::HostAnswer, shared::SharedHost},
};

/// What the model says when no test has said it.
const ANSWER: &str = "An answer of the host's model.";

/// Runs the scripted model (MCPL 0.4.1 §11).
pub(super) fn answer(shared: &SharedHost, params: &Value) -> HostAnswer {
    match run(shared, params) {
        Ok((result, streamed)) => {
            let deltas = result.content.split_inclusive(' ');
            HostAnswer {
                deltas: deltas.filter(|_| streamed).map(str::to_owned).collect(),
                result: Ok(json!(result)),
            }
        }
        Err(error) => HostAnswer::from(Err(error)),
    }
}

fn run(shared: &SharedHost, params: &Value) -> Result<(InferenceResult, bool), ErrorObject> {
    let request: InferenceRequest = read(params)?;
    let config = &shared.config;
    let streamed = {
        let state = shared.state();
        state.gate.check_set(&request.feature_set)?;
        if config.no_inference_in_hooks && state.hooks > 0 {
            let message = "Inference inside a context hook";
            return Err(ErrorObject::new(error::INVALID_REQUEST, message));
        }
        // Without that grant the answer comes whole, which every server must be able to take.
        let granted = state.gate.check_capability("inferenceRequest.streaming");
        request.stream == Some(true) && granted.is_ok()
    };
    let result = match &config.infer {
        Some(infer) => infer(&request)?,
        None => {
            let usage = Usage::new(request.messages.len() as u64, words(ANSWER));
            InferenceResult::new(ANSWER, &*config.model.id, usage)
        }
    };
    Ok((result, streamed))
}
