//! The verdict of the gates about one call, within their deadline.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

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
        AgentToolCall, AgentToolKind, AgentToolResult, Chain, Contexts, End, PluginAt,
        ShellCommand, point,
    },
    session::{Identity, Ledger, Machine},
    store::Store,
};

/// What the gates say about a call.
#[derive(Debug, PartialEq)]
pub(super) enum Judged {
    Allowed,
    Denied {
        hook: String,
        code: String,
        reason: String,
        /// Whether the gate failed, and did not decide.
        failed: bool,
    },
    Changed(Map<String, Value>),
    /// They could not judge it.
    Failed {
        code: &'static str,
        reason: String,
    },
}

impl Judged {
    pub(super) fn failed(code: &'static str, reason: impl Into<String>) -> Judged {
        Judged::Failed {
            code,
            reason: reason.into(),
        }
    }
}

/// What the gates say about a call, and which of them failed while it went on.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    pub(super) judged: Judged,
    pub(super) bypassed: Vec<String>,
}

impl From<Judged> for Report {
    fn from(judged: Judged) -> Report {
        Report {
            judged,
            bypassed: Vec::new(),
        }
    }
}

/// Where the session with the server is found.
pub(super) struct OwnSession {
    pub(super) machine: Option<Machine>,
    /// The store that the author gave to the sessions.
    pub(super) own: Option<Arc<dyn Store>>,
    pub(super) store: HookStore,
}

impl OwnSession {
    /// Returns whether the session that the client names is open; `None` if that cannot be known.
    async fn open(self, session: Option<&str>) -> Option<bool> {
        let store = match self.own {
            Some(store) => store,
            None => self.store.sessions(PATIENCE).ok()?,
        };
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
    client: &'static Client,
    asked: AskedCall,
    at: PluginAt,
    project: Option<String>,
    own: Option<OwnSession>,
) -> Report {
    let (send, receive) = mpsc::channel();
    let judge = move || {
        let judged = judge(&chain, client, &asked, at, project, own);
        // Nobody listens after the deadline.
        _ = send.send(judged);
    };
    if let Err(error) = thread::Builder::new().stack_size(STACK).spawn(judge) {
        return Judged::failed("no_thread", format!("no thread could be started: {error}")).into();
    }
    match receive.recv_timeout(left) {
        Ok(judged) => judged,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            let late = format!("the rules took longer than {} ms", left.as_millis());
            Judged::failed("deadline", late).into()
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Judged::failed("panicked", "a rule panicked").into()
        }
    }
}

fn judge(
    chain: &Chain,
    client: &'static Client,
    asked: &AskedCall,
    at: PluginAt,
    project: Option<String>,
    own: Option<OwnSession>,
) -> Report {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            let why = format!("no runtime could be started: {error}");
            return Judged::failed("no_runtime", why).into();
        }
    };
    let call = normalised(client.name, asked, project.as_deref());
    let judged = runtime.block_on(async {
        if at == PluginAt::AgentToolPostInvoke {
            let result = asked.result.clone().unwrap_or_default();
            let mut ran = AgentToolResult::new(call, result);
            let mut contexts = Contexts::default();
            chain
                .run(point::agent_tool_post_invoke, &mut ran, &mut contexts)
                .await;
            return Judged::Allowed.into();
        }
        let told = asked.session.as_deref().filter(|_| client.tells_session);
        let is_open = match own {
            Some(own) => own.open(told).await,
            None => None,
        };
        let first = verdict(chain, &call, is_open).await;
        let Judged::Changed(args) = first.judged else {
            return first;
        };
        // The rules see the changed arguments too, and no rule changes them again.
        let changed = with_arguments(call, args.clone());
        let mut second = verdict(chain, &changed, is_open).await;
        second.judged = match second.judged {
            Judged::Allowed => Judged::Changed(args),
            Judged::Changed(again) if again == args => Judged::Changed(args),
            Judged::Changed(_) => {
                Judged::failed("changed_twice", "two rules change the arguments in turn")
            }
            other => other,
        };
        second
    });
    runtime.shutdown_background();
    judged
}

/// Runs the gates: for a patch in a shell, those of edits too.
async fn verdict(chain: &Chain, call: &AgentToolCall, is_open: Option<bool>) -> Report {
    let is_patch = |command: &ShellCommand| command.text.starts_with("apply_patch");
    let report = run(chain, call.clone(), is_open).await;
    if report.judged != Judged::Allowed
        || call.kind != AgentToolKind::Shell
        || !call.commands.iter().any(is_patch)
    {
        return report;
    }
    let mut edit = call.clone();
    edit.kind = AgentToolKind::Edit;
    run(chain, edit, is_open).await
}

async fn run(chain: &Chain, mut call: AgentToolCall, is_open: Option<bool>) -> Report {
    let mut contexts = Contexts::default();
    if let Some(is_open) = is_open {
        let state = &mut contexts.global.state;
        state.insert(SESSION_OPEN.to_owned(), is_open.into());
    }
    let ran = chain
        .run(point::agent_tool_pre_invoke, &mut call, &mut contexts)
        .await;
    let judged = match ran.end {
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
                code: violation.code,
                reason,
                failed: blocked.failed,
            }
        }
        // The compiler and the start-up refuse a gate that asks.
        End::Asks(pending) => Judged::failed("asks", format!("`{}` asks the user", pending.hook)),
    };
    let bypassed = contexts.record().bypassed();
    Report {
        judged,
        bypassed: bypassed.map(str::to_owned).collect(),
    }
}
