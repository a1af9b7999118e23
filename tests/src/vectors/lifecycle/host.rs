//! The host suite: a policy, servers, and a sequence of events with the time at which each fires.

use std::{
    future::pending,
    panic::resume_unwind,
    sync::Mutex,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use hooks_sdk::{
    core::{Failure, HookError},
    lifecycle::host::{
        Approval, Approvals, ClientControls, ContextTools, DeclarationRefusal, LifecycleHost, Rate,
        Reason, Report, Standing,
    },
};
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

use super::{occasion, read, string};

pub(super) fn run(input: &Value) -> Value {
    let mut host = LifecycleHost::new(policy(&input["policy"]));
    let registered: Vec<Value> = list(&input["servers"])
        .map(|server| refusals(&mut host, string(&server["name"]), &server["hooks"]))
        .collect();
    let start = Instant::now();
    let fired: Vec<Value> = list(&input["steps"])
        .map(|step| {
            list(&step["approve"]).for_each(|approval| host.approve(read::<Approval>(approval)));
            fire(&host, step, start)
        })
        .collect();
    json!({ "refused": registered, "steps": fired })
}

fn refusals(host: &mut LifecycleHost, name: &str, hooks: &Value) -> Value {
    let registration = host.register(name, hooks);
    let refused = registration.refused.iter().map(|refused| {
        let why = match &refused.why {
            DeclarationRefusal::Malformed(_) => "malformed",
            DeclarationRefusal::Broken(_) => "broken",
            DeclarationRefusal::UnknownEvent(_) => "unknown_event",
            DeclarationRefusal::TooMany => "too_many",
            other => panic!("{other:?} is new"),
        };
        json!([refused.index, why])
    });
    refused.collect()
}

fn fire(host: &LifecycleHost, step: &Value, start: Instant) -> Value {
    let tools = Tools {
        script: &step["tools"],
        calls: Mutex::default(),
    };
    let now = start + millis(&step["at_ms"]);
    // A paused clock lets a hung tool reach its deadline at once.
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let report =
        runtime
            .expect("a runtime")
            .block_on(host.fire(&occasion(&step["occasion"]), &tools, now));
    let calls = tools
        .calls
        .into_inner()
        .expect("no panic while it was held");
    outcome(&report, calls)
}

/// What the vectors record of a report; a part in which nothing happened is left out.
fn outcome(report: &Report, calls: Vec<Value>) -> Value {
    let injected = report.injected.iter().map(|injected| {
        json!([
            &*injected.server,
            injected.index,
            injected.priority.as_str(),
            injected.text
        ])
    });
    let skipped = report
        .skipped
        .iter()
        .map(|skipped| json!([&*skipped.server, skipped.index, reason(skipped.reason)]));
    let failed = report.failed.iter().map(|failed| {
        let why = match failed.failure {
            Failure::Failed(_) => "failed",
            Failure::Panicked(_) => "panicked",
            Failure::TimedOut(_) => "timed_out",
            _ => "new",
        };
        json!([&*failed.server, failed.index, failed.tool, why])
    });
    let parts: [(&str, Vec<Value>); 4] = [
        ("injected", injected.collect()),
        ("skipped", skipped.collect()),
        ("failed", failed.collect()),
        ("calls", calls),
    ];
    parts
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(name, entries)| (name.to_owned(), Value::Array(entries)))
        .collect::<Map<_, _>>()
        .into()
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NotMatched => "not_matched",
        Reason::Untrusted => "untrusted",
        Reason::UntrustedTool => "untrusted_tool",
        Reason::AwaitingApproval => "awaiting_approval",
        Reason::CoolingDown(_) => "cooling_down",
        Reason::TooManyHooks => "too_many_hooks",
        Reason::RateLimited => "rate_limited",
        Reason::TooLong(_) => "too_long",
        Reason::Empty => "empty",
        other => panic!("{other:?} is new"),
    }
}

fn policy(input: &Value) -> ClientControls {
    let mut policy = ClientControls::default();
    for (member, value) in input.as_object().into_iter().flatten() {
        match member.as_str() {
            "trusted" => {
                policy = list(value).fold(policy, |policy, name| policy.trusting(string(name)));
            }
            "downgrade_required" => {
                for (name, downgrade) in value.as_object().into_iter().flatten() {
                    let trust = policy.trust(name);
                    let standing = policy.servers.entry(name.clone());
                    standing.or_insert(Standing::new(trust)).downgrade_required =
                        downgrade.as_bool();
                }
            }
            "ignore_untrusted" => policy.ignore_untrusted = value == true,
            "approvals" => {
                policy.approvals = match string(value) {
                    "all" => Approvals::All,
                    "required" => Approvals::Required,
                    other => panic!("`{other}` is no kind of approval"),
                };
            }
            "max_declarations" => policy.max_declarations = count(value),
            "max_hooks" => policy.max_hooks = count(value),
            "max_characters" => policy.max_characters = count(value),
            "cool_down_ms" => policy.cool_down = millis(value),
            "deadline_ms" => policy.deadline = millis(value),
            "rate" => {
                policy.rate = Rate {
                    hooks: count(&value["hooks"]),
                    window: millis(&value["window_ms"]),
                };
            }
            other => panic!("`{other}` is no member of a policy"),
        }
    }
    policy
}

/// Tools that do what a vector says: `{"text": …}`, `{"error": …}`, `"panic"` or `"hang"`.
struct Tools<'v> {
    script: &'v Value,
    calls: Mutex<Vec<Value>>,
}

impl ContextTools for Tools<'_> {
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        self.calls
            .lock()
            .expect("no panic while it is held")
            .push(json!([server, tool, args]));
        let behaviour = &self.script[format!("{server}/{tool}")];
        if behaviour == "panic" {
            // As `panic!`, without its message and backtrace between the lines of the report.
            resume_unwind(Box::new("as the vector says"));
        }
        Box::pin(async move {
            match (behaviour["text"].as_str(), behaviour["error"].as_str()) {
                (Some(text), _) => Ok(text.to_owned()),
                (_, Some(error)) => Err(HookError::new(error)),
                _ if behaviour == "hang" => pending().await,
                _ => Err(HookError::new("no such tool")),
            }
        })
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn count(value: &Value) -> usize {
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count.unwrap_or_else(|| panic!("{value} is no count"))
}

fn millis(value: &Value) -> Duration {
    Duration::from_millis(
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{value} is no time")),
    )
}
