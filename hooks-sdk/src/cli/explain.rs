//! `hooks explain`: shows what `fire` would write at an event, and why it leaves out the other hooks.

use std::{collections::VecDeque, time::Instant};

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    CommandError, Program,
    declared::hints,
    evaluate::evaluate,
    explained::{InClient, fires, left_out, length, page},
    judge::{Judge, JudgedItem, Judging, Outcome},
    options::{self, OutputFormat},
    pipe::Pipe,
    print,
    program::runtime,
    standard_input,
};
use crate::{
    clients::{
        Client, Seen,
        history::HookStore,
        read_input, silence,
        synthesize::{DescribedEvent, synthesize},
    },
    lifecycle::Event,
    server::ServerHandler,
};
use hooks_server::internal::DryCall;

/// The arguments of `hooks explain`.
#[derive(Clone, Debug, Args)]
pub(super) struct Explain {
    /// The event
    #[arg(long, value_name = "EVENT", value_parser = options::event_parser(), required_unless_present = "stdin")]
    event: Option<Event>,
    /// The tool, by its name in any client
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// The MCP server of the tool
    #[arg(long, value_name = "NAME", requires = "tool")]
    tool_server: Option<String>,
    /// The tool's input: JSON, or the command of a shell tool
    #[arg(long, value_name = "INPUT", requires = "tool")]
    input: Option<String>,
    /// The project's name
    #[arg(long, alias = "project", value_name = "NAME")]
    project_name: Option<String>,
    /// Explain only this client
    #[arg(long, value_name = "CLIENT", value_parser = options::client_parser())]
    client: Option<&'static dyn Client>,
    /// Read the event from standard input, as the client writes it for `fire`
    #[arg(long, requires = "client", conflicts_with_all = ["tool", "tool_server", "input", "project_name"])]
    stdin: bool,
    #[command(flatten)]
    format: OutputFormat,
}

impl Explain {
    /// An event as a person describes it.
    #[cfg(test)]
    pub(super) fn of(event: Event, tool: Option<&str>, input: Option<&str>) -> Explain {
        Explain {
            event: Some(event),
            tool: tool.map(str::to_owned),
            tool_server: None,
            input: input.map(str::to_owned),
            project_name: Some("project".to_owned()),
            client: None,
            stdin: false,
            format: OutputFormat { json: false },
        }
    }

    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        if let (Some(event), Some(_)) = (self.event, &self.tool)
            && !event.is_tool_event()
        {
            let help = "leave `--tool` out, or name `pre_tool_use` or `post_tool_use`";
            return Err(format!("no tool is called at `{event}`\nhelp: {help}").into());
        }
        let all = self.explained(program)?;
        if self.format.json {
            return print::json(&all);
        }
        let pages: Vec<String> = all.iter().map(page).collect();
        print::text(&pages.join("\n"))
    }

    /// Returns the result in each client. If the server cannot be asked about a call, a note says so.
    fn explained<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<Vec<InClient>, CommandError> {
        let runtime = runtime()?;
        let each = options::chosen(self.client);
        let said = self.stdin.then(standard_input::whole).transpose()?;
        let mut all = Vec::new();
        let is_call = self.tool.is_some() || self.stdin;
        let asks = is_call && self.event.is_none_or(Event::is_tool_event);
        let judge = match asks {
            true => runtime.block_on(Judge::of(program, None)),
            false => Err("no tool is called".into()),
        };
        let unasked = judge.as_ref().err().filter(|_| asks);
        let unasked = unasked.map(|error| format!("the server is not asked: {error}"));
        for client in each {
            let input = said.clone().unwrap_or_else(|| self.told(program, client));
            let judge = judge.as_ref().ok();
            let mut explained = runtime.block_on(self.in_client(program, client, &input, judge))?;
            explained.notes.extend(unasked.clone());
            all.push(explained);
        }
        runtime.shutdown_background();
        Ok(all)
    }

    /// Returns what the client would write to the standard input of `fire`.
    pub(super) fn told<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &dyn Client,
    ) -> Vec<u8> {
        let input = self.input.as_deref().map(|input| {
            let is_json = serde_json::from_str::<Value>(input).is_ok_and(|value| value.is_object());
            if is_json {
                input.to_owned()
            } else {
                json!({ "command": input }).to_string()
            }
        });
        let told = DescribedEvent {
            tool: self.tool.as_deref(),
            server: self.tool_server.as_deref(),
            input: input.as_deref(),
            project: self.project_name.as_deref(),
        };
        let event = self.event.unwrap_or(Event::SessionStart);
        synthesize(client, event, told, &[&*program.name]).into_bytes()
    }

    pub(super) async fn in_client<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &dyn Client,
        input: &[u8],
        judge: Option<&Judge>,
    ) -> Result<InClient, CommandError> {
        let name = &*program.name;
        let seen = read_input(client, self.event, &[name], input)?;
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
        #[cfg(feature = "plugin")]
        let mut policy = super::plugins::around(&hooks, &seen.occasion, own.as_deref())?;
        #[cfg(feature = "plugin")]
        if event == Event::PreToolUse {
            policy.extend(super::gate::explained(program, client, input)?);
        }
        #[cfg(not(feature = "plugin"))]
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
        Ok(InClient {
            client: client.name(),
            native: mapping.native,
            tested: client.tested().to_string(),
            reaches_the_agent: mapping.delivery.reaches_agent(),
            subagents: mapping.subagents,
            notes: mapping
                .note
                .map(str::to_owned)
                .into_iter()
                .chain(hints(client, event, &evaluated.declared, &program.name))
                .collect(),
            fires: fires(&evaluated),
            length: length(client, &evaluated),
            left_out: left_out(silence, &evaluated),
            policy,
            server,
        })
    }
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
async fn decided(judge: &Judge, client: &dyn Client, tool: &str, seen: &Seen) -> Option<String> {
    let input = seen.occasion.variables.tool_input.as_deref()?;
    // The call of one client must not open the session of another's.
    let session = format!("explain-{}", client.name());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::desk::Desk, server::Collected};

    #[test]
    fn a_server_that_cannot_be_asked_is_a_note_in_both_forms() {
        let program = |works: bool| {
            let desk = move || {
                let made = works.then_some(Desk);
                made.ok_or_else(|| CommandError::from("the database is locked"))
            };
            let registry = crate::core::Registry::default;
            Program::new("desk", desk).collected(move || Collected::of(registry()))
        };
        let explain = Explain::of(
            Event::PreToolUse,
            Some("mcp__desk__open"),
            Some(r#"{"path":"a"}"#),
        );
        let note = "the server is not asked: the server cannot be made: the database is locked";
        for works in [true, false] {
            for explained in explain.explained(&program(works)).unwrap() {
                let (text, json) = (page(&explained), json!(explained).to_string());
                assert_ne!(text.contains(note), works, "{text}");
                assert_ne!(json.contains(note), works, "{json}");
            }
        }
        let explain = Explain::of(Event::SessionStart, None, None);
        let explained = explain.explained(&program(false)).unwrap();
        assert!(
            explained
                .iter()
                .all(|each| !page(each).contains("is not asked"))
        );
    }
}
