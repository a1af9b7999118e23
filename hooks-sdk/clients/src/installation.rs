//! What is installed into a client: the server's program, and the events at which its hooks fire.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    Client, Delivery, Gates, InstallScope, Place, RefusalForm, by_name,
    config::{
        Format, HookEntry, InstallationKey, NOTHING, Plan, ServerEntry, closed_command_line,
        command_line, printed, started,
    },
    gate_plugin,
};
use hooks_core::lifecycle::Event;

/// The program that a client runs at its events, and the files that name it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
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

    /// Sets how the entries start the program.
    #[must_use]
    pub const fn start(mut self, start: Start<'a>) -> Installation<'a> {
        self.start = start;
        self
    }

    /// Sets the gates.
    #[must_use]
    pub const fn gates(mut self, gates: &'a GateEntries) -> Installation<'a> {
        self.gates = Some(gates);
        self
    }

    /// Sets the events.
    #[must_use]
    pub const fn events(mut self, events: &'a [Event]) -> Installation<'a> {
        self.events = events;
        self
    }

    /// Sets further arguments of the program.
    #[must_use]
    pub const fn arguments(mut self, arguments: &'a [String]) -> Installation<'a> {
        self.arguments = arguments;
        self
    }

    /// Plans a client's hooks, and its server if `with_server` is true and the client has a file for it in this scope.
    pub fn plan(&self, client: &dyn Client, with_server: bool) -> Plan {
        let plan = Plan::new(self.key(client), self.program);
        let plan = self.plan_gates(client, client.plan_hooks(plan, self));
        let hooks = client.hooks_file(self.scope, self.place, self.server);
        let plan = self.read_by(client, plan, hooks);
        let file = client.servers_file(self.scope, self.place);
        let Some((file, path)) = file.filter(|_| with_server) else {
            return plan;
        };
        let is_toml = file.extension().is_some_and(|ending| ending == "toml");
        let mut arguments = vec!["serve".to_owned()];
        arguments.extend(self.arguments.iter().cloned());
        let plan = self.read_by(client, plan, file.clone());
        plan.server(ServerEntry {
            format: if is_toml { Format::Toml } else { Format::Json },
            path,
            name: self.server.to_owned(),
            value: client.server_entry(&self.program.to_string_lossy(), &arguments),
            file,
        })
    }

    /// Sets how the client reads a file.
    fn read_by(&self, client: &dyn Client, plan: Plan, file: PathBuf) -> Plan {
        let mut readings = client.capabilities().readings.iter();
        let name = file.file_name().and_then(|name| name.to_str());
        let reading = readings.find(|it| it.file.is_empty() || name == Some(it.file));
        match reading {
            Some(reading) => plan.read_by(client.title(), file, *reading),
            None => plan,
        }
    }

    /// Returns which installation this is in a client.
    pub fn key(&self, client: &dyn Client) -> InstallationKey {
        let folder = client.capabilities().folder.moved(self.place);
        let folder = folder.map(|(_, folder)| folder);
        InstallationKey::new(self.id, client.name(), self.scope, &self.place.project).folder(folder)
    }

    /// Adds the entries of the gates to a plan, if the client has gates.
    fn plan_gates(&self, client: &dyn Client, plan: Plan) -> Plan {
        let (Some(own), Some(gates)) = (self.gates, &client.capabilities().gates) else {
            return plan;
        };
        if gates.refusal != RefusalForm::Object {
            return match own.judges || own.records {
                true => gate_plugin::plan(client, own, plan, self),
                false => plan,
            };
        }
        let file = client.hooks_file(self.scope, self.place, self.server);
        let path = client.hooks_path(self.server);
        let entry = |event: &str, native: &str, command: String| {
            let event = match event {
                GATE => Event::PreToolUse,
                _ => Event::PostToolUse,
            };
            let mut value = client.hook_entry(event, self.server, &command);
            if let Some(matcher) = own.matcher(gates) {
                value["matcher"] = matcher.into();
            }
            HookEntry {
                file: file.clone(),
                path: path.clone(),
                event: native.to_owned(),
                value,
            }
        };
        let mut plan = plan;
        if own.judges {
            let words = self.words(client.name(), GATE);
            let command = match own.is_closed {
                true => closed_command_line(self.program, &words),
                false => command_line(self.program, &words),
            };
            plan = plan.hook(entry(GATE, gates.event, command));
        }
        if own.records {
            let command = self.command(client.name(), RECORD);
            let native = client.mapping(Event::PostToolUse).native;
            plan = plan.hook(entry(RECORD, native, command));
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
    pub fn command(&self, client: &str, event: &str) -> String {
        let words = self.words(client, event);
        let starts = event == Event::SessionStart.as_str();
        let client = by_name(client).filter(|_| starts);
        let answer = client.and_then(|client| self.answer_of_absence(client));
        let otherwise = answer.map_or(NOTHING.to_owned(), |answer| printed(&answer.to_string()));
        started(self.start, self.program, &words, &otherwise)
    }

    /// Returns the answer at the start of a session without the program; `None` if no text reaches the agent then.
    fn answer_of_absence(&self, client: &dyn Client) -> Option<Value> {
        let sentence = self.absence(client)?;
        let seen = client.read(Event::SessionStart, &json!({}), &[]);
        let answer = client.answer(&seen, &sentence);
        (answer != json!({})).then_some(answer)
    }

    /// Returns the sentence that says that the program does not exist; `None` in a project's files.
    pub(super) fn absence(&self, client: &dyn Client) -> Option<String> {
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
    fn needs_start(&self, client: &dyn Client) -> bool {
        let reaches = |event: &Event| client.mapping(*event).delivery.reaches_agent();
        let has_gates = client.capabilities().gates.is_some()
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

    /// Returns a matcher for the client's tools of the kinds; `None` if it would be for every tool.
    fn matcher(&self, gates: &Gates) -> Option<String> {
        Some(self.tools(gates)?.join("|"))
    }

    /// Returns the client's tools of the kinds; `None` for every tool. The choice is coarse: the program decides.
    pub(super) fn tools(&self, gates: &Gates) -> Option<Vec<&'static str>> {
        let is_named = |kind: &&'static str| gates.tools.iter().any(|(_, of)| of == kind);
        if self.kinds.is_empty() || !self.kinds.iter().all(is_named) {
            return None;
        }
        // A patch can be a command of the shell.
        let patches = self
            .kinds
            .iter()
            .any(|kind| matches!(*kind, "edit" | "write"));
        let is_meant = |kind: &str| self.kinds.contains(&kind) || (patches && kind == "shell");
        let tools = gates.tools.iter().filter(|(_, kind)| is_meant(kind));
        Some(tools.map(|(tool, _)| *tool).collect())
    }
}

/// Adds to the plan an entry for each event and each of the client's names for it, and one at the start of a session.
pub(super) fn plan<C: Client + ?Sized>(client: &C, plan: Plan, to: &Installation<'_>) -> Plan {
    let file = client.hooks_file(to.scope, to.place, to.server);
    let waits = |event: &Event| client.mapping(*event).delivery == Delivery::Next;
    // A text that waits needs an event that takes it.
    let carrier = Event::PreRequest;
    let carrier = (to.events.iter().any(waits) && !to.events.contains(&carrier)).then_some(carrier);
    let start = by_name(client.name()).is_some_and(|client| to.needs_start(client));
    let start = start.then_some(Event::SessionStart);
    let events = to.events.iter().copied().chain(carrier).chain(start);
    let reached = events.filter(|event| client.mapping(*event).delivery.reaches_agent());
    let natives = reached.flat_map(|event| {
        let natives = client.mapping(event).natives();
        natives.map(move |native| (event, native))
    });
    natives.fold(plan, |plan, (event, native)| {
        let command = to.command(client.name(), event.as_str());
        plan.hook(HookEntry {
            file: file.clone(),
            path: client.hooks_path(to.server),
            event: native.to_owned(),
            value: client.hook_entry(event, to.server, &command),
        })
    })
}
