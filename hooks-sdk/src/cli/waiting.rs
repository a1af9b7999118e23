//! Texts of events at which the client takes none: they are kept, and sent with its next event.

use crate::clients::{
    Client, Delivery, Fired,
    history::{HookStore, WaitingText},
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
            let mut seen = seen.clone();
            seen.kept_going = false;
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        cli::{Program, fire::Fire},
        core::Registry,
        lifecycle::{Event, LifecycleHook, point, strength},
        server::{Collected, ServerHandler},
    };

    struct Quiet;

    impl ServerHandler for Quiet {}

    fn program(folder: &std::path::Path) -> Program<Quiet> {
        let make = || Err("a text needs no server".into());
        Program::new("quiet", make).data(folder).collected(|| {
            let after = LifecycleHook::text(
                "after",
                point::post_tool_use,
                strength::suggestion,
                "After.",
            );
            let start = LifecycleHook::text(
                "start",
                point::session_start,
                strength::suggestion,
                "Begin.",
            );
            let ask =
                LifecycleHook::text("ask", point::pre_request, strength::suggestion, "Think.");
            let registry = Registry::builder()
                .add(after.into())
                .add(start.into())
                .add(ask.into());
            Collected::of(registry.build()?)
        })
    }

    fn fire(program: &Program<Quiet>, client: &str, event: Event, input: Value) -> Value {
        let store = program.store();
        let fire = Fire::of(client, Some(event));
        let fired = fire.fire(program, &store, input.to_string().as_bytes());
        let (output, receipts) = fired.expect("an answer");
        receipts.record(&store);
        output
    }

    fn text(hook: &str) -> String {
        format!("Hook of the MCP server `quiet` (suggestion):\n> {hook}")
    }

    #[test]
    fn antigravity_s_text_after_a_tool_goes_with_the_next_request() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path());
        let fire = |event, input| fire(&program, "antigravity", event, input);
        let tool = |step: u64| json!({"conversationId": "s", "stepIdx": step, "toolCall": {"name": "run_command", "args": {}}});
        let request = |number: u64, steps: u64| json!({"conversationId": "s", "invocationNum": number, "initialNumSteps": steps});
        assert_eq!(fire(Event::PostToolUse, tool(1)), json!({}));
        // The same firing, of the user's and the project's entries.
        assert_eq!(fire(Event::PostToolUse, tool(1)), json!({}));
        assert_eq!(fire(Event::PostToolUse, tool(2)), json!({}));
        let injected = |text: String| json!({"injectSteps": [{"userMessage": text}]});
        assert_eq!(
            fire(Event::PreRequest, request(1, 3)),
            injected(text("After."))
        );
        assert_eq!(fire(Event::PreRequest, request(1, 3)), json!({}));
        assert_eq!(fire(Event::PreRequest, request(2, 4)), json!({}));
        assert_eq!(fire(Event::PostToolUse, tool(5)), json!({}));
        let both = format!("{}\n\n{}", text("After."), text("Think."));
        assert_eq!(fire(Event::PreRequest, request(0, 6)), injected(both));
        let stats = program.store().stats(0).unwrap();
        let after = stats.iter().find(|stats| stats.hook == "after").unwrap();
        // One of two equal texts was sent.
        assert_eq!((after.fired, after.delivered), (3, 2));
    }

    #[test]
    fn cursor_s_start_goes_with_the_first_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path());
        let fire = |event, input| fire(&program, "cursor", event, input);
        let start = json!({"hook_event_name": "sessionStart", "conversation_id": "s"});
        let prompt = |id: &str| json!({"hook_event_name": "beforeSubmitPrompt", "conversation_id": "s", "generation_id": id});
        assert_eq!(fire(Event::SessionStart, start), json!({}));
        let both = format!("{}\n\n{}", text("Begin."), text("Think."));
        assert_eq!(
            fire(Event::PreRequest, prompt("1")),
            json!({"additional_context": both})
        );
        let second = json!({"additional_context": text("Think.")});
        assert_eq!(fire(Event::PreRequest, prompt("2")), second);
    }
}
