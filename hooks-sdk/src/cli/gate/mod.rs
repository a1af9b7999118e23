//! Gates: the answer to a client that asks before it runs one of its tools.

mod answer;
mod call;
mod decided;
mod judge;
mod trial;

use std::{
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{CommandError, Program, plugins, standard_input};
use crate::{
    clients::{self, Client, GateEntries},
    lifecycle::Event,
    plugin::{Chain, PluginAt, PluginHook, PluginMode, Posture},
    server::ServerHandler,
    store::Store,
};

use self::answer::answer;

/// The word of the plugin that asks for the session with the server.
const SERVER_FIRST: &str = "server_first";

/// The member of the shared state in which that plugin reads whether the session is open.
const SESSION_OPEN: &str = "hooks-sdk/session_open";

fn is_server_first(hook: &PluginHook) -> bool {
    hook.its_plugin() == Some(SERVER_FIRST)
}

/// Whether the event of `hooks fire` is a gate's, and which.
pub(super) fn point(event: Option<&str>) -> Option<PluginAt> {
    let at = PluginAt::named(event?)?;
    let known = [PluginAt::AgentToolPreInvoke, PluginAt::AgentToolPostInvoke];
    known.contains(&at).then_some(at)
}

impl<H: ServerHandler> Program<H> {
    /// Returns the entries that the gates of this program need.
    pub(super) fn gates(&self) -> Result<GateEntries, CommandError> {
        let (chain, _) = plugins::chain(&self.hooks()?)?;
        self.check_server_first(&chain)?;
        Ok(entries(&chain))
    }

    /// Checks, before the server is served, that its gates find the sessions. `is_elsewhere` says that the sessions are in
    /// the store of `--store`.
    pub(super) fn check_gates(&self, is_elsewhere: bool) -> Result<(), CommandError> {
        // What is wrong with the policy is said when it is read for the server.
        let Ok((chain, _)) = plugins::chain(&self.hooks()?) else {
            return Ok(());
        };
        self.check_server_first(&chain)?;
        if is_elsewhere && stand(&chain, PluginAt::AgentToolPreInvoke).any(is_server_first) {
            return Err("`server_first` does not find the sessions in the store of `--store`\n\
                        help: set the store with `Sessions::store`, so that `hooks fire` reads it too"
                .into());
        }
        Ok(())
    }

    fn check_server_first(&self, chain: &Chain) -> Result<(), CommandError> {
        if !stand(chain, PluginAt::AgentToolPreInvoke).any(is_server_first) {
            return Ok(());
        }
        if self.machine().is_none() {
            return Err(
                "`server_first` needs the states of sessions, and this server has none\n\
                 help: give the program a session machine with `Program::session`"
                    .into(),
            );
        }
        match self.own_sessions() {
            Some(store) if store.in_memory().is_some() => Err(
                "`server_first` needs a store that the program's processes share, and the sessions are in memory\n\
                 help: remove `Sessions::store`, or set a store that is shared"
                    .into(),
            ),
            Some(_) => Ok(()),
            None if self.folder().is_none() => Err(
                "`server_first` needs a store that the program's processes share\n\
                 help: set its folder with `Program::data`"
                    .into(),
            ),
            None => Ok(()),
        }
    }

    /// Returns the store that the author gave to the sessions.
    fn own_sessions(&self) -> Option<Arc<dyn Store>> {
        self.settings.sessions.as_ref()?.own_store()
    }
}

fn entries(chain: &Chain) -> GateEntries {
    let mut entries = GateEntries::default();
    let hooks = || stand(chain, PluginAt::AgentToolPreInvoke);
    entries.judges = hooks().next().is_some();
    entries.is_closed = hooks().any(refuses);
    entries.records = stand(chain, PluginAt::AgentToolPostInvoke).next().is_some();
    let all = hooks().chain(stand(chain, PluginAt::AgentToolPostInvoke));
    if all.clone().all(|hook| !hook.its_kinds().is_empty()) {
        let kinds = all.flat_map(|hook| hook.its_kinds());
        let mut kinds: Vec<&str> = kinds.map(|kind| kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        entries.kinds = kinds;
    }
    entries
}

/// Returns what the gates say about a call, for people. Empty if the program has no gate.
pub(super) fn explained<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
    input: &[u8],
) -> Result<Vec<String>, CommandError> {
    let at = PluginAt::AgentToolPreInvoke;
    if !program.gates()?.judges {
        return Ok(Vec::new());
    }
    let title = client.title;
    let known = clients::by_name(client.name).filter(|it| it.gates.is_some());
    let Some(known) = known else {
        return Ok(vec![format!(
            "{title} was not run with gates: none is installed"
        )]);
    };
    let said = answer(
        program,
        at,
        known,
        &program.name,
        Ok(input),
        None,
        Instant::now(),
    );
    Ok(vec![match (said["reason"].as_str(), said.as_object()) {
        (Some(reason), _) => format!("the gates refuse the call: {reason}"),
        (None, Some(members)) if !members.is_empty() => {
            format!("the gates change the call: {}", said["hookSpecificOutput"])
        }
        _ => "the gates let the call run".to_owned(),
    }])
}

/// Returns what is to be known about the gates in a client, for people. Empty if the program has no gate.
pub(super) fn notes<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
) -> Result<Vec<String>, CommandError> {
    if !program.gates()?.judges {
        return Ok(Vec::new());
    }
    let title = client.title;
    let Some(gates) = &client.gates else {
        return Ok(vec![format!(
            "gates: {title} was not run with gates, so none is installed"
        )]);
    };
    let mut notes: Vec<String> = gates.sentences().map(|it| format!("gates: {it}")).collect();
    if !gates.switches.is_empty() {
        let switches = gates.switches.join("; ");
        notes.push(format!("gates: all hooks are off with {switches}"));
    }
    let (chain, _) = plugins::chain(&program.hooks()?)?;
    let mut hooks = stand(&chain, PluginAt::AgentToolPreInvoke);
    if !client.tells_session && hooks.any(is_server_first) {
        notes.push(format!(
            "gates: {title} does not tell the server its session, so `{SERVER_FIRST}` follows its posture"
        ));
    }
    let own = client.mapping(Event::PreToolUse).deadline;
    if own <= gates.deadline {
        notes.push(format!(
            "gates: {title} ends a hook after {} s",
            own.as_secs()
        ));
    }
    Ok(notes)
}

/// Returns the hooks at a point that run.
fn stand(chain: &Chain, at: PluginAt) -> impl Iterator<Item = &PluginHook> + Clone {
    let hooks = chain.hooks().filter(move |hook| hook.at() == at);
    hooks
        .filter(|hook| hook.its_mode() != PluginMode::Disabled)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns whether a gate refuses a call that it cannot judge.
fn refuses(hook: &PluginHook) -> bool {
    hook.its_gate_posture() == Some(Posture::Deny) && hook.its_mode().may_stop()
}

/// Runs `hooks fire` for a client that asks about a call of one of its tools. The gates' deadline began at `began`.
pub(super) fn run<H: ServerHandler>(
    program: &Program<H>,
    at: PluginAt,
    client: Option<&str>,
    server: &str,
    began: Instant,
) -> ExitCode {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let client = clients::by_name(client?)?;
        let gates = client.gates.as_ref();
        let patience = gates.map_or(Duration::ZERO, |gates| gates.deadline);
        let input = standard_input::one_value(began, patience);
        let input = input.as_deref();
        let project = clients::project_of_hook(client);
        Some(answer(program, at, client, server, input, project, began))
    }));
    let Ok(Some(output)) = answered else {
        // The entry's own command refuses the call at this code, if a gate says so.
        tracing::error!("the call cannot be judged");
        return ExitCode::FAILURE;
    };
    let mut out = io::stdout().lock();
    match writeln!(out, "{output}").and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The stack of the thread that reads a call: commands can be nested deeply.
const STACK: usize = 64 * 1024 * 1024;

#[cfg(all(test, feature = "policy"))]
mod held_out_tests;
#[cfg(all(test, feature = "log"))]
mod log_tests;
#[cfg(all(test, feature = "policy"))]
mod ready_tests;
#[cfg(test)]
mod tests;
