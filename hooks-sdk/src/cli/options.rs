//! What the command lines of several commands have in common: the format, and the readers of names.

use std::{
    env,
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use crate::{
    clients::{self, Client, InstallScope},
    lifecycle::Event,
};

/// The format of a command's output.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct OutputFormat {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Reads a client's name.
pub(super) fn client(name: &str) -> Result<&'static Client, String> {
    clients::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = clients::ALL.iter().map(|client| client.name).collect();
        format!("no such client; the clients are {}", names.join(", "))
    })
}

/// Reads an event's name, or a client's own name for it.
pub(super) fn event(word: &str) -> Result<Event, String> {
    clients::event(word).ok_or_else(|| {
        let words: Vec<&str> = Event::ALL.iter().map(|event| event.as_str()).collect();
        format!("no such event; the events are {}", words.join(", "))
    })
}

/// Parses like [`client`], for clap: the help lists the clients, and clap suggests the nearest name for a misspelt one.
pub(super) fn client_parser() -> impl TypedValueParser<Value = &'static Client> {
    PossibleValuesParser::new(client_names()).try_map(|name| client(&name))
}

/// Lists the clients for clap.
pub(super) fn client_names() -> impl Iterator<Item = PossibleValue> {
    let named = |client: &Client| PossibleValue::new(client.name).help(client.title);
    clients::ALL.into_iter().map(named)
}

/// Parses like [`event`], for clap: the help lists the six events, and a client's own name is accepted too.
pub(super) fn event_parser() -> impl TypedValueParser<Value = Event> {
    let named = Event::ALL.map(|event| {
        let natives = clients::ALL
            .into_iter()
            .flat_map(|client| client.mapping(event).natives());
        PossibleValue::new(event.as_str()).aliases(natives)
    });
    PossibleValuesParser::new(named).try_map(|word| event(&word))
}

/// Reads a scope.
pub(super) fn scope_parser() -> impl TypedValueParser<Value = InstallScope> {
    let named = InstallScope::ALL.map(|scope| {
        PossibleValue::new(scope.as_str()).help(match scope {
            InstallScope::User => "Your own files, for every project",
            InstallScope::Project => "The project's files, for everyone who works in it",
            InstallScope::Local => "Your own files, for this project",
        })
    });
    PossibleValuesParser::new(named).map(|word| {
        let mut all = InstallScope::ALL.into_iter();
        all.find(|scope| scope.as_str() == word)
            .unwrap_or(InstallScope::User)
    })
}

/// Returns the name under which the user started this program.
pub(super) fn binary() -> String {
    let called = env::args_os().next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_name);
    name.map_or_else(
        || "server".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Returns the chosen client, or all.
pub(super) fn chosen(only: Option<&'static Client>) -> impl Iterator<Item = &'static Client> {
    clients::ALL
        .into_iter()
        .filter(move |client| only.is_none_or(|only| only == *client))
}
