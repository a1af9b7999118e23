//! Channels that the server has, and what is said on them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::read;
use crate::mcpl_host::{
    RegisterAnswer,
    shared::{HostState, SharedHost},
};
use hooks_mcpl::{
    ChannelDescriptor, ErrorObject, IncomingMessage, Version,
    wire::{
        ChannelResult, ChannelsChanged, ChannelsIncoming, ChannelsList, ChannelsRegister,
        IncomingResult, IncomingResults, Registered, method,
    },
};

/// Registers channels (MCPL 0.4.1 §14.3); the form of the result is the builder's, in 0.5 itemised.
pub(super) fn register(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let form = match shared.config.version {
        Version::V04 => shared.config.registered,
        _ => RegisterAnswer::Itemised,
    };
    // Each item is judged by itself, also one that is no descriptor.
    if form == RegisterAnswer::Itemised {
        let channels = params["channels"].as_array();
        let channels = channels.ok_or_else(|| ErrorObject::invalid_params("no `channels`"))?;
        let mut state = shared.state();
        let results = channels.iter().map(|channel| add(&mut state, channel));
        return Ok(json!(Registered::results(results.collect())));
    }
    let register: ChannelsRegister = read(params)?;
    let mut state = shared.state();
    for channel in &register.channels {
        state.gate.check_channel(&channel.id)?;
    }
    let ids: Vec<String> = register.channels.iter().map(|one| one.id.clone()).collect();
    let channels = register.channels.into_iter();
    state
        .channels
        .extend(channels.map(|channel| (channel.id.clone(), channel)));
    Ok(match form {
        RegisterAnswer::Nothing => json!({}),
        _ => json!({"registered": ids}),
    })
}

/// Changes the registered channels, item by item.
pub(super) fn changed(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let change: ChannelsChanged = read(params)?;
    let mut state = shared.state();
    let mut results = Vec::new();
    for id in change.removed.unwrap_or_default() {
        results.push(match state.channels.remove(&id) {
            Some(_) => ChannelResult::accepted(id),
            None => ChannelResult::refused(id, "Unknown channel"),
        });
    }
    let more = [change.added, change.updated].into_iter().flatten();
    for channel in more.flatten() {
        results.push(add(&mut state, &json!(channel)));
    }
    Ok(json!(Registered::results(results)))
}

/// The same as a notification, which nothing answers.
pub(super) fn told_changed(shared: &SharedHost, params: &Value) -> Result<(), String> {
    let capability = method::capability(method::CHANNELS_CHANGED).unwrap_or_default();
    let granted = shared.state().gate.check_capability(capability);
    let done = granted.and_then(|()| changed(shared, params));
    done.map(drop).map_err(|error| error.to_string())
}

fn add(state: &mut HostState, channel: &Value) -> ChannelResult {
    let id = channel["id"].as_str().unwrap_or_default();
    let channel = match ChannelDescriptor::deserialize(channel) {
        Ok(channel) => channel,
        Err(error) => return ChannelResult::refused(id, error.to_string()),
    };
    if let Err(error) = state.gate.check_channel(id) {
        return ChannelResult::refused(id, error.message);
    }
    state.channels.insert(id.to_owned(), channel);
    ChannelResult::accepted(id)
}

pub(super) fn list(shared: &SharedHost) -> Value {
    let state = shared.state();
    json!(ChannelsList::new(
        state.channels.values().cloned().collect()
    ))
}

/// Takes messages of registered channels (MCPL 0.4.1 §14.3).
///
/// When none is of a registered channel, the whole request is refused.
pub(super) fn incoming(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let ChannelsIncoming { messages, .. } = read(params)?;
    let state = shared.state();
    let judged: Vec<_> = messages
        .iter()
        .map(|message| (message, judge(&state, message)))
        .collect();
    if let Some((_, Err(error))) = judged.first()
        && judged.iter().all(|(_, judged)| judged.is_err())
    {
        return Err(error.clone());
    }
    let results = judged.into_iter().map(|(message, judged)| {
        let result = IncomingResult::new(&*message.message_id, judged.is_ok());
        match judged {
            Ok(()) => result.conversation(conversation(message)),
            Err(_) => result,
        }
    });
    Ok(json!(IncomingResults::new(results.collect())))
}

fn judge(state: &HostState, message: &IncomingMessage) -> Result<(), ErrorObject> {
    if !state.channels.contains_key(&message.channel_id) {
        return Err(ErrorObject::unknown_channel(&message.channel_id));
    }
    state.gate.check_channel(&message.channel_id)
}

/// One conversation for each thread of each channel.
fn conversation(message: &IncomingMessage) -> String {
    match &message.thread_id {
        Some(thread) => format!("{}/{thread}", message.channel_id),
        None => message.channel_id.clone(),
    }
}
