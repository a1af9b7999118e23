//! `cargo hooks explain`: shows what `hooks fire` would write at an event, and why it leaves out the other hooks.

use std::{io, path::Path};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hooks_clients::{
    self as clients, Client,
    dump::{Dump, Explained, FiredText},
    synthesize::{DescribedEvent, synthesize},
};
use hooks_core::lifecycle::Event;
use serde_json::{Value, json};

use super::{
    CommandError, print,
    server::{Server, client_parser},
};

/// The arguments of `cargo hooks explain`.
#[derive(Clone, Debug, Args)]
pub(super) struct Explain {
    /// The event, by this name or a client's own
    #[arg(value_name = "EVENT", value_parser = event_parser(), required_unless_present_any = ["named", "stdin"])]
    event: Option<Event>,
    /// Like EVENT
    #[arg(long = "event", id = "named", value_name = "EVENT", value_parser = event_parser(), hide = true, conflicts_with = "event")]
    named: Option<Event>,
    /// The tool, by its name in any client
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// The MCP server of the tool
    #[arg(long, value_name = "NAME", requires = "tool")]
    tool_server: Option<String>,
    /// The tool's input: JSON, or the command of a shell tool
    #[arg(long, value_name = "INPUT", requires = "tool")]
    input: Option<String>,
    /// The name of the project, for `{project_name}` in texts
    #[arg(long, alias = "project", value_name = "NAME")]
    project_name: Option<String>,
    /// Explain only this client; may be repeated
    #[arg(long = "client", value_name = "CLIENT", value_parser = client_parser())]
    clients: Vec<&'static Client>,
    /// Read the event from standard input, as the client writes it for `fire`
    #[arg(long, requires = "clients", conflicts_with_all = ["tool", "tool_server", "input", "project_name"])]
    stdin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

/// Reads an event's name: the help lists the six, and a client's own name is accepted too.
fn event_parser() -> impl TypedValueParser<Value = Event> {
    let named = Event::ALL.map(|event| {
        let natives = clients::ALL
            .into_iter()
            .flat_map(|client| client.mapping(event).natives());
        PossibleValue::new(event.as_str()).aliases(natives)
    });
    PossibleValuesParser::new(named)
        .try_map(|word| clients::event(&word).ok_or("there is no such event"))
}

impl Explain {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let event = self.event.or(self.named);
        if let (Some(event), Some(_)) = (event, &self.tool)
            && !event.is_tool_event()
        {
            let help = "leave `--tool` out, or name `pre_tool_use` or `post_tool_use`";
            return Err(format!("no tool is called at `{event}`\nhelp: {help}").into());
        }
        let path = self.server.path()?;
        let program = self.server.dump(&path)?;
        let said = self.stdin.then(|| clients::read_whole(io::stdin()));
        let said = said.transpose()?;
        let clients = match &self.clients[..] {
            [] => clients::ALL.to_vec(),
            named => named.to_vec(),
        };
        let mut all = Vec::new();
        for client in clients {
            let input = said.clone();
            let input = input.unwrap_or_else(|| self.told(&program, client, event));
            all.push(explained(&path, client, event, &input)?);
        }
        if self.json {
            return print::json(&all);
        }
        let pages: Vec<String> = all.iter().map(page).collect();
        print::text(&pages.join("\n"))
    }

    /// Returns what the client would write to the standard input of `fire`.
    fn told(&self, program: &Dump, client: &Client, event: Option<Event>) -> Vec<u8> {
        let input = self.input.as_deref().map(|input| {
            let is_json = serde_json::from_str::<Value>(input).is_ok_and(|value| value.is_object());
            match is_json {
                true => input.to_owned(),
                false => json!({ "command": input }).to_string(),
            }
        });
        let told = DescribedEvent {
            tool: self.tool.as_deref(),
            server: self.tool_server.as_deref(),
            input: input.as_deref(),
            project: self.project_name.as_deref(),
        };
        let event = event.unwrap_or(Event::SessionStart);
        synthesize(client, event, told, &[&*program.name]).into_bytes()
    }
}

/// Asks the program what it would do.
fn explained(
    program: &Path,
    client: &Client,
    event: Option<Event>,
    input: &[u8],
) -> Result<Explained, CommandError> {
    let mut words = vec!["hooks", "dump", "--json", "--explain", client.name];
    words.extend(
        event
            .map(Event::as_str)
            .into_iter()
            .flat_map(|event| ["--event", event]),
    );
    super::server::asked(program, &words, input)
}

fn page(of: &Explained) -> String {
    let mut page = format!("{}: {} in {}\n", of.client, of.native, of.tested);
    if !of.reaches_the_agent {
        page.push_str("  no text reaches the agent here\n");
    }
    for note in &of.notes {
        page.push_str(&format!("  note: {note}\n"));
    }
    page.push_str(match of.subagents {
        Some(true) => "  subagents also receive the text\n",
        Some(false) => "  subagents do not receive the text\n",
        None => "  not verified whether subagents receive the text\n",
    });
    for firing in &of.fires {
        let FiredText {
            hooks,
            characters,
            tokens,
            text,
        } = firing;
        page.push_str(&format!(
            "  fires: {} ({characters} characters, about {tokens} tokens)\n",
            hooks.join(", ")
        ));
        for line in text.trim().lines() {
            page.push_str(&format!("  | {line}\n"));
        }
    }
    if let Some(length) = &of.length {
        page.push_str(&format!("  the answer has {length}\n"));
    }
    for left_out in &of.left_out {
        page.push_str(&format!(
            "  skipped: {}: {}\n",
            left_out.hooks.join(", "),
            left_out.why
        ));
    }
    for hook in &of.policy {
        page.push_str(&format!("  policy of the server: {hook}\n"));
    }
    if let Some(decision) = &of.server {
        page.push_str(&format!("  the server {decision}\n"));
    }
    if of.fires.is_empty() && of.left_out.is_empty() {
        page.push_str("  no hook is declared for this event\n");
    }
    page
}
