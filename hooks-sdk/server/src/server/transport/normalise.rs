//! Moves members that rmcp's types drop to places where rmcp keeps them.

use rmcp::{
    RoleServer,
    model::{ClientRequest, GetExtensions, JsonObject, JsonRpcMessage, RequestMetaObject},
    service::RxJsonRpcMessage,
};
use serde_json::Value;

/// The entry of `experimental` that holds a client's top-level `hooks` capability while rmcp's types hold the message.
pub(in crate::server) const HOOKS: &str = "hooks-sdk/hooks";

/// The member of `_meta` with the client's capabilities, in requests of protocol 2026-07-28.
pub(in crate::server) const CLIENT_CAPABILITIES: &str =
    "io.modelcontextprotocol/clientCapabilities";

/// The member of `_meta` with the revision of MCP, in requests of protocol 2026-07-28.
pub(in crate::server) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Returns whether rmcp's types may have dropped or refused a member of this handshake that the SDK needs.
pub(in crate::server) fn needs_second_reading(
    message: &RxJsonRpcMessage<RoleServer>,
    line: &[u8],
) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    match &request.request {
        ClientRequest::InitializeRequest(_) => memchr::memmem::find(line, b"\"hooks\"").is_some(),
        ClientRequest::CustomRequest(custom) => custom.method == "initialize",
        _ => false,
    }
}

/// Removes entries of the wrong shape from the client capabilities in a request's `_meta`. They count as not declared.
pub(in crate::server) fn drop_wrong_capabilities(message: &mut RxJsonRpcMessage<RoleServer>) {
    if let JsonRpcMessage::Request(request) = message
        && let extensions = request.request.extensions_mut()
        && let Some(meta) = extensions.get_mut::<RequestMetaObject>()
        && let Some(Value::Object(capabilities)) = meta.get_mut(CLIENT_CAPABILITIES)
    {
        drop_wrong_shapes(capabilities);
    }
}

/// Changes a request's client capabilities so that rmcp's types keep them. Returns whether anything changed.
///
/// Moves a top-level `hooks` object into `experimental`. Removes entries of `experimental` and `extensions` that are
/// not objects: they count as not declared, and must not fail the handshake.
pub(in crate::server) fn capabilities_of(message: &mut Value) -> bool {
    let Some(Value::Object(params)) = message.get_mut("params") else {
        return false;
    };
    let mut changed = false;
    if let Some(Value::Object(capabilities)) = params.get_mut("capabilities") {
        changed |= drop_wrong_shapes(capabilities);
        if let Some(hooks) = capabilities.remove("hooks") {
            changed = true;
            let experimental = capabilities
                .entry("experimental")
                .or_insert_with(|| JsonObject::new().into());
            if let (Value::Object(experimental), Value::Object(_)) = (experimental, &hooks) {
                experimental.insert(HOOKS.to_owned(), hooks);
            }
        }
    }
    if let Some(Value::Object(capabilities)) = params
        .get_mut("_meta")
        .and_then(|meta| meta.get_mut(CLIENT_CAPABILITIES))
    {
        changed |= drop_wrong_shapes(capabilities);
    }
    changed
}

fn drop_wrong_shapes(capabilities: &mut JsonObject) -> bool {
    let mut changed = false;
    for name in ["experimental", "extensions"] {
        match capabilities.get_mut(name) {
            None => {}
            Some(Value::Object(entries)) => {
                let before = entries.len();
                entries.retain(|_, entry| entry.is_object());
                changed |= entries.len() != before;
            }
            Some(_) => {
                capabilities.remove(name);
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn top_level_hooks_move_into_experimental() {
        let mut message = json!({"params": {"capabilities": {"hooks": {"supported_events": []}}}});
        assert!(capabilities_of(&mut message));
        assert_eq!(
            message,
            json!({"params": {"capabilities": {"experimental": {HOOKS: {"supported_events": []}}}}})
        );
    }

    #[test]
    fn wrong_shapes_are_dropped_and_the_rest_stays() {
        let mut message = json!({"params": {
            "capabilities": {"hooks": true, "experimental": {"hooks": [], "a": {}}, "extensions": 1, "roots": {}},
            "_meta": {CLIENT_CAPABILITIES: {"extensions": {"x/y": null, "x/z": {}}}},
        }});
        assert!(capabilities_of(&mut message));
        assert_eq!(
            message,
            json!({"params": {
                "capabilities": {"experimental": {"a": {}}, "roots": {}},
                "_meta": {CLIENT_CAPABILITIES: {"extensions": {"x/z": {}}}},
            }})
        );
        assert!(!capabilities_of(&mut message));
    }
}
