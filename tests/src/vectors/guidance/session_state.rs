//! `session_state`: calls on the reference's session tracker, which `Machine::check` and `Machine::record` judge, and its
//! state after each of them.
//!
//! Of a refusal's message only that it names the tool and the tools that really open the session counts.

use std::collections::BTreeSet;

use hooks_sdk::session::{CallOutcome, Listing, Machine, Refusal, StandardState, StateIndex};
use serde_json::{Map, Value, json};

use super::{Ran, compare, list, recorded, text};

pub(super) fn run(vector: &Value) -> Ran {
    let config = Config::of(&vector["config"]);
    let mut tracker = Tracker::new(config.listing().machine());
    compare::same(&vector["initial"], &snapshot(&tracker))?;
    for step in recorded(&vector["steps"])? {
        let result = config.call(&mut tracker, &step["call"], &step["result"]);
        let mut ours = json!({ "result": result, "after": snapshot(&tracker) });
        // The recorded time of initialization is a placeholder.
        if !step["after"]["initAt"].is_null() && !ours["after"]["initAt"].is_null() {
            ours["after"]["initAt"] = step["after"]["initAt"].clone();
        }
        compare::same(
            &json!({ "result": step["result"], "after": step["after"] }),
            &ours,
        )?;
    }
    Ok(())
}

/// The reference implementation's configuration.
struct Config {
    init: Vec<String>,
    requires_init: Vec<String>,
    triggers: Vec<(String, String)>,
}

impl Config {
    fn of(config: &Value) -> Config {
        if config.get("factory").is_some() {
            let arguments = list(&config["factory"]);
            let init = arguments
                .first()
                .and_then(Value::as_str)
                .unwrap_or("session_init");
            return Config {
                init: vec![init.to_owned(), "server_info".to_owned()],
                requires_init: arguments.get(1).map_or_else(Vec::new, texts),
                triggers: vec![(init.to_owned(), "initialized".to_owned())],
            };
        }
        let trigger = |pair: &Value| (text(&pair[0]).to_owned(), text(&pair[1]).to_owned());
        Config {
            init: texts(&config["initTools"]),
            requires_init: texts(&config["requiresInit"]),
            triggers: list(&config["transitionTriggers"])
                .iter()
                .map(trigger)
                .collect(),
        }
    }

    fn listing(&self) -> Listing {
        let listing = self
            .init
            .iter()
            .fold(Listing::default(), Listing::init_tool);
        let listing = self
            .requires_init
            .iter()
            .fold(listing, Listing::requires_init);
        self.triggers.iter().fold(listing, |listing, (tool, word)| {
            let mut states = StandardState::ALL.iter().copied();
            match states.find(|state| state.as_str() == word) {
                Some(state) => listing.trigger(tool, state),
                // To the reference a word that is no state leaves the tool without an effect of its own.
                None => listing,
            }
        })
    }

    fn call(&self, tracker: &mut Tracker, call: &Value, recorded: &Value) -> Value {
        let request = call[2].as_str();
        match text(&call[0]) {
            "check" => match tracker.check(text(&call[1]), request) {
                Ok(()) => json!({ "allowed": true, "message": null }),
                Err(refusal) => self.refused(text(&call[1]), &refusal, recorded),
            },
            "record" => tracker.record(text(&call[1]), request),
            "setSessionId" => {
                tracker.session_id = Some(text(&call[1]).to_owned());
                Value::Null
            }
            "reset" => {
                *tracker = Tracker::new(tracker.machine.clone());
                Value::Null
            }
            other => panic!("no such call: {other}"),
        }
    }

    fn refused(&self, tool: &str, refusal: &Refusal, recorded: &Value) -> Value {
        let message = refusal.to_string();
        let named: BTreeSet<&str> = refusal.first.iter().map(|tool| &**tool).collect();
        let said = |tool: &&str| message.contains(*tool);
        let as_due = named == self.opening() && named.iter().all(said) && said(&tool);
        let shown = if as_due {
            recorded["message"].clone()
        } else {
            message.into()
        };
        json!({ "allowed": false, "message": shown })
    }

    /// The tools that really open the session: not refused before it, with a trigger out of its start.
    fn opening(&self) -> BTreeSet<&str> {
        let free = |tool: &String| self.init.contains(tool) || !self.requires_init.contains(tool);
        let opens = |(tool, state): &&(String, String)| state != "uninitialized" && free(tool);
        self.triggers
            .iter()
            .filter(opens)
            .map(|(tool, _)| tool.as_str())
            .collect()
    }
}

/// One session, in memory.
struct Tracker {
    machine: Machine,
    state: StateIndex,
    was_initialized: bool,
    session_id: Option<String>,
    request_id: Option<String>,
}

impl Tracker {
    fn new(machine: Machine) -> Tracker {
        Tracker {
            state: machine.start(),
            machine,
            was_initialized: false,
            session_id: None,
            request_id: None,
        }
    }

    fn check(&mut self, tool: &str, request_id: Option<&str>) -> Result<(), Refusal> {
        self.keep(request_id);
        self.machine.check(self.state, tool)
    }

    fn record(&mut self, tool: &str, request_id: Option<&str>) -> Value {
        self.keep(request_id);
        let step = self
            .machine
            .record(self.state, tool, &Map::new(), CallOutcome::Succeeded);
        let opened = step.moved() && step.from == self.machine.start();
        let to = self.machine.name(step.to).to_owned();
        self.was_initialized |= opened && to == StandardState::Initialized.as_str();
        self.state = step.to;
        json!({
            "previousState": self.machine.name(step.from),
            "newState": to,
            "transitioned": step.moved(),
            // Only the call that opens the session has a text.
            "guidance": step.guidance.filter(|_| opened),
        })
    }

    fn keep(&mut self, request_id: Option<&str>) {
        if let Some(id) = request_id.filter(|id| !id.is_empty()) {
            self.request_id = Some(id.to_owned());
        }
    }
}

fn snapshot(tracker: &Tracker) -> Value {
    json!({
        "state": tracker.machine.name(tracker.state),
        "initialized": tracker.state != tracker.machine.start(),
        "sessionId": tracker.session_id,
        "requestId": tracker.request_id,
        "initAt": tracker.was_initialized.then_some("a time"),
    })
}

fn texts(list: &Value) -> Vec<String> {
    super::list(list)
        .iter()
        .map(|item| text(item).to_owned())
        .collect()
}
