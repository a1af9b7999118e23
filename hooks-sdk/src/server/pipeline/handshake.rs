//! Handshakes: the author's answer, and what the stations add to it.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ServerCapabilities},
    service::RequestContext,
};

use super::{Answer, Asked, Meeting, Way, answered, misplaced, step};
use crate::server::{
    connection::Connection,
    request::{is_lifted, is_restored},
};

impl Way {
    /// Returns the capabilities of the author and the stations, as a handshake declares them.
    pub(in crate::server) fn capabilities(&self) -> Option<ServerCapabilities> {
        let mut capabilities = self.author.info().ok()?.capabilities;
        self.declare(&mut capabilities);
        Some(capabilities)
    }

    pub(super) fn declare(&self, capabilities: &mut ServerCapabilities) {
        for station in &self.stations.all {
            station.declare(capabilities);
        }
    }

    /// Answers `initialize` and `server/discover`.
    pub(super) async fn greet(
        &self,
        asked: Asked,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> Result<Answer, ErrorData> {
        let method = &*asked.method();
        let initialize = match &asked {
            Asked::Initialize(request) => Some((
                request.capabilities.clone(),
                request.client_info.name.clone(),
            )),
            _ => None,
        };
        let mut answer = answered(method, self.author.ask(asked, cx.clone())).await?;
        let (capabilities, instructions) = match &mut answer {
            Answer::Initialize(result) => (&mut result.capabilities, &mut result.instructions),
            Answer::Discover(result) => (&mut result.capabilities, &mut result.instructions),
            _ => return Err(misplaced(method)),
        };
        let mut meeting = Meeting {
            by_wire: is_lifted(&cx.extensions),
            is_restored: is_restored(&cx.extensions),
            cx,
            connection,
            initialize,
            has_sessions: false,
            declarations: Vec::new(),
            instructions: None,
            capabilities: std::mem::take(capabilities),
            is_private: false,
        };
        self.declare(&mut meeting.capabilities);
        for station in &self.stations.greeting {
            step(method, || station.greet(&mut meeting, self)).await?;
        }
        *capabilities = meeting.capabilities;
        join(instructions, meeting.instructions);
        if let (true, Answer::Discover(result)) = (meeting.is_private, &mut answer) {
            result.cache_scope = CacheScope::Private;
        }
        Ok(answer)
    }
}

/// Adds the stations' instructions after the author's.
fn join(instructions: &mut Option<String>, more: Option<String>) {
    let Some(more) = more else { return };
    match instructions {
        Some(own) if !own.trim().is_empty() => {
            own.truncate(own.trim_end().len());
            own.push_str("\n\n");
            own.push_str(&more);
        }
        _ => *instructions = Some(more),
    }
}
