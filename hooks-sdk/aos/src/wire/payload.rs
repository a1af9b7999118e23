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
        let mut form = Form::Usual;
        macro_rules! read {
            (Ping $member:literal) => {
                return Err(AosError::invalid("method", "a ping is no step"))
            };
            (CompletedToolCall $member:literal) => {
                if params.contains_key($member) || !params.contains_key("executionId") {
                    take::<CompletedToolCall>(params, $member)?.into()
                } else {
                    form = Form::Other;
                    let id: String = take(params, "executionId")?;
                    CompletedToolCall::new(id, take(params, "result")?).into()
                }
            };
            (MessageStep $member:literal) => {{
                let message = take(params, $member)?;
                let mut name = "citations";
                if params.contains_key("citation") && !params.contains_key(name) {
                    (name, form) = ("citation", Form::Other);
                }
                let citations = params.contains_key(name).then(|| take(params, name));
                let citations = citations.transpose()?;
                MessageStep { message, citations }.into()
            }};
            (Memory $member:literal) => {{
                let memory = take(params, $member)?;
                Memory { memory }.into()
            }};
            (McpMessage $member:literal) => {
                McpMessage::new(protocol(params, $member, &mut form)?).into()
            };
            (A2aMessage $member:literal) => {
                A2aMessage::new(protocol(params, $member, &mut form)?).into()
            };
            ($payload:ident $member:literal) => {
                take::<$payload>(params, $member)?.into()
            };
        }
        macro_rules! rows {
            ($(
                $(#[$about:meta])+
                $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal { $($points:tt)* }
            )+) => {
                match method {
                    $(Method::$method => read!($payload $member),)+
                }
            };
        }
        Ok((hooks_text::aos_steps!(rows), form))
    }

    /// Writes the payload into the params.
    pub(super) fn write<M: SerializeMap>(
        &self,
        method: Method,
        form: Form,
        bare: bool,
        params: &mut M,
    ) -> Result<(), M::Error> {
        let member = method.member();
        match self {
            AosPayload::CompletedToolCall(call) if form == Form::Other => {
                params.serialize_entry("executionId", &call.execution_id)?;
                params.serialize_entry("result", &call.result)?;
                entries(&call.other, params)
            }
            AosPayload::MessageStep(step) => {
                params.serialize_entry(member, &step.message)?;
                let name = match form {
                    Form::Usual => "citations",
                    Form::Other => "citation",
                };
                match &step.citations {
                    Some(citations) => params.serialize_entry(name, citations),
                    None => Ok(()),
                }
            }
            AosPayload::McpMessage(McpMessage { message: raw })
            | AosPayload::A2aMessage(A2aMessage { payload: raw }) => match member {
                WHOLE if bare => entries(raw, params),
                _ => params.serialize_entry(member, raw),
            },
            AosPayload::Memory(memory) => params.serialize_entry(member, &memory.memory),
            AosPayload::AgentTrigger(trigger) => params.serialize_entry(member, trigger),
            AosPayload::ToolCallRequest(call) => params.serialize_entry(member, call),
            AosPayload::CompletedToolCall(call) => params.serialize_entry(member, call),
            AosPayload::KnowledgeStep(step) => params.serialize_entry(member, step),
        }
    }

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

/// The member of the params that a message of a protocol is in, unless the message is the params themselves.
const WHOLE: &str = "message";

/// Takes a message of a protocol: a member of the params, or the params themselves where the member may be absent.
fn protocol(
    params: &mut Map<String, Value>,
    member: &str,
    form: &mut Form,
) -> Result<Map<String, Value>, AosError> {
    if member == WHOLE && params.contains_key("jsonrpc") {
        let message = std::mem::take(params);
        raw(&message, "params")?;
        return Ok(message);
    }
    let message = take(params, member)?;
    raw(&message, &format!("params.{member}"))?;
    if member == WHOLE {
        *form = Form::Other;
    }
    Ok(message)
}

pub(super) fn entries<M: SerializeMap>(
    members: &Map<String, Value>,
    into: &mut M,
) -> Result<(), M::Error> {
    members
        .iter()
        .try_for_each(|(name, value)| into.serialize_entry(name, value))
}
