//! What a good host answers.

mod channels;

use crate::connection::Side;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{
    audit::{AuditOutcome, OperationSubject},
    builder::words,
    grants::Listed,
    reaction::HostAnswer,
    shared::SharedHost,
};
use hooks_mcpl::{
    Elevation, ErrorObject, InferenceResult, Usage, Version,
    wire::{
        FeatureSetsChanged, InferenceRequest, ManifestChanged, PushEvent, PushEventResult,
        ScopeElevate, error, method, path,
    },
};

/// The answer to a request, which the host acts on.
pub(super) fn to(shared: &SharedHost, name: &str, params: &Value) -> HostAnswer {
    let answer = judged(shared, name, params);
    let outcome = match &answer.result {
        Ok(_) => AuditOutcome::Success,
        Err(error) => AuditOutcome::Refused { code: error.code },
    };
    let mut about = OperationSubject::of(params);
    if let Ok(result) = &answer.result {
        about = about.or(OperationSubject::of(result));
    }
    shared.log(Side::Server, name, about, outcome);
    answer
}

fn judged(shared: &SharedHost, name: &str, params: &Value) -> HostAnswer {
    let unknown = || HostAnswer::from(Err(ErrorObject::method_not_found(name)));
    if name == "ping" {
        return HostAnswer::from(Ok(json!({})));
    }
    let version = shared.config.version;
    if shared.state().gate.declared().is_none() {
        return unknown();
    }
    if let Some(capability) = method::capability(name)
        && let Err(error) = shared.state().gate.check_capability(capability)
    {
        return HostAnswer::from(Err(error));
    }
    HostAnswer::from(match name {
        method::PUSH_EVENT => push_event(shared, params),
        method::INFERENCE_REQUEST => return inference(shared, params),
        method::MODEL_INFO => Ok(json!(shared.config.model)),
        method::SCOPE_ELEVATE if version == Version::V04 => elevate(shared, params),
        method::CHANNELS_REGISTER => channels::register(shared, params),
        method::CHANNELS_CHANGED => channels::changed(shared, params),
        method::CHANNELS_LIST => Ok(channels::list(shared)),
        method::CHANNELS_INCOMING => channels::incoming(shared, params),
        _ => return unknown(),
    })
}

/// Takes note of a notification.
pub(super) fn told(shared: &SharedHost, name: &str, params: &Value) {
    if name.starts_with("notifications/") {
        return;
    }
    let version = shared.config.version;
    let plain = shared.state().gate.declared().is_none();
    let done = match name {
        _ if plain => Err(format!("`{name}` to a host that does not speak MCPL")),
        method::FEATURE_SETS_CHANGED if version == Version::V04 => {
            feature_sets_changed(shared, params)
        }
        method::MANIFEST_CHANGED if version == Version::V05 => manifest_changed(params),
        method::CHANNELS_CHANGED => channels::told_changed(shared, params),
        _ => Err(format!("`{name}` is no notification of MCPL {version}")),
    };
    let outcome = done.map_or_else(AuditOutcome::Failed, |()| AuditOutcome::Success);
    shared.log(Side::Server, name, OperationSubject::of(params), outcome);
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, ErrorObject> {
    T::deserialize(params).map_err(ErrorObject::invalid_params)
}

/// Accepts an event once (MCPL 0.4.1 §9).
fn push_event(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let event: PushEvent = read(params)?;
    if !is_moment(&event.timestamp) {
        let reason = format!("`{}` is no moment of ISO 8601", event.timestamp);
        return Err(ErrorObject::invalid_params(reason));
    }
    let mut state = shared.state();
    state.gate.check_set(&event.feature_set)?;
    Ok(json!(if state.events.insert(&event.event_id) {
        PushEventResult::accepted().inference(state.next_inference())
    } else {
        PushEventResult::refused("duplicate")
    }))
}

/// Whether it is a date and a time with its zone, by their shape.
fn is_moment(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else {
        return false;
    };
    let fraction = rest.strip_prefix('.');
    let zone = fraction.map_or(rest, |digits| digits.trim_start_matches('0'));
    matches!(zone, "Z" | "+00:00" | "-00:00")
}

/// What the model says when no test has said it.
const ANSWER: &str = "An answer of the host's model.";

/// Runs the scripted model (MCPL 0.4.1 §11).
fn inference(shared: &SharedHost, params: &Value) -> HostAnswer {
    match infer(shared, params) {
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

fn infer(shared: &SharedHost, params: &Value) -> Result<(InferenceResult, bool), ErrorObject> {
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
        let granted = state.gate.check_capability(path::INFERENCE_STREAMING);
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

/// Judges by the lists, then by what the test decides (MCPL 0.4.1 §7.5 and §7.6).
fn elevate(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let ScopeElevate {
        feature_set, scope, ..
    } = read(params)?;
    let listed = {
        let state = shared.state();
        state.gate.check_set(&feature_set)?;
        state.gate.judge(&feature_set, &scope.label)
    };
    let config = &shared.config;
    Ok(json!(match listed {
        Listed::Black => Elevation::denied("on the blacklist"),
        Listed::White => {
            let more = config.enrich.as_ref();
            let more = more.map(|enrich| enrich(&feature_set, &scope));
            let payload = match (scope.payload, more) {
                (Some(payload), Some(more)) => Some(payload.into_iter().chain(more).collect()),
                (payload, more) => payload.or(more),
            };
            Elevation::approved(payload)
        }
        Listed::Neither => match &config.decide {
            Some(decide) => decide(&feature_set, &scope),
            None => Elevation::denied("not on the whitelist, and there is nobody to ask"),
        },
    }))
}

/// Adds and removes feature sets (MCPL 0.4.1 §6.7).
fn feature_sets_changed(shared: &SharedHost, params: &Value) -> Result<(), String> {
    let change = FeatureSetsChanged::deserialize(params).map_err(|error| error.to_string())?;
    let added = change.added.unwrap_or_default().into_iter();
    let added: Map<_, _> = added.map(|(name, set)| (name, json!(set))).collect();
    let removed = change.removed.unwrap_or_default();
    shared.state().gate.change(added, &removed);
    Ok(())
}

/// Sees whether the announcement is one; the manifest is read besides.
fn manifest_changed(params: &Value) -> Result<(), String> {
    let read = ManifestChanged::deserialize(params);
    read.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::is_moment;

    #[test]
    fn moments() {
        for good in [
            "2026-01-23T10:30:00Z",
            "2026-01-23T10:30:00.123Z",
            "2026-01-23T10:30:00.5+02:00",
        ] {
            assert!(is_moment(good), "{good}");
        }
        for bad in ["", "2026-01-23", "2026-01-23T10:30:00", "1769164200", "now"] {
            assert!(!is_moment(bad), "{bad}");
        }
    }
}
