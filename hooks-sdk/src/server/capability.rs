//! The hooks capability of both sides: what the client asked for, and where the answer goes.

use rmcp::{
    RoleServer,
    model::{ClientCapabilities, JsonObject, ServerCapabilities},
    service::RequestContext,
};
use serde_json::{Value, json};

use super::normalise::{CLIENT_CAPABILITIES, HOOKS, LIFT};
use crate::lifecycle::{ClientHooksCapability, Declarations, ServerHooksCapability};

/// The profile named in the extension's settings: which text of the proposal the declarations follow.
const PROFILE: &str = "sep-2282/2026-02-21";

/// Where the client declared hooks, and for which events.
#[derive(Debug, Default)]
pub(super) struct Asked {
    top: Option<ClientHooksCapability>,
    experimental: Option<ClientHooksCapability>,
    extension: Option<ClientHooksCapability>,
}

impl Asked {
    /// Whether the client declared hooks anywhere.
    pub(super) fn is_anywhere(&self) -> bool {
        self.top.is_some() || self.experimental.is_some() || self.extension.is_some()
    }

    /// What `initialize` asks.
    pub(super) fn of_capabilities(client: &ClientCapabilities, extension: Option<&str>) -> Asked {
        let experimental = |name| {
            client
                .experimental
                .as_ref()?
                .get(name)
                .map(ClientHooksCapability::read_object)
        };
        Asked {
            top: experimental(HOOKS),
            experimental: experimental("hooks"),
            extension: extension.and_then(|id| {
                client
                    .extensions
                    .as_ref()?
                    .get(id)
                    .map(ClientHooksCapability::read_object)
            }),
        }
    }

    /// What a request asks: by its own `_meta` on 2026-07-28, by the handshake before.
    pub(super) fn of_request(
        context: &RequestContext<RoleServer>,
        extension: Option<&str>,
    ) -> Asked {
        match context.meta.get(CLIENT_CAPABILITIES) {
            Some(raw) => Asked {
                top: raw.get("hooks").and_then(ClientHooksCapability::read),
                experimental: raw
                    .get("experimental")
                    .and_then(|map| ClientHooksCapability::read(map.get("hooks")?)),
                extension: extension.and_then(|id| {
                    raw.get("extensions")
                        .and_then(|map| ClientHooksCapability::read(map.get(id)?))
                }),
            },
            None => context
                .peer
                .peer_info()
                .map_or_else(Asked::default, |client| {
                    Asked::of_capabilities(&client.capabilities, extension)
                }),
        }
    }
}

/// Where and whether declarations are made.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Declare in `experimental.hooks` to clients that declared hooks nowhere.
    pub(super) unasked: bool,
    /// The extension id, `<vendor>/hooks`.
    pub(super) extension: Option<Box<str>>,
}

impl Places {
    /// Puts the declarations where they were asked for (SEP-2282, Capability negotiation).
    ///
    /// `lift` says whether the answer goes through the wire shim, which alone can write the top level.
    pub(super) fn declare(
        &self,
        declarations: &Declarations,
        asked: &Asked,
        lift: bool,
        server: &mut ServerCapabilities,
    ) {
        let experimental = match asked.experimental.as_ref().or(asked.top.as_ref()) {
            Some(client) => Some(object(&declarations.supported_by(client))),
            None if self.unasked && !asked.is_anywhere() => Some(object(&declarations.all())),
            None => None,
        };
        if let Some(hooks) = experimental {
            server
                .experimental
                .get_or_insert_default()
                .insert("hooks".to_owned(), hooks);
        }
        if let (Some(client), true) = (&asked.top, lift) {
            let hooks = Value::Object(object(&declarations.supported_by(client)));
            let lifted = JsonObject::from_iter([("hooks".to_owned(), hooks)]);
            server
                .experimental
                .get_or_insert_default()
                .insert(LIFT.to_owned(), lifted);
        }
        if let (Some(client), Some(id)) = (&asked.extension, &self.extension) {
            let mut settings = object(&declarations.supported_by(client));
            settings.insert("version".to_owned(), json!("0.1"));
            settings.insert("profile".to_owned(), json!(PROFILE));
            server
                .extensions
                .get_or_insert_default()
                .insert(id.to_string(), settings);
        }
    }
}

fn object(capability: &ServerHooksCapability) -> JsonObject {
    match serde_json::to_value(capability) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
