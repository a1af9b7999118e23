//! What is installed into a client: the server's program, and the events at which its hooks fire.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    Client, Gates, InstallScope, Place,
    config::{
        HookEntry, InstallationKey, NOTHING, Plan, ServerEntry, closed_command_line, command_line,
        printed, started,
    },
    plugin,
};
use hooks_core::lifecycle::Event;

/// The program that a client runs at its events, and the files that name it.
#[derive(Clone, Copy, Debug)]
pub struct Installation<'a> {
    /// The server's id, which each entry has.
    pub id: &'a str,
    /// The scope.
    pub scope: InstallScope,
    /// The folders.
    pub place: &'a Place,
    /// The server's name.
    pub server: &'a str,
    /// The events at which a hook can fire and a text reaches the agent.
    pub events: &'a [Event],
    /// The server's program.
    pub program: &'a Path,
    /// Further arguments of the program.
    pub arguments: &'a [String],
    /// The gates, if the program has some.
    pub gates: Option<&'a GateEntries>,
    /// How the entries start the program.
    pub start: Start<'a>,
}

/// How the entries of an installation start its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start<'a> {
    /// By its path or, without a folder, by its name on the PATH.
    #[default]
    ByName,
    /// By the pattern of a shell, which is quoted where that is needed. Where no program has it, by the name on the PATH.
    Pattern(&'a str),
    /// By what the function `find` of this JavaScript module returns. Only generated plugins can do so.
    Module(&'a str),
}

/// The gates that a client's entry asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GateEntries {
    /// Whether the program judges calls before they run.
    pub judges: bool,
    /// Whether a call is refused when the program does not answer.
    pub is_closed: bool,
    /// The words of the kinds of tools that the gates are about; empty for every tool.
    pub kinds: Vec<&'static str>,
    /// Whether the program records calls after they ran.
    pub records: bool,
}

/// The environment variable that names the clients whose hooks somebody else has written, with commas between them: a
/// package sets it for the server that it starts.
pub const INSTALLED_VARIABLE: &str = "HOOKS_INSTALLED";

/// The event of [`Installation::words`] for a gate.
pub(super) const GATE: &str = "agent_tool_pre_invoke";

/// The event of [`Installation::words`] for a record of a call.
pub(super) const RECORD: &str = "agent_tool_post_invoke";

impl<'a> Installation<'a> {
    /// Makes an installation without events and without further arguments.
    pub const fn new(
        id: &'a str,
        scope: InstallScope,
        place: &'a Place,
        server: &'a str,
        program: &'a Path,
    ) -> Installation<'a> {
        Installation {
            id,
            scope,
            place,
            server,
            events: &[],
            program,
            arguments: &[],
            gates: None,
            start: Start::ByName,
        }
    }

    /// Plans a client's hooks, and its server if `with_server` is true and the client has a file for it in this scope.
    pub fn plan(&self, client: &Client, with_server: bool) -> Plan {
        let plan = Plan::new(self.key(client), self.program);
        let file = client.hooks_file(self.scope, self.place, self.server);
        let [of_hooks, of_servers] = client.created(self.scope);
        let plan = match client.plugin {
            Some(end) => plugin::plan(client, end, plan, self),
            None => self.plan_hooks(client, plan).created_with(file, of_hooks),
        };
        let plan = self.plan_gates(client, plan);
        let Some((file, path)) = client.servers_file(self.scope, self.place) else {
            return plan;
        };
        let plan = plan.created_with(file.clone(), of_servers);
        if !with_server {
            return plan;
        }
        let mut arguments = vec!["serve".to_owned()];
        arguments.extend(self.arguments.iter().cloned());
        plan.server(ServerEntry {
            path,
            name: self.server.to_owned(),
            value: client.server_entry(&self.program.to_string_lossy(), &arguments),
            file,
        })
    }

    /// Returns which installation this is in a client.
    pub fn key(&self, client: &Client) -> InstallationKey {
        let folder = client.folder.moved(self.place);
        let folder = folder.map(|(_, folder)| folder);
        InstallationKey::new(self.id, client.name, self.scope, &self.place.project).folder(folder)
    }

    /// Returns an entry in the client's file of hooks. `native` is the client's name for the event.
    fn entry(&self, client: &Client, native: &str, value: Value) -> HookEntry {
        HookEntry {
            file: client.hooks_file(self.scope, self.place, self.server),
            event: native.to_owned(),
            value,
        }
    }

    /// Adds an entry for each event and each of the client's names for it, one at the start of a session, and that of the
    /// client's own event.
    fn plan_hooks(&self, client: &Client, plan: Plan) -> Plan {
        let start = self.needs_start(client).then_some(Event::SessionStart);
        let events = self.events.iter().copied().chain(start);
        let reached = events.filter(|event| client.mapping(*event).delivery.reaches_agent());
        let mut plan = plan;
        for event in reached {
            let command = self.command(client, event.as_str());
            for native in client.mapping(event).natives() {
                let value = client.hook_entry(event, self.server, &command);
                plan = plan.hook(self.entry(client, native, value));
            }
        }
        let Some(aside) = &client.aside else {
            return plan;
        };
        let command = self.command(client, aside.event);
        let value = client.hook_entry(Event::PreToolUse, self.server, &command);
        plan.hook(self.entry(client, aside.event, value))
    }

    /// Adds the entries of the gates to a plan, if the client has gates.
    fn plan_gates(&self, client: &Client, plan: Plan) -> Plan {
        let (Some(own), Some(gates)) = (self.gates, &client.gates) else {
            return plan;
        };
        if let Some(end) = gates.plugin {
            return match own.judges || own.records {
                true => plugin::plan_gates(client, gates, end, own, plan, self),
                false => plan,
            };
        }
        let entry = |event: Event, native: &str, command: String| {
            let mut value = client.hook_entry(event, self.server, &command);
            if let Some(tools) = own.tools(gates) {
                value["matcher"] = tools.join("|").into();
            }
            self.entry(client, native, value)
        };
        let mut plan = plan;
        if own.judges {
            let words = self.words(client.name, GATE);
            let command = match own.is_closed {
                true => closed_command_line(self.program, &words),
                false => command_line(self.program, &words),
            };
            plan = plan.hook(entry(Event::PreToolUse, gates.event, command));
        }
        if own.records {
            let native = client.mapping(Event::PostToolUse).native;
            plan = plan.hook(entry(
                Event::PostToolUse,
                native,
                self.command(client, RECORD),
            ));
        }
        plan
    }

    /// Returns the words after the program that answer an event of a client, such as `hooks fire --client codex --event
    /// pre_tool_use --id notes`.
    pub fn words<'w>(&'w self, client: &'w str, event: &'w str) -> Vec<&'w str> {
        let mut words = vec!["hooks", "fire", "--client", client, "--event", event];
        words.extend(self.arguments.iter().map(String::as_str));
        // Last: an entry that goes on after it is the user's own.
        words.extend(["--id", self.id]);
        words
    }

    /// Returns the command line, for a shell, that answers an event of a client.
    ///
    /// Without the program, it prints nothing. At the start of a session, it then prints one sentence that says so, in the
    /// client's form for texts; not in a project's files, because a computer of that project need not have the program.
    pub fn command(&self, client: &Client, event: &str) -> String {
        let words = self.words(client.name, event);
        let starts = event == Event::SessionStart.as_str();
        let answer = Some(client).filter(|_| starts);
        let answer = answer.and_then(|client| self.answer_of_absence(client));
        let otherwise = answer.map_or(NOTHING.to_owned(), |answer| printed(&answer.to_string()));
        started(self.start, self.program, &words, &otherwise)
    }

    /// Returns the answer at the start of a session without the program; `None` if no text reaches the agent then.
    fn answer_of_absence(&self, client: &Client) -> Option<Value> {
        let sentence = self.absence(client)?;
        let seen = client.read(Event::SessionStart, &json!({}), &[]);
        let answer = client.answer(&seen, &sentence);
        (answer != json!({})).then_some(answer)
    }

    /// Returns the sentence that says that the program does not exist; `None` in a project's files.
    pub(super) fn absence(&self, client: &Client) -> Option<String> {
        if self.scope == InstallScope::Project {
            return None;
        }
        let (server, program) = (self.server, self.program.display());
        Some(match self.program.components().count() {
            1 => format!(
                "The hooks of the MCP server `{server}` do not run, because their program `{program}` is not on the PATH: \
                 tell the user to install the program, or to remove the plugin that has the hooks."
            ),
            _ => format!(
                "The hooks of the MCP server `{server}` do not run, because their program {program} does not exist: tell \
                 the user to install the server again, or to remove its entries from {}.",
                client
                    .hooks_file(self.scope, self.place, self.server)
                    .display()
            ),
        })
    }

    /// Returns whether an entry at the start of a session is needed that only says whether the program is gone.
    fn needs_start(&self, client: &Client) -> bool {
        let reaches = |event: &Event| client.mapping(*event).delivery.reaches_agent();
        let has_gates = client.gates.is_some()
            && self
                .gates
                .is_some_and(|gates| gates.judges || gates.records);
        !self.events.contains(&Event::SessionStart)
            && (has_gates || self.events.iter().any(reaches))
            && self.answer_of_absence(client).is_some()
    }
}

impl GateEntries {
    /// Makes the entries of one gate for every tool that refuses calls when the program does not answer.
    pub fn closed() -> GateEntries {
        GateEntries {
            judges: true,
            is_closed: true,
            ..GateEntries::default()
        }
    }

    /// Returns the client's tools of the kinds; `None` for every tool. The choice is coarse: the program decides.
    pub(super) fn tools(&self, gates: &Gates) -> Option<Vec<&'static str>> {
        let is_named = |kind: &&'static str| gates.tools().any(|(_, of)| of == *kind);
        if self.kinds.is_empty() || !self.kinds.iter().all(is_named) {
            return None;
        }
        // A patch can be a command of the shell.
        let patches = self
            .kinds
            .iter()
            .any(|kind| matches!(*kind, "edit" | "write"));
        let is_meant = |kind: &str| self.kinds.contains(&kind) || (patches && kind == "shell");
        let tools = gates.tools().filter(|(_, kind)| is_meant(kind));
        Some(tools.map(|(tool, _)| tool).collect())
    }
}
