//! Texts of events at which the client takes none: they are kept, and sent with its next event.

use crate::clients::{
    Client, Delivery, Fired, Seen,
    receipts::{HookStore, WaitingText},
};

/// Returns whether this firing has a text to keep, or kept texts to send.
pub(super) fn is_due(client: &dyn Client, store: &HookStore, fired: &Fired) -> bool {
    let Some(seen) = &fired.seen else {
        return false;
    };
    let keeps = |event| client.mapping(event).delivery == Delivery::Next;
    match client.mapping(seen.occasion.event).delivery {
        Delivery::Next => (fired.report.iter()).any(|report| !report.injected.is_empty()),
        Delivery::Context if crate::lifecycle::Event::ALL.into_iter().any(keeps) => {
            let session = seen.session_id.as_deref().unwrap_or_default();
            // If the store is locked, the texts wait for another event.
            store.has_waiting(session).unwrap_or(false)
        }
        _ => false,
    }
}

/// Adds the kept texts of the session to an answer, the oldest first, as far as they fit.
pub(super) fn send(client: &dyn Client, store: &HookStore, fired: &mut Fired) {
    let Some(seen) = &fired.seen else {
        return;
    };
    let event = seen.occasion.event;
    if client.mapping(event).delivery != Delivery::Context {
        return;
    }
    let session = seen.session_id.as_deref().unwrap_or_default();
    let own = fired.report.as_ref().map(ToString::to_string);
    let own = own.filter(|own| !own.is_empty());
    let budget = client.budget(event);
    let mut used = own.as_ref().map_or(0, |own| budget.length(own));
    let fits = |text: &str| {
        used += budget.length(text) + 2;
        used <= budget.most
    };
    match store.take_waiting(session, fits) {
        Ok(texts) if texts.is_empty() => {}
        Ok(texts) => {
            let texts: Vec<String> = texts.into_iter().chain(own).collect();
            // Also where the agent continues: the texts were due before.
            let seen = Seen {
                kept_going: false,
                ..seen.clone()
            };
            fired.output = client.answer(&seen, &texts.join("\n\n"));
        }
        Err(error) => tracing::warn!(%error, "kept texts wait for another event"),
    }
}

/// Keeps texts for the next event.
pub(super) fn keep(store: &HookStore, texts: &[WaitingText]) {
    if texts.is_empty() {
        return;
    }
    match store.keep_for_next(texts) {
        Ok(0) => {}
        Ok(lost) => tracing::warn!(lost, "texts are not sent: too many wait in this session"),
        Err(error) => tracing::warn!(%error, "a text for the client's next event is lost"),
    }
}
