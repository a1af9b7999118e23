//! What `hooks fire` records about one event.

use super::evaluate::Evaluated;
#[cfg(feature = "log")]
use crate::log::DecisionEntry;
use crate::{
    clients::{
        Client,
        history::{FiringReceipt, HookStore, now},
    },
    lifecycle::Event,
};

/// What one event records.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    firings: Vec<FiringReceipt>,
    /// The session whose start texts were sent.
    started: Option<String>,
    /// The lines of the decision log.
    #[cfg(feature = "log")]
    pub(super) lines: Vec<DecisionEntry>,
}

impl Receipts {
    pub(super) fn of(client: &Client, evaluated: &Evaluated) -> Receipts {
        let Evaluated {
            fired, declared, ..
        } = evaluated;
        let Some(seen) = &fired.seen else {
            return Receipts::default();
        };
        let who = seen.answered(client).name;
        let session = seen.session_id.as_deref().unwrap_or_default();
        let event = seen.occasion.event;
        let mut firings = Vec::new();
        let injected = fired.report.iter().flat_map(|report| &report.injected);
        // Hooks composed into one text share a time; each text has its own.
        for (injected, at) in injected.zip((0..=now()).rev()) {
            let hooks = declared.get(injected.index).map(|each| &each.hooks[..]);
            for hook in hooks.unwrap_or_default() {
                let firing = FiringReceipt::new(hook, session, who, event.as_str());
                firings.push(firing.at(at));
            }
        }
        let started = (event == Event::SessionStart && !firings.is_empty())
            .then(|| seen.session_id.clone())
            .flatten();
        Receipts {
            firings,
            started,
            #[cfg(feature = "log")]
            lines: Vec::new(),
        }
    }

    pub(super) fn record(&self, store: &HookStore) {
        if let Some(session) = &self.started {
            _ = store.mark(session, Event::SessionStart.as_str());
        }
        let fired = if self.firings.is_empty() {
            Ok(())
        } else {
            store.record_firings(&self.firings)
        };
        if let Err(error) = fired {
            tracing::warn!(%error, "the firing is not recorded");
        }
    }
}
