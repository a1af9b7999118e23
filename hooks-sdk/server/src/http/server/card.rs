//! The server card beside the path of MCP.

use std::sync::Arc;

use axum::{Router, body::Body, routing::any};
use http::Request;

use super::{TransportSettings, pipeline::EntryChecks};
use hooks_http::{ServerCard, card::PATH};

impl TransportSettings {
    /// Returns the path of the card, if the server has one.
    pub(super) fn card_path(&self) -> Option<String> {
        let path = self.path.trim_end_matches('/');
        self.card.as_ref().map(|_| format!("{path}{PATH}"))
    }
}

/// Adds the card to the routes. Everybody may read it.
pub(super) fn mounted(
    router: Router<Arc<EntryChecks>>,
    path: &str,
    card: &ServerCard,
    pipeline: &Arc<EntryChecks>,
) -> Router<Arc<EntryChecks>> {
    let (card, pipeline) = (Arc::new(card.served()), pipeline.clone());
    let answer = move |request: Request<Body>| async move {
        match pipeline.admits_name(&request) {
            Ok(()) => card.answer(&request),
            Err(refusal) => refusal.response(request.method()),
        }
    };
    router.route(path, any(answer))
}
