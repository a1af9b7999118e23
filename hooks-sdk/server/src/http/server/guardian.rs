//! Guardians beside the path of MCP.

use std::sync::Arc;

use axum::{Router, body::Body, routing::any};
use http::{Request, request::Parts};

use super::{Server, pipeline::EntryChecks};
use hooks_aos::{Guardian, internal::Endpoint};

impl Server {
    /// Serves a guardian at a path, beside the path of MCP. Hosts, origins, tokens, principals and limits of the server
    /// hold for it, too.
    pub fn guardian_at(mut self, path: impl Into<String>, guardian: Guardian) -> Server {
        self.settings.guardians.push((path.into(), guardian));
        self
    }
}

/// Adds the guardians to the routes.
pub(super) fn mounted(
    mut router: Router,
    guardians: Vec<(String, Guardian)>,
    pipeline: &Arc<EntryChecks>,
) -> Router {
    for (path, guardian) in guardians {
        let settings = &pipeline.settings;
        let find = settings.principal.clone();
        let endpoint = Arc::new(Endpoint {
            guardian,
            hosts: settings.hosts.clone(),
            origins: settings.origins.clone(),
            tokens: settings.tokens.clone(),
            admits: find.map(|find| Arc::new(move |parts: &Parts| find(parts).is_some()) as _),
            body: settings.body,
            calls: pipeline.calls.clone(),
            stopping: pipeline.stopping.clone(),
        });
        let checks = pipeline.clone();
        let answer = move |request: Request<Body>| async move {
            let method = request.method().clone();
            match checks.admits_beside(request).await {
                Ok(request) => endpoint.answer(request).await,
                Err(refusal) => refusal.response(&method),
            }
        };
        router = router.route(&path, any(answer));
    }
    router
}
