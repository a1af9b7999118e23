//! What is installed into a client: the server's program, and the events at which its hooks fire.

use std::path::Path;

use super::{
    Client, InstallScope, Place,
    config::{HookEntry, Plan, command_line},
};
use crate::lifecycle::Event;

/// What a client is told to run, and where that is written.
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

/// Adds an entry for each event and each of the client's names for it.
pub(super) fn plan<C: Client + ?Sized>(client: &C, plan: Plan, to: &Installation<'_>) -> Plan {
    let file = client.hooks_file(to.scope, to.place, to.server);
    let events = to.events.iter().copied();
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
