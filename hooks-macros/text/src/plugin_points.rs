//! The points of plugin hooks and the kinds of items: one row says everything about each.

use crate::Vocabulary;

/// Passes the rows to a macro: those of the runtime, of the attributes and of the vocabularies are made from them.
///
/// A row is: word and variant, payload and what a hook returns to change it; the kind of items and the side of the server;
/// the fields that a hook may change, with the message about any other; the roots that a condition reads besides `user`,
/// `claims`, `tenant` and `server`.
#[doc(hidden)]
#[macro_export]
macro_rules! plugin_points {
    ($with:ident) => {
        $with! {
            /// Before a tool runs.
            tool_pre_invoke = ToolPreInvoke(ToolCall => ToolCall) {
                of Tool pre,
                fields [name args headers input_responses]
                    else "the payload has no such field\nhelp: use `name`, `args` or `headers`",
                roots [args input_responses content_type],
            }
            /// After a tool ran, with its answer.
            tool_post_invoke = ToolPostInvoke(ToolResult => ToolResult) {
                of Tool post,
                fields [name result] else "the payload has no such field\nhelp: use `name` or `result`",
                roots [result],
            }
            /// Before a prompt is fetched.
            prompt_pre_fetch = PromptPreFetch(PromptFetch => PromptFetch) {
                of Prompt pre,
                fields [prompt_id args input_responses]
                    else "the payload has no such field\nhelp: use `prompt_id` or `args`",
                roots [args input_responses],
            }
            /// After a prompt was fetched, with its messages.
            prompt_post_fetch = PromptPostFetch(PromptResult => PromptResult) {
                of Prompt post,
                fields [prompt_id result] else "the payload has no such field\nhelp: use `prompt_id` or `result`",
                roots [result],
            }
            /// Before a resource is read.
            resource_pre_fetch = ResourcePreFetch(ResourceFetch => ResourceFetch) {
                of Resource pre,
                fields [uri metadata input_responses]
                    else "the payload has no such field\nhelp: use `uri` or `metadata`",
                roots [metadata input_responses],
            }
            /// After a resource was read, with its contents.
            resource_post_fetch = ResourcePostFetch(ResourceResult => ResourceResult) {
                of Resource post,
                fields [uri content metadata]
                    else "the payload has no such field\nhelp: use `uri`, `content` or `metadata`",
                roots [content metadata content_type],
            }
            /// Before values for an argument are looked up (`completion/complete`). The document has no such point.
            completion_pre_fetch = CompletionPreFetch(CompletionFetch => CompletionFetch) {
                of Completion pre,
                fields [value args]
                    else "a hook may change only the value and the other arguments here\nhelp: use `value` or `args`",
                roots [argument value args],
            }
            /// After values for an argument were looked up. The document has no such point.
            completion_post_fetch = CompletionPostFetch(CompletionResult => CompletionResult) {
                of Completion post,
                fields [result] else "a hook may change only the values here\nhelp: use `result`",
                roots [argument result],
            }
            /// When an HTTP request arrives.
            http_pre_request = HttpPreRequest(HttpRequest => HttpHeaders) {
                of Http pre,
                fields [headers] else "a hook may change only the headers here\nhelp: use `headers`",
                roots [content_type],
            }
            /// Before an HTTP response is sent.
            http_post_request = HttpPostRequest(HttpResponse => HttpHeaders) {
                of Http post,
                fields [response_headers] else "a hook may change only the headers here\nhelp: use `response_headers`",
                roots [content_type],
            }
            /// After `http_pre_request`, with the request's headers only.
            http_pre_forwarding_call = HttpPreForwardingCall(ForwardedRequest => HttpHeaders) {
                of Http pre,
                fields [headers] else "a hook may change only the headers here\nhelp: use `headers`",
                roots [content_type],
            }
            /// Before `http_post_request`, with the response's headers only.
            http_post_forwarding_call = HttpPostForwardingCall(ForwardedResponse => HttpHeaders) {
                of Http post,
                fields [headers] else "a hook may change only the headers here\nhelp: use `headers`",
                roots [content_type],
            }
            /// Before an agent client runs one of its tools: a gate. The document has no such point.
            agent_tool_pre_invoke = AgentToolPreInvoke(AgentToolCall => AgentToolCall) {
                of AgentTool pre,
                fields [args] else "a gate may change only the arguments\nhelp: use `args`",
                roots [args client commands paths urls mcp_server mcp_tool session subagent folder],
            }
            /// After an agent client ran one of its tools, for records. The document has no such point.
            agent_tool_post_invoke = AgentToolPostInvoke(AgentToolResult => AgentToolResult) {
                of AgentTool post,
                fields [result] else "nothing is changed at this point\nhelp: remove `writable`",
                roots [args client commands paths urls mcp_server mcp_tool session subagent folder result],
            }
        }
    };
}

/// Passes the kinds of items, the families of points, to a macro: all that depends on the kind is made from them.
///
/// A row of `named` is: variant, key of an attribute, key of a configuration file; then the sentence of its documentation, the
/// points that a message about a misplaced key names, and the member of a condition in a configuration file. A row of
/// `nameless` is a family whose items have no name: variant, word, its documentation, and what such a point sees. A row of
/// `lent` is a family that uses the key of another one: variant, that family and its key, its documentation, and what it is
/// about.
#[doc(hidden)]
#[macro_export]
macro_rules! plugin_families {
    ($with:ident) => {
        $with! {
            named {
                Tool tool tools {
                    "Tools.",
                    "`tool_pre_invoke` or `tool_post_invoke`",
                    /// Names of tools, exactly. Restricts hooks of tools only.
                }
                Prompt prompt prompts {
                    "Prompts.",
                    "`prompt_pre_fetch` or `prompt_post_fetch`",
                    /// Names of prompts, exactly. Restricts hooks of prompts only.
                }
                Resource resource resources {
                    "Resources.",
                    "`resource_pre_fetch` or `resource_post_fetch`",
                    /// URIs of resources, exactly. Restricts hooks of resources only.
                }
                Completion completion completions {
                    "Completions of arguments of prompts and of resource templates.",
                    "`completion_pre_fetch` or `completion_post_fetch`",
                    /// Names of prompts and templates of resources, exactly. Restricts hooks of completions only.
                    #[serde(skip_serializing_if = "Vec::is_empty")]
                }
            }
            nameless {
                Http http {
                    "HTTP requests and responses.",
                    "an HTTP point sees requests and responses"
                }
            }
            lent {
                AgentTool Tool tool {
                    "Tools of agent clients.",
                    "tools of agent clients"
                }
            }
        }
    };
}

macro_rules! families {
    (
        named { $($named:ident $key:ident $keys:ident { $doc:literal, $points:literal, $($row:tt)* })+ }
        nameless { $($nameless:ident $word:ident { $about:literal, $sees:literal })* }
        lent { $($lent:ident $of:ident $lent_key:ident { $lent_doc:literal, $lent_items:literal })* }
    ) => {
        /// The keys of attributes that name items.
        pub const PLUGIN_ITEMS: &[&str] = &[$(stringify!($key)),+];

        /// Returns the message about the key `key` where a hook is about `family`, and the edit that mends it; `None` if the
        /// key names items of that family.
        pub(crate) fn misplaced(key: &str, family: &str) -> Option<(String, String)> {
            let (keys, points) = match key {
                $(stringify!($key) => (stringify!($keys), $points),)+
                _ => return None,
            };
            let (own, items) = match family {
                $(stringify!($named) => (stringify!($key), stringify!($keys)),)+
                $(stringify!($lent) => (stringify!($lent_key), $lent_items),)*
                $(stringify!($nameless) => {
                    let wrong = format!("`{key}` names {keys}, and {}", $sees);
                    return Some((wrong, format!("remove it, or use {points}")));
                })*
                _ => return None,
            };
            let wrong = format!("`{key}` names {keys}, and this is about {items}");
            (own != key).then(|| (wrong, format!("write `{own} = \"…\"`")))
        }
    };
}
plugin_families!(families);

/// What the rules about values have to know of a point.
pub(crate) struct Row {
    pub(crate) word: &'static str,
    pub(crate) family: &'static str,
    /// The fields that a hook may change, with the message about any other.
    pub(crate) fields: &'static [&'static str],
    pub(crate) wrong_field: &'static str,
    /// The roots of conditions besides those that every point has.
    pub(crate) roots: &'static [&'static str],
}

macro_rules! rows {
    ($(
        $(#[$doc:meta])+
        $word:ident = $at:ident($payload:ident => $change:ident) {
            of $family:ident $side:ident,
            fields [$($field:ident)+] else $wrong:literal,
            roots [$($root:ident)*],
        }
    )+) => {
        /// The points of plugin hooks.
        pub const PLUGIN_POINTS: Vocabulary = Vocabulary::new("point", "point", &[$(stringify!($word)),+]);

        /// The payload that a plugin hook takes at each point.
        pub const PLUGIN_INPUTS: &[(&str, &str)] = &[$((stringify!($word), stringify!($payload))),+];

        /// The type with which a plugin hook changes the payload at each point.
        pub const PLUGIN_CHANGES: &[(&str, &str)] = &[$((stringify!($word), stringify!($change))),+];

        pub(crate) const ROWS: &[Row] = &[$(Row {
            word: stringify!($word),
            family: stringify!($family),
            fields: &[$(stringify!($field)),+],
            wrong_field: $wrong,
            roots: &[$(stringify!($root)),*],
        }),+];
    };
}
plugin_points!(rows);

/// The fields of payloads that a plugin hook may change.
pub const PLUGIN_FIELDS: Vocabulary = Vocabulary::new(
    "field",
    "",
    &[
        "name",
        "args",
        "headers",
        "input_responses",
        "result",
        "prompt_id",
        "uri",
        "metadata",
        "content",
        "value",
        "response_headers",
    ],
);

/// The roots of paths in conditions that every point has.
pub(crate) const COMMON_ROOTS: [&str; 4] = ["user", "claims", "tenant", "server"];

/// The roots of paths in the conditions of plugin hooks.
pub const PLUGIN_ROOTS: Vocabulary = Vocabulary::new(
    "root",
    "",
    &[
        "args",
        "input_responses",
        "content_type",
        "result",
        "metadata",
        "content",
        "argument",
        "value",
        "client",
        "commands",
        "paths",
        "urls",
        "mcp_server",
        "mcp_tool",
        "session",
        "subagent",
        "folder",
        "user",
        "claims",
        "tenant",
        "server",
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    fn once(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
        let mut once = Vec::new();
        for word in words {
            if !once.contains(&word) {
                once.push(word);
            }
        }
        once
    }

    #[test]
    fn each_field_and_each_root_of_a_point_is_a_word_once() {
        let fields = once(ROWS.iter().flat_map(|row| row.fields.iter().copied()));
        assert_eq!(PLUGIN_FIELDS.words, fields);
        let roots = ROWS.iter().flat_map(|row| row.roots.iter().copied());
        assert_eq!(PLUGIN_ROOTS.words, once(roots.chain(COMMON_ROOTS)));
        assert_eq!(PLUGIN_INPUTS.len(), PLUGIN_POINTS.words.len());
    }
}
