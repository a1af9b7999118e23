//! The moments at which plugin hooks run, as types named after their words in attributes.

use super::{
    Outcome, Payload,
    payload::{
        ForwardedRequest, ForwardedResponse, HttpHeaders, HttpRequest, HttpResponse, PromptFetch,
        PromptResult, ResourceFetch, ResourceResult, ToolCall, ToolResult,
    },
};
use hooks_core::Point;

/// The name of this protocol in the registry.
pub(super) const PROTOCOL: &str = "plugin";

/// A point of this protocol: one moment, as a type.
///
/// Only the unit types of [`point`](self) implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a point",
    note = "the points are `tool_pre_invoke`, `tool_post_invoke`, and the others of `plugin::point`"
)]
pub trait PluginPoint:
    Point<In = Self::Payload, Out = Answered<Self::Change>> + sealed::Sealed
{
    /// The payload of the point.
    type Payload: Payload<Change = Self::Change>;
    /// What a hook returns to change the payload. The points of HTTP take headers; every other point takes its payload.
    type Change: Send + 'static;
    /// The point as a value.
    const AT: PluginAt;
}

/// A hook's answer: `None` if the hook lets the request go on unchanged, without metadata.
pub type Answered<T> = Option<Box<Outcome<T>>>;

mod sealed {
    pub trait Sealed {}
}

macro_rules! points {
    ($($(#[$doc:meta])+ $word:ident = $at:ident: $in:ty => $change:ty;)+) => {
        /// A point as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum PluginAt {
            $($(#[$doc])+ $at,)+
        }

        impl PluginAt {
            /// Every point.
            pub const ALL: &'static [PluginAt] = &[$(PluginAt::$at,)+];

            /// Returns the point's word, in an attribute and in a configuration file.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(PluginAt::$at => stringify!($word),)+
                }
            }
        }

        $(
            $(#[$doc])+
            #[expect(non_camel_case_types, reason = "a point is named after its word in an attribute")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

            impl Point for $word {
                type In = $in;
                type Out = Answered<$change>;
                const PROTOCOL: &'static str = PROTOCOL;
                const METHOD: &'static str = stringify!($word);
            }

            impl PluginPoint for $word {
                type Payload = $in;
                type Change = $change;
                const AT: PluginAt = PluginAt::$at;
            }

            impl sealed::Sealed for $word {}
        )+
    };
}

points! {
    /// Before a tool runs.
    tool_pre_invoke = ToolPreInvoke: ToolCall => ToolCall;
    /// After a tool ran, with its answer.
    tool_post_invoke = ToolPostInvoke: ToolResult => ToolResult;
    /// Before a prompt is fetched.
    prompt_pre_fetch = PromptPreFetch: PromptFetch => PromptFetch;
    /// After a prompt was fetched, with its messages.
    prompt_post_fetch = PromptPostFetch: PromptResult => PromptResult;
    /// Before a resource is read.
    resource_pre_fetch = ResourcePreFetch: ResourceFetch => ResourceFetch;
    /// After a resource was read, with its contents.
    resource_post_fetch = ResourcePostFetch: ResourceResult => ResourceResult;
    /// When an HTTP request arrives.
    http_pre_request = HttpPreRequest: HttpRequest => HttpHeaders;
    /// Before an HTTP response is sent.
    http_post_request = HttpPostRequest: HttpResponse => HttpHeaders;
    /// After `http_pre_request`, with the request's headers only.
    http_pre_forwarding_call = HttpPreForwardingCall: ForwardedRequest => HttpHeaders;
    /// Before `http_post_request`, with the response's headers only.
    http_post_forwarding_call = HttpPostForwardingCall: ForwardedResponse => HttpHeaders;
}

/// What a point is about: the kind of item that a hook's filter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Tools.
    Tool,
    /// Prompts.
    Prompt,
    /// Resources.
    Resource,
    /// HTTP requests and responses.
    Http,
}

impl Family {
    /// Returns the key of an attribute that names items of this family.
    pub const fn as_str(self) -> &'static str {
        match self {
            Family::Tool => "tool",
            Family::Prompt => "prompt",
            Family::Resource => "resource",
            Family::Http => "http",
        }
    }
}

impl PluginAt {
    /// The number of points.
    pub(crate) const COUNT: usize = PluginAt::ALL.len();

    /// Returns the point with this word.
    pub fn named(word: &str) -> Option<PluginAt> {
        PluginAt::ALL.iter().copied().find(|at| at.as_str() == word)
    }

    /// Returns what the point is about.
    pub const fn family(self) -> Family {
        match self {
            PluginAt::ToolPreInvoke | PluginAt::ToolPostInvoke => Family::Tool,
            PluginAt::PromptPreFetch | PluginAt::PromptPostFetch => Family::Prompt,
            PluginAt::ResourcePreFetch | PluginAt::ResourcePostFetch => Family::Resource,
            PluginAt::HttpPreRequest
            | PluginAt::HttpPostRequest
            | PluginAt::HttpPreForwardingCall
            | PluginAt::HttpPostForwardingCall => Family::Http,
        }
    }

    /// Returns whether hooks at this point see an answer.
    pub const fn is_post(self) -> bool {
        matches!(
            self,
            PluginAt::ToolPostInvoke
                | PluginAt::PromptPostFetch
                | PluginAt::ResourcePostFetch
                | PluginAt::HttpPostRequest
                | PluginAt::HttpPostForwardingCall
        )
    }

    /// Returns the fields of the payload at this point, in the document's words.
    pub const fn fields(self) -> &'static [&'static str] {
        match self {
            PluginAt::ToolPreInvoke => &["name", "args", "headers", "input_responses"],
            PluginAt::ToolPostInvoke => &["name", "result"],
            PluginAt::PromptPreFetch => &["prompt_id", "args", "input_responses"],
            PluginAt::PromptPostFetch => &["prompt_id", "result"],
            PluginAt::ResourcePreFetch => &["uri", "metadata", "input_responses"],
            PluginAt::ResourcePostFetch => &["uri", "content", "metadata"],
            PluginAt::HttpPreRequest
            | PluginAt::HttpPreForwardingCall
            | PluginAt::HttpPostForwardingCall => &["headers"],
            PluginAt::HttpPostRequest => &["response_headers"],
        }
    }
}
