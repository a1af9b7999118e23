//! What the server would have decided about the calls of its tools that a session file has.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::moment::CallEnd;
use crate::{
    cli::{
        Program,
        judge::{Judge as Server, JudgedItem, Judging, Outcome, UserAnswer},
    },
    server::ServerHandler,
};
use hooks_server::internal::{DryAnswer, DryCall};

/// The code of a refusal because of too many calls in a time, which passes faster here than it did.
const LIMITED: &str = "rate_limited";

/// A call of one of the server's tools.
pub(super) struct SimulatedCall<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) tool: &'a str,
    pub(super) input: Map<String, Value>,
    pub(super) ended: CallEnd,
}

/// Why a call would have been refused, or what the user would have been asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SimulatedVerdict {
    Refused { by: String, why: String },
    Asks { by: String, why: String },
}

/// The server, which is made at the first call of its tools.
pub(super) struct SimulatedServer<'j, H> {
    program: &'j Program<H>,
    answer: Option<UserAnswer>,
    server: Option<Result<Server, String>>,
    limited: u64,
}

impl<'j, H: ServerHandler> SimulatedServer<'j, H> {
    /// `answer` is what the user answers. Without it, the user agreed to the calls that succeeded.
    pub(super) fn of(
        program: &'j Program<H>,
        answer: Option<UserAnswer>,
    ) -> SimulatedServer<'j, H> {
        SimulatedServer {
            program,
            answer,
            server: None,
            limited: 0,
        }
    }

    /// Returns what is not judged, in sentences for people.
    pub(super) fn left_out(&self) -> Vec<String> {
        let mut left_out = Vec::new();
        match &self.server {
            Some(Ok(server)) => left_out.extend(server.left_out()),
            Some(Err(error)) => left_out.push(format!("calls of the server's own tools: {error}")),
            None => {}
        }
        if self.limited > 0 {
            let calls = self.limited;
            left_out.push(format!(
                "a limit of calls over time refused {calls} here, which does not count: the calls came slower"
            ));
        }
        left_out
    }

    /// Judges a call. Only a call that is not refused, and succeeded, moves the session.
    pub(super) async fn judge(&mut self, asked: SimulatedCall<'_>) -> Option<SimulatedVerdict> {
        let program = self.program;
        if self.server.is_none() {
            let server = Server::of(program, None).await;
            self.server = Some(server.map_err(|error| error.to_string()));
        }
        let Some(Ok(server)) = &self.server else {
            return None;
        };
        let has_succeeded = asked.ended == CallEnd::Succeeded;
        let happened = match has_succeeded {
            true => UserAnswer::Yes,
            false => UserAnswer::Cancel,
        };
        let judged = server.judge(Judging {
            item: JudgedItem::Tool(asked.tool),
            args: asked.input,
            metadata: Map::new(),
            session: asked.session,
            call: DryCall {
                answer: match has_succeeded {
                    true => DryAnswer::Neutral,
                    false => DryAnswer::Failed,
                },
                ..DryCall::default()
            },
            answers: VecDeque::new(),
            otherwise: Some(self.answer.unwrap_or(happened)),
            happened: true,
        });
        let judged = judged.await;
        if judged.code.as_deref() == Some(LIMITED) {
            self.limited += 1;
            return None;
        }
        let is_answered = has_succeeded || self.answer.is_some();
        match (judged.outcome, judged.question) {
            (Outcome::Blocked, question) if question.is_none() || is_answered => {
                Some(SimulatedVerdict::Refused {
                    by: match judged.by.as_deref() {
                        None | Some("") => "the chain".to_owned(),
                        Some(by) => by.to_owned(),
                    },
                    why: judged.why.unwrap_or_default(),
                })
            }
            (_, Some((by, why))) => Some(SimulatedVerdict::Asks { by, why }),
            _ => None,
        }
    }
}
