//! The answer to a client that asks about a call.

use std::{env, io, path::PathBuf, time::Instant};

use serde_json::{Value, json};

use super::{
    decided::{AboutCall, Decided},
    is_server_first,
    judge::{self, Judged, OwnSession},
    refuses, stand,
};
use crate::{
    cli::{CommandError, Program, install_target::moved, plugins},
    clients::{self, AskedCall, Client, Place},
    plugin::{AgentToolKind, Chain, PluginAt, PluginHook},
    server::{Collected, ServerHandler},
};

/// Answers a client that asks about a call. Never fails: what cannot be judged has the answer of the gates' posture.
pub(super) fn answer<H: ServerHandler>(
    program: &Program<H>,
    at: PluginAt,
    client: &'static Client,
    server: &str,
    input: Result<&[u8], &io::Error>,
    project: Option<String>,
    began: Instant,
) -> Value {
    let Some(gates) = &client.gates else {
        return json!({});
    };
    let mut about = AboutCall {
        at,
        client,
        gates,
        began,
        asked: None,
        project,
    };
    if let Some(chain) = super::trial::chain(input.unwrap_or_default()) {
        let decided = decide(program, chain, &mut about, server, input);
        return about.answer(&decided);
    }
    let hooks = program.hooks();
    let decided = match chain_of(&hooks) {
        Ok(chain) => decide(program, chain, &mut about, server, input),
        Err(error) => {
            let reason = format!("the rules of `{server}` cannot be read: {error}");
            // The postures of a file that cannot be read are not known either.
            Decided::failed("policy_unreadable", reason, true)
        }
    };
    about.answered(program, &decided)
}

fn chain_of<H: ServerHandler, E: Clone + Into<CommandError>>(
    hooks: &Result<Collected<H>, E>,
) -> Result<Chain, CommandError> {
    let hooks = hooks.as_ref().map_err(|error| error.clone().into())?;
    Ok(plugins::chain(hooks)?.0)
}

/// Returns the names of the client's servers, by its files of the user and of the call's folder.
fn servers_of(client: &Client, folder: Option<&str>) -> Vec<String> {
    let project = folder
        .map(PathBuf::from)
        .or_else(|| env::current_dir().ok());
    let place = env::home_dir().zip(project);
    let place = place.and_then(|(home, project)| moved(client, Place::new(home, project)).ok());
    place.map_or_else(Vec::new, |place| {
        clients::configured_servers(client, &place)
    })
}

fn decide<H: ServerHandler>(
    program: &Program<H>,
    chain: Chain,
    about: &mut AboutCall,
    server: &str,
    input: Result<&[u8], &io::Error>,
) -> Decided {
    let AboutCall {
        at, client, gates, ..
    } = *about;
    let asked = input.map_err(ToString::to_string).and_then(|input| {
        let read = |servers: &[&str]| {
            let asked = clients::read_call(client, input, servers);
            asked.map_err(str::to_owned)
        };
        let asked = read(&[server])?;
        if asked.served.is_none() {
            return Ok(asked);
        }
        let names = servers_of(client, asked.folder.as_deref());
        let names = names.iter().map(String::as_str).chain([server]);
        read(&names.collect::<Vec<_>>())
    });
    let asked = match asked {
        Ok(asked) => asked,
        Err(why) => {
            let is_closed = stand(&chain, PluginAt::AgentToolPreInvoke).any(refuses);
            let reason = format!("the call cannot be read: {why}");
            return Decided::failed("call_unreadable", reason, is_closed);
        }
    };
    about.asked = Some(asked.clone());
    let is_closed = stand(&chain, PluginAt::AgentToolPreInvoke)
        .any(|hook| refuses(hook) && is_about(hook, &asked));
    // No store is opened unless a gate needs it.
    let needs = stand(&chain, at).any(|hook| is_server_first(hook) && is_about(hook, &asked));
    let own = needs.then(|| OwnSession {
        machine: program.machine().cloned(),
        own: program.own_sessions(),
        store: program.store(),
    });
    let left = gates.deadline.saturating_sub(about.began.elapsed());
    let mut report = judge::within(left, chain, client, asked, at, about.project.clone(), own);
    if matches!(report.judged, Judged::Changed(_)) && gates.change.is_none() {
        let title = client.title;
        let reason = format!("a rule changes the arguments, and {title} takes no change");
        report.judged = Judged::failed("change_not_taken", reason);
    }
    Decided { report, is_closed }
}

/// Returns whether the gate's kinds and tools are those of the call. A patch in a shell is also an edit.
fn is_about(hook: &PluginHook, asked: &AskedCall) -> bool {
    let kind = AgentToolKind::named(asked.kind).unwrap_or_default();
    let kinds = hook.its_kinds();
    let mut items = hook.its_items().peekable();
    let named =
        items.peek().is_none() || items.any(|item| crate::core::glob::matches(item, &asked.tool));
    let patches = [AgentToolKind::Edit, AgentToolKind::Write];
    let may_patch = kind == AgentToolKind::Shell && kinds.iter().any(|it| patches.contains(it));
    named && (kinds.is_empty() || kinds.contains(&kind) || may_patch)
}
