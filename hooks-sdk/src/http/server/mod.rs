//! A server over HTTP: its settings, and how it is served.

use std::sync::Arc;

use rmcp::model::RequestStateCodec;

use crate::{
    server::{Hooked, ServerHandler, Shared},
    store::{Log, Store},
};

/// Serves a hooked server over streamable HTTP.
#[derive(Debug)]
#[must_use]
pub struct Server<H> {
    hooked: Hooked<H>,
}

impl<H: ServerHandler> Server<H> {
    /// Serves `hooked` with the default settings.
    pub fn new(hooked: Hooked<H>) -> Server<H> {
        Server { hooked }
    }

    /// Sets the store that all replicas of this server share, and the keys that seal what clients bring back.
    pub fn shared(mut self, store: impl Store + Log, keys: RequestStateCodec) -> Server<H> {
        let (store, keys) = (Arc::new(store), Arc::new(keys));
        self.hooked = self.hooked.sharing(Shared { store, keys });
        self
    }
}
