//! What a request tells of the client that sent it.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use rmcp::{
    Peer, RoleServer,
    model::{ClientCapabilities, LoggingLevel},
    service::RequestContext,
};
use serde::Deserialize;

use crate::{
    guidance::{FeatureSet, McpFeature},
    lifecycle::Event,
    server::{capability::Asked, gate::Connection, handler::is_stateless},
};

/// Where a request of protocol 2026-07-28 says from which level on its client wants log messages.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The client of one request.
#[derive(Clone, Debug)]
pub(in crate::server) struct Caller {
    events: Vec<Event>,
    pub(super) features: FeatureSet,
    /// The level from which on it wants log messages; `None` when it asked for none.
    pub(super) level: Option<LoggingLevel>,
    pub(super) peer: Peer<RoleServer>,
    /// What it calls itself.
    pub(super) name: Option<Box<str>>,
}

impl Caller {
    /// The client of a request after the handshake, or of one that needs none.
    pub(in crate::server) fn of(
        context: &RequestContext<RoleServer>,
        extension: Option<&str>,
        connection: &Connection,
    ) -> Caller {
        let level = if is_stateless(context.protocol_version().as_ref()) {
            let level = context.meta.get(LOG_LEVEL);
            level.and_then(|level| LoggingLevel::deserialize(level).ok())
        } else {
            connection.log_level.get()
        };
        Caller {
            level,
            name: client_name(context).map(Into::into),
            ..Caller::new(
                &Asked::of_request(context, extension),
                context.client_capabilities().as_ref(),
                context.peer.clone(),
            )
        }
    }

    /// The client that sent `initialize`.
    pub(in crate::server) fn new(
        asked: &Asked,
        capabilities: Option<&ClientCapabilities>,
        peer: Peer<RoleServer>,
    ) -> Caller {
        let each = capabilities.map(|has| {
            [
                (has.sampling.is_some(), McpFeature::Sampling),
                (has.elicitation.is_some(), McpFeature::Elicitation),
            ]
        });
        let features = each.into_iter().flatten();
        Caller {
            events: Event::ALL
                .into_iter()
                .filter(|event| asked.supports(*event))
                .collect(),
            features: features
                .filter_map(|(has, feature)| has.then_some(feature))
                .collect(),
            level: None,
            peer,
            name: None,
        }
    }

    /// The same, by the name that it gave itself.
    pub(in crate::server) fn named(self, name: &str) -> Caller {
        Caller {
            name: Some(name.into()),
            ..self
        }
    }

    /// Whether it reads declarations for this event.
    pub(super) fn reads(&self, event: Event) -> bool {
        self.events.contains(&event)
    }
}

/// What the client calls itself: in the request, or in the handshake before it.
pub(in crate::server) fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    let own = context.meta.client_info().map(|client| client.name);
    own.or_else(|| Some(context.peer.peer_info()?.client_info.name.clone()))
}
