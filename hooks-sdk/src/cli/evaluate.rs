//! The evaluation of hooks at an event of a client: `fire` sends the result, and `explain` shows it.

use std::{
    io::{self, Read},
    time::Duration,
};

use super::{CommandError, Program, pipe::Pipe, stats::named_in};
use crate::{
    clients::{Client, Fired, MAX_INPUT, Seen, fire_seen, receipts::HookStore},
    lifecycle::{Event, HookContent},
    server::{Collected, Declared, ServerHandler},
};

/// The time that the server has to list its tools.
const LISTING: Duration = Duration::from_millis(200);

/// The tools that the texts of context tools named, by hook.
pub(super) type Asks = Vec<(String, Vec<String>)>;

/// The result of an event.
pub(super) struct Evaluated {
    pub(super) fired: Fired,
    /// The declarations at the event, by the index that the report names.
    pub(super) declared: Vec<Declared>,
    /// The declarations whose texts the session still has from its start.
    pub(super) kept: Vec<Declared>,
    pub(super) asks: Asks,
}

/// Reads what a client wrote to standard input, at most one byte more than the limit.
pub(super) fn standard_input() -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    let limit = MAX_INPUT as u64 + 1;
    io::stdin().lock().take(limit).read_to_end(&mut input)?;
    Ok(input)
}

/// Evaluates the hooks at an event that `client` sent; `name` is the server's name in that client.
pub(super) async fn evaluate<H: ServerHandler>(
    program: &Program<H>,
    hooks: &Collected<H>,
    store: &HookStore,
    client: &dyn Client,
    name: &str,
    seen: Seen,
) -> Result<Evaluated, CommandError> {
    let session = seen.session_id.clone();
    let pipe = Pipe::new(program, session.as_deref());
    evaluate_by(&pipe, program, hooks, store, client, name, seen).await
}

/// Evaluates them with these context tools.
pub(super) async fn evaluate_by<H: ServerHandler>(
    pipe: &Pipe<'_, H>,
    program: &Program<H>,
    hooks: &Collected<H>,
    store: &HookStore,
    client: &dyn Client,
    name: &str,
    seen: Seen,
) -> Result<Evaluated, CommandError> {
    let declared = program
        .declared_at(hooks, client, seen.occasion.event)
        .await?;
    let is_kept = is_kept(&seen, client, store);
    // The transcript still has the static texts; the answer of a tool may be new.
    let (kept, declared): (Vec<Declared>, Vec<Declared>) =
        declared.into_iter().partition(|each: &Declared| {
            is_kept && !matches!(each.declaration.content, HookContent::ContextTool { .. })
        });
    let host = program.host(name, &declared);
    let session = seen.session_id.clone();
    let may_fire = declared.iter().any(|each| {
        let matcher = each.declaration.matcher.as_ref();
        matcher.is_none_or(|matcher| matcher.matches(&seen.occasion))
    });
    if let Some(session) = session.as_deref().filter(|_| may_fire) {
        let ids: Vec<&[String]> = declared.iter().map(|each| &each.hooks[..]).collect();
        if let Err(error) = store.recall(session, &host, name, &ids) {
            tracing::warn!(%error, "earlier firings are not known");
        }
    }
    let fired = fire_seen(client, seen, &host, pipe).await;
    let asks = asks(pipe, &fired, &declared).await;
    Ok(Evaluated {
        fired,
        declared,
        kept,
        asks,
    })
}

/// Returns the tools that the texts of context tools name, which are known only now.
async fn asks<H: ServerHandler>(pipe: &Pipe<'_, H>, fired: &Fired, declared: &[Declared]) -> Asks {
    let mut asks = Asks::new();
    for injected in fired.report.iter().flat_map(|report| &report.injected) {
        let Some(each) = declared.get(injected.index) else {
            continue;
        };
        if !matches!(each.declaration.content, HookContent::ContextTool { .. }) {
            continue;
        }
        // The client waits for the text, which matters more than a statistic.
        let tools = tokio::time::timeout(LISTING, pipe.tools()).await;
        let Ok(Ok(tools)) = tools else {
            tracing::debug!("the tools that the text names are not recorded");
            break;
        };
        let named = named_in(&injected.text, &tools);
        asks.extend(each.hooks.iter().map(|hook| (hook.clone(), named.clone())));
    }
    asks
}

/// Returns whether the texts of the start were sent in this session, and the client resumed it with these texts.
fn is_kept(seen: &Seen, client: &dyn Client, store: &HookStore) -> bool {
    let resumed = seen.source.as_deref() == Some("resume");
    let keeps = client.keeps_start();
    let session = seen.session_id.as_deref().filter(|_| resumed && keeps);
    session.is_some_and(|session| {
        let told = store.already_said(session, Event::SessionStart.as_str());
        told.unwrap_or(false)
    })
}
