//! The methods that MCP itself defines, for telling a wrong shape from an unknown method.

use rmcp::{ErrorData, model::CustomRequest};

/// What a standard request's `params` must look like.
///
/// rmcp reads a standard method of the wrong shape as a custom request of that name.
const SHAPES: &[(&str, &str)] = &[
    (
        "completion/complete",
        "{ref: object, argument: {name: string, value: string}}",
    ),
    (
        "initialize",
        "{protocolVersion: string, capabilities: object, clientInfo: {name, version}}",
    ),
    ("logging/setLevel", "{level: string}"),
    ("ping", "absent or an object"),
    ("prompts/get", "{name: string, arguments?: object}"),
    ("prompts/list", "{cursor?: string}"),
    ("resources/directory/read", "{uri: string, cursor?: string}"),
    ("resources/list", "{cursor?: string}"),
    ("resources/read", "{uri: string}"),
    ("resources/subscribe", "{uri: string}"),
    ("resources/templates/list", "{cursor?: string}"),
    ("resources/unsubscribe", "{uri: string}"),
    ("server/discover", "{_meta: object}"),
    ("skills/get", "{uri: string}"),
    ("skills/list", "{cursor?: string}"),
    ("subscriptions/listen", "{notifications: object}"),
    ("tasks/cancel", "{taskId: string}"),
    ("tasks/get", "{taskId: string}"),
    ("tasks/update", "{taskId: string, inputResponses: object}"),
    ("tools/call", "{name: string, arguments?: object}"),
    ("tools/list", "{cursor?: string}"),
];

/// The error for a custom request that is a standard one of the wrong shape.
pub(in crate::server) fn wrong_shape(request: &CustomRequest) -> Option<ErrorData> {
    let method = request.method.as_str();
    if method.starts_with("notifications/") {
        return Some(ErrorData::invalid_request(
            format!("`{method}` is a notification and is sent without an `id`"),
            None,
        ));
    }
    let (_, shape) = SHAPES.iter().find(|(name, _)| *name == method)?;
    Some(ErrorData::invalid_params(
        format!("the params of `{method}` have the wrong shape; expected: {shape}"),
        None,
    ))
}
