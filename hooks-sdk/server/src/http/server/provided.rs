//! What a server shares with its replicas, or keeps for itself where the author gave it nothing to share.

use std::sync::Arc;

use rmcp::model::RequestStateCodec;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{SharedStore, keys::SharedKey};
use crate::server::ReplicaSettings;
use hooks_core::store::{Log, MemoryStore, Store};
use hooks_http::error::HttpError;

/// The stores and keys of a server.
pub(super) struct Provided {
    /// For the protocols.
    pub(super) protocols: Option<ReplicaSettings>,
    /// For the layer that knows whose session is whose. Without other replicas and without principals it is not needed.
    pub(super) replicas: Option<(ReplicaSettings, Arc<dyn Log>)>,
    /// The author's store.
    pub(super) store: Option<Arc<dyn Store>>,
    /// Ends the renewal of the shared key.
    pub(super) renewal: DropGuard,
}

impl Provided {
    /// # Errors
    ///
    /// The store does not answer, or the system has no random numbers.
    pub(super) async fn find(
        shared: Option<SharedStore>,
        keys: Option<RequestStateCodec>,
        has_principals: bool,
    ) -> Result<Provided, HttpError> {
        let renewal = CancellationToken::new();
        let guard = renewal.clone().drop_guard();
        let Some(SharedStore { store, log }) = shared else {
            let own = Arc::new(MemoryStore::new());
            let is_set = keys.is_some();
            let keys = match keys {
                Some(keys) => keys,
                None => SharedKey::random()?.codec()?,
            };
            let all = ReplicaSettings {
                store: own.clone(),
                keys: Arc::new(keys),
            };
            return Ok(Provided {
                protocols: is_set.then(|| all.clone()),
                replicas: has_principals.then_some((all, own)),
                store: None,
                renewal: guard,
            });
        };
        let keys = match keys {
            Some(keys) => keys,
            None => {
                let key = SharedKey::load(&*store).await?;
                let keys = key.codec()?;
                let renewing = key.renew(store.clone());
                tokio::spawn(renewal.run_until_cancelled_owned(renewing));
                keys
            }
        };
        let all = ReplicaSettings {
            store: store.clone(),
            keys: Arc::new(keys),
        };
        Ok(Provided {
            protocols: Some(all.clone()),
            replicas: Some((all, log)),
            store: Some(store),
            renewal: guard,
        })
    }
}
