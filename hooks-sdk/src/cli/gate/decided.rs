//! The decision about a call: the answer to the client, the message in the program's own log, and the line in the decision log.

use std::time::Instant;

use serde_json::{Value, json};

use super::judge::{Judged, Report};
use crate::{
    cli::Program,
    clients::{self, AskedCall, Client, Gates},
    plugin::PluginAt,
    server::ServerHandler,
};

/// A call about which a client asks.
pub(super) struct AboutCall {
    pub(super) at: PluginAt,
    pub(super) client: &'static Client,
    pub(super) gates: &'static Gates,
    pub(super) began: Instant,
    /// `None` if the call cannot be read.
    pub(super) asked: Option<AskedCall>,
    /// The folder in which the client's session began, if that is known.
    pub(super) project: Option<String>,
}

/// The judgement of the gates, and whether one of them refuses what it cannot judge.
pub(super) struct Decided {
    pub(super) report: Report,
    pub(super) is_closed: bool,
}

impl Decided {
    /// Makes the judgement of gates that did not come to one.
    pub(super) fn failed(code: &'static str, reason: String, is_closed: bool) -> Decided {
        Decided {
            report: Judged::failed(code, reason).into(),
            is_closed,
        }
    }
}

impl AboutCall {
    /// Returns the answer, and logs the decision.
    pub(super) fn answered<H: ServerHandler>(
        &self,
        program: &Program<H>,
        decided: &Decided,
    ) -> Value {
        let answer = self.answer(decided);
        #[cfg(feature = "log")]
        if self.at == PluginAt::AgentToolPreInvoke
            && let Some(log) = program.decision_log()
        {
            return self.logged(decided, answer, &log);
        }
        _ = program;
        answer
    }

    /// Returns the answer.
    pub(super) fn answer(&self, decided: &Decided) -> Value {
        let may_refuse = self.at == PluginAt::AgentToolPreInvoke;
        match &decided.report.judged {
            Judged::Allowed => json!({}),
            Judged::Changed(args) => clients::changed(self.gates, args).unwrap_or(json!({})),
            Judged::Denied { hook, reason, .. } => {
                tracing::info!(hook, reason, "a gate refused a call");
                clients::refusal(self.gates.event, reason)
            }
            Judged::Failed { reason, .. } if decided.is_closed && may_refuse => {
                tracing::warn!(reason, posture = "deny", "a call was not judged");
                let reason = format!("This call was not judged, and so it does not run: {reason}");
                clients::refusal(self.gates.event, &reason)
            }
            Judged::Failed { reason, .. } => {
                tracing::warn!(reason, posture = "proceed", "a call was not judged");
                json!({})
            }
        }
    }
}

#[cfg(feature = "log")]
mod logged {
    //! The line of a decision in the chain of the user.

    use super::*;
    use crate::{
        log::{
            DecisionEntry, DecisionLog, LogDecision, LogEnd, LogStop, Posture, UserChain,
            session_name,
        },
        session::Identity,
    };
    use hooks_server::internal::count_decision;

    /// The word of gates in a line.
    const GATE: &str = "gate";

    impl Decided {
        /// Returns the decision, and the check that stopped the call or did not judge it.
        fn decision(&self) -> (LogDecision, Option<LogStop>) {
            let posture = if self.is_closed { "deny" } else { "proceed" };
            match &self.report.judged {
                Judged::Allowed | Judged::Changed(_) if self.report.bypassed.is_empty() => {
                    (LogDecision::Allowed, None)
                }
                Judged::Allowed | Judged::Changed(_) => (LogDecision::Bypassed, None),
                Judged::Denied {
                    hook, code, failed, ..
                } => {
                    let stop = LogStop::new(GATE, &**hook, &**code);
                    match failed {
                        true => (LogDecision::Failed, Some(stop.posture("deny"))),
                        false => (LogDecision::Denied, Some(stop)),
                    }
                }
                Judged::Failed { code, .. } => {
                    let stop = LogStop::new(GATE, "", *code).posture(posture);
                    match self.is_closed {
                        true => (LogDecision::Failed, Some(stop)),
                        false => (LogDecision::Bypassed, Some(stop)),
                    }
                }
            }
        }
    }

    impl AboutCall {
        /// Writes the line and counts the decision. Returns the answer, or a refusal if the log demands its line.
        pub(super) fn logged(&self, decided: &Decided, answer: Value, log: &DecisionLog) -> Value {
            let (decision, stop) = decided.decision();
            let bypassed = decided.report.bypassed.iter();
            let mut bypassed: Vec<LogStop> = bypassed
                .map(|hook| LogStop::new(GATE, &**hook, "hook_failed").posture("proceed"))
                .collect();
            if decision == LogDecision::Bypassed {
                bypassed.extend(stop.clone());
            }
            let line = self.line((decision, stop, bypassed), log.has_contents());
            count_decision(&line);
            let written = log.user_chain().and_then(|chain| chain.append([line]));
            let Err(error) = written else { return answer };
            tracing::error!(%error, "the decision about a call is not in the decision log");
            match log.posture() {
                Posture::Proceed => answer,
                Posture::Deny => clients::refusal(
                    self.gates.event,
                    "This call does not run, because the decision log cannot be written.",
                ),
            }
        }

        fn line(
            &self,
            (decision, stop, bypassed): (LogDecision, Option<LogStop>, Vec<LogStop>),
            has_contents: bool,
        ) -> DecisionEntry {
            let asked = self.asked.as_ref();
            let item = asked.map(|asked| asked.tool.clone()).unwrap_or_default();
            let ended = match decision {
                LogDecision::Denied | LogDecision::Failed => LogEnd::Refused,
                _ => LogEnd::Answered,
            };
            // Without random bytes the line has no id, and the chain says why it cannot begin.
            let id = UserChain::decision_id().unwrap_or_default();
            let mut line = DecisionEntry::decided(id, self.at.as_str(), item, decision, ended);
            line.client = Some(self.client.name.into());
            let session = asked.and_then(|asked| asked.session.as_deref());
            line.session =
                session.map(|id| session_name(Identity::Client(id).key(None).as_slice()).into());
            line.stop = stop;
            line.bypassed = bypassed;
            line.took = Some(self.began.elapsed());
            if has_contents {
                let arguments = asked.map(|asked| Value::Object(asked.args.clone()));
                line.contents(arguments.as_ref(), None);
            }
            line
        }
    }
}
