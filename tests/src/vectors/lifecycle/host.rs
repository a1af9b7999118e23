//! The host suite: a policy, servers, and a sequence of events with the time at which each fires.
//!
//! Trust and approvals are choices of a client before it registers a server. The suite's client makes them here.

use std::{
    future::pending,
    panic::resume_unwind,
    sync::Mutex,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use hooks_sdk::{
    core::{Failure, HookError},
    lifecycle::{
        Declaration,
        host::{
            ClientControls, ContextTools, DeclarationRefusal, LifecycleHost, Rate, Reason, Refused,
            Report,
        },
    },
};
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

use super::{occasion, read, string};

pub(super) fn run(input: &Value) -> Value {
    let mut client = Client {
        host: LifecycleHost::new(policy(&input["policy"])),
        policy: &input["policy"],
        approved: Vec::new(),
        left_out: Vec::new(),
    };
    let servers = || list(&input["servers"]);
    let refused: Vec<Value> = servers().map(|server| client.register(server)).collect();
    let start = Instant::now();
    let mut fired = Vec::new();
    for step in list(&input["steps"]) {
        if !step["approve"].is_null() {
            client.approved.extend(list(&step["approve"]));
            client.left_out.clear();
            servers().for_each(|server| _ = client.register(server));
        }
        fired.push(client.fire(step, start));
    }
    json!({ "refused": refused, "steps": fired })
}

/// A client that decides which declarations of a server it registers.
struct Client<'v> {
    host: LifecycleHost,
    policy: &'v Value,
    approved: Vec<&'v Value>,
    /// The declarations that are valid and not registered: the server, the index, and why.
    left_out: Vec<(&'v str, usize, &'v Value, &'static str)>,
}

impl<'v> Client<'v> {
    fn trusts(&self, server: &str) -> bool {
        list(&self.policy["trusted"]).any(|name| name == server)
    }

    /// Registers what the client admits of a server. Returns what the host refuses of all that the server sent.
    fn register(&mut self, server: &'v Value) -> Value {
        let (name, mut hooks) = (string(&server["name"]), server["hooks"].clone());
        let refused = self.host.register(name, &hooks).refused;
        let downgrades = self.policy["downgrade_required"][name].as_bool();
        let downgrades = downgrades.unwrap_or(!self.trusts(name));
        let declarations = hooks.get_mut("declarations").and_then(Value::as_array_mut);
        for (index, declaration) in declarations.into_iter().flatten().enumerate() {
            let sent = &server["hooks"]["declarations"][index];
            if refused.iter().any(|refused| refused.index == index) {
                continue;
            }
            if let Some(why) = self.objection(name, sent) {
                self.left_out.push((name, index, sent, why));
                // The others keep their indices.
                *declaration = Value::Null;
            } else if downgrades && declaration["priority"] == "required" {
                declaration["priority"] = json!("important");
            }
        }
        self.host.register(name, &hooks);
        refusals(&refused)
    }

    /// Returns why the client leaves a declaration out.
    fn objection(&self, server: &str, declaration: &Value) -> Option<&'static str> {
        if !self.trusts(server) && self.policy["ignore_untrusted"] == true {
            return Some("untrusted");
        }
        if !self.trusts(server) && !declaration["context_tool"].is_null() {
            return Some("untrusted_tool");
        }
        let is_asked = match self.policy["approvals"].as_str() {
            None => false,
            Some("required") => declaration["priority"] == "required",
            Some("all") => true,
            Some(other) => panic!("`{other}` is no kind of approval"),
        };
        let is_approved = |approval: &&Value| {
            approval["server"] == server && approval["declaration"] == *declaration
        };
        (is_asked && !self.approved.iter().any(is_approved)).then_some("awaiting_approval")
    }

    fn fire(&self, step: &Value, start: Instant) -> Value {
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
        let occasion = occasion(&step["occasion"]);
        let firing = self.host.fire(&occasion, &tools, now);
        let report = runtime.expect("a runtime").block_on(firing);
        let calls = tools.calls.into_inner();
        let left_out = self
            .left_out
            .iter()
            .filter_map(|(server, index, sent, why)| {
                let declaration: Declaration = read(sent);
                let matcher = declaration.matcher.as_ref();
                let matches = matcher.is_none_or(|matcher| matcher.matches(&occasion));
                let why = if matches { *why } else { "not_matched" };
                let is_due = declaration.event.known() == Some(&occasion.event);
                is_due.then(|| json!([server, index, why]))
            });
        let calls = calls.expect("no panic while it was held");
        outcome(&report, left_out.collect(), calls)
    }
}

fn refusals(refused: &[Refused]) -> Value {
    let refused = refused.iter().map(|refused| {
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

/// What the vectors record of a report; a part in which nothing happened is left out.
fn outcome(report: &Report, left_out: Vec<Value>, calls: Vec<Value>) -> Value {
    let injected = report.injected.iter().map(|injected| {
        json!([
            &*injected.server,
            injected.index,
            injected.strength.as_str(),
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
        ("skipped", left_out.into_iter().chain(skipped).collect()),
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
            // The choices of the client.
            "trusted" | "downgrade_required" | "ignore_untrusted" | "approvals" => {}
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
