//! The hooks capability of both sides: what the client supports, and where the server's answer declares hooks.

use std::cmp::Reverse;

use rmcp::{
    RoleServer,
    model::{ClientCapabilities, JsonObject, ServerCapabilities},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::server::transport::{
    lift::{LIFT, marked},
    normalise::{CLIENT_CAPABILITIES, HOOKS},
};
use hooks_core::lifecycle::{
    ClientHooksCapability, Declaration, Declarations, Event, ServerHooksCapability,
};

/// The profile that the extension's settings name. It identifies the text of the proposal that the declarations follow.
const PROFILE: &str = "sep-2282/2026-02-21";

/// The places in which the client declared hooks, each with its events.
#[derive(Debug, Default)]
pub(in crate::server) struct DeclaredPlaces {
    top: Option<ClientHooksCapability>,
    experimental: Option<ClientHooksCapability>,
    extension: Option<ClientHooksCapability>,
}

impl DeclaredPlaces {
    /// Returns whether the client declared hooks in any place.
    pub(in crate::server) fn is_anywhere(&self) -> bool {
        self.top.is_some() || self.experimental.is_some() || self.extension.is_some()
    }

    /// Returns whether the client reads declarations for this event, by any of the places.
    pub(in crate::server) fn supports(&self, event: Event) -> bool {
        let places = [&self.top, &self.experimental, &self.extension];
        places
            .into_iter()
            .flatten()
            .any(|client| client.supports(event))
    }

    /// Reads the client's capabilities in `initialize`.
    pub(in crate::server) fn of_capabilities(
        client: &ClientCapabilities,
        extension: Option<&str>,
    ) -> DeclaredPlaces {
        let experimental = |name| {
            client
                .experimental
                .as_ref()?
                .get(name)
                .map(ClientHooksCapability::read_object)
        };
        DeclaredPlaces {
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

    /// Reads the client's capabilities for a request: from its own `_meta` on 2026-07-28, from the handshake before
    /// that revision.
    pub(in crate::server) fn of_request(
        context: &RequestContext<RoleServer>,
        extension: Option<&str>,
    ) -> DeclaredPlaces {
        match context.meta.get(CLIENT_CAPABILITIES) {
            Some(raw) => DeclaredPlaces {
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
                .map_or_else(DeclaredPlaces::default, |client| {
                    DeclaredPlaces::of_capabilities(&client.capabilities, extension)
                }),
        }
    }
}

/// The places in which the server declares hooks.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Places {
    /// Whether to declare in `experimental.hooks` to clients that declared hooks nowhere.
    pub(in crate::server) unasked: bool,
    /// The extension id, `<vendor>/hooks`.
    pub(in crate::server) extension: Option<Box<str>>,
}

impl Places {
    /// Writes the declarations to the places in which the client declared hooks (SEP-2282, Capability negotiation).
    ///
    /// `lift` is true if the answer goes through the wire shim. Only the wire shim can write the top level.
    pub(in crate::server) fn declare(
        &self,
        declarations: &Declarations,
        guidance: &[Declaration],
        asked: &DeclaredPlaces,
        lift: bool,
        server: &mut ServerCapabilities,
    ) {
        let experimental = match asked.experimental.as_ref().or(asked.top.as_ref()) {
            Some(client) => Some(object(&supported(declarations, guidance, client))),
            None if self.unasked && !asked.is_anywhere() => {
                Some(object(&all(declarations, guidance)))
            }
            None => None,
        };
        if let Some(hooks) = experimental {
            server
                .experimental
                .get_or_insert_default()
                .insert("hooks".to_owned(), hooks);
        }
        if let (Some(client), true) = (&asked.top, lift) {
            let hooks = Value::Object(object(&supported(declarations, guidance, client)));
            let lifted = JsonObject::from_iter([("hooks".to_owned(), hooks)]);
            server
                .experimental
                .get_or_insert_default()
                .insert(LIFT.to_owned(), marked(lifted));
        }
        if let (Some(client), Some(id)) = (&asked.extension, &self.extension) {
            let mut settings = object(&supported(declarations, guidance, client));
            settings.insert("version".to_owned(), json!("0.1"));
            settings.insert("profile".to_owned(), json!(PROFILE));
            server
                .extensions
                .get_or_insert_default()
                .insert(id.to_string(), settings);
        }
    }
}

/// Returns the declarations for the events that the client supports, the strongest first.
fn supported(
    declarations: &Declarations,
    guidance: &[Declaration],
    client: &ClientHooksCapability,
) -> ServerHooksCapability {
    let known = |declaration: &&Declaration| {
        let event = declaration.event.known();
        event.is_some_and(|event| client.supports(*event))
    };
    with(
        declarations.supported_by(client),
        guidance.iter().filter(known),
    )
}

fn all(declarations: &Declarations, guidance: &[Declaration]) -> ServerHooksCapability {
    with(declarations.all(), guidance.iter())
}

fn with<'d>(
    mut server: ServerHooksCapability,
    guidance: impl Iterator<Item = &'d Declaration>,
) -> ServerHooksCapability {
    server.declarations.extend(guidance.cloned());
    let strength = |declaration: &Declaration| Reverse(declaration.priority.known().copied());
    server.declarations.sort_by_key(strength);
    server
}

fn object(capability: &ServerHooksCapability) -> JsonObject {
    match serde_json::to_value(capability) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
