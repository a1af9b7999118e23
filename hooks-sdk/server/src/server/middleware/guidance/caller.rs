//! The client of a request: its abilities, and the notices it gets about hooks that were skipped or failed.

use rmcp::{
    Peer, RoleServer,
    model::{ClientCapabilities, LoggingLevel, LoggingMessageNotificationParam},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{
    McpContext, capability::DeclaredPlaces, connection::Connection, lock, pipeline::Handshake,
    request::is_stateless, transport::read::CLIENT_CAPABILITIES,
};
use hooks_core::{
    guidance::{ComposedHooksResult, McpFeature, McpFeatures},
    lifecycle::Event,
};

/// The member of `_meta` in which a request of protocol 2026-07-28 sets the lowest level of log messages that its
/// client wants.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The logger name in messages about hooks that were skipped or failed.
const LOGGER: &str = "hooks";

/// The client of a request.
#[derive(Debug)]
pub(super) struct GuidedClient {
    asked: DeclaredPlaces,
    pub(super) features: McpFeatures,
    /// The lowest level of log messages that the client wants, or `None` if it wants none.
    level: Option<LoggingLevel>,
    peer: Peer<RoleServer>,
}

impl GuidedClient {
    /// Returns the client of a request after the handshake, or of a request that needs no handshake.
    pub(super) fn of(
        context: &McpContext,
        extension: Option<&str>,
        connection: &Connection,
    ) -> GuidedClient {
        let asked = DeclaredPlaces::of_request(context, extension);
        let info = context.peer.peer_info();
        let abilities = match (context.meta.get(CLIENT_CAPABILITIES), info) {
            (Some(has), _) => {
                ["sampling", "elicitation"].map(|name| has.get(name).is_some_and(Value::is_object))
            }
            (None, Some(info)) => abilities(&info.capabilities),
            (None, None) => [false, false],
        };
        let level = level(context, connection);
        GuidedClient::with(asked, abilities, level, &context.peer)
    }

    /// Returns the client of a handshake.
    pub(super) fn met(handshake: &Handshake, extension: Option<&str>) -> GuidedClient {
        match &handshake.initialize {
            Some(has) => {
                let asked = handshake.declared(extension);
                GuidedClient::with(asked, abilities(has), None, &handshake.cx.peer)
            }
            None => GuidedClient::of(&handshake.cx, extension, &handshake.connection),
        }
    }

    fn with(
        asked: DeclaredPlaces,
        [sampling, elicitation]: [bool; 2],
        level: Option<LoggingLevel>,
        peer: &Peer<RoleServer>,
    ) -> GuidedClient {
        let sampling = sampling.then_some(McpFeature::Sampling);
        let elicitation = elicitation.then_some(McpFeature::Elicitation);
        GuidedClient {
            asked,
            features: sampling.into_iter().chain(elicitation).collect(),
            level,
            peer: peer.clone(),
        }
    }

    /// Returns whether the client reads declarations for this event.
    pub(super) fn reads(&self, event: Event) -> bool {
        self.asked.supports(event)
    }

    /// Reports the hooks that are missing in a composition, with the composition's own notices.
    ///
    /// Implements the Hooks System document, "Transparency (Notices)" and "Failure Handling".
    pub(super) async fn notice(&self, composed: &ComposedHooksResult) {
        let failures = usize::from(!composed.failed_hooks.is_empty());
        let skips = composed.notices.len() - failures;
        for (at, notice) in composed.notices.iter().enumerate() {
            let level = if at < skips {
                info!(%notice, "hooks were left out");
                LoggingLevel::Notice
            } else {
                error!(%notice, "hooks have no text");
                LoggingLevel::Error
            };
            // In a box, since each composition has room for this future and few have notices.
            Box::pin(self.send(level, notice)).await;
        }
    }

    async fn send(&self, level: LoggingLevel, notice: &str) {
        let wanted = self.level.is_some_and(|from| from as u8 <= level as u8);
        if !wanted {
            return;
        }
        let mut message = LoggingMessageNotificationParam::new(level, json!(notice));
        message.logger = Some(LOGGER.to_owned());
        if let Err(error) = self.peer.notify_logging_message(message).await {
            debug!(%error, "a notice did not reach the client");
        }
    }
}

/// Returns whether a client has sampling, and elicitation.
fn abilities(has: &ClientCapabilities) -> [bool; 2] {
    [has.sampling.is_some(), has.elicitation.is_some()]
}

/// Returns the lowest level of log messages that the client wants.
fn level(context: &McpContext, connection: &Connection) -> Option<LoggingLevel> {
    let of_request = context.meta.get(LOG_LEVEL);
    let of_connection = *lock(&connection.guidance.log_level);
    // Most clients set no level. The generation of the protocol then does not matter.
    if of_request.is_none() && of_connection.is_none() {
        None
    } else if is_stateless(context) {
        LoggingLevel::deserialize(of_request?).ok()
    } else {
        of_connection
    }
}
