//! What the handshake says of a host, and what the server keeps for its connection.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex},
};

use hooks_core::internal::{debugs, lock};
use serde_json::Value;

/// What the handshake says of a host.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct HostInfo {
    /// What the host advertised under `experimental.mcpl`.
    pub advertised: Value,
    /// The host's own name. The host chooses it.
    pub name: Option<String>,
    /// The authenticated sender of the handshake.
    pub principal: Option<String>,
    /// What the server keeps for the connection.
    pub data: ConnectionData,
}

/// The server's values for one connection. They end with the connection.
#[derive(Default)]
#[doc(hidden)]
pub struct ConnectionData(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl ConnectionData {
    /// Returns the value of a type. The first call makes it.
    pub(super) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        // Made outside of the lock, because it is the author's code.
        let new = Arc::new(T::default());
        let mut values = lock(&self.0);
        let value = values.entry(TypeId::of::<T>()).or_insert(new).clone();
        value
            .downcast()
            .expect("the values are kept under their own types")
    }
}

debugs!(ConnectionData {});
