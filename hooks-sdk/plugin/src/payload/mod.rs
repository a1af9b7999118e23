//! The payloads: what a hook sees at each point, and what it may change.

mod headers;
mod http;
mod items;
mod measure;

use std::borrow::Cow;

use serde_json::Value;

use hooks_core::condition::Subject;

pub use self::{
    headers::HttpHeaders,
    http::{ForwardedRequest, ForwardedResponse, HttpRequest, HttpResponse},
    items::{PromptFetch, PromptResult, ResourceFetch, ResourceResult, ToolCall, ToolResult},
};

/// The data that hooks see at a point (document §5.1.1).
///
/// Hooks borrow the payload. A change is a new one, so that no hook can change what another hook holds.
pub trait Payload: Clone + Send + Sync + 'static {
    /// What a hook returns to change the payload.
    type Change;

    /// Returns the name of the tool, the id of the prompt or the URI of the resource; for HTTP the path.
    fn item(&self) -> &str;

    /// Returns the number of characters in the payload's strings, or in the names of its item and of all members and in
    /// its numbers (without 64 of these), whichever is larger. Each is counted up to a little more than `limit`.
    fn size(&self, limit: usize) -> usize;

    /// Returns the payload with a change. Fields that are not writable keep their value; also returns those that the
    /// change had touched.
    fn changed(&self, change: Self::Change, writable: Writable<'_>) -> (Self, Vec<&'static str>);

    /// Returns the value under a root of a condition's path: `args`, `input_responses`, `result`, `content` or `metadata`.
    fn root(&self, root: &str) -> Option<Subject<'_>>;

    /// Returns the HTTP headers that the payload has.
    fn headers(&self) -> Option<&HttpHeaders> {
        None
    }

    /// Returns the content type of the payload, if it has one.
    fn content_type(&self) -> Option<&str> {
        self.headers()?.get("content-type")
    }

    /// Returns the content type of each content of the payload, or `None` where a content has none.
    fn content_types(&self) -> Vec<Option<&str>> {
        vec![self.content_type()]
    }

    /// Returns the value that the item's own definition restricts, and the definition's member with the schema.
    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        None
    }
}

/// The fields that a hook may change; `None` for every field.
pub type Writable<'w> = Option<&'w [Box<str>]>;

/// Keeps the old value of a field that a change may not touch.
fn guard<T: Clone + PartialEq>(
    name: &'static str,
    old: &T,
    new: &mut T,
    writable: Writable<'_>,
    kept: &mut Vec<&'static str>,
) {
    let may = writable.is_none_or(|fields| fields.iter().any(|field| **field == *name));
    if !may && old != new {
        *new = old.clone();
        kept.push(name);
    }
}
