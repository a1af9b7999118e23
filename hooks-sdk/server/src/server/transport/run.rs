//! Runs the requests of a stream. rmcp's loop has the handshake, and carries what the server itself sends.

use std::{
    mem,
    sync::Arc,
    task::{Context, Waker},
};

use rmcp::{
    Peer, RoleServer,
    model::{GetExtensions, GetMeta, JsonRpcMessage, JsonRpcRequest},
    service::RequestContext,
};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::{in_flight::ClientRequestMessage, load::InFlightMark, outbox::Outbox};
use crate::server::{pipeline::failed, shared_service::SharedService};
use hooks_core::internal::catch_panic;

/// Returns whether other threads take tasks of this one. A request is then never run in the task that reads.
pub(super) fn has_workers() -> bool {
    Handle::try_current()
        .is_ok_and(|handle| handle.runtime_flavor() != RuntimeFlavor::CurrentThread)
}

/// Runs a request, and sends its answer.
///
/// A request that is done when it is first polled is answered at once, unless `has_workers`: a tool that computes must not
/// hold up the requests behind it. All others get a task of their own.
pub(super) fn run(
    service: &SharedService,
    peer: &Peer<RoleServer>,
    outbox: &Arc<Outbox>,
    message: ClientRequestMessage,
    mark: InFlightMark,
    has_workers: bool,
) {
    let JsonRpcRequest {
        id, mut request, ..
    } = message;
    let mut cx = RequestContext::new(id.clone(), peer.clone());
    mark.cancels(cx.ct.clone());
    // The extensions hold the `_meta`, so it is taken first.
    cx.meta = mem::take(request.get_meta_mut());
    cx.extensions = mem::take(request.extensions_mut());
    let (service, outbox) = (service.clone(), outbox.clone());
    let mut work = Box::pin(async move {
        let answer = catch_panic(service.answer(request, cx)).await;
        let answer = answer.unwrap_or_else(|failure| Err(failed("a request", &failure)));
        // No answer is due to a request that its client has cancelled.
        if !outbox.load.answered(&id, Some(&mark)) {
            return;
        }
        drop(mark);
        let answer = match answer {
            Ok(result) => JsonRpcMessage::response(result, id),
            Err(error) => JsonRpcMessage::error(error, Some(id)),
        };
        if let Err(error) = outbox.send(answer).await {
            tracing::debug!(
                target: "hooks_sdk::server",
                %error, "an answer could not be written"
            );
        }
    });
    if has_workers
        || work
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    {
        tokio::spawn(work);
    }
}
