//! What the stand-in was asked, and which step it takes next.

use super::{Asked, MOST_KEPT, Play, RequestText, TOKENS, Turn};
use hooks_clients::trial::now;

/// How many fetched paths are kept.
const MOST_FETCHED: usize = 100;

/// What the stand-in was asked.
#[derive(Debug, Default)]
pub struct RequestLog {
    /// The texts of each request of the agent. Requests without tools, such as for a title, are not the agent's.
    pub requests: Vec<Vec<RequestText>>,
    /// How many results of tools each of these requests has.
    pub results: Vec<usize>,
    /// The texts of each request of a subagent.
    pub inside: Vec<Vec<RequestText>>,
    /// Whether the agent's last request was answered without a further step.
    pub done: bool,
    /// The time of the agent's last request, in nanoseconds since 1970.
    pub latest: u64,
    /// The time of each of the agent's requests, in nanoseconds since 1970.
    pub times: Vec<u64>,
    /// The number of all HTTP requests.
    pub all: usize,
    /// A step that was not taken, because the client offers no tool for it.
    pub untaken: Option<String>,
    /// The paths that a client's tool has fetched from the stand-in, at most 100.
    pub fetched: Vec<String>,
    kept: usize,
    pub(super) subagent: Subagent,
}

/// How far a subagent is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Subagent {
    #[default]
    None,
    Called,
    Ended,
}

impl RequestLog {
    /// Returns the first request of the agent after a compaction: the summary has taken the place of all calls and results.
    pub fn compacted(&self) -> Option<usize> {
        let mut later = self.results.iter().skip(1);
        later.position(|results| *results == 0).map(|at| at + 1)
    }

    /// Keeps the path of a page that was fetched.
    pub(super) fn fetched(&mut self, path: &str) {
        if self.fetched.len() < MOST_FETCHED {
            self.fetched.push(path.to_owned());
        }
    }

    /// Keeps a question, and returns the next step of the agent.
    pub(super) fn take(&mut self, asked: Asked, plays: &[Play], tokens: Option<u64>) -> Turn {
        let mut turn = Turn {
            call: None,
            tokens: TOKENS,
        };
        if asked.offered.is_empty() {
            return turn;
        }
        let is_inside = asked.is_inside();
        self.kept += asked.told.iter().map(|told| told.text.len()).sum::<usize>();
        let told = (self.kept <= MOST_KEPT).then_some(asked.told);
        let told = told.unwrap_or_default();
        if is_inside {
            self.inside.push(told);
            let has_own = plays.iter().any(|play| matches!(play, Play::Inside(_)));
            let is_its = |play: &&Play| match play {
                Play::Inside(_) => true,
                Play::Shell(_) => !has_own,
                _ => false,
            };
            let play = plays.iter().filter(is_its).nth(asked.results);
            turn.call = play.and_then(|play| play.call(&asked.offered));
            if turn.call.is_none() {
                self.subagent = Subagent::Ended;
            }
            return turn;
        }
        self.latest = now();
        self.times.push(self.latest);
        self.requests.push(told);
        self.results.push(asked.results);
        // Some clients compact at the next request, others at the next prompt. None is to compact again and again.
        if let (Some(tokens), None) = (tokens, self.compacted()) {
            turn.tokens = tokens;
        }
        let mut own = plays.iter().filter(|play| !matches!(play, Play::Inside(_)));
        let play = own.nth(asked.results);
        let call = play.and_then(|play| play.call(&asked.offered));
        self.done = call.is_none();
        if matches!(play, Some(Play::Subagent { .. })) && call.is_some() {
            self.subagent = Subagent::Called;
        }
        if let Some(play) = play.filter(|_| self.done) {
            self.untaken = Some(format!(
                "the client offers no tool for {play:?}; it offers {}",
                asked.offered.join(", ")
            ));
        }
        turn.call = call;
        turn
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::super::{Dialect, Reply, Room, Trial, lock};
    use super::*;

    fn room(plays: Vec<Play>, tokens: Option<u64>) -> Room {
        Room {
            dialect: Dialect::Chat,
            plays,
            tokens,
            log: Arc::default(),
        }
    }

    /// A request of Chat Completions with this many results of tools.
    fn body(said: &str, results: usize) -> Value {
        let mut messages = vec![json!({ "role": "user", "content": said })];
        messages.extend(vec![json!({ "role": "tool", "content": "ok" }); results]);
        let tools = ["task", "bash"].map(|name| json!({ "function": { "name": name } }));
        json!({ "tools": tools, "messages": messages })
    }

    const PATH: &str = "/v1/chat/completions";

    #[test]
    fn a_subagents_requests_are_its_own_and_the_agent_waits_for_its_end() {
        let plays = vec![
            Play::Subagent {
                tool: "task".to_owned(),
                arguments: json!({ "prompt": Trial::TASK }),
            },
            Play::Shell("git status".to_owned()),
        ];
        let room = room(plays, None);
        let called = |said: &str, results| {
            let Reply::Json(reply) = room.answer(PATH, &body(said, results)) else {
                panic!("a stream")
            };
            let call = &reply["choices"][0]["message"]["tool_calls"][0]["function"];
            call["name"].as_str().map(str::to_owned)
        };
        let waits = |said: &str| room.waits(PATH, &body(said, 1));
        let agents = "Please do the planned steps.";
        assert_eq!(called(agents, 0).as_deref(), Some("task"));
        assert!(waits(agents) && !waits(Trial::TASK));
        assert_eq!(called(Trial::TASK, 0).as_deref(), Some("bash"));
        assert!(waits(agents));
        assert_eq!(called(Trial::TASK, 1), None);
        assert!(!waits(agents));
        assert_eq!(called(agents, 1).as_deref(), Some("bash"));
        let log = lock(&room.log);
        assert_eq!((log.requests.len(), log.inside.len()), (2, 2));
        assert_eq!(log.results, [0, 1]);
    }

    #[test]
    fn many_tokens_are_reported_until_the_session_is_compacted() {
        let room = room(vec![Play::Shell("git status".to_owned())], Some(970_000));
        let tokens = |results| {
            let Reply::Json(reply) = room.answer(PATH, &body("Please.", results)) else {
                panic!("a stream")
            };
            reply["usage"]["prompt_tokens"].as_u64()
        };
        assert_eq!([0, 1, 1].map(tokens), [Some(970_000); 3]);
        assert_eq!(lock(&room.log).compacted(), None);
        assert_eq!([0, 1].map(tokens), [Some(10); 2]);
        assert_eq!(lock(&room.log).compacted(), Some(3));
    }
}
