//! `session_state`: calls on the session tracker, and its state after each of them.
//!
//! Of a refusal's message only that it names the tool and the tools that really open the session counts.

use std::collections::BTreeSet;

use hooks_sdk::session::{Listing, Refusal, StandardState, Tracker};
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
            let mut states = StandardState::ALL.into_iter();
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
            "record" => {
                let transition = tracker.record(text(&call[1]), &Map::new(), request);
                json!({
                    "previousState": transition.previous,
                    "newState": transition.new,
                    "transitioned": transition.transitioned,
                    "guidance": transition.guidance,
                })
            }
            "setSessionId" => {
                tracker.set_session_id(text(&call[1]));
                Value::Null
            }
            "reset" => {
                tracker.reset();
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

fn snapshot(tracker: &Tracker) -> Value {
    json!({
        "state": tracker.state(),
        "initialized": tracker.is_initialized(),
        "sessionId": tracker.session_id(),
        "requestId": tracker.request_id(),
        "initAt": tracker.initialized_at().map(|_| "a time"),
    })
}

fn texts(list: &Value) -> Vec<String> {
    super::list(list)
        .iter()
        .map(|item| text(item).to_owned())
        .collect()
}
