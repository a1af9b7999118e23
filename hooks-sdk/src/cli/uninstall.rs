//! `hooks uninstall`: removes what `install` wrote.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use clap::Args;
use serde_json::json;

use super::{
    CommandError, Program,
    installed::Changed,
    options::OutputFormat,
    print,
    targets::{Targets, for_each},
};
use crate::{
    clients::{
        self,
        config::{ProgramCopy, Record, Records, UnreadableRecord},
    },
    server::ServerHandler,
};

/// The arguments of `hooks uninstall`.
#[derive(Clone, Debug, Args)]
pub(super) struct Uninstall {
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    format: OutputFormat,
}

impl Uninstall {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let data = program.records()?;
        let copy = ProgramCopy::path(&data, &program.id);
        let Records {
            installed,
            unreadable,
            ..
        } = program.installations()?;
        let installed = self.targets.of(installed)?;
        let mut targets: Vec<_> = installed.into_iter().map(Ok).collect();
        for record in unreadable {
            match self.targets.may_mean(&record) {
                true => targets.push(Err(record)),
                // The copy of the program then stays, which this installation may start.
                false => _ = writeln!(io::stderr(), "warning: {}", record.error),
            }
        }
        if targets.is_empty() {
            return match self.format.json {
                true => print::json(&json!([])),
                false => print::text(&format!(
                    "No installation is recorded for {}.",
                    self.targets.named()
                )),
            };
        }
        let name = |target: &Result<Record, UnreadableRecord>| match target {
            Ok(record) => place(record),
            Err(record) => record
                .client
                .as_deref()
                .map_or("a record", titled)
                .to_owned(),
        };
        for_each(&targets, name, self.format, |target| {
            let record = match target {
                Ok(record) => record,
                Err(record) => return Err(record.error.to_string().into()),
            };
            let files = record.uninstall()?;
            let files: Vec<Changed> = files.iter().map(Changed::of).collect();
            // Without a lock where there is none: a command that removes nothing creates no folder.
            let removed = record.starts.as_ref() == Some(&copy)
                && fs::symlink_metadata(&copy).is_ok()
                && ProgramCopy::lock(&data, &program.id)?.remove_unused()?;
            let removed = removed.then_some(&*copy);
            let page = restored(record, &files, removed);
            let mut value = json!({
                "client": record.client, "scope": record.scope, "files": files,
            });
            if let Some(project) = &record.project {
                value["project"] = json!(project);
            }
            if let Some(copy) = removed {
                value["removed_copy"] = json!(copy);
            }
            Ok((value, page))
        })
    }
}

fn title(record: &Record) -> &str {
    titled(&record.client)
}

/// Returns the title of the client with this name.
fn titled(name: &str) -> &str {
    clients::by_name(name).map_or(name, |client| client.title)
}

/// Returns the client, and where the installation is if that is not the user's own default folder.
fn place(record: &Record) -> String {
    let title = title(record);
    match (&record.project, &record.folder) {
        (Some(project), _) => {
            let scope = record.scope.as_str();
            format!("{title} (scope `{scope}` of {})", project.display())
        }
        (None, Some(folder)) => format!("{title} ({})", folder.display()),
        (None, None) => title.to_owned(),
    }
}

fn restored(record: &Record, files: &[Changed], copy: Option<&Path>) -> String {
    let (title, place) = (title(record), place(record));
    let is_named = |file: &&Changed| file.changes || file.left.is_some();
    let mut page = match files.iter().any(|file| is_named(&file)) {
        true => format!("Removed from {place}.\n"),
        false => format!("Nothing was left of the installation in {place}.\n"),
    };
    for file in files.iter().filter(is_named) {
        let name = file.file.display();
        if file.changes {
            page.push_str(&match file.file.exists() {
                true => format!("  removed this server's entries from {name}\n"),
                false => format!("  removed {name}\n"),
            });
        }
        if let Some(left) = &file.left {
            page.push_str(&format!("  note on {name}: {left}\n"));
        }
    }
    if let Some(copy) = copy {
        page.push_str(&format!(
            "  removed {}, which no client starts any more\n",
            copy.display()
        ));
    }
    page.push_str(&format!("next: restart {title}\n"));
    page
}
