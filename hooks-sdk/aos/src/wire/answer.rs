//! The check of a guardian's answer against the request that was sent.

use serde_json::{Map, Value};

use super::{AosDecision, AosError, AosRequest, AosResponse, BadRequest, Received, RequestId};
use hooks_core::internal::is_equal_json;

/// Why a guardian's answer is no usable decision. The posture of the observed side then decides.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoDecision {
    /// The guardian answered with an error.
    #[error("the guardian answered with an error: {0}")]
    Guardian(AosError),
    /// The answer is not what the document defines, or is not about this request. The reason has no words of the answer.
    #[error("the guardian's answer is malformed: {0}")]
    Malformed(String),
}

fn malformed<T>(why: impl ToString) -> Result<T, NoDecision> {
    Err(NoDecision::Malformed(why.to_string()))
}

impl AosRequest {
    /// Reads a guardian's answer to this request.
    ///
    /// With `lenient`, an answer may lack its `message`, or have one that is no string, and a modified request may lack
    /// `jsonrpc` and `id`, or be called `modified_request`. The message of a deny may always be something else than a string.
    ///
    /// # Errors
    ///
    /// The answer is an error, or no decision about this request. A modified request has to be valid, with the method, the
    /// id and the context of this one. The ids of a tool call, the role of a message, and the id and method of a message of
    /// MCP or A2A have to be the same, and no two arguments may have one name.
    pub fn read_answer(&self, body: &[u8], lenient: bool) -> Result<AosResponse, NoDecision> {
        let result = read_envelope(body, &self.id)?;
        self.read_result(result, lenient)
    }

    fn read_result(
        &self,
        mut result: Map<String, Value>,
        lenient: bool,
    ) -> Result<AosResponse, NoDecision> {
        let decision = match result.remove("decision").as_ref().and_then(Value::as_str) {
            Some("allow") => AosDecision::Allow,
            Some("deny") => AosDecision::Deny,
            Some("modify") => AosDecision::Modify,
            _ => return malformed("`decision` is not `allow`, `deny` or `modify`"),
        };
        let message = match result.remove("message") {
            Some(Value::String(message)) => message,
            None | Some(Value::Null) if lenient => String::new(),
            // A deny counts even if its message has another form: the posture could let the step go on.
            Some(other) if lenient || decision == AosDecision::Deny => other.to_string(),
            None => return malformed("`message` is missing"),
            Some(_) => return malformed("`message` is no string"),
        };
        let mut response = match decision {
            AosDecision::Allow => AosResponse::allow(message),
            AosDecision::Deny => AosResponse::deny(message),
            AosDecision::Modify => {
                let modified = match result.remove("modifiedRequest") {
                    None if lenient => result.remove("modified_request"),
                    modified => modified,
                };
                AosResponse::modify(message, self.read_modified(modified, lenient)?)
            }
        };
        // Those that have another form are kept as they are.
        response.reasoning = fitting(&mut result, "reasoning");
        response.reason_code = fitting(&mut result, "reasonCode");
        response.data = fitting(&mut result, "data");
        response.other = result;
        Ok(response)
    }

    fn read_modified(
        &self,
        modified: Option<Value>,
        lenient: bool,
    ) -> Result<AosRequest, NoDecision> {
        let Some(Value::Object(mut modified)) = modified else {
            return malformed("`modifiedRequest` is missing, or no object");
        };
        if !self.method.modifies() {
            return malformed(format_args!("`{}` cannot be modified", self.method));
        }
        if lenient {
            let jsonrpc = || Value::from("2.0");
            modified.entry("jsonrpc").or_insert_with(jsonrpc);
            let id = || serde_json::to_value(&self.id).unwrap_or_default();
            modified.entry("id").or_insert_with(id);
        }
        let modified = match Received::read_value(Value::Object(modified)) {
            Ok(Received::Step(modified)) => *modified,
            Ok(Received::Ping { .. }) => return malformed("`modifiedRequest` is a ping"),
            Err(BadRequest { error, .. }) => {
                let code = error.code;
                return malformed(format_args!("`modifiedRequest` is no request ({code})"));
            }
        };
        match self.problem_of(&modified) {
            None => Ok(modified),
            Some(problem) => malformed(problem),
        }
    }

    /// Says what of a modified request may not be other than in this one.
    fn problem_of(&self, modified: &AosRequest) -> Option<String> {
        let another = |what: &str| Some(format!("`modifiedRequest` {what}"));
        if modified.method != self.method || modified.id != self.id {
            return another("is another request");
        }
        if !same_context(self, modified) {
            return another("changes the context");
        }
        modified.payload.problem(&self.payload)
    }
}

/// Reads an answer of JSON-RPC to the request with this id. Every answer of a guardian passes here.
///
/// # Errors
///
/// The answer is an error, or no answer to this request.
pub(crate) fn read_envelope(body: &[u8], id: &RequestId) -> Result<Map<String, Value>, NoDecision> {
    let mut whole = match serde_json::from_slice(body) {
        Ok(Value::Object(whole)) => whole,
        Ok(_) => return malformed("it is no object"),
        Err(wrong) => return malformed(format_args!("it is not JSON: {wrong}")),
    };
    if whole.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return malformed("`jsonrpc` is not `2.0`");
    }
    let given = whole.get("id").unwrap_or(&Value::Null);
    let ours = RequestId::read(given).is_some_and(|given| given == *id);
    match (whole.remove("result"), whole.remove("error"), ours) {
        (Some(Value::Object(result)), None, true) => Ok(result),
        (Some(_), None, true) => malformed("`result` is no object"),
        (None, Some(error), _) if ours || whole.get("id") == Some(&Value::Null) => {
            match serde_json::from_value(error) {
                Ok(error) => Err(NoDecision::Guardian(error)),
                Err(_) => malformed("`error` is no error of JSON-RPC"),
            }
        }
        (_, _, false) => malformed("`id` is not the request's"),
        (_, _, true) => malformed("it has to have exactly one of `result` and `error`"),
    }
}

/// Takes a member that has the form that the document gives it.
fn fitting<T: serde::de::DeserializeOwned>(
    result: &mut Map<String, Value>,
    name: &str,
) -> Option<T> {
    let value = T::deserialize(result.get(name)?).ok()?;
    result.remove(name);
    Some(value)
}

/// Whether two requests have the same context.
fn same_context(ours: &AosRequest, new: &AosRequest) -> bool {
    if ours.context == new.context && ours.a2a_context == new.a2a_context {
        return ours.other_params.get("context") == new.other_params.get("context");
    }
    let value =
        |of: &AosRequest| serde_json::to_value((of.context.as_deref(), of.a2a_context.as_deref()));
    matches!((value(ours), value(new)), (Ok(ours), Ok(new)) if is_equal_json(&ours, &new))
}
