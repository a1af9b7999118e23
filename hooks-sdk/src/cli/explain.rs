//! `hooks explain`

use std::time::Instant;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{
    Failure, Program,
    command::{self, Format},
    pipe::Pipe,
    print,
    program::runtime,
};
use crate::{
    clients::{self, Client, Delivery},
    lifecycle::{Event, Occasion, Variables},
    server::ServerHandler,
};

/// How many characters of English make a token, roughly.
const CHARACTERS_A_TOKEN: usize = 4;

/// The arguments of `hooks explain`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Explain {
    /// Which event fires
    #[arg(long, value_name = "EVENT", value_parser = command::event_parser())]
    event: Event,
    /// The tool that is used
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// The MCP server of the tool
    #[arg(long, value_name = "NAME")]
    tool_server: Option<String>,
    /// The tool's input: JSON, or the command of a shell tool
    #[arg(long, value_name = "INPUT")]
    input: Option<String>,
    /// The project's name
    #[arg(long, alias = "project", value_name = "NAME")]
    project_name: Option<String>,
    /// Only in this client
    #[arg(long, value_name = "CLIENT", value_parser = command::client_parser())]
    client: Option<&'static dyn Client>,
    #[command(flatten)]
    format: Format,
}

/// What happens in one client.
#[derive(Debug, Serialize)]
struct InClient {
    client: &'static str,
    native: &'static str,
    reaches_the_agent: bool,
    subagents: Option<bool>,
    note: Option<&'static str>,
    fires: Vec<Firing>,
    left_out: Vec<LeftOut>,
}

/// A hook that fires.
#[derive(Debug, Serialize)]
struct Firing {
    hooks: Vec<String>,
    characters: usize,
    tokens: usize,
    text: String,
}

/// A hook at the event that does not fire.
#[derive(Debug, Serialize)]
struct LeftOut {
    hooks: Vec<String>,
    why: String,
}

impl Explain {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), Failure> {
        let format = self.format;
        let runtime = runtime()?;
        let each = clients::ALL
            .into_iter()
            .filter(|client| self.client.is_none_or(|only| only.name() == client.name()));
        let mut all = Vec::new();
        for client in each {
            all.push(runtime.block_on(self.in_client(program, client))?);
        }
        runtime.shutdown_background();
        if format.json {
            return print::json(&all);
        }
        let pages: Vec<String> = all.iter().map(page).collect();
        print::text(&pages.join("\n"))
    }

    fn occasion(&self) -> Occasion {
        let mut variables = Variables::default();
        variables.project_name.clone_from(&self.project_name);
        variables.tool_name.clone_from(&self.tool);
        variables.tool_input = self.input.as_ref().map(|input| {
            let is_json = serde_json::from_str::<serde_json::Value>(input)
                .is_ok_and(|value| value.is_object());
            if is_json {
                input.clone()
            } else {
                json!({ "command": input }).to_string()
            }
        });
        let mut occasion = Occasion::new(self.event, variables);
        occasion.tool_server.clone_from(&self.tool_server);
        occasion
    }

    async fn in_client<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &'static dyn Client,
    ) -> Result<InClient, Failure> {
        let hooks = program.hooks()?;
        let declared = program.declared_at(&hooks, client, self.event).await?;
        let host = program.host(&program.name, &declared);
        let report = host
            .fire(&self.occasion(), &Pipe::new(program, None), Instant::now())
            .await;
        let ids = |index: usize| {
            declared
                .get(index)
                .map_or_else(Vec::new, |each| each.hooks.clone())
        };
        let fires = report.injected.iter().map(|injected| {
            let characters = injected.text.chars().count();
            Firing {
                hooks: ids(injected.index),
                characters,
                tokens: characters.div_ceil(CHARACTERS_A_TOKEN),
                text: injected.text.clone(),
            }
        });
        let skipped = report.skipped.iter().map(|skipped| LeftOut {
            hooks: ids(skipped.index),
            why: skipped.reason.to_string(),
        });
        let failed = report.failed.iter().map(|failed| LeftOut {
            hooks: ids(failed.index),
            why: format!(
                "the tool `{}` gave no text: {}",
                failed.tool, failed.failure
            ),
        });
        let mapping = client.mapping(self.event);
        Ok(InClient {
            client: client.name(),
            native: mapping.native,
            reaches_the_agent: mapping.delivery != Delivery::Never,
            subagents: mapping.subagents,
            note: mapping.note,
            fires: fires.collect(),
            left_out: skipped.chain(failed).collect(),
        })
    }
}

fn page(of: &InClient) -> String {
    let mut page = format!("{}: {}\n", of.client, of.native);
    if !of.reaches_the_agent {
        page.push_str("  no text reaches the agent here\n");
    }
    if let Some(note) = of.note {
        page.push_str(&format!("  note: {note}\n"));
    }
    page.push_str(match of.subagents {
        Some(true) => "  subagents get it too\n",
        Some(false) => "  subagents do not get it\n",
        None => "  whether subagents get it is not known\n",
    });
    for firing in &of.fires {
        let Firing {
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
    for left_out in &of.left_out {
        page.push_str(&format!(
            "  not: {}: {}\n",
            left_out.hooks.join(", "),
            left_out.why
        ));
    }
    if of.fires.is_empty() && of.left_out.is_empty() {
        page.push_str("  no hook is declared for this event\n");
    }
    page
}
