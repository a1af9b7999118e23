//! The host, as a server may use it.

mod announce;
mod channels;
mod inference;
mod push;
mod scope;

use std::{collections::BTreeMap, pin::pin, sync::Arc, time::Duration};

use futures::{
    FutureExt,
    future::{BoxFuture, Either, select},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    ChunkSink, FeatureSet, Link, ModelInfo, Outgoing, SendError, Sends, Version, WireError, sender,
    wire::{ScopeLists, method},
};

pub use announce::FeatureSetChange;
pub use inference::InferenceStream;

/// The host at the other end of a connection: a handle that is cheap to clone.
///
/// Each request names, as a type, the feature set for which it is made. It does not compile if the set does not declare
/// the sender with `sends(…)`. The SDK refuses a request, and sends nothing, in each of these cases:
/// - The host's policy has not arrived yet.
/// - The host has not enabled the set.
/// - The host has not granted the capability.
/// - A context hook is running in this task.
/// - The host is a plain MCP host.
///
/// Every request has a deadline ([`McplSettings::timeout`](super::McplSettings::timeout)).
///
/// ```
/// use hooks_sdk::mcpl::Host;
///
/// let host = Host::plain();
/// assert!(host.enabled().is_empty());
/// ```
// The requests return boxed futures. The type of an `async fn`'s future contains the bound, so the compiler would
// report a missing `sends(…)` twice: where the future is made, and where it is awaited.
#[derive(Clone, Debug)]
pub struct Host(Option<Arc<Link>>);

impl Host {
    #[doc(hidden)]
    pub fn of(link: Arc<Link>) -> Host {
        Host(Some(link))
    }

    /// Returns a host that speaks plain MCP. It refuses every request.
    pub fn plain() -> Host {
        Host(None)
    }

    pub(crate) fn link(&self) -> Option<&Arc<Link>> {
        self.0.as_ref()
    }

    /// Returns the version of MCPL that the connection speaks; `None` with a plain MCP host.
    pub fn version(&self) -> Option<Version> {
        self.0.as_ref().map(|link| link.version)
    }

    /// Returns the version that the host advertised, if it speaks MCPL and named one.
    pub fn advertised_version(&self) -> Option<String> {
        let version = self.0.as_ref()?.host()["version"].as_str();
        version.map(str::to_owned)
    }

    /// Whether the host has enabled a feature set and, on 0.5, granted everything that the set needs.
    pub fn is_enabled<F: FeatureSet>(&self) -> bool {
        let name = F::DEFINITION.name;
        let works = |link: &Arc<Link>| link.works(&link.live(), name);
        self.0.as_ref().is_some_and(works)
    }

    /// Returns the feature sets for which [`is_enabled`](Host::is_enabled) is true, in the order of their names.
    pub fn enabled(&self) -> Vec<String> {
        self.0.as_ref().map_or_else(Vec::new, |link| link.enabled())
    }

    /// Returns the capabilities that a 0.5 host granted, as received. It is `None` before the first grant, and on 0.4.
    pub fn grant(&self) -> Option<Vec<String>> {
        let link = self
            .0
            .as_ref()
            .filter(|link| link.version != Version::V04)?;
        let live = link.live();
        live.policy.received.then(|| live.policy.granted.clone())
    }

    /// Returns the scope lists of each feature set, as received (MCPL 0.4.1 §7.2).
    pub fn scopes(&self) -> BTreeMap<String, ScopeLists> {
        self.0
            .as_ref()
            .map_or_else(BTreeMap::new, |link| link.live().policy.scopes().clone())
    }

    /// Returns the server's value of type `T` for this connection, as
    /// [`Context::connection_data`](super::Context::connection_data). It is `None` with a plain MCP host.
    pub fn connection_data<T: Default + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Some(self.0.as_ref()?.info().data.get())
    }

    /// Checks whether requests for a set may be sent now.
    ///
    /// # Errors
    ///
    /// Why they may not.
    pub fn check<F: FeatureSet>(&self) -> Result<(), SendError> {
        let link = self.connected()?;
        link.gate(F::DEFINITION.name, None)
    }

    /// Requests the model that the host uses (MCPL 0.4.1 §12).
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn model_info<F: Sends<sender::model_info>>(
        &self,
    ) -> BoxFuture<'_, Result<ModelInfo, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::MODEL_INFO)?;
            link.ask(method::MODEL_INFO, &json!({})).await
        }
        .boxed()
    }

    fn connected(&self) -> Result<&Arc<Link>, SendError> {
        self.0.as_ref().ok_or(SendError::NoHost)
    }

    /// Returns the connection if a request for a set can be sent on it now.
    fn sender<F: FeatureSet>(&self, method: &'static str) -> Result<&Arc<Link>, SendError> {
        let link = self.connected()?;
        link.may_send(F::DEFINITION.name, method)?;
        Ok(link)
    }
}

impl Link {
    /// Checks whether a request for a set can be sent now.
    fn may_send(&self, name: &str, method: &'static str) -> Result<(), SendError> {
        self.can_ask(method)?;
        self.gate(name, method::capability(method))
    }

    /// Checks whether requests can be sent.
    fn can_ask(&self, method: &'static str) -> Result<(), SendError> {
        if self.asks {
            Ok(())
        } else {
            Err(SendError::NoRequests { method })
        }
    }

    /// Sends a request, and reads its answer.
    async fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<T, SendError> {
        let deadline = self.settings.deadline();
        let answer = self.send(method, written(params), deadline, None).await?;
        decoded(method, answer)
    }

    /// Sends a request, and returns its answer unread.
    async fn send(
        &self,
        method: &'static str,
        params: Value,
        deadline: Duration,
        chunks: Option<ChunkSink>,
    ) -> Result<Value, SendError> {
        let outgoing = Outgoing {
            method,
            params,
            deadline,
            chunks,
        };
        let closed = self.closed();
        match select((self.wire.request)(outgoing), pin!(closed)).await {
            Either::Left((answer, _)) => answer.map_err(|error| of_wire(error, method, deadline)),
            Either::Right(_) => Err(SendError::Closed),
        }
    }

    /// Sends a notification.
    async fn tell(&self, method: &'static str, params: &impl Serialize) -> Result<(), SendError> {
        let told = (self.wire.notify)(method, written(params));
        let deadline = self.settings.deadline();
        match tokio::time::timeout(deadline, told).await {
            Ok(told) => told.map_err(|error| of_wire(error, method, deadline)),
            Err(_) => Err(SendError::TimedOut(deadline)),
        }
    }
}

fn of_wire(error: WireError, method: &'static str, deadline: Duration) -> SendError {
    match error {
        WireError::Refused(error) => SendError::Refused(error),
        WireError::TimedOut => SendError::TimedOut(deadline),
        WireError::Forbidden => SendError::NoRequests { method },
        WireError::Closed => SendError::Closed,
    }
}

fn written(params: &impl Serialize) -> Value {
    // The SDK's own types have string keys only, so they always convert to JSON.
    serde_json::to_value(params).unwrap_or_default()
}

fn decoded<T: DeserializeOwned>(method: &'static str, answer: Value) -> Result<T, SendError> {
    serde_json::from_value(answer).map_err(|error| SendError::Malformed {
        method,
        problem: error.to_string(),
    })
}
