//! The firing of a client's event: from the bytes on standard input to the object for standard output.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Client, Limit, Seen, read_input};
use hooks_core::{
    HookError,
    dispatch::within,
    lifecycle::{
        Event,
        host::{ContextTools, Injected, LifecycleHost, Report},
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
    /// The texts that do not fit.
    pub unfit: Vec<Unfit>,
}

/// A text that does not fit into an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    server: Arc<str>,
    /// The declaration's index.
    pub index: usize,
    /// The ids of the hooks, if the other texts of the declaration fit.
    pub hooks: Vec<String>,
    /// Why, as a sentence without its subject's name.
    pub why: String,
}

/// Returns the longest text of the declaration with this index that fits, and the ids of the hooks whose texts are not in
/// it. `None` if no part of the text fits, or if the text has no parts.
pub type Shorten<'a> =
    dyn Fn(usize, &dyn Fn(&str) -> bool) -> Option<(String, Vec<String>)> + Sync + 'a;

/// How the texts of an event are made to fit.
#[expect(missing_debug_implementations, reason = "it has a function")]
pub struct Fitting<'a> {
    /// The maximum number of characters of all texts, without the lines around them.
    pub max_characters: usize,
    /// What makes a shorter text of a declaration: without the weakest of its texts.
    pub shorten: &'a Shorten<'a>,
}

impl Fired {
    fn silently(seen: Option<Seen>, problem: Option<String>) -> Fired {
        Fired {
            output: json!({}),
            report: None,
            seen,
            problem,
            unfit: Vec::new(),
        }
    }
}

/// Fires the event that the client wrote to standard input: [`read_input`], then [`fire_fitting`].
///
/// It does not read standard input or write standard output. It answers any bytes with a JSON object.
pub async fn fire(
    client: &Client,
    event: Option<Event>,
    servers: &[&str],
    input: &[u8],
    host: &LifecycleHost,
    tools: &dyn ContextTools,
) -> Fired {
    let fitting = Fitting {
        max_characters: usize::MAX,
        shorten: &|_, _| None,
    };
    match read_input(client, event, servers, input) {
        Ok(seen) => fire_fitting(client, seen, host, tools, Instant::now(), &fitting).await,
        Err(unheard) => Fired::silently(None, Some(unheard.to_string())),
    }
}

/// Fires an event that was [read](read_input), at a time.
///
/// - The text for the agent is the displayed [`Report`]. It names the server and priority of each hook and quotes its
///   text, so that the agent can distinguish it from the user's words.
/// - A hook whose text does not fit into the client's [budget](Client::budget) is shortened or else skipped as a whole, and
///   removed from the report. The strongest hooks are taken first, and a later, shorter text may still fit.
/// - Context tools have the client's [patience](Client::patience), or the host's deadline if that is shorter. A pending
///   tool needs a tokio timer.
/// - Where no text reaches the agent, no hook is evaluated and no tool is called. The same is true at the end of a
///   subagent, which is not the end of the agent's turn.
pub async fn fire_fitting(
    client: &Client,
    seen: Seen,
    host: &LifecycleHost,
    tools: &dyn ContextTools,
    now: Instant,
    fitting: &Fitting<'_>,
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
    let unfit = fit(&mut report, client, &seen, fitting);
    Fired {
        output: client.answer(&seen, &report.to_string()),
        problem: problem(&unfit, client.budget(event)),
        report: Some(report),
        seen: Some(seen),
        unfit,
    }
}

/// Returns why no text can be sent at this event, whatever the hooks are.
pub fn silence(client: &Client, seen: &Seen) -> Option<&'static str> {
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

/// Shortens or removes the texts that do not fit, the weakest ones, and returns them.
fn fit(report: &mut Report, client: &Client, seen: &Seen, fitting: &Fitting<'_>) -> Vec<Unfit> {
    let event = seen.occasion.event;
    let budget = client.budget(event);
    let (mut used, mut characters) = (0, 0);
    let mut unfit = Vec::new();
    report.injected.retain_mut(|injected| {
        let gap = if used == 0 { 0 } else { 2 };
        let length = |injected: &Injected| gap + budget.length(&injected.to_string());
        let fits = |injected: &Injected| {
            used + length(injected) <= budget.most
                && characters + injected.characters() <= fitting.max_characters
        };
        if !fits(injected) {
            let with = |text: &str| {
                let mut shorter = injected.clone();
                let text = seen.occasion.variables.substitute(event, text);
                shorter.set_text(text.into_owned());
                shorter
            };
            let whole = length(injected);
            let index = injected.index;
            let left = budget.most.saturating_sub(used);
            let shorter = (fitting.shorten)(index, &|text| fits(&with(text)));
            let is_policy = used + whole <= budget.most;
            let why = match (is_policy, &shorter) {
                (true, _) => format!(
                    "with the stronger texts, it exceeds the {} characters of the policy",
                    fitting.max_characters
                ),
                (false, Some(_)) => format!(
                    "with the stronger texts, it does not fit into the {budget} of one answer"
                ),
                (false, None) => format!(
                    "its length in an answer is {whole}, and {left} of the {budget} are left"
                ),
            };
            let hooks = shorter.as_ref().map(|(_, hooks)| hooks.clone());
            unfit.push(Unfit {
                server: Arc::clone(&injected.server),
                index,
                hooks: hooks.unwrap_or_default(),
                why,
            });
            let Some((text, _)) = shorter else {
                return false;
            };
            *injected = with(&text);
        }
        used += length(injected);
        characters += injected.characters();
        true
    });
    unfit
}

/// Returns a sentence that names the texts that do not fit.
fn problem(unfit: &[Unfit], budget: Limit) -> Option<String> {
    let left_out = unfit.iter().map(|each| match each.hooks.is_empty() {
        true => format!("{} of `{}`", each.index, each.server),
        false => format!("{} of `{}`", each.hooks.join(" and "), each.server),
    });
    let left_out = left_out.collect::<Vec<_>>().join(", ");
    (!unfit.is_empty())
        .then(|| format!("these hooks do not fit into the {budget} of one answer: {left_out}"))
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
