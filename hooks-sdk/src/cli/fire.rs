//! `hooks fire`: one event of a client, answered.

use std::{
    env,
    io::{self, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::{Value, json};

use super::{Failure, Program, command, pipe::Pipe, program::runtime, stats::named_in};
use crate::{
    clients::{
        Client, Fired, MAX_INPUT, Seen, fire_seen, hear,
        receipts::{Call, Firing, HookStore, RECEIPTS_VARIABLE, now},
    },
    lifecycle::{
        Content, Event,
        host::{Host, Policy},
    },
    server::{Collected, Declared, ServerHandler},
};

/// How long the server may take to list its tools.
const LISTING: Duration = Duration::from_millis(200);

/// The arguments of `hooks fire`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Fire {
    /// Which client fires: `claude-code`, `codex` or `gemini`
    // A wrong word is answered like any other input: to a client, another exit code has a meaning.
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Which event, when standard input does not name it
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// The server's name in this client, when it is another
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// What an entry of another version may pass besides
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

impl Fire {
    /// Answers; whatever happens, with an object that the client understands.
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let fired = catch_unwind(AssertUnwindSafe(|| self.fire(program)));
        let (output, after) = match fired {
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
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{output}").and_then(|()| out.flush());
        if let Err(error) = written {
            tracing::debug!(%error, "the client does not read the answer");
        } else if let Some(after) = after {
            // The text is delivered before it is recorded.
            _ = catch_unwind(AssertUnwindSafe(|| after.record(&program.store())));
        }
        ExitCode::SUCCESS
    }

    fn fire<H: ServerHandler>(&self, program: &Program<H>) -> Result<(Value, Receipts), Failure> {
        if !self.rest.is_empty() {
            tracing::warn!(arguments = ?self.rest, "arguments of another version are passed over");
        }
        let client = self
            .client
            .as_deref()
            .ok_or("`--client` says which client fires")?;
        let client = command::client(client)?;
        let event = self.event.as_deref().map(command::event).transpose()?;
        let mut input = Vec::new();
        let limit = MAX_INPUT as u64 + 1;
        io::stdin().lock().take(limit).read_to_end(&mut input)?;
        let name = self.server.as_deref().unwrap_or(&program.name);
        let seen = match hear(client, event, &[name], &input) {
            Ok(seen) => seen,
            Err(unheard) => {
                tracing::warn!(problem = %unheard, "no hook was fired");
                return Ok((json!({}), Receipts::default()));
            }
        };
        let hooks = program.hooks()?;
        let event = seen.occasion.event;
        let runtime = hooks.needs_server(event).then(runtime).transpose()?;
        let work = fire(program, &hooks, client, name, seen);
        let (fired, declared, asks) = match &runtime {
            Some(runtime) => runtime.block_on(work)?,
            None => futures::executor::block_on(work)?,
        };
        if let Some(runtime) = runtime {
            // A context tool that hangs does not hold up the client.
            runtime.shutdown_background();
        }
        if let Some(problem) = &fired.problem {
            tracing::warn!(%problem, "hooks were left out");
        }
        let mut receipts = Receipts::of(client, name, &fired, &declared);
        receipts.asks = asks;
        Ok((fired.output, receipts))
    }
}

/// The tools that texts of context tools asked for, by the hooks that brought them.
type Asks = Vec<(String, Vec<String>)>;

/// Evaluates the hooks at what the client said; also returns the declarations at that event.
async fn fire<H: ServerHandler>(
    program: &Program<H>,
    hooks: &Collected<H>,
    client: &dyn Client,
    name: &str,
    seen: Seen,
) -> Result<(Fired, Vec<Declared>, Asks), Failure> {
    let event = seen.occasion.event;
    let mut declared = program.declared_at(hooks, client, event).await?;
    if is_told_already(&seen, program) {
        // A text that stands in the transcript; what a tool answers may be new.
        declared.retain(|each| matches!(each.declaration.content, Content::ContextTool { .. }));
    }
    let host = program.host(name, &declared);
    let session = seen.session_id.clone();
    let limits = &program.policy;
    let looks_back = !limits.cool_down.is_zero() || limits.rate != Policy::default().rate;
    if let Some(session) = session.as_deref().filter(|_| looks_back) {
        remember(&host, name, &declared, &program.store(), session);
    }
    let pipe = Pipe::new(program, session.as_deref());
    let fired = fire_seen(client, seen, &host, &pipe).await;
    let asks = asks(&pipe, &fired, &declared).await;
    Ok((fired, declared, asks))
}

/// What the texts of context tools ask for: only now are they known.
async fn asks<H: ServerHandler>(pipe: &Pipe<'_, H>, fired: &Fired, declared: &[Declared]) -> Asks {
    let mut asks = Asks::new();
    for injected in fired.report.iter().flat_map(|report| &report.injected) {
        let Some(each) = declared.get(injected.index) else {
            continue;
        };
        if !matches!(each.declaration.content, Content::ContextTool { .. }) {
            continue;
        }
        // The client waits for the text, which is worth more than a statistic.
        let tools = tokio::time::timeout(LISTING, pipe.tools()).await;
        let Ok(Ok(tools)) = tools else {
            tracing::debug!("which tools the text asks for is not recorded");
            break;
        };
        let named = named_in(&injected.text, &tools);
        asks.extend(each.hooks.iter().map(|hook| (hook.clone(), named.clone())));
    }
    asks
}

/// Whether the session's start was told in this session, and its transcript still has it.
fn is_told_already<H: ServerHandler>(seen: &Seen, program: &Program<H>) -> bool {
    let resumed = seen.source.as_deref() == Some("resume");
    let session = seen.session_id.as_deref().filter(|_| resumed);
    session.is_some_and(|session| {
        let told = program
            .store()
            .already_said(session, Event::SessionStart.as_str());
        told.unwrap_or(false)
    })
}

/// Tells the host, which is new with each event, what fired in this session before.
fn remember(host: &Host, name: &str, declared: &[Declared], store: &HookStore, session: &str) {
    let past = match store.last_firings(session) {
        Ok(past) => past,
        Err(error) => {
            tracing::warn!(%error, "what fired before is not known");
            return;
        }
    };
    let (now, instant) = (now(), Instant::now());
    for (index, each) in declared.iter().enumerate() {
        let of_this = past.iter().filter(|fired| each.hooks.contains(&fired.hook));
        if let Some(ago) = of_this.map(|fired| fired.ago(now)).min() {
            host.fired_before(name, index, ago, instant);
        }
    }
}

/// What is recorded of one event.
#[derive(Debug, Default)]
struct Receipts {
    firings: Vec<Firing>,
    call: Option<Call>,
    /// The session whose start was told.
    started: Option<String>,
    asks: Asks,
}

impl Receipts {
    fn of(client: &dyn Client, name: &str, fired: &Fired, declared: &[Declared]) -> Receipts {
        let Some(seen) = &fired.seen else {
            return Receipts::default();
        };
        let session = seen.session_id.as_deref().unwrap_or_default();
        let event = seen.occasion.event;
        let mut firings = Vec::new();
        let keeps_texts = env::var_os(RECEIPTS_VARIABLE).is_some_and(|value| value == "texts");
        for injected in fired.report.iter().flat_map(|report| &report.injected) {
            let hooks = declared.get(injected.index).map(|each| &each.hooks[..]);
            let characters = injected.text.chars().count() as u64;
            for hook in hooks.unwrap_or_default() {
                let firing = Firing::new(hook, session, client.name(), event.as_str());
                let firing = firing.characters(characters);
                firings.push(if keeps_texts {
                    firing.content(&*injected.text)
                } else {
                    firing
                });
            }
        }
        // Where the client tells the server its session, the server records its calls itself.
        let own = seen.occasion.tool_server.as_deref() == Some(name);
        let called = seen
            .tool
            .as_ref()
            .filter(|_| own && event == Event::PostToolUse);
        let call = called
            .filter(|_| !client.tells_session())
            .map(|tool| Call::new(tool, session, client.name()));
        let started = (event == Event::SessionStart && !firings.is_empty())
            .then(|| seen.session_id.clone())
            .flatten();
        Receipts {
            firings,
            call,
            started,
            asks: Asks::new(),
        }
    }

    fn record(&self, store: &HookStore) {
        if let Some(session) = &self.started {
            _ = store.mark(session, Event::SessionStart.as_str());
        }
        let fired = if self.firings.is_empty() {
            Ok(())
        } else {
            store.record_firings(&self.firings)
        };
        let called = self
            .call
            .as_ref()
            .map_or(Ok(()), |call| store.record_call(call));
        let asked = self
            .asks
            .iter()
            .try_for_each(|(hook, tools)| store.record_asks(hook, tools));
        if let Err(error) = fired.and(called).and(asked) {
            tracing::warn!(%error, "what fired is not recorded");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clients,
        core::Registry,
        lifecycle::{Hook, point, priority},
    };

    struct Quiet;

    impl ServerHandler for Quiet {}

    fn program(folder: &std::path::Path, policy: Policy) -> Program<Quiet> {
        let make = || Err("a text needs no server".into());
        let program = Program::new("quiet", make).data(folder).policy(policy);
        program.collected(|| {
            let hook = Hook::text(
                "hello",
                point::post_tool_use,
                priority::suggestion,
                "Hello.",
            );
            Collected::of(Registry::builder().add(hook.into()).build()?)
        })
    }

    /// Fires in a process of its own, as far as a test can have one.
    fn fires(program: &Program<Quiet>, session: &str) -> bool {
        let input =
            json!({ "hook_event_name": "PostToolUse", "session_id": session, "tool_name": "Bash" });
        let client = clients::by_name("claude-code").unwrap();
        let seen = hear(client, None, &["quiet"], input.to_string().as_bytes()).unwrap();
        let hooks = program.hooks().unwrap();
        let work = fire(program, &hooks, client, "quiet", seen);
        let (fired, declared, _) = futures::executor::block_on(work).unwrap();
        Receipts::of(client, "quiet", &fired, &declared).record(&program.store());
        fired.output != json!({})
    }

    #[test]
    fn a_cool_down_holds_between_processes_and_within_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let policy = Policy {
            cool_down: std::time::Duration::from_secs(3600),
            ..Policy::default()
        };
        let cooling = program(folder.path(), policy);
        assert!(fires(&cooling, "one"));
        assert!(!fires(&cooling, "one"));
        assert!(fires(&cooling, "two"));
        let warm = program(folder.path(), Policy::default());
        assert!(fires(&warm, "one") && fires(&warm, "one"));
    }

    #[test]
    fn a_rate_holds_between_processes() {
        let folder = tempfile::tempdir().unwrap();
        let mut policy = Policy::default();
        policy.rate.hooks = 1;
        let limited = program(folder.path(), policy);
        assert!(fires(&limited, "one"));
        assert!(!fires(&limited, "one"));
    }
}
