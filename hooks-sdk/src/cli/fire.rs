//! `hooks fire`: answers one event of a client.

use std::{
    env,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use clap::Args;
use serde_json::{Value, json};

#[cfg(feature = "log")]
use super::fired_log::{self, FiredLines};
#[cfg(feature = "plugin")]
use super::gate;
use super::{
    CommandError, Program,
    evaluate::{Asks, Evaluated, evaluate, standard_input},
    options,
    program::runtime,
    waiting,
};
#[cfg(feature = "log")]
use crate::{clients::InputError, log::DecisionEntry};
use crate::{
    clients::{
        self, Client, Delivery,
        history::{CallReceipt, FiringReceipt, HookStore, RECEIPTS_VARIABLE, WaitingText, now},
        read_input,
    },
    lifecycle::Event,
    server::ServerHandler,
};

/// The arguments of `hooks fire`.
#[derive(Clone, Debug, Args)]
pub(super) struct Fire {
    /// The client, such as `claude-code`
    // Not parsed by clap: a wrong name would change the exit code, which has a meaning to clients.
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// The event, by one of the six names or the client's own, if standard input does not name one
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// The server's name in this client, if it differs
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Arguments that entries of another version may pass
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

impl Fire {
    /// Returns the command that a client's entry runs.
    #[cfg(test)]
    pub(super) fn of(client: &str, event: Option<Event>) -> Fire {
        Fire {
            client: Some(client.to_owned()),
            event: event.map(|event| event.as_str().to_owned()),
            server: None,
            rest: Vec::new(),
        }
    }

    /// Answers with an object that the client understands, whatever happens.
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        #[cfg(feature = "plugin")]
        if let Some(at) = gate::point(self.event.as_deref()) {
            let server = self.server.as_deref().unwrap_or(&program.name);
            return gate::run(program, at, self.client.as_deref(), server);
        }
        let store = program.store();
        let fired = catch_unwind(AssertUnwindSafe(|| {
            self.fire(program, &store, &standard_input()?)
        }));
        #[cfg_attr(
            not(feature = "log"),
            allow(unused_mut, reason = "a log withholds texts")
        )]
        let (mut output, mut after) = match fired {
            Ok(Ok((output, after))) => (output, Some(after)),
            Ok(Err(problem)) => {
                tracing::error!(%problem, "no hook was fired");
                (json!({}), None)
            }
            Err(_) => {
                tracing::error!("firing hooks panicked");
                (json!({}), None)
            }
        };
        #[cfg(feature = "prove")]
        if after.is_none()
            && let Some(inside) = crate::prove::Inside::here()
        {
            inside.failed("the event cannot be answered");
        }
        #[cfg(feature = "log")]
        let lines = self.logged(program, &mut output, &mut after);
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{output}").and_then(|()| out.flush());
        if let Err(error) = written {
            tracing::debug!(%error, "the client does not read the answer");
        } else if let Some(after) = after {
            // The client gets the text first: recording may be slow or fail.
            _ = catch_unwind(AssertUnwindSafe(|| after.record(&store)));
            if after.begins {
                _ = catch_unwind(AssertUnwindSafe(|| program.mend()));
            }
        }
        #[cfg(feature = "log")]
        if let Some(lines) = lines {
            lines.append();
        }
        ExitCode::SUCCESS
    }

    /// Writes the lines of a firing, and withholds its texts if they have to wait for lines that cannot be written. Returns
    /// the lines that do not come first.
    #[cfg(feature = "log")]
    pub(super) fn logged<H: ServerHandler>(
        &self,
        program: &Program<H>,
        output: &mut Value,
        after: &mut Option<Receipts>,
    ) -> Option<FiredLines> {
        let lines = match after {
            Some(receipts) => std::mem::take(&mut receipts.lines),
            None => fired_log::unanswered(self.client.as_deref(), self.event.as_deref()),
        };
        let lines = FiredLines::of(program, lines)?;
        if !lines.come_first() {
            return Some(lines);
        }
        if !lines.append() {
            (*output, *after) = (json!({}), None);
        }
        None
    }

    pub(super) fn fire<H: ServerHandler>(
        &self,
        program: &Program<H>,
        store: &HookStore,
        input: &[u8],
    ) -> Result<(Value, Receipts), CommandError> {
        #[cfg(feature = "log")]
        let began = std::time::Instant::now();
        if !self.rest.is_empty() {
            tracing::warn!(arguments = ?self.rest, "arguments of another version are ignored");
        }
        let client = self
            .client
            .as_deref()
            .ok_or("`--client` is missing: it names the client that fires")?;
        let client = options::client(client)?;
        let name = self.server.as_deref().unwrap_or(&program.name);
        if let Some(native) = &self.event
            && clients::event(native).is_none()
            && let Ok(input) = serde_json::from_slice(input)
            && let Some(answer) = client.aside(native, &input, name)
        {
            return Ok((answer, Receipts::default()));
        }
        let event = self.event.as_deref();
        let event = event.map(|word| client.event(word).map_or_else(|| options::event(word), Ok));
        let event = event.transpose()?;
        let seen = match read_input(client, event, &[name], input) {
            Ok(seen) => seen,
            Err(unheard) => {
                tracing::warn!(problem = %unheard, "no hook was fired");
                #[cfg(feature = "prove")]
                if let Some(inside) = crate::prove::Inside::here() {
                    inside.failed(&unheard.to_string());
                }
                #[cfg_attr(not(feature = "log"), allow(unused_mut, reason = "a log adds lines"))]
                let mut receipts = Receipts::default();
                #[cfg(feature = "log")]
                if !matches!(unheard, InputError::UnknownEvent(_)) {
                    receipts.lines =
                        fired_log::unanswered(Some(client.name()), self.event.as_deref());
                }
                return Ok((json!({}), receipts));
            }
        };
        let own = seen.answered(client);
        let hooks = program.hooks()?;
        let event = seen.occasion.event;
        let runtime = hooks.needs_server(event).then(runtime).transpose()?;
        let work = evaluate(program, &hooks, store, own, name, seen);
        let mut evaluated = match &runtime {
            Some(runtime) => runtime.block_on(work)?,
            None => futures::executor::block_on(work)?,
        };
        if let Some(runtime) = runtime {
            // A context tool that hangs must not delay the client.
            runtime.shutdown_background();
        }
        let fired = &evaluated.fired;
        if let Some(problem) = &fired.problem {
            tracing::warn!(%problem, "hooks were skipped");
        }
        let seen = fired.seen.as_ref();
        let session = seen.and_then(|seen| seen.session_id.as_deref());
        let firing = seen.and_then(|seen| seen.firing.as_deref());
        let firing = firing.map_or(input, str::as_bytes);
        // If the store is locked, answer anyway: a text twice is better than none.
        let is_first = || {
            store
                .claim(session.unwrap_or_default(), event.as_str(), firing)
                .unwrap_or(true)
        };
        let is_due = waiting::is_due(own, store, fired);
        if (is_due || fired.output != json!({})) && !is_first() {
            tracing::debug!("another process of this server answers this firing");
            return Ok((json!({}), Receipts::default()));
        }
        if is_due {
            waiting::send(own, store, &mut evaluated.fired);
        }
        #[cfg_attr(not(feature = "log"), allow(unused_mut, reason = "a log adds lines"))]
        let mut receipts = Receipts::of(client, name, &evaluated);
        #[cfg(feature = "log")]
        {
            receipts.lines = fired_log::lines(client, &evaluated, began);
        }
        #[cfg(feature = "prove")]
        if let Some(inside) = crate::prove::Inside::here() {
            inside.answered(
                client,
                &mut evaluated.fired,
                &evaluated.declared,
                &evaluated.unfit,
            );
        }
        Ok((evaluated.fired.output, receipts))
    }
}

/// What one event records.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    firings: Vec<FiringReceipt>,
    /// The texts for the client's next event.
    waiting: Vec<WaitingText>,
    call: Option<CallReceipt>,
    /// Whether a session begins.
    begins: bool,
    /// The session whose start texts were sent.
    started: Option<String>,
    asks: Asks,
    /// The lines of the decision log.
    #[cfg(feature = "log")]
    lines: Vec<DecisionEntry>,
}

impl Receipts {
    fn of(client: &dyn Client, name: &str, evaluated: &Evaluated) -> Receipts {
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
        // If the client sends the server its session id, the server records the calls itself.
        let own = seen.occasion.tool_server.as_deref() == Some(name);
        let called = seen
            .tool
            .as_ref()
            .filter(|_| own && event == Event::PostToolUse);
        let call = called
            .filter(|_| seen.caller.is_some() || !client.tells_session())
            .map(|tool| CallReceipt::new(tool, session, who));
        let started = (event == Event::SessionStart && !firings.is_empty())
            .then(|| seen.session_id.clone())
            .flatten();
        Receipts {
            firings,
            waiting,
            call,
            begins: event == Event::SessionStart,
            started,
            asks: evaluated.asks.clone(),
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
        let called = self
            .call
            .as_ref()
            .map_or(Ok(()), |call| store.record_call(call));
        let asked = self
            .asks
            .iter()
            .try_for_each(|(hook, tools)| store.record_asks(hook, tools));
        if let Err(error) = fired.and(called).and(asked) {
            tracing::warn!(%error, "the firing is not recorded");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        sync::atomic::{AtomicU64, Ordering},
    };

    use super::*;
    use crate::{
        core::Registry,
        lifecycle::{LifecycleHook, host::ClientControls, point, strength},
        server::Collected,
    };

    static CALLS: AtomicU64 = AtomicU64::new(100);

    struct Quiet;

    impl ServerHandler for Quiet {}

    fn program(folder: &std::path::Path, policy: ClientControls) -> Program<Quiet> {
        let make = || Err("a text needs no server".into());
        let program = Program::new("quiet", make)
            .data(folder)
            .client_controls(policy);
        program.collected(|| {
            let hook = LifecycleHook::text(
                "hello",
                point::post_tool_use,
                strength::suggestion,
                "Hello.",
            );
            Collected::of(Registry::builder().add(hook.into()).build()?)
        })
    }

    /// Fires in a process of its own, as far as a test can have one; each time it is another call.
    fn fires(program: &Program<Quiet>, session: &str) -> bool {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        fires_at(program, session, call)
    }

    fn fires_at(program: &Program<Quiet>, session: &str, call: u64) -> bool {
        let input = json!({
            "hook_event_name": "PostToolUse", "session_id": session, "tool_name": "Bash", "tool_use_id": call,
        });
        let fire = Fire::of("claude-code", None);
        let store = program.store();
        let fired = fire.fire(program, &store, input.to_string().as_bytes());
        let (output, receipts) = fired.unwrap();
        receipts.record(&store);
        output != json!({})
    }

    #[test]
    fn a_cool_down_holds_between_processes_and_within_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let mut controls = ClientControls::default();
        controls.cool_down = std::time::Duration::from_secs(3600);
        let cooling = program(folder.path(), controls);
        assert!(fires(&cooling, "one"));
        assert!(!fires(&cooling, "one"));
        assert!(fires(&cooling, "two"));
        let warm = program(folder.path(), ClientControls::default());
        assert!(fires(&warm, "one") && fires(&warm, "one"));
    }

    #[test]
    fn a_rate_holds_between_processes() {
        for limit in [1, 2, 3, ClientControls::default().rate.hooks] {
            let folder = tempfile::tempdir().unwrap();
            let mut policy = ClientControls::default();
            policy.rate.hooks = limit;
            let limited = program(folder.path(), policy);
            let fired = (0..limit + 2).filter(|_| fires(&limited, "one")).count();
            assert_eq!(fired, limit);
            assert!(fires(&limited, "two"));
        }
    }

    #[test]
    fn a_firing_is_answered_once() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), ClientControls::default());
        assert!(fires_at(&program, "one", 1));
        assert!(!fires_at(&program, "one", 1));
        assert!(fires_at(&program, "one", 2));
        assert!(fires_at(&program, "two", 1));
        // Copilot CLI starts an entry of its own and one of Claude Code's, and need not write the same bytes.
        let members = [
            r#""hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","#,
            r#""timestamp":"2026-01-01T00:00:00.000Z","tool_input":{"command":"ls"},"#,
        ];
        let [one, other] = members;
        let answers = [("copilot", one, other), ("claude-code", other, one)].map(|each| {
            let (client, first, last) = each;
            let input = format!("{{{first}{last}\"cwd\":\"/w\"}}");
            let fire = Fire::of(client, None);
            let fired = fire.fire(&program, &program.store(), input.as_bytes());
            fired.unwrap().0
        });
        assert!(answers[0]["additionalContext"].is_string());
        assert_eq!(answers[1], json!({}));
        // What names no session is not known again.
        assert!(fires_at(&program, "", 1) && fires_at(&program, "", 1));
        let stats = program.store().stats(0, &BTreeMap::new()).unwrap();
        assert_eq!(stats[0].fired, 5);
    }
}
