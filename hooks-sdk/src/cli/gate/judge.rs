//! The verdict of the gates about one call, within their deadline.

use std::{sync::mpsc, thread, time::Duration};

use serde_json::{Map, Value};

use super::{
    SESSION_OPEN, STACK,
    call::{normalised, with_arguments},
};
use crate::{
    cli::program::runtime,
    clients::history::HookStore,
    clients::{AskedCall, Client},
    plugin::{
        AgentToolCall, AgentToolKind, AgentToolResult, Chain, Contexts, End, PluginAt, point,
    },
    session::{Identity, Ledger, Machine},
};

/// What the gates say about a call.
#[derive(Debug, PartialEq)]
pub(super) enum Judged {
    Allowed,
    Denied {
        hook: String,
        reason: String,
    },
    Changed(Map<String, Value>),
    /// They could not judge it.
    Failed(String),
}

/// Where the session with the server is found.
pub(super) struct OwnSession {
    pub(super) machine: Option<Machine>,
    pub(super) store: HookStore,
}

impl OwnSession {
    /// Returns whether the session that the client names is open; `None` if that cannot be known.
    async fn open(self, session: Option<&str>) -> Option<bool> {
        let store = self.store.sessions(PATIENCE).ok()?;
        let ledger = Ledger::new(self.machine?, store);
        let key = Identity::Client(session?).key(None);
        let found = ledger.find(&key).await.ok()?;
        Some(found.state != ledger.machine().start())
    }
}

/// How long a gate waits for another process that writes to the store.
const PATIENCE: Duration = Duration::from_millis(300);

/// Judges a call in a thread of its own, so that neither time nor stack of the caller is used up.
pub(super) fn within(
    left: Duration,
    chain: Chain,
    client: &'static dyn Client,
    asked: AskedCall,
    at: PluginAt,
    own: Option<OwnSession>,
) -> Judged {
    let (send, receive) = mpsc::channel();
    let judge = move || {
        let judged = judge(&chain, client, &asked, at, own);
        // Nobody listens after the deadline.
        _ = send.send(judged);
    };
    if let Err(error) = thread::Builder::new().stack_size(STACK).spawn(judge) {
        return Judged::Failed(format!("no thread could be started: {error}"));
    }
    match receive.recv_timeout(left) {
        Ok(judged) => judged,
        Err(mpsc::RecvTimeoutError::Timeout) => Judged::Failed(format!(
            "the rules took longer than {} ms",
            left.as_millis()
        )),
        Err(mpsc::RecvTimeoutError::Disconnected) => Judged::Failed("a rule panicked".to_owned()),
    }
}

fn judge(
    chain: &Chain,
    client: &'static dyn Client,
    asked: &AskedCall,
    at: PluginAt,
    own: Option<OwnSession>,
) -> Judged {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return Judged::Failed(format!("no runtime could be started: {error}")),
    };
    let call = normalised(client.name(), asked);
    let judged = runtime.block_on(async {
        if at == PluginAt::AgentToolPostInvoke {
            let result = asked.result.clone().unwrap_or_default();
            let mut ran = AgentToolResult::new(call, result);
            let mut contexts = Contexts::default();
            chain
                .run(point::agent_tool_post_invoke, &mut ran, &mut contexts)
                .await;
            return Judged::Allowed;
        }
        let told = asked.session.as_deref().filter(|_| client.tells_session());
        let is_open = match own {
            Some(own) => own.open(told).await,
            None => None,
        };
        match verdict(chain, &call, is_open).await {
            // The rules see the changed arguments too, and no rule changes them again.
            Judged::Changed(args) => {
                let changed = with_arguments(call, args.clone());
                match verdict(chain, &changed, is_open).await {
                    Judged::Allowed => Judged::Changed(args),
                    Judged::Changed(again) if again == args => Judged::Changed(args),
                    Judged::Changed(_) => {
                        Judged::Failed("two rules change the arguments in turn".to_owned())
                    }
                    other => other,
                }
            }
            judged => judged,
        }
    });
    runtime.shutdown_background();
    judged
}

/// Runs the gates: for a patch in a shell, those of edits too.
async fn verdict(chain: &Chain, call: &AgentToolCall, is_open: Option<bool>) -> Judged {
    let is_patch = |command: &String| command.starts_with("apply_patch");
    let judged = run(chain, call.clone(), is_open).await;
    if judged != Judged::Allowed
        || call.kind != AgentToolKind::Shell
        || !call.commands.iter().any(is_patch)
    {
        return judged;
    }
    let mut edit = call.clone();
    edit.kind = AgentToolKind::Edit;
    run(chain, edit, is_open).await
}

async fn run(chain: &Chain, mut call: AgentToolCall, is_open: Option<bool>) -> Judged {
    let mut contexts = Contexts::default();
    if let Some(is_open) = is_open {
        let state = &mut contexts.global.state;
        state.insert(SESSION_OPEN.to_owned(), is_open.into());
    }
    let ran = chain
        .run(point::agent_tool_pre_invoke, &mut call, &mut contexts)
        .await;
    match ran.end {
        End::Allowed if ran.modified => Judged::Changed(call.args),
        End::Allowed => Judged::Allowed,
        End::Blocked(blocked) => {
            let violation = blocked.violation;
            let mut reason = violation.reason;
            if !violation.description.is_empty() {
                reason = format!("{reason}: {}", violation.description);
            }
            Judged::Denied {
                hook: blocked.hook.to_string(),
                reason,
            }
        }
        // The compiler and the start-up refuse a gate that asks.
        End::Asks(pending) => Judged::Failed(format!("`{}` asks the user", pending.hook)),
    }
}
