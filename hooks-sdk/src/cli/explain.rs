//! What `fire` would write at an event, and why it leaves out the other hooks, for `cargo hooks explain`.

use std::{collections::VecDeque, time::Instant};

use serde_json::Map;

use super::{
    CommandError, Program,
    declared::hints,
    evaluate::evaluate,
    explained::{fires, left_out, length},
    judge::{Judge, JudgedItem, Judging, Outcome},
    pipe::Pipe,
};
use crate::{
    clients::{Client, Seen, dump::Explained, history::HookStore, read_input, silence},
    lifecycle::Event,
    server::ServerHandler,
};
use hooks_server::internal::DryCall;

/// Explains an event as the client writes it for `fire`. If the server cannot be asked about a call, a note says so.
pub(super) async fn explained<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
    event: Option<Event>,
    input: &[u8],
) -> Result<Explained, CommandError> {
    let seen = read_input(client, event, &[&*program.name], input)?;
    let asks = seen.occasion.event.is_tool_event() && seen.occasion.variables.tool_name.is_some();
    let judge = match asks {
        true => Judge::of(program, None).await,
        false => Err("no tool is called".into()),
    };
    let mut explained = in_client(program, client, event, input, judge.as_ref().ok()).await?;
    if let Err(error) = judge.as_ref()
        && asks
    {
        let note = format!("the server is not asked: {error}");
        explained.notes.push(note);
    }
    Ok(explained)
}

/// Explains an event, with a judge on the call of the server's own tool.
pub(super) async fn in_client<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
    event: Option<Event>,
    input: &[u8],
    judge: Option<&Judge>,
) -> Result<Explained, CommandError> {
    let name = &*program.name;
    let seen = read_input(client, event, &[name], input)?;
    let event = seen.occasion.event;
    let client = seen.answered(client);
    let silence = silence(client, &seen);
    let hooks = program.hooks()?;
    let store = program.store();
    // `explain` records nothing, so it creates no file.
    let store = match store.path().is_some_and(|path| path.exists()) {
        true => store,
        false => HookStore::off(),
    };
    let own = own_tool(&seen, name, judge);
    #[cfg(feature = "policy-engine")]
    let mut policy = super::plugins::around(&hooks, &seen.occasion, own.as_deref())?;
    #[cfg(feature = "policy-engine")]
    if event == Event::PreToolUse {
        policy.extend(super::gate::explained(program, client, input)?);
    }
    #[cfg(not(feature = "policy-engine"))]
    let policy = Vec::new();
    let server = match (judge, &own) {
        (Some(judge), Some(tool)) if event == Event::PreToolUse => {
            decided(judge, client, tool, &seen).await
        }
        _ => None,
    };
    let session = seen.session_id.clone();
    let pipe = Pipe::quiet(program, session.as_deref());
    let evaluated = evaluate(&pipe, &hooks, &store, client, name, seen, Instant::now()).await?;
    let mapping = client.mapping(event);
    let mut explained = Explained::default();
    client.name.clone_into(&mut explained.client);
    mapping.native.clone_into(&mut explained.native);
    explained.tested = client.tested.to_string();
    explained.reaches_the_agent = mapping.delivery.reaches_agent();
    explained.subagents = mapping.subagents;
    let note = mapping.note.map(str::to_owned).into_iter();
    let hints = hints(client, event, &evaluated.declared, &program.name);
    explained.notes = note.chain(hints).collect();
    explained.fires = fires(&evaluated);
    explained.length = length(client, &evaluated);
    explained.left_out = left_out(silence, &evaluated);
    explained.policy = policy;
    explained.server = server;
    Ok(explained)
}

/// Returns the tool of the server `name` that an event is about, in the server's own words.
fn own_tool(seen: &Seen, name: &str, judge: Option<&Judge>) -> Option<String> {
    let named = seen.occasion.variables.tool_name.as_deref()?;
    match seen.occasion.tool_server.as_deref() {
        Some(server) if server == name => {
            return seen.tool.clone().or_else(|| Some(named.to_owned()));
        }
        Some(_) => return None,
        None => {}
    }
    let prefixes = [format!("mcp__{name}__"), format!("mcp_{name}_")];
    let mut prefixes = prefixes.iter();
    let tool = prefixes.find_map(|prefix| named.strip_prefix(&**prefix));
    let plain = || {
        judge
            .is_some_and(|judge| judge.has_tool(named))
            .then_some(named)
    };
    tool.or_else(plain).map(str::to_owned)
}

/// Returns what the server decides about a call, if its input is known.
async fn decided(judge: &Judge, client: &Client, tool: &str, seen: &Seen) -> Option<String> {
    let input = seen.occasion.variables.tool_input.as_deref()?;
    // The call of one client must not open the session of another's.
    let session = format!("explain-{}", client.name);
    let judged = judge.judge(Judging {
        item: JudgedItem::Tool(tool),
        args: serde_json::from_str(input).ok()?,
        metadata: Map::new(),
        session: Some(&session),
        call: DryCall::default(),
        answers: VecDeque::new(),
        otherwise: None,
    });
    let judged = judged.await;
    let by = match judged.by.as_deref() {
        Some("") => "the chain".to_owned(),
        by => format!("`{}`", by.unwrap_or_default()),
    };
    let why = judged.why.map_or_else(String::new, |why| {
        format!(": {}", why.lines().next().unwrap_or_default())
    });
    Some(match judged.outcome {
        Outcome::Allowed => "allows the call in a new session".to_owned(),
        Outcome::Blocked => format!("refuses the call in a new session: {by}{why}"),
        Outcome::Asks => format!("asks the user: {by}{why}"),
    })
}

/// Returns what a client would write to the standard input of `fire`.
#[cfg(test)]
pub(super) fn told<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
    event: Event,
    tool: Option<&str>,
    input: Option<&str>,
) -> Vec<u8> {
    use crate::clients::synthesize::{DescribedEvent, synthesize};

    let told = DescribedEvent {
        tool,
        server: None,
        input,
        project: Some("project"),
    };
    synthesize(client, event, told, &[&*program.name]).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{desk::Desk, program::runtime},
        clients,
        server::Collected,
    };

    #[test]
    fn a_server_that_cannot_be_asked_is_a_note() {
        let program = |works: bool| {
            let desk = move || {
                let made = works.then_some(Desk);
                made.ok_or_else(|| CommandError::from("the database is locked"))
            };
            let registry = crate::core::Registry::default;
            Program::new("desk", desk).collected(move || Collected::of(registry()))
        };
        let note = "the server is not asked: the server cannot be made: the database is locked";
        let runtime = runtime().unwrap();
        for client in clients::ALL {
            for (event, tool, asks) in [
                (Event::PreToolUse, Some("mcp__desk__open"), true),
                (Event::SessionStart, None, false),
            ] {
                for works in [true, false] {
                    let program = program(works);
                    let input = told(&program, client, event, tool, Some(r#"{"path":"a"}"#));
                    let explained = explained(&program, client, Some(event), &input);
                    let explained = runtime.block_on(explained).unwrap();
                    let is_noted = explained.notes.iter().any(|each| each == note);
                    assert_eq!(is_noted, asks && !works, "{explained:?}");
                }
            }
        }
    }
}
