//! The MCPL data of a connection: the link, its own open requests, and the work that waits until answers are sent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    RoleServer,
    model::{NumberOrString, RequestId},
    service::Peer,
};
use serde_json::Value;
use tokio::time::timeout;

use super::sending::HostPeer;
use crate::server::lock;
use hooks_mcpl::{
    internal::{AfterSend, ChunkSink, LAST_JOBS, Link},
    wire::InferenceChunk,
};

/// How many answers of one connection may have work that waits for them. The work of further answers does not wait.
const MAX_WAITING: usize = 1024;

/// MCPL's part of a connection.
#[derive(Default)]
pub(crate) struct HostConnection {
    link: OnceLock<Arc<Link>>,
    /// The link of a client that sent `server/discover`. The client may still send `initialize`, which opens the other
    /// link.
    discovered: OnceLock<(Arc<Link>, HostPeer)>,
    /// The SDK's own requests without an answer, and the receivers of their chunks.
    outstanding: Mutex<HashMap<RequestId, Option<ChunkSink>>>,
    /// The work to do when the answers to these requests are sent.
    leaving: Mutex<HashMap<RequestId, AfterSend>>,
}

impl HostConnection {
    pub(super) fn link(&self) -> Option<&Arc<Link>> {
        let discovered = || self.discovered.get().map(|(link, _)| link);
        self.link.get().or_else(discovered)
    }

    /// Returns the link of the handshake. Opens it if there is none.
    pub(super) fn link_or(&self, open: impl FnOnce() -> Arc<Link>) -> Arc<Link> {
        let link = self.link.get_or_init(open).clone();
        if let Some((discovered, _)) = self.discovered.get() {
            discovered.close();
        }
        link
    }

    /// Returns the link of a client that sent `server/discover`. Opens it if there is none.
    pub(super) fn discovered_or(&self, open: impl FnOnce() -> (Arc<Link>, HostPeer)) -> Arc<Link> {
        self.discovered.get_or_init(open).0.clone()
    }

    /// Records the peer of a request. rmcp answers `server/discover` by a peer that does not reach the client, so this
    /// peer may replace it.
    pub(super) fn came_by(&self, peer: &Peer<RoleServer>) {
        if let Some((_, host)) = self.discovered.get() {
            host.or_by(peer);
        }
    }

    /// Completes when the hooks have seen all that the host sent.
    pub(crate) fn finished(&self) -> Option<BoxFuture<'static, ()>> {
        let link = self.link()?.clone();
        let finished = async move { timeout(LAST_JOBS, link.finished()).await };
        Some(finished.map(drop).boxed())
    }

    /// Closes the links and drops everything that ends with the connection.
    pub(crate) fn close(&self) {
        let discovered = self.discovered.get().map(|(link, _)| link);
        for link in self.link.get().into_iter().chain(discovered) {
            link.close();
        }
        lock(&self.outstanding).clear();
        lock(&self.leaving).clear();
    }

    /// Called when the SDK sends its own request.
    pub(super) fn sent(&self, id: RequestId, chunks: Option<ChunkSink>) {
        lock(&self.outstanding).insert(id, chunks);
    }

    /// Called when one of the SDK's own requests is answered, or nobody waits for its answer any more.
    pub(super) fn settled(&self, id: &RequestId) {
        lock(&self.outstanding).remove(id);
    }

    pub(crate) fn is_outstanding(&self, id: &RequestId) -> bool {
        lock(&self.outstanding).contains_key(id)
    }

    /// Passes a chunk to its request.
    pub(super) fn chunk(&self, params: Option<Value>) {
        let chunk: InferenceChunk = match serde_json::from_value(params.unwrap_or_default()) {
            Ok(chunk) => chunk,
            Err(error) => {
                warn!(%error, "an inference chunk is ignored: it cannot be read");
                return;
            }
        };
        let outstanding = lock(&self.outstanding);
        let chunks = ids(&chunk.request_id).find_map(|id| outstanding.get(&id));
        match chunks {
            Some(Some(chunks)) => chunks.push(chunk),
            Some(None) | None => debug!(
                request = %chunk.request_id,
                "an inference chunk is ignored: no open request with this id streams"
            ),
        }
    }

    /// Keeps the work of the answer to `id`. If 1,024 are kept already, returns the work to the caller.
    pub(super) fn keep(&self, id: &RequestId, leaving: AfterSend) -> Result<(), AfterSend> {
        let mut all = lock(&self.leaving);
        if all.len() >= MAX_WAITING {
            return Err(leaving);
        }
        all.insert(id.clone(), leaving);
        Ok(())
    }

    /// Takes the work of the answer to `id`, which is sent now.
    pub(super) fn leaves(&self, id: &RequestId) -> Option<(Arc<Link>, AfterSend)> {
        let link = self.link()?;
        let leaving = lock(&self.leaving).remove(id)?;
        Some((link.clone(), leaving))
    }
}

/// Returns the ids that a chunk may mean: its own id, and the same id as a number if it is a text.
fn ids(id: &Value) -> impl Iterator<Item = RequestId> {
    let own = match id {
        Value::Number(number) => number.as_i64().map(NumberOrString::Number),
        Value::String(text) => Some(NumberOrString::String(text.as_str().into())),
        _ => None,
    };
    let number = id.as_str().and_then(|text| text.parse().ok());
    own.into_iter().chain(number.map(NumberOrString::Number))
}

impl Drop for HostConnection {
    fn drop(&mut self) {
        self.close();
    }
}
