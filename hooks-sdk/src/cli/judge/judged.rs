//! What a server decided about a call.

use serde::Serialize;
use serde_json::{Map, Value};

use super::user::JudgedUser;
use crate::testing::RequestError;
use hooks_server::internal::{DryDecision, DryStep};

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::cli) enum Outcome {
    Allowed,
    Blocked,
    Asks,
}

/// What the server decided about a call.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct JudgedCall {
    pub(in crate::cli) outcome: Outcome,
    /// The hook that decided, or the part of the server; empty for the chain of hooks itself, and `None` for a call that is
    /// allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) by: Option<String>,
    /// Why, or what the user is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) code: Option<String>,
    /// What reached the author's server, or the client, if that was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) payload: Option<Value>,
    /// Says that the server has no such item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) warning: Option<String>,
    #[serde(skip)]
    pub(in crate::cli) steps: Vec<DryStep>,
    /// Whether the plugin hooks saw the call.
    #[serde(skip)]
    pub(in crate::cli) reached_hooks: bool,
}

/// The call was answered before it reached any part of the server.
pub(super) fn unseen(answer: &Result<Value, RequestError>) -> DryDecision {
    let error = answer.as_ref().err();
    DryDecision {
        stopped: Some("server"),
        failed: true,
        reason: error.map(|error| match error {
            RequestError::Refused { message, .. } => message.clone(),
            other => other.to_string(),
        }),
        ..DryDecision::default()
    }
}

pub(super) fn judged(
    decided: DryDecision,
    user: &JudgedUser,
    args: &Map<String, Value>,
    is_error: bool,
    warning: Option<String>,
) -> JudgedCall {
    let DryDecision {
        mut steps,
        stopped,
        passed,
        result,
        failed,
        code,
        reason,
    } = decided;
    let reached_hooks = !matches!(stopped, Some("lists" | "session" | "log" | "server"));
    let waits = user.unanswered.and_then(|number| {
        let asked = steps.iter().enumerate();
        let mut asked = asked.filter(|(_, step)| step.decision == "asked");
        Some((asked.nth(number)?.0, user.asked.get(number)?.clone()))
    });
    if let Some((at, message)) = waits {
        // What follows is about a user who did not answer.
        steps.truncate(at + 1);
        return JudgedCall {
            outcome: Outcome::Asks,
            by: steps.last().map(|step| step.hook.clone()),
            why: Some(message),
            code: None,
            steps,
            payload: None,
            reached_hooks,
            warning,
        };
    }
    let stops = |step: &&DryStep| matches!(step.decision, "denied" | "failed");
    let hook = steps.iter().rev().find(stops).map(|step| step.hook.clone());
    let is_behind = |step: &DryStep| is_behind(step.point);
    let blocks_result = || result.is_some() && failed && !is_error;
    let by = match stopped {
        Some("plugin") => Some(hook.unwrap_or_default()),
        Some(other) => Some(other.to_owned()),
        None if blocks_result() => {
            let behind = steps
                .iter()
                .rev()
                .find(|step| stops(step) && is_behind(step));
            Some(behind.map_or_else(|| "guardian".to_owned(), |step| step.hook.clone()))
        }
        None if warning.is_some() => Some("server".to_owned()),
        None => None,
    };
    let modified = |behind: bool| {
        let mut steps = steps.iter();
        steps.any(|step| step.decision == "modified" && is_behind(step) == behind)
    };
    let payload = match (passed, result) {
        _ if by.is_some() => None,
        (Some(passed), Some(result)) if modified(true) => {
            let mut payload = Map::new();
            let names = ["name", "prompt_id", "uri", "argument"];
            let name = names.iter().find_map(|key| Some((*key, passed.get(*key)?)));
            payload.extend(name.map(|(key, value)| (key.to_owned(), value.clone())));
            let member = if passed.get("uri").is_some() {
                "content"
            } else {
                "result"
            };
            payload.insert(member.to_owned(), result);
            Some(Value::Object(payload))
        }
        (Some(passed), _) => {
            let others = passed.get("args").and_then(Value::as_object);
            let changed = modified(false) || others.is_some_and(|others| others != args);
            changed.then_some(passed)
        }
        _ => None,
    };
    let is_blocked = by.is_some();
    JudgedCall {
        outcome: if is_blocked {
            Outcome::Blocked
        } else {
            Outcome::Allowed
        },
        by,
        why: match is_blocked {
            true => reason
                .filter(|_| warning.is_none() || stopped.is_some())
                .or(warning.clone()),
            false => None,
        },
        code: code.filter(|_| is_blocked),
        steps,
        payload,
        reached_hooks,
        warning,
    }
}

/// Returns whether the hooks of a point see answers.
pub(in crate::cli) fn is_behind(point: &str) -> bool {
    point.contains("_post_")
}
