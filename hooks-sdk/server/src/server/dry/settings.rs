//! The settings of a server that writes nothing, and of one that runs no tool.

use std::sync::Arc;

use rmcp::ServerHandler;

use super::Dry;
use crate::server::{
    Collected, Hooked,
    request::{principal, text_of},
    settings::ServerSettings,
};
#[cfg(feature = "guardian-local")]
use hooks_aos::GuardianClient;
use hooks_core::store::MemoryStore;

impl ServerSettings {
    /// Writes nothing into the decision log.
    fn keep_quiet(&mut self) {
        #[cfg(feature = "log")]
        {
            self.log = Some(crate::server::middleware::log::DecisionLogSettings::Nowhere);
        }
    }

    /// Keeps everything in memory.
    fn keep_in_memory(&mut self) {
        self.keep_quiet();
        self.shared = None;
        let sessions = self.sessions.take();
        self.sessions = sessions.map(|sessions| sessions.store(MemoryStore::new()));
        #[cfg(feature = "policy-engine")]
        if let Some(policy) = self.policy.take() {
            self.policy = Some(policy.store(MemoryStore::new()));
        }
    }

    fn dry(&mut self, dry: Arc<Dry>) {
        self.keep_in_memory();
        if let Some(sessions) = self.sessions.take() {
            let own = sessions.principal.clone();
            let of = dry.clone();
            self.sessions =
                Some(sessions.principal(move |cx| {
                    of.user().or_else(|| text_of(cx, own.as_ref(), principal))
                }));
        }
        #[cfg(feature = "policy-engine")]
        {
            self.policy.get_or_insert_default().dry = Some(dry.clone());
        }
        #[cfg(feature = "guardian-local")]
        {
            // A guardian elsewhere would take the call for one that happens.
            self.guardian = self.guardian.take().filter(GuardianClient::is_here);
        }
        self.dry = Some(dry);
    }
}

impl<H: ServerHandler> Collected<H> {
    /// Makes servers that write nothing into the decision log.
    #[doc(hidden)]
    pub fn quiet(self) -> Collected<H> {
        self.set(ServerSettings::keep_quiet)
    }

    /// Makes servers that keep everything in memory, and write nothing into the decision log.
    #[doc(hidden)]
    pub fn in_memory(self) -> Collected<H> {
        self.set(ServerSettings::keep_in_memory)
    }

    /// Reads the configuration of plugin hooks from another file.
    #[cfg(feature = "policy-engine")]
    #[doc(hidden)]
    pub fn configured_by(self, file: &std::path::Path) -> Collected<H> {
        self.set(|settings| {
            let policy = settings.policy.take().unwrap_or_default();
            settings.policy = Some(policy.file(file));
        })
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// Makes the server [dry](Dry). Its sessions and questions are in memory, and it writes nothing into the decision log. A
    /// guardian over HTTP is not asked.
    #[doc(hidden)]
    pub fn dry(self, dry: Arc<Dry>) -> Hooked<H> {
        self.set(|settings| settings.dry(dry))
    }

    /// Returns whether the server asks a guardian that is not in this process.
    #[doc(hidden)]
    pub fn asks_elsewhere(&self) -> bool {
        #[cfg(feature = "guardian-local")]
        return (self.service.settings.guardian.as_ref()).is_some_and(|client| !client.is_here());
        #[cfg(not(feature = "guardian-local"))]
        false
    }
}
