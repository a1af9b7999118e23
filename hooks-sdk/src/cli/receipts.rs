//! What `hooks fire` records about one event.

use std::env;

use super::{evaluate::Evaluated, waiting};
#[cfg(feature = "log")]
use crate::log::DecisionEntry;
use crate::{
    clients::{
        Client, Delivery,
        history::{FiringReceipt, HookStore, RECEIPTS_VARIABLE, WaitingText, now},
    },
    lifecycle::Event,
};

/// What one event records.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    firings: Vec<FiringReceipt>,
    /// The texts for the client's next event.
    waiting: Vec<WaitingText>,
    /// The session whose start texts were sent.
    started: Option<String>,
    /// The lines of the decision log.
    #[cfg(feature = "log")]
    pub(super) lines: Vec<DecisionEntry>,
}

impl Receipts {
    pub(super) fn of(client: &dyn Client, evaluated: &Evaluated) -> Receipts {
        let Evaluated {
            fired, declared, ..
        } = evaluated;
        let Some(seen) = &fired.seen else {
            return Receipts::default();
        };
        let who = seen.answered(client).name();
        let session = seen.session_id.as_deref().unwrap_or_default();
        let event = seen.occasion.event;
        let (mut firings, mut waiting) = (Vec::new(), Vec::new());
        let waits = seen.answered(client).mapping(event).delivery == Delivery::Next;
        let keeps_texts = env::var_os(RECEIPTS_VARIABLE).is_some_and(|value| value == "texts");
        let injected = fired.report.iter().flat_map(|report| &report.injected);
        // Hooks composed into one text share a time; each text has its own.
        for (injected, at) in injected.zip((0..=now()).rev()) {
            let hooks = declared.get(injected.index).map(|each| &each.hooks[..]);
            let characters = injected.text.chars().count() as u64;
            let hooks = hooks.unwrap_or_default();
            if waits {
                let text = injected.to_string();
                waiting.push(WaitingText::new(session, hooks.to_vec(), at, text));
            }
            for hook in hooks {
                let firing = FiringReceipt::new(hook, session, who, event.as_str());
                let mut firing = firing.characters(characters).at(at);
                // Until the client's next event takes the text.
                firing.delivered = !waits;
                firings.push(if keeps_texts {
                    firing.content(&*injected.text)
                } else {
                    firing
                });
            }
        }
        let started = (event == Event::SessionStart && !firings.is_empty())
            .then(|| seen.session_id.clone())
            .flatten();
        Receipts {
            firings,
            waiting,
            started,
            #[cfg(feature = "log")]
            lines: Vec::new(),
        }
    }

    /// Takes the texts that would wait for the client's next event.
    #[cfg(test)]
    pub(super) fn take_waiting(&mut self) -> Vec<String> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting.map(|waiting| waiting.text).collect()
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
        waiting::keep(store, &self.waiting);
        if let Err(error) = fired {
            tracing::warn!(%error, "the firing is not recorded");
        }
    }
}
