//! What is installed into a client: the server's program, and the events at which its hooks fire.

use std::path::Path;

use super::{
    Client, Delivery, InstallScope, Place,
    config::{Format, HookEntry, Plan, ServerEntry, command_line},
};
use hooks_core::lifecycle::Event;

/// The program that a client runs at its events, and the files that name it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Installation<'a> {
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
}

impl<'a> Installation<'a> {
    /// Makes an installation without events and without further arguments.
    pub const fn new(
        scope: InstallScope,
        place: &'a Place,
        server: &'a str,
        program: &'a Path,
    ) -> Installation<'a> {
        Installation {
            scope,
            place,
            server,
            events: &[],
            program,
            arguments: &[],
        }
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
        let project = &self.place.project;
        let plan = Plan::new(client.name(), self.scope, project, self.program);
        let plan = client.plan_hooks(plan, self);
        let file = client.servers_file(self.scope, self.place);
        let Some((file, path)) = file.filter(|_| with_server) else {
            return plan;
        };
        let is_toml = file.extension().is_some_and(|ending| ending == "toml");
        let mut arguments = vec!["serve".to_owned()];
        arguments.extend(self.arguments.iter().cloned());
        plan.server(ServerEntry {
            format: if is_toml { Format::Toml } else { Format::Json },
            path,
            name: self.server.to_owned(),
            value: client.server_entry(&self.program.to_string_lossy(), &arguments),
            file,
        })
    }

    /// Returns the words after the program that answer an event of a client, such as `hooks fire --client codex`.
    pub fn words<'w>(&'w self, client: &'w str, event: &'w str) -> Vec<&'w str> {
        let mut words = vec!["hooks", "fire", "--client", client, "--event", event];
        words.extend(self.arguments.iter().map(String::as_str));
        words
    }

    /// Returns the command line, for a shell, that answers an event of a client.
    pub fn command(&self, client: &str, event: &str) -> String {
        command_line(self.program, &self.words(client, event))
    }
}

/// Adds to the plan an entry for each event and each of the client's names for it.
pub(super) fn plan<C: Client + ?Sized>(client: &C, plan: Plan, to: &Installation<'_>) -> Plan {
    let file = client.hooks_file(to.scope, to.place, to.server);
    let waits = |event: &Event| client.mapping(*event).delivery == Delivery::Next;
    // A text that waits needs an event that takes it.
    let carrier = Event::PreRequest;
    let carrier = (to.events.iter().any(waits) && !to.events.contains(&carrier)).then_some(carrier);
    let events = to.events.iter().copied().chain(carrier);
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
