//! What the server decided about a call, hook by hook, for people and programs.

use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::judge::{JudgedCall, Outcome, is_behind},
    plugin::{Chain, PluginAt, PluginMode},
};
use hooks_server::internal::DryStep;

/// What became of a call.
#[derive(Debug, Serialize)]
pub(super) struct CallVerdict {
    /// The tool, prompt or resource.
    item: String,
    outcome: &'static str,
    /// Who decided; `None` for a call that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// Why, or what the user is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// What the hooks made of the payload, if they changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Value>,
    /// The probable mistake in the call itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    points: Vec<AtPoint>,
    #[serde(skip)]
    pub(super) exit: u8,
}

/// The hooks of a point.
#[derive(Debug, Serialize)]
struct AtPoint {
    point: &'static str,
    hooks: Vec<OfHook>,
}

/// What a hook decided.
#[derive(Debug, Serialize)]
struct OfHook {
    hook: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl CallVerdict {
    /// `points` are those of the item: before the server, and behind it if the call has an answer to judge.
    pub(super) fn of(
        item: &str,
        judged: JudgedCall,
        chain: &Chain,
        points: &[PluginAt],
    ) -> CallVerdict {
        let stopped = match judged.outcome {
            Outcome::Allowed => None,
            Outcome::Blocked | Outcome::Asks => judged.by.clone(),
        };
        let mut at_points = Vec::new();
        for at in points.iter().filter(|_| judged.reached_hooks) {
            let stops_before = stopped.is_some()
                && is_behind(at.as_str())
                && !judged.steps.iter().any(|step| step.point == at.as_str());
            if !stops_before {
                at_points.push(at_point(*at, chain, &judged.steps, stopped.as_deref()));
            }
        }
        CallVerdict {
            item: item.to_owned(),
            outcome: match judged.outcome {
                Outcome::Allowed => "allowed",
                Outcome::Blocked => "blocked",
                Outcome::Asks => "asks",
            },
            exit: match judged.outcome {
                Outcome::Allowed => 0,
                Outcome::Blocked => 1,
                Outcome::Asks => 3,
            },
            by: judged.by,
            why: judged.why,
            code: judged.code,
            payload: judged.payload,
            warning: judged.warning,
            points: at_points,
        }
    }

    /// Says who refused the call, and why, where the report of the server does not.
    pub(super) fn explained(&mut self, by: String, why: String) {
        (self.by, self.why) = (Some(by), Some(why));
        self.warning = None;
    }

    /// Returns whether the names of items decided.
    pub(super) fn is_unlisted(&self) -> bool {
        self.by.as_deref() == Some("lists")
    }

    /// Describes the verdict for people.
    pub(super) fn page(&self) -> String {
        let CallVerdict { item, outcome, .. } = self;
        let mut page = match (*outcome, self.by.as_deref()) {
            ("asks", by) => format!("{item}: `{}` asks the user", by.unwrap_or_default()),
            ("blocked", None | Some("")) => format!("{item}: blocked by the chain"),
            ("blocked", Some(by)) => format!("{item}: blocked by `{by}`"),
            _ => format!("{item}: allowed"),
        };
        if let Some(why) = &self.why {
            page.push_str(&format!(": {}", why.trim().replace('\n', "\n  ")));
        }
        page.push('\n');
        if let Some(warning) = self
            .warning
            .as_ref()
            .filter(|warning| self.why.as_ref() != Some(warning))
        {
            page.push_str(&format!("  warning: {warning}\n"));
        }
        for AtPoint { point, hooks } in &self.points {
            page.push_str(&format!("  {point}\n"));
            for OfHook {
                hook,
                decision,
                why,
            } in hooks
            {
                let decision = decision.replace('_', " ");
                let why = why.as_ref().map(|why| format!(": {why}"));
                page.push_str(&format!(
                    "    {hook}: {decision}{}\n",
                    why.unwrap_or_default()
                ));
            }
        }
        if let Some(payload) = &self.payload {
            page.push_str(&format!("  changed to {payload}\n"));
        }
        page
    }
}

/// Returns what each hook of the point decided, in their order.
fn at_point(at: PluginAt, chain: &Chain, steps: &[DryStep], stopped: Option<&str>) -> AtPoint {
    let steps: Vec<&DryStep> = steps
        .iter()
        .filter(|step| step.point == at.as_str())
        .collect();
    let shown = |step: &&DryStep, hook: &str| OfHook {
        hook: hook.to_owned(),
        decision: step.decision,
        why: step.why.clone(),
    };
    let of_chain = steps.iter().filter(|step| step.hook.is_empty());
    let mut hooks: Vec<OfHook> = of_chain.map(|step| shown(step, "the chain")).collect();
    // The chain's own limit stops a call before the first hook.
    let mut is_past = stopped == Some("") && steps.iter().all(|step| step.hook.is_empty());
    for hook in chain.hooks().filter(|hook| hook.at() == at) {
        let mut own = steps
            .iter()
            .filter(|step| step.hook == hook.id())
            .peekable();
        if own.peek().is_none() {
            let decision = match hook.its_mode() {
                PluginMode::Disabled => "disabled",
                _ if is_past => "not_reached",
                _ => "does_not_match",
            };
            hooks.push(OfHook {
                hook: hook.id().to_owned(),
                decision,
                why: None,
            });
        }
        hooks.extend(own.map(|step| shown(step, hook.id())));
        is_past |= stopped == Some(hook.id());
    }
    AtPoint {
        point: at.as_str(),
        hooks,
    }
}
