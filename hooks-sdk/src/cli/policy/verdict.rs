//! What the server decided about a call, hook by hook, for people and programs.

use serde::Serialize;

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
    #[serde(flatten)]
    judged: JudgedCall,
    points: Vec<AtPoint>,
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
        let stopped = judged.by.as_deref();
        let points = points.iter().filter(|at| {
            let is_seen = judged.steps.iter().any(|step| step.point == at.as_str());
            judged.reached_hooks && (stopped.is_none() || !is_behind(at.as_str()) || is_seen)
        });
        let points = points.map(|at| at_point(*at, chain, &judged.steps, stopped));
        CallVerdict {
            item: item.to_owned(),
            points: points.collect(),
            judged,
        }
    }

    /// Returns the exit code.
    pub(super) fn exit(&self) -> u8 {
        match self.judged.outcome {
            Outcome::Allowed => 0,
            Outcome::Blocked => 1,
            Outcome::Asks => 3,
        }
    }

    /// Says who refused the call, and why, where the report of the server does not.
    pub(super) fn explained(&mut self, by: String, why: String) {
        let judged = &mut self.judged;
        (judged.by, judged.why, judged.warning) = (Some(by), Some(why), None);
    }

    /// Returns whether the names of items decided.
    pub(super) fn is_unlisted(&self) -> bool {
        self.judged.by.as_deref() == Some("lists")
    }

    /// Describes the verdict for people.
    pub(super) fn page(&self) -> String {
        let CallVerdict { item, judged, .. } = self;
        let by = judged.by.as_deref().unwrap_or_default();
        let mut page = match (judged.outcome, by) {
            (Outcome::Asks, by) => format!("{item}: `{by}` asks the user"),
            (Outcome::Blocked, "") => format!("{item}: blocked by the chain"),
            (Outcome::Blocked, by) => format!("{item}: blocked by `{by}`"),
            (Outcome::Allowed, _) => format!("{item}: allowed"),
        };
        if let Some(why) = &judged.why {
            page.push_str(&format!(": {}", why.trim().replace('\n', "\n  ")));
        }
        page.push('\n');
        if judged.warning != judged.why
            && let Some(warning) = &judged.warning
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
        if let Some(payload) = &judged.payload {
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
