//! `hooks fire`: answers one event of a client.

use std::{
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::{Value, json};

#[cfg(feature = "log")]
use super::fired_log::{self, FiredLines};
#[cfg(feature = "policy-engine")]
use super::gate;
use super::{
    CommandError, Program,
    evaluate::{Evaluated, evaluate},
    explained::left_out,
    options,
    pipe::Pipe,
    print,
    program::runtime,
    receipts::Receipts,
    standard_input,
};
#[cfg(feature = "log")]
use crate::clients::InputError;
use crate::{
    clients::{self, Client, history::HookStore, read_input, silence, trial::Inside},
    lifecycle::{Event, host::Reason},
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
    /// The id of the server whose entry runs this
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Arguments that entries of another version may pass
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
    /// When the client's patience began.
    #[arg(skip = Instant::now())]
    began: Instant,
}

impl Fire {
    /// Returns the command that a client's entry runs.
    #[cfg(test)]
    pub(super) fn of(client: &str, event: Option<Event>) -> Fire {
        Fire {
            client: Some(client.to_owned()),
            event: event.map(|event| event.as_str().to_owned()),
            server: None,
            id: None,
            rest: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Answers with an object that the client understands, whatever happens.
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        // Another package's program is now where the entry's own was.
        if let Some(id) = self.id.as_deref().filter(|id| *id != program.id) {
            let own = &*program.id;
            tracing::error!(
                id,
                own,
                "this entry is of another server: its hooks do not run"
            );
            // The entry of a gate that refuses does so at this code.
            return match self.is_of_gate() {
                true => ExitCode::FAILURE,
                false => print::outcome(print::text(&self.printed(&json!({})))),
            };
        }
        #[cfg(feature = "policy-engine")]
        if let Some(at) = gate::point(self.event.as_deref()) {
            let server = self.server.as_deref().unwrap_or(&program.name);
            return gate::run(program, at, self.client.as_deref(), server, self.began);
        }
        let store = program.store();
        let fired = catch_unwind(AssertUnwindSafe(|| {
            let patience = self.patience(self.client()?);
            let input = standard_input::one_value(self.began, patience)?;
            self.fire(program, &store, &input)
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
        if after.is_none()
            && let Some(inside) = Inside::here()
        {
            inside.failed("the event cannot be answered");
        }
        #[cfg(feature = "log")]
        let lines = self.logged(program, &mut output, &mut after);
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{}", self.printed(&output)).and_then(|()| out.flush());
        if let Err(error) = written {
            tracing::debug!(%error, "the client does not read the answer");
        } else if let Some(after) = after {
            // The client gets the text first: recording may be slow or fail.
            _ = catch_unwind(AssertUnwindSafe(|| after.record(&store)));
        }
        #[cfg(feature = "log")]
        if let Some(lines) = lines {
            lines.append();
        }
        ExitCode::SUCCESS
    }

    fn is_of_gate(&self) -> bool {
        let event = self.event.as_deref();
        event.is_some_and(|event| event.starts_with("agent_tool_"))
    }

    /// Returns the line of an answer.
    fn printed(&self, answer: &Value) -> String {
        let client = self.client().ok();
        client.map_or_else(|| answer.to_string(), |client| client.printed(answer))
    }

    fn client(&self) -> Result<&'static Client, CommandError> {
        let client = self.client.as_deref();
        let client = client.ok_or("`--client` is missing: it names the client that fires")?;
        Ok(options::client(client)?)
    }

    /// Returns how long the event may take. Where the arguments do not name it, that is the shortest time of the client.
    fn patience(&self, client: &Client) -> Duration {
        let event = self.event.as_deref();
        let event = event.and_then(|word| client.event(word).or_else(|| clients::event(word)));
        let events = Event::ALL.into_iter();
        let events = events.filter(|it| event.is_none_or(|event| event == *it));
        let patience = events.map(|event| client.patience(event)).min();
        patience.unwrap_or_default()
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
        if !self.rest.is_empty() {
            tracing::warn!(arguments = ?self.rest, "arguments of another version are ignored");
        }
        let client = self.client()?;
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
                if let Some(inside) = Inside::here() {
                    inside.failed(&unheard.to_string());
                }
                #[cfg_attr(not(feature = "log"), allow(unused_mut, reason = "a log adds lines"))]
                let mut receipts = Receipts::default();
                #[cfg(feature = "log")]
                if !matches!(unheard, InputError::UnknownEvent(_)) {
                    receipts.lines =
                        fired_log::unanswered(Some(client.name), self.event.as_deref());
                }
                return Ok((json!({}), receipts));
            }
        };
        let own = seen.answered(client);
        let hooks = program.hooks()?;
        let event = seen.occasion.event;
        let runtime = hooks.needs_server(event).then(runtime).transpose()?;
        let session = seen.session_id.clone();
        let work = async {
            let pipe = Pipe::new(program, session.as_deref());
            evaluate(&pipe, &hooks, store, own, name, seen, self.began).await
        };
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
            // Two servers of one name share the store.
            let event = format!("{event} {}", program.id);
            let claimed = store.claim(session.unwrap_or_default(), &event, firing);
            claimed.unwrap_or_else(|error| {
                tracing::warn!(%error, "another process may answer this firing, too");
                true
            })
        };
        if fired.output != json!({}) && !is_first() {
            tracing::warn!("another process of this server answers this firing");
            return Ok((json!({}), Receipts::default()));
        }
        if evaluated.fired.output == json!({}) {
            say_why(own, &evaluated);
        }
        #[cfg_attr(not(feature = "log"), allow(unused_mut, reason = "a log adds lines"))]
        let mut receipts = Receipts::of(client, &evaluated);
        #[cfg(feature = "log")]
        {
            receipts.lines = fired_log::lines(client, &evaluated, self.began);
        }
        if let Some(inside) = Inside::here() {
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

/// Says on standard error why no text is sent. Of a hook that does not match, nothing is said.
fn say_why(client: &Client, evaluated: &Evaluated) {
    let seen = evaluated.fired.seen.as_ref();
    let silence = seen.and_then(|seen| silence(client, seen));
    for each in left_out(silence, evaluated) {
        if each.why != Reason::NotMatched.to_string() {
            tracing::warn!(
                hooks = each.hooks.join(", "),
                why = each.why,
                "a text is not sent"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

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
    fn context_tools_have_the_time_that_reading_has_left() {
        let collect = || {
            let (start, suggestion) = (point::session_start, strength::suggestion);
            let text = LifecycleHook::text("hello", start, suggestion, "Hello.");
            let slow = LifecycleHook::answering_any::<_, (), _>("slow", start, suggestion, |()| {
                Box::pin(std::future::pending::<String>())
            });
            let hooks = Registry::builder().add(text.into()).add(slow.into());
            Collected::of(hooks.build()?)
        };
        let program = Program::new("quiet", || Ok(Quiet)).collected(collect);
        for (spent, bounds) in [(10, 0..4), (3, 1..4)] {
            let began = Instant::now();
            let fire = Fire {
                began: began - Duration::from_secs(spent),
                ..Fire::of("claude-code", Some(Event::SessionStart))
            };
            let (output, _) = fire.fire(&program, &HookStore::off(), b"{}").unwrap();
            assert!(output.to_string().contains("Hello."), "{output}");
            let taken = began.elapsed();
            assert!(bounds.contains(&taken.as_secs()), "{spent} s: {taken:?}");
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
        // Another server of this name is not silent because of it.
        let other = self::program(folder.path(), ClientControls::default()).id("another");
        assert!(fires_at(&other, "two", 1));
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
        let store = program.store();
        let fired = ["one", "two"].map(|session| store.recent_firings(session, 0).unwrap().len());
        assert_eq!(fired, [2, 2]);
    }
}
