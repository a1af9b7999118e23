//! The firing of a client's event: from the bytes on standard input to the object for standard output.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Client, Seen, hear};
use crate::{
    core::{HookError, dispatch::within},
    lifecycle::{
        Event,
        host::{ContextTools, LifecycleHost, Report},
    },
};

/// The result of an event that a client fired.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fired {
    /// The JSON object for standard output; empty if there is no text.
    pub output: Value,
    /// The report on the hooks; `injected` has those whose texts are in the output. `None` if no hook was evaluated: the
    /// input cannot be read, no text reaches the agent at the event, or a hook has already kept the agent going.
    pub report: Option<Report>,
    /// The client's input; `None` if it could not be read.
    pub seen: Option<Seen>,
    /// The problem, as a sentence for a log: an input that cannot be read, or hooks that do not fit.
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

/// Fires the event that the client wrote to standard input: [`hear`], then [`fire_seen`].
///
/// It does not read standard input or write standard output. It answers any bytes with a JSON object.
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
/// - The text for the agent is the displayed [`Report`]. It names the server and priority of each hook and quotes its
///   text, so that the agent can distinguish it from the user's words.
/// - A hook whose text does not fit into the client's [budget](Client::budget) is skipped as a whole, and removed from
///   the report. A later, shorter text may still fit.
/// - Context tools have the client's [patience](Client::patience), or the host's deadline if that is shorter. A pending
///   tool needs a tokio timer.
/// - Where no text reaches the agent, no hook is evaluated and no tool is called. The same is true at the end of a
///   subagent, which is not the end of the agent's turn.
pub async fn fire_seen(
    client: &dyn Client,
    seen: Seen,
    host: &LifecycleHost,
    tools: &dyn ContextTools,
) -> Fired {
    fire_at(client, seen, host, tools, Instant::now()).await
}

/// Fires like [`fire_seen`], at a time.
pub(crate) async fn fire_at(
    client: &dyn Client,
    seen: Seen,
    host: &LifecycleHost,
    tools: &dyn ContextTools,
    now: Instant,
) -> Fired {
    let event = seen.occasion.event;
    let client = seen.answered(client);
    if silence(client, &seen).is_some() {
        return Fired::silently(Some(seen), None);
    }
    let tools = Patient {
        tools,
        patience: client.patience(event),
    };
    let mut report = host.fire(&seen.occasion, &tools, now).await;
    let problem = fit(&mut report, client, event);
    Fired {
        output: client.answer(&seen, &report.to_string()),
        report: Some(report),
        seen: Some(seen),
        problem,
    }
}

/// Returns why no text can be sent at this event, whatever the hooks are.
pub(crate) fn silence(client: &dyn Client, seen: &Seen) -> Option<&'static str> {
    let event = seen.occasion.event;
    if !seen
        .answered(client)
        .mapping(event)
        .delivery
        .reaches_agent()
    {
        Some("no text reaches the agent there")
    } else if seen.subagent && event == Event::PostRequest {
        Some("a subagent has ended, and the agent continues")
    } else if seen.kept_going && event == Event::PreRequest {
        Some("the prompt is not the user's: the agent continues what it does")
    } else if seen.kept_going {
        Some("the agent continues only because a hook kept it from stopping")
    } else {
        None
    }
}

/// Removes the hooks that do not fit, and returns a sentence that names them.
fn fit(report: &mut Report, client: &dyn Client, event: Event) -> Option<String> {
    let budget = client.budget(event);
    let mut used = 0;
    let mut left_out = String::new();
    report.injected.retain(|injected| {
        let gap = if used == 0 { 0 } else { 2 };
        let length = gap + budget.length(&injected.to_string());
        let fits = used + length <= budget.most;
        if fits {
            used += length;
        } else {
            _ = write!(left_out, ", {} of `{}`", injected.index, injected.server);
        }
        fits
    });
    let left_out = left_out.strip_prefix(", ")?;
    Some(format!(
        "these hooks do not fit into the {budget} of one answer: {left_out}"
    ))
}

/// Context tools with a deadline, so that the client does not end the hook and lose every text.
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
