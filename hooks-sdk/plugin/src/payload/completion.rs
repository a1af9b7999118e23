//! The payloads of completions: a request for values of an argument, and the values.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Payload, Writable, guard, measure::Measure, payload};
use hooks_core::condition::Subject;

payload! {
    /// A request for values of an argument, before they are looked up (`completion/complete`). The document has no such payload.
    pub struct CompletionFetch {
        /// What the argument belongs to.
        kind: CompletionOf,
        /// The name of the prompt, or the template or URI of the resource. A change of it, of `kind` and of `argument` is dropped.
        name: String,
        /// The name of the argument.
        argument: String,
        /// What the user has written so far.
        value: String,
        /// The arguments whose values are known already (`context.arguments`). Each is a text.
        #[serde(default)]
        args: Map<String, Value>,
    }
    new "Creates the payload of a request without other arguments."
        (kind: CompletionOf, name: impl Into<String>, argument: impl Into<String>, value: impl Into<String>),
    item name,
    size name name name argument text value map args,
    change value args, never kind name argument,
    roots argument Text value Text args Object,
}

impl CompletionFetch {
    /// Returns the same request with another value.
    #[must_use]
    pub fn with(&self, value: impl Into<String>) -> CompletionFetch {
        CompletionFetch {
            value: value.into(),
            ..self.clone()
        }
    }
}

/// What the argument of a completion belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompletionOf {
    /// A prompt (`ref/prompt`).
    #[default]
    Prompt,
    /// A resource or a template of resources (`ref/resource`).
    Resource,
}

payload! {
    /// The values that were found for an argument. The document has no such payload.
    pub struct CompletionResult {
        /// What the argument belongs to.
        kind: CompletionOf,
        /// The name of the prompt, or the template or URI of the resource. A change of it, of `kind` and of `argument` is dropped.
        name: String,
        /// The name of the argument.
        argument: String,
        /// The completion as JSON: an object with the list `values`, and with `total` and `hasMore` if the server says them.
        result: Value,
    }
    new "Creates the payload of an answer."
        (kind: CompletionOf, name: impl Into<String>, argument: impl Into<String>, result: Value),
    item name,
    size name name name argument json result,
    change result, never kind name argument,
    roots argument Text result Value,
}

impl CompletionResult {
    /// Returns the values.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let values = self.result.get("values").and_then(Value::as_array);
        values.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns how many values there are in all, if the server says it.
    pub fn total(&self) -> Option<u64> {
        self.result.get("total")?.as_u64()
    }

    /// Returns whether there are more values than those in the answer, if the server says it.
    pub fn has_more(&self) -> Option<bool> {
        self.result.get("hasMore")?.as_bool()
    }

    /// Returns the same answer with only the values for which `keep` returns `true`. If it leaves one out, the answer no longer
    /// says how many there are in all.
    #[must_use]
    pub fn retain(&self, mut keep: impl FnMut(&str) -> bool) -> CompletionResult {
        let mut answer = self.clone();
        let Some(members) = answer.result.as_object_mut() else {
            return answer;
        };
        if let Some(Value::Array(values)) = members.get_mut("values") {
            let all = values.len();
            values.retain(|value| value.as_str().is_none_or(&mut keep));
            if values.len() < all {
                members.remove("total");
            }
        }
        answer
    }
}
