//! What the server would have decided about the calls of its tools: its session machine, then its rules.

use serde_json::{Map, Value};

#[cfg(feature = "plugin")]
use crate::cli::policy::{Judged, Rules};
use crate::{
    cli::{CommandError, Program},
    server::{Collected, ServerHandler},
    session::{CallOutcome, Machine, StateIndex},
};

use super::moment::Ended;

/// A call of one of the server's tools.
pub(super) struct Asked<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) tool: &'a str,
    pub(super) input: Map<String, Value>,
    pub(super) ended: Ended,
}

/// Why a call would have been refused, or what the user would have been asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Refused {
        by: String,
        why: String,
    },
    #[cfg(feature = "plugin")]
    Asks {
        by: String,
        why: String,
    },
}

/// The session machine and the rules of a server.
pub(super) struct Judge<'j> {
    machine: Option<&'j Machine>,
    /// The state of the session that the file is about.
    session: Option<String>,
    state: Option<StateIndex>,
    #[cfg(feature = "plugin")]
    rules: Rules,
}

impl<'j> Judge<'j> {
    pub(super) fn of<H: ServerHandler>(
        program: &'j Program<H>,
        hooks: &Collected<H>,
    ) -> Result<Judge<'j>, CommandError> {
        #[cfg(not(feature = "plugin"))]
        let _ = hooks;
        Ok(Judge {
            machine: program.machine(),
            session: None,
            state: None,
            #[cfg(feature = "plugin")]
            rules: Rules::of(hooks)?,
        })
    }

    /// Returns what is not judged, in sentences for people.
    pub(super) fn left_out(&self) -> Vec<String> {
        #[cfg(feature = "plugin")]
        return self.rules.left_out();
        #[cfg(not(feature = "plugin"))]
        Vec::new()
    }

    /// Judges a call. Only a call that is not refused, and succeeded, moves the session.
    pub(super) async fn judge(&mut self, asked: Asked<'_>) -> Option<Verdict> {
        if self.session.as_deref() != asked.session {
            self.session = asked.session.map(str::to_owned);
            self.state = None;
        }
        if let Some(machine) = self.machine {
            let state = self.state.unwrap_or(machine.start());
            if let Err(refusal) = machine.check(state, asked.tool) {
                return Some(Verdict::Refused {
                    by: "session".to_owned(),
                    why: refusal.to_string(),
                });
            }
        }
        let verdict = self.by_rules(&asked).await;
        if let Some(machine) = self.machine
            && !matches!(verdict, Some(Verdict::Refused { .. }))
            && asked.ended == Ended::Succeeded
        {
            let state = self.state.unwrap_or(machine.start());
            let step = machine.record(state, asked.tool, &asked.input, CallOutcome::Succeeded);
            self.state = Some(if step.reset { machine.start() } else { step.to });
        }
        verdict
    }

    #[cfg(feature = "plugin")]
    async fn by_rules(&self, asked: &Asked<'_>) -> Option<Verdict> {
        let judged = self
            .rules
            .judge(asked.tool, &asked.input, asked.session)
            .await?;
        Some(match judged {
            Judged::Blocked { by, why } => Verdict::Refused { by, why },
            Judged::Asks { by, why } => Verdict::Asks { by, why },
        })
    }

    #[cfg(not(feature = "plugin"))]
    async fn by_rules(&self, _asked: &Asked<'_>) -> Option<Verdict> {
        None
    }
}
