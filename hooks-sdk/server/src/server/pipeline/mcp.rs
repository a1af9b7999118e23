//! Every request that a client may send, with the item that it names, and its answer.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::borrow::Cow;

// The table of methods names types of `model`.
use rmcp::{ErrorData, model::*};

use serde_json::Value;

use super::author::unanswered;
use crate::server::methods::{Content, List, Points, optional, table};

macro_rules! enums {
    (
        requests { $($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident
            $wire:tt [names $names:ident, holds $content:expr, in $generations:ident
                $(, points $points:ident)? $(, exempt $exempt:literal)?];)* }
        listen $listen:tt
        custom { $custom:literal: $other:ident($asked:ident: $any:ty) -> $answer:ty = $custom_function:ident; }
        $($rest:tt)*
    ) => {
        /// A request, with its params as rmcp reads them.
        #[derive(Debug)]
        pub(crate) enum McpRequest {
            $($kind($($params)?),)*
            $other($any),
        }

        /// The answer to a request of the same name.
        #[derive(Debug)]
        pub(crate) enum McpResponse {
            $($kind($result),)*
            $other($answer),
        }

        impl McpRequest {
            /// Returns the method of the request, or words for a method that MCP does not define.
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(McpRequest::$kind(..) => $method,)*
                    McpRequest::$other(_) => $custom,
                }
            }

            /// Returns the item that the request names.
            pub(crate) fn named(&self) -> NamedItem<'_> {
                match self {
                    $(McpRequest::$kind($($request)?) => named!($names $($request)?),)*
                    McpRequest::$other(_) => NamedItem::Nothing,
                }
            }

            /// Returns the URI of the resource that the request names, for a hook that gives the request another resource.
            pub(crate) fn uri(&mut self) -> Option<&mut String> {
                match self {
                    $(McpRequest::$kind($($request)?) => uri!($names $($request)?),)*
                    McpRequest::$other(_) => None,
                }
            }

            /// Returns the content of the answer. `None` if MCP does not define the method.
            pub(crate) fn content(&self) -> Option<Content> {
                match self {
                    $(McpRequest::$kind(..) => Some($content),)*
                    McpRequest::$other(_) => None,
                }
            }

            /// Returns the points of policy to which the request belongs.
            pub(crate) fn points(&self) -> Option<Points> {
                match self {
                    $(McpRequest::$kind(..) => optional!($(Points::$points)?),)*
                    McpRequest::$other(_) => None,
                }
            }
        }
    };
}

/// Reads the member of the params that names an item.
macro_rules! named {
    (Nothing $($request:ident)?) => {{
        $(_ = $request;)?
        NamedItem::Nothing
    }};
    (Tool $request:ident) => {
        NamedItem::Tool(&$request.name)
    };
    (Prompt $request:ident) => {
        NamedItem::Prompt(&$request.name)
    };
    (Resource $request:ident) => {
        NamedItem::Resource(&$request.uri)
    };
    (Reference $request:ident) => {
        match &$request.r#ref {
            Reference::Prompt(prompt) => NamedItem::Prompt(&prompt.name),
            Reference::Resource(resource) => NamedItem::ResourceTemplate(&resource.uri),
            // rmcp may add a kind.
            _ => NamedItem::Unknown,
        }
    };
    (Task $request:ident) => {
        NamedItem::Task(&$request.task_id)
    };
}

/// Borrows the member of the params that names a resource.
macro_rules! uri {
    (Resource $request:ident) => {
        Some(&mut $request.uri)
    };
    (Reference $request:ident) => {
        match &mut $request.r#ref {
            Reference::Resource(resource) => Some(&mut resource.uri),
            _ => None,
        }
    };
    ($other:ident $($request:ident)?) => {{
        $(_ = $request;)?
        None
    }};
}
table!(enums);

/// The answer to a request: of the author's server, or of a middleware in its place.
pub(crate) type McpAnswer = Result<McpResponse, ErrorData>;

/// The item that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedItem<'n> {
    Nothing,
    Tool(&'n str),
    Prompt(&'n str),
    Resource(&'n str),
    /// The template or the URI of a resource, in a request for a completion.
    ResourceTemplate(&'n str),
    Task(&'n str),
    /// An item of a kind that this version of the SDK does not know.
    Unknown,
}

impl McpRequest {
    /// Returns the points of the item whose contents the answer has, if middleware judge such contents.
    pub(super) fn judged(&self) -> Option<Points> {
        match self.content()? {
            Content::Tool => Some(Points::Tool),
            Content::Prompt => Some(Points::Prompt),
            Content::Resource => Some(Points::Resource),
            Content::Completion => Some(Points::Completion),
            _ => None,
        }
    }

    /// Returns the method of the request.
    pub(crate) fn method(&self) -> Cow<'static, str> {
        match self {
            McpRequest::Custom(request) => Cow::Owned(request.method.clone()),
            other => Cow::Borrowed(other.name()),
        }
    }
}

/// Returns whether the author's server does not have the method. rmcp answers so in its place.
pub(crate) fn is_missing(answer: &McpAnswer) -> bool {
    matches!(answer, Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
}

/// Returns and logs the error for an answer that belongs to another kind of request.
pub(crate) fn misplaced(method: &str) -> ErrorData {
    error!(
        method,
        "a middleware answered with the result of another method"
    );
    unanswered(method)
}

/// Returns an answer with these values, cut to the number that MCP allows.
pub(crate) fn completed(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut completion = CompletionInfo::default();
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(total > values.len());
    completion.values = values;
    CompleteResult::new(completion)
}

/// Moves structured content that is no object, which revisions before 2026-07-28 do not allow, into a text, unless the first text
/// is the same JSON. rmcp has a function for it since 3.11.
pub(crate) fn without_other_output(mut result: CallToolResult) -> CallToolResult {
    if let Some(output) = result
        .structured_content
        .take_if(|output| !output.is_object())
    {
        let first = result.content.first().and_then(ContentBlock::as_text);
        let read = first.and_then(|text| serde_json::from_str::<Value>(&text.text).ok());
        if read.as_ref() != Some(&output) {
            let text = ContentBlock::text(output.to_string());
            result.content.insert(0, text);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn output_that_is_no_object_becomes_the_first_text_once() {
        let moved = |texts: &[&str], output: Value| {
            let blocks = texts.iter().map(|text| ContentBlock::text(*text)).collect();
            let mut result = CallToolResult::success(blocks);
            result.structured_content = Some(output);
            let moved = without_other_output(result);
            let texts = moved.content.iter().filter_map(ContentBlock::as_text);
            let texts: Vec<String> = texts.map(|text| text.text.clone()).collect();
            (texts, moved.structured_content.is_some())
        };
        let list = json!(["a", "b"]);
        let text = |text: &str| text.to_owned();
        let once = vec![text(r#"["a","b"]"#)];
        assert_eq!(moved(&[], list.clone()), (once, false));
        let spaced = r#"["a", "b"]"#;
        assert_eq!(moved(&[spaced], list.clone()), (vec![text(spaced)], false));
        let before = vec![text(r#"["a","b"]"#), text("two names")];
        assert_eq!(moved(&["two names"], list), (before, false));
        let object = moved(&["x"], json!({"a": 1}));
        assert_eq!(object, (vec![text("x")], true));
    }
}
