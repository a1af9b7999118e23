//! Every request that a client may send, with the item that it names, and its answer.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::borrow::Cow;

// The table of methods names types of `model`.
use rmcp::{ErrorData, model::*};

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
        pub(in crate::server) enum McpRequest {
            $($kind($($params)?),)*
            $other($any),
        }

        /// The answer to a request of the same name.
        #[derive(Debug)]
        pub(in crate::server) enum McpResponse {
            $($kind($result),)*
            $other($answer),
        }

        impl McpRequest {
            /// Returns the method of the request, or words for a method that MCP does not define.
            pub(in crate::server) fn name(&self) -> &'static str {
                match self {
                    $(McpRequest::$kind(..) => $method,)*
                    McpRequest::$other(_) => $custom,
                }
            }

            /// Returns the item that the request names.
            pub(in crate::server) fn named(&self) -> NamedItem<'_> {
                match self {
                    $(McpRequest::$kind($($request)?) => named!($names $($request)?),)*
                    McpRequest::$other(_) => NamedItem::Nothing,
                }
            }

            /// Returns the URI of the resource that the request names, for a hook that gives the request another resource.
            pub(in crate::server) fn uri(&mut self) -> Option<&mut String> {
                match self {
                    $(McpRequest::$kind($($request)?) => uri!($names $($request)?),)*
                    McpRequest::$other(_) => None,
                }
            }

            /// Returns the content of the answer. `None` if MCP does not define the method.
            pub(in crate::server) fn content(&self) -> Option<Content> {
                match self {
                    $(McpRequest::$kind(..) => Some($content),)*
                    McpRequest::$other(_) => None,
                }
            }

            /// Returns the points of policy to which the request belongs.
            pub(in crate::server) fn points(&self) -> Option<Points> {
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

/// The items whose contents middleware judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Tool,
    Prompt,
    Resource,
    Completion,
}

impl Family {
    pub(super) fn of(asked: &McpRequest) -> Option<Family> {
        match asked.content()? {
            Content::Tool => Some(Family::Tool),
            Content::Prompt => Some(Family::Prompt),
            Content::Resource => Some(Family::Resource),
            Content::Completion => Some(Family::Completion),
            _ => None,
        }
    }

    #[cfg(feature = "metrics")]
    pub(super) fn method(self) -> &'static str {
        match self {
            Family::Tool => "tools/call",
            Family::Prompt => "prompts/get",
            Family::Resource => "resources/read",
            Family::Completion => "completion/complete",
        }
    }
}

/// The item that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum NamedItem<'n> {
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
    /// Returns the method of the request.
    pub(in crate::server) fn method(&self) -> Cow<'static, str> {
        match self {
            McpRequest::Custom(request) => Cow::Owned(request.method.clone()),
            other => Cow::Borrowed(other.name()),
        }
    }
}

/// Returns whether the author's server does not have the method. rmcp answers so in its place.
pub(in crate::server) fn is_missing(answer: &Result<McpResponse, ErrorData>) -> bool {
    matches!(answer, Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
}

/// Returns and logs the error for an answer that belongs to another kind of request.
pub(in crate::server) fn misplaced(method: &str) -> ErrorData {
    tracing::error!(
        target: "hooks_sdk::server",
        method,
        "a middleware answered with the result of another method"
    );
    unanswered(method)
}

/// Returns an answer with these values, cut to the number that MCP allows.
pub(in crate::server) fn completed(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut completion = CompletionInfo::default();
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(total > values.len());
    completion.values = values;
    CompleteResult::new(completion)
}
