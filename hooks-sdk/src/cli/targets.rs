//! The clients that a user names: one, or all that are found.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use serde_json::Value;

use super::{
    CommandError,
    install::InstallTarget,
    options::{self, OutputFormat},
    print,
    probe::on_path,
};
use crate::clients::{self, Client, InstallScope};

/// The clients of an installation, and its scope.
#[derive(Clone, Debug, Args)]
pub(super) struct Targets {
    /// The client, or `all`
    #[arg(long, value_name = "CLIENT", value_parser = choice_parser())]
    client: Option<Choice>,
    /// Your own files, for every project; the project's files, for everyone in it; or your own files in the project
    #[arg(long, value_name = "SCOPE", value_parser = options::scope_parser(), default_value = "user")]
    scope: InstallScope,
    /// The project's folder, instead of the current one
    #[arg(long, alias = "project", value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    One(&'static dyn Client),
    All,
}

fn choice_parser() -> impl TypedValueParser<Value = Choice> {
    let all = PossibleValue::new("all").help("Every client that is found");
    PossibleValuesParser::new(options::client_names().chain([all]))
        .map(|name| clients::by_name(&name).map_or(Choice::All, Choice::One))
}

impl Targets {
    /// Returns the named client or, for `all`, the clients for which `is_meant` is true.
    pub(super) fn each(
        &self,
        is_meant: impl Fn(&InstallTarget) -> Result<bool, CommandError>,
    ) -> Result<Vec<InstallTarget>, CommandError> {
        let target = |client| InstallTarget {
            client,
            scope: self.scope,
            project: self.folder.clone(),
        };
        match self.client {
            Some(Choice::One(client)) if client.scopes().contains(&self.scope) => {
                Ok(vec![target(client)])
            }
            Some(Choice::One(client)) => Err(no_such_scope(client, self.scope).into()),
            Some(Choice::All) => {
                let mut all = Vec::new();
                let has_it = |client: &&dyn Client| client.scopes().contains(&self.scope);
                for target in clients::ALL.into_iter().filter(has_it).map(target) {
                    if is_meant(&target)? {
                        all.push(target);
                    }
                }
                Ok(all)
            }
            None => Err(no_client().into()),
        }
    }
}

/// Builds the error for a missing `--client`: it lists the clients and whether this machine has them.
fn no_client() -> clap::Error {
    let mut message = String::from("`--client` is missing\n");
    let mut first = None;
    for client in clients::ALL {
        let found = match on_path(client.program()) {
            Some(path) => {
                first = first.or(Some(client.name()));
                format!("found at {}", path.display())
            }
            None => "not found on the PATH".to_owned(),
        };
        message.push_str(&format!(
            "  {:<12} {}: {found}\n",
            client.name(),
            client.title()
        ));
    }
    message.push_str("  all          every client that is found\n");
    let first = first.unwrap_or(clients::ALL[0].name());
    message.push_str(&format!("help: name one, as in `--client {first}`\n"));
    clap::Error::raw(ErrorKind::MissingRequiredArgument, message)
}

fn no_such_scope(client: &dyn Client, scope: InstallScope) -> String {
    let scopes = client
        .scopes()
        .iter()
        .map(|scope| format!("`{}`", scope.as_str()));
    let scopes: Vec<String> = scopes.collect();
    format!(
        "{} has no files of the scope `{}`\nhelp: name one of its scopes: {}",
        client.title(),
        scope.as_str(),
        print::listed(&scopes, "or")
    )
}

/// Runs `work` for each client and prints the results. If one fails, the others still run.
pub(super) fn for_each(
    targets: &[InstallTarget],
    format: OutputFormat,
    work: impl Fn(&InstallTarget) -> Result<(Value, String), CommandError>,
) -> Result<(), CommandError> {
    if let [target] = targets {
        let (value, page) = work(target)?;
        return match format.json {
            true => print::json(&value),
            false => print::text(&page),
        };
    }
    let (mut values, mut pages, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        match work(target) {
            Ok((value, page)) => {
                values.push(value);
                pages.push(page);
            }
            Err(failure) => failures.push(format!("{}: {failure}", target.client.title())),
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
