//! The clients that a user names: one, or all that are found.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use serde_json::Value;

use super::{
    CommandError,
    install_target::InstallTarget,
    options::{self, OutputFormat},
    print,
};
use crate::clients::{
    self, Client, InstallScope,
    config::{Record, UnreadableRecord},
    find_program,
};

/// The clients of an installation, and its scope.
#[derive(Clone, Debug, Args)]
pub(super) struct Targets {
    /// The agent clients, or `all`
    #[arg(value_name = "CLIENT", value_parser = choice_parser())]
    clients: Vec<Choice>,
    /// Like CLIENT
    #[arg(long = "client", value_name = "CLIENT", value_parser = choice_parser(), hide = true)]
    named: Vec<Choice>,
    /// Whose files have the entries [default: `user` to install, every scope to uninstall]
    #[arg(long, value_name = "SCOPE", value_parser = options::scope_parser())]
    scope: Option<InstallScope>,
    /// The project's folder [default: the current one]
    #[arg(long, alias = "project", value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// A client, or `None` for `all`.
type Choice = Option<&'static Client>;

fn choice_parser() -> impl TypedValueParser<Value = Choice> {
    let all = PossibleValue::new("all")
        .help("Every client on the PATH or, to uninstall, every one with an installation");
    PossibleValuesParser::new(options::client_names().chain([all]))
        .map(|name| clients::by_name(&name))
}

impl Targets {
    fn choices(&self) -> impl Iterator<Item = Choice> {
        self.clients.iter().chain(&self.named).copied()
    }

    /// Returns whether clients are named, or `all`.
    pub(super) fn are_named(&self) -> bool {
        self.choices().next().is_some()
    }

    /// Returns whether a client is meant by its name or by `all`.
    fn mean(&self, name: &str) -> bool {
        self.choices()
            .any(|choice| choice.is_none_or(|client| client.name == name))
    }

    /// Returns the named clients or, for `all` and without a name, the clients that are found.
    pub(super) fn found(&self) -> Result<Vec<InstallTarget>, CommandError> {
        let scope = self.scope.unwrap_or(InstallScope::User);
        let target = |client| InstallTarget {
            client,
            scope,
            project: self.folder.clone(),
        };
        let is_one = |client: &&'static Client| self.choices().any(|it| it == Some(*client));
        let named = clients::ALL.into_iter().filter(is_one);
        let without = named.clone().find(|client| !client.scopes.contains(&scope));
        if let Some(client) = without {
            return Err(no_such_scope(client, scope).into());
        }
        let are_all = !self.are_named() || self.choices().any(|it| it.is_none());
        let is_found = |client: &&'static Client| {
            is_one(client)
                || are_all
                    && client.scopes.contains(&scope)
                    && find_program(client.program).is_some()
        };
        let all = clients::ALL.into_iter();
        Ok(all.filter(is_found).map(target).collect())
    }

    /// Returns the title of the named client, for people.
    pub(super) fn named(&self) -> &'static str {
        let mut choices = self.choices();
        match (choices.next(), choices.next()) {
            (Some(Some(client)), None) => client.title,
            _ => "any client",
        }
    }

    /// Returns which of these installations are meant.
    pub(super) fn of(&self, mut records: Vec<Record>) -> Result<Vec<Record>, CommandError> {
        if !self.are_named() {
            return Err(no_client().into());
        }
        let folder = self
            .folder
            .as_deref()
            .map(std::path::absolute)
            .transpose()?;
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        records.retain(|record| {
            let is_there = |folder: &PathBuf| {
                (record.project.as_ref()).is_none_or(|project| real(project) == real(folder))
            };
            self.mean(&record.client)
                && self.scope.is_none_or(|scope| scope == record.scope)
                && folder.as_ref().is_none_or(is_there)
        });
        Ok(records)
    }

    /// Returns whether a record that cannot be read may be one of those that are meant, by the client and the scope in its
    /// name.
    pub(super) fn may_mean(&self, record: &UnreadableRecord) -> bool {
        let are_all = self.choices().any(|choice| choice.is_none());
        let is_chosen = are_all
            || record
                .client
                .as_ref()
                .is_some_and(|client| self.mean(client));
        let scopes = self.scope.zip(record.scope);
        is_chosen && scopes.is_none_or(|(chosen, of)| chosen == of)
    }
}

/// Builds the error for a missing name: it lists the clients and whether this machine has them.
pub(super) fn no_client() -> clap::Error {
    let mut message = String::from("no client is named\n");
    let mut first = None;
    for client in clients::ALL {
        let found = match find_program(client.program) {
            Some(path) => {
                first = first.or(Some(client.name));
                format!("found at {}", path.display())
            }
            None => "not found on the PATH".to_owned(),
        };
        message.push_str(&format!(
            "  {:<12} {}: {found}\n",
            client.name, client.title
        ));
    }
    message.push_str("  all          every client that is found\n");
    let first = first.unwrap_or(clients::ALL[0].name);
    message.push_str(&format!("help: name one, such as `{first}`\n"));
    clap::Error::raw(ErrorKind::MissingRequiredArgument, message)
}

fn no_such_scope(client: &Client, scope: InstallScope) -> String {
    let scopes = client
        .scopes
        .iter()
        .map(|scope| format!("`{}`", scope.as_str()));
    let scopes: Vec<String> = scopes.collect();
    format!(
        "{} has no files of the scope `{}`\nhelp: name one of its scopes: {}",
        client.title,
        scope.as_str(),
        print::listed(&scopes, "or")
    )
}

/// Runs `work` for each target and prints the results: as JSON, a list with an object for each. If one fails, the others
/// still run.
pub(super) fn for_each<T>(
    targets: &[T],
    title: impl Fn(&T) -> String,
    format: OutputFormat,
    work: impl Fn(&T) -> Result<(Value, String), CommandError>,
) -> Result<(), CommandError> {
    let (mut values, mut pages, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        match work(target) {
            Ok((value, page)) => {
                values.push(value);
                pages.push(page);
            }
            Err(failure) if targets.len() == 1 => return Err(failure),
            Err(failure) => failures.push(format!("{}: {failure}", title(target))),
        }
    }
    match format.json {
        true => print::json(&values)?,
        false if pages.is_empty() => {}
        false => print::text(&pages.join("\n"))?,
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\nerror: ").into()),
    }
}
