//! What leaves and belongs to no tool, prompt or resource: a middleware replaces secrets in it.
//!
//! Answers are cleaned at the end of the pipeline, whatever the transport is. Requests and notifications of the server are
//! cleaned at the transports, since authors send them past the pipeline.

#[cfg(feature = "policy-engine")]
use std::sync::Arc;

use rmcp::{ErrorData, model::CustomResult};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{McpAnswer, McpResponse, MiddlewareId};
#[cfg(feature = "policy-engine")]
use crate::server::middleware::plugin::Built;
use hooks_core::internal::debugs;

/// The members with names that the client knows already, by their method. They stay as they are.
const KNOWN_NAMES: &[(&str, &str)] = &[
    ("notifications/resources/updated", "/uri"),
    (
        "notifications/subscriptions/acknowledged",
        "/notifications/resourceSubscriptions",
    ),
];

/// How deep the values are that stand for params that cannot be read. No plugin looks as deep.
const UNREAD: usize = 1024;

/// A request or a notification of the server.
#[derive(Deserialize)]
struct Envelope<'m> {
    id: Option<Value>,
    method: String,
    #[serde(borrow)]
    params: &'m RawValue,
}

/// A value that leaves and belongs to no item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loose {
    /// The params of a message that the server sends by itself. The server has chosen its method.
    Message,
    /// The answer to a request, or the `message` and the `data` of an error. The client has chosen its method, so the method
    /// says nothing about the answer.
    Answer,
    /// The answer of MCPL to a request of the host.
    Mcpl,
    /// The `message` and the `data` of an error of MCPL.
    McplError,
}

/// The middleware that cleans what belongs to no item.
#[derive(Clone)]
pub(crate) struct Cleaner(Cleaning);

#[cfg(feature = "policy-engine")]
type Cleaning = Arc<Built>;
#[cfg(not(feature = "policy-engine"))]
type Cleaning = std::convert::Infallible;

impl Cleaner {
    #[cfg(feature = "policy-engine")]
    pub(super) fn new(policy: Arc<Built>) -> Cleaner {
        Cleaner(policy)
    }

    /// Returns whether the middleware cleans anything, as its policy is now.
    pub(crate) fn is_at_work(&self) -> bool {
        #[cfg(feature = "policy-engine")]
        return self.0.cleans();
        #[cfg(not(feature = "policy-engine"))]
        match self.0 {}
    }

    /// Cleans a value that leaves in a message of this method and belongs to no item. Returns whether it is changed. A value
    /// that must not leave becomes `null`.
    fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool {
        #[cfg(feature = "policy-engine")]
        return self.0.clean(method, loose, value);
        #[cfg(not(feature = "policy-engine"))]
        match self.0 {}
    }

    /// Cleans the answer to a request. Results of tools, prompts, resources and tasks have passed the hooks. Lists and
    /// handshakes are what the author declares. `by` is the middleware that answered in place of the author's server.
    pub(super) fn answer(&self, method: &str, by: Option<MiddlewareId>, answer: &mut McpAnswer) {
        let mut value = match answer {
            Err(_) | Ok(McpResponse::Custom(_) | McpResponse::Complete(_))
                if !self.is_at_work() =>
            {
                return;
            }
            Err(error) => json!({"message": error.message, "data": error.data}),
            Ok(McpResponse::Custom(custom)) => custom.0.clone(),
            Ok(McpResponse::Complete(completed)) => {
                serde_json::to_value(completed).unwrap_or_default()
            }
            Ok(_) => return,
        };
        let loose = match answer {
            _ if by != Some(MiddlewareId::Mcpl) => Loose::Answer,
            Err(_) => Loose::McplError,
            Ok(_) => Loose::Mcpl,
        };
        if !self.clean(method, loose, &mut value) {
            return;
        }
        let cleaned = match answer {
            Err(error) => match value["message"].take() {
                Value::String(message) => {
                    let data = error.data.as_ref().map(|_| value["data"].take());
                    Some(Err(ErrorData::new(error.code, message, data)))
                }
                _ => None,
            },
            _ if value.is_null() => None,
            Ok(McpResponse::Custom(_)) => Some(Ok(McpResponse::Custom(CustomResult(value)))),
            Ok(_) => {
                let completed = serde_json::from_value(value).ok();
                completed.map(|completed| Ok(McpResponse::Complete(completed)))
            }
        };
        *answer = cleaned.unwrap_or_else(|| {
            let message = "a policy of this server withheld the answer";
            Err(ErrorData::internal_error(message, None))
        });
    }

    /// Returns the text of a request or a notification of the server as it leaves, or `None` if nothing changes. The params
    /// of a message that must not leave become empty, so that whoever waits for its answer gets one.
    pub(crate) fn text(&self, text: &[u8]) -> Option<Vec<u8>> {
        if !self.is_at_work() {
            return None;
        }
        let Envelope { id, method, params } = serde_json::from_slice(text).ok()?;
        // For the middleware, params that are nested deeper than `serde_json` reads are as good as any that are too deep.
        let deep = || (0..=UNREAD).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let read = serde_json::from_str(params.get());
        let is_read = read.is_ok();
        let mut params = read.unwrap_or_else(|_| deep());
        let known = KNOWN_NAMES.iter().find(|(of, _)| *of == method);
        let known = known.and_then(|(_, at)| {
            let names = params.pointer_mut(at).filter(|names| is_names(names))?;
            Some((at, names.take()))
        });
        if !self.clean(&method, Loose::Message, &mut params) {
            return None;
        }
        if params.is_null() || !is_read {
            params = json!({});
        }
        if let Some((at, names)) = known
            && let Some(place) = params.pointer_mut(at)
        {
            *place = names;
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id;
        }
        // An object of JSON is always text.
        serde_json::to_vec(&message).ok()
    }
}

/// Returns whether a value is a name, or a list of names.
fn is_names(value: &Value) -> bool {
    value.is_string()
        || value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string))
}

debugs!(Cleaner {});
