//! Requests: one step, and all that an agent says about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

use super::{
    A2aContext, AosError, AosPayload, Method, Ping, RequestId, StepContext, StepPayload,
    payload::{Form, entries},
    plain::{Plain, decode, take},
};
#[cfg(feature = "guardian-client")]
use super::{A2aMessage, McpMessage};
use hooks_core::internal::setters;

/// One step that an agent is about to take, or has taken.
///
/// What is decoded is encoded with the same members: also those that the document does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AosRequest {
    /// The request's id. Its answer has the same.
    pub id: RequestId,
    /// The method.
    pub method: Method,
    /// What the step is about. It is the payload of the method.
    pub payload: AosPayload,
    /// Where the step happens. Steps of the agent itself have one, messages of a protocol have none.
    pub context: Option<Arc<StepContext>>,
    /// Between which agents a message of A2A travels.
    pub a2a_context: Option<Arc<A2aContext>>,
    /// Why the agent takes the step.
    pub reasoning: Option<String>,
    /// Members of the params that the document does not define.
    pub other_params: Map<String, Value>,
    /// Members of the request that the document does not define.
    pub other: Map<String, Value>,
    pub(super) form: Form,
}

/// What an agent sent to a guardian.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// A step.
    Step(Box<AosRequest>),
    /// The question whether the guardian is there.
    #[non_exhaustive]
    Ping {
        /// The request's id.
        id: RequestId,
        /// The question.
        ping: Ping,
    },
}

/// Why a body is no request, and whom to tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{error}")]
pub struct BadRequest {
    /// The id, if it could be read.
    pub id: Option<RequestId>,
    /// What is wrong.
    pub error: AosError,
}

impl AosRequest {
    /// Makes a request without context and reasoning.
    pub fn new(id: impl Into<RequestId>, method: Method, payload: impl StepPayload) -> AosRequest {
        AosRequest {
            id: id.into(),
            method,
            payload: payload.into(),
            context: None,
            a2a_context: None,
            reasoning: None,
            other_params: Map::new(),
            other: Map::new(),
            form: Form::Usual,
        }
    }

    setters! {
        /// Sets where the step happens.
        fn context(mut self, context: impl Into<Arc<StepContext>>) { self.context = Some(context.into()) }

        /// Sets why the agent takes the step.
        fn reasoning(mut self, reasoning: impl Into<String>) { self.reasoning = Some(reasoning.into()) }

        /// Sets between which agents a message of A2A travels.
        fn a2a_context(mut self, context: impl Into<Arc<A2aContext>>) { self.a2a_context = Some(context.into()) }
    }

    /// Carries a message of a protocol in a member of the params if it has a member that the params define themselves.
    /// Otherwise the guardian would read the message's own member as its own, and refuse the question.
    #[cfg(feature = "guardian-client")]
    pub(crate) fn keep_apart(&mut self) {
        let (AosPayload::McpMessage(McpMessage { message: raw })
        | AosPayload::A2aMessage(A2aMessage { payload: raw })) = &self.payload
        else {
            return;
        };
        let taken = ["acs_version", "context", "message", "reasoning"];
        if taken.iter().any(|member| raw.contains_key(*member)) {
            self.form = Form::Other;
        }
    }

    fn read(
        id: RequestId,
        method: Method,
        mut params: Map<String, Value>,
        other: Map<String, Value>,
    ) -> Result<AosRequest, AosError> {
        let context = if method.is_native() {
            Some(Arc::new(take(&mut params, "context")?))
        } else {
            None
        };
        let (payload, form) = AosPayload::read(method, &mut params)?;
        let reasoning = params
            .contains_key("reasoning")
            .then(|| take(&mut params, "reasoning"))
            .transpose()?;
        // The document defines no context for A2A. One of a later draft is read, and any other is kept as it is.
        let a2a_context = match (&payload, params.get("context")) {
            (AosPayload::A2aMessage(_), Some(context)) => {
                A2aContext::deserialize(context).map(Arc::new).ok()
            }
            _ => None,
        };
        if a2a_context.is_some() {
            params.remove("context");
        }
        Ok(AosRequest {
            id,
            method,
            payload,
            context,
            a2a_context,
            reasoning,
            other_params: params,
            other,
            form,
        })
    }

    /// A message of a protocol stands alone, unless there is something to say about it.
    fn is_bare(&self) -> bool {
        self.form == Form::Usual
            && self.reasoning.is_none()
            && self.a2a_context.is_none()
            && self.other_params.is_empty()
    }
}

impl Received {
    /// Reads the body of a request.
    ///
    /// # Errors
    ///
    /// The body is not JSON, no request, of an unknown method, or its params do not fit the method.
    pub fn read(body: &[u8]) -> Result<Received, BadRequest> {
        let mut id = None;
        Received::read_with(body, &mut id).map_err(|error| BadRequest { id, error })
    }

    /// Reads a request that is already JSON.
    ///
    /// # Errors
    ///
    /// The value is no request, of an unknown method, or its params do not fit the method.
    pub fn read_value(value: Value) -> Result<Received, BadRequest> {
        Received::read(value.to_string().as_bytes())
    }

    /// Puts the id into `known` as soon as it is read.
    fn read_with(body: &[u8], known: &mut Option<RequestId>) -> Result<Received, AosError> {
        let body = str::from_utf8(body).map_err(AosError::not_json)?;
        let mut whole = whole(body, known)?;
        let id = whole.remove("id");
        *known = id.as_ref().and_then(RequestId::read);
        if whole.remove("jsonrpc") != Some("2.0".into()) {
            return Err(AosError::no_request("jsonrpc: it is not `2.0`"));
        }
        let Some(Value::String(word)) = whole.remove("method") else {
            return Err(AosError::no_request("method: it is missing, or no string"));
        };
        let Some(id) = known.clone() else {
            return Err(AosError::no_request(match id {
                None => "id: it is missing: a notification cannot be answered",
                Some(_) => "id: it is neither a string nor an integer of 64 bits",
            }));
        };
        let params = match whole.remove("params") {
            Some(Value::Object(params)) => Some(params),
            None | Some(Value::Array(_)) => None,
            Some(_) => return Err(AosError::no_request("params: they are no object")),
        };
        let Some(method) = Method::named(&word) else {
            let shown: String = word.chars().take(SHOWN).collect();
            let why = format_args!("there is no method `{shown}`");
            return Err(AosError::no_method(why));
        };
        let Some(params) = params else {
            let why = "params: they are missing, or no object";
            return Err(AosError::invalid_params(why));
        };
        if params.contains_key("acs_version") {
            let why = "params.acs_version: this guardian speaks AOS, not this dialect";
            return Err(AosError::invalid_params(why));
        }
        if params.get("reasoning").is_some_and(|it| !it.is_string()) {
            let why = "params.reasoning: it is no string";
            return Err(AosError::invalid_params(why));
        }
        if method == Method::Ping {
            let ping = decode(Value::Object(params), "params".to_owned())?;
            return Ok(Received::Ping { id, ping });
        }
        let step = AosRequest::read(id, method, params, whole)?;
        Ok(Received::Step(Box::new(step)))
    }
}

/// Reads the members of a request. The id of one that cannot be read as a whole is put into `known`.
fn whole(body: &str, known: &mut Option<RequestId>) -> Result<Map<String, Value>, AosError> {
    #[derive(Deserialize)]
    struct Numbered {
        id: Value,
    }
    let read: Result<Plain, _> = serde_json::from_str(body);
    let Plain(value) = read.map_err(|wrong| {
        let numbered: Option<Numbered> = serde_json::from_str(body).ok();
        *known = numbered.and_then(|it| RequestId::read(&it.id));
        AosError::not_json(wrong)
    })?;
    match value {
        Value::Object(members) => Ok(members),
        Value::Array(_) => Err(AosError::no_request(
            "a batch is not supported: send each request alone",
        )),
        _ => Err(AosError::no_request("it is no object")),
    }
}

/// How much of a peer's word is repeated to it, in characters.
const SHOWN: usize = 64;

impl Serialize for AosRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut whole = serializer.serialize_map(None)?;
        whole.serialize_entry("jsonrpc", "2.0")?;
        whole.serialize_entry("id", &self.id)?;
        whole.serialize_entry("method", &self.method)?;
        whole.serialize_entry("params", &Params(self))?;
        entries(&self.other, &mut whole)?;
        whole.end()
    }
}

/// The params of a request.
struct Params<'a>(&'a AosRequest);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Params(request) = self;
        let mut params = serializer.serialize_map(None)?;
        let (method, form) = (request.method, request.form);
        let payload = &request.payload;
        payload.write(method, form, request.is_bare(), &mut params)?;
        if let Some(reasoning) = &request.reasoning {
            params.serialize_entry("reasoning", reasoning)?;
        }
        if let Some(context) = &request.context {
            params.serialize_entry("context", &**context)?;
        }
        if let Some(context) = &request.a2a_context {
            params.serialize_entry("context", &**context)?;
        }
        entries(&request.other_params, &mut params)?;
        params.end()
    }
}
