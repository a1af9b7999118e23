//! Runs requests. rmcp's loop has the handshake, and carries what the server itself sends.

use std::{
    mem,
    sync::Arc,
    task::{Context, Waker},
};

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, JsonRpcRequest, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    service::RequestContext,
};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::{
    in_flight::{ClientRequestMessage, InFlightMark, Load},
    outbox::Outbox,
};
use crate::server::{McpContext, pipeline::answered, service::SharedService};

/// Returns whether other threads take tasks of this one. A request is then never run in the task that reads.
pub(super) fn has_workers() -> bool {
    Handle::try_current()
        .is_ok_and(|handle| handle.runtime_flavor() != RuntimeFlavor::CurrentThread)
}

/// Runs a request, and sends its answer by `send`.
pub(super) fn work<F>(
    service: &SharedService,
    peer: &Peer<RoleServer>,
    load: &Arc<Load>,
    message: ClientRequestMessage,
    mark: InFlightMark,
    send: impl FnOnce(ServerJsonRpcMessage) -> F + Send + 'static,
) -> impl Future<Output = ()> + Send + 'static
where
    F: Future<Output = std::io::Result<()>> + Send,
{
    let JsonRpcRequest {
        id, mut request, ..
    } = message;
    let mut cx = RequestContext::new(id.clone(), peer.clone());
    mark.cancels(cx.ct.clone());
    // The extensions hold the `_meta`, so it is taken first.
    cx.meta = mem::take(request.get_meta_mut());
    cx.extensions = mem::take(request.extensions_mut());
    let (service, load) = (service.clone(), load.clone());
    async move {
        let answer = answer(service, request, cx).await;
        // No answer is due to a request that its client has cancelled.
        if !load.answered(&id, Some(&mark)) {
            return;
        }
        drop(mark);
        if let Err(error) = send(message_of(answer, id)).await {
            debug!(%error, "an answer could not be written");
        }
    }
}

/// Answers a request. Its own future, so that the request has no room while the answer is sent.
async fn answer(
    service: SharedService,
    request: ClientRequest,
    cx: McpContext,
) -> Result<ServerResult, ErrorData> {
    answered("a request", service.answer(request, cx)).await
}

fn message_of(answer: Result<ServerResult, ErrorData>, id: RequestId) -> ServerJsonRpcMessage {
    match answer {
        Ok(result) => JsonRpcMessage::response(result, id),
        Err(error) => JsonRpcMessage::error(error, Some(id)),
    }
}

/// Runs a request of a stream.
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
    let load = &outbox.load;
    let outbox = outbox.clone();
    let send = move |answer| outbox.send(answer);
    let mut work = Box::pin(work(service, peer, load, message, mark, send));
    if has_workers
        || work
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    {
        tokio::spawn(work);
    }
}
