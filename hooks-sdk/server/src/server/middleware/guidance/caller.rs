//! Reads from a request what its client can do.

use std::sync::{Arc, Mutex};

use rmcp::{
    Peer, RoleServer,
    model::{ClientCapabilities, InitializeRequestParams, LoggingLevel},
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::Value;

use super::ConnectionGuidance;
use crate::server::{
    capability::DeclaredPlaces, connection::Connection, lock, request::is_stateless,
    transport::normalise::CLIENT_CAPABILITIES,
};
use hooks_core::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::Event,
};

/// The member of `_meta` in which a request of protocol 2026-07-28 sets the lowest level of log messages that its
/// client wants.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The abilities of a client that guidance depends on.
#[derive(Debug)]
pub(super) struct Client {
    events: Vec<Event>,
    features: McpFeatures,
}

/// The client of a connection. The SDK reads it once for each handshake.
#[derive(Debug, Default)]
pub(super) struct KnownClient(Mutex<Option<(Arc<InitializeRequestParams>, Arc<Client>)>>);

impl KnownClient {
    fn of(
        &self,
        said: &Arc<InitializeRequestParams>,
        read: impl FnOnce() -> Client,
    ) -> Arc<Client> {
        let mut known = lock(&self.0);
        if let Some((of, client)) = &*known
            && Arc::ptr_eq(of, said)
        {
            return client.clone();
        }
        let client = Arc::new(read());
        *known = Some((said.clone(), client.clone()));
        client
    }
}

/// The client of one request.
#[derive(Clone, Debug)]
pub(super) struct GuidedClient {
    client: Arc<Client>,
    /// The lowest level of log messages that the client wants, or `None` if it wants none.
    pub(super) level: Option<LoggingLevel>,
    peer: Peer<RoleServer>,
}

impl Client {
    /// Reads the abilities from the handshake.
    pub(super) fn new(asked: &DeclaredPlaces, has: &ClientCapabilities) -> Client {
        Client::of(asked, has.sampling.is_some(), has.elicitation.is_some())
    }

    /// Reads the abilities from a request of protocol 2026-07-28.
    fn of_request(asked: &DeclaredPlaces, has: &Value) -> Client {
        let has = |name: &str| has.get(name).is_some_and(Value::is_object);
        Client::of(asked, has("sampling"), has("elicitation"))
    }

    fn of(asked: &DeclaredPlaces, sampling: bool, elicitation: bool) -> Client {
        let each = [
            (sampling, McpFeature::Sampling),
            (elicitation, McpFeature::Elicitation),
        ];
        let features = each.into_iter();
        Client {
            events: Event::ALL
                .into_iter()
                .filter(|event| asked.supports(*event))
                .collect(),
            features: features
                .filter_map(|(has, feature)| has.then_some(feature))
                .collect(),
        }
    }
}

impl GuidedClient {
    /// Returns the client of a request after the handshake, or of a request that needs no handshake.
    pub(super) fn of(
        context: &RequestContext<RoleServer>,
        extension: Option<&str>,
        connection: &Connection,
    ) -> GuidedClient {
        let asked = || DeclaredPlaces::of_request(context, extension);
        let client = match context.meta.get(CLIENT_CAPABILITIES) {
            Some(has) => Arc::new(Client::of_request(&asked(), has)),
            None => match context.peer.peer_info() {
                Some(info) => ConnectionGuidance::of(connection)
                    .client
                    .of(&info, || Client::new(&asked(), &info.capabilities)),
                None => Arc::new(Client::of(&asked(), false, false)),
            },
        };
        GuidedClient {
            client,
            level: level(context, connection),
            peer: context.peer.clone(),
        }
    }

    /// Returns the client that sent `initialize`.
    pub(super) fn new(client: Client, peer: Peer<RoleServer>) -> GuidedClient {
        GuidedClient {
            client: Arc::new(client),
            level: None,
            peer,
        }
    }

    /// Returns whether the client reads declarations for this event.
    pub(super) fn reads(&self, event: Event) -> bool {
        self.client.events.contains(&event)
    }

    /// Returns the features of the client.
    pub(super) fn features(&self) -> McpFeatures {
        self.client.features
    }

    pub(super) fn peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }
}

/// Returns the lowest level of log messages that the client wants.
fn level(context: &RequestContext<RoleServer>, connection: &Connection) -> Option<LoggingLevel> {
    let of_request = context.meta.get(LOG_LEVEL);
    let of_connection = *lock(&ConnectionGuidance::of(connection).log_level);
    // Most clients set no level. The generation of the protocol then does not matter.
    if of_request.is_none() && of_connection.is_none() {
        None
    } else if is_stateless(context) {
        LoggingLevel::deserialize(of_request?).ok()
    } else {
        of_connection
    }
}
