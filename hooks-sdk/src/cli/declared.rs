//! What fires at one event of a client.

use serde_json::json;

use super::{Failure, Program};
use crate::{
    clients::Client,
    lifecycle::{Event, host::Host},
    server::{Collected, Declared, ServerHandler},
};

impl<H: ServerHandler> Program<H> {
    /// What is declared to a client for an event. A server is made only where one of its functions makes a text.
    pub(super) async fn declared_at(
        &self,
        hooks: &Collected<H>,
        client: &dyn Client,
        event: Event,
    ) -> Result<Vec<Declared>, Failure> {
        let server = match hooks.makes_text(event) {
            true => Some(self.server().await?),
            false => None,
        };
        let mut declared = hooks.declared(client.features(), server.as_ref()).await;
        declared.retain(|each| each.declaration.event.known() == Some(&event));
        Ok(declared)
    }

    /// A host that holds these, for a client that calls the server `name`.
    pub(super) fn host(&self, name: &str, declared: &[Declared]) -> Host {
        let mut host = Host::new(self.policy.clone().trusting(name));
        let declarations: Vec<_> = declared.iter().map(|each| &each.declaration).collect();
        host.register(name, &json!({ "declarations": declarations }));
        host
    }
}
