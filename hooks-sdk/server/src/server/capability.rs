//! The hooks capability of both sides: what the client supports, and where the server's answer declares hooks.

use std::cmp::Reverse;

use rmcp::model::{ClientCapabilities, JsonObject, ServerCapabilities};
use serde_json::{Value, json};

use super::McpContext;
use crate::server::transport::{
    marks::{LIFT, marked},
    read::{CLIENT_CAPABILITIES, HOOKS},
};
use hooks_core::lifecycle::{ClientHooksCapability, Declaration, Declarations, Event};

/// The profile that the extension's settings name. It identifies the text of the proposal that the declarations follow.
const PROFILE: &str = "sep-2282/2026-02-21";

/// The places in which the client declared hooks, each with its events.
#[derive(Debug, Default)]
pub(crate) struct DeclaredPlaces {
    top: Option<ClientHooksCapability>,
    experimental: Option<ClientHooksCapability>,
    extension: Option<ClientHooksCapability>,
}

impl DeclaredPlaces {
    /// Returns whether the client declared hooks in any place.
    pub(crate) fn is_anywhere(&self) -> bool {
        self.top.is_some() || self.experimental.is_some() || self.extension.is_some()
    }

    /// Returns whether the client reads declarations for this event, by any of the places.
    pub(crate) fn supports(&self, event: Event) -> bool {
        let places = [&self.top, &self.experimental, &self.extension];
        let mut asked = places.into_iter().flatten();
        asked.any(|client| client.supports(event))
    }

    /// Reads the client's capabilities in `initialize`.
    pub(crate) fn of_capabilities(
        client: &ClientCapabilities,
        extension: Option<&str>,
    ) -> DeclaredPlaces {
        let read = ClientHooksCapability::read_object;
        let experimental = |name| client.experimental.as_ref()?.get(name).map(read);
        DeclaredPlaces {
            top: experimental(HOOKS),
            experimental: experimental("hooks"),
            extension: extension.and_then(|id| client.extensions.as_ref()?.get(id).map(read)),
        }
    }

    /// Reads the client's capabilities for a request: from its own `_meta` on 2026-07-28, from the handshake before
    /// that revision.
    pub(crate) fn of_request(context: &McpContext, extension: Option<&str>) -> DeclaredPlaces {
        let read = ClientHooksCapability::read;
        if let Some(own) = context.meta.get(CLIENT_CAPABILITIES) {
            return DeclaredPlaces {
                top: own.get("hooks").and_then(read),
                experimental: (own.get("experimental")).and_then(|map| read(map.get("hooks")?)),
                extension: extension.and_then(|id| read(own.get("extensions")?.get(id)?)),
            };
        }
        let client = context.peer.peer_info();
        client.map_or_else(DeclaredPlaces::default, |client| {
            DeclaredPlaces::of_capabilities(&client.capabilities, extension)
        })
    }
}

/// The places in which the server declares hooks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Whether to declare in `experimental.hooks` to clients that declared hooks nowhere.
    pub(crate) unasked: bool,
    /// The extension id, `<vendor>/hooks`.
    pub(crate) extension: Option<Box<str>>,
}

impl Places {
    /// Writes the declarations to the places in which the client declared hooks (SEP-2282, Capability negotiation).
    ///
    /// `lift` is true if the answer goes through the wire shim. Only the wire shim can write the top level.
    pub(crate) fn declare(
        &self,
        declarations: &Declarations,
        guidance: &[Declaration],
        asked: &DeclaredPlaces,
        lift: bool,
        server: &mut ServerCapabilities,
    ) {
        let declared = |client| object(declarations, guidance, client);
        let experimental = match asked.experimental.as_ref().or(asked.top.as_ref()) {
            Some(client) => Some(declared(Some(client))),
            None if self.unasked && !asked.is_anywhere() => Some(declared(None)),
            None => None,
        };
        if let Some(hooks) = experimental {
            let places = server.experimental.get_or_insert_default();
            places.insert("hooks".to_owned(), hooks);
        }
        if let (Some(client), true) = (&asked.top, lift) {
            let hooks = Value::Object(declared(Some(client)));
            let lifted = JsonObject::from_iter([("hooks".to_owned(), hooks)]);
            let places = server.experimental.get_or_insert_default();
            places.insert(LIFT.to_owned(), marked(lifted));
        }
        if let (Some(client), Some(id)) = (&asked.extension, &self.extension) {
            let mut settings = declared(Some(client));
            settings.insert("version".to_owned(), json!("0.1"));
            settings.insert("profile".to_owned(), json!(PROFILE));
            let places = server.extensions.get_or_insert_default();
            places.insert(id.to_string(), settings);
        }
    }
}

/// Returns the declarations for the events that the client supports, the strongest first. Without a client, returns all.
fn object(
    declarations: &Declarations,
    guidance: &[Declaration],
    client: Option<&ClientHooksCapability>,
) -> JsonObject {
    let mut server = match client {
        Some(client) => declarations.supported_by(client),
        None => declarations.all(),
    };
    let is_supported = |declaration: &&Declaration| {
        let event = declaration.event.known();
        client.is_none_or(|client| event.is_some_and(|event| client.supports(*event)))
    };
    let guidance = guidance.iter().filter(is_supported).cloned();
    server.declarations.extend(guidance);
    let strength = |declaration: &Declaration| Reverse(declaration.strength.known().copied());
    server.declarations.sort_by_key(strength);
    match serde_json::to_value(server) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
