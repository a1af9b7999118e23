//! The layers behind the checks: the hooks of HTTP, the replicas, and the endpoint.

use std::{convert::Infallible, sync::Arc};

use axum::body::Body;
use http::{Request, Response};
use tower::{Layer, Service, ServiceExt, service_fn};

use super::pipeline::InnerService;
use crate::{
    http::{
        endpoint::{Endpoint, EndpointSettings, SessionMap},
        replicas::Replicas,
    },
    server::{HookedService, carried::ReplicaId},
};
use hooks_core::store::Store;

/// The layers, and the sessions of this process.
pub(super) struct BuiltLayers {
    pub(super) inner: InnerService,
    pub(super) sessions: Arc<SessionMap>,
}

/// Puts the layers around the endpoint. With a `store`, they know whose session is whose.
pub(super) fn build(
    hooked: HookedService,
    store: Option<Arc<dyn Store>>,
    settings: EndpointSettings,
) -> BuiltLayers {
    let hooks = hooks_of(&hooked);
    let replica = ReplicaId::random();
    let end = settings.end.clone();
    let replicas = store.map(|store| Replicas::new(replica, store, end));
    let endpoint = Endpoint::new(hooked, replica, replicas.clone(), settings);
    let sessions = endpoint.sessions().clone();
    if let Some(replicas) = &replicas {
        replicas.follow_mail(&sessions);
    }
    let endpoint = Arc::new(endpoint);
    let service = service_fn(move |request: Request<Body>| {
        let endpoint = endpoint.clone();
        // The future is large, and the ones around it are moved several times.
        Box::pin(async move { Ok::<_, Infallible>(endpoint.answer(request).await) })
    });
    BuiltLayers {
        inner: inner(hooks.layer(service)),
        sessions,
    }
}

/// Returns the layer that runs the hooks of HTTP.
#[cfg(feature = "plugin")]
pub(super) fn hooks_of(hooked: &HookedService) -> crate::http::HeaderHooks {
    crate::http::HeaderHooks::of_service(hooked)
}

#[cfg(not(feature = "plugin"))]
pub(super) fn hooks_of(_: &HookedService) -> tower::layer::util::Identity {
    tower::layer::util::Identity::new()
}

/// Hides the type of a service.
fn inner<S>(service: S) -> InnerService
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    Arc::new(move |request| {
        let answer = service.clone().oneshot(request);
        Box::pin(async move {
            let Ok(response) = answer.await;
            response
        })
    })
}
