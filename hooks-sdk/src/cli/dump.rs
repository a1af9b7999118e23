//! `hooks dump`: what this program says of itself to another one, such as `cargo hooks`.

use clap::Args;
use futures::executor::block_on;

use super::{
    CommandError, Program, explain,
    list::all_features,
    options, print,
    program::{SessionPlace, runtime},
    tools_of,
};
use crate::{
    clients::{
        self, Client,
        dump::{Diagnostic, Dump, DumpedClient, DumpedHook, DumpedSkill, FileBytes},
    },
    core::BuildErrors,
    guidance,
    lifecycle::{Event, HookContent},
    server::{Collected, Declared, ServerHandler},
};

/// The arguments of `hooks dump`.
#[derive(Clone, Debug, Args)]
pub(super) struct DumpArguments {
    /// Print JSON, which is the only form
    #[arg(long)]
    json: bool,
    /// Also make the server, and list its tools
    #[arg(long)]
    tools: bool,
    /// Print what would fire in this client at the event on standard input, instead
    #[arg(long, value_name = "CLIENT", value_parser = options::client_parser(), conflicts_with = "tools")]
    explain: Option<&'static Client>,
    /// The event, if standard input does not name one
    #[arg(long, value_name = "EVENT", value_parser = options::event_parser(), requires = "explain")]
    event: Option<Event>,
}

impl DumpArguments {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        if !self.json {
            return Err("`hooks dump` is for other programs\nhelp: add `--json`".into());
        }
        if let Some(client) = self.explain {
            let input = clients::read_whole(std::io::stdin())?;
            let runtime = runtime()?;
            let explained = explain::explained(program, client, self.event, &input);
            let explained = runtime.block_on(explained)?;
            runtime.shutdown_background();
            return print::json(&explained);
        }
        let mut dump = program.dump()?;
        if self.tools && dump.problems.is_empty() {
            let runtime = runtime()?;
            match runtime.block_on(tools_of::dumped(program)) {
                Ok(server) => dump.server = Some(server),
                Err(error) => dump.problems = problems(&*error),
            }
            runtime.shutdown_background();
        }
        print::json(&dump)
    }
}

impl<H: ServerHandler> Program<H> {
    /// Returns what other programs learn, without making a server.
    fn dump(&self) -> Result<Dump, CommandError> {
        let mut dump = Dump::default();
        dump.version = clients::dump::VERSION;
        clients::dump::TABLE_VERSION.clone_into(&mut dump.table);
        dump.name = self.name.to_string();
        dump.id = self.id.to_string();
        dump.arguments.clone_from(&self.arguments);
        dump.about = self.about_itself();
        let hooks = match self.settled(|guidance| guidance, SessionPlace::Nowhere) {
            Ok(hooks) => hooks,
            Err(errors) => {
                dump.problems = problems(&errors);
                return Ok(dump);
            }
        };
        let declared = block_on(hooks.declared(all_features(), None));
        dump.hooks = declared.iter().map(dumped).collect();
        for client in clients::ALL {
            dump.clients.push(self.dumped(client, &hooks)?);
        }
        #[cfg(feature = "policy-engine")]
        {
            let gates = self.gates()?;
            dump.has_gates = gates.judges || gates.records;
        }
        let skills = guidance::skills(hooks.registry()).into_iter();
        let skills = skills.map(|skill| {
            let files = skill.files().iter();
            let files = files.map(|file| (file.path.to_string(), FileBytes::of(&file.content)));
            DumpedSkill::new(skill.name(), skill.description(), files)
        });
        dump.skills = skills.collect();
        Ok(dump)
    }

    fn dumped(&self, client: &Client, hooks: &Collected<H>) -> Result<DumpedClient, CommandError> {
        let mut known = DumpedClient::default();
        client.name.clone_into(&mut known.name);
        known.events = self.events(client)?;
        let declared = block_on(hooks.declared(client.features, None));
        let at = declared.into_iter().filter_map(|each| {
            let event = each.declaration.event.known().copied()?;
            Some((event, each.hooks))
        });
        known.hooks = at.collect();
        Ok(known)
    }
}

fn dumped(declared: &Declared) -> DumpedHook {
    let mut hook = DumpedHook::default();
    hook.event = declared.declaration.event.known().copied();
    hook.hooks.clone_from(&declared.hooks);
    match &declared.declaration.content {
        HookContent::Context(text) => hook.text = Some(text.to_string()),
        HookContent::ContextTool { name, .. } => hook.tool = Some(name.to_string()),
        _ => {}
    }
    hook
}

/// Returns why the server cannot be served.
fn problems(error: &(dyn std::error::Error + 'static)) -> Vec<Diagnostic> {
    match error.downcast_ref::<BuildErrors>() {
        Some(errors) => {
            let each = errors.iter().map(|error| {
                let place = error.origin.map(|origin| origin.to_string());
                Diagnostic::new(&*error.message, Some(error.help.to_string())).at(place)
            });
            each.collect()
        }
        None => {
            let said = error.to_string();
            let (message, help) = match said.split_once("\nhelp: ") {
                Some((message, help)) => (message, Some(help.to_owned())),
                None => (&*said, None),
            };
            vec![Diagnostic::new(message, help)]
        }
    }
}
