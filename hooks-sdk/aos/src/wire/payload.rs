//! What a step is about, by its method.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

use super::{
    A2aMessage, AgentTrigger, AosError, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
    MessageStep, Method, ToolCallRequest, plain::take, protocol::raw, stand_in::StandsFor,
};

/// Where the payload stands in the params. Some methods have two forms, and an answer has the form of its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// The form that this SDK sends.
    #[default]
    Usual,
    /// The other one: a tool's result in the params themselves, `citation`, a message of a protocol inside of `message`.
    Other,
}

/// What a kind of step is about: one of the types of [`AosPayload`].
pub trait StepPayload: Clone + fmt::Debug + Into<AosPayload> + Send + Sync + 'static {
    /// Returns the payload, if it is of this type.
    fn of(payload: AosPayload) -> Option<Self>;

    /// Borrows the payload, if it is of this type.
    fn within(payload: &AosPayload) -> Option<&Self>;

    /// Says why this payload cannot stand for another one of the same step, if it cannot.
    fn problem(&self, before: &Self) -> Option<String>;
}

macro_rules! payloads {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// What a step is about.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AosPayload {
            $($(#[$doc])+ $name($name),)+
        }

        $(
            impl From<$name> for AosPayload {
                fn from(payload: $name) -> AosPayload {
                    AosPayload::$name(payload)
                }
            }

            impl StepPayload for $name {
                fn of(payload: AosPayload) -> Option<$name> {
                    match payload {
                        AosPayload::$name(payload) => Some(payload),
                        _ => None,
                    }
                }

                fn within(payload: &AosPayload) -> Option<&$name> {
                    match payload {
                        AosPayload::$name(payload) => Some(payload),
                        _ => None,
                    }
                }

                fn problem(&self, before: &$name) -> Option<String> {
                    self.stands_for(before).err().map(str::to_owned)
                }
            }
        )+

        impl AosPayload {
            /// As [`StepPayload::problem`].
            pub(super) fn problem(&self, before: &AosPayload) -> Option<String> {
                match (self, before) {
                    $((AosPayload::$name(new), AosPayload::$name(before)) => new.problem(before),)+
                    _ => Some("it is about something else".to_owned()),
                }
            }
        }
    };
}

payloads! {
    /// A trigger.
    AgentTrigger,
    /// A tool call that is about to happen.
    ToolCallRequest,
    /// A tool call that has ended.
    CompletedToolCall,
    /// A message.
    MessageStep,
    /// Memory.
    Memory,
    /// Knowledge.
    KnowledgeStep,
    /// A message of MCP.
    McpMessage,
    /// A message of A2A.
    A2aMessage,
}

impl AosPayload {
    /// Takes the payload of a method out of the params.
    pub(super) fn read(
        method: Method,
        params: &mut Map<String, Value>,
    ) -> Result<(AosPayload, Form), AosError> {
        let usual = |payload| Ok((payload, Form::Usual));
        match method {
            Method::AgentTrigger => usual(AosPayload::AgentTrigger(take(params, "trigger")?)),
            Method::ToolCallRequest => usual(AosPayload::ToolCallRequest(take(
                params,
                "toolCallRequest",
            )?)),
            Method::ToolCallResult => {
                let nested = "toolCallResult";
                if params.contains_key(nested) || !params.contains_key("executionId") {
                    return usual(AosPayload::CompletedToolCall(take(params, nested)?));
                }
                let call = CompletedToolCall::new(
                    take::<String>(params, "executionId")?,
                    take(params, "result")?,
                );
                Ok((call.into(), Form::Other))
            }
            Method::Message => {
                let message = take(params, "message")?;
                let (citations, form) = if params.contains_key("citations") {
                    (Some(take(params, "citations")?), Form::Usual)
                } else if params.contains_key("citation") {
                    (Some(take(params, "citation")?), Form::Other)
                } else {
                    (None, Form::Usual)
                };
                Ok((MessageStep { message, citations }.into(), form))
            }
            Method::MemoryContextRetrieval | Method::MemoryStore => usual(
                Memory {
                    memory: take(params, "memory")?,
                }
                .into(),
            ),
            Method::KnowledgeRetrieval => {
                usual(AosPayload::KnowledgeStep(take(params, "knowledgeStep")?))
            }
            Method::Mcp => {
                let (message, form) = protocol(params)?;
                Ok((McpMessage { message }.into(), form))
            }
            Method::A2a => {
                let (payload, form) = protocol(params)?;
                Ok((A2aMessage { payload }.into(), form))
            }
            Method::Ping => Err(AosError::invalid("method", "a ping is no step")),
            // The other methods of A2A.
            _ => {
                let payload = take(params, "payload")?;
                raw(&payload, "params.payload")?;
                usual(A2aMessage { payload }.into())
            }
        }
    }

    /// Writes the payload into the params.
    pub(super) fn write<M: SerializeMap>(
        &self,
        method: Method,
        form: Form,
        bare: bool,
        params: &mut M,
    ) -> Result<(), M::Error> {
        match self {
            AosPayload::AgentTrigger(trigger) => params.serialize_entry("trigger", trigger),
            AosPayload::ToolCallRequest(call) => params.serialize_entry("toolCallRequest", call),
            AosPayload::CompletedToolCall(call) if form == Form::Usual => {
                params.serialize_entry("toolCallResult", call)
            }
            AosPayload::CompletedToolCall(call) => {
                params.serialize_entry("executionId", &call.execution_id)?;
                params.serialize_entry("result", &call.result)?;
                entries(&call.other, params)
            }
            AosPayload::MessageStep(step) => {
                params.serialize_entry("message", &step.message)?;
                let name = match form {
                    Form::Usual => "citations",
                    Form::Other => "citation",
                };
                match &step.citations {
                    Some(citations) => params.serialize_entry(name, citations),
                    None => Ok(()),
                }
            }
            AosPayload::Memory(memory) => params.serialize_entry("memory", &memory.memory),
            AosPayload::KnowledgeStep(step) => params.serialize_entry("knowledgeStep", step),
            AosPayload::McpMessage(McpMessage { message: raw })
            | AosPayload::A2aMessage(A2aMessage { payload: raw }) => match method {
                Method::Mcp | Method::A2a if bare => entries(raw, params),
                Method::Mcp | Method::A2a => params.serialize_entry("message", raw),
                _ => params.serialize_entry("payload", raw),
            },
        }
    }
}

impl AosPayload {
    /// Returns the payload as members of the params of its method.
    pub fn to_value(&self, method: Method) -> Value {
        serde_json::to_value(Members(self, method)).unwrap_or_default()
    }
}

/// A payload as members of the params.
struct Members<'a>(&'a AosPayload, Method);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Members(payload, method) = self;
        let mut params = serializer.serialize_map(None)?;
        payload.write(*method, Form::Usual, false, &mut params)?;
        params.end()
    }
}

/// Takes a message of a protocol: the params themselves, or their member `message`.
fn protocol(params: &mut Map<String, Value>) -> Result<(Map<String, Value>, Form), AosError> {
    if params.contains_key("jsonrpc") {
        let message = std::mem::take(params);
        raw(&message, "params")?;
        return Ok((message, Form::Usual));
    }
    let message = take(params, "message")?;
    raw(&message, "params.message")?;
    Ok((message, Form::Other))
}

pub(super) fn entries<M: SerializeMap>(
    members: &Map<String, Value>,
    into: &mut M,
) -> Result<(), M::Error> {
    members
        .iter()
        .try_for_each(|(name, value)| into.serialize_entry(name, value))
}
