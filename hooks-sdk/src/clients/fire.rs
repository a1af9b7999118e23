//! A client fires an event: from the bytes on standard input to the object for standard output.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Client, Delivery, Seen, hear};
use crate::{
    core::{HookError, dispatch::within},
    lifecycle::{
        Event,
        host::{ContextTools, LifecycleHost, Report},
    },
};

/// What came of an event that a client fired.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fired {
    /// What to write to standard output: a JSON object, empty when there is nothing to say.
    pub output: Value,
    /// What came of the hooks; `injected` are those whose texts are in the output. `None` when they were not evaluated:
    /// the input says nothing, nothing can reach the agent at the event, or it was kept going already.
    pub report: Option<Report>,
    /// What the client said; `None` when that could not be read.
    pub seen: Option<Seen>,
    /// What went wrong, in a sentence for a log: an input that says nothing, hooks that did not fit.
    pub problem: Option<String>,
}

impl Fired {
    fn silently(seen: Option<Seen>, problem: Option<String>) -> Fired {
        Fired {
            output: json!({}),
            report: None,
            seen,
            problem,
        }
    }
}

/// Fires an event by what the client wrote to standard input: [`hear`], then [`fire_seen`].
///
/// It neither reads nor writes. It answers any bytes with a JSON object.
pub async fn fire(
    client: &dyn Client,
    event: Option<Event>,
    servers: &[&str],
    input: &[u8],
    host: &LifecycleHost,
    tools: &dyn ContextTools,
) -> Fired {
    match hear(client, event, servers, input) {
        Ok(seen) => fire_seen(client, seen, host, tools).await,
        Err(unheard) => Fired::silently(None, Some(unheard.to_string())),
    }
}

/// Fires an event that was [heard](hear).
///
/// The text for the agent is the displayed [`Report`]: it names each hook's server and priority and quotes its text, the
/// user's own server's too, so that the agent can tell it from what the user says. A hook whose text does not fit the
/// client's [budget](Client::budget) any more is left out whole and taken from the report; a shorter one behind it may
/// still fit. Context tools have the client's [patience](Client::patience), or the host's deadline if that is
/// shorter; they need a tokio timer once they are pending.
///
/// Where no text can reach the agent no hook is evaluated and no tool called; nor at the end of a subagent, which is not
/// the end of the agent's turn.
pub async fn fire_seen(
    client: &dyn Client,
    seen: Seen,
    host: &LifecycleHost,
    tools: &dyn ContextTools,
) -> Fired {
    let event = seen.occasion.event;
    if silence(client, &seen).is_some() {
        return Fired::silently(Some(seen), None);
    }
    let tools = Patient {
        tools,
        patience: client.patience(event),
    };
    let mut report = host.fire(&seen.occasion, &tools, Instant::now()).await;
    let problem = fit(&mut report, client, event);
    Fired {
        output: client.answer(&seen, &report.to_string()),
        report: Some(report),
        seen: Some(seen),
        problem,
    }
}

/// Why nothing can be said there, whatever hooks there are.
pub(crate) fn silence(client: &dyn Client, seen: &Seen) -> Option<&'static str> {
    let event = seen.occasion.event;
    if client.mapping(event).delivery == Delivery::Never {
        Some("no text reaches the agent there")
    } else if seen.subagent && event == Event::PostRequest {
        Some("a subagent has ended, and the agent continues")
    } else if seen.kept_going {
        Some("the agent continues only because a hook kept it from stopping")
    } else {
        None
    }
}

/// Leaves out the hooks that do not fit, and says which.
fn fit(report: &mut Report, client: &dyn Client, event: Event) -> Option<String> {
    let budget = client.budget(event);
    let mut used = 0;
    let mut left_out = String::new();
    report.injected.retain(|injected| {
        let gap = if used == 0 { 0 } else { 2 };
        let characters = gap + injected.to_string().chars().count();
        let fits = used + characters <= budget;
        if fits {
            used += characters;
        } else {
            _ = write!(left_out, ", {} of `{}`", injected.index, injected.server);
        }
        fits
    });
    let left_out = left_out.strip_prefix(", ")?;
    Some(format!(
        "these hooks do not fit into the {budget} characters of one answer: {left_out}"
    ))
}

/// Context tools, none of which keeps the client waiting until it gives up and loses every text.
struct Patient<'a> {
    tools: &'a dyn ContextTools,
    patience: Duration,
}

impl ContextTools for Patient<'_> {
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async move {
            let call = async { self.tools.call(server, tool, args).await };
            within(self.patience, call).await?
        })
    }
}
