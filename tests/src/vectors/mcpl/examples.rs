//! The documents of the specification: each decoded by its type, encoded again, and with nothing left over.

use hooks_sdk::mcpl::{
    Acknowledge, Acknowledged, AfterInference, BeforeInference, ChannelDescriptor, ChannelsClose,
    ChannelsOpen, ContentBlock, Elevation, ErrorObject, IncomingMessage, InferenceLifecycle,
    InferenceResult, Injection, Message, ModelInfo, OutgoingChunk, OutgoingComplete, Publish,
    Published, RollbackRequest, Scope, Typing, Usage,
    wire::{
        AfterInferenceResult, BeforeInferenceResult, ChannelClosed, ChannelContext, ChannelOpened,
        ChannelsChanged, ChannelsIncoming, ChannelsList, ChannelsRegister, CurrentModel,
        FeatureSetDeclaration, FeatureSetsChanged, FeatureSetsUpdate, IncomingResults,
        InferenceChunk, InferenceRequest, ManifestChanged, McplHostCapabilities,
        McplServerCapabilities, PushEvent, PushEventResult, Receipt, Registered, RollbackResult,
        ScopeElevate, ScopeLists, StateUpdate, ToolCallParams, ToolCallResult, error, method,
    },
};
use serde_json::{Map, Value, json};

use super::{
    frame::{
        Call, Failure, Frame, Handshake, Nothing, OnlyChannels, OnlyContent, OnlyExperimental,
        OnlyFeatureSets, OnlyState, again, decode, kept, of, without_mcp,
    },
    routing, schema,
};
use crate::vectors::{Mismatch, Outcome};

pub(super) fn run(file: &Value) -> Vec<Outcome> {
    let documents = file.as_array().into_iter().flatten();
    let outcomes = documents.map(|entry| {
        let section = entry["section"].as_str().unwrap_or_default();
        Outcome {
            name: format!("line {} ({section})", entry["line"]),
            result: check(section, &entry["json"]).map_err(|got| Mismatch {
                expected: entry["json"].to_string(),
                got,
            }),
        }
    });
    outcomes.collect()
}

/// Whether the type that the document is of reads it, knows all of it, and writes it as it was.
///
/// # Errors
///
/// What is wrong, in words.
pub fn check(section: &str, document: &Value) -> Result<(), String> {
    let members = document.as_object().ok_or("the document is no object")?;
    let has = |member: &str| members.contains_key(member);
    match members.get("method").map(Value::as_str) {
        Some(Some(method)) => call(method, document),
        Some(None) => Err("`method` is no string".to_owned()),
        None if has("error") => failure(document),
        None => match members.get("result") {
            Some(result) => match shape(section, Frame::Answer, object(result)?) {
                Some(check) => check(document, Frame::Answer),
                None => Err(format!("no type answers with {result}")),
            },
            None if has("oneOf") || (has("properties") && has("type")) => schema::check(document),
            None if has("routing") => routing::check(&members["routing"]),
            None => match shape(section, Frame::None, members) {
                Some(check) => check(document, Frame::None),
                None => Err("no type has these members".to_owned()),
            },
        },
    }
}

fn object(value: &Value) -> Result<&Map<String, Value>, String> {
    value
        .as_object()
        .ok_or_else(|| format!("{value} is no object"))
}

fn call(method: &str, document: &Value) -> Result<(), String> {
    match method {
        method::FEATURE_SETS_UPDATE => kept::<Call<FeatureSetsUpdate>>(document),
        method::FEATURE_SETS_CHANGED => kept::<Call<FeatureSetsChanged>>(document),
        method::SCOPE_ELEVATE => kept::<Call<ScopeElevate>>(document),
        method::STATE_ROLLBACK => kept::<Call<RollbackRequest>>(document),
        method::PUSH_EVENT => kept::<Call<PushEvent>>(document),
        method::BEFORE_INFERENCE => kept::<Call<BeforeInference>>(document),
        method::AFTER_INFERENCE => kept::<Call<AfterInference>>(document),
        method::INFERENCE_LIFECYCLE => kept::<Call<InferenceLifecycle>>(document),
        method::INFERENCE_REQUEST => kept::<Call<InferenceRequest>>(document),
        method::INFERENCE_CHUNK => kept::<Call<InferenceChunk>>(document),
        method::MODEL_INFO | method::CHANNELS_LIST | method::MANIFEST => {
            kept::<Call<Nothing>>(document)
        }
        method::CHANNELS_REGISTER => kept::<Call<ChannelsRegister>>(document),
        method::CHANNELS_CHANGED => kept::<Call<ChannelsChanged>>(document),
        method::CHANNELS_OPEN => kept::<Call<ChannelsOpen>>(document),
        method::CHANNELS_CLOSE => kept::<Call<ChannelsClose>>(document),
        method::CHANNELS_OUTGOING_CHUNK => kept::<Call<OutgoingChunk>>(document),
        method::CHANNELS_OUTGOING_COMPLETE => kept::<Call<OutgoingComplete>>(document),
        method::CHANNELS_PUBLISH => kept::<Call<Publish>>(document),
        method::CHANNELS_INCOMING => kept::<Call<ChannelsIncoming>>(document),
        method::CHANNELS_TYPING => kept::<Call<Typing>>(document),
        method::CHANNELS_ACKNOWLEDGE => kept::<Call<Acknowledge>>(document),
        method::MANIFEST_CHANGED => kept::<Call<ManifestChanged>>(document),
        method::TOOLS_CALL => kept::<Call<ToolCallParams>>(&without_mcp(document)),
        // MCP's own, with ours in it.
        "initialize" => kept::<Call<Handshake<McplHostCapabilities>>>(document),
        _ => Err(format!("`{method}` is no method of MCPL")),
    }
}

/// An error whose words are those that our constructor gives, and its data where the document gives some.
fn failure(document: &Value) -> Result<(), String> {
    let read: Failure = decode(document)?;
    again(&read, document)?;
    let ErrorObject {
        code,
        message,
        data,
        ..
    } = read.error;
    let data = data.unwrap_or_default();
    let word = |member: &str| data[member].as_str().unwrap_or_default();
    let (ours, with_data) = match code {
        error::FEATURE_SET_NOT_ENABLED => {
            let can_enable = data["canEnable"].as_bool();
            let ours = ErrorObject::feature_set_not_enabled(word("featureSet"), can_enable);
            (ours, true)
        }
        error::CAPABILITY_DENIED => (ErrorObject::capability_denied(word("capability")), true),
        error::CHECKPOINT_NOT_FOUND => {
            (ErrorObject::checkpoint_not_found(word("checkpoint")), true)
        }
        error::UNKNOWN_FEATURE_SET => (ErrorObject::unknown_feature_set(""), false),
        error::CHANNEL_NOT_PERMITTED => (ErrorObject::channel_not_permitted(""), false),
        error::UNKNOWN_CHANNEL => (ErrorObject::unknown_channel(""), false),
        error::CHANNEL_OPEN_FAILED => (ErrorObject::channel_open_failed(""), false),
        code => return Err(format!("{code} is no code of MCPL")),
    };
    // A reason may stand behind the words of appendix A.
    let words = |message: &str| message.split(": ").next().map(str::to_owned);
    if with_data {
        again(&ours, &document["error"])
    } else if words(&message) == words(&ours.message) {
        Ok(())
    } else {
        Err(ours.message)
    }
}

type Check = fn(&Value, Frame) -> Result<(), String>;

/// The type of an answer, or of a document without an envelope, by its members.
fn shape(section: &str, frame: Frame, members: &Map<String, Value>) -> Option<Check> {
    let has = |member: &str| members.contains_key(member);
    let all = |names: &[&str]| names.iter().all(|name| has(name));
    let any = |names: &[&str]| names.iter().any(|name| has(name));
    let only = |name: &str| has(name) && members.len() == 1;
    let mcpl = |mcpl: &Value| is_host(section, mcpl);
    Some(
        if members.get("capabilities").is_some_and(Value::is_object) {
            let host = mcpl(&members["capabilities"]["experimental"]["mcpl"]);
            if host {
                of::<Handshake<McplHostCapabilities>>
            } else {
                of::<Handshake<McplServerCapabilities>>
            }
        } else if has("experimental") {
            let host = mcpl(&members["experimental"]["mcpl"]);
            if host {
                of::<OnlyExperimental<McplHostCapabilities>>
            } else {
                of::<OnlyExperimental<McplServerCapabilities>>
            }
        } else if only("featureSets") {
            of::<OnlyFeatureSets>
        } else if any(&[
            "version",
            "pushEvents",
            "contextHooks",
            "featureSets",
            "revision",
        ]) {
            if mcpl(&json!(members)) {
                of::<McplHostCapabilities>
            } else {
                of::<McplServerCapabilities>
            }
        } else if has("contextInjections") {
            of::<BeforeInferenceResult>
        } else if has("namespace") {
            of::<Injection>
        } else if has("approved") {
            of::<Elevation>
        } else if all(&["checkpoint", "success"]) {
            of::<RollbackResult>
        } else if all(&["checkpoint", "featureSet"]) {
            of::<RollbackRequest>
        } else if has("checkpoint") {
            of::<StateUpdate>
        } else if has("featureSet") {
            of::<AfterInferenceResult>
        } else if has("finishReason") {
            of::<InferenceResult>
        } else if all(&["contextWindow", "capabilities"]) || all(&["id", "vendor"]) {
            of::<ModelInfo>
        } else if has("contextWindow") {
            of::<CurrentModel>
        } else if has("channel") {
            of::<ChannelOpened>
        } else if has("closed") {
            of::<ChannelClosed>
        } else if has("delivered") {
            of::<Published>
        } else if has("acknowledged") {
            of::<Acknowledged>
        } else if has("accepted") {
            let receipt = [
                "mode",
                "unavailableFeatures",
                "notes",
                "fallback",
                "missingCapabilities",
            ];
            if any(&receipt) {
                of::<Receipt>
            } else {
                of::<PushEventResult>
            }
        } else if let Some(results) = members.get("results") {
            let messages = results[0].get("messageId").is_some() || results == &json!([]);
            if messages {
                of::<IncomingResults>
            } else {
                of::<Registered>
            }
        } else if has("registered") {
            of::<Registered>
        } else if members.get("channels").is_some_and(Value::is_object) {
            of::<OnlyChannels>
        } else if has("channels") {
            of::<ChannelsList>
        } else if all(&["id", "direction"]) {
            of::<ChannelDescriptor>
        } else if any(&["incoming", "defaultOutgoing", "candidates"]) {
            of::<ChannelContext>
        } else if has("description") {
            of::<FeatureSetDeclaration>
        } else if any(&["whitelist", "blacklist"]) {
            of::<ScopeLists>
        } else if has("inputTokens") {
            of::<Usage>
        } else if has("role") {
            of::<Message>
        } else if has("messageId") {
            of::<IncomingMessage>
        } else if has("label") {
            of::<Scope>
        } else if only("state") {
            of::<OnlyState>
        } else if has("type") {
            of::<ContentBlock>
        } else if only("content") && frame == Frame::None {
            of::<OnlyContent>
        } else if any(&["content", "state"]) {
            |document, frame| of::<ToolCallResult>(&without_mcp(document), frame)
        } else if members.is_empty() && frame == Frame::Answer {
            of::<Registered>
        } else {
            return None;
        },
    )
}

/// A host says whether it has feature sets at all, a server which.
fn is_host(section: &str, mcpl: &Value) -> bool {
    match mcpl.get("featureSets") {
        Some(feature_sets) => feature_sets.is_boolean(),
        None => section.contains("Host"),
    }
}
