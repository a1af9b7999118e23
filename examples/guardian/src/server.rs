//! The guardian: hooks that decide by the policy in force, and what watches them.

use std::{convert::Infallible, sync::Arc};

use futures::future::{self, FutureExt};
use hooks_sdk::{
    aos::{AosHook, AosPoint, Guardian, GuardianAnswer, Reply, StepInfo, point},
    core::{BuildErrors, Hook, Registry},
};

use crate::{
    audit::Audit,
    calls::Calls,
    live::Live,
    page::Feed,
    record,
    ruleset::{Outcome, Ruling, Step},
};

/// The places that receive a line for each decision.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Watching {
    /// The audit log.
    pub audit: Option<Audit>,
    /// The page.
    pub feed: Option<Arc<Feed>>,
    /// Whether the lines also contain the payloads of the steps.
    pub contents: bool,
}

/// Makes a guardian that decides every step by the policy in force.
///
/// # Errors
///
/// The registry refuses a hook.
pub fn guardian(live: &Live, watching: Watching) -> Result<Guardian, BuildErrors> {
    let calls = Arc::new(Calls::default());
    let rules = Rules {
        live: live.clone(),
        calls: calls.clone(),
    };
    let registry = Registry::builder()
        .add(changing(&rules, point::agent_trigger))
        .add(changing(&rules, point::tool_call_request))
        .add(changing(&rules, point::tool_call_result))
        .add(changing(&rules, point::user_message))
        .add(changing(&rules, point::agent_response))
        .add(changing(&rules, point::system_message))
        .add(changing(&rules, point::memory_context_retrieval))
        .add(changing(&rules, point::memory_store))
        .add(changing(&rules, point::knowledge_retrieval))
        .add(deciding(&rules, point::mcp))
        .add(deciding(&rules, point::a2a))
        .add(deciding(&rules, point::message_send))
        .add(deciding(&rules, point::message_stream))
        .add(deciding(&rules, point::tasks_get))
        .add(deciding(&rules, point::tasks_cancel))
        .add(deciding(&rules, point::tasks_resubscribe))
        .add(deciding(&rules, point::tasks_push_notification_config_set))
        .add(deciding(&rules, point::tasks_push_notification_config_get))
        .build()?;
    let guardian = Guardian::with((), registry);
    if watching.audit.is_none() && watching.feed.is_none() {
        return Ok(guardian);
    }
    Ok(guardian.on_decided(move |decided| {
        let line = record::line(decided, &calls, watching.contents);
        if let Some(audit) = &watching.audit {
            audit.write(&line);
        }
        if let Some(feed) = &watching.feed {
            feed.add(line.into());
        }
    }))
}

#[derive(Clone)]
struct Rules {
    live: Live,
    calls: Arc<Calls>,
}

impl Rules {
    fn decide<T: Step + Clone>(&self, payload: &T, asked: &StepInfo) -> Ruling<T> {
        if let Some(call) = payload.call() {
            self.calls
                .remember(asked, &call.execution_id, &call.tool_id);
        }
        let execution = payload.execution();
        let tool = execution.and_then(|execution| self.calls.tool(asked, execution));
        self.live.policy().decide(asked, payload, tool.as_deref())
    }
}

/// The name of the one hook at each point.
const ID: &str = "rules";

/// Makes the hook at a point where rules may change the step.
fn changing<P>(rules: &Rules, point: P) -> Hook
where
    P: AosPoint,
    P::Payload: Step,
    Reply<P::Payload>: GuardianAnswer<P>,
{
    let rules = rules.clone();
    let hook = AosHook::answering_any(ID, point, move |payload: &P::In, asked| {
        let ruling = rules.decide(payload, asked);
        let reply = match ruling.outcome {
            Outcome::Allow => Reply::allow(),
            Outcome::Deny => Reply::deny(""),
            Outcome::Modify(payload) => Reply::modify(payload),
        };
        let words = (ruling.message, ruling.reasoning, ruling.reason_codes);
        future::ready(with_words(reply, words)).boxed()
    });
    hook.into()
}

/// Makes the hook at a point where rules allow or deny.
fn deciding<P>(rules: &Rules, point: P) -> Hook
where
    P: AosPoint,
    P::Payload: Step,
{
    let rules = rules.clone();
    let hook = AosHook::answering_any(ID, point, move |payload: &P::In, asked| {
        let ruling = rules.decide(payload, asked);
        let reply: Reply<Infallible> = match ruling.outcome {
            Outcome::Allow => Reply::allow(),
            // A rule that redacts cannot stand here.
            Outcome::Deny | Outcome::Modify(_) => Reply::deny(""),
        };
        let words = (ruling.message, ruling.reasoning, ruling.reason_codes);
        future::ready(with_words(reply, words)).boxed()
    });
    hook.into()
}

type RuledWords = (Option<String>, Option<String>, Vec<String>);

fn with_words<T>(reply: Reply<T>, (message, reasoning, codes): RuledWords) -> Reply<T> {
    let reply = reply
        .message(message.unwrap_or_default())
        .reasoning(reasoning.unwrap_or_default());
    codes.into_iter().fold(reply, Reply::reason_code)
}
