//! What a good host answers.

mod channels;
mod feature_sets;
mod inference;
mod push;
mod scope;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    audit::{AuditOutcome, OperationSubject},
    reaction::HostAnswer,
    shared::SharedHost,
};
use crate::{
    mcpl::{ErrorObject, Version, wire::method},
    testing::Side,
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
    if let Some(capability) = capability(name)
        && let Err(error) = shared.state().gate.check_capability(capability)
    {
        return HostAnswer::from(Err(error));
    }
    HostAnswer::from(match name {
        method::PUSH_EVENT => push::event(shared, params),
        method::INFERENCE_REQUEST => return inference::answer(shared, params),
        method::MODEL_INFO => Ok(json!(shared.config.model)),
        method::SCOPE_ELEVATE if version == Version::V04 => scope::elevate(shared, params),
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
            feature_sets::changed(shared, params)
        }
        method::MANIFEST_CHANGED if version == Version::V05 => {
            feature_sets::manifest_changed(params)
        }
        method::CHANNELS_CHANGED => channels::told_changed(shared, params),
        _ => Err(format!("`{name}` is no notification of MCPL {version}")),
    };
    let outcome = done.map_or_else(AuditOutcome::Failed, |()| AuditOutcome::Success);
    shared.log(Side::Server, name, OperationSubject::of(params), outcome);
}

/// The capability that a method needs in 0.5.
fn capability(name: &str) -> Option<&'static str> {
    Some(match name {
        method::PUSH_EVENT => "pushEvents",
        method::INFERENCE_REQUEST => "inferenceRequest",
        method::MODEL_INFO => "modelInfo",
        method::CHANNELS_REGISTER | method::CHANNELS_CHANGED | method::CHANNELS_LIST => {
            "channels.register"
        }
        method::CHANNELS_INCOMING => "channels.incoming",
        _ => return None,
    })
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, ErrorObject> {
    T::deserialize(params).map_err(ErrorObject::invalid_params)
}
